"""Fine-tuning as a job: grouped or alone, kept in a store or not, a seed gives the same logits."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from goldproof.data.dataset import Dataset
from goldproof.jobs import Results, Store, run_jobs, step
from goldproof.jobs.watch import STEPS, CutShortError, watched_by
from goldproof.models.fake import Fake
from goldproof.runners.serial import SerialRunner
from goldproof.training.job import train
from goldproof.training.recipe import Recipe, Seeds

pytestmark = pytest.mark.needs("models")

RECIPE = Recipe(task="text", epochs=1, batch=4, evaluations=2)


@step(version=1, name="tests.toy_corpus")
def toy_corpus(n: int, offset: int) -> Dataset:
    words = ("rain", "snow", "wind", "sun")
    rows = [
        {
            "id": f"{offset + i}",
            "text": f"a day of {words[(i + offset) % 4]} and {i % 3} clouds",
            "label": "wet" if i % 2 else "dry",
        }
        for i in range(n)
    ]
    return Dataset.from_rows("toy", rows)


def jobs(seeds):
    data, test = toy_corpus.job(24, 0), toy_corpus.job(8, 100)
    return [train.job(Fake(), data, {"test": test}, RECIPE, Seeds.all(seed)) for seed in seeds]


def test_a_seed_is_the_same_alone_grouped_and_without_a_store(tmp_path):
    store = Store(tmp_path / "store").open()
    outcomes = list(run_jobs(jobs(range(3)), store, SerialRunner()))
    assert Counter(o.status for o in outcomes) == {"done": 5}
    other = Store(tmp_path / "other").open()
    list(run_jobs(jobs([1]), other, SerialRunner()))
    grouped, alone = Results(store)[jobs([1])[0]], Results(other)[jobs([1])[0]]
    np.testing.assert_allclose(grouped.logits["test"], alone.logits["test"], atol=1e-5)
    direct = train(Fake(), toy_corpus(24, 0), {"test": toy_corpus(8, 100)}, RECIPE, Seeds.all(1))
    np.testing.assert_allclose(direct.logits["test"], alone.logits["test"], atol=1e-5)
    assert grouped.logits["test"].shape == (2, 8, 2)
    assert grouped.items["test"] == tuple(str(100 + i) for i in range(8))


def test_a_group_that_is_cut_short_keeps_what_was_finished_and_goes_on_from_a_snapshot(tmp_path):
    whole, cut = Store(tmp_path / "whole").open(), Store(tmp_path / "cut").open()
    list(run_jobs(jobs(range(3)), whole, SerialRunner()))
    n_steps = 0

    def stop_late(kind, amount):
        nonlocal n_steps
        n_steps += kind == STEPS
        if n_steps == 16:  # of 3 trainings with 6 steps each
            raise CutShortError

    with watched_by(stop_late), pytest.raises(CutShortError):
        list(run_jobs(jobs(range(3)), cut, SerialRunner()))
    assert [cut.has(job.key) for job in jobs(range(3))] == [True, True, False]
    assert (cut.scratch(jobs([2])[0].key) / "training.safetensors").exists()
    outcomes = list(run_jobs(jobs(range(3)), cut, SerialRunner()))
    assert [o.status for o in outcomes].count("done") == 1
    for job in jobs(range(3)):
        a, b = Results(cut)[job], Results(whole)[job]
        np.testing.assert_array_equal(a.logits["test"], b.logits["test"])
    assert Results(cut)[jobs([2])[0]].conduct.resumed_at == (4,)


def test_the_recipe_and_the_seeds_are_identity():
    (one,), (two,) = jobs([1]), jobs([2])
    assert one.key != two.key
    assert one.group() == two.group()


def test_other_labels_in_an_evaluation_set_are_named(tmp_path):
    store = Store(tmp_path / "store").open()
    strange = train.job(Fake(), toy_corpus.job(24, 0), {"test": strange_corpus.job()}, RECIPE, Seeds.all(1))
    failed = [o for o in run_jobs([strange], store, SerialRunner()) if o.status == "failed"]
    assert len(failed) == 1
    assert "'odd'" in failed[0].error


@step(version=1, name="tests.strange_corpus")
def strange_corpus() -> Dataset:
    return Dataset.from_rows("strange", [{"text": "a day of fog", "label": "odd"}])
