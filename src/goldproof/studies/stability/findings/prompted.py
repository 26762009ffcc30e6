"""What is found of a language model: how far the prompt moves its score, what else does, and the best prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from goldproof.jobs import Results
from goldproof.judging.metric_numbers import score_format
from goldproof.judging.metrics import title_of
from goldproof.judging.score_answer import lower_name
from goldproof.judging.score_report import flip_examples
from goldproof.report.chart_parts import Caption
from goldproof.report.names import some
from goldproof.report.numbers import count, estimate_text, format_number
from goldproof.report.overview import Against, OverviewRow, overview
from goldproof.report.summary import Answer, Claim, Column, Figure, Plain, Report, Section, Text
from goldproof.studies.asked import asked_answers
from goldproof.studies.asked.plan import prompt_language
from goldproof.studies.own import has_own
from goldproof.studies.shared import only_model
from goldproof.studies.stability.findings.prompt_tables import (
    difference,
    number,
    place_of,
    prompt_items,
    quantile_table,
    share_items,
    wording_table,
)
from goldproof.studies.stability.plan import asked_sets, own_data, own_metric
from goldproof.studies.stability.prompt_scores import PARTS, PromptScores, score_prompts
from goldproof.studies.stability.settings import Config

TITLE = "Would the score hold with another prompt?"
TOO_WIDE = 0.5
"""The share of all possible scores from which an interval for one more prompt tells nothing."""

MOST_PROMPTS = 1000
REACH = 0.02
"""How near the mean over prompts should be to what all such prompts would give, for advice on their number."""


def make_asked_report(config: Config, results: Results) -> Report:
    """What was found of one language model."""
    metric = own_metric(config, own_data(config)) if has_own(config) else "mcc"
    sets = [score_prompts(config, asked_answers(config, each, results), metric) for each in asked_sets(config)]
    several = len(sets) > 1
    sections = [Section(_titled("Which prompt?", each, several), prompt_items(each, several)) for each in sets]
    sections += [Section(_titled("What moves the score?", each, several), share_items(each, several)) for each in sets]
    sections.append(Section("How much do prompts differ?", [quantile_table(sets)]))
    sections += [
        Section(_titled("Items", each, several), [flip_examples(each.answers, f"items-{each.slug(several)}")])
        for each in sets[:4]
    ]
    sections.append(Section("What the model was asked", [wording_table(sets)]))
    sections.append(Section("Limits", [Text(line) for line in _limits(config, sets)]))
    answer = _answer_of_one(sets[0]) if not several else _answer_of_several(sets)
    answer = replace(answer, notes=_notes(sets), figure=_figure(sets))
    claims = [claim for each in sets[:4] for claim in _claims(each, several)]
    return Report("stability", TITLE, claims, sections, _provenance(config, sets, metric), answer)


def _titled(title: str, each: PromptScores, several: bool) -> str:
    return f"{title} ({each.language})" if several else title


def _answer_of_one(each: PromptScores) -> Answer:
    """Where one more prompt would land, and the mean over prompts."""
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
        f"Knowing the mean over prompts to within ±{difference(REACH, each.metric)} on these items takes about "
        f"{_many(needed)} prompts, or up to {_many(upper)}, because the spread is itself an estimate."
    )
    if is_open:
        more = f" Another prompt might score anything {ends}."
        return Answer("open", f"Undecided with {each.n_prompts} prompts", text + more, takes)
    head = f"Another prompt would score {ends}"
    return Answer("measured", f"{head} on these items ({level} prediction interval)", text, takes)


def _many(n: int) -> str:
    """A number of prompts, past the point where anybody would write as many."""
    return count(n) if n <= MOST_PROMPTS else f"more than {count(MOST_PROMPTS)}"


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


def _answer_of_several(sets: Sequence[PromptScores]) -> Answer:
    spans = {each.language: float(each.by_prompt.max() - each.by_prompt.min()) for each in sets}
    widest = max(spans, key=lambda name: spans[name])
    ranked = sorted(sets, key=lambda each: each.mean.value)
    ends = [f"{_said(each)} ({each.language})" for each in (ranked[0], ranked[-1])]
    metric = sets[0].metric
    text = (
        f"the mean {lower_name(metric)} over {sets[0].n_prompts} prompts ranges from {ends[0]} to {ends[1]}, for "
        "other prompts and items like these; the choice of prompt moves it by up to "
        f"{difference(spans[widest], metric)} ({widest})."
    )
    return Answer("measured", "", text[0].upper() + text[1:], "Each language's own prompts are below.")


def _said(each: PromptScores) -> str:
    form = score_format(each.metric)
    return estimate_text(each.mean, form.digits, form.unit)


def _notes(sets: Sequence[PromptScores]) -> list[str]:
    """What must be known first: answers that could not be read, prompts that get one answer to everything."""
    notes = []
    for each in sets:
        where = f"{each.language}: " if len(sets) > 1 else ""
        unread = each.found.unread()
        if unread:
            total, n = each.answers.runs.size, sum(unread.values())
            said = ", ".join(f"{count(k)} {reason}" for reason, k in unread.items())
            notes.append(
                f"{where}{count(n)} of {count(total)} answers could not be read as one label ({said}); "
                "they count as wrong."
            )
        flat = each.flat
        if flat:
            notes.append(
                f"{where}{len(flat)} of {each.answers.n_runs} runs give one answer to nearly all items "
                f"({some(flat)}); they are counted as they are, because prompts that do not work are prompts too."
            )
        if each.found.n_cut:
            notes.append(
                f"{where}{count(each.found.n_cut)} questions were too long for the model and lost their beginning."
            )
    return notes


def _claims(each: PromptScores, several: bool) -> list[Claim]:
    """The findings on one set."""
    where = f"{each.language}: " if several else ""
    found = [_share_claim(each), *_draw_claim(each), _best_claim(each), *_floor_claim(each)]
    return [
        replace(
            claim,
            text=where + claim.text,
            place=place_of(claim.place, each, several) if claim.place != "quantiles" else claim.place,
        )
        for claim in found
    ]


def _share_claim(each: PromptScores) -> Claim:
    ranked = sorted(each.shares.items(), key=lambda pair: -pair[1].value)
    named = [(PARTS[name].format(draws=each.draws_name), estimate_text(share, 0, "%")) for name, share in ranked]
    first, *others = [
        f"{name} {'accounts for' if not place else 'for'} {said}" for place, (name, said) in enumerate(named)
    ]
    text = f"Of the variance of one such score on {count(each.answers.n_items)} items, {_join([first, *others])}."
    return Claim(text, place="shares")


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
    above = each.mean.low > each.floor
    verb = "is above" if above else "is below" if each.mean.high < each.floor else "is not shown to be above"
    n = sum(estimate.low > each.floor for estimate in each.estimates)
    text = (
        f"The mean over prompts, {estimate_text(each.mean, form.digits, form.unit)}, {verb} {what} ({level}); taken "
        f"one by one, {n} of the {each.n_prompts} prompts have an interval above it."
    )
    standing = "shown" if above else "refuted" if each.mean.high < each.floor else "not shown"
    return [Claim(text, standing, each.mean, form.digits, form.unit, place="prompts")]  # type: ignore[arg-type]


def _join(parts: Sequence[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


def _figure(sets: Sequence[PromptScores]) -> Figure:
    """Of one set every prompt with its draws, of several the mean over prompts with every prompt a small dot."""
    first = sets[0]
    form = score_format(first.metric)
    column = Column("score", title_of(first.metric), form.digits, form.unit)
    keys = [key for each in sets for key in each.found.keys]
    if len(sets) > 1:
        rows = [OverviewRow(each.language, each.mean, [float(score) for score in each.by_prompt]) for each in sets]
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


_RULES = {
    "raw": "the label whose word is likeliest",
    "length": "the label whose word is likeliest per character",
    "calibrated": "the label whose word gains most in likelihood compared with questions without content",
    "centred": (
        "the label whose share of the likelihood is highest relative to its mean over all items, so it depends "
        "on the other items"
    ),
}


def _limits(config: Config, sets: Sequence[PromptScores]) -> list[str]:
    prompts, first = config.prompts, sets[0]
    whence = f"the file {prompts.file}" if prompts.file else "the prompts that come with Goldproof"
    lines = [
        f"The prompts are a sample of all prompts that might have been written like them: {whence}, none left out or "
        "included because of its score. The intervals say nothing about prompts of another kind, or prompts tuned to "
        "this model.",
    ]
    if prompts.answer == "likelihood":
        lines.append(f"An answer is {_RULES[prompts.rule]} after the question (rule '{prompts.rule}').")
    else:
        lines.append(
            f"Answers are up to {prompts.most_tokens} tokens of text; the label is the one whose word occurs in the "
            "first line, as a whole word. An answer that names none or two counts as wrong."
        )
    if first.n_draws == 1 and not prompts.examples:
        lines.append("No examples were given, so nothing is said about prompts with examples.")
    if first.n_draws in (2, 3):
        lines.append(
            f"{first.n_draws} draws say little about other draws; the intervals of their shares show how little."
        )
    if config.data.corpus == "generated" and not has_own(config):
        lines.append("The data are generated; the numbers only show what the report looks like.")
    return lines


def _provenance(config: Config, sets: Sequence[PromptScores], metric: str) -> dict[str, Plain]:
    prompts, first = config.prompts, sets[0]
    examples = (
        f"{prompts.examples}, {'balanced' if prompts.balanced else 'drawn at random'}" if prompts.examples else "none"
    )
    languages = {each.language: prompt_language(prompts, each.language) for each in sets}
    return {
        "model": only_model(config.model).title,
        "corpus": first.found.asked.name,
        "languages": ", ".join(languages),
        "languages of the prompts": "as the file has them"
        if prompts.file
        else ", ".join(dict.fromkeys(languages.values())),
        "prompts": f"{first.n_prompts}, " + (prompts.file or f"built in ({prompts.task or first.found.asked.kind})"),
        "examples": examples,
        "draws": ", ".join(map(str, prompts.draws)) if prompts.examples else "none",
        "answers": "text" if prompts.answer == "text" else f"likelihood, rule {prompts.rule}",
        "temperature": prompts.temperature if prompts.answer == "text" else None,
        "precision": prompts.precision,
        "metric": title_of(metric),
    }
