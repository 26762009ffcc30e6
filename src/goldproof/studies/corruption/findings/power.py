"""How many seeds the control takes: in which cells a class that costs more than random words would show, planned.

A plan is made for a difference that matters, the study's margin, never for the one that was found. It is that of the
cells' own test: adjusted for the first cell of Holm's order, with a power of 80 %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.summary import Column, Item, Missing
from goldproof.statistics.comparison import Comparison
from goldproof.statistics.planning import needed, smallest_difference
from goldproof.studies.corruption.findings.cells import SETTING_TITLES, Found, training_keys
from goldproof.studies.corruption.scores import Judged
from goldproof.studies.corruption.settings import Config

MOST_SEEDS = 100
NO_SEEDS = Missing("no number of runs up to 100 would be enough with these test items")


@dataclass(frozen=True, slots=True)
class CellPower:
    """What a cell's comparison with its control can show: the smallest difference, and how many seeds in all would show
    one of the margin; None where up to 100 would not, or where the seeds there are tell too little.
    """

    smallest: float
    n_seeds: int | None


@dataclass(frozen=True, slots=True)
class SettingPower:
    """The cells of a task in one setting: how many there are and how many seeds, in how many a difference of the margin
    would show, and how many seeds it takes in the cell that takes most, of those in which seeds can do it.
    """

    task: str
    setting: str
    n_seeds: int
    n_cells: int
    n_shown: int
    seeds: int | None
    n_never: int
    median: float


def cell_power(comparison: Comparison, margin: float, n_seeds: int, n_cells: int) -> CellPower:
    """What one comparison can show, and what it would take.

    >>> from goldproof.statistics.estimate import Estimate
    >>> found = Comparison(Estimate(0.01, -0.01, 0.03, "t", 400), 0.3, 0.01, math.inf, limit=1.0)
    >>> round(cell_power(found, 0.05, 5, 24).smallest, 3), cell_power(found, 0.05, 5, 24).n_seeds
    (0.039, 5)
    """
    level = 1 - (1 - comparison.difference.level) / n_cells
    strict = replace(comparison, difference=replace(comparison.difference, level=level))
    smallest = smallest_difference(strict)
    if not math.isfinite(strict.standard_error) or smallest <= margin:
        return CellPower(smallest, n_seeds if smallest <= margin else None)
    if n_seeds < 2:
        return CellPower(smallest, None)
    more = needed(strict, margin, n_seeds).runs
    total = None if more is None else n_seeds + more
    return CellPower(smallest, total if total is not None and total <= MOST_SEEDS else None)


def power_items(config: Config, found: Sequence[Found]) -> list[Item]:
    """The plan as a table; nothing without a control."""
    rows = [row for one in found for setting in config.settings if (row := _of_setting(config, one, setting))]
    if not rows:
        return []
    shown, cells = sum(row.n_shown for row in rows), sum(row.n_cells for row in rows)
    margin = f"{100 * config.margin:g} points"
    title = (
        f"A class that costs {margin} more than the same number of random words would show in {shown} of {cells} cells"
    )
    note = (
        "80 % power, adjusted for the cells of a task. The number of runs is planned from a cautious (high) estimate "
        "of how much runs differ; collapsed runs are not used."
    )
    return [make_table(Heading("power", title, note, training_keys(found)), _FIELDS, rows)]


def _of_setting(config: Config, one: Found, setting: str) -> SettingPower | None:
    tested = [
        each for each in one.judged if each.control is not None and each.verdict not in ("collapsed", "no baseline")
    ]
    own = [each for each in tested if each.cell.setting == setting]
    if not own:
        return None
    n_seeds = one.runs.original.n_runs
    plans = [_plan(config, each, n_seeds, len(one.judged)) for each in own]
    enough = [plan.n_seeds for plan in plans if plan.n_seeds is not None]
    finite = sorted(plan.smallest for plan in plans)
    return SettingPower(
        one.runs.task.title,
        setting,
        n_seeds,
        len(own),
        sum(plan.smallest <= config.margin for plan in plans),
        max(enough) if enough else None,
        len(plans) - len(enough),
        finite[len(finite) // 2],
    )


def _plan(config: Config, each: Judged, n_seeds: int, n_cells: int) -> CellPower:
    assert each.control is not None
    return cell_power(each.control.beyond, config.margin, n_seeds, n_cells)


_FIELDS: tuple[Field[SettingPower], ...] = (
    Field(Column("task", "Task"), lambda row: row.task),
    Field(Column("setting", "Corrupted"), lambda row: SETTING_TITLES[row.setting]),
    Field(Column("seeds", "Runs"), lambda row: row.n_seeds),
    Field(Column("cells", "Cells"), lambda row: row.n_cells),
    Field(
        Column("shown", "Would show", note="cells in which a difference of the margin would show"),
        lambda row: row.n_shown,
    ),
    Field(
        Column("smallest", "Smallest that would show", 1, "points", "median over the cells"),
        lambda row: row.median if math.isfinite(row.median) else Missing("no possible difference would"),
    ),
    Field(
        Column("needed", "Runs needed", note=("in the cell that needs the most, among those that more runs can help")),
        lambda row: NO_SEEDS if row.seeds is None else row.seeds,
    ),
    Field(Column("never", "Cells that more runs cannot help", note=NO_SEEDS.reason), lambda row: row.n_never),
)
