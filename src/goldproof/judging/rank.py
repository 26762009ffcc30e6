"""Rank: which places on a board are real? Each model's score and the places it may have, all statements together.

Two questions are kept apart: *these tasks*, where only the items are a sample, and *tasks like these*, where the tasks
are one too. The first says what the board's own order is worth; the second what may be said beyond it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from goldproof.data.answers import Answers
from goldproof.data.arrange import Arranging, read_answers
from goldproof.data.columns import MissingPolicy, resolve_missing
from goldproof.data.load import Source
from goldproof.data.predictions import Reading, RowIds
from goldproof.errors import DataError, UsageError
from goldproof.judging.boards import Assembling, NamedBoard, assemble, check_once
from goldproof.judging.checkpoints.agreement import last_steps
from goldproof.judging.metrics import is_of_numbers
from goldproof.judging.rank_plan import Separation, plan_of
from goldproof.judging.score import Settings
from goldproof.measures.measurement import Measurement, measurement_table
from goldproof.statistics.arrays import FloatArray, IntArray
from goldproof.statistics.board import LEAST_OVERLAP, Board, PairReader, Pairs
from goldproof.statistics.clusters import t_tail
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import wilson_bounds
from goldproof.statistics.orders import (
    AGGREGATES,
    AggregateName,
    Groups,
    OrderAgreement,
    aggregate_values,
    agreement_of,
    groups_of,
    item_wins,
    pairs_of_points,
    places_of,
    task_points,
)
from goldproof.statistics.ranking import DRAWS, FEWEST_TASKS, Ranking, rank_by_task, rank_pairs, read_pairs

if TYPE_CHECKING:
    import pyarrow as pa

    from goldproof.report.summary import Report


@dataclass(frozen=True, slots=True)
class RankSettings:
    """How a board is ranked, beside `Settings`: the tasks' weights, and the difference that a plan is made for.

    `weigh` says what counts the same: each of the "tasks", "categories" or "items"; `weights` are factors for some.
    `tasks` says what a task is: "sets", "tags" or "auto". `complete` keeps the models that answered every item.
    `category` and `language` keep the tasks of one. `margin` is a share of the scores' range.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    weigh: str = "tasks"
    tasks: str = "auto"
    complete: bool = False
    category: str | None = None
    language: str | None = None
    margin: float = 0.02
    draws: int = DRAWS

    def __post_init__(self) -> None:
        """Refuse what makes no sense, with the option's name."""
        if not 0 < self.margin < 1:
            raise UsageError(f"--margin must be above 0 and below 100 points; got {100 * self.margin:g}")
        if self.draws < 100:
            raise UsageError(f"--draws must be at least 100; got {self.draws}")


@dataclass(frozen=True, slots=True)
class Aggregated:
    """One way to put tasks together: each model's value and place, and its rank sets over tasks like these.

    `agreement` is with the board's own order, the mean over tasks; `shown_reversed` counts pairs that stand the other
    way round there and are shown here.
    """

    name: AggregateName
    values: FloatArray
    places: IntArray
    ranking: Ranking | None
    agreement: OrderAgreement
    shown_reversed: int = 0


@dataclass(frozen=True, slots=True)
class BoardPart:
    """A category or language of the board by itself: its kind and name, its board in its own order, its rankings."""

    kind: str
    name: str
    cells: NamedBoard = field(repr=False)
    scores: Sequence[Estimate]
    rankings: Sequence[Ranking]


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A model that answered too little of a board to have a place: the share of it, and its score on that."""

    model: str
    answered: float
    score: float


@dataclass(frozen=True, slots=True, repr=False)
class Leaderboard:
    """A board with what its order is worth; models stand in the order of their scores.

    `rankings` has a ranking for each question that can be asked of the board, the first of which is what the board is
    read by; `unasked` says why the other cannot be. `answered` is the share of the board that each model answered;
    `unplaced` are models that answered too little of it to have a place; `caution` says what was not the same for all.
    """

    cells: NamedBoard
    scores: Sequence[Estimate]
    answered: FloatArray
    rankings: Sequence[Ranking]
    groups: Sequence[Groups]
    aggregates: Sequence[Aggregated]
    parts: Sequence[BoardPart]
    plan: Separation
    notes: Sequence[str]
    unasked: str = ""
    settings: RankSettings = field(default_factory=RankSettings)
    unplaced: Sequence[Unplaced] = ()
    caution: str = ""

    @property
    def models(self) -> tuple[str, ...]:
        """The models' names, in the order of their scores."""
        return self.cells.models

    @property
    def first(self) -> list[str]:
        """The models that may be first, by the ranking that the board is read by."""
        return [name for name, may in zip(self.models, self.rankings[0].may_be_first, strict=True) if may]

    def neighbours_shown(self, which: int = 0) -> int:
        """How many models are shown to be better than the next."""
        better = self.rankings[which].better
        return int(sum(better[i, i + 1] for i in range(len(self.models) - 1)))

    def to_arrow(self) -> pa.Table:
        """Each model's score as an Arrow table."""
        rows = [
            Measurement(self.cells.metric, estimate, {"model": name})
            for name, estimate in zip(self.models, self.scores, strict=True)
        ]
        return measurement_table(rows)

    def to_pandas(self) -> Any:
        """Each model's score, and the places it may have under each question, as a pandas data frame."""
        frame = self.to_arrow().to_pandas()
        for ranking in self.rankings:
            frame[f"first place ({ranking.question})"] = ranking.low
            frame[f"last place ({ranking.question})"] = ranking.high
        return frame

    def report(self) -> Report:
        """The report, for rendering."""
        from goldproof.judging.rank_report import rank_report

        return rank_report(self)

    def __repr__(self) -> str:
        """Who may be first."""
        from goldproof.judging.rank_words import headline

        return headline(self)

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()


