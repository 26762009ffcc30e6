"""Overhead per job of 1 ms on the serial, pool and ray runners, beside a loop, ProcessPoolExecutor.map and ray.get.

python benchmarks/scheduler.py [--jobs 10000] [--runners serial,pool,ray]

Promised: on ray no more than twice the time of ray.get. The peers keep nothing: their results are gone when they end.
Ours are committed and flushed to disk, one record a job.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ["PYTHONPATH"] = f"{ROOT}:{ROOT / 'src'}"

from benchmarks.naps import nap, nap_step  # noqa: E402

from goldproof.jobs import Runner, Store, run_jobs  # noqa: E402
from goldproof.runners.pool import PoolRunner  # noqa: E402
from goldproof.runners.serial import SerialRunner  # noqa: E402

WORKERS = 2


def ours(runner: Runner, n: int) -> float:
    """Seconds for n jobs on a runner whose workers are warm."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "store").open()
        list(run_jobs([nap_step.job(-i) for i in range(1, 50)], store, runner))
        jobs = [nap_step.job(i) for i in range(n)]
        return timed(lambda: list(run_jobs(jobs, store, runner)))


def plain_loop(n: int) -> float:
    return timed(lambda: [nap(i) for i in range(n)])


def plain_pool(n: int, chunk: int) -> float:
    with ProcessPoolExecutor(WORKERS, get_context("spawn")) as pool:
        list(pool.map(nap, range(50)))
        return timed(lambda: list(pool.map(nap, range(n), chunksize=chunk)))


def plain_ray(n: int) -> float:
    import ray

    task = ray.remote(nap)
    ray.get([task.remote(i) for i in range(50)])
    return timed(lambda: ray.get([task.remote(i) for i in range(n)]))


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def show(name: str, seconds: float, peer_name: str, peer: float, n: int, workers: int) -> None:
    ideal = n * 0.001 / workers
    overhead, peers = (seconds - ideal) / n * 1e6, (peer - ideal) / n * 1e6
    print(
        f"{name:<8} {seconds:7.2f} s, overhead {overhead:7.0f} us a job;  {peer_name:<28} {peer:7.2f} s, "
        f"overhead {peers:7.0f} us a job;  ratio of times {seconds / peer:5.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--runners", default="serial,pool,ray")
    arguments = parser.parse_args()
    n, runners = arguments.jobs, arguments.runners.split(",")
    print(f"{n} jobs of 1 ms, {WORKERS} workers where there are several")
    if "serial" in runners:
        show("serial", ours(SerialRunner(), n), "a plain loop", plain_loop(n), n, 1)
    if "pool" in runners:
        pool = PoolRunner(WORKERS)
        seconds = ours(pool, n)
        pool.close()
        show("pool", seconds, "ProcessPoolExecutor.map", plain_pool(n, 1), n, WORKERS)
        show("pool", seconds, "the same, chunks of 16", plain_pool(n, 16), n, WORKERS)
    if "ray" in runners:
        from goldproof.runners.ray import RayRunner

        place = RayRunner(workers=WORKERS)
        seconds = ours(place, n)
        show("ray", seconds, "ray.get of all tasks", plain_ray(n), n, WORKERS)
        place.close()


if __name__ == "__main__":
    main()
