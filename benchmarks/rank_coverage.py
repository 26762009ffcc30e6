"""Simultaneous coverage of rank sets, and their size beside Holm-adjusted paired t tests, in `rank_designs.py`.

    python benchmarks/rank_coverage.py --out ranks.json [--only TEXT] [--boards N] [--models M] [--held-out] [--seed S]

A board counts as covered where no order is claimed that is not there: then all rank sets hold the true places at once.
The Holm column is a paired t test of each pair (over items by task with the same variance, or over tasks), adjusted
over all pairs, on the same boards.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np
from scipy import special

from goldproof.statistics.board import Board, PairReader, Pairs
from goldproof.statistics.multiplicity import holm
from goldproof.statistics.ranking import Ranking, rank_by_task, rank_pairs, rank_sets, read_pairs
from goldproof.statistics.run_spread import with_runs
from rank_designs import DRAWS, HELD_OUT, LEVEL, SEED, WORLDS, Drawn, World, draw

ALL = [*WORLDS, *HELD_OUT]


def board_of(world: World, drawn: Drawn) -> Board:
    """The board as `goldproof rank` makes it: means over runs, and what other runs would add."""
    scores = drawn.runs.mean(axis=1)
    board = Board(scores, drawn.tasks, np.ones(world.tasks), drawn.clusters)
    return with_runs(board, list(drawn.runs)) if world.runs > 1 else board


def judged(world: World, board: Board, rng: np.random.Generator) -> tuple[Ranking, np.ndarray]:
    """Our ranking, and who is better by Holm-adjusted paired t tests."""
    pairs = read_pairs(board)
    if world.question == "these tasks":
        found = rank_pairs(PairReader(board), pairs, rng, LEVEL, DRAWS)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.nan_to_num(np.abs(pairs.difference) / np.sqrt(pairs.variance))
        p = 2 * special.stdtr(pairs.df, -t)
    else:
        found = rank_by_task(pairs, rng, LEVEL, DRAWS)
        n = pairs.by_task.shape[1]
        error = np.maximum(pairs.by_task.std(axis=1, ddof=1), 1e-12) * np.sqrt(n)
        p = 2 * special.stdtr(n - 1, -np.abs(pairs.by_task.sum(axis=1)) / error)
    return found, _better(pairs, holm(np.minimum(p, 1.0)) <= 1 - LEVEL)


def _better(pairs: Pairs, shown: np.ndarray) -> np.ndarray:
    better = np.zeros((int(pairs.second.max()) + 1,) * 2, bool)
    up = shown & (pairs.difference > 0)
    down = shown & (pairs.difference < 0)
    better[pairs.first[up], pairs.second[up]] = True
    better[pairs.second[down], pairs.first[down]] = True
    return better


def run(world: World, boards: int, seed: int) -> dict[str, object]:
    """Coverage and mean size of the sets in one world."""
    start = time.process_time()
    rows = []
    for number in range(boards):
        rng = np.random.default_rng([seed, ALL.index(world), number])
        drawn = draw(world, rng)
        found, by_holm = judged(world, board_of(world, drawn), rng)
        wrong = drawn.truth[:, None] <= drawn.truth[None, :]
        rows.append(
            (
                not (found.better & wrong).any(),
                float((found.high - found.low + 1).mean()),
                not (by_holm & wrong).any(),
                _mean_size(by_holm),
                float(found.may_be_first.sum()),
            )
        )
    table = np.array(rows, float).mean(axis=0)
    keys = ("covered", "size", "holm_covered", "holm_size", "may_be_first")
    seconds = time.process_time() - start
    return {"world": world.name, "question": world.question, "models": world.models, "boards": boards} | {
        **{key: round(float(value), 4) for key, value in zip(keys, table, strict=True)},
        "seconds": round(seconds, 1),
    }


def _mean_size(better: np.ndarray) -> float:
    low, high = rank_sets(better)
    return float((high - low + 1).mean())


def main() -> None:
    """Run the worlds and write what came out after each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--models", type=int)
    parser.add_argument("--boards", type=int)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args()
    found = json.loads(given.out.read_text()) if given.out.exists() else []
    done = {row["world"] for row in found}
    worlds = HELD_OUT if given.held_out else WORLDS
    for world in sorted(worlds, key=lambda world: world.models):
        if given.only not in world.name or world.name in done or given.models not in (None, world.models):
            continue
        found.append(run(world, given.boards or world.boards, given.seed))
        given.out.write_text(json.dumps(found, indent=1))
        print(found[-1], file=sys.stderr)


if __name__ == "__main__":
    main()
