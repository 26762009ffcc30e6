"""Which layers differ: bands that hold for all layers together, tests of neighbours, and those like the best.

Everything works on whether each prediction was right: arrays of shape (layers, items), or (layers, seeds, items),
where seeds are averaged, those of collapsed probes left out. It fits no probes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from goldproof.errors import UsageError
from goldproof.jobs.names import named
from goldproof.statistics.arrays import FloatArray
from goldproof.statistics.bands import proportion_bands
from goldproof.statistics.bootstrap import bootstrap_scores
from goldproof.statistics.comparison import Comparison, compare
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.metrics import metric
from goldproof.statistics.multiplicity import holm
from goldproof.statistics.proportions import mcnemar

DRAWS = 2000
SURE_COUNT = 10
FEW = 20
Kept = npt.NDArray[np.bool_]


@named("measures.LayerTests")
@dataclass(frozen=True, slots=True)
class LayerTests:
    """What the layers' accuracies show on one task.

    `bands` hold together for all layers at their level and lie in [0, 1]. `neighbours[k]` is the one-sided p-value of
    layers k and k + 1: the share of resamples with δ* > 2δ in the direction observed (Berg-Kirkpatrick, Burkett &
    Klein 2012). `tied` are the layers that cannot be distinguished from the best, the best included.
    """

    bands: tuple[Estimate, ...]
    neighbours: tuple[float, ...]
    best: int
    tied: tuple[int, ...]


def assess_layers(
    correct: npt.NDArray[Any],
    rng: np.random.Generator,
    *,
    draws: int = DRAWS,
    level: float = 0.95,
    kept: Kept | None = None,
) -> LayerTests:
    """Bands from the layers' accuracies; neighbours and ties from the same bootstrap resamples of items.

    `kept` (layers × seeds) says which seeds of a layer are averaged, all unless it is given.

    >>> rng = np.random.default_rng(0)
    >>> right = rng.random((3, 2000)) < np.array([[0.6], [0.8], [0.8]])
    >>> assess_layers(right, rng).tied
    (1, 2)
    """
    right = np.asarray(correct)
    if right.ndim not in (2, 3) or right.dtype != bool:
        raise UsageError(
            f"correct must be true or false for layers × items or layers × seeds × items; got {right.dtype} of shape "
            f"{right.shape}"
        )
    right = right.reshape(len(right), -1, right.shape[-1])
    weights = np.ones(right.shape[:2]) if kept is None else np.asarray(kept, float)
    n_runs = weights.sum(axis=1)
    weights = weights / n_runs[:, None]
    runs = right.reshape(-1, right.shape[-1]).astype(np.int64)
    scores = bootstrap_scores(metric("accuracy"), np.ones(runs.shape[1], np.int64), runs, rng, draws)
    resampled = (scores.reshape(draws, *weights.shape) * weights).sum(axis=2)
    shares = (right * weights[:, :, None]).sum(axis=1).clip(0, 1)
    values = shares.mean(axis=1)
    return LayerTests(
        tuple(proportion_bands(shares, n_runs, level)),
        tuple(
            _one_sided(values[k] - values[k + 1], resampled[:, k] - resampled[:, k + 1]) for k in range(len(values) - 1)
        ),
        int(values.argmax()),
        _tied_with_best(shares, resampled, level),
    )


def compare_layers(correct: npt.NDArray[Any], a: int, b: int) -> Comparison:
    """Layer a against layer b on the same items, with an interval and a two-sided p-value; seeds must be one."""
    right = np.asarray(correct)
    if right.ndim == 3:
        if right.shape[1] != 1:
            raise UsageError(f"two layers are compared on one seed; got {right.shape[1]} seeds")
        right = right[:, 0]
    sides = [right[layer].astype(np.int64) for layer in (a, b)]
    return compare(metric("accuracy"), np.ones(right.shape[1], np.int64), *sides)


def two_sided_neighbours(
    correct: npt.NDArray[Any], one_sided: Sequence[float], draws: int = DRAWS
) -> tuple[float, ...]:
    """Two-sided p-values of neighbouring layers from the bootstrap's one-sided ones, fit to be adjusted over many.

    Which of two layers is ahead was seen on the same items, so that a one-sided p counts twice. A share of fewer than
    10 resamples tells a small p badly, and none at all would pass any adjustment: there McNemar's mid-p of the items
    on which the layers differ, or the normal tail of the paired difference, stands where it is larger.

    >>> right = np.array([[True] * 90 + [False] * 10, [True] * 70 + [False] * 30])
    >>> [f"{p:.0e}" for p in two_sided_neighbours(right, [0.0])]
    ['1e-06']
    """
    right = np.asarray(correct, float).reshape(len(correct), -1, np.shape(correct)[-1]).mean(axis=1)
    found = []
    for k, p in enumerate(one_sided):
        gaps = right[k] - right[k + 1]
        if p < SURE_COUNT / draws:
            error = float(gaps.std(ddof=1)) / math.sqrt(len(gaps)) if len(gaps) > 1 else 0.0
            normal = float(ndtr(-abs(gaps.mean()) / error)) if error > 0 else 0.0
            p = max(p, normal, _sign_test(gaps, "mid-p") / 2)
        found.append(min(1.0, 2 * p))
    return tuple(found)


def adjust_over_tasks(p_values: Mapping[str, tuple[float, ...]]) -> dict[str, tuple[float, ...]]:
    """Holm's adjustment over all p-values of all tasks together.

    >>> adjust_over_tasks({"a": (0.01,), "b": (0.04, 0.5)})
    {'a': (0.03,), 'b': (0.08, 0.5)}
    """
    together = holm(np.array([p for values in p_values.values() for p in values]))
    adjusted = iter(together.tolist())
    return {task: tuple(next(adjusted) for _ in values) for task, values in p_values.items()}


def _one_sided(observed: float, differences: FloatArray) -> float:
    if observed == 0:
        return 1.0
    return float((differences * np.sign(observed) > 2 * abs(observed)).mean())


def _sign_test(gaps: FloatArray, method: str) -> float:
    """McNemar's p-value of how many items lie above 0 and how many below."""
    return mcnemar(int((gaps > 1e-12).sum()), int((gaps < -1e-12).sum()), method)


def _tied_with_best(shares: FloatArray, resampled: FloatArray, level: float) -> tuple[int, ...]:
    """A confidence set for the best layer (after Hsu 1981): layer k stays unless some layer beats it by more than
    chance allows, with the largest of all differences to k setting what chance allows. Few items make resamples of
    which none differs: what they could not tell by their signs alone does not count as beaten.
    """
    values, tied = shares.mean(axis=1), []
    for k in range(len(values)):
        ahead = values - values[k]
        noise = resampled - resampled[:, [k]] - ahead
        spread = noise.std(axis=0)
        moving = spread > 1e-12
        reach = np.quantile((noise[:, moving] / spread[moving]).max(axis=1), level) if moving.any() else 0.0
        beaten = np.flatnonzero(np.where(moving, ahead > reach * spread, ahead > 1e-12))
        if not any(_is_told(shares[j] - shares[k], level) for j in beaten):
            tied.append(k)
    return tuple(tied)


def _is_told(gaps: FloatArray, level: float) -> bool:
    """Whether an exact sign test agrees; where many items differ it need not be asked."""
    return int((np.abs(gaps) > 1e-12).sum()) > FEW or _sign_test(gaps, "exact") / 2 <= 1 - level
