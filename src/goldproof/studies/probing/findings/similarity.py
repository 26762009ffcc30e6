"""The section on similarity: heat maps of all layers of all models, beside what chance gives (Figures 3, 15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
import numpy.typing as npt

from goldproof.report.charts import Caption, square_map
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.summary import Cell, Column, Item, Missing, Section, Table
from goldproof.statistics.arrays import FloatArray
from goldproof.studies.probing.scores import ProbingFindings
from goldproof.studies.probing.steps import Likeness

TITLES = {
    "debiased": "Debiased CKA",
    "plain": "Plain CKA",
    "maxcorr": "maxcorr",
    "procrustes": "Procrustes similarity",
}


@dataclass(frozen=True, slots=True, eq=False)
class _Compared:
    """The comparisons of a language on each of its tasks; all have the same places."""

    name: str
    titles: list[str]
    found: list[Likeness]
    keys: list[str]

    @property
    def owners(self) -> npt.NDArray[np.int64]:
        """The model of each place."""
        return np.array([model for model, _ in self.found[0].places])

    def mean(self, measure: str) -> FloatArray:
        """A measure, mean over tasks."""
        return np.asarray(np.mean([each.tables[measure] for each in self.found], axis=0))

    def chance(self, measure: str, level: float) -> npt.NDArray[np.bool_] | None:
        """Which pairs a measure cannot tell from chance on every task; None where it has no null, or one of too few
        pairings to tell any.
        """
        p_values = [each.p_value[measure] for each in self.found if measure in each.p_value]
        if not p_values or np.min(p_values) > 1 - level + 1e-9:
            return None
        return np.asarray(np.max(p_values, axis=0) > 1 - level + 1e-9)

    def by_chance(self, measure: str) -> FloatArray | None:
        """What pairings of sentences at random give, mean over tasks; None where a measure has no null."""
        means = [each.chance[measure] for each in self.found if measure in each.chance]
        return np.asarray(np.mean(means, axis=0)) if means else None


def similarity_section(found: ProbingFindings) -> list[Section]:
    """All models compared, language by language; nothing where it was not asked for."""
    languages = []
    for language in found.config.data.languages:
        shown = [place for place in found.tasks if place[0] == language and found.has("similarity", *place)]
        titles = [arm.title for arm in found.models if language in arm.languages]
        if shown and titles:
            keys = [found.key("similarity", *place) for place in shown]
            values = [found.value("similarity", *place) for place in shown]
            languages.append(_Compared(language, titles, values, keys))
    if not languages:
        return []
    several = any(len(language.titles) > 1 for language in languages)
    items: list[Item] = [_table(found, languages)] if several else []
    for measure in found.config.similarity.measures:
        items += [_map(found, language, measure) for language in languages]
    return [Section("Do models represent sentences alike?", items)]


def _map(found: ProbingFindings, language: _Compared, measure: str) -> Item:
    table = language.mean(measure)
    chance, by_chance = language.chance(measure, found.config.level), language.by_chance(measure)
    titles = [title.replace(", random weights", " random") for title in language.titles]
    names = [f"{titles[model]} {layer}" for model, layer in language.found[0].places]
    rows: list[dict[str, Cell]] = []
    for i, down in enumerate(names):
        for j, across in enumerate(names):
            row: dict[str, Cell] = {"down": down, "across": across, "value": float(table[i, j])}
            rows.append(row if chance is None else {**row, "chance": bool(chance[i, j])})
    first = language.found[0]
    note = f"Mean over {len(language.found)} tasks of {first.n:,} test sentences each. Within a model, layers run from "
    note += "the first to the last."
    if measure == "plain":
        note += " Biased upwards unless there are many more sentences than features: read the debiased one."
    if measure == "maxcorr":
        note += " Rows: the mean over their neurons of the largest |correlation| with a neuron of the column."
    if measure == "procrustes":
        note += " Above 0 for any two models, and higher with fewer sentences per feature."
    title = f"{TITLES[measure]} ({language.name}): {_finding(language, table)}"
    if by_chance is not None and measure != "debiased":
        title += f"; sentences paired at random give {_finding(language, by_chance)}"
    caption = Caption(f"{measure}-{language.name}", title, note, language.keys)
    value = Column("value", TITLES[measure], 2)
    marks = "chance" if chance is not None else None
    middles = [np.flatnonzero(language.owners == model) for model in range(len(titles))]
    headings = {names[places[len(places) // 2]]: title for places, title in zip(middles, titles, strict=True)}
    column = Column("across", "")
    return square_map(rows, column, "down", value, caption=caption, headings=headings, chance=marks)


def _finding(language: _Compared, table: FloatArray) -> str:
    same = language.owners[:, None] == language.owners[None]
    within, between = table[same & ~np.eye(len(table), dtype=bool)], table[~same]
    if len(language.titles) == 1:
        return f"{within.mean():.2f} between layers on average" if len(within) else "one layer only"
    inside = f"{within.mean():.2f} within models, " if len(within) else ""
    return f"{inside}{between.mean():.2f} between models"


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two models of a language: the mean of each measure over all pairs of their layers.

    `chances` is what chance gives a measure that has a null, and `told` the share of pairs of layers that are above
    it, None where the pairings are too few for a test.
    """

    language: str
    one: str
    other: str
    means: dict[str, float]
    chances: dict[str, float]
    told: dict[str, float | None]


