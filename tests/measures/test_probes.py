"""Probes agree with independent fits, choose on validation, and refuse what cannot be probed with a whole sentence."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from tests.measures.synthetic import planted, splits

from goldproof.errors import DataError, UsageError
from goldproof.measures.inputs import DenseInputs, SparseInputs
from goldproof.measures.layers import array_layers, join_layers, select_layers
from goldproof.measures.mlp import MlpSettings, fit_mlp
from goldproof.measures.probe_task import hold_out, majority_accuracy, probe_task
from goldproof.measures.probes import ProbeSettings, fit_grid, fit_probes
from goldproof.measures.sparse_probes import fit_sparse_probes, in_span

pytestmark = pytest.mark.needs("models")


@pytest.mark.parametrize("k", [2, 6])
def test_accuracies_are_those_of_scikit_learn(k):
    layers, task = planted(5000, [0.0, 0.7, 1.5], d=30, k=k)
    grid = fit_grid(layers, task)
    for layer in range(3):
        x = StandardScaler().fit(layers.layer(layer, task.train)).transform(layers.layer(layer))
        for place, l2 in enumerate(grid.settings.l2):
            peer = LogisticRegression(C=1 / (l2 * len(task.train)), max_iter=2000)
            peer.fit(x[task.train], task.codes[task.train])
            expected = peer.score(x[task.test], task.codes[task.test])
            assert grid.accuracy("test")[layer, place, 0] == pytest.approx(expected, abs=0.003)


def test_the_best_is_chosen_on_validation_and_the_stronger_penalty_wins_a_tie():
    layers, task = planted(900, [1.0, 8.0])
    grid = fit_grid(layers, task)
    chosen = grid.chosen()
    scores = grid.accuracy("validation")[:, :, 0]
    assert chosen.validation_accuracy[:, 0].tolist() == scores.max(axis=1).tolist()
    assert scores[1].tolist() == [1.0] * 5
    assert chosen.l2[1, 0] == 0.1
    assert chosen.correct.shape == (2, 1, len(task.test))
    assert chosen.test_accuracy[0, 0] == (chosen.predicted[0, 0] == task.codes[task.test]).mean()


def test_groups_of_layers_change_nothing(monkeypatch):
    layers, task = planted(600, [0.0, 1.0, 2.0])
    whole = fit_grid(layers, task)
    monkeypatch.setattr("goldproof.measures.probes.DEVICE_BYTES", {"cpu": 1})
    alone = fit_grid(layers, task)
    np.testing.assert_allclose(alone.accuracy("test"), whole.accuracy("test"), atol=0.01)


def test_penalties_in_parts_change_nothing(monkeypatch):
    layers, task = planted(600, [1.0])
    whole = fit_grid(layers, task)
    monkeypatch.setattr("goldproof.measures.logistic._LOGITS", {"cpu": 2 * 3 * 360})
    np.testing.assert_allclose(fit_grid(layers, task).accuracy("test"), whole.accuracy("test"), atol=0.01)


def test_scale_and_shift_of_features_play_no_part():
    layers, task = planted(600, [1.0])
    x = layers.layer(0)
    moved = array_layers((x * np.geomspace(0.01, 100, x.shape[1], dtype=np.float32) + 3)[:, None])
    same = fit_grid(layers, task).answers["test"] == fit_grid(moved, task).answers["test"]
    assert same.mean() > 0.995


def test_an_mlp_follows_a_plain_training_loop():
    """Without dropout, against torch's own layers and Adam from the same start, over the same minibatches."""
    layers, task = planted(400, [1.0], d=6)
    x = torch.from_numpy(layers.layer(0, task.train))[None]
    codes = torch.from_numpy(task.codes[task.train])
    held_out = torch.from_numpy(layers.layer(0, task.validation))[None], torch.from_numpy(task.codes[task.validation])
    settings = MlpSettings(hidden=5, dropout=0.0, batch=50, max_epochs=1)
    train, held_out = (DenseInputs(x), codes), (DenseInputs(held_out[0]), held_out[1])
    found = fit_mlp(train, held_out, 3, (0.1, 1e-3), (3,), settings)
    generator = torch.Generator().manual_seed(3)
    peer = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.Sigmoid(), torch.nn.Linear(5, 3))
    with torch.no_grad():
        for layer, n in ((peer[0], 6), (peer[2], 5)):
            layer.weight.copy_((torch.rand(n, layer.out_features, generator=generator).T * 2 - 1) / n**0.5)
            layer.bias.copy_((torch.rand(layer.out_features, generator=generator) * 2 - 1) / n**0.5)
    weights, biases = [peer[0].weight, peer[2].weight], [peer[0].bias, peer[2].bias]
    adam = torch.optim.Adam([{"params": weights, "weight_decay": 1e-3}, {"params": biases}], lr=1e-3)
    for rows in torch.randperm(len(codes), generator=torch.Generator().manual_seed(0)).split(50):
        adam.zero_grad()
        torch.nn.functional.cross_entropy(peer(x[0, rows]), codes[rows]).backward()
        adam.step()
    with torch.no_grad():
        torch.testing.assert_close(found.logits(DenseInputs(x))[0, :, 1, 0], peer(x[0]), atol=1e-5, rtol=1e-4)


