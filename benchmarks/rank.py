"""How long a ranking takes and how much memory: two boards of the sizes that are promised.

    python benchmarks/rank.py

181 models × 41 tasks (of 25 items), 10,000 draws, both questions, below 10 s on two cores; 100 models × 10,000 items ×
3 runs within a memory that does not grow with draws. Each board runs in a process of its own; memory is the most that
the process held, with the imports and the board itself.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

import numpy as np

from goldproof.statistics.board import Board, PairReader
from goldproof.statistics.ranking import rank_by_task, rank_pairs, read_pairs
from goldproof.statistics.run_spread import with_runs

BOARDS = {
    "181 models × 41 tasks": (181, 41, 25, 1, 0.0),
    "181 models × 41 tasks, 5 % missing": (181, 41, 25, 1, 0.05),
    "100 models × 10,000 items × 3 runs": (100, 10, 1000, 3, 0.0),
}


def measure(name: str) -> dict[str, float | str]:
    """Rank one board under both questions."""
    m, n_tasks, items, n_runs, missing = BOARDS[name]
    rng = np.random.default_rng(0)
    tasks = np.repeat(np.arange(n_tasks), items)
    strength = 0.6 + 0.1 * rng.standard_normal((m, 1, 1))
    runs = (rng.random((m, n_runs, len(tasks))) < strength).astype(float)
    if missing:
        runs[np.broadcast_to(rng.random((m, 1, len(tasks))) < missing, runs.shape)] = np.nan
    start, processor = time.perf_counter(), time.process_time()
    board = Board(runs.mean(axis=1), tasks, np.ones(n_tasks))
    board = with_runs(board, list(runs)) if n_runs > 1 else board
    pairs = read_pairs(board)
    found = rank_pairs(PairReader(board), pairs, np.random.default_rng(1))
    over_tasks = rank_by_task(pairs, np.random.default_rng(1))
    return {
        "board": name,
        "seconds": round(time.perf_counter() - start, 1),
        "processor seconds": round(time.process_time() - processor, 1),
        "MiB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "pairs told apart": f"{found.n_shown} and {over_tasks.n_shown} of {len(pairs.first)}",
    }


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(sys.argv[1]), ensure_ascii=False))
    else:
        for board_name in BOARDS:
            subprocess.run([sys.executable, __file__, board_name], check=True)