def rank(
    source: Source,
    *,
    columns: Mapping[str, str] | None = None,
    settings: Settings | None = None,
    ranking: RankSettings | None = None,
) -> Leaderboard:
    """Rank the models of logs, of files of predictions, of a table of scores, or of Answers."""
    settings, ranking = settings or Settings(), ranking or RankSettings()
    read = _read(source, columns, settings)
    fixed = settings.seed_sd == 0
    how = Assembling(settings.metric, read.missing, ranking.weights, ranking.weigh, fixed, ranking.tasks)
    cells, notes = _chosen(assemble(read.answers, how), settings, ranking)
    return replace(judge_board(cells, settings, ranking, [*read.notes, *notes]), caution=read.caution)


@dataclass(frozen=True, slots=True)
class _Read:
    answers: Sequence[Answers]
    missing: MissingPolicy
    notes: Sequence[str]
    caution: str = ""


def _read(source: Source, columns: Mapping[str, str] | None, settings: Settings) -> _Read:
    from goldproof.judging.logs import logs_among, read_for_ranking, with_columns

    if logs := logs_among(source, columns):
        found = read_for_ranking(logs, with_columns(settings, columns))
        return _Read([log.answers for log in found.logs], found.missing, found.notes, found.caution)
    row_ids: RowIds = "always" if settings.by_row else "never"
    reading = Reading(columns or {}, missing=settings.missing, row_ids=row_ids, numbers=is_of_numbers(settings.metric))
    found_answers = read_answers(source, reading, Arranging(settings.cluster, True, settings.by_row))
    check_once(found_answers.answers)
    answers = last_steps(found_answers.answers)
    missing = resolve_missing("score", settings.missing) if answers[0].task == "score" else found_answers.missing
    return _Read(answers, missing, found_answers.notes)


def _chosen(cells: NamedBoard, settings: Settings, ranking: RankSettings) -> tuple[NamedBoard, list[str]]:
    """The board without the tasks, items and models that were not asked for, and what is to be said of it."""
    notes: list[str] = []
    for kind in ("category", "language"):
        wanted = getattr(ranking, kind)
        if wanted is not None:
            known = sorted({getattr(task, kind) for task in cells.tasks} - {""})
            if wanted not in known:
                raise UsageError(f"there is no {kind} {wanted!r}; the leaderboard has {', '.join(known) or 'none'}")
            kept = [code for code, task in enumerate(cells.tasks) if getattr(task, kind) == wanted]
            cells = cells.of_items(np.flatnonzero(np.isin(cells.board.tasks, kept)))
    missing = np.isnan(cells.board.scores)
    if ranking.complete and missing.any():
        whole = np.flatnonzero(~missing.any(axis=1))
        if len(whole) < 2:
            raise DataError(f"{len(whole)} of {len(missing)} models answered every item; a ranking needs at least 2")
        notes.append(f"{len(whole)} of {len(missing)} models answered every item; the others are left out, as asked.")
        cells = cells.in_order(whole)
    elif settings.common and missing.any():
        items = np.flatnonzero(~missing.any(axis=0))
        if not len(items):
            raise DataError(f"no item was answered by all {len(missing)} models; --complete leaves out models instead")
        notes.append(
            f"{len(items):,} of {missing.shape[1]:,} items were answered by all models; the others are left out."
        )
        cells = cells.of_items(items)
    return cells, notes


