"""The boards of `rank_designs.py` judged by packages that give adjusted pairs over tasks; they are compared with only.

    python -m venv peers && peers/bin/pip install autorank==1.3.0 scikit-posthocs==0.17.1
    peers/bin/python benchmarks/rank_peers.py --boards 200 --out peers.json

It needs no goldproof: it draws the same boards from the same seeds. What they ask is which models have another *mean
rank* over tasks (Friedman's test, then Nemenyi's critical distance or Conover's test with Holm), not which have another
mean score. Where models are equal these are one question. A rank set is made as ours is, from who
is shown to be better than whom.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import scikit_posthocs
from autorank import autorank

from rank_designs import HELD_OUT, SEED, WORLDS, draw

NAMES = (
    "5 models × 8 tasks",
    "20 models × 8 tasks",
    "20 models × 20 tasks",
    "20 models × 20 tasks, two groups",
    "20 models × 41 tasks, separated",
)
ALL = [*WORLDS, *HELD_OUT]


def by_autorank(scores: pd.DataFrame) -> np.ndarray:
    """Friedman's test, then pairs whose mean ranks differ by more than Nemenyi's critical distance."""
    found = autorank(scores, alpha=0.05, verbose=False, force_mode="nonparametric")
    ranks = found.rankdf.meanrank.reindex(scores.columns).to_numpy()
    if found.pvalue >= 0.05 or found.cd is None:
        return np.zeros((len(ranks), len(ranks)), bool)
    return ranks[:, None] < ranks[None, :] - found.cd


def by_nemenyi(scores: pd.DataFrame) -> np.ndarray:
    """All pairs by Nemenyi's test after Friedman."""
    p = scikit_posthocs.posthoc_nemenyi_friedman(scores.to_numpy()).to_numpy()
    ranks = scores.rank(axis=1, ascending=False).mean().to_numpy()
    return (p < 0.05) & (ranks[:, None] < ranks[None, :])


def by_conover(scores: pd.DataFrame) -> np.ndarray:
    """All pairs by Conover's test after Friedman, with Holm's adjustment."""
    p = scikit_posthocs.posthoc_conover_friedman(scores.to_numpy(), p_adjust="holm").to_numpy()
    ranks = scores.rank(axis=1, ascending=False).mean().to_numpy()
    return (p < 0.05) & (ranks[:, None] < ranks[None, :])


METHODS = {
    "autorank, Nemenyi": by_autorank,
    "scikit-posthocs, Nemenyi": by_nemenyi,
    "scikit-posthocs, Conover-Holm": by_conover,
}


def main() -> None:
    """Judge every board by every method."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--boards", type=int, default=200)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found = [{"autorank": version("autorank"), "scikit-posthocs": version("scikit-posthocs")}]
    for name in NAMES:
        world = next(each for each in WORLDS if each.name == name)
        for method, judge in METHODS.items():
            rows, start = [], time.process_time()
            for number in range(given.boards):
                drawn = draw(world, np.random.default_rng([SEED, ALL.index(world), number]))
                means = [[row[drawn.tasks == t].mean() for row in drawn.runs[:, 0]] for t in range(world.tasks)]
                better = judge(pd.DataFrame(means, columns=[f"m{k:03d}" for k in range(world.models)]))
                wrong = drawn.truth[:, None] <= drawn.truth[None, :]
                size = world.models - better.sum(axis=0) - better.sum(axis=1)
                rows.append((not (better & wrong).any(), float(size.mean())))
            covered, mean_size = np.array(rows, float).mean(axis=0)
            row = {"world": name, "method": method, "boards": given.boards, "covered": round(float(covered), 4)}
            found.append({**row, "size": round(float(mean_size), 3), "seconds": round(time.process_time() - start, 1)})
            print(found[-1], flush=True)
            given.out.write_text(json.dumps(found, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
