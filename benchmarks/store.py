"""Resuming a finished campaign of 10,000 jobs: time per job against one `os.stat` of the same record.

python benchmarks/store.py [--jobs 10000]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from goldproof.jobs import Store, run_jobs, step
from goldproof.runners.serial import SerialRunner


@step(version=1, name="benchmarks.identity")
def identity(x: int) -> int:
    return x


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=10_000)
    n = parser.parse_args().jobs
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "store").open()
        runner = SerialRunner()
        first = timed(lambda: sum(1 for _ in run_jobs([identity.job(i) for i in range(n)], store, runner)))
        paths = [store.folder / "records" / job.key[:2] / f"{job.key}.json" for job in map(identity.job, range(n))]
        names = [str(path) for path in paths]
        stat = min(timed(lambda: [os.stat(name) for name in names]) for _ in range(5))  # noqa: PTH116
        make = min(timed(lambda: [identity.job(i) for i in range(n)]) for _ in range(5))
        jobs = [identity.job(i) for i in range(n)]
        resume = min(timed(lambda: list(run_jobs(jobs, store, runner))) for _ in range(5))
        load = min(timed(lambda: [store.load(job.key) for job in jobs]) for _ in range(3))
    print(f"{n} jobs, small values, best of several")
    print(f"  first run, values committed   {first / n * 1e6:9.1f} us a job")
    print(f"  making the jobs (keys)        {make / n * 1e6:9.1f} us a job")
    print(f"  resuming: all are kept        {resume / n * 1e6:9.1f} us a job")
    print(f"  loading a value, checked      {load / n * 1e6:9.1f} us a job")
    print(f"  one os.stat                   {stat / n * 1e6:9.1f} us")
    print(f"ratio of resuming to one os.stat: {resume / stat:.1f} (with making the jobs: {(resume + make) / stat:.1f})")


def timed(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
