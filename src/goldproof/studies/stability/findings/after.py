"""How many categories are above chance after the added data: maps of every language (Figures 10 to 15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from goldproof.judging.tags import TagScore
from goldproof.report.charts import Caption
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.summary import Claim, Column, Item, Section, Table
from goldproof.studies.stability.findings.maps import language_map, seed_map, tested
from goldproof.studies.stability.plan import Condition
from goldproof.studies.stability.scores import StabilityFindings


def after_sections(found: StabilityFindings, languages: Sequence[str], amount: int) -> list[Section]:
    """The section of an amount of extra data; nothing where every run collapsed."""
    after = {name: Condition(name, amount) for name in languages}
    after = {name: each for name, each in after.items() if not found.scored[each].is_collapsed}
    if not after:
        return []
    keys = [key for each in after.values() for key in found.scored[each].keys]
    means = {name: found.judged(each)[0] for name, each in after.items()}
    caption = Caption("after-languages-map", f"With {amount:,} extra rows, ", "Means over seeds.", keys)
    items: list[Item] = [language_map(means, caption)]
    items += _first_seed(found, after, amount)
    for name, each in after.items():
        title = f"{name}: with one seed and {amount:,} extra rows, "
        names = found.scored[each].answers.run_names
        items.append(seed_map(names, found.judged(each)[1], Caption(f"after-seeds-{name}", title, "", keys)))
    return [
        Section("How many categories are now above chance?", [*items, _table(above(found, languages, amount), amount)])
    ]


def _first_seed(found: StabilityFindings, after: dict[str, Condition], amount: int) -> list[Item]:
    """The first seed alone, language by language, as in Figure 10."""
    seed = str(found.config.seeds[0])
    there = {name: each for name, each in after.items() if found.scored[each].answers.run_names[:1] == (seed,)}
    if len(there) < 2:
        return []
    title = f"With seed {seed} alone and {amount:,} extra rows, as in Figure 10, "
    keys = [key for each in there.values() for key in found.scored[each].keys]
    cells = {name: found.judged(each)[1][0] for name, each in there.items()}
    return [language_map(cells, Caption("after-languages-seed-map", title, "", keys))]


@dataclass(frozen=True, slots=True)
class AboveChance:
    """How many categories of a language are shown to be above and below chance, with extra data and without."""

    language: str
    tested: int
    above: int
    below: int
    tested_before: int
    above_before: int
    below_before: int


def above(found: StabilityFindings, languages: Sequence[str], amount: int) -> list[AboveChance]:
    """The counts of every language that has something to count."""
    return [
        AboveChance(name, *_counts(found.judged(Condition(name, amount))[0]), *_counts(found.categories[name]))
        for name in languages
        if not found.scored[Condition(name, amount)].is_collapsed
    ]


def _counts(scores: Sequence[TagScore]) -> tuple[int, int, int]:
    verdicts = [score.verdict for score in scores]
    return sum(map(tested, scores)), verdicts.count("above chance"), verdicts.count("below chance")


_FIELDS: tuple[Field[AboveChance], ...] = (
    Field(Column("language", "Language"), lambda row: row.language),
    Field(Column("above_before", "Above chance without"), lambda row: row.above_before),
    Field(Column("above", "Above chance with"), lambda row: row.above),
    Field(Column("below_before", "Below without"), lambda row: row.below_before),
    Field(Column("below", "Below with"), lambda row: row.below),
    Field(Column("tested", "Tested"), lambda row: row.tested),
)


def _table(every: Sequence[AboveChance], amount: int) -> Table:
    note = (
        "Means over seeds; false discovery rate controlled over a language's categories. The change itself is "
        "tested above."
    )
    return make_table(Heading("above-chance", _said(every, amount), note), _FIELDS, every)


def _said(every: Sequence[AboveChance], amount: int) -> str:
    now, of = sum(row.above for row in every), sum(row.tested for row in every)
    before, of_before = sum(row.above_before for row in every), sum(row.tested_before for row in every)
    return (
        f"With {amount:,} extra rows {now} of {of} category scores are shown to be above chance; without them, "
        f"{before} of {of_before}"
    )


def above_claims(found: StabilityFindings) -> list[Claim]:
    """The finding of the largest amount that all languages share; nothing without extra data."""
    amounts = {language: set(found.config.extra.amounts_for(language)) for language in found.base}
    amounts = {language: values for language, values in amounts.items() if values}
    common = set.intersection(*amounts.values()) if amounts else set()
    every = above(found, list(amounts), max(common)) if common else []
    if not every:
        return []
    standing = "shown" if any(row.above for row in every) else "not shown"
    return [Claim(f"{_said(every, max(common))}.", standing, place="above-chance")]  # type: ignore[arg-type]