def _placed(cells: NamedBoard) -> tuple[NamedBoard, list[Unplaced]]:
    """The board of the models that answered enough of it to be compared with any other, and those that did not."""
    shares = cells.board.shares_answered()
    enough = shares >= LEAST_OVERLAP - 1e-12
    if enough.all() or enough.sum() < 2:
        return cells, []
    totals = cells.board.totals()
    out = [Unplaced(cells.models[i], float(shares[i]), float(totals[i])) for i in np.flatnonzero(~enough)]
    return cells.in_order(np.flatnonzero(enough)), out


def judge_board(cells: NamedBoard, settings: Settings, ranking: RankSettings, notes: Sequence[str] = ()) -> Leaderboard:
    """Everything that is said of a board."""
    cells, unplaced = _placed(cells)
    cells = cells.in_order(np.argsort(-cells.board.totals(), kind="stable"))
    reader, pairs = PairReader(cells.board), read_pairs(cells.board)
    _check_comparable(cells, pairs)
    rankings, unasked = _rankings(reader, pairs, settings, ranking)
    groups = [groups_of(each.better) for each in rankings]
    of_tasks = next((each for each in rankings if each.question == "tasks like these"), None)
    aggregates = [] if of_tasks is None else _aggregates(cells.board, pairs, of_tasks, settings, ranking)
    parts = _parts(cells, settings, ranking)
    plan = plan_of(cells, pairs, rankings, ranking.margin)
    return Leaderboard(
        cells,
        scores_of(cells, settings.level),
        cells.board.shares_answered(),
        rankings,
        groups,
        aggregates,
        parts,
        plan,
        [*dict.fromkeys(notes), *_limits(cells, pairs, rankings)],
        unasked,
        ranking,
        unplaced,
    )


def _check_comparable(cells: NamedBoard, pairs: Pairs) -> None:
    if pairs.comparable.any():
        return
    best = int(np.argmax(pairs.overlap))
    a, b = cells.models[pairs.first[best]], cells.models[pairs.second[best]]
    raise DataError(
        "no two models share enough of the leaderboard to be compared: both must have answered at least "
        f"{LEAST_OVERLAP:.0%} of its items; the most here is {pairs.overlap[best]:.0%} ({a!r} and {b!r}). Give "
        "answers to the same items, or rank on the items they all share (--common)"
    )


def _rankings(reader: PairReader, pairs: Pairs, settings: Settings, ranking: RankSettings) -> tuple[list[Ranking], str]:
    """The questions that can be asked of this board, and why the other cannot."""
    board, level = reader.board, settings.look_level
    sizes = np.bincount(board.tasks)
    found = []
    if sizes.max() > 1:
        found.append(rank_pairs(reader, pairs, np.random.default_rng(settings.seed), level, ranking.draws))
    if board.n_tasks > 1:
        found.append(rank_by_task(pairs, np.random.default_rng(settings.seed), level, ranking.draws))
    if not found:
        raise DataError("the leaderboard has one item; nothing can be said about the order")
    if board.n_tasks == 1:
        return found, "There is only one task, so nothing can be said about other tasks like it."
    if sizes.max() == 1:
        return found, (
            "There is one score per task, so its variation over items is unknown: only the question about tasks like "
            "these can be answered."
        )
    return found, ""


def scores_of(cells: NamedBoard, level: float) -> list[Estimate]:
    """The score of each model with its interval, each by itself: Wilson's at the effective number of items."""
    board = cells.board
    own, totals = PairReader(board).own(), board.totals()
    low, width = cells.bounds.low, cells.bounds.high - cells.bounds.low
    counts = (~np.isnan(board.scores)).sum(axis=1)
    n_clusters = own.influence.shape[1]
    runs = "" if board.run_variance is None else ", and runs"
    clustered = "" if board.clusters is None else f", {n_clusters} clusters"
    tasks = f" by task ({board.n_tasks})" if board.n_tasks > 1 else ""
    found = []
    for total, variance, df, n in zip(totals, own.variance, own.df, counts, strict=True):
        share = (float(total) - low) / width
        if n_clusters < 2:
            found.append(Estimate(float(total), math.nan, math.nan, "no interval: one item or cluster", int(n), level))
            continue
        inside = 0 < share < 1 and variance > 1e-15
        effective = share * (1 - share) / (float(variance) / width**2) if inside else float(n_clusters)
        ends = wilson_bounds(share, effective, t_tail(1 - level, float(df) if inside else math.inf))
        method = f"Wilson, effective n {effective:.0f}; items{tasks}{runs}{clustered}"
        found.append(Estimate(float(total), low + width * ends[0], low + width * ends[1], method, int(n), level))
    return found


