"""Variance components of a runs × items table: how much is the seed, how much the items, how much both together.

Two-way random effects without repetition, y_si = μ + a_s + b_i + e_si, by the analysis of variance (Searle, Casella &
McCulloch 1992, ch. 4). It gives components, not intervals.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """Variances of seed, item and interaction (with noise), and the table's size; a negative estimate is set to 0."""

    seed: float
    item: float
    interaction: float
    n_runs: int
    n_items: int

    def variance_of_mean(self, n_runs: int | None = None, n_items: int | None = None) -> float:
        """Variance of the grand mean with that many runs and items (those of the table, unless said otherwise)."""
        runs, items = n_runs or self.n_runs, n_items or self.n_items
        return self.seed / runs + self.item / items + self.interaction / (runs * items)


def variance_components(values: Array) -> VarianceComponents:
    """Components of a table of runs × items (correct or not, influence, score per category).

    MS_seed = n·Σ(ȳ_s − ȳ)²/(S−1), MS_item = S·Σ(ȳ_i − ȳ)²/(n−1), MS_e the rest;
    σ²_seed = (MS_seed − MS_e)/n, σ²_item = (MS_item − MS_e)/S, σ²_interaction = MS_e.

    >>> parts = variance_components(np.array([[1.0, 0.0, 1.0, 1.0], [1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0]]))
    >>> round(parts.seed, 3), round(parts.item, 3), round(parts.interaction, 3)
    (0.0, 0.083, 0.194)
    """
    values = np.asarray(values, float)
    if values.ndim != 2 or min(values.shape) < 2:
        raise UsageError(f"variance components need at least 2 runs and 2 items; got an array of shape {values.shape}")
    runs, n = values.shape
    run_means, item_means, mean = values.mean(1), values.mean(0), values.mean()
    ms_seed = n * float(((run_means - mean) ** 2).sum()) / (runs - 1)
    ms_item = runs * float(((item_means - mean) ** 2).sum()) / (n - 1)
    rest = values - run_means[:, None] - item_means[None, :] + mean
    ms_rest = float((rest**2).sum()) / ((runs - 1) * (n - 1))
    return VarianceComponents(max((ms_seed - ms_rest) / n, 0.0), max((ms_item - ms_rest) / runs, 0.0), ms_rest, runs, n)
