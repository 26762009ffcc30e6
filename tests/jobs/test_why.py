"""`why` names the argument in which a job differs from the nearest one that was run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.steps import fails, slow_square, square, total

from goldproof.jobs import Step, Store, run_jobs
from goldproof.jobs.why import JobExplainer
from goldproof.runners.serial import SerialRunner


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "store").open()
    list(run_jobs([slow_square.job(2, 0.0), slow_square.job(9, 0.5e-3), fails.job(1)], store, SerialRunner()))
    return store


def test_a_job_in_the_store_is_kept(store):
    reason = JobExplainer(store).explain(slow_square.job(2, 0.0))
    assert reason.status == "kept"
    assert reason.text.startswith("its value is in the store: made 20")


def test_the_changed_argument_is_named(store):
    reason = JobExplainer(store).explain(slow_square.job(3, 0.0))
    assert reason.status == "changed"
    assert [(c.argument, c.before, c.after) for c in reason.changes] == [("x", "2", "3")]


def test_a_changed_need_is_followed(store):
    list(run_jobs([total.job([square.job(1), 5])], store, SerialRunner()))
    (change,) = JobExplainer(store).explain(total.job([square.job(2), 5])).changes
    assert change.argument == "numbers[0]"
    assert [(c.argument, c.before, c.after) for c in change.because] == [("x", "1", "2")]


def test_a_failed_job_says_why(store):
    reason = JobExplainer(store).explain(fails.job(1))
    assert (reason.status, reason.text) == ("failed", "its last try failed: ValueError: no 1 today")


def test_a_step_that_was_never_run_is_new(store):
    assert JobExplainer(store).explain(total.job([1])).status == "new"


def test_a_raised_version_is_named(store):
    newer = Step(slow_square.function, replace(slow_square.settings, version=2))
    (change,) = JobExplainer(store).explain(newer.job(2, 0.0)).changes
    assert (change.argument, change.before, change.after) == ("step version", "1", "2")
