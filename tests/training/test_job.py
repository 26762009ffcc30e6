"""Fine-tuning as a job: grouped or alone, kept in a store or not, a seed gives the same logits."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from goldproof.data.dataset import Dataset
from goldproof.jobs import Results, Store, run_jobs, step
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
