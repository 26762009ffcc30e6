"""A campaign to be killed: python campaign_script.py STORE JOURNAL SUMMARY RUNNER (serial, pool or ray@ADDRESS)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.steps import Journal, add, matrix, size, slow_square, total

from goldproof.jobs import Results, Store, run_jobs
from goldproof.runners.named import make_runner as named_runner


def make_runner(name: str, address: str | None = None):
    return named_runner(name, 2, address)


def jobs(journal: Journal):
    squares = [slow_square.job(i, 0.01, journal) for i in range(30)]
    sums = [add.job(100, seed, journal) for seed in range(8)]
    sizes = [size.job(matrix.job(n)) for n in (60, 61, 62)]
    return [total.job([*squares[i::3], *sums], journal) for i in range(3)] + sizes


if __name__ == "__main__":
    store, journal, summary, runner_name = sys.argv[1:]
    runner = make_runner(*runner_name.split("@"))
    wanted = jobs(Journal(journal))
    place = Store(store).open()
    outcomes = list(run_jobs(wanted, place, runner))
    runner.close()
    assert all(outcome.status in ("done", "kept") for outcome in outcomes), outcomes
    Path(summary).write_text(json.dumps([Results(place)[job] for job in wanted]))