def _aggregates(
    board: Board, pairs: Pairs, of_tasks: Ranking, settings: Settings, ranking: RankSettings
) -> list[Aggregated]:
    """The board put together in each of the ways that boards use; by the mean over tasks it is ranked already."""
    task_scores, weights = board.task_scores(), board.weights
    own = places_of(board.totals())
    judged_by: dict[bytes, Ranking] = {}
    found = []
    for name in AGGREGATES:
        values = aggregate_values(board, name)
        places = places_of(values, less_is_better=name == "mean rank")
        if name == "item wins":
            points = replace(board, scores=item_wins(board.scores)).task_scores()
        else:
            points = task_points(task_scores, name)
        of_points = pairs_of_points(pairs, points, weights)
        key = _direction(of_points.by_task)
        if name == "mean over tasks":
            judged_by[key] = of_tasks
        if key not in judged_by:  # points that are a straight line in others give the same statistics
            drawn = np.random.default_rng(settings.seed)
            judged_by[key] = rank_by_task(of_points, drawn, settings.look_level, ranking.draws)
        judged = judged_by[key]
        reversed_here = judged.better & (own[:, None] > own[None, :])
        found.append(Aggregated(name, values, places, judged, agreement_of(own, places), int(reversed_here.sum())))
    return found


def _direction(by_task: FloatArray) -> bytes:
    """What flips of tasks are distinguished by: the differences up to one factor."""
    return np.asarray(np.round(by_task / max(float(np.abs(by_task).max()), 1e-300), 9) + 0.0).tobytes()


def _parts(cells: NamedBoard, settings: Settings, ranking: RankSettings) -> list[BoardPart]:
    """Each category and each language by itself, where there are several."""
    found = []
    for kind in ("category", "language"):
        names = list(dict.fromkeys(getattr(task, kind) for task in cells.tasks if getattr(task, kind)))
        for name in names if len(names) > 1 else ():
            kept = [code for code, task in enumerate(cells.tasks) if getattr(task, kind) == name]
            part = cells.of_items(np.flatnonzero(np.isin(cells.board.tasks, kept)))
            part, _ = _placed(part)
            part = part.in_order(np.argsort(-part.board.totals(), kind="stable"))
            reader, pairs = PairReader(part.board), read_pairs(part.board)
            if pairs.comparable.any() and part.n_items > 1:
                rankings, _ = _rankings(reader, pairs, settings, ranking)
                found.append(BoardPart(kind, name, part, scores_of(part, settings.level), rankings))
    return found


def _limits(cells: NamedBoard, pairs: Pairs, rankings: Sequence[Ranking]) -> list[str]:
    """What the ranking rests on that a reader should know."""
    notes = []
    apart = int((~pairs.comparable).sum())
    if apart:
        notes.append(
            f"{apart:,} of {len(pairs.overlap):,} pairs are not comparable: both models answered less than "
            f"{LEAST_OVERLAP:.0%} of the leaderboard. Nothing was filled in; a model with few comparable rivals has "
            "a wide range of places."
        )
    some = int((pairs.comparable & (pairs.overlap < 1 - 1e-9)).sum())
    if some:
        notes.append(f"{some:,} pairs are judged on the items that both answered, task by task.")
    if any(each.question == "tasks like these" for each in rankings):
        n_tasks = cells.board.n_tasks
        if n_tasks < FEWEST_TASKS:
            notes.append(
                f"With {n_tasks} tasks, no models can be distinguished over tasks like these: that takes at least "
                f"{FEWEST_TASKS}."
            )
        notes.append(
            "For tasks like these, the test flips the signs of whole tasks: if two models are equal, either is as "
            "likely to be ahead by the same amount on a task."
        )
        if cells.again:
            notes.append(
                "For tasks like these, the runs are taken as given; for these tasks, the intervals allow for other "
                "runs."
            )
    if any(np.diff([cells.board.totals().max(), cells.board.totals().min()]) == 0):
        notes.append("All models have the same score.")
    if len({*cells.n_runs}) > 1 and cells.again:
        notes.append(
            "Models have different numbers of runs; a single run is assumed to vary as those of the others do."
        )
    return notes
