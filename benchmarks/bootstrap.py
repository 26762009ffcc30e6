"""10,000 bootstrap resamples of per-category MCC (33 categories, 1,104 items, 6 seeds) against scipy with scikit-learn.

The peer is `scipy.stats.bootstrap` with `sklearn.metrics.matthews_corrcoef`, one call for each category and seed. It is
timed on a few cells with fewer resamples, of the category's items only (its fastest way), and scaled up to all cells,
since the whole would take the better part of an hour. The percentile intervals are compared on a few cells at the full
number of resamples, with all items resampled on both sides; two such intervals differ by Monte-Carlo noise, which is
printed beside the gap.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from scipy import stats
from sklearn.metrics import matthews_corrcoef

from goldproof.statistics.bootstrap import bootstrap_scores
from goldproof.statistics.metrics import metric

ITEMS, CATEGORIES, SEEDS = 1104, 33, 6


def make_data(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gold, predictions (seeds × items) and membership (items × categories; 20 to 150 items each)."""
    gold = (rng.random(ITEMS) < 0.42).astype(int)
    runs = np.where(rng.random((SEEDS, ITEMS)) < 0.65, gold, 1 - gold)
    members = np.zeros((ITEMS, CATEGORIES), bool)
    for category, size in enumerate(np.linspace(20, 150, CATEGORIES).astype(int)):
        members[rng.choice(ITEMS, size, replace=False), category] = True
    return gold, runs, members


def peer_interval(
    gold: np.ndarray, predicted: np.ndarray, draws: int, seed: int, members: np.ndarray | None = None
) -> tuple[float, float]:
    """The peer's percentile interval; with `members`, all items are resampled and only members scored."""
    chosen = np.ones(len(gold), bool) if members is None else members

    def score(truth: np.ndarray, guess: np.ndarray, inside: np.ndarray) -> float:
        kept = inside.astype(bool)  # scipy hands all columns over as one kind of number
        return float(matthews_corrcoef(truth[kept], guess[kept]))

    result = stats.bootstrap(
        (gold, predicted, chosen),
        score,
        paired=True,
        vectorized=False,
        n_resamples=draws,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    return float(result.confidence_interval.low), float(result.confidence_interval.high)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=10_000)
    parser.add_argument("--peer-draws", type=int, default=500, help="resamples of the peer's timing")
    parser.add_argument("--cells", type=int, default=3, help="cells on which the intervals are compared in full")
    options = parser.parse_args()
    gold, runs, members = make_data(np.random.default_rng(0))

    started = time.perf_counter()
    draws = bootstrap_scores(metric("mcc"), gold, runs, np.random.default_rng(1), options.draws, groups=members)
    ours = time.perf_counter() - started

    cells = [(seed, category) for category in range(0, CATEGORIES, 8) for seed in (0,)]
    started = time.perf_counter()
    for seed, category in cells:
        chosen = members[:, category]
        peer_interval(gold[chosen], runs[seed, chosen], options.peer_draws, 2)
    scale = options.draws / options.peer_draws * SEEDS * CATEGORIES / len(cells)
    peer = (time.perf_counter() - started) * scale

    print(f"{options.draws} resamples × {SEEDS} seeds × {CATEGORIES} categories of {ITEMS} items")
    print(f"goldproof: {ours:.2f} s")
    print(f"scipy + scikit-learn: {peer:.0f} s (timed on {len(cells)} cells, scaled up × {scale:.0f})")
    print(f"ratio: {peer / ours:.0f} ×")
    for category in np.linspace(8, CATEGORIES - 1, options.cells).astype(int):
        chosen = members[:, category]
        low, high = np.quantile(draws[:, 0, category], [0.025, 0.975])
        theirs = peer_interval(gold, runs[0], options.draws, 3, chosen)
        gap = max(abs(low - theirs[0]), abs(high - theirs[1]))
        # Error of a 2.5 % quantile of a normal distribution, for the difference of two of them.
        noise = draws[:, 0, category].std() * np.sqrt(2 * 0.025 * 0.975 / options.draws) / stats.norm.pdf(1.96)
        print(
            f"category {category}, n = {chosen.sum()}: goldproof [{low:.3f}, {high:.3f}], "
            f"scipy [{theirs[0]:.3f}, {theirs[1]:.3f}], largest gap {gap:.4f} (noise {noise:.4f})"
        )


if __name__ == "__main__":
    main()
