"""What reports say of language models: how far prompts move a score, what else does, the best prompt, limits.

A study puts its own question first (`Answer`); what it asked about stands in sets, each with its prompts × draws.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from goldproof.judging.metric_numbers import score_format
from goldproof.judging.metrics import title_of
from goldproof.judging.score_answer import lower_name
from goldproof.judging.score_report import flip_examples
from goldproof.models.text_labels import UNFINISHED
from goldproof.report.chart_parts import Caption
from goldproof.report.names import some
from goldproof.report.numbers import count, estimate_text, format_number
from goldproof.report.overview import Against, OverviewRow, overview
from goldproof.report.summary import Answer, Claim, Column, Figure, Plain, Section
from goldproof.studies.asked.scores import PARTS, PromptScores
from goldproof.studies.asked.tables import (
    difference,
    number,
    place_of,
    prompt_items,
    quantile_table,
    share_items,
    share_table,
    wording_table,
)

MOST_TOLD = 4
"""Of so many sets findings and items are told one by one."""

TOO_WIDE = 0.5
"""The share of all possible scores from which an interval for one more prompt tells nothing."""

_RULES = {
    "raw": "the label whose word is likeliest",
    "length": "the label whose word is likeliest per character",
    "calibrated": "the label whose word gains most in likelihood compared with questions without content",
    "centred": (
        "the label whose share of the likelihood is highest relative to its mean over all items, so it depends "
        "on the other items"
    ),
}

MOST_PROMPTS = 1000
REACH = 0.02
"""How near the mean over prompts should be to what all such prompts would give, for advice on their number."""


def set_sections(sets: Sequence[PromptScores], what: str = "Language") -> list[Section]:
    """Of each set its prompts and what moves its score; how far prompts lie apart, items, and the wording."""
    several, many = len(sets) > 1, len(sets) > MOST_TOLD
    sections = [Section(_titled("Which prompt?", each, several), prompt_items(each, several)) for each in sets]
    if many:
        sections.append(Section("What moves the score?", [share_table(sets, what)]))
    else:
        sections += [
            Section(_titled("What moves the score?", each, several), share_items(each, several)) for each in sets
        ]
    sections.append(Section("How much do prompts differ?", [quantile_table(sets, what)]))
    sections += [
        Section(_titled("Items", each, several), [flip_examples(each.answers, f"items-{each.slug(several)}")])
        for each in sets[:MOST_TOLD]
    ]
    return [*sections, Section("What the model was asked", [wording_table(sets, what)])]


def _titled(title: str, each: PromptScores, several: bool) -> str:
    return f"{title} ({each.title})" if several else title


def answer_of_one(each: PromptScores) -> Answer:
    """Where one more prompt would land, and the mean over prompts."""
    if each.another is None:
        return _answer_of_none(each)
    low, high = each.another
    ends = f"between {number(low, each.metric)} and {number(high, each.metric)}"
    bounds = each.bounds
    is_open = high - low > TOO_WIDE * (bounds[1] - bounds[0])
    least, most = (number(float(end), each.metric) for end in (each.by_prompt.min(), each.by_prompt.max()))
    mean = each.mean
    reach = f"{_bare(mean.low, each.metric)} to {number(mean.high, each.metric)}"
    level = f"{100 * each.level:g} %"
    text = (
        f"{each.n_prompts} prompts that ask the same thing in different words{_draws(each)} reach "
        f"{lower_name(each.metric)} from {least} to {most} on the same {count(each.answers.n_items)} items. Their "
        f"mean is {number(mean.value, each.metric)}, and for other prompts{_others(each)} and items like these "
        f"{reach} ({level} interval)."
    )
    needed, upper = each.needed(REACH)
    takes = (
        f"Knowing the mean over prompts to within ±{difference(REACH, each.metric)} on these items takes "
        f"{_needed(needed, upper)}."
    )
    if is_open:
        more = f" Another prompt might score anything {ends}."
        return Answer("open", f"Undecided with {each.n_prompts} prompts", text + more, takes)
    head = f"Another prompt would score {ends}"
    return Answer("measured", f"{head} on these items ({level} prediction interval)", text, takes)


def _answer_of_none(each: PromptScores) -> Answer:
    """Of prompts that all score the same."""
    score = number(float(each.by_prompt[0]), each.metric)
    text = f"all of {each.n_prompts} prompts{_draws(each)} reach {lower_name(each.metric)} {score} on the same "
    text += f"{count(each.answers.n_items)} items, so nothing is known about how much others would differ."
    return Answer(
        "open", f"Undecided with {each.n_prompts} prompts", text, "More items or other prompts may decide it."
    )


def _needed(n: int, upper: int) -> str:
    """How many prompts it takes, up to the point where nobody would write as many.

    >>> _needed(34, 120), _needed(1001, 2000)
    ('about 34 prompts, or up to 120, because the spread is itself an estimate', 'more than 1,000 prompts')
    >>> _needed(359, 1001)
    'about 359 prompts, or more than 1,000, because the spread is itself an estimate'
    """
    most = f"more than {count(MOST_PROMPTS)}"
    if n > MOST_PROMPTS:
        return f"{most} prompts"
    reach = f"up to {count(upper)}" if upper <= MOST_PROMPTS else most
    return f"about {count(n)} prompts, or {reach}, because the spread is itself an estimate"


def _bare(value: float, metric: str) -> str:
    form = score_format(metric)
    return format_number(value, form.digits, form.unit)


def _draws(each: PromptScores) -> str:
    """With how many draws of examples, in half a sentence."""
    if each.n_draws == 1:
        return ""
    return f", each with the same {each.n_draws} {each.draws_name},"


def _others(each: PromptScores) -> str:
    return f", {each.draws_name}" if each.n_draws > 1 else ""


def reading_notes(sets: Sequence[PromptScores]) -> list[str]:
    """What must be known first: answers that could not be read, prompts that get one answer to everything."""
    if len(sets) > MOST_TOLD:
        return _notes_of_many(sets)
    notes = []
    for each in sets:
        where = f"{each.title}: " if len(sets) > 1 else ""
        unread = each.facts.unread
        if unread:
            notes.append(where + _unread_note(unread, each.answers.runs.size, each.facts.how.most_tokens))
        flat = each.flat
        if flat:
            notes.append(
                f"{where}{len(flat)} of {each.answers.n_runs} runs give one answer to nearly all items "
                f"({some(flat)}); they are counted as they are, because prompts that do not work are prompts too."
            )
        if each.facts.n_cut:
            notes.append(
                f"{where}{count(each.facts.n_cut)} questions were too long for the model and lost their beginning."
            )
    return notes


def _unread_note(unread: Mapping[str, int], total: int, most_tokens: int) -> str:
    """How many answers name no label, by reason, and what may help those that were cut off."""
    said = ", ".join(f"{count(k)} {reason}" for reason, k in unread.items())
    note = f"{count(sum(unread.values()))} of {count(total)} answers could not be read as one label ({said}); "
    note += "they count as wrong."
    if any(unread.get(reason) for reason in UNFINISHED):
        note += f" An answer may have up to {count(most_tokens)} tokens; prompts.most_tokens gives those cut off more."
    return note


def _notes_of_many(sets: Sequence[PromptScores]) -> list[str]:
    """The same of many sets, counted over all of them."""
    notes = []
    unread: Counter[str] = Counter()
    for each in sets:
        unread.update(each.facts.unread)
    if unread:
        total = sum(each.answers.runs.size for each in sets)
        notes.append(_unread_note(unread, total, sets[0].facts.how.most_tokens))
    n_flat, n_runs = sum(len(each.flat) for each in sets), sum(each.answers.n_runs for each in sets)
    if n_flat:
        notes.append(
            f"{count(n_flat)} of {count(n_runs)} runs give one answer to nearly all items; they are counted as they "
            "are, because prompts that do not work are prompts too."
        )
    n_cut = sum(each.facts.n_cut for each in sets)
    if n_cut:
        notes.append(f"{count(n_cut)} questions were too long for the model and lost their beginning.")
    return notes


def set_claims(each: PromptScores, several: bool) -> list[Claim]:
    """The findings on one set."""
    where = f"{each.title}: " if several else ""
    found = [*_share_claims(each), *_draw_claim(each), _best_claim(each), *_floor_claim(each)]
    return [
        replace(
            claim,
            text=where + claim.text,
            place=place_of(claim.place, each, several) if claim.place != "quantiles" else claim.place,
        )
        for claim in found
    ]


def _share_claims(each: PromptScores) -> list[Claim]:
    """What the variance is made of, as far as anything varies."""
    if "prompt" not in each.shares:
        return []
    ranked = sorted(each.shares.items(), key=lambda pair: -pair[1].value)
    named = [(PARTS[name].format(draws=each.draws_name), estimate_text(share, 0, "%")) for name, share in ranked]
    first, *others = [
        f"{name} {'accounts for' if not place else 'for'} {said}" for place, (name, said) in enumerate(named)
    ]
    text = f"Of the variance of one such score on {count(each.answers.n_items)} items, {_join([first, *others])}."
    return [Claim(text, place="shares")]


def _draw_claim(each: PromptScores) -> list[Claim]:
    if each.n_draws == 1:
        return []
    moved = each.table.max(axis=1) - each.table.min(axis=1)
    most = int(moved.argmax())
    text = (
        f"With the prompt held fixed, the {each.draws_name} move {lower_name(each.metric)} by at most "
        f"{difference(float(moved[most]), each.metric)} ({each.names[most]}), and by "
        f"{difference(float(np.median(moved)), each.metric)} for the median prompt."
    )
    return [Claim(text, place="prompts")]


def _best_claim(each: PromptScores) -> Claim:
    form = score_format(each.metric)
    of = each.n_prompts if each.metric == "accuracy" else each.answers.n_runs
    text = (
        f"The best of {of} ({each.best_name}) looks like {number(each.best_as_it_looks, each.metric)}; corrected for "
        f"having been chosen on these items it is {estimate_text(each.best, form.digits, form.unit)}."
    )
    return Claim(text, "stated", each.best, form.digits, form.unit, place="quantiles")


def _floor_claim(each: PromptScores) -> list[Claim]:
    """Whether the mean over prompts is above what needs no text."""
    if each.floor != each.floor:
        return []
    form = score_format(each.metric)
    what = "the score of always answering the commonest label" if each.metric == "accuracy" else "chance"
    level = number(each.floor, each.metric)
    over = each.over_floor
    above, below = over is not None and over.low > 0, over is not None and over.high < 0
    verb = "is above" if above else "is below" if below else "is not shown to be above"
    digits, unit = (1, "points") if each.metric == "accuracy" else (form.digits, form.unit)
    apart = "" if over is None else f"; difference {estimate_text(over, digits, unit)} on the same items"
    held = f", with these {each.draws_name}" if each.n_draws > 1 else ""
    text = (
        f"The mean over prompts, {estimate_text(each.mean, form.digits, form.unit)}, {verb} {what} ({level}{apart}). "
        f"Taken one by one{held}, {each.n_over_floor} of the {each.n_prompts} prompts are shown to be above it."
    )
    standing = "shown" if above else "refuted" if below else "not shown"
    return [Claim(text, standing, each.mean, form.digits, form.unit, place="prompts")]  # type: ignore[arg-type]


def _join(parts: Sequence[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


def asked_figure(sets: Sequence[PromptScores]) -> Figure:
    """Of one set every prompt with its draws, of several the mean over prompts with every prompt a small dot."""
    first = sets[0]
    form = score_format(first.metric)
    column = Column("score", title_of(first.metric), form.digits, form.unit)
    keys = [key for each in sets for key in each.facts.keys]
    if len(sets) > 1:
        rows = [OverviewRow(each.title, each.mean, [float(score) for score in each.by_prompt]) for each in sets]
        title = f"{title_of(first.metric)}, mean over prompts; each prompt a small dot"
        return overview(rows, column, caption=Caption("answer", title, "", keys), against=_against(first))
    ranked = sorted(zip(first.names, first.estimates, first.table, strict=True), key=lambda row: -row[1].value)
    rows = [OverviewRow("mean over prompts", first.mean)]
    rows += [
        OverviewRow(name, estimate, [float(score) for score in draws] if first.n_draws > 1 else ())
        for name, estimate, draws in ranked
    ]
    title = f"{title_of(first.metric)} of each prompt" + (", each draw a small dot" if first.n_draws > 1 else "")
    return overview(rows, column, caption=Caption("answer", title, "", keys), against=_against(first))


def _against(each: PromptScores) -> Against:
    if each.floor != each.floor:
        return Against()
    said = "Dashed: the commonest label alone." if each.metric == "accuracy" else "Dashed: chance."
    return Against([each.floor], text=said)


def asked_limits(sets: Sequence[PromptScores]) -> list[str]:
    """What the intervals speak of, and how answers were read."""
    how, first = sets[0].facts.how, sets[0]
    whence = f"the file {how.file}" if how.file else "the prompts that come with Goldproof"
    lines = [
        f"The prompts are a sample of all prompts that might have been written like them: {whence}, none left out or "
        "included because of its score. The intervals say nothing about prompts of another kind, or prompts tuned to "
        "this model.",
    ]
    if how.answer == "likelihood":
        lines.append(f"An answer is {_RULES[how.rule]} after the question (rule '{how.rule}').")
    else:
        lines.append(
            f"Answers are up to {how.most_tokens} tokens of text; the label is the one whose word occurs in the "
            "first line, as a whole word, not after a negation in the same clause; text inside <think> is left out. "
            "An answer that names none or two counts as wrong."
        )
    if not any(each.facts.how.examples for each in sets) and first.n_draws == 1:
        lines.append("No examples were given, so nothing is said about prompts with examples.")
    most = max(each.n_draws for each in sets)
    if most in (2, 3):
        lines.append(f"{most} draws say little about other draws; the intervals of their shares show how little.")
    return lines


def asked_provenance(model: str, sets: Sequence[PromptScores]) -> dict[str, Plain]:
    """How the model was asked."""
    how, first = next((each.facts.how for each in sets if each.facts.how.examples), sets[0].facts.how), sets[0]
    spoken = dict.fromkeys(prompt.language for each in sets for prompt in each.facts.prompts)
    examples = f"{how.examples}, {'balanced' if how.balanced else 'drawn at random'}" if how.examples else "none"
    return {
        "model": model,
        "corpus": first.facts.name,
        "languages": ", ".join(dict.fromkeys(each.language for each in sets)),
        "languages of the prompts": "as the file has them" if how.file else ", ".join(spoken),
        "prompts": f"{first.n_prompts}, " + (how.file or f"built in ({how.task or first.facts.kind})"),
        "examples": examples,
        "draws": ", ".join(map(str, how.draws)) if how.examples else "none",
        "answers": "text" if how.answer == "text" else f"likelihood, rule {how.rule}",
        "temperature": how.temperature if how.answer == "text" else None,
        "precision": how.precision,
        "metric": title_of(first.metric),
    }
