"""Control tasks and selectivity: how much of a probe's accuracy could be had by memorising (Hewitt & Liang 2019).

A control task gives every *type* a random label, drawn from the task's own distribution, and asks the same probe with
the same L2 to learn it. Selectivity is the accuracy on the task minus that on the control.

What is a type for a whole sentence? Two answers are offered. `word`: the sentence's first word decides, so types come
back in test and the control can be learned by memorising words, as in the paper; accuracies are on test. `sentence`:
the whole sentence decides; no sentence comes back, so test says nothing, and both accuracies are on the *training*
items: the control then measures how much the probe can memorise by its capacity alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from goldproof.draws import draw_fraction
from goldproof.errors import UsageError
from goldproof.jobs.names import named
from goldproof.measures.layers import Layers
from goldproof.measures.probe_task import ProbeTask
from goldproof.measures.probes import ProbeGrid, ProbeSettings, fit_grid
from goldproof.models.static_vectors import split_words
from goldproof.statistics.comparison import compare_runs
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.metrics import metric

By = Literal["word", "sentence"]


@named("measures.Selectivity")
@dataclass(frozen=True, slots=True)
class Selectivity:
    """For each layer: accuracy on the task, on the control, and their difference with its interval over items."""

    task: tuple[float, ...]
    control: tuple[float, ...]
    difference: tuple[Estimate, ...]
    by: By
    n_types: int


def control_types(texts: Sequence[str], by: By = "word") -> list[str]:
    """What decides each text's control label.

    >>> control_types(["It rains.", "it snows"], "word")
    ['it', 'it']
    """
    if by not in ("word", "sentence"):
        raise UsageError(f"control labels are given by word or by sentence; got {by!r}")
    return [text if by == "sentence" else (split_words(text) or [""])[0] for text in texts]


def control_task(task: ProbeTask, types: Sequence[str], seed: int = 0) -> ProbeTask:
    """The same items and splits with a random label for each type, drawn from the training items' distribution.

    >>> from goldproof.measures.probe_task import probe_task
    >>> task = probe_task(list("abab"), ["train", "train", "validation", "test"])
    >>> codes = control_task(task, ["x", "y", "x", "x"]).codes
    >>> bool(codes[0] == codes[2] == codes[3])
    True
    """
    if len(types) != len(task.codes):
        raise UsageError(f"each item needs a type; got {len(types)} types for {len(task.codes)} items")
    shares = np.bincount(task.codes[task.train], minlength=task.n_classes) / len(task.train)
    edges = np.cumsum(shares)
    codes = {name: int(np.searchsorted(edges, draw_fraction(seed, "control", name), "right")) for name in set(types)}
    found = np.array([min(codes[name], task.n_classes - 1) for name in types], np.int64)
    return replace(task, codes=found)


def measure_selectivity(
    layers: Layers,
    task: ProbeTask,
    texts: Sequence[str],
    settings: ProbeSettings | None = None,
    by: By = "word",
    *,
    seed: int = 0,
    device: str = "cpu",
) -> Selectivity:
    """Fit the task and its control with the same probes and compare them, the L2 being the task's choice."""
    types = control_types(texts, by)
    split = "test" if by == "word" else "train"
    real, control = (
        fit_grid(layers, each, settings, ("validation", split), device=device)
        for each in (task, control_task(task, types, seed))
    )
    rights = [_right(grid, real.best(), split) for grid in (real, control)]
    differences = [_difference(*pair) for pair in zip(*rights, strict=True)]
    means = [tuple(float(layer.mean()) for layer in right) for right in rights]
    return Selectivity(means[0], means[1], tuple(differences), by, len(set(types)))


def _right(grid: ProbeGrid, best: npt.NDArray[np.int64], split: str) -> npt.NDArray[np.bool_]:
    """Whether each item of the split is right: shape (layers, seeds, items)."""
    return np.asarray(grid.predicted(split, best) == grid.gold[split])


def _difference(task: npt.NDArray[np.bool_], control: npt.NDArray[np.bool_]) -> Estimate:
    ones = np.ones(task.shape[-1], np.int64)
    both = compare_runs(metric("accuracy"), ones, task.astype(np.int64), control.astype(np.int64), same_seeds=True)
    return both.difference