def _pair_fields(measures: Sequence[str]) -> list[Field[_Pair]]:
    fields: list[Field[_Pair]] = [
        Field(Column("language", "Language"), lambda pair: pair.language),
        Field(Column("one", "Model"), lambda pair: pair.one),
        Field(Column("other", "Other model"), lambda pair: pair.other),
    ]
    for measure in measures:
        mean = Column(measure, TITLES[measure], 2, "", "mean over all pairs of layers")
        fields.append(Field(mean, partial(_mean_of, measure)))
        if measure != "plain":
            chance = Column(f"{measure}_chance", "By chance", 2, "", "mean of sentences paired at random")
            key = "told" if measure == "debiased" else f"{measure}_told"
            told = Column(key, "Pairs above chance", 0, "%", f"of {TITLES[measure]}, on every task")
            fields += [Field(chance, partial(_chance_of, measure)), Field(told, partial(_told_of, measure))]
    return fields


def _mean_of(measure: str, pair: _Pair) -> float:
    return pair.means[measure]


def _chance_of(measure: str, pair: _Pair) -> float | None:
    return pair.chances.get(measure)


def _told_of(measure: str, pair: _Pair) -> Cell:
    if measure not in pair.told:
        return None
    told = pair.told[measure]
    return Missing("too few pairings for a test") if told is None else told


def _pairs(found: ProbingFindings, language: _Compared) -> list[_Pair]:
    measures, pairs = found.config.similarity.measures, []
    unclear = {measure: language.chance(measure, found.config.level) for measure in measures}
    nulls = {name: null for name in measures if (null := language.by_chance(name)) is not None}
    for a, b in combinations(range(len(language.titles)), 2):
        block = np.ix_(language.owners == a, language.owners == b)
        means = {measure: float(language.mean(measure)[block].mean()) for measure in measures}
        chances = {name: float(null[block].mean()) for name, null in nulls.items()}
        told = {name: None if (one := unclear[name]) is None else float(1 - one[block].mean()) for name in nulls}
        pairs.append(_Pair(language.name, language.titles[a], language.titles[b], means, chances, told))
    return pairs


def _table(found: ProbingFindings, languages: list[_Compared]) -> Table:
    """Every pair of models: mean similarity of their layers, and how many pairs of layers are above chance."""
    every = [pair for language in languages for pair in _pairs(found, language)]
    measures = found.config.similarity.measures
    title = "These measures are above 0 for any two models: compare them with what chance gives"
    note = "The measure 'debiased', which is near 0 by chance, was not asked for. Plain CKA has no null here."
    if "debiased" in measures:
        title = _title(every)
        note = f"Permutation null: {found.config.similarity.n_permutations} random pairings of sentences; a pair "
        note += "of layers counts as above chance if it is so on every task, not adjusted over pairs; "
        note += f"{found.config.similarity.n_costly} pairings for maxcorr and Procrustes. All but debiased CKA are "
        note += "above 0 for any two models."
    keys = [key for language in languages for key in language.keys]
    return make_table(Heading("similarity", title, note, keys), _pair_fields(measures), every)


def _title(every: Sequence[_Pair]) -> str:
    """How alike models are by debiased CKA, and in how many pairs of layers that is more than chance."""
    values = [pair.means["debiased"] for pair in every]
    told = [above for pair in every if (above := pair.told.get("debiased")) is not None]
    span = f"{min(values):.2f}" if min(values) == max(values) else f"{min(values):.2f} to {max(values):.2f}"
    share = f"{100 * min(told):.0f} % of the pairs of layers" if told else "an unknown share of the pairs of layers"
    return f"Debiased CKA between models is {span}, above chance for at least {share}"
