"""Intervals of the mean of a score per item: how often the true mean lies inside, and how wide they are beside t's.

    OMP_NUM_THREADS=1 python benchmarks/item_scores.py [--repetitions 4000] [--out FILE.md]

The designs were written down before the method that must pass them: at least 92 % in each, and at n = 1,000 a width of
at most 1.1 × that of Student's t over items (of the items' means over repeats; of cluster means' sandwich for
clusters). An item's difficulty p is drawn from Beta(2m, 2(1 − m)), m the true mean; its score is right or wrong with
chance p, thirds (right answers of three, over 3), or continuous from Beta(4p, 4(1 − p)). Clusters are of 1, 2 and 3
items in turn and share p. Four repeats draw an item's score anew from the same p.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import special

from goldproof.statistics.arrays import group_codes
from goldproof.statistics.clusters import cluster_df, cluster_shares, cluster_variance
from goldproof.statistics.item_scores import item_scores_interval

LEVEL, SEED = 0.95, 20_261
ITEMS, MEANS, KINDS = (20, 50, 200, 1000), (0.02, 0.5, 0.97), ("0/1", "thirds", "continuous")
STRUCTURES = ("plain", "clusters", "repeats", "clusters and repeats")
N_REPEATS = 4


@dataclass(frozen=True)
class Design:
    """How many items, their true mean, the kind of score, and what repeats or goes together."""

    n: int
    mean: float
    kind: str
    structure: str

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray | None]:
        """Scores, runs × items, and the items' clusters."""
        clusters = np.repeat(np.arange(self.n), np.resize([1, 2, 3], self.n))[: self.n]
        codes = clusters if "clusters" in self.structure else np.arange(self.n)
        p = rng.beta(2 * self.mean, 2 * (1 - self.mean), codes.max() + 1)[codes]
        shape = (N_REPEATS if "repeats" in self.structure else 1, self.n)
        if self.kind == "0/1":
            scores = (rng.random(shape) < p).astype(float)
        elif self.kind == "thirds":
            scores = rng.binomial(3, p, shape) / 3
        else:
            safe = np.clip(p, 1e-6, 1 - 1e-6)
            scores = rng.beta(4 * safe, 4 * (1 - safe), shape)
        return scores, codes if "clusters" in self.structure else None


def designs() -> Iterator[Design]:
    """All 144, the fewest items first."""
    for n in ITEMS:
        for structure in STRUCTURES:
            for kind in KINDS:
                for mean in MEANS:
                    yield Design(n, mean, kind, structure)


def t_bounds(scores: np.ndarray, clusters: np.ndarray | None) -> tuple[float, float]:
    """What people do: the mean of the items' means ± t · standard error (clustered where there are clusters)."""
    values, n = scores.mean(axis=0), scores.shape[1]
    codes = group_codes(clusters, n)
    shares = cluster_shares(codes)
    parts = np.bincount(codes, weights=values - values.mean()) / n
    half = special.stdtrit(cluster_df(shares), 0.5 + LEVEL / 2) * math.sqrt(cluster_variance(parts, shares))
    return values.mean() - half, values.mean() + half


def run(design: Design, repetitions: int) -> dict[str, float]:
    """Coverage and mean width of ours and of t, in one design."""
    rng = np.random.default_rng([SEED, *(hash_of(design))])
    inside, width = {"ours": 0, "t": 0}, {"ours": 0.0, "t": 0.0}
    for _ in range(repetitions):
        scores, clusters = design.draw(rng)
        estimate = item_scores_interval(scores, clusters, LEVEL, repeats=True)
        for name, (low, high) in {"ours": (estimate.low, estimate.high), "t": t_bounds(scores, clusters)}.items():
            inside[name] += low <= design.mean <= high
            width[name] += high - low
    return {
        "ours": inside["ours"] / repetitions,
        "t": inside["t"] / repetitions,
        "width": width["ours"] / repetitions,
        "t width": width["t"] / repetitions,
    }


def hash_of(design: Design) -> tuple[int, int, int, int]:
    """A design as numbers for its random draws."""
    return design.n, int(1000 * design.mean), KINDS.index(design.kind), STRUCTURES.index(design.structure)


def table(rows: list[tuple[Design, dict[str, float]]]) -> str:
    """A Markdown table, a row for each design."""
    lines = [
        "| items | structure | score | mean | coverage % | t % | width | of t's |",
        "|--:|---|---|--:|--:|--:|--:|--:|",
    ]
    for design, found in rows:
        ratio = found["width"] / found["t width"] if found["t width"] else math.nan
        lines.append(
            f"| {design.n:,} | {design.structure} | {design.kind} | {design.mean} | {100 * found['ours']:.1f} | "
            f"{100 * found['t']:.1f} | {found['width']:.4f} | {ratio:.2f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Run all designs, print the worst, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=4000)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    start, rows = time.perf_counter(), []
    for design in designs():
        rows.append((design, run(design, given.repetitions)))
        if rows[-1][1]["ours"] < 0.93:
            print(design, rows[-1][1], flush=True)
    coverage = np.array([found["ours"] for _, found in rows])
    large = [found["width"] / found["t width"] for design, found in rows if design.n == max(ITEMS)]
    said = (
        f"{len(rows)} designs × {given.repetitions:,}: coverage {100 * coverage.min():.1f} to "
        f"{100 * coverage.max():.1f} %, mean {100 * coverage.mean():.1f} %, "
        f"{(coverage < 0.92).sum()} below 92 %; widest at {max(ITEMS):,} items "
        f"{max(large):.3f} × t's; {time.perf_counter() - start:.0f} s"
    )
    print(said)
    if given.out:
        given.out.write_text(f"{said}\n\n{table(rows)}\n")


if __name__ == "__main__":
    main()
