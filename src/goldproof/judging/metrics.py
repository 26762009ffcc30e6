"""Which scores answers can have, and each as a statistics.Metric over their runs × items, whatever the task.

Answers that have a score by themselves have its mean: `score` where it lies from 0 to 1, `mark` where it does not; and
where the same system was asked several times, `pass@K` and `pass^K`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from goldproof.data.answers import Answers, span_answers
from goldproof.errors import UsageError
from goldproof.judging.missing import NO_ANSWER
from goldproof.statistics.added_metrics import PLUGINS, find_added_metric
from goldproof.statistics.arrays import Array
from goldproof.statistics.attempts import AttemptKind, attempts_of
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import mean_interval
from goldproof.statistics.item_scores import item_scores_interval, mean_metric
from goldproof.statistics.metrics import Items, Metric, metric, span_f1_metric, spearman
from goldproof.statistics.ranks import spearman_runs_interval
from goldproof.statistics.runs import runs_interval
from goldproof.statistics.spans import span_counts

OF_QUESTIONS = ("answer_f1", "exact_match")
"""Scores of answers to questions, which each item has by itself."""
BY_TASK = {
    "classification": ("accuracy", "mcc", "macro_f1"),
    "regression": ("pearson", "spearman"),
    "tagging": ("span_f1",),
    "spans": ("span_f1",),
    "score": ("score", "mark"),
}
SHARES = ("accuracy", "macro_f1", "span_f1", "score", *OF_QUESTIONS)
NAMES = {
    "accuracy": "Accuracy",
    "mcc": "MCC",
    "macro_f1": "Macro F1",
    "pearson": "Pearson",
    "spearman": "Spearman",
    "span_f1": "Span F1",
    "score": "Mean score",
    "mark": "Mean mark",
    "answer_f1": "F1",
    "exact_match": "Exact match",
}
_ATTEMPTS = re.compile(r"pass([@^])([1-9]\d*)")
_MEAN_OF_REPEATS = re.compile(r"avg@[1-9]\d*")


def choose_metric_of(answers: Answers, name: str | None) -> str:
    """The metric asked for, or the first that these answers have; an error names those that they have."""
    if answers.task != "score":
        return choose_metric(answers.task, name)
    own = "score" if _is_share_scale(answers) else "mark"
    if name in (None, own):
        return own
    asked_again = answers.run_kind == "repeat"
    asked = _ATTEMPTS.fullmatch(name or "")
    if asked and asked_again and int(asked[2]) <= answers.n_runs and is_right_or_wrong(answers):
        return asked[0]
    if name == f"avg@{answers.n_runs}" and asked_again:
        return own
    of_what = (
        f"here {answers.n_runs} times"
        if asked_again
        else f"here are {answers.n_runs} trainings or draws, which are not attempts by one system (a table holds "
        "attempts in a column 'repeat')"
    )
    raise UsageError(
        f"the metric {name!r} does not fit a score per item; allowed: {own}, and where each item was answered K times "
        f"avg@K, pass@k and pass^k (k up to K, of answers that passed or not); {of_what}"
    )


def choose_metric(task: str, name: str | None) -> str:
    """The metric asked for, or the task's first; an error names those that the task has.

    Metrics of plugins are for classification.
    """
    if task not in BY_TASK:
        raise UsageError(f"answers of the kind {task!r} have no metric here; allowed: {', '.join(BY_TASK)}")
    allowed = BY_TASK[task]
    if name is None:
        return allowed[0]
    if name in allowed or (task == "classification" and find_added_metric(name) is not None):
        return name
    if task == "classification":
        allowed = (*allowed, *PLUGINS.names())
    raise UsageError(f"the metric {name!r} does not fit {task}; allowed: {', '.join(allowed)}")


def is_of_numbers(name: str | None) -> bool:
    """Whether a metric is asked for that only numbers to predict have."""
    return name in BY_TASK["regression"]


def is_share(name: str) -> bool:
    """Whether a metric is a share, shown in percent and its differences in points.

    >>> is_share("accuracy"), is_share("mcc")
    (True, False)
    """
    if name in NAMES or is_attempts(name):
        return name in SHARES or is_attempts(name)
    added = find_added_metric(name)
    return added is not None and added.is_share


def title_of(name: str) -> str:
    """What a metric is called in reports.

    >>> title_of("macro_f1")
    'Macro F1'
    """
    added = None if name in NAMES or is_attempts(name) else find_added_metric(name)
    return NAMES.get(name, name) if added is None else added.title


def with_others(task: str, main: str) -> list[str]:
    """The main metric, then the others that the task has.

    >>> with_others("classification", "mcc")
    ['mcc', 'accuracy', 'macro_f1']
    """
    others = () if task == "score" else BY_TASK[task]
    return [main, *(name for name in others if name != main)]


def metric_of(answers: Answers, name: str) -> Metric:
    """The metric of this name for the gold and the runs of these answers (not spearman, which is no function of sums).

    Tags are counted as spans before (`countable`). The metric of spans knows the counts of these answers only.
    """
    if name == "span_f1":
        return _span_metric(answers)
    if answers.task == "score":
        return _RIGHT if is_right_or_wrong(answers) else mean_metric(_limits(answers))
    unscored = int(answers.task == "classification" and answers.labels[-1:] == (NO_ANSWER,))
    return metric(name, max(2, len(answers.labels)), unscored)


def run_scores(answers: Answers, name: str) -> Array:
    """The score of each run."""
    answers = countable(answers, name)
    if name == "spearman":
        return np.array([spearman(answers.gold, run) for run in answers.runs])
    measure = metric_of(answers, name)
    return np.array([measure(answers.gold, run) for run in answers.runs])


def mean_score(answers: Answers, name: str, level: float = 0.95) -> Estimate:
    """The mean score of the runs with its interval over runs and items."""
    answers = countable(answers, name)
    if answers.bounds is not None and answers.bounds.of_means:
        return mean_interval(answers.runs.mean(axis=0), level)
    asked_again = answers.run_kind == "repeat" and answers.n_runs > 1
    if answers.task == "score" and (asked_again or not is_right_or_wrong(answers)):
        return item_scores_interval(answers.runs, answers.clusters, level, _limits(answers), asked_again)
    if name == "spearman":
        return spearman_runs_interval(answers.gold, answers.runs, answers.clusters, level)
    if name == "pearson" and len(answers.runs) == 1 and np.ptp(answers.runs) * np.ptp(answers.gold) == 0:
        return Estimate(
            float("nan"), float("nan"), float("nan"), "no score: a column does not vary", answers.n_items, level
        )
    return runs_interval(metric_of(answers, name), answers.gold, answers.runs, answers.clusters, level)


def countable(answers: Answers, name: str = "") -> Answers:
    """Answers as metrics take them: tags counted as spans, attempts at an item as its chance; others stay.

    Spans are all that span F1 takes of a sentence, and are counted once.
    """
    if answers.task == "score":
        attempted = _attempted(answers, name) if is_attempts(name) and answers.n_runs > 1 else answers
        return replace(attempted, gold=np.ones(answers.n_items, np.int64))  # right is a score of 1
    if answers.task != "tagging":
        return answers
    counts = np.stack([span_counts(list(answers.gold), list(run)) for run in answers.runs])
    runs = span_answers(counts[..., 0], counts[..., 2])
    return replace(answers, task="spans", labels=(), gold=counts[0, :, 1].astype(np.int64), runs=runs)


def averaged(answers: Answers) -> Answers:
    """The mean score of each item over repeats, where a system was asked several times; else the answers as they are.

    All answers of a repeat share nothing, so that the items' means are all that inference needs.
    """
    if answers.task != "score" or answers.run_kind != "repeat" or answers.n_runs == 1:
        return answers
    return replace(answers, runs=answers.runs.mean(axis=0)[None], run_names=("mean",), absent=None, reasons=())


def is_attempts(name: str) -> bool:
    """Whether a metric is the chance that one of k attempts passes, or that all of them do.

    >>> is_attempts("pass@5"), is_attempts("pass^2"), is_attempts("score")
    (True, True, False)
    """
    return _ATTEMPTS.fullmatch(name) is not None


def is_of_repeats(name: str) -> bool:
    """Whether a metric is asked for that answers to the same item have together, and no harness by itself.

    >>> is_of_repeats("avg@4"), is_of_repeats("pass@2"), is_of_repeats("acc")
    (True, True, False)
    """
    return is_attempts(name) or _MEAN_OF_REPEATS.fullmatch(name) is not None


def is_right_or_wrong(answers: Answers) -> bool:
    """Whether each score is 0 or 1."""
    return _is_share_scale(answers) and bool(np.isin(answers.runs, (0.0, 1.0)).all())


def _is_share_scale(answers: Answers) -> bool:
    return _limits(answers) == (0.0, 1.0)


def _limits(answers: Answers) -> tuple[float, float]:
    assert answers.bounds is not None  # Answers refuses scores without bounds
    return answers.bounds.low, answers.bounds.high


def _attempted(answers: Answers, name: str) -> Answers:
    found = _ATTEMPTS.fullmatch(name)
    assert found is not None  # asked for before
    kind: AttemptKind = "any" if found[1] == "@" else "all"
    chances = attempts_of(answers.runs, int(found[2]), kind)[None]
    return replace(answers, runs=chances, run_names=("all",), absent=None, reasons=())


def _encode_right(gold: Array, scores: Array) -> Items:
    return metric("accuracy").encode(np.ones(np.shape(scores)[-1], np.int64), np.asarray(scores).astype(np.int64))


_RIGHT = replace(metric("accuracy"), encode=_encode_right)


def _span_metric(answers: Answers) -> Metric:
    table = np.unique(_span_rows(answers.gold, answers.runs).reshape(-1, 3), axis=0)
    return replace(span_f1_metric(table), encode=_SpanEncoder(table))


@dataclass(frozen=True, slots=True)
class _SpanEncoder:
    """Each answer as its row of a table of different counts (found, gold, given), which is sorted."""

    table: Array

    def __call__(self, gold: Array, predicted: Array) -> Items:
        base = int(self.table.max(initial=0)) + 1
        weights = np.array([base * base, base, 1])
        index = np.searchsorted(self.table @ weights, _span_rows(gold, predicted) @ weights)
        return span_f1_metric(self.table).encode(index, index)


def _span_rows(gold: Array, runs: Array) -> Array:
    parts = (runs["found"], np.broadcast_to(gold, runs.shape), runs["given"])
    return np.stack([np.asarray(part, np.int64) for part in parts], axis=-1)
