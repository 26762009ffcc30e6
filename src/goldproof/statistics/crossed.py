"""Prompts × draws of examples × items: what a score would be with others of each, and which of them moves it.

Crossed random effects without repetition, y_pdi = μ + a_p + b_d + (ab)_pd + c_i + (ac)_pi + (bc)_di + e_pdi, by the
analysis of variance (Searle, Casella & McCulloch 1992, ch. 4): each effect's mean square estimates a sum of components,
and components are differences of them. Intervals are generalised (Weerahandi 1993): each mean square is divided by its
degrees of freedom over a χ² variable, thousands of times, and what is asked for is computed from the drawn ones. Three
draws leave two degrees of freedom, and the intervals say so. With one draw the effects of draws are no part of it.
Prompts of which a few do badly vary more than a normal variable would show: for shares their degrees of freedom are
fewer, by the kurtosis of their scores (Bonett 2006), and never more.

The variance that is shared out is that of the score of *one* prompt with *one* draw on as many items. It tests nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import stats

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import wilson_bounds

DRAWS = 4_000
_EFFECTS = ("p", "d", "i", "pd", "pi", "di", "pdi")


@dataclass(frozen=True, slots=True)
class CrossedTable:
    """The mean squares of a table of prompts × draws × items, with their degrees of freedom, and its mean.

    `prompt_df` are those of prompts where their scores have longer tails than normal ones.
    """

    mean: float
    shape: tuple[int, int, int]
    squares: Mapping[str, float]
    df: Mapping[str, int]
    prompt_df: float


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """Variances that add up to that of one score: of prompts, draws, both together, and the items' part of it.

    Those of the first three are differences, and may come out below 0.
    """

    prompt: FloatArray
    draw: FloatArray
    both: FloatArray
    items: FloatArray

    def without_negative(self) -> ScoreParts:
        """The same with what is below 0 as 0, so that the shares add up to 1."""
        prompt, draw, both = (np.asarray(np.maximum(part, 0.0)) for part in (self.prompt, self.draw, self.both))
        return ScoreParts(prompt, draw, both, self.items)

    def shares(self) -> dict[str, FloatArray]:
        """Each part by its name, as a share of them all; one below 0 has none, and without any the items have all.

        The whole is the sum of the parts as they came out, and never less than a part with the items': what is below 0
        by chance in one makes up for what is too much by chance in another.
        """
        parts = {"prompt": self.prompt, "draw": self.draw, "both": self.both}
        total = np.maximum(sum(parts.values()) + self.items, self.items)
        found = {}
        for name, part in parts.items():
            whole = np.maximum(total, np.maximum(part, 0.0) + self.items)
            found[name] = np.asarray(np.maximum(part, 0.0) / np.where(whole > 0, whole, 1.0))
        items = np.where(total > 0, self.items / np.where(total > 0, total, 1.0), 1.0)
        return {**found, "items": np.asarray(items)}


def crossed_table(values: Array) -> CrossedTable:
    """The analysis of variance of a number for each prompt, draw and item (prompts × draws × items).

    >>> table = crossed_table(np.array([[[0.0, 1.0, 1.0]], [[1.0, 1.0, 1.0]]]))
    >>> round(table.squares["p"], 3), table.df["p"], sorted(table.squares)
    (0.167, 1, ['i', 'p', 'pi'])
    """
    values = np.asarray(values, float)
    if values.ndim != 3 or values.shape[0] < 2 or values.shape[2] < 2:
        raise UsageError(
            "a crossed design needs at least 2 prompts and 2 items (prompts × draws × items); got an array of shape "
            f"{values.shape}"
        )
    sizes = dict(zip("pdi", values.shape, strict=True))
    squares, df = {}, {}
    for effect in _EFFECTS:
        if sizes["d"] == 1 and "d" in effect:
            continue
        free = math.prod(sizes[factor] - 1 for factor in effect)
        squares[effect] = float((_effect(values, effect) ** 2).sum()) * values.size / _cells(effect, sizes) / free
        df[effect] = free
    shape = (sizes["p"], sizes["d"], sizes["i"])
    return CrossedTable(float(values.mean()), shape, squares, df, _prompt_df(values.mean(axis=(1, 2))))


def _prompt_df(scores: FloatArray) -> float:
    """Degrees of freedom of a variance over prompts: 2(n − 1)/(c²(γ − (n − 3)/n)), γ the kurtosis about a trimmed mean.

    Of normal scores γ is 3; there are never more than n − 1. c = n/(n − 1.96) is Bonett's factor for small samples,
    which show less of a long tail than there is.
    """
    n = len(scores)
    spread = float(((scores - scores.mean()) ** 2).sum())
    if n < 5 or spread <= 0:
        return float(n - 1)
    centre = float(stats.trim_mean(scores, 1 / (2 * math.sqrt(n - 4))))
    kurtosis = n * float(((scores - centre) ** 4).sum()) / spread**2
    small = n / (n - 1.96)
    return max(1.0, min(float(n - 1), 2 * (n - 1) / max(small**2 * (kurtosis - (n - 3) / n), 1e-9)))


def _cells(effect: str, sizes: Mapping[str, int]) -> int:
    return math.prod(sizes[factor] for factor in effect)


def _effect(values: FloatArray, effect: str) -> FloatArray:
    """The values of an effect: the mean of each of its cells without what the effects within it explain."""
    axes = [axis for axis, factor in enumerate("pdi") if factor not in effect]
    found = values.mean(axis=tuple(axes), keepdims=True) if axes else values
    for axis, factor in enumerate("pdi"):
        if factor in effect:
            found = found - found.mean(axis=axis, keepdims=True)
    return np.asarray(found)


def score_parts(table: CrossedTable, squares: Mapping[str, FloatArray | float] | None = None) -> ScoreParts:
    """The parts of the variance of one score on as many items; within the items' part what is below 0 counts as 0.

    σ²_p = (MS_p − MS_pd − MS_pi + MS_pdi)/(D·N), and the like; what items add is what is left of the variance between
    answers, divided by N.
    """
    p, d, n = table.shape
    ms = {name: np.asarray(value, float) for name, value in (squares or table.squares).items()}
    zero = np.zeros_like(ms["p"])
    if d == 1:
        rest = ms["pi"]
        return ScoreParts((ms["p"] - rest) / n, zero, zero, (_part(ms["i"] - rest, p) + rest) / n)
    rest = ms["pdi"]
    items = _part(ms["i"] - ms["pi"] - ms["di"] + rest, p * d)
    items = items + _part(ms["pi"] - rest, d) + _part(ms["di"] - rest, p) + rest
    return ScoreParts(
        (ms["p"] - ms["pd"] - ms["pi"] + rest) / (d * n),
        (ms["d"] - ms["pd"] - ms["di"] + rest) / (p * n),
        (ms["pd"] - rest) / n,
        items / n,
    )


def _part(difference: FloatArray, n: int) -> FloatArray:
    return np.asarray(np.maximum(difference, 0.0) / n)


def share_intervals(table: CrossedTable, rng: np.random.Generator, level: float = 0.95) -> dict[str, Estimate]:
    """The share of each part in the variance of one score, with its interval; without draws theirs are left out.

    >>> rng = np.random.default_rng(0)
    >>> right = rng.random((12, 3, 200)) < 0.6 + 0.2 * rng.random((12, 1, 1))
    >>> found = share_intervals(crossed_table(right), rng)
    >>> found["prompt"].low < found["prompt"].value < found["prompt"].high <= 1
    True
    """
    point = score_parts(table).without_negative().shares()
    drawn = score_parts(table, _drawn_squares(table, rng, {"p": table.prompt_df})).shares()
    p, d, n = table.shape
    method = f"generalised, {p} prompts × {f'{d} draws × ' if d > 1 else ''}items"
    names = [name for name in point if d > 1 or name in ("prompt", "items")]
    tail = (1 - level) / 2
    found = {}
    for name in names:
        low, high = np.quantile(drawn[name], [tail, 1 - tail])
        value = float(point[name])
        found[name] = Estimate(value, min(float(low), value), max(float(high), value), method, n, level)
    return found


def crossed_mean(
    table: CrossedTable,
    rng: np.random.Generator,
    level: float = 0.95,
    bounds: tuple[float, float] | None = (0.0, 1.0),
) -> Estimate:
    """The interval of the mean score over new prompts, new draws and new items.

    V = MS_p/(PDN) + MS_d/(PDN) + MS_i/(PDN) less what they count twice; with draws of it, √V times a normal variable
    gives the half width, which never is less than that over items alone. Of a share Wilson's interval has as many items
    as make its variance V. Where nothing varies at all it has the items there are; of another score nothing is known
    then.

    >>> rng = np.random.default_rng(0)
    >>> estimate = crossed_mean(crossed_table(rng.random((12, 3, 200)) < 0.7), rng)
    >>> estimate.low < 0.7 < estimate.high
    True
    """
    p, d, n = table.shape
    variance = _mean_variance(table, table.squares)
    drawn = _mean_variance(table, _drawn_squares(table, rng))
    reach = float(np.quantile(np.abs(rng.standard_normal(len(drawn))) * np.sqrt(drawn), level))
    reach = max(reach, float(stats.norm.ppf((1 + level) / 2)) * math.sqrt(float(variance)))
    method = f"generalised, {p} prompts × {f'{d} draws × ' if d > 1 else ''}items"
    if not any(table.squares.values()):
        quantile = float(stats.norm.ppf((1 + level) / 2))
        low, high = bounds or (-math.inf, math.inf)
        if bounds == (0.0, 1.0):
            low, high = wilson_bounds(table.mean, n, quantile)
    elif bounds == (0.0, 1.0) and 0 < table.mean < 1 and variance > 0:
        effective = table.mean * (1 - table.mean) / float(variance)
        low, high = wilson_bounds(table.mean, effective, reach / math.sqrt(float(variance)))
    else:
        low, high = table.mean - reach, table.mean + reach
        if bounds is not None:
            low, high = max(low, bounds[0]), min(high, bounds[1])
    return Estimate(table.mean, low, high, method, n, level)


def _mean_variance(table: CrossedTable, squares: Mapping[str, FloatArray | float]) -> FloatArray:
    """The variance of the mean of the whole table, and no less than what items or prompts alone make of it."""
    p, d, n = table.shape
    ms = {name: np.asarray(value, float) for name, value in squares.items()}
    twice = ms["pi"] if d == 1 else ms["pd"] + ms["pi"] + ms["di"] - ms["pdi"]
    whole = ms["p"] + ms["i"] + ms.get("d", np.float64(0.0)) - twice
    return np.asarray(np.maximum(whole, np.maximum(ms["i"], ms["p"])) / (p * d * n))


def _drawn_squares(
    table: CrossedTable, rng: np.random.Generator, fewer: Mapping[str, float] | None = None
) -> dict[str, FloatArray]:
    """Mean squares that the true ones may be, many times over; `fewer` are degrees of freedom in place of its own."""
    df = {**table.df, **(fewer or {})}
    return {
        effect: np.asarray(square * df[effect] / rng.chisquare(df[effect], DRAWS))
        for effect, square in table.squares.items()
    }


def prompts_needed(scores: Array, reach: float, level: float = 0.95) -> tuple[int, int]:
    """How many prompts bring the mean over prompts, on the same items, within ± `reach`; and how many it may take.

    The smallest K with t(K − 1)·s/√K ≤ reach, for the standard deviation s of the prompts' scores and for the upper end
    of its interval: s is an estimate itself.

    >>> prompts_needed(np.array([0.5, 0.6, 0.7, 0.6, 0.55, 0.65, 0.7, 0.62, 0.58, 0.66]), 0.02)
    (42, 134)
    """
    n = len(scores)
    spread = float(np.std(scores, ddof=1))
    upper = spread * math.sqrt((n - 1) / float(stats.chi2.ppf((1 - level) / 2, n - 1)))
    return _smallest(spread, reach, level), _smallest(upper, reach, level)


def _smallest(spread: float, reach: float, level: float) -> int:
    low, high = 2, 2
    while stats.t.ppf((1 + level) / 2, high - 1) * spread / math.sqrt(high) > reach:
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        enough = stats.t.ppf((1 + level) / 2, middle - 1) * spread / math.sqrt(middle) <= reach
        low, high = (low, middle) if enough else (middle + 1, high)
    return high


def quantile_interval(scores: Array, share: float, level: float = 0.95) -> Estimate:
    """A quantile over prompts, with the interval between order statistics that holds whatever their distribution.

    Where there are too few prompts for an end, it is not a number (David & Nagaraja 2003, 7.1).

    >>> found = quantile_interval(np.arange(12.0), 0.5)
    >>> found.value, found.low, found.high
    (5.5, 2.0, 9.0)
    """
    ordered = np.sort(np.asarray(scores, float))
    n, tail = len(ordered), (1 - level) / 2
    lower = int(stats.binom.ppf(tail, n, share)) - 1
    upper = int(stats.binom.ppf(1 - tail, n, share))
    low = float(ordered[lower]) if lower >= 0 else math.nan
    high = float(ordered[upper]) if upper < n else math.nan
    method = f"order statistics of {n} prompts"
    return Estimate(float(np.quantile(ordered, share)), low, high, method, n, level)