def test_an_mlp_is_the_same_alone_and_among_others():
    layers, task = planted(300, [0.5, 1.5])
    small = MlpSettings(hidden=16, max_epochs=5, batch=64)
    together = fit_grid(layers, task, ProbeSettings("mlp", (1e-2, 1e-4), (0, 1), mlp=small))
    alone = fit_grid(select_layers(layers, [1]), task, ProbeSettings("mlp", (1e-4,), (1,), mlp=small))
    assert (together.answers["test"][1, 1, 1] == alone.answers["test"][0, 0, 0]).mean() > 0.99
    assert together.answers["test"].shape == (2, 2, 2, len(task.test))


def test_an_mlp_learns_what_a_line_cannot():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1200, 1, 4)).astype(np.float32)
    task = probe_task([str(int(label)) for label in x[:, 0, 0] * x[:, 0, 1] > 0], splits(1200))
    settings = ProbeSettings("mlp", (1e-5,), mlp=MlpSettings(hidden=64, learning_rate=0.02, batch=64, patience=20))
    assert fit_probes(array_layers(x), task, settings).test_accuracy[0, 0] > 0.85
    assert fit_probes(array_layers(x), task).test_accuracy[0, 0] < 0.65


def test_sparse_probes_agree_with_dense_ones():
    import scipy.sparse

    rng = np.random.default_rng(0)
    matrix = scipy.sparse.random(1000, 40, 0.3, "csr", np.float32, rng)
    dense = matrix.toarray()
    task = probe_task([str(int(v)) for v in dense[:, 0] + dense[:, 1] > dense[:, 2] + 0.3], splits(1000))
    sparse = fit_sparse_probes(matrix, task)
    assert sparse.test_accuracy[0, 0] > 0.9
    assert sparse.test_accuracy[0, 0] == pytest.approx(
        fit_probes(array_layers(dense), task).test_accuracy[0, 0], abs=0.04
    )


def test_an_mlp_on_sparse_features_is_the_one_on_the_same_dense_ones():
    import scipy.sparse

    matrix = scipy.sparse.random(300, 50, 0.2, "csr", np.float32, np.random.default_rng(0))
    codes = torch.from_numpy(np.asarray(matrix[:, 0].toarray()[:, 0] > 0, np.int64))
    settings = MlpSettings(hidden=8, max_epochs=4, batch=32)
    logits = []
    for inputs in (SparseInputs(matrix), DenseInputs(torch.from_numpy(matrix.toarray())[None])):
        sides = [(inputs.take(part), codes[part]) for part in (slice(200), slice(200, 300))]
        logits.append(fit_mlp(*sides, 2, (1e-2, 1e-4), (0, 1), settings).logits(inputs))
    torch.testing.assert_close(*logits, atol=1e-5, rtol=1e-4)


def test_the_span_of_training_items_keeps_every_product_with_them():
    import scipy.sparse

    rng = np.random.default_rng(0)
    train, test = (scipy.sparse.random(n, 500, 0.1, "csr", np.float32, rng) for n in (40, 15))
    train = scipy.sparse.vstack([train, train[[3]]]).tocsr()  # the same text twice: K has no inverse
    found = in_span({"train": train, "test": test})
    products = {split: (rows @ train.T).toarray() for split, rows in (("train", train), ("test", test))}
    for split, rows in found.items():
        np.testing.assert_allclose((rows[0] @ found["train"][0].T).numpy(), products[split], atol=2e-3)


def test_an_mlp_on_sparse_features_learns_what_a_line_cannot_and_its_penalties_go_in_parts(monkeypatch):
    import scipy.sparse

    rng = np.random.default_rng(0)
    dense = (rng.random((1200, 12)) < 0.5).astype(np.float32)
    task = probe_task([str(int(label)) for label in dense[:, 0] != dense[:, 1]], splits(1200))
    matrix = scipy.sparse.csr_matrix(dense)
    small = MlpSettings(hidden=32, learning_rate=0.02, batch=64, patience=20)
    settings = ProbeSettings("mlp", (1e-3, 1e-5), mlp=small)
    found = fit_sparse_probes(matrix, task, settings)
    assert found.test_accuracy[0, 0] > 0.9
    assert fit_sparse_probes(matrix, task).test_accuracy[0, 0] < 0.65
    many = scipy.sparse.hstack([matrix, scipy.sparse.random(1200, 1000, 0.002, "csr", np.float32, rng)]).tocsr()
    assert fit_sparse_probes(many, task, settings).test_accuracy[0, 0] > 0.85  # in the span of 720 items
    monkeypatch.setattr("goldproof.measures.sparse_probes.DEVICE_BYTES", {"cpu": 1})
    alone = fit_sparse_probes(matrix, task, settings)
    assert (alone.predicted == found.predicted).mean() > 0.99


