"""Neurons: planted ones are found, the solver is right, the order is the published one, ablation and overlap say so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from tests.measures.synthetic import splits

from goldproof.errors import UsageError
from goldproof.measures import elastic_net
from goldproof.measures.designs import DenseDesign
from goldproof.measures.elastic_net import NetSolver, Penalty, solve_elastic_net
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
    assert found.residual <= NetSolver().tolerance
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


def correlated(n: int, d: int, k: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Standardised features with a falling spectrum, as activations have, of which a few directions tell the class."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(n, d)) / np.arange(1, d + 1) ** 0.7
    x = hidden @ rng.normal(size=(d, d)) + 0.05 * rng.normal(size=(n, d))
    x = (x - x.mean(0)) / x.std(0)
    codes = (hidden[:, :8] @ rng.normal(size=(8, k)) + 0.3 * rng.normal(size=(n, k))).argmax(1)
    return x.astype(np.float32).astype(np.float64), codes


def solve(x: np.ndarray, codes: np.ndarray, pairs: list[Penalty], solver: NetSolver | None = None, precision="float32"):
    design = DenseDesign(torch.from_numpy(x.astype(precision))[None])
    k = int(codes.max()) + 1
    start = torch.zeros((1, x.shape[1] + 1, len(pairs), 1 if k == 2 else k), dtype=design.x.dtype)
    return solve_elastic_net(design, torch.from_numpy(codes), k, pairs, solver, start)


def saga(x: np.ndarray, codes: np.ndarray, pair: Penalty) -> np.ndarray:
    """Weights of scikit-learn's solution, features × classes."""
    total = pair.l1 + pair.l2
    peer = LogisticRegression(
        l1_ratio=pair.l1 / total, C=1 / (total * len(x)), solver="saga", tol=1e-8, max_iter=50_000
    )
    return peer.fit(x, codes).coef_.T


def objective(x: np.ndarray, codes: np.ndarray, theta: np.ndarray, pair: Penalty) -> float:
    logits = x @ theta[:-1] + theta[-1]
    logits = np.c_[np.zeros(len(x)), logits] if logits.shape[1] == 1 else logits
    loss = (np.logaddexp.reduce(logits, axis=1) - logits[np.arange(len(x)), codes]).mean()
    return float(loss + pair.l1 * np.abs(theta[:-1]).sum() + pair.l2 / 2 * (theta[:-1] ** 2).sum())


@pytest.mark.parametrize("k", [2, 3])
def test_solutions_are_those_of_scikit_learn(k):
    rng = np.random.default_rng(k)
    x = rng.normal(size=(500, 12)) @ rng.normal(size=(12, 12)) / 3
    x = (x - x.mean(0)) / x.std(0)
    codes = (x @ rng.normal(size=(12, k)) + rng.normal(size=(500, k))).argmax(1)
    pairs = [Penalty(0.02, 0.01), Penalty(1e-3, 1e-2), Penalty(0.3, 1e-3)]
    found = solve(x, codes, pairs, NetSolver(1e-4, 2000))
    assert (found.residual <= 1e-4).all()
    for place, pair in enumerate(pairs):
        expected = saga(x, codes, pair)
        theta = found.theta[0, :-1, place].numpy()
        np.testing.assert_allclose(theta, expected, atol=2e-3)
        assert ((theta == 0) == (np.abs(expected) < 1e-7)).mean() > 0.97


@pytest.mark.parametrize("k", [2, 3])
def test_correlated_features_at_the_default_tolerance_have_scikit_learns_support_and_order(k):
    """More features than items could tell apart: a rule on the size of steps ends here far from the optimum."""
    x, codes = correlated(300, 150, k)
    pairs = [Penalty(1e-2, 1e-2), Penalty(5e-3, 1e-2)]
    found = solve(x, codes, pairs, NetSolver(max_iterations=5000))
    assert (found.residual <= NetSolver().tolerance).all()
    for place, pair in enumerate(pairs):
        ours, expected = found.theta[0, :-1, place].double().numpy(), saga(x, codes, pair)
        tops = [set(order_neurons(weights)[0][:30].tolist()) for weights in (ours, expected)]
        assert len(tops[0] & tops[1]) >= 28
        assert ((ours != 0) == (np.abs(expected) > 1e-6)).mean() > 0.97


def test_the_residual_that_is_told_is_that_of_the_parameters_and_0_at_the_optimum():
    """By the KKT conditions, written out in double precision."""
    x, codes = correlated(300, 80, 2)
    pairs = [Penalty(1e-2, 1e-2), Penalty(3e-3, 1e-2)]
    for iterations in (5, 50, 2000):
        found = solve(x, codes, pairs, NetSolver(1e-4, iterations), "float64")
        for place, pair in enumerate(pairs):
            theta = found.theta[0, :, place, 0].numpy()
            wrong = 1 / (1 + np.exp(-(x @ theta[:-1] + theta[-1]))) - codes
            gradient = x.T @ wrong / len(x) + pair.l2 * theta[:-1]
            away = np.where(
                theta[:-1] != 0,
                np.abs(gradient + pair.l1 * np.sign(theta[:-1])),
                np.maximum(np.abs(gradient) - pair.l1, 0),
            )
            expected = max(away.max(), abs(wrong.mean())) / pair.l1
            assert float(found.residual[0, place]) == pytest.approx(expected, rel=1e-6)
    assert (found.residual <= 1e-4).all()


def test_a_penalty_alone_has_the_solution_it_has_among_others_and_more_iterations_go_on_from_there():
    x, codes = correlated(400, 60, 3)
    pairs = [Penalty(1e-1, 1e-2), Penalty(1e-2, 1e-2), Penalty(1e-2, 1e-3)]
    tight = NetSolver(1e-3, 2000)
    together = solve(x, codes, pairs, tight, "float64")
    for place, pair in enumerate(pairs):
        alone = solve(x, codes, [pair], tight, "float64")
        a, b = (found.numpy() for found in (together.theta[0, :, place], alone.theta[0, :, 0]))
        assert objective(x, codes, a, pair) == pytest.approx(objective(x, codes, b, pair), rel=1e-6)
        np.testing.assert_allclose(a[:-1], b[:-1], atol=5e-3)
    short = solve(x, codes, pairs, NetSolver(1e-3, 20), "float64")
    design = DenseDesign(torch.from_numpy(x)[None])
    longer = solve_elastic_net(design, torch.from_numpy(codes), 3, pairs, tight, short.theta)
    assert (longer.residual <= 1e-3).all()
    np.testing.assert_allclose(longer.theta[:, :-1], together.theta[:, :-1], atol=5e-3)


def test_penalties_in_parts_are_penalties_together(monkeypatch):
    x, codes = correlated(300, 40, 2)
    pairs = [Penalty(1e-1, 1e-2), Penalty(1e-2, 1e-2), Penalty(1e-3, 1e-2)]
    whole = solve(x, codes, pairs)
    monkeypatch.setattr(elastic_net, "_LOGITS", {"cpu": 600})
    np.testing.assert_allclose(solve(x, codes, pairs).theta, whole.theta, atol=1e-4)


def test_a_probe_that_has_not_converged_says_so():
    layers, task = planted_neurons(300)
    short = NeuronSettings((1e-2,), (1e-3,), solver=NetSolver(max_iterations=2), alone=2)
    found = rank_neurons(layers, task, short)
    assert found.residual > 0.1
    assert rank_neurons(layers, task, replace(short, alone=2000)).residual <= NetSolver().tolerance
    assert found.n_weights == (np.abs(found.weights).max(axis=2) > 0).sum()


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
