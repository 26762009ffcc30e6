"""Coarse probing: groups of features in pairs of sentences, before and after the encoder was fine-tuned."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from goldproof.data.dataset import Dataset
from goldproof.jobs.plan import all_jobs
from goldproof.measures.probes import ProbeSettings
from goldproof.models.readout import Readout
from goldproof.models.scratch import Scratch
from goldproof.models.tiny import write_tiny_model
from goldproof.models.transformer import transformer
from goldproof.report.summary import Missing
from goldproof.studies.probing import TINY, Config, coarse
from goldproof.studies.probing.coarse import coarse_jobs
from goldproof.studies.probing.findings.coarse import _change
from goldproof.studies.probing.settings import Coarse
from goldproof.training.recipe import Seeds


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> str:
    return str(write_tiny_model(tmp_path_factory.mktemp("models") / "tiny", ["Anna", "sees"]))


def pairs_of(name: str, n: int) -> Dataset:
    """Pairs of which every second has the word today, and the tag that goes with it."""
    rows = [
        {"id": f"{name}-{i}", "text": f"Anna sees Carl {'today' if i % 2 else 'here'}.", "pair": f"A {name} {i}.",
         "label": ["entailment", "not_entailment"][i // 2 % 2], "tags": ["Temporal"] if i % 2 else ["Core args"]}
        for i in range(n)
    ]  # fmt: skip
    return Dataset.from_rows(name, rows)


@pytest.fixture(scope="module")
def coarse_sets() -> dict[str, Dataset]:
    return {
        name: pairs_of(name, n) for name, n in (("train", 60), ("validation", 20), ("test", 30), ("diagnostics", 40))
    }


@pytest.fixture(scope="module")
def coarse_tasks(coarse_sets) -> coarse.CoarseTasks:
    return coarse.coarse_tasks(coarse_sets, {name: coarse.toy_features(data) for name, data in coarse_sets.items()})


def test_coarse_tasks_ask_for_any_feature_of_a_group(coarse_tasks):
    assert Counter(coarse_tasks.splits) == {"train": 80, "validation": 30, "test": 40}
    assert coarse_tasks.found["logic"].tolist() == [i % 2 == 1 for n in (60, 20, 30, 40) for i in range(n)]
    assert coarse_tasks.found["lexical-semantics"].all()
    assert coarse_tasks.tagged["predicate-argument-structure"].tolist() == [i % 2 == 0 for i in range(40)]


@pytest.mark.needs("models")
def test_an_instance_is_probed_alike_alone_and_with_others_and_keeps_no_weights(
    tmp_path, coarse_sets, coarse_tasks, monkeypatch
):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "torch"))  # else torch makes it in our folder
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    model, train = Scratch(hidden=32, n_heads=2), coarse_sets["train"]
    plan = coarse.CoarsePlan(TINY.coarse.recipe, Readout(), ProbeSettings("logistic", (1e-1, 1e-3)), True)
    every = [
        {"model": model, "train": train, "tasks": coarse_tasks, "plan": plan, "seeds": Seeds.all(seed)}
        for seed in (0, 1)
    ]
    together = coarse.tune_together(every)
    alone = coarse.probe_tuned(**every[1])
    assert (together[1].probes["logic"].predicted == alone.probes["logic"].predicted).mean() > 0.97
    assert alone.probes["logic"].accuracy.max() == 1.0  # a word tells
    assert alone.reasons["lexical-semantics"] == (
        "Lexical semantics: all 80 training items have the label 'yes'; a probe needs two"
    )
    untrained = coarse.probe_pretrained(model, train, coarse_tasks, plan)
    assert untrained.probes["logic"].layers == (0, 1, 2)
    assert list(temporary.iterdir()) == []


@pytest.mark.needs("models")
def test_coarse_probing_of_published_corpora_is_planned_with_the_annotator(published, folder):
    config = Config(
        model=(folder,),
        data=replace(TINY.data, corpus="xprobe", root=str(published)),
        coarse=Coarse(model=folder, seeds=(0, 1)),
    )
    planned = list(coarse_jobs(config).values())
    steps = Counter(job.step.name for job in all_jobs(planned))
    assert steps["goldproof.annotate_features"] == 4
    assert planned[-1].group() == planned[-2].group() != planned[-3].group()


@pytest.mark.needs("models")
def test_coarse_probing_of_a_random_model_has_random_weights(folder):
    choice = Coarse(model=f"random:{folder}", seeds=(0,))
    config = replace(TINY, model=(f"random:{folder}",), coarse=choice)
    probed = {job.arguments["model"] for (_, what), job in coarse_jobs(config).items() if what != "tasks"}
    assert probed == {transformer(folder, random_weights=True)}


def test_a_change_has_an_interval_only_where_the_seeds_give_one():
    changed = _change(np.array([-0.02, 0.0, -0.01]))
    assert (changed.value, changed.n) == (pytest.approx(-0.01), 3)
    assert changed.low < changed.value < changed.high
    assert _change(np.array([0.01])) == Missing("needs at least two seeds")
    assert _change(np.zeros(3)) == Missing("no change with any seed")
