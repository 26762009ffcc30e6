"""Progress: the stream of outcomes, or any count that grows, drawn on stderr with counts, rate and time left."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from goldproof.errors import GoldproofError
from goldproof.jobs import Outcome
from goldproof.jobs.outcome import PASSING

SECONDS_BETWEEN_LINES = 30
MOST_SAID = 20  # of each kind of passing trouble; the run's log in the store has more


Draw = Callable[[str, Counter[str]], None]


@contextmanager
def drawn(total: int, console: Console, of: str = "") -> Iterator[Draw]:
    """A function that draws how far the work is, to be called with what is at hand and the counts of outcomes so far.

    On a terminal it is a bar; elsewhere (a log, say) a line now and then. `of` says what is counted.
    """
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[state]}"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    task = bar.add_task(of or "jobs", total=total, state="")
    start = last = time.monotonic()

    def draw(what: str, counts: Counter[str]) -> None:
        nonlocal last
        now = time.monotonic()
        state = progress_line(counts, total, now - start)
        bar.update(task, completed=n_settled(counts), description=what[:40], state=state)
        if n_settled(counts) >= total:  # what comes after, such as a report, is not counted
            bar.stop()
        if not console.is_terminal and now - last > SECONDS_BETWEEN_LINES:
            console.print(f"{of}: {state}" if of else state, markup=False, highlight=False, soft_wrap=True)
            last = now

    with bar:
        yield draw


@contextmanager
def counted(of: str) -> Iterator[Callable[[str, int, int], None]]:
    """A function to be told what is at hand, how many steps are done and of how many: drawn from its first call on."""
    with ExitStack() as stack:
        draws: list[Draw] = []

        def tell(what: str, n_done: int, total: int) -> None:
            if not draws:
                draws.append(stack.enter_context(drawn(total, Console(stderr=True), of)))
            draws[0](what, Counter(done=n_done))

        yield tell


@contextmanager
def following(n_jobs: int, console: Console) -> Iterator[Callable[[Outcome], None]]:
    """A function to be told of each outcome as it comes: it draws them and prints what went wrong."""
    seen: list[Outcome] = []
    counts: Counter[str] = Counter()
    with drawn(n_jobs, console) as draw, _summary_if_stopped(seen, console):

        def tell(outcome: Outcome) -> None:
            seen.append(outcome)
            counts[outcome.status] += 1
            draw(outcome.description, counts)
            if outcome.status == "failed" or (outcome.status in PASSING and counts[outcome.status] <= MOST_SAID):
                say(outcome, console)

        yield tell


@contextmanager
def _summary_if_stopped(seen: list[Outcome], console: Console) -> Iterator[None]:
    """Say what became of the jobs so far when the run cannot go on."""
    try:
        yield
    except GoldproofError:
        if seen:
            console.print(f"stopped: {summary_line(seen)}", markup=False, highlight=False, soft_wrap=True)
        raise


def n_settled(counts: Counter[str]) -> int:
    """How many jobs have come to their end.

    >>> n_settled(Counter(kept=10, done=20, lost=2))
    30
    """
    return counts.total() - sum(counts[status] for status in PASSING)


def progress_line(counts: Counter[str], n_jobs: int, seconds: float) -> str:
    """Count, rate and time left in a few words.

    >>> progress_line(Counter(kept=10, done=20), 50, 4.0)
    '30/50 · 5.0 a second · 4 s left'
    """
    settled = n_settled(counts)
    ran = counts["done"] + counts["failed"]
    if not ran or seconds <= 0:
        return f"{settled}/{n_jobs}"
    rate = ran / seconds
    pace = f"{rate:.1f} a second" if rate >= 1 else f"{1 / rate:.1f} s each"
    return f"{settled}/{n_jobs} · {pace} · {duration((n_jobs - settled) / rate)} left"


def duration(seconds: float) -> str:
    """Seconds in the unit that a person would use.

    >>> duration(7), duration(200), duration(9000), duration(200_000)
    ('7 s', '3 min', '2.5 h', '2.3 d')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.1f} d"


def say(outcome: Outcome, console: Console) -> None:
    """Print what went wrong with a job."""
    if outcome.status == "failed":
        line = f"failed: {outcome.description} [{outcome.key[:12]}]: {outcome.error}"
    else:
        again = "tried" if outcome.status == "lost" else "computed"
        line = f"{outcome.error}; it is {again} again: {outcome.description}"
    console.print(line, markup=False, highlight=False, soft_wrap=True)


def summary_line(outcomes: Iterable[Outcome]) -> str:
    """What became of the jobs, in one line."""
    counts: Counter[str] = Counter(outcome.status for outcome in outcomes)
    parts = [f"{counts[status]} {status}" for status in ("done", "kept", "failed", "skipped") if counts[status]]
    again = {"damaged": "damaged and computed again", "lost": "lost and tried again"}
    passing = [f"{counts[status]} {what}" for status, what in again.items() if counts[status]]
    said = f" ({', '.join(passing)})" if passing else ""
    n_jobs = n_settled(counts)
    return f"{n_jobs} {'job' if n_jobs == 1 else 'jobs'}: {', '.join(parts) or 'none'}{said}"
