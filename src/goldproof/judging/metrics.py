"""Which scores answers can have, and each as a statistics.Metric over their runs × items, whatever the task."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from goldproof.data.answers import Answers, span_answers
from goldproof.errors import UsageError
from goldproof.judging.missing import NO_ANSWER
from goldproof.statistics.added_metrics import PLUGINS, find_added_metric
from goldproof.statistics.arrays import Array
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.metrics import Items, Metric, metric, span_f1_metric, spearman
from goldproof.statistics.ranks import spearman_runs_interval
from goldproof.statistics.runs import runs_interval
from goldproof.statistics.spans import span_counts

BY_TASK = {
    "classification": ("accuracy", "mcc", "macro_f1"),
    "regression": ("pearson", "spearman"),
    "tagging": ("span_f1",),
    "spans": ("span_f1",),
}
SHARES = ("accuracy", "macro_f1", "span_f1")
NAMES = {
    "accuracy": "Accuracy",
    "mcc": "MCC",
    "macro_f1": "Macro F1",
    "pearson": "Pearson",
    "spearman": "Spearman",
    "span_f1": "Span F1",
}


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
    added = None if name in NAMES else find_added_metric(name)
    return name in SHARES or (added is not None and added.is_share)


def title_of(name: str) -> str:
    """What a metric is called in reports.

    >>> title_of("macro_f1")
    'Macro F1'
    """
    added = None if name in NAMES else find_added_metric(name)
    return NAMES.get(name, name) if added is None else added.title


def with_others(task: str, main: str) -> list[str]:
    """The main metric, then the others that the task has.

    >>> with_others("classification", "mcc")
    ['mcc', 'accuracy', 'macro_f1']
    """
    return [main, *(name for name in BY_TASK[task] if name != main)]


def metric_of(answers: Answers, name: str) -> Metric:
    """The metric of this name for the gold and the runs of these answers (not spearman, which is no function of sums).

    Tags are counted as spans before (`count_spans`). The metric of spans knows the counts of these answers only.
    """
    if name == "span_f1":
        return _span_metric(answers)
    unscored = int(answers.task == "classification" and answers.labels[-1:] == (NO_ANSWER,))
    return metric(name, max(2, len(answers.labels)), unscored)


def run_scores(answers: Answers, name: str) -> Array:
    """The score of each run."""
    answers = count_spans(answers)
    if name == "spearman":
        return np.array([spearman(answers.gold, run) for run in answers.runs])
    measure = metric_of(answers, name)
    return np.array([measure(answers.gold, run) for run in answers.runs])


def mean_score(answers: Answers, name: str, level: float = 0.95) -> Estimate:
    """The mean score of the runs with its interval over runs and items."""
    answers = count_spans(answers)
    if name == "spearman":
        return spearman_runs_interval(answers.gold, answers.runs, answers.clusters, level)
    if name == "pearson" and len(answers.runs) == 1 and np.ptp(answers.runs) * np.ptp(answers.gold) == 0:
        return Estimate(
            float("nan"), float("nan"), float("nan"), "no score: a column does not vary", answers.n_items, level
        )
    return runs_interval(metric_of(answers, name), answers.gold, answers.runs, answers.clusters, level)


def count_spans(answers: Answers) -> Answers:
    """Answers whose tags are counted as spans; others stay as they are.

    Spans are all that span F1 takes of a sentence, and are counted once.
    """
    if answers.task != "tagging":
        return answers
    counts = np.stack([span_counts(list(answers.gold), list(run)) for run in answers.runs])
    runs = span_answers(counts[..., 0], counts[..., 2])
    return replace(answers, task="spans", labels=(), gold=counts[0, :, 1].astype(np.int64), runs=runs)


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
