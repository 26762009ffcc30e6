"""Two experiments on 30 real trainings of one recipe: what "significant" means between runs, and which intervals cover.

    python benchmarks/real_runs.py            prints the tables of docs/validation/real-runs.md

Answers of the 30 runs lie in docs/validation/answers (made by `benchmarks/seed_runs.py`), so that anyone can repeat
this without a GPU. (a) All runs are one recipe, so every verdict about recipes is false. (b) 5 runs × half of the
items predict the mean of the other 25 runs on the other half.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from goldproof.statistics.comparison import compare_runs
from goldproof.statistics.intervals import normal_quantile, t_quantile, wilson
from goldproof.statistics.metrics import metric
from goldproof.statistics.proportions import mcnemar
from goldproof.statistics.runs import runs_interval, summarise_runs

ANSWERS = Path(__file__).resolve().parents[1] / "docs" / "validation" / "answers"
ACCURACY = metric("accuracy")
DRAWS = 1000


@dataclass(frozen=True)
class Runs:
    """Which answers were right: runs × items, as codes that `accuracy` compares with ones."""

    name: str
    right: np.ndarray

    @property
    def gold(self) -> np.ndarray:
        return np.ones(self.right.shape[1], int)


def load(name: str) -> Runs:
    table = pq.read_table(ANSWERS / f"{name}-e5-small-30.parquet", columns=["id", "gold", "prediction", "run"])
    frame = table.to_pandas()
    frame["right"] = (frame.gold == frame.prediction).astype(int)
    return Runs(name, frame.pivot(index="run", columns="id", values="right").to_numpy())


# ----- (a) the same recipe twice ------------------------------------------------------------------------------------


def single_pairs(runs: Runs) -> dict[str, float]:
    """Shares of all pairs of runs that are called different, in percent."""
    exact, ours, known = [], [], []
    for a, b in combinations(range(len(runs.right)), 2):
        one, other = runs.right[a], runs.right[b]
        only_a, only_b = int((one > other).sum()), int((other > one).sum())
        exact.append(mcnemar(only_a, only_b, "exact") < 0.05)
        ours.append(_decided(runs.gold, one[None], other[None]))
        others = np.delete(runs.right, [a, b], axis=0).mean(axis=1)
        known.append(_decided(runs.gold, one[None], other[None], float(others.std(ddof=1))))
    return {
        "McNemar, exact": _percent(exact),
        "`compare` (these two systems)": _percent(ours),
        "`compare --seed-sd` from the other 28 runs (recipes)": _percent(known),
    }


def several(runs: Runs, n: int, rng: np.random.Generator) -> float:
    """The share of draws of n + n different runs that `compare` calls different, in percent."""
    decided = []
    for _ in range(DRAWS):
        chosen = rng.permutation(len(runs.right))[: 2 * n]
        decided.append(_decided(runs.gold, runs.right[chosen[:n]], runs.right[chosen[n:]]))
    return _percent(decided)


def _decided(gold: np.ndarray, a: np.ndarray, b: np.ndarray, seed_sd: float | None = None) -> bool:
    found = compare_runs(ACCURACY, gold, a, b, seed_sd=seed_sd).difference
    return found.low > 0 or found.high < 0


def _percent(decided: list[bool]) -> float:
    return 100 * float(np.mean(decided))


# ----- (b) half of the items and 5 runs predict the rest ------------------------------------------------------------

Interval = tuple[float, float, float]


def ours(right: np.ndarray) -> Interval:
    found = runs_interval(ACCURACY, np.ones(right.shape[1], int), right)
    return found.value, found.low, found.high


def wilson_first(right: np.ndarray) -> Interval:
    """Wilson's interval of the mean of the runs, as if it were one run's share of right items."""
    found = wilson(float(right.mean()) * right.shape[1], right.shape[1])
    return found.value, found.low, found.high


def deviation(right: np.ndarray) -> Interval:
    """± t · sd/√n over the runs, as tables often print it."""
    scores = right.mean(axis=1)
    half = t_quantile(0.95, len(scores) - 1) * float(scores.std(ddof=1)) / np.sqrt(len(scores))
    return float(scores.mean()), float(scores.mean()) - half, float(scores.mean()) + half


METHODS: dict[str, Callable[[np.ndarray], Interval]] = {
    "Goldproof, runs × items": ours,
    "Wilson, items only": wilson_first,
    "mean ± t·sd/√5, runs only": deviation,
}


def splits(runs: Runs, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Draws of 5 runs × half of the items, and the other 25 × the other half."""
    n_runs, n_items = runs.right.shape
    for _ in range(DRAWS):
        chosen, items = rng.permutation(n_runs), rng.permutation(n_items)
        half = n_items // 2
        yield runs.right[np.ix_(chosen[:5], items[:half])], runs.right[np.ix_(chosen[5:], items[half:])]


def reference_error(runs: Runs) -> float:
    """The standard error of the mean of 25 runs on half of the items, from all 30 runs and all items, once."""
    n = runs.right.shape[1]
    encoded = ACCURACY.encode(runs.gold, runs.right)
    variance = summarise_runs(ACCURACY, encoded, np.arange(n, dtype=np.int64)).variance()
    seeds = max(variance.run_variance - variance.interaction, 0.0) * len(runs.right)
    interaction = variance.interaction * len(runs.right) * n
    items = max(variance.item_variance - variance.interaction, 0.0) * n
    return float(np.sqrt(seeds / 25 + items / (n / 2) + interaction / (25 * n / 2)))


def coverage(runs: Runs, rng: np.random.Generator) -> list[tuple[str, float, float, float]]:
    """For each method: coverage with the reference's error added in squares, raw coverage, mean width in points."""
    error = normal_quantile(0.95) * reference_error(runs)
    counted: dict[str, list[tuple[bool, bool, float]]] = {name: [] for name in METHODS}
    for sample, rest in splits(runs, rng):
        target = float(rest.mean())
        for name, method in METHODS.items():
            value, low, high = method(sample)
            wide_low, wide_high = value - np.hypot(value - low, error), value + np.hypot(high - value, error)
            counted[name].append((wide_low <= target <= wide_high, low <= target <= high, high - low))
    return [(name, *(100 * np.array(rows, float).mean(axis=0)).tolist()) for name, rows in counted.items()]


def main() -> None:
    for name in ("rte", "sib200"):
        runs = load(name)
        scores = 100 * runs.right.mean(axis=1)
        n_runs, n_items = runs.right.shape
        spread = f"{scores.mean():.1f} ± {scores.std(ddof=1):.1f}"
        print(f"## {name}: {n_runs} runs × {n_items} items, accuracy {spread} over runs\n")
        print("| the same recipe twice | called better or worse, % |\n|---|---|")
        for what, share in single_pairs(runs).items():
            print(f"| 435 pairs of single runs: {what} | {share:.1f} |")
        for n in (3, 5):
            share = several(runs, n, np.random.default_rng(n))
            print(f"| {DRAWS:,} draws of {n} and {n} runs: `compare` (recipes) | {share:.1f} |")
        print("\n| 5 runs × half of the items | coverage, % | raw coverage, % | mean width, points |")
        print("|---|---|---|---|")
        for what, covered, raw, width in coverage(runs, np.random.default_rng(0)):
            print(f"| {what} | {covered:.1f} | {raw:.1f} | {width:.1f} |")
        print(f"\nStandard error of the mean that is predicted: {100 * reference_error(runs):.2f} points.\n")


if __name__ == "__main__":
    main()