def test_features_of_pairs_and_choices_of_layers():
    layers, _ = planted(30, [0.0, 1.0])
    joined = join_layers(layers, select_layers(layers, [1, 0]))
    np.testing.assert_array_equal(joined.layer(0), np.hstack([layers.layer(0), layers.layer(1)]))
    assert joined.n_features == 24


def test_held_out_items_hang_on_their_texts_alone():
    texts, labels = [f"text {i}" for i in range(100)], ["a", "b"] * 50
    chosen = hold_out(texts, labels, 0.2, seed=1)
    assert chosen.sum() == 20
    assert {labels[i] for i in np.flatnonzero(chosen)} == {"a", "b"}
    backwards = hold_out(texts[::-1], labels[::-1], 0.2, seed=1)
    assert chosen.tolist() == backwards[::-1].tolist()
    assert chosen.tolist() != hold_out(texts, labels, 0.2, seed=2).tolist()


def test_majority():
    task = probe_task(["a", "a", "b", "a", "b", "b"], ["train"] * 3 + ["validation", "test", "test"])
    assert majority_accuracy(task) == 0.0


NAN = planted(60, [0.0, 1.0])


def with_nan() -> None:
    x = np.stack([NAN[0].layer(0), NAN[0].layer(1)], axis=1)
    x[7, 1, 2] = np.nan
    fit_probes(array_layers(x), NAN[1])


BAD = {
    "one class": (
        lambda: probe_task(["a", "a", "b", "b"], ["train", "train", "validation", "test"]),
        DataError("all 2 training items have the label 'a'; a probe needs two"),
    ),
    "unseen label": (
        lambda: probe_task(["a", "b", "c", "b"], ["train", "train", "validation", "test"]),
        DataError("item 2 of validation has the label 'c', which no training item has; training items have: 'a', 'b'"),
    ),
    "many labels": (
        lambda: probe_task([*map(str, range(12)), "x", "0"], ["train"] * 12 + ["validation", "test"]),
        DataError(
            "item 12 of validation has the label 'x', which no training item has; training items have: '0', '1', "
            "'10', '11', '2', '3', '4', '5', '6', '7' and 2 more"
        ),
    ),
    "empty split": (
        lambda: probe_task(["a", "b", "a"], ["train", "train", "test"]),
        DataError("the split validation is empty; a probe needs items in train, validation, test"),
    ),
    "unknown split": (
        lambda: probe_task(["a"], ["dev"]),
        UsageError("a split is one of train, validation, test; got 'dev'"),
    ),
    "lengths": (
        lambda: probe_task(["a"], []),
        UsageError("each item needs a label and a split; got 1 labels and 0 splits"),
    ),
    "not finite": (
        with_nan,
        DataError(
            "the features of layer 1 are not all finite: 1 of 36 items have NaN or an infinite number, the first is "
            "item 7; leave such items out or compute them again in float32"
        ),
    ),
    "no L2": (lambda: ProbeSettings(l2=()), UsageError("L2 values must be above 0; got []")),
    "seeds": (
        lambda: ProbeSettings(seeds=(0, 1)),
        UsageError(
            "seeds must be one for a logistic probe, whose solution does not depend on it, and at least one for an "
            "mlp; got 2 for kind 'logistic'"
        ),
    ),
    "dropout": (lambda: MlpSettings(dropout=1.0), UsageError("dropout must be at least 0 and below 1; got 1.0")),
    "hidden": (lambda: MlpSettings(hidden=0), UsageError("hidden must be at least 1; got 0")),
    "share": (
        lambda: hold_out(["a"], ["b"], 1.0),
        UsageError("the share to hold out must be above 0 and below 1; got 1.0"),
    ),
    "shape": (
        lambda: array_layers(np.zeros(3)),
        UsageError("features must be items × layers × features, none of them 0; got the shape (3,)"),
    ),
    "layers": (
        lambda: select_layers(NAN[0], [2]),
        UsageError("layers go from 0 to 1; got [2]"),
    ),
    "sides": (
        lambda: join_layers(NAN[0], select_layers(NAN[0], [0])),
        UsageError("both sides must have the same items and layers; got (60, 2) and (60, 1)"),
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_with_a_whole_sentence(case):
    act, expected = BAD[case]
    with pytest.raises(type(expected)) as caught:
        act()
    assert str(caught.value) == str(expected)
