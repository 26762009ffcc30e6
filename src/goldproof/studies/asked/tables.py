"""Tables and charts of a language model's scores: each prompt, what moves the score, quantiles, and the wording."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from goldproof.judging.metric_numbers import score_format, shown, unit
from goldproof.judging.metrics import title_of
from goldproof.judging.score_answer import lower_name
from goldproof.report.charts import Caption, bars, dots
from goldproof.report.fields import Field, Heading, known_fields, make_table
from goldproof.report.numbers import count, estimate_text, format_number
from goldproof.report.summary import Cell, Column, Item, Missing, Table
from goldproof.statistics.estimate import Estimate
from goldproof.studies.asked.scores import QUANTILES, PromptScores

MOST_SHOWN = 600
MOST_NAMED = 3


def number(value: float, metric: str) -> str:
    """A score with its unit, to stand in a sentence."""
    form = score_format(metric)
    return f"{format_number(value, form.digits, form.unit)} {form.unit}".strip()


def difference(value: float, metric: str) -> str:
    """A difference of scores with its unit, to stand in a sentence."""
    return f"{shown(value, metric)}{unit(metric)}"


def place_of(name: str, each: PromptScores, several: bool) -> str:
    """The name of a table or figure, which of several sets tells its own."""
    return f"{name}-{each.slug(True)}" if several else name


@dataclass(frozen=True, slots=True)
class _OfPrompt:
    """A prompt's scores."""

    name: str
    estimate: Estimate
    draws: tuple[float, ...]
    given: str
    unread: int


def _prompts(each: PromptScores) -> list[_OfPrompt]:
    found = []
    runs = each.answers.runs.reshape(each.n_prompts, each.n_draws, -1)
    absent = each.given.missing().reshape(each.n_prompts, each.n_draws, -1)
    for place, name in enumerate(each.names):
        counts = np.bincount(runs[place].ravel(), minlength=len(each.answers.labels))
        commonest = int(np.argmax(counts))
        share = counts[commonest] / counts.sum()
        given = f"{each.answers.labels[commonest]} ({100 * share:.0f} %)"
        scores = tuple(float(score) for score in each.table[place])
        found.append(_OfPrompt(name, each.estimates[place], scores, given, int(absent[place].sum())))
    return sorted(found, key=lambda one: -one.estimate.value)


def prompt_items(each: PromptScores, several: bool) -> list[Item]:
    """Each prompt's score: a chart and a table, the best first."""
    form = score_format(each.metric)
    column = Column("score", title_of(each.metric), form.digits, form.unit)
    every = _prompts(each)
    spread = difference(float(np.ptp(each.by_prompt)), each.metric)
    title = f"The prompt alone moves {lower_name(each.metric)} by {spread}"
    rows: list[dict[str, Cell]] = [{"prompt": one.name, "score": one.estimate} for one in every]
    caption = Caption(
        place_of("prompts-figure", each, several), f"{title_of(each.metric)} of each prompt", keys=each.facts.keys
    )
    rule = each.floor if each.floor == each.floor else None
    figure = dots(rows, Column("prompt", "Prompt"), column, caption=caption, rule=rule)
    low = Column("low", "Lowest draw", form.digits, form.unit)
    given = Column("given", "Commonest answer", note="the label given most often, and its share of all answers")
    unread = Column("unread", "Not read", note="answers that name no label or several; they count as wrong")
    fields: list[Field[_OfPrompt]] = [
        Field(Column("prompt", "Prompt"), lambda one: one.name),
        Field(column, lambda one: one.estimate),
        Field(low, lambda one: min(one.draws) if len(one.draws) > 1 else None),
        Field(
            Column("high", "Highest draw", form.digits, form.unit),
            lambda one: max(one.draws) if len(one.draws) > 1 else None,
        ),
        Field(given, lambda one: one.given),
        Field(unread, lambda one: one.unread),
    ]
    heading = Heading(place_of("prompts", each, several), title, keys=each.facts.keys)
    return [figure, make_table(heading, known_fields(fields, every), every)]


@dataclass(frozen=True, slots=True)
class _SharePart:
    """A part of the variance and its share."""

    name: str
    share: Estimate


def share_items(each: PromptScores, several: bool) -> list[Item]:
    """What moves one score on as many items: a chart and a table of shares."""
    names = {
        "prompt": "Prompt",
        "draw": each.draws_name[0].upper() + each.draws_name[1:],
        "both": f"Prompt and {each.draws_name} together",
        "items": "Which items",
    }
    every = [_SharePart(names[name], share) for name, share in each.shares.items()]
    if not every:
        return []
    largest = max(every, key=lambda one: one.share.value)
    title = f"{largest.name}: {estimate_text(largest.share, 0, '%')} of the variance of one score"
    note = (
        f"The variance is that of the score of one prompt with one draw on {count(each.answers.n_items)} items; with "
        "fewer items, their share is larger. Crossed random effects; generalised confidence intervals."
    )
    column = Column("share", "Share of the variance", 0, "%")
    rows: list[dict[str, Cell]] = [{"source": one.name, "share": one.share} for one in every]
    caption = Caption(place_of("shares-figure", each, several), title, note, each.facts.keys)
    fields: list[Field[_SharePart]] = [
        Field(Column("source", "What varies"), lambda one: one.name),
        Field(column, lambda one: one.share),
    ]
    heading = Heading(place_of("shares", each, several), title, note, each.facts.keys)
    return [bars(rows, Column("source", "What varies"), column, caption=caption), make_table(heading, fields, every)]


