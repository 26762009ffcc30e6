"""What a run says while it goes on, and when it cannot."""

from __future__ import annotations

import io
import re
from collections import Counter

import pytest
from rich.console import Console

from goldproof.cli import progress
from goldproof.cli.progress import MOST_SAID, drawn, following, summary_line
from goldproof.errors import StoreError
from goldproof.jobs import Outcome


def outcomes(*statuses):
    return [Outcome(f"{i:064x}", "step", f"step(x={i})", status, error="why") for i, status in enumerate(statuses)]


def said(stream):
    console = Console(file=io.StringIO(), width=200)
    follow(stream, console)
    return console.file.getvalue().splitlines()


def follow(stream, console):
    with following(9, console) as tell:
        for outcome in stream:
            tell(outcome)


def test_troubles_are_said_as_they_come():
    assert said(outcomes("done", "failed", "lost", "damaged", "skipped")) == [
        "failed: step(x=1) [000000000000]: why",
        "why; it is tried again: step(x=2)",
        "why; it is computed again: step(x=3)",
    ]


def test_a_lost_machine_does_not_fill_the_screen():
    assert len(said(outcomes(*["lost"] * 100))) == MOST_SAID


def test_what_became_of_the_jobs_is_said_before_the_reason_of_a_stop():
    def stops():
        yield from outcomes("done", "failed", "lost")
        raise StoreError("the store is full")

    console = Console(file=io.StringIO(), width=200)
    with pytest.raises(StoreError):
        follow(stops(), console)
    last = console.file.getvalue().splitlines()[-1]
    assert last == "stopped: 2 jobs: 1 done, 1 failed (1 lost and tried again)"


def test_the_summary_counts_ends_and_says_what_happened_on_the_way():
    assert summary_line(outcomes("done", "kept", "kept", "lost", "damaged", "failed", "skipped")) == (
        "5 jobs: 1 done, 2 kept, 1 failed, 1 skipped (1 damaged and computed again, 1 lost and tried again)"
    )


def test_any_count_is_drawn_with_what_it_counts(monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", -1)
    console = Console(file=io.StringIO(), width=200)
    with drawn(2000, console, "pairs") as draw:
        draw("pairs", Counter(done=500))
        draw("pairs", Counter(done=2000))
    first, second = console.file.getvalue().splitlines()
    assert re.fullmatch(r"pairs: 500/2000 · [\d.]+ a second · \d+ s left", first)
    assert re.fullmatch(r"pairs: 2000/2000 · [\d.]+ a second · 0 s left", second)


def test_a_terminal_gets_a_bar_and_no_lines(monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", -1)
    console = Console(file=io.StringIO(), width=80, force_terminal=True, force_interactive=True)
    with drawn(2000, console, "pairs") as draw:
        draw("single word", Counter(done=500))
    assert "single word" in console.file.getvalue()
    assert "pairs: 500" not in console.file.getvalue()
