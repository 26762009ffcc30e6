"""The batched solver finds what scikit-learn finds, for every layer, penalty and number of classes."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from goldproof.measures.designs import DenseDesign, sparse_design
from goldproof.measures.logistic import Solver, cross_entropy, solve_logistic

pytestmark = pytest.mark.needs("models")

PENALTIES = (1e-1, 1e-3, 1e-5)


def make_layers(n_layers: int, n: int, d: int, k: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Correlated, standardised features and classes that hang on the first layer's."""
    generator = torch.Generator().manual_seed(seed)
    mix = torch.randn(n_layers, d, d, generator=generator) * torch.arange(1, d + 1) ** -0.7
    x = torch.randn(n_layers, n, d, generator=generator) @ mix
    x = (x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True)
    truth = x[0] @ torch.randn(d, k, generator=generator) + 2 * torch.randn(n, k, generator=generator)
    return x, truth.argmax(1)


@pytest.mark.parametrize("k", [2, 5])
def test_solutions_are_those_of_scikit_learn(k):
    x, codes = make_layers(2, 1500, 30, k, k)
    found = solve_logistic(DenseDesign(x), codes, k, PENALTIES, Solver(tolerance=1e-9))
    for layer in range(2):
        for place, penalty in enumerate(PENALTIES):
            peer = LogisticRegression(C=1 / (penalty * 1500), tol=1e-10, max_iter=10_000)
            peer.fit(x[layer].double().numpy(), codes.numpy())
            theta = found.theta[layer, :, place].double().numpy()
            theta = theta if k == 2 else theta - theta.mean(axis=1, keepdims=True)  # free up to a shift of all classes
            intercept = peer.intercept_ - (0 if k == 2 else peer.intercept_.mean())
            np.testing.assert_allclose(theta[:-1], peer.coef_.T, atol=0.01 * np.abs(peer.coef_).max())
            np.testing.assert_allclose(theta[-1], intercept, atol=0.01)


def test_the_start_on_a_part_of_the_items_changes_nothing():
    x, codes = make_layers(1, 70_000, 5, 3, 0)
    whole = solve_logistic(DenseDesign(x), codes, 3, PENALTIES, Solver(tolerance=1e-8)).theta
    peer = LogisticRegression(C=1 / (1e-3 * 70_000), tol=1e-10, max_iter=10_000).fit(x[0].numpy(), codes.numpy())
    theta = whole[0, :-1, 1].numpy()
    np.testing.assert_allclose(theta - theta.mean(1, keepdims=True), peer.coef_.T, atol=0.005)


def test_sparse_and_dense_designs_give_the_same():
    matrix = scipy.sparse.random(400, 50, 0.2, "csr", np.float32, np.random.default_rng(0))
    codes = torch.from_numpy((matrix[:, 0].toarray().ravel() + matrix[:, 1].toarray().ravel() > 0.2).astype(np.int64))
    tight = Solver(tolerance=1e-9)
    sparse = solve_logistic(sparse_design(matrix), codes, 2, PENALTIES, tight).theta
    dense = solve_logistic(DenseDesign(torch.from_numpy(matrix.toarray())[None]), codes, 2, PENALTIES, tight).theta
    assert float((sparse - dense).abs().max()) < 0.02 * float(dense.abs().max())


def test_a_layer_is_solved_the_same_alone_and_among_others():
    x, codes = make_layers(3, 800, 12, 3, 1)
    together = solve_logistic(DenseDesign(x), codes, 3, PENALTIES, Solver(tolerance=1e-9)).theta
    alone = solve_logistic(DenseDesign(x[1:2]), codes, 3, PENALTIES[1:2], Solver(tolerance=1e-9)).theta
    torch.testing.assert_close(together[1:2, :, 1:2], alone, atol=2e-3, rtol=2e-3)


def test_features_that_say_nothing_or_everything_do_no_harm():
    """A constant feature, a copy of another, and classes that a line separates."""
    x = torch.randn(1, 300, 4, generator=torch.Generator().manual_seed(0))
    x[:, :, 1], x[:, :, 2] = 0, x[:, :, 3]
    codes = (x[0, :, 3] > 0).long()
    found = solve_logistic(DenseDesign(x), codes, 2, (1e-2, 1e-8))
    assert torch.isfinite(found.theta).all()
    assert (
        ((DenseDesign(x).forward(found.theta)[0, :, :, 0] > 0).long() == codes[:, None]).float().mean(0) > 0.98
    ).all()


def test_many_features_go_by_the_diagonal(monkeypatch):
    """Where a matrix of all features would be too large the minimum is the same; flat directions may differ."""
    x, codes = make_layers(1, 600, 20, 3, 2)
    design, penalty = DenseDesign(x), torch.tensor(PENALTIES)

    def objective() -> torch.Tensor:
        theta = solve_logistic(design, codes, 3, PENALTIES, Solver(tolerance=1e-8)).theta
        ridge = penalty * theta[:, :-1].square().sum((1, 3)) / 2
        return cross_entropy(design.forward(theta), codes).value + ridge

    full = objective()
    monkeypatch.setattr("goldproof.measures.designs._WIDEST", 5)
    torch.testing.assert_close(objective(), full, atol=1e-5, rtol=0)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), k=st.integers(2, 4))
def test_order_of_items_plays_no_part(seed, k):
    x, codes = make_layers(1, 200, 6, k, seed)
    order = torch.randperm(200, generator=torch.Generator().manual_seed(seed))
    tight = Solver(tolerance=1e-8)
    one = solve_logistic(DenseDesign(x), codes, k, (1e-2,), tight).theta
    other = solve_logistic(DenseDesign(x[:, order]), codes[order], k, (1e-2,), tight).theta
    torch.testing.assert_close(one, other, atol=5e-3, rtol=5e-3)


@pytest.mark.parametrize("columns", [1, 4])
def test_residuals_are_the_derivative_of_the_loss(columns):
    logits = torch.randn(2, 7, 3, columns, dtype=torch.float64, requires_grad=True)
    codes = torch.arange(7) % max(columns, 2)
    loss = cross_entropy(logits.detach(), codes)
    both = torch.cat([torch.zeros_like(logits), logits], dim=3) if columns == 1 else logits
    plain = torch.stack(
        [torch.nn.functional.cross_entropy(both[a, :, b], codes) for a in range(2) for b in range(3)]
    ).reshape(2, 3)
    torch.testing.assert_close(loss.value, plain.detach())
    torch.testing.assert_close(loss.residual / 7, torch.autograd.grad(plain.sum(), logits)[0])


def test_long_and_short_lines_go_the_same_way(monkeypatch):
    """Products of long lines are taken by another routine."""
    x, codes = make_layers(2, 400, 12, 3, seed=5)
    tight = Solver(tolerance=1e-9)
    short = solve_logistic(DenseDesign(x), codes, 3, PENALTIES, tight).theta
    monkeypatch.setattr("goldproof.measures.lbfgs._LONG_LINE", 0)
    torch.testing.assert_close(
        solve_logistic(DenseDesign(x), codes, 3, PENALTIES, tight).theta, short, atol=2e-3, rtol=0
    )
