"""Which scores one place can have, and each as a statistics.Metric over runs × items, whatever the task."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from goldproof.data.answers import Answers
from goldproof.errors import UsageError
from goldproof.judging.missing import NO_ANSWER
from goldproof.statistics.added_metrics import PLUGINS, find_added_metric
from goldproof.statistics.arrays import Array
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import mean_interval, spearman_interval
from goldproof.statistics.metrics import Items, Metric, metric, span_f1_metric, spearman
from goldproof.statistics.runs import runs_interval
from goldproof.statistics.spans import span_counts

BY_TASK = {
    "classification": ("accuracy", "mcc", "macro_f1"),
    "regression": ("pearson", "spearman"),
    "tagging": ("span_f1",),
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


@dataclass(frozen=True, slots=True)
class Scorable:
    """A metric with gold and runs in the form that it takes; `take` gives some of the items."""

    metric: Metric
    gold: Array
    runs: Array

    def take(self, items: Array) -> Scorable:
        """The same for some of the items."""
        return replace(self, gold=self.gold[items], runs=self.runs[:, items])

    def scores(self) -> Array:
        """The score of each run."""
        return np.array([self.metric(self.gold, run) for run in self.runs])


def choose_metric(task: str, name: str | None) -> str:
    """The metric asked for, or the task's first; an error names those that the task has.

    Metrics of plugins are for classification.
    """
    allowed = BY_TASK[task]
    if name is None:
        return allowed[0]
    if name in allowed or (task == "classification" and find_added_metric(name) is not None):
        return name
    if task == "classification":
        allowed = (*allowed, *PLUGINS.names())
    raise UsageError(f"the metric {name!r} does not fit {task}; allowed: {', '.join(allowed)}")


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


def scorable(answers: Answers, name: str) -> Scorable:
    """Answers in the form that the metric of this name takes (not spearman, which is no function of sums)."""
    if name == "span_f1":
        return _spans(answers)
    unscored = int(answers.task == "classification" and answers.labels[-1:] == (NO_ANSWER,))
    return Scorable(metric(name, max(2, len(answers.labels)), unscored), answers.gold, answers.runs)


def run_scores(answers: Answers, name: str) -> Array:
    """The score of each run of one place."""
    if name == "spearman":
        return np.array([spearman(answers.gold, run) for run in answers.runs])
    return scorable(answers, name).scores()


def score_arm(answers: Answers, name: str, level: float = 0.95) -> Estimate:
    """The mean score of one place's runs with its interval over runs and items."""
    if name == "spearman":
        return _spearman(answers, level)
    if name == "pearson" and len(answers.runs) == 1 and np.ptp(answers.runs) * np.ptp(answers.gold) == 0:
        return Estimate(
            float("nan"), float("nan"), float("nan"), "no score: a column does not vary", answers.n_items, level
        )
    form = scorable(answers, name)
    return runs_interval(form.metric, form.gold, form.runs, answers.clusters, level)


def _spearman(answers: Answers, level: float) -> Estimate:
    if len(answers.runs) == 1:
        alone = spearman_interval(answers.gold, answers.runs[0], level)
        return replace(alone, method=f"{alone.method}; items only, one run")
    over = mean_interval(run_scores(answers, "spearman"), level)
    return replace(over, method=f"t over {len(answers.runs)} runs; runs only, items fixed", n=answers.n_items)


def _spans(answers: Answers) -> Scorable:
    return scorable_spans(np.stack([span_counts(list(answers.gold), list(run)) for run in answers.runs]))


def scorable_spans(counts: Array) -> Scorable:
    """Span F1 of runs that are given by their counts (runs × sentences × hits, gold and predicted spans).

    A run's answer to a sentence is the number of its row of counts; there is nothing else to compare with gold.
    """
    n_runs, n_items = counts.shape[:2]
    base = span_f1_metric(counts.reshape(-1, 3))
    by_number = replace(base, encode=partial(_encode_numbers, base))
    numbers = np.arange(n_runs * n_items, dtype=np.int64).reshape(n_runs, n_items)
    return Scorable(by_number, np.zeros(n_items, np.int64), numbers)


def _encode_numbers(base: Metric, gold: Array, predicted: Array) -> Items:
    del gold  # the counts hold it
    return base.encode(predicted, predicted)
