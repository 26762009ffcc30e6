"""What would tell the first two of a board apart: items, tasks or runs, planned for a difference that somebody stated.

A plan holds within the board: the pair is judged as one of all pairs, so that it needs more than it would alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from goldproof.judging.boards import NamedBoard
from goldproof.statistics.board import Pairs
from goldproof.statistics.comparison import Comparison
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.planning import Needed, needed, smallest_difference
from goldproof.statistics.power import detectable_difference
from goldproof.statistics.ranking import Ranking
from goldproof.statistics.runs import MeanVariance, RunPart

MOST_TASKS = 10_000
POWER = 0.8


@dataclass(frozen=True, slots=True)
class Separation:
    """Of the first two models: their difference, whether it is shown, and what would show one of `margin`.

    `margin` is on the scale of the scores. `items` and `runs` are for these tasks, `tasks` is for tasks like these:
    how many more; None where no number would do, or the question cannot be asked. `detectable` is the smallest
    difference of these two that the board would show with 80 % power, as it is.
    """

    first: str
    second: str
    difference: Estimate
    is_comparable: bool
    shown: bool
    margin: float
    more: Needed | None = None
    tasks: int | None = None
    detectable: float = math.nan


def plan_of(cells: NamedBoard, pairs: Pairs, rankings: Sequence[Ranking], margin: float) -> Separation:
    """The plan for the first two models of a board, whose models stand in their order."""
    width = cells.bounds.high - cells.bounds.low
    margin = margin * width
    at = int(np.flatnonzero((pairs.first == 0) & (pairs.second == 1))[0])
    main = rankings[0]
    n = int((~np.isnan(cells.board.scores[:2])).all(axis=0).sum())
    value = float(pairs.difference[at])
    comparable, shown = bool(pairs.comparable[at]), bool(main.better[0, 1] or main.better[1, 0])
    nothing = Estimate(value, math.nan, math.nan, "no interval: not comparable", n, main.level)
    if not comparable:
        return Separation(cells.models[0], cells.models[1], nothing, comparable, shown, margin)
    by_question = {ranking.question: ranking for ranking in rankings}
    more, detectable, interval = None, math.nan, nothing
    if (ranking := by_question.get("these tasks")) is not None and pairs.variance[at] > 0:
        result = _comparison(cells, pairs, at, ranking.critical, width)
        interval, detectable = result.difference, smallest_difference(result)
        if not shown:
            more = needed(result, margin, min(cells.n_runs[:2]))
    tasks = None
    if (ranking := by_question.get("tasks like these")) is not None:
        tasks = _more_tasks(pairs.by_task[at] * cells.board.n_tasks, ranking.critical, margin)
        if "these tasks" not in by_question:
            interval = Estimate(value, math.nan, math.nan, "no interval: sign flips of tasks", n, main.level)
    return Separation(cells.models[0], cells.models[1], interval, comparable, shown, margin, more, tasks, detectable)


def _comparison(cells: NamedBoard, pairs: Pairs, at: int, critical: float, width: float) -> Comparison:
    """The pair as a comparison at the level at which it is judged among all pairs."""
    alone = 1 - 2 * float(special.ndtr(-critical))
    board = cells.board
    runs: tuple[RunPart, ...] = ()
    item_variance = float(pairs.variance[at])
    if board.run_variance is not None and board.run_variance[:2].any():
        runs = tuple(RunPart(float(each), 0.0, board.run_df / 2 + 1) for each in board.run_variance[:2])
        item_variance -= sum(part.variance for part in runs)
    df = float(pairs.df[at])
    variance = MeanVariance(runs, max(item_variance, 0.0), df, "items")
    error = math.sqrt(float(pairs.variance[at]))
    value = float(pairs.difference[at])
    reach = -float(special.stdtrit(df, (1 - alone) / 2)) * error
    n = int((~np.isnan(board.scores[:2])).all(axis=0).sum())
    method = f"max-T over {len(pairs.first)} pairs"
    difference = Estimate(value, value - reach, value + reach, method, n, alone)
    return Comparison(difference, math.nan, error, df, variance=variance, limit=width)


def _more_tasks(by_task: np.ndarray, critical: float, margin: float) -> int | None:
    """How many more tasks would show a difference of the margin, judged as one of all pairs.

    The flips' critical value c of Σd/√Σd² is a t of c·√((T − 1)/(T − c²)), whose level the plan keeps.
    """
    n = len(by_task)
    spread = float(np.std(by_task, ddof=1))
    if spread <= 0:
        return None
    t = critical * math.sqrt((n - 1) / max(n - critical**2, 1e-9)) if critical**2 < n else math.inf
    level = 1 - 2 * float(special.stdtr(n - 1, -t)) if math.isfinite(t) else 1 - 2.0 ** (1 - n) / 10
    level = min(level, 1 - 1e-9)
    low, high = n, MOST_TASKS
    if detectable_difference(spread / math.sqrt(high), high - 1, level, POWER) > margin:
        return None
    if detectable_difference(spread / math.sqrt(n), n - 1, level, POWER) <= margin:
        return 0
    while high - low > 1:
        middle = (low + high) // 2
        found = detectable_difference(spread / math.sqrt(middle), middle - 1, level, POWER)
        low, high = (low, middle) if found <= margin else (middle, high)
    return high - n
