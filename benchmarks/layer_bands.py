"""Bands of the accuracies of 13 layers: how often all true accuracies lie inside together, and how wide the bands are.

    OMP_NUM_THREADS=1 python benchmarks/layer_bands.py [--repetitions 2000] [--items 20,100] [--out FILE.md]

The designs were written down before the method that must pass them: every design with at least 20 items at least
92 %, their mean at least 94 %; what 4 items give is reported. An item is right at layer k where a normal number lies
below Φ⁻¹(p_k); the 13 numbers of an item are independent, share one factor (correlation .5), or follow their
neighbours (.9, .81, …). With several seeds, the numbers of the seeds of a layer correlate by .7, and the accuracy is
the mean over seeds. Beside coverage stands the mean width, and that of exact intervals with Bonferroni's adjustment.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import special

from goldproof.statistics.bands import proportion_bands
from goldproof.statistics.bootstrap import bootstrap_scores
from goldproof.statistics.families import adjust_together, correlation_of
from goldproof.statistics.intervals import clopper_pearson, normal_quantile, wilson_bounds
from goldproof.statistics.metrics import metric
from goldproof.statistics.multiplicity import simultaneous_bands

N_LAYERS, LEVEL, SEED = 13, 0.95, 20_260
ITEMS = (4, 20, 100, 1000)
ACCURACIES = {
    ".5": np.full(N_LAYERS, 0.5),
    ".5 to .98": np.linspace(0.5, 0.98, N_LAYERS),
    ".9": np.full(N_LAYERS, 0.9),
    ".98": np.full(N_LAYERS, 0.98),
}
CORRELATIONS = {
    "none": np.eye(N_LAYERS),
    "one factor": np.full((N_LAYERS, N_LAYERS), 0.5) + 0.5 * np.eye(N_LAYERS),
    "neighbours": 0.9 ** np.abs(np.subtract.outer(np.arange(N_LAYERS), np.arange(N_LAYERS))),
}
SEEDS_CORRELATE = 0.7
Bounds = np.ndarray  # layers × (low, high)


@dataclass(frozen=True)
class Design:
    """True accuracies of the layers, how they go together, and how many items and seeds there are."""

    accuracies: str
    correlation: str
    n: int
    n_seeds: int = 1

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Whether each answer is right: layers × seeds × items."""
        root = np.linalg.cholesky(CORRELATIONS[self.correlation])
        shared = root @ rng.standard_normal((N_LAYERS, self.n))
        numbers = shared[:, None]
        if self.n_seeds > 1:
            own = rng.standard_normal((N_LAYERS, self.n_seeds, self.n))
            numbers = math.sqrt(SEEDS_CORRELATE) * numbers + math.sqrt(1 - SEEDS_CORRELATE) * own
        return numbers < special.ndtri(ACCURACIES[self.accuracies])[:, None, None]


def designs(items: tuple[int, ...] = ITEMS) -> Iterator[Design]:
    """All designs, the fewest items first; those with five seeds at the end."""
    for n in items:
        for accuracies in ACCURACIES:
            for correlation in CORRELATIONS:
                yield Design(accuracies, correlation, n)
    for n in items:
        for accuracies in (".5 to .98", ".98"):
            yield Design(accuracies, "neighbours", n, n_seeds=5)


def normal_bands(right: np.ndarray, rng: np.random.Generator) -> Bounds:
    """Accuracy ± max-T quantile · standard error, from 500 resamples of items; no width where they do not vary."""
    runs = right.reshape(-1, right.shape[-1]).astype(np.int64)
    scores = bootstrap_scores(metric("accuracy"), np.ones(runs.shape[1], np.int64), runs, rng, 500)
    resampled = scores.reshape(500, len(right), -1).mean(axis=2)
    values = right.mean(axis=(1, 2))
    found = simultaneous_bands(values, resampled, right.shape[-1], LEVEL)
    bounds = np.array([(band.low, band.high) for band in found])
    return np.where(np.isnan(bounds), values[:, None], bounds)