def share_table(sets: Sequence[PromptScores], what: str) -> Table:
    """Of several sets what moves one score: a row for each, a column for each part of its variance."""
    title = _shares_title(sets)
    names = {"prompt": "The prompt", "draw": "Draws", "both": "Both together", "items": "Which items"}
    note = "Of one score, that of one prompt with one draw. Crossed random effects; intervals are generalised ones."
    fields: list[Field[PromptScores]] = [
        Field(Column("of", what), lambda each: each.title),
        *(Field(Column(key, name, 0, "%"), _share_reader(key)) for key, name in names.items()),
    ]
    keys = [key for each in sets for key in each.facts.keys]
    return make_table(Heading("shares", title, note, keys), known_fields(fields, sets), sets)


def _shares_title(sets: Sequence[PromptScores]) -> str:
    known = [(each.shares["prompt"], each.title) for each in sets if "prompt" in each.shares]
    if not known:
        return "No two prompts score differently"
    share, of = max(known, key=lambda pair: pair[0].value)
    return f"The prompt has up to {estimate_text(share, 0, '%')} of the variance ({of})"


def _share_reader(part: str) -> Callable[[PromptScores], Cell]:
    return lambda each: each.shares.get(part) or (Missing("nothing varied with it") if each.n_draws > 1 else None)


def quantile_table(sets: Sequence[PromptScores], what: str = "Language") -> Table:
    """Quantiles over prompts, and how many prompts it takes."""
    metric = sets[0].metric
    form = score_format(metric)
    title = _quantile_title(sets)
    fields: list[Field[PromptScores]] = [
        Field(Column("of", what), lambda each: each.title),
        Field(Column("n", "Prompts"), lambda each: each.n_prompts),
        Field(Column("worst", "Worst", form.digits, form.unit), lambda each: float(each.by_prompt.min())),
        *(Field(_quantile_column(share, metric), _reader(share)) for share in QUANTILES),
        Field(Column("best", "Best", form.digits, form.unit), lambda each: float(each.by_prompt.max())),
        Field(
            Column("corrected", "Best, corrected", form.digits, form.unit, "for having been chosen on these items"),
            lambda each: each.best,
        ),
    ]
    note = "Scores on these items, means over draws. Intervals of quantiles lie between order statistics."
    heading = Heading(
        "quantiles", title[0].upper() + title[1:], note, [key for each in sets for key in each.facts.keys]
    )
    return make_table(heading, fields, sets)


def _quantile_title(sets: Sequence[PromptScores]) -> str:
    """What half of the prompts reach in each set, or in the lowest and the highest of many."""
    middles = {each.title: each.quantile(0.5).value for each in sets}
    if len(sets) > MOST_NAMED:
        low, high = min(middles, key=middles.__getitem__), max(middles, key=middles.__getitem__)
        ends = [f"{number(middles[end], sets[0].metric)} ({end})" for end in (low, high)]
        return f"what half of the prompts reach goes from {ends[0]} to {ends[1]}"
    where = {of: f"{of}: " if len(sets) > 1 else "" for of in middles}
    return "; ".join(
        f"{where[of]}half of the prompts reach {number(middle, sets[0].metric)}" for of, middle in middles.items()
    )


def _quantile_column(share: float, metric: str) -> Column:
    form = score_format(metric)
    title = "Median" if share == 0.5 else f"{100 * share:g} % quantile"
    return Column(f"q{round(100 * share)}", title, form.digits, form.unit)


def _reader(share: float) -> Callable[[PromptScores], Cell]:
    def read(each: PromptScores) -> Cell:
        found = each.quantile(share)
        return found if found.low == found.low and found.high == found.high else found.value

    return read


@dataclass(frozen=True, slots=True)
class _Wording:
    """What the model saw of a prompt."""

    of: str
    name: str
    words: str
    shown: str


def wording_table(sets: Sequence[PromptScores], what: str = "Language") -> Table:
    """The first question of each prompt as the model saw it, with its first draw of examples."""
    every = []
    for each in sets:
        for prompt in each.facts.prompts:
            seen = prompt.shown if len(prompt.shown) <= MOST_SHOWN else f"… {prompt.shown[-MOST_SHOWN:]}"
            words = ", ".join(f"{label}: {word}" for label, word in prompt.words)
            every.append(_Wording(each.title, prompt.name, words, seen))
    fields: list[Field[_Wording]] = [
        Field(Column("of", what), lambda one: one.of if len(sets) > 1 else None),
        Field(Column("prompt", "Prompt"), lambda one: one.name),
        Field(Column("words", "Words of the labels"), lambda one: one.words),
        Field(Column("shown", "The first question, as the model saw it"), lambda one: one.shown),
    ]
    return make_table(
        Heading("wording", f"{len(every)} prompts, none chosen by its score"), known_fields(fields, every), every
    )
