"""`goldproof status --watch`: a campaign under way, seen from another terminal: done, running, failed, time left."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from goldproof.cli.progress import duration, progress_line
from goldproof.jobs.outcome import PASSING
from goldproof.jobs.presence import SECONDS_UNTIL_STALE, AtWork, workers_at_work
from goldproof.jobs.runlog import Run, Trouble, read_runs

if TYPE_CHECKING:
    from goldproof.jobs import Store

SECONDS_BETWEEN_LOOKS = 2.0
MOST_LINES = 12


def watch(store: Store, study: str | None, as_json: bool, seconds: float = SECONDS_BETWEEN_LOOKS) -> int:
    """Show the runs under way on a store until none is left; without any, show the latest."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console()
    if as_json or not console.is_terminal:
        for runs, workers in _looks(store, study, seconds):
            if as_json:
                form = {"runs": [asdict(run) for run in runs], "running": [asdict(worker) for worker in workers]}
                typer.echo(json.dumps(form, ensure_ascii=False))
            else:
                typer.echo("\n".join(lines(runs, workers, time.time())))
        return 0
    with Live(console=console, auto_refresh=False) as live:
        for runs, workers in _looks(store, study, seconds):
            live.update(Text("\n".join(lines(runs, workers, time.time()))), refresh=True)
    return 0


def lines(runs: Iterable[Run], workers: Iterable[AtWork], now: float) -> list[str]:
    """What is to be said of the runs and workers, in lines of text."""
    shown = [line for run in runs for line in _run_lines(run, now)]
    at_work = [
        f"  running  {worker.job}{f' and {worker.beside} beside it' if worker.beside else ''}"
        f" on {worker.where} for {duration(now - worker.since)}"
        for worker in workers
    ]
    return [*shown, *_at_most(at_work)] or ["no study has been run with this store"]


def is_under_way(run: Run, now: float) -> bool:
    """Whether a run's driver has given news lately."""
    return run.state == "running" and now - run.updated < SECONDS_UNTIL_STALE


def _looks(store: Store, study: str | None, seconds: float) -> Iterator[tuple[list[Run], list[AtWork]]]:
    """What there is to see, every so many seconds, until no run is under way."""
    while True:
        runs = [run for run in read_runs(store) if study in (None, run.study)]
        now = time.time()
        under_way = [run for run in runs if is_under_way(run, now)]
        yield under_way or runs[-1:], workers_at_work(store, now) if under_way else []
        if not under_way:
            return
        time.sleep(seconds)


def _run_lines(run: Run, now: float) -> list[str]:
    counts = Counter(run.counts)
    pace = progress_line(counts, run.n_jobs, run.updated - run.started)
    said = ", ".join(f"{n} {status}" for status, n in sorted(counts.items())) or "nothing yet"
    head = f"{run.study} from {run.where}, {run.state}: {pace} ({said})"
    if run.state == "running" and not is_under_way(run, now):
        head += (
            f"; no news for {duration(now - run.updated)}: its driver is gone; the same command carries on from there"
        )
    if run.reason:
        head += f"; {run.reason}"
    failed = [trouble for trouble in run.troubles if trouble.status not in PASSING]
    passing = [trouble for trouble in run.troubles if trouble.status in PASSING]
    return [head, *_at_most(map(_trouble_line, failed)), *_at_most(map(_trouble_line, passing))]


def _trouble_line(trouble: Trouble) -> str:
    return f"  {trouble.status:<7}  {trouble.job} [{trouble.key[:12]}]: {trouble.error}"


def _at_most(found: Iterable[str]) -> list[str]:
    """The last few lines, and how many are not shown."""
    every = list(found)
    more = [f"  … and {len(every) - MOST_LINES} more"] if len(every) > MOST_LINES else []
    return [*every[-MOST_LINES:], *more]
