"""Neurons: planted ones are found, the solver is right, the order is the published one, ablation and overlap say so."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from tests.measures.synthetic import splits

from goldproof.errors import UsageError
from goldproof.measures.designs import DenseDesign
from goldproof.measures.elastic_net import Penalty, ProximalSolver, solve_elastic_net
from goldproof.measures.layers import array_layers
from goldproof.measures.neurons import NeuronSettings, ablate, neuron_overlap, order_neurons, rank_neurons
from goldproof.measures.probe_task import probe_task

pytestmark = pytest.mark.needs("models")

PLANTED = [3, 25, 41, 42, 57]


def planted_neurons(n: int = 1500, k: int = 3, seed: int = 0):
    """Three layers of 20 neurons; five of the sixty, three of them in the last layer, carry the class."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, k, n)
    x = rng.normal(size=(n, 60)).astype(np.float32)
    x[:, PLANTED] += 1.5 * rng.permuted(np.eye(k)[:, :1].repeat(5, 1), axis=0)[codes]
    return array_layers(x.reshape(n, 3, 20)), probe_task([str(code) for code in codes], splits(n))


def test_planted_neurons_are_found():
    layers, task = planted_neurons()
    found = rank_neurons(layers, task, NeuronSettings(share=5 / 60))
    assert sorted(found.top.tolist()) == PLANTED
    assert found.histogram.tolist() == [1, 1, 3]
    assert found.weights.shape == (3, 20, 3)
    assert found.test_accuracy > 0.6
    assert sorted(found.ordering.tolist()) == list(range(60))


def test_ablation_tells_the_planted_from_random_neurons_of_the_same_layers():
    layers, task = planted_neurons()
    kept = ablate(layers, task, np.array(PLANTED), "keep", rng=np.random.default_rng(0))
    removed = ablate(layers, task, np.array(PLANTED), "remove", rng=np.random.default_rng(0))
    assert kept.accuracy > max(kept.random)
    assert removed.accuracy < min(removed.random)
    assert kept.p_value == removed.p_value == pytest.approx(1 / 21)
    idle = ablate(layers, task, np.array([0, 21, 44, 45, 46]), "keep", rng=np.random.default_rng(0))
    assert idle.p_value > 0.1


def test_overlap_over_seeds():
    tops = []
    for seed in range(3):
        layers, task = planted_neurons()
        kept = np.random.default_rng(seed).permutation(task.train)[:600]
        part = probe_task(
            [task.classes[code] for code in task.codes],
            [
                "train" if row in set(kept.tolist()) else "test" if row in task.test else "validation"
                for row in range(1500)
            ],
        )
        tops.append(rank_neurons(layers, part, NeuronSettings((5e-2,), (1e-3,), share=5 / 60)).top)
    found, chance = neuron_overlap(tops, 60)
    assert found > 0.9
    assert chance < 0.06


def test_overlap_by_chance_is_what_random_sets_have():
    rng = np.random.default_rng(0)
    sets = [rng.choice(500, 100, replace=False) for _ in range(40)]
    found, chance = neuron_overlap(sets, 500)
    assert found == pytest.approx(chance, abs=0.005)


@pytest.mark.parametrize("k", [2, 3])
def test_solutions_are_those_of_scikit_learn(k):
    rng = np.random.default_rng(k)
    x = rng.normal(size=(500, 12)) @ rng.normal(size=(12, 12)) / 3
    x = (x - x.mean(0)) / x.std(0)
    codes = (x @ rng.normal(size=(12, k)) + rng.normal(size=(500, k))).argmax(1)
    pairs = [Penalty(0.02, 0.01), Penalty(1e-3, 1e-2), Penalty(0.3, 1e-3)]
    design = DenseDesign(torch.from_numpy(x.astype(np.float32))[None])
    found = solve_elastic_net(design, torch.from_numpy(codes), k, pairs, ProximalSolver(1e-6, 20_000))
    for place, pair in enumerate(pairs):
        total = pair.l1 + pair.l2
        peer = LogisticRegression(
            l1_ratio=pair.l1 / total, C=1 / (total * 500), solver="saga", tol=1e-8, max_iter=20_000
        ).fit(x, codes)
        theta = found[0, :-1, place].numpy()
        np.testing.assert_allclose(theta, peer.coef_.T, atol=2e-3)
        assert ((theta == 0) == (np.abs(peer.coef_.T) < 1e-7)).mean() > 0.97


def test_the_order_is_by_cumulative_mass_united_over_classes():
    """By hand. Class 0: shares .5 .3 .2 0 enter at 0 .5 .8 never; class 1: 0 .1 .2 .7 enter at never .9 .7 0."""
    weights = np.array([[0.5, 0.0], [-0.3, 0.1], [0.2, -0.2], [0.0, 0.7]])
    ordering, entry = order_neurons(weights)
    np.testing.assert_allclose(entry, [0.0, 0.5, 0.7, 0.0])
    assert ordering.tolist() == [3, 0, 1, 2]


def test_top_by_mass_and_neurons_without_weight():
    layers, task = planted_neurons()
    by_mass = rank_neurons(layers, task, NeuronSettings((3e-2,), (1e-3,), share=0.5, by="mass"))
    by_count = rank_neurons(layers, task, NeuronSettings((3e-2,), (1e-3,), share=1.0))
    weightless = (np.abs(by_count.weights).reshape(60, -1).max(1) == 0).sum()
    assert weightless > 0
    assert len(by_count.top) == 60 - weightless
    assert set(by_mass.top.tolist()) < set(by_count.top.tolist())


def test_a_probe_without_weights_has_no_top_neurons():
    layers, task = planted_neurons(300)
    found = rank_neurons(layers, task, NeuronSettings((10.0,), (1e-3,)))
    assert found.histogram.tolist() == [0, 0, 0]
    with pytest.raises(UsageError) as caught:
        ablate(layers, task, found.top, rng=np.random.default_rng(0))
    assert str(caught.value) == "there are no top neurons to ablate; the probe has no weight that is not zero"


def test_bad_settings():
    for make, message in (
        (lambda: NeuronSettings(share=0), "the share of top neurons must be above 0 and at most 1; got 0"),
        (lambda: NeuronSettings(by="size"), "top neurons are chosen by count or mass; got 'size'"),
        (
            lambda: NeuronSettings(l1=()),
            "L1 and L2 values must be at least 0; got [] and [0.1, 0.01, 0.001, 0.0001, 1e-05]",
        ),
        (lambda: neuron_overlap([np.array([1])], 3), "overlap needs at least two sets of neurons; got 1"),
    ):
        with pytest.raises(UsageError) as caught:
            make()
        assert str(caught.value) == message
