"""Two kills at random moments; `benchmarks/kills.py` kills hundreds of times, under each runner."""

from __future__ import annotations

from benchmarks.kills import run_rounds

SECONDS = 4.0  # about what the campaign takes; when a kill comes does not change what must be true after it


def test_killed_at_random_moments(tmp_path):
    tally = run_rounds("pool", 2, 1, tmp_path / "pool", SECONDS)
    assert tally.kills == 2
    assert tally.is_good, tally
