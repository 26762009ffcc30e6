"""Whether extra data steadies the categories: the change of their mean deviation over seeds, tested by language."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.summary import Column, Missing, Table
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.multiplicity import holm
from goldproof.statistics.stability import deviation_change
from goldproof.studies.stability.plan import Condition
from goldproof.studies.stability.scores import StabilityFindings, constant_categories


def standing_of(change: Estimate, adjusted: float | None, level: float = 0.95) -> Literal["shown", "undecided"]:
    """Whether a change is shown: its interval leaves out 0, and so does p, adjusted over what is said beside it."""
    clear = change.low > 0 or change.high < 0
    return "shown" if clear and adjusted is not None and adjusted < 1 - level else "undecided"


@dataclass(frozen=True, slots=True)
class Steadiness:
    """Whether the categories of a language move less with the seed: the change of their mean deviation, tested."""

    language: str
    change: Estimate
    adjusted: float | None
    n: int

    def is_shown(self, level: float = 0.95) -> bool:
        """Whether a change is shown."""
        return standing_of(self.change, self.adjusted, level) == "shown"


def steadiness(found: StabilityFindings, languages: Sequence[str], amount: int) -> list[Steadiness]:
    """Each language's change of the mean deviation, over the categories that no run answers alike (Holm over them)."""
    every = []
    for language in languages:
        base, more = found.base[language], found.scored[Condition(language, amount)]
        constant = constant_categories(more) | constant_categories(base)
        kept = [place for place, name in enumerate(base.categories) if name not in constant]
        if len(kept) < 2 or min(base.n_runs, more.n_runs) < 2:
            continue
        tested = deviation_change(more.table[kept], base.table[kept], found.config.level)
        every.append((language, tested, len(kept)))
    known = [place for place, (_, tested, _) in enumerate(every) if math.isfinite(tested.p_value)]
    adjusted = dict(zip(known, holm(np.array([every[place][1].p_value for place in known])), strict=True))
    return [
        Steadiness(language, tested.change, float(adjusted[place]) if place in adjusted else None, n)
        for place, (language, tested, n) in enumerate(every)
    ]


def steadiness_title(every: Sequence[Steadiness], amount: int) -> str:
    """In how many languages the deviation is shown to fall or rise."""
    if not every or all(each.adjusted is None for each in every):
        return f"Standard deviation over seeds with {amount:,} extra rows: too few seeds to test whether it changes"
    falls = sum(each.is_shown() and each.change.value < 0 for each in every)
    rises = sum(each.is_shown() and each.change.value > 0 for each in every)
    more = f" and to rise in {rises}" if rises else ""
    n = len(every)
    where = f"{falls} of {n} languages" if n > 1 else every[0].language if falls else "no language"
    return f"With {amount:,} extra rows the standard deviation over seeds is shown to fall in {where}{more}"


_STEADINESS_FIELDS: tuple[Field[Steadiness], ...] = (
    Field(Column("language", "Language"), lambda row: row.language),
    Field(
        Column("change", "Change in mean deviation", 3, "", "below 0: seeds differ less; interval over seeds"),
        lambda row: row.change,
    ),
    Field(
        Column("p", "p", 3, "p-value", "two-sided, adjusted over the languages (Holm)"),
        lambda row: Missing(row.change.method) if row.adjusted is None else row.adjusted,
    ),
    Field(Column("n", "Categories", note="categories in which no run gives one answer to all rows"), lambda row: row.n),
)


def steadiness_table(every: Sequence[Steadiness]) -> Table:
    """The change of each language with its interval and p."""
    shown = sum(each.is_shown() for each in every)
    title = f"The mean standard deviation over seeds is shown to change in {shown} of {len(every)} languages"
    return make_table(Heading("steadiness", title), _STEADINESS_FIELDS, every)
