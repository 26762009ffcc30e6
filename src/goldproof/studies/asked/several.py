"""What is found of several sets at once: where the mean over prompts beats what needs no text, what moves the scores,
and the best prompt of all. What is found of each set alone stands in `findings.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from goldproof.judging.metric_numbers import score_format
from goldproof.judging.score_answer import lower_name
from goldproof.report.names import some
from goldproof.report.numbers import count, estimate_text
from goldproof.report.summary import Answer, Claim
from goldproof.studies.asked.scores import PromptScores
from goldproof.studies.asked.tables import difference, number

MOST_NAMED = 7


def answer_of_several(sets: Sequence[PromptScores]) -> Answer:
    """From where to where the mean over prompts goes, and how far one of them may be from another."""
    spans = {each.title: float(each.by_prompt.max() - each.by_prompt.min()) for each in sets}
    widest, metric = max(spans, key=lambda name: spans[name]), sets[0].metric
    ranked = sorted(sets, key=lambda each: each.mean.value)
    ends = [f"{_said(each)} ({each.title})" for each in (ranked[0], ranked[-1])]
    text = (
        f"The mean {lower_name(metric)} over {sets[0].n_prompts} prompts ranges from {ends[0]} to {ends[1]}, for "
        f"other prompts and items like these. On the same items, two prompts of a language are up to "
        f"{difference(spans[widest], metric)} apart ({widest})."
    )
    return Answer("measured", "", text, "Each language's own prompts are below.")


def claims_of_many(sets: Sequence[PromptScores]) -> list[Claim]:
    """The findings over all sets, where they are too many to be told one by one."""
    return [*_above_claim(sets), *_share_claim(sets), *moved_claims(sets, "quantiles"), *_draw_claim(sets)]


def moved_claims(sets: Sequence[PromptScores], best_place: str) -> list[Claim]:
    """How far the prompt alone moves a score, and the best prompt of all."""
    spans = {each.title: float(each.by_prompt.max() - each.by_prompt.min()) for each in sets}
    widest, metric = max(spans, key=lambda name: spans[name]), sets[0].metric
    form = score_format(metric)
    best = max(sets, key=lambda each: each.best_as_it_looks)
    of = best.n_prompts if metric == "accuracy" else best.answers.n_runs
    said = (
        f"The best prompt of all ({best.best_name}; {best.title}) looks like {number(best.best_as_it_looks, metric)}; "
        f"corrected for having been chosen among {of} it is {estimate_text(best.best, form.digits, form.unit)}"
    )
    picked = f", which still flatters, as the highest of {len(sets)}." if len(sets) > 1 else "."
    middle = ""
    if len(sets) > 2:
        middle = f"; the median of the {count(len(sets))} is {difference(median(spans.values()), metric)}"
    text = (
        f"Which prompt asks moves {lower_name(metric)} by up to {difference(spans[widest], metric)} on the same items "
        f"({widest}){middle}."
    )
    return [
        Claim(text, place="quantiles"),
        Claim(said + picked, "stated", best.best, form.digits, form.unit, place=best_place),
    ]


def _above_claim(sets: Sequence[PromptScores]) -> list[Claim]:
    """In which sets the mean over prompts is shown to be above, or below, what needs no text, all together."""
    if sets[0].floor != sets[0].floor:
        return []
    what = "the score of always answering the commonest label" if sets[0].metric == "accuracy" else "chance"
    level = 1 - (1 - sets[0].level) / len(sets)
    found = [(each.title, each.over_floor_at(level)) for each in sets]
    above = [title for title, over in found if over is not None and over.low > 0]
    below = [title for title, over in found if over is not None and over.high < 0]
    text = (
        f"The mean over prompts is shown to be above {what} in {count(len(above))} of {count(len(sets))}"
        f"{_names(above)}, and below it in {count(len(below))}{_names(below)}; all comparisons hold together."
    )
    return [Claim(text, "shown" if above else "refuted" if below else "not shown", place="quantiles")]


def _share_claim(sets: Sequence[PromptScores]) -> list[Claim]:
    """How much of the variance of one score is the prompt's, in the sets where it is least and most."""
    known = [(each.shares["prompt"], each.title) for each in sets if "prompt" in each.shares]
    if len(known) < 2:
        return []
    ranked = sorted(known, key=lambda pair: pair[0].value)
    ends = [f"{estimate_text(share, 0, '%')} ({title})" for share, title in (ranked[0], ranked[-1])]
    text = f"Of the variance of one such score, the prompt accounts for {ends[0]} to {ends[1]}."
    return [Claim(text, place="shares")]


def _draw_claim(sets: Sequence[PromptScores]) -> list[Claim]:
    """How far the draws of examples move the score of one prompt at most."""
    drawn = [each for each in sets if each.n_draws > 1]
    if not drawn:
        return []
    moved = {each.title: each.table.max(axis=1) - each.table.min(axis=1) for each in drawn}
    most = max(moved, key=lambda title: float(moved[title].max()))
    where = next(each for each in drawn if each.title == most)
    name = where.names[int(moved[most].argmax())]
    middle = median(float(value) for values in moved.values() for value in values)
    text = (
        f"With the prompt held fixed, the {where.draws_name} move {lower_name(where.metric)} by at most "
        f"{difference(float(moved[most].max()), where.metric)} ({most}: {name}), and by "
        f"{difference(middle, where.metric)} for the median prompt."
    )
    return [Claim(text, place="quantiles")]


def _names(titles: Sequence[str]) -> str:
    return f" ({some(titles, MOST_NAMED)})" if titles else ""


def _said(each: PromptScores) -> str:
    form = score_format(each.metric)
    return estimate_text(each.mean, form.digits, form.unit)
