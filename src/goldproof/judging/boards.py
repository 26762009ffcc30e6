"""A board put together from Answers: which models answered which items of which tasks, with a score for each cell.

A cell that no answers hold stays empty: nothing is filled in. An answer that is there and missing is what `missing`
says. No ranking here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from goldproof.data.answers import Answers, Bounds
from goldproof.data.columns import MissingPolicy
from goldproof.errors import DataError, UsageError
from goldproof.judging.metrics import averaged, choose_metric_of, countable, is_attempts
from goldproof.statistics.arrays import Array, FloatArray, IntArray
from goldproof.statistics.board import Board
from goldproof.statistics.run_spread import with_runs

RANKED = ("accuracy", "score", "mark")
ONE_TASK = "all items"
TOLD_BY = ("auto", "sets", "tags")
WEIGHED = ("tasks", "categories", "items")


@dataclass(frozen=True, slots=True)
class BoardTask:
    """A task of a board: its name, and the category and language that it is of, where there are any."""

    name: str
    category: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class NamedBoard:
    """A board with its names: `runs` holds runs × items of each model (one row where runs are not judged).

    `items` is how many items of the board each model answered; `bounds` are the ends of the scores' scale.
    """

    models: tuple[str, ...]
    tasks: tuple[BoardTask, ...]
    board: Board = field(repr=False)
    runs: Sequence[FloatArray] = field(repr=False)
    metric: str
    bounds: Bounds
    again: str = ""

    @property
    def n_items(self) -> int:
        """How many items."""
        return int(self.board.scores.shape[1])

    @property
    def n_runs(self) -> list[int]:
        """How many runs each model has."""
        return [len(each) for each in self.runs]

    def in_order(self, order: Array) -> NamedBoard:
        """The same with the models in this order; some may be left out."""
        chosen = [int(model) for model in order]
        run_variance, measured = self.board.run_variance, self.board.run_measured
        board = replace(
            self.board,
            scores=self.board.scores[chosen],
            run_variance=None if run_variance is None else run_variance[chosen],
            run_measured=None if measured is None else measured[chosen],
        )
        return replace(
            self, models=tuple(self.models[i] for i in chosen), board=board, runs=[self.runs[i] for i in chosen]
        )

    def of_items(self, items: Array) -> NamedBoard:
        """The same with these items only (and the tasks that they are of), what runs add computed anew."""
        tasks, codes = np.unique(self.board.tasks[items], return_inverse=True)
        board = Board(
            self.board.scores[:, items],
            codes.astype(np.int64),
            self.board.weights[tasks],
            None if self.board.clusters is None else self.board.clusters[items],
        )
        runs = [each[:, items] for each in self.runs]
        return replace(self, tasks=tuple(self.tasks[i] for i in tasks), board=with_runs(board, runs), runs=runs)


@dataclass(frozen=True, slots=True)
class Assembling:
    """How a board is put together: the metric, what a missing answer means, the tasks' weights, and what is left out.

    `fixed` judges the systems as they are, so that several runs are only averaged. `by` says what a task is: "sets"
    (dataset, language, split), "tags" (the items' last tag, within each set), or "auto": tags where every item has one
    or two of which the last is part of the first. `weigh` says what counts the same: each of the "tasks", "categories"
    or "items"; `weights` multiplies that for single tasks or categories.
    """

    metric: str | None = None
    missing: MissingPolicy = "wrong"
    weights: Mapping[str, float] = field(default_factory=dict)
    weigh: str = "tasks"
    fixed: bool = False
    by: str = "auto"


def assemble(several: Sequence[Answers], how: Assembling) -> NamedBoard:
    """The board of these answers, a model and a set of items in each."""
    for name, value, allowed in (("tasks", how.by, TOLD_BY), ("weigh", how.weigh, WEIGHED)):
        if value not in allowed:
            raise UsageError(f"--{name} is one of {', '.join(allowed)}; got {value!r}")
    several = [_unweighted(each) for each in several]
    models = tuple(dict.fromkeys(each.where.get("model", "") for each in several))
    if len(models) < 2:
        held = f"{models[0]!r}" if models and models[0] else "answers of one unnamed model"
        raise UsageError(f"a ranking needs at least 2 models; got {held}; give a log for each, or a column 'model'")
    check_once(several)
    metric, bounds = _metric_of(several, how.metric), _bounds_of(several)
    sets = list(dict.fromkeys(_set_key(each) for each in several))
    parts = [_SetBoard(key, [each for each in several if _set_key(each) == key], models) for key in sets]
    tasks, codes = _tasks_of(parts, how.by)
    runs = _runs_of(parts, models, metric, how)
    scores = np.stack([_mean_over_runs(each) for each in runs])
    clusters = _clusters_of(parts)
    board = Board(scores, codes, _weights_of(tasks, np.bincount(codes), how), clusters)
    kinds = {each.run_kind for each in several if each.n_runs > 1 and each.run_kind != "repeat"}
    board = with_runs(board, runs)
    return NamedBoard(models, tasks, board, runs, metric, bounds, "" if how.fixed else "".join(sorted(kinds)[:1]))


def _unweighted(answers: Answers) -> Answers:
    if answers.weights is not None and np.ptp(answers.weights) > 0:
        raise UsageError(f"a ranking needs items of equal weight ({answers.name()}); give each the same weight")
    return answers


def _set_key(answers: Answers) -> tuple[tuple[str, str], ...]:
    return tuple((key, value) for key, value in sorted(answers.where.items()) if key != "model")


def check_once(several: Sequence[Answers]) -> None:
    """Refuse two answers of one model to one set (at one step): which of them is meant cannot be told."""
    seen: set[tuple[str, tuple[tuple[str, str], ...], int | None]] = set()
    for each in several:
        model, key = each.where.get("model", ""), _set_key(each)
        if (model, key, each.step) in seen:
            where = " ".join(value for _, value in key)
            what = f" to {where!r}" if where else ""
            raise DataError(
                f"two models are called {model!r}, or one has answers{what} twice; each model needs a name of its own, "
                "and several runs of one model a run number"
            )
        seen.add((model, key, each.step))


def _metric_of(several: Sequence[Answers], asked: str | None) -> str:
    metrics = {choose_metric_of(each, asked) for each in several}
    metric = sorted(metrics)[0]
    if len(metrics) > 1:
        raise DataError(f"a leaderboard has one metric; these answers have {', '.join(sorted(metrics))}")
    if metric not in RANKED and not is_attempts(metric):
        raise UsageError(
            f"the metric {metric!r} cannot be ranked, because it is not the mean of a score per item; allowed: "
            "accuracy, and of scores per item their mean, pass@K and pass^K"
        )
    return metric


def _bounds_of(several: Sequence[Answers]) -> Bounds:
    found = {each.bounds or Bounds() for each in several}
    if len(found) > 1:
        scales = {(each.low, each.high) for each in found}
        if len(scales) > 1:
            # Logs that do not tell their scale have one that holds what was seen, so that all share the widest.
            low, high = min(low for low, _ in scales), max(high for _, high in scales)
            found = {Bounds(low, high, more) for more in {each.more_is_better for each in found}}
    if len(found) > 1 or not next(iter(found)).more_is_better:
        raise UsageError("for these scores lower is better, but a ranking puts the highest first; give 1 − score")
    return next(iter(found))


class _SetBoard:
    """One set of items (dataset, language, split) over all models: the ids of all of them, and each model's columns."""

    def __init__(self, key: tuple[tuple[str, str], ...], answers: Sequence[Answers], models: tuple[str, ...]) -> None:
        self.where = dict(key)
        self.by_model = {each.where.get("model", ""): each for each in answers}
        first = answers[0]
        self.same = all(len(each.ids) == len(first.ids) and bool((each.ids == first.ids).all()) for each in answers)
        numbers: dict[str, int] = {}
        if self.same:
            numbers = {str(item): number for number, item in enumerate(first.ids)}
        else:
            for each in answers:
                for item in each.ids:
                    numbers.setdefault(str(item), len(numbers))
        self.ids = list(numbers)
        self.columns = {
            model: np.arange(len(self.ids))
            if self.same
            else np.array([numbers[str(item)] for item in each.ids], np.int64)
            for model, each in self.by_model.items()
        }

    def tags(self) -> list[tuple[str, ...]]:
        """The tags of each item, from the first answers that have it."""
        found: list[tuple[str, ...]] = [()] * len(self.ids)
        for model, answers in self.by_model.items():
            if answers.tags is not None:
                for column, tags in zip(self.columns[model], answers.tags, strict=True):
                    found[column] = found[column] or tags
            if all(found):
                break
        return found

    def clusters(self) -> IntArray | None:
        """A code for each item; items that go together in the answers of any model go together."""
        parts = {model: each.clusters for model, each in self.by_model.items() if each.clusters is not None}
        if not parts:
            return None
        first_model = next(iter(parts))
        codes = np.arange(len(self.ids))
        for model, clusters in parts.items():
            if self.same and model != first_model and np.array_equal(clusters, parts[first_model]):
                continue
            codes = _united(codes, self.columns[model], np.asarray(clusters))
        return codes


def _united(codes: IntArray, columns: IntArray, clusters: Array) -> IntArray:
    """Codes in which all columns of one cluster have one code."""
    codes = codes.copy()
    for cluster in np.unique(clusters):
        held = np.unique(codes[columns[clusters == cluster]])
        if len(held) > 1:
            codes[np.isin(codes, held)] = held[0]
    return codes


def _tasks_of(parts: Sequence[_SetBoard], by: str) -> tuple[tuple[BoardTask, ...], IntArray]:
    """The tasks, and the code of each item's."""
    tags = [part.tags() for part in parts]
    use_tags = by == "tags" or (by == "auto" and _are_nested([each for of_set in tags for each in of_set]))
    named: list[BoardTask] = []
    for part, of_set in zip(parts, tags, strict=True):
        where = [value for key, value in part.where.items() if key not in ("language", "category")]
        language = part.where.get("language", "")
        for item_tags in of_set:
            tag = item_tags[-1] if use_tags and item_tags else ""
            category = part.where.get("category", "") or (item_tags[0] if use_tags and len(item_tags) > 1 else "")
            name = " ".join(filter(None, (*where, tag, language))) or ONE_TASK
            named.append(BoardTask(name, category, language))
    tasks = tuple(dict.fromkeys(named))
    code = {task: number for number, task in enumerate(tasks)}
    return tasks, np.array([code[task] for task in named], np.int64)


def _are_nested(tags: Sequence[tuple[str, ...]]) -> bool:
    """Whether every item has one tag, or two of which the last is part of the first, so that the last are tasks."""
    if not tags or not all(1 <= len(each) <= 2 for each in tags):
        return False
    whole: dict[str, str] = {}
    return all(whole.setdefault(each[-1], each[0]) == each[0] for each in tags) and len(whole) <= len(tags) / 2


def _clusters_of(parts: Sequence[_SetBoard]) -> IntArray | None:
    """The clusters of all items; an item that is in several languages is one cluster with itself."""
    own = [part.clusters() for part in parts]
    bases = [tuple(sorted((k, v) for k, v in part.where.items() if k != "language")) for part in parts]
    if all(codes is None for codes in own) and len(set(bases)) == len(bases):
        return None
    labels: list[str] = []
    for base, part, codes in zip(bases, parts, own, strict=True):
        labels += [
            f"{base}\x00{part.ids[number] if codes is None else part.ids[int(codes[number])]}"
            for number in range(len(part.ids))
        ]
    return np.unique(np.array(labels, object), return_inverse=True)[1].astype(np.int64)


def _runs_of(parts: Sequence[_SetBoard], models: tuple[str, ...], metric: str, how: Assembling) -> list[FloatArray]:
    """Runs × items of each model; a model with fewer runs in one set has as many as that."""
    found = []
    for model in models:
        scored = [_item_scores(part.by_model[model], metric, how) if model in part.by_model else None for part in parts]
        n_runs = min((len(each) for each in scored if each is not None), default=1)
        blocks = []
        for part, each in zip(parts, scored, strict=True):
            block = np.full((n_runs, len(part.ids)), np.nan)
            if each is not None:
                block[:, part.columns[model]] = each[:n_runs]
            blocks.append(block)
        found.append(np.concatenate(blocks, axis=1))
    return found


def _item_scores(answers: Answers, metric: str, how: Assembling) -> FloatArray:
    """The score of each answer, not a number where there is none: runs × items, averaged where runs are not judged."""
    missing = answers.missing()
    if missing.any() and how.missing == "refuse":
        raise DataError(
            f"{int(missing.sum()):,} predictions are missing ({answers.name()}); --missing says what they mean"
        )
    if answers.task == "classification":
        scores = (answers.runs == answers.gold).astype(float)
    else:
        ready = countable(_filled(answers, missing) if is_attempts(metric) else answers, metric)
        scores, missing = np.asarray(ready.runs, float), np.isnan(ready.runs)
        scores = np.where(missing, answers.bounds.low if answers.bounds else 0.0, scores)
    scores = np.where(missing, 0.0 if answers.bounds is None else answers.bounds.low, scores)
    if how.missing == "leave-out":
        scores[:, missing.any(axis=0)] = np.nan
    together = how.fixed or (averaged(answers).n_runs < answers.n_runs)
    return scores.mean(axis=0)[None] if together else scores


def _filled(answers: Answers, missing: Array) -> Answers:
    low = answers.bounds.low if answers.bounds is not None else 0.0
    return replace(answers, runs=np.where(missing, low, answers.runs))


def _mean_over_runs(runs: FloatArray) -> FloatArray:
    return np.asarray(runs.mean(axis=0))


def _weights_of(tasks: Sequence[BoardTask], sizes: Array, how: Assembling) -> FloatArray:
    """The weight of each task."""
    given = how.weights
    known = {task.name for task in tasks} | {task.category for task in tasks if task.category}
    unknown = [name for name in given if name not in known]
    if unknown:
        raise UsageError(f"there is no task {unknown[0]!r} to weigh; tasks: {', '.join(sorted(known))}")
    several = Counter(task.category for task in tasks)
    share = {
        "tasks": np.ones(len(tasks)),
        "categories": np.array([1 / several[task.category] for task in tasks]),
        "items": np.asarray(sizes, float),
    }[how.weigh]
    factors = [given.get(task.name, given.get(task.category, 1.0)) for task in tasks]
    return np.asarray(share * np.array(factors, float))