def exact_bands(right: np.ndarray, rng: np.random.Generator) -> Bounds:
    """Clopper–Pearson intervals at Bonferroni's level, the number of right items rounded where seeds are averaged."""
    n, level = right.shape[-1], 1 - (1 - LEVEL) / len(right)
    found = [clopper_pearson(round(float(p) * n), n, level) for p in right.mean(axis=(1, 2))]
    return np.array([(band.low, band.high) for band in found])


def wilson_bands(right: np.ndarray, rng: np.random.Generator) -> Bounds:
    """Wilson's bounds with the max-T quantile, at the number of items."""
    shares = right.mean(axis=1)
    level = adjust_together(np.ones(len(right)), correlation_of(np.cov(shares, bias=True)), LEVEL).level
    found = [wilson_bounds(float(p), right.shape[-1], normal_quantile(level)) for p in shares.mean(axis=1)]
    return np.array(found)


def mid_p_bands(right: np.ndarray, rng: np.random.Generator) -> Bounds:
    """The method of the package."""
    found = proportion_bands(right.mean(axis=1), right.shape[1], LEVEL)
    return np.array([(band.low, band.high) for band in found])


METHODS: dict[str, Callable[[np.ndarray, np.random.Generator], Bounds]] = {
    "mid-p, max-T": mid_p_bands,
    "Wilson, max-T": wilson_bands,
    "normal, max-T": normal_bands,
    "exact, Bonferroni": exact_bands,
}


def simulate(design: Design, repetitions: int, methods: list[str]) -> dict[str, tuple[float, float, float]]:
    """For each method: share of repetitions with all layers inside, mean width, share of bands of no width or outside
    0 to 1.
    """
    rng, truth = np.random.default_rng(SEED), ACCURACIES[design.accuracies]
    found = np.zeros((len(methods), 3))
    for _ in range(repetitions):
        right = design.draw(rng)
        for place, name in enumerate(methods):
            low, high = METHODS[name](right, rng).T
            inside = ((low <= truth + 1e-12) & (truth <= high + 1e-12)).all()
            bad = ((high - low < 1e-9) | (low < -1e-9) | (high > 1 + 1e-9)).mean()
            found[place] += inside, (high - low).mean(), bad
    return {name: tuple(row) for name, row in zip(methods, found / repetitions, strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--items", default=",".join(map(str, ITEMS)))
    parser.add_argument("--methods", default=",".join(METHODS).replace(", ", "; "), help="with ; for a comma in a name")
    parser.add_argument("--out", type=Path, help="where to write the table, as Markdown")
    options = parser.parse_args()
    methods = [name.replace("; ", ", ") for name in options.methods.split(",")]
    lines = [
        "| accuracies | layers correlate | items | seeds | "
        + " | ".join(f"{name}: % inside, width, % bad" for name in methods)
        + " |",
        "|---" * (4 + len(methods)) + "|",
    ]
    started, enough = time.perf_counter(), {name: [] for name in methods}
    for design in designs(tuple(map(int, options.items.split(",")))):
        found = simulate(design, options.repetitions, methods)
        cells = [f"{100 * a:.1f}, {100 * b:.1f}, {100 * c:.0f}" for a, b, c in found.values()]
        begin = f"| {design.accuracies} | {design.correlation} | {design.n} | {design.n_seeds} | "
        lines.append(begin + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
        for name in methods if design.n >= 20 else ():
            enough[name].append(found[name][0])
    for name, shares in enough.items():
        if shares:
            error = 100 * math.sqrt(LEVEL * (1 - LEVEL) / options.repetitions)
            lines.append(
                f"\n{name}, at least 20 items: mean {100 * np.mean(shares):.1f} %, lowest {100 * min(shares):.1f} % of "
                f"{len(shares)} designs; standard error {error:.1f} at {options.repetitions} repetitions."
            )
            print(lines[-1])
    print(f"{time.perf_counter() - started:.0f} s")
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
