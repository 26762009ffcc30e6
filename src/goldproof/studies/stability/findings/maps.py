"""Heat maps of categories: language by language, and seed by seed; what cannot be distinguished from chance is paler.

The same for models trained on their own data alone (Figures 1, 2 and 6 to 9) and with extra data (Figures 10 to 15).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from goldproof.judging.tags import UNTESTED, TagScore
from goldproof.report.charts import Caption, heat_map
from goldproof.report.summary import Cell, Column, Figure

MCC = Column("mcc", "MCC", 2)


def told(score: TagScore) -> bool:
    """Whether a category's score can be distinguished from chance."""
    return score.verdict in ("above chance", "below chance")


def tested(score: TagScore) -> bool:
    """Whether it was tested."""
    return score.verdict not in UNTESTED


def counted(scores: Sequence[TagScore]) -> tuple[int, int]:
    """How many can be distinguished from chance, of how many that were tested."""
    return sum(map(told, scores)), sum(map(tested, scores))


def language_map(scores: Mapping[str, Sequence[TagScore]], caption: Caption) -> Figure:
    """Category × language; the caption's title goes on with the counts."""
    rows: list[dict[str, Cell]] = [
        {"language": language, "category": score.tag, "mcc": score.estimate, "chance": not told(score)}
        for language, every in scores.items()
        for score in every
    ]
    n, of = counted([score for every in scores.values() for score in every])
    title = f"{caption.title}{n} of {of} category scores can be distinguished from chance"
    across, down = Column("language", "Language"), Column("category", "Category")
    return heat_map(rows, across, down, MCC, caption=replace(caption, title=title), chance="chance")


def seed_map(run_names: Sequence[str], cells: Sequence[Sequence[TagScore]], caption: Caption) -> Figure:
    """Category × seed of one language; the caption's title goes on with the counts."""
    rows: list[dict[str, Cell]] = [
        {"seed": name, "category": score.tag, "mcc": score.estimate.value, "chance": not told(score)}
        for name, scores in zip(run_names, cells, strict=True)
        for score in scores
    ]
    n, of = counted([score for scores in cells for score in scores])
    title = f"{caption.title}{n} of {of} category scores can be distinguished from chance"
    note = f"{caption.note} False discovery rate controlled over all cells of this map.".strip()
    across, down = Column("seed", "Seed"), Column("category", "Category")
    return heat_map(rows, across, down, MCC, caption=replace(caption, title=title, note=note), chance="chance")
