"""Selectivity and description length tell a probe that memorises from one that reads a property."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from tests.measures.synthetic import planted, splits

from goldproof.errors import UsageError
from goldproof.measures.description_length import description_length
from goldproof.measures.layers import array_layers
from goldproof.measures.probe_task import probe_task
from goldproof.measures.probes import fit_probes
from goldproof.measures.selectivity import control_task, control_types, measure_selectivity

pytestmark = pytest.mark.needs("models")


def by_words(n_types: int = 60, d: int = 80, n: int = 1800) -> tuple[np.ndarray, list[str], np.ndarray]:
    """Texts that begin with one of some words, a vector for each word, and a property that is in no word."""
    rng = np.random.default_rng(0)
    words = rng.integers(0, n_types, n)
    identity = rng.normal(size=(n_types, d))[words]
    return identity + 0.1 * rng.normal(size=identity.shape), [f"w{word} goes" for word in words], rng.integers(0, 2, n)


def test_selectivity_separates_memory_of_words_from_a_property():
    identity, texts, property_ = by_words()
    labels = [f"{label}" for label in property_]
    readable = np.c_[6.0 * property_[:, None] + 0.1 * identity[:, :1], identity[:, 1:5]]
    task = probe_task(labels, splits(len(labels)))
    memory = control_task(task, control_types(texts), seed=9)  # a task that is nothing but memory of words
    reads = measure_selectivity(array_layers(readable), task, texts)
    memorises = measure_selectivity(array_layers(identity), memory, texts)
    assert reads.task[0] > 0.95
    assert memorises.task[0] > 0.95
    assert reads.difference[0].low > 0.2
    assert memorises.difference[0].high < 0.05
    assert reads.n_types == 60


def test_selectivity_by_sentence_shows_capacity():
    """With more features than items any labels can be memorised; with few they cannot."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, 500)
    task, texts = probe_task([str(c) for c in codes], splits(500)), [f"sentence {i}" for i in range(500)]
    signal = np.c_[4.0 * codes[:, None] + rng.normal(size=(500, 1)), rng.normal(size=(500, 4))]
    few = measure_selectivity(array_layers(signal), task, texts, by="sentence")
    many = measure_selectivity(array_layers(np.c_[signal, rng.normal(size=(500, 500))]), task, texts, by="sentence")
    assert few.difference[0].low > 0.2
    assert many.control[0] > 0.9
    assert many.difference[0].value < 0.1


def test_control_labels_hang_on_the_type_and_keep_the_distribution():
    _, task = planted(3000, [0.0], k=3)
    types = [f"type {i}" for i in range(3000)]
    control = control_task(task, types)
    assert control.codes.tolist() == control_task(task, types).codes.tolist()
    assert control.codes.tolist() != control_task(task, types, seed=1).codes.tolist()
    np.testing.assert_allclose(np.bincount(control.codes) / 3000, np.bincount(task.codes) / 3000, atol=0.03)


def test_description_length_is_short_for_what_is_easily_read():
    layers, task = planted(2000, [0.0, 1.0, 4.0], k=2)
    found = description_length(layers, task, seeds=(0, 1))
    assert found.uniform == len(task.train)
    compression = found.compression
    assert compression.shape == (3, 2)
    assert 0.85 < compression[0].mean() < 1.02
    assert 1.1 < compression[1].mean() < compression[2].mean()
    assert compression[2].mean() > 4


def test_description_length_separates_memory_from_a_property():
    """Both are learned well from all items; memory of many words needs many items before it predicts."""
    identity, texts, property_ = by_words(200, 250)
    task = probe_task([str(label) for label in property_], splits(len(texts)))
    memory = control_task(task, control_types(texts), seed=9)
    readable = np.c_[6.0 * property_[:, None] + 0.1 * identity[:, :1], identity[:, 1:5]]
    for x, probed in ((readable, task), (identity, memory)):
        assert fit_probes(array_layers(x), probed).test_accuracy[0, 0] > 0.95
    assert description_length(array_layers(readable), task).compression[0, 0] > 6
    assert description_length(array_layers(identity), memory).compression[0, 0] < 3


def test_the_code_is_the_sum_over_parts_of_plain_fits():
    """Against scikit-learn, part by part, with one L2 value."""
    layers, task = planted(1000, [1.5], d=5, k=3)
    found = description_length(layers, task, l2=(1e-2,), shares=(0.1, 0.4, 1.0))
    n = len(task.train)
    first = np.random.default_rng(0).permutation(n)
    order = first[np.random.default_rng(0).permutation(n)]
    x = layers.layer(0, task.train)
    x, codes = ((x - x.mean(0)) / x.std(0))[order], task.codes[task.train][order]
    bits = 60 * math.log2(3)
    for seen, upto in ((60, 240), (240, 600)):
        peer = LogisticRegression(C=1 / (1e-2 * seen), tol=1e-8, max_iter=5000).fit(x[:seen], codes[:seen])
        p = peer.predict_proba(x[seen:upto])[np.arange(upto - seen), codes[seen:upto]]
        bits -= np.log2((1 - 1 / (seen + 1)) * p + 1 / (seen + 1) / 3).sum()
    assert found.bits[0, 0] == pytest.approx(bits, rel=0.005)


def test_bad_settings():
    layers, task = planted(100, [0.0])
    with pytest.raises(UsageError, match=r"^shares must rise from above 0 to 1; got \[0\.5\]$"):
        description_length(layers, task, shares=(0.5,))
    with pytest.raises(UsageError, match=r"^control labels are given by word or by sentence; got 'letter'$"):
        control_types(["a"], "letter")
    with pytest.raises(UsageError, match=r"^each item needs a type; got 1 types for 100 items$"):
        control_task(task, ["a"])
