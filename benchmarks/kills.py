"""Kill a campaign with SIGKILL at random moments and run it again: finished work is kept, and the summary is the same.

    python benchmarks/kills.py --kills 210 --seed 20      # in all, the same number for each runner
    python benchmarks/kills.py --kills 6 --runners pool

A round is `goldproof run demo` on a store of its own, killed again and again until it comes to its end. Where and when
is drawn from the seed: the driver, or (as often, where there are any) one of its workers, at a moment up to the time
that an undisturbed run takes. Python itself, the store, a job or the report may be under way. A job may lose its
worker twice and is given up at the third time, so that no campaign loses more than two. After each kill of a driver
every value in the store is read, and all that was there before must still be. At the end the files of the report are
compared, byte by byte, with those of an undisturbed serial run.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.waiting import ended, kill, living, started, wait_until  # noqa: E402

from goldproof.errors import GoldproofError  # noqa: E402
from goldproof.jobs import Store  # noqa: E402

RUNNERS = ("serial", "pool", "ray")
MOST_KILLS_OF_A_ROUND = 8
MOST_WORKERS_OF_A_RUN = 2
WORKER_SHARE = 1 / 2
FILES = ("summary.json", "report.html", "tables/accuracy.csv")
SETTINGS = (f"sizes={[*range(50, 200, 10)]}", "seeds=[0,1,2,3,4,5]")


@dataclass
class Tally:
    """What became of the rounds of a runner."""

    runner: str
    drivers: int = 0
    workers: int = 0
    rounds: int = 0
    jobs_kept: int = 0  # values that a killed driver left to the next, over all kills
    jobs_lost: int = 0  # values that were there before a kill and not after it
    damaged: int = 0
    identical: int = 0
    slowest_end: float = 0.0  # seconds until no process of a killed driver was left

    @property
    def kills(self) -> int:
        """Drivers and workers."""
        return self.drivers + self.workers

    @property
    def is_good(self) -> bool:
        """Nothing lost, nothing damaged, every summary the same."""
        return not self.jobs_lost and not self.damaged and self.identical == self.rounds


def command(runner: str) -> list[str]:
    """The campaign that is killed."""
    words = [sys.executable, "-m", "goldproof", "run", "demo", "--store", "store", "--out", "out", "--runner", runner]
    words += [] if runner == "serial" else ["--workers", "2"]
    return [*words, *(word for setting in SETTINGS for word in ("--set", setting))]


def environment() -> dict[str, str]:
    """One thread each, as the machine may have two cores."""
    return {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}", "OMP_NUM_THREADS": "1"}


def run_whole(runner: str, folder: Path) -> float:
    """Run the campaign undisturbed; the seconds that it took."""
    folder.mkdir(exist_ok=True)
    start = time.perf_counter()
    with started(command(runner), folder, environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        _, said = process.communicate()
    if process.returncode:
        raise SystemExit(f"the campaign ended with {process.returncode}: {said}")
    return time.perf_counter() - start


def files_of(folder: Path) -> list[bytes]:
    """The files of the report that are compared."""
    return [(folder / "out" / name).read_bytes() for name in FILES]


def workers_of(driver: int, runner: str) -> list[int]:
    """The processes that run jobs for a driver."""
    if runner == "pool":
        return [pid for pid, line in living("--ppid", driver).items() if "spawn_main" in line]
    if runner == "ray":
        return [pid for pid, line in living("--sid", driver).items() if line.startswith(("ray::_work", "ray::IDLE"))]
    return []


def values_in(store: Store, tally: Tally) -> set[str]:
    """The keys whose values load, each read whole; those that do not are counted."""
    if not store.folder.is_dir():
        return set()
    found = set()
    for key in sorted(store.stored_keys()):
        try:
            store.load(key)
            found.add(key)
        except GoldproofError as error:
            sys.stderr.write(f"{error}\n")
            tally.damaged += 1
    return found


def kill_once(process: subprocess.Popen[str], tally: Tally, rng: random.Random, may_be_worker: bool) -> bool:
    """Kill a worker or the driver; whether it was the driver."""
    at_worker, which = rng.random() < WORKER_SHARE, rng.random()
    workers = workers_of(process.pid, tally.runner) if at_worker and may_be_worker else []
    if workers:
        try:
            os.kill(workers[int(which * len(workers))], signal.SIGKILL)
            tally.workers += 1
            return False
        except ProcessLookupError:  # it ended by itself meanwhile
            return False
    start = time.perf_counter()
    kill(process)
    tally.drivers += 1
    wait_until(lambda: not living("--sid", process.pid), "the processes of a driver that was killed end")
    tally.slowest_end = max(tally.slowest_end, time.perf_counter() - start)
    return True


def run_and_kill(folder: Path, tally: Tally, rng: random.Random, seconds: float, most: int) -> bool:
    """Start the campaign and kill, workers first, up to `most` times; whether the campaign came to its end."""
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with started(command(tally.runner), folder, environment(), **pipes) as process:
        before, workers = tally.kills, tally.workers
        while tally.kills - before < most:
            try:
                process.wait(rng.random() * seconds)
            except subprocess.TimeoutExpired:
                if kill_once(process, tally, rng, tally.workers - workers < MOST_WORKERS_OF_A_RUN):
                    return False
            else:
                break
        code, said = ended(process), process.stderr.read() if process.stderr is not None else ""
    if code:
        raise SystemExit(f"{tally.runner}: a campaign whose worker was killed ended with {code}: {said}")
    return True


def run_round(folder: Path, tally: Tally, rng: random.Random, seconds: float, most: int) -> None:
    """One campaign on a new store, killed up to `most` times, and then run to its end."""
    folder.mkdir()
    store, kept, last = Store(folder / "store"), set[str](), tally.kills + most
    while tally.kills < last and not run_and_kill(folder, tally, rng, seconds, last - tally.kills):
        values = values_in(store, tally)
        tally.jobs_lost += len(kept - values)
        tally.jobs_kept += len(values)
        kept = values
    run_whole(tally.runner, folder)
    tally.jobs_lost += len(kept - values_in(store, tally))
    tally.rounds += 1


def run_rounds(runner: str, kills: int, seed: int, folder: Path, seconds: float | None = None) -> Tally:
    """Rounds until a runner's campaigns were killed so often; `folder` has what they leave."""
    folder.mkdir(parents=True)
    run_whole("serial", folder / "whole")
    expected = files_of(folder / "whole")
    seconds = run_whole(runner, folder / "timed") if seconds is None else seconds
    tally, rng = Tally(runner), random.Random(f"{seed}/{runner}")
    while tally.kills < kills:
        place = folder / f"round-{tally.rounds}"
        run_round(place, tally, rng, seconds, min(MOST_KILLS_OF_A_ROUND, kills - tally.kills))
        tally.identical += files_of(place) == expected
        sys.stderr.write(f"{tally}\n")
    return tally


def table(tallies: Sequence[Tally]) -> str:
    """The counts, as a table."""
    names = ("runner", "kills", "of drivers", "of workers", "rounds", "values kept", "jobs lost", "damaged values")
    lines = [f"| {' | '.join(names)} | identical | ended within, s |", "|---|" + "--:|" * (len(names) + 1)]
    for t in tallies:
        counts = (t.kills, t.drivers, t.workers, t.rounds, t.jobs_kept, t.jobs_lost, t.damaged)
        cells = [t.runner, *map(str, counts), f"{t.identical} of {t.rounds}", f"{t.slowest_end:.1f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=210, help="in all, shared by the runners")
    parser.add_argument("--runners", default=",".join(RUNNERS))
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--seconds", type=float, help="longest wait before a kill [what an undisturbed run takes]")
    given = parser.parse_args()
    runners = given.runners.split(",")
    with tempfile.TemporaryDirectory() as folder:
        each = -(-given.kills // len(runners))
        tallies = [run_rounds(name, each, given.seed, Path(folder) / name, given.seconds) for name in runners]
    print(table(tallies))
    return 0 if all(tally.is_good for tally in tallies) else 1


if __name__ == "__main__":
    sys.exit(main())
