"""Which source of chance moves a score: variance components of initialisation, order and dropout in a balanced design.

Interactions of the sources are part of the rest. It says nothing about items; see `components.py` for those.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray


@dataclass(frozen=True, slots=True)
class FactorPart:
    """What one source of chance adds: its variance component, its share, and the p-value of its F test."""

    name: str
    component: float
    share: float
    p_value: float


@dataclass(frozen=True, slots=True)
class Attribution:
    """The parts of the sources, and of what is left: their interactions and what nothing here explains."""

    parts: tuple[FactorPart, ...]
    rest: float
    rest_share: float
    rest_df: int
    n_runs: int


def attribute_variance(scores: Array, levels: Array, names: Sequence[str]) -> Attribution:
    """Variance components of several sources of chance in a balanced design (runs × sources of level codes).

    Additive random effects: with n runs and k levels, MS_f = (n/k)·Σ(ȳ_level − ȳ)²/(k−1) and MS_rest from what is
    left; σ²_f = (MS_f − MS_rest)·k/n, negative estimates set to 0; F = MS_f / MS_rest (Searle, Casella & McCulloch
    1992, ch. 4). Interactions of the sources are part of the rest.

    >>> levels = np.array([(i, j, (i + j) % 3) for i in range(3) for j in range(3)])
    >>> found = attribute_variance(levels[:, 0] + 0.1 * np.array([0, 1, 0, 1, 0, 0, 0, 0, 1]), levels, "abc")
    >>> [round(part.share, 2) for part in found.parts]
    [1.0, 0.0, 0.0]
    """
    scores, levels = np.asarray(scores, float), np.asarray(levels)
    n = len(scores)
    squares, dfs = [], []
    for factor in levels.T:
        counts = np.unique(factor, return_counts=True)[1]
        if len(set(counts.tolist())) != 1 or len(counts) < 2:
            raise UsageError(f"each source needs at least 2 levels with as many runs each; got runs {counts.tolist()}")
        means = np.array([scores[factor == level].mean() for level in np.unique(factor)])
        squares.append(float(counts[0] * ((means - scores.mean()) ** 2).sum()))
        dfs.append(len(counts) - 1)
    rest_df = n - 1 - sum(dfs)
    if rest_df < 1:
        raise UsageError(f"{n} runs cannot separate {len(names)} sources of chance; at least {2 + sum(dfs)} are needed")
    rest = max(float(((scores - scores.mean()) ** 2).sum()) - sum(squares), 0.0) / rest_df
    components = [max(s / df - rest, 0.0) * (df + 1) / n for s, df in zip(squares, dfs, strict=True)]
    total = sum(components) + rest
    parts = tuple(
        FactorPart(name, component, component / total if total > 0 else 0.0, _f_tail(s / df, rest, df, rest_df))
        for name, component, s, df in zip(names, components, squares, dfs, strict=True)
    )
    return Attribution(parts, rest, rest / total if total > 0 else 0.0, rest_df, n)


def _f_tail(above: float, below: float, df: int, rest_df: int) -> float:
    if below == 0:
        return 1.0 if above == 0 else 0.0
    return float(special.fdtrc(df, rest_df, above / below))


def deviation_factors(n_runs: int, level: float = 0.95) -> tuple[float, float]:
    """How far a standard deviation over so many runs may be off: the interval is [low·s, high·s] for normal scores.

    >>> [round(factor, 2) for factor in deviation_factors(6)]
    [0.62, 2.45]
    """
    if n_runs < 2:
        raise UsageError(f"a deviation needs at least 2 runs; got {n_runs}")
    df = n_runs - 1
    quantiles: FloatArray = special.chdtri(df, np.array([(1 - level) / 2, (1 + level) / 2]))
    low, high = (math.sqrt(df / float(q)) for q in quantiles)
    return low, high
