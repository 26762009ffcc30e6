"""What jobs would take: told by the records of a store, by size where a step says it, else by the mean."""

from __future__ import annotations

from dataclasses import replace

import pytest

from goldproof.builders.entailment.steps import prepare_entailment
from goldproof.builders.entailment.toy import generate_entailment
from goldproof.jobs import Store, run_jobs, step
from goldproof.jobs.pace import Paces, kind_of, paces_of, sample_jobs, size_from
from goldproof.models.fake import Fake
from goldproof.runners.serial import SerialRunner
from goldproof.studies.stability.plan import extend
from goldproof.training.job import SAMPLE_STEPS, rows_passed, train
from goldproof.training.recipe import Recipe, Seeds

RECIPE = Recipe(task="pair", epochs=2, batch=4, evaluations=3)


@step(version=1, name="tests.paced", size=lambda given: given["n"], paced_by=("kind",))
def paced(kind: str, n: int) -> int:
    """A step whose time grows with n."""
    return n


@step(version=1, name="tests.unsized", paced_by=("kind",))
def unsized(kind: str, n: int) -> int:
    """A step that does not say how large it is."""
    return n


def record(job, seconds, size=None):
    return {"step": job.step.name, "arguments": job.form, "circumstances": {"seconds": seconds, "size": size}}


def training(n=40, extra=0, recipe=RECIPE):
    base = prepare_entailment.job(generate_entailment.job("en", n, seed=1), "train")
    rows = extend.job(base, generate_entailment.job("en", 100, seed=2), extra, 0) if extra else base
    held = prepare_entailment.job(generate_entailment.job("en", 10, seed=3), "validation", 5)
    return train.job(Fake(), rows, {"validation": held}, recipe, Seeds.all(0))


def test_times_lie_on_the_line_of_those_before():
    paces = paces_of([record(paced.job("a", 10), 6.0, 10), record(paced.job("a", 110), 16.0, 110)])
    guess = paces.guess(paced.job("a", 1000))
    assert (guess.seconds, guess.basis) == (pytest.approx(105), "size")


def test_without_a_size_a_job_takes_the_mean_of_its_kind():
    paces = paces_of([record(unsized.job("a", 1), 4.0), record(unsized.job("a", 2), 8.0)])
    assert paces.guess(unsized.job("a", 3)).seconds == 6.0
    assert paces.guess(unsized.job("b", 3)) is None  # another model's pace is no guide
    assert paces.guess(paced.job("a", 3)) is None
    # Records of an older version have no size.
    old = paces_of([{"step": "tests.paced", "arguments": {"kind": "a", "n": 5}, "circumstances": {"seconds": 2.0}}])
    assert old.guess(paced.job("a", 500)).basis == "mean"


def test_a_training_is_as_large_as_the_rows_that_pass_its_model():
    paces = Paces()
    # 40 rows in batches of 4 for 2 epochs are 20 steps, learned from (3 times), and 5 rows at each of 3 points.
    assert paces.size(training()) == 3 * 20 * 4 + 3 * 5
    assert paces.size(training(extra=20)) == 3 * 30 * 4 + 3 * 5
    assert paces.size(training(recipe=replace(RECIPE, steps=7, evaluations=1))) == 3 * 7 * 4 + 5
    assert rows_passed({"train": None, "evaluate": {}, "recipe": RECIPE}) is None


@pytest.mark.needs("models")
def test_the_worker_records_the_size_that_the_plan_told(tmp_path):
    store, job = Store(tmp_path / "store").open(), training(extra=20)
    assert {outcome.status for outcome in run_jobs([job], store, SerialRunner())} == {"done"}
    assert store.record(job.key)["circumstances"]["size"] == Paces().size(job)
    values = {name: job.arguments[name] for name in ("recipe",)}
    sets = {"validation": store.load(job.arguments["evaluate"]["validation"].key)}
    assert size_from(train, {**values, "train": store.load(job.arguments["train"].key), "evaluate": sets}) == 375


def test_samples_are_short_and_only_of_what_no_record_tells():
    jobs = [training(n) for n in (400, 40, 80)]
    (samples,) = sample_jobs(jobs, Paces())
    assert [sample.arguments["recipe"].steps for sample in samples] == list(SAMPLE_STEPS)
    assert {sample.arguments["train"].key for sample in samples} == {jobs[1].arguments["train"].key}
    assert {kind_of(sample) for sample in samples} == {kind_of(jobs[0])}
    assert sample_jobs(jobs, paces_of([record(jobs[0], 3.0, 100)])) == []
    assert sample_jobs([unsized.job("a", 1), unsized.job("a", 2)], Paces()) == [[unsized.job("a", 1)]]
