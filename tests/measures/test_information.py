"""Pointwise V-information against its definition, its bounds, and mutual information."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import mutual_info_score

from goldproof.errors import UsageError
from goldproof.measures.information import pointwise_information, solved_examples

probabilities = hnp.arrays(float, (6, 3), elements=st.floats(0.01, 1)).map(lambda a: a / a.sum(1, keepdims=True))


@given(seen=probabilities, blind=probabilities, gold=st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_bits(seen, blind, gold):
    found = pointwise_information(seen, blind, np.array(gold))
    by_hand = [np.log2(seen[i, y]) - np.log2(blind[i, y]) for i, y in enumerate(gold)]
    assert found.bits == pytest.approx(np.array(by_hand))
    assert found.mean.value == pytest.approx(np.mean(by_hand))
    swapped = pointwise_information(blind, seen, np.array(gold))
    assert swapped.bits == pytest.approx(-found.bits)
    order = np.random.default_rng(0).permutation(6)
    assert pointwise_information(seen[order], blind[order], np.array(gold)[order]).bits == pytest.approx(
        found.bits[order]
    )
    assert all(found.is_right[i] and found.bits[i] > 0 for i in solved_examples(found))


def test_the_mean_is_mutual_information_where_the_models_are_exact():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 3, 2000)
    y = np.where(rng.random(2000) < 0.7, x, rng.integers(0, 3, 2000))
    joint = np.array([[np.mean((x == a) & (y == b)) for b in range(3)] for a in range(3)])
    given_x = joint / joint.sum(1, keepdims=True)
    found = pointwise_information(given_x[x], joint.sum(0, keepdims=True), y)
    assert found.mean.value == pytest.approx(mutual_info_score(x, y) / np.log(2))
    assert found.mean.low < found.mean.value < found.mean.high


def test_a_certain_mistake_has_finite_bits():
    found = pointwise_information(np.array([[1.0, 0.0]] * 2), np.array([[0.5, 0.5]]), np.array([1, 0]))
    assert found.bits == pytest.approx([-38.863, 1.0], abs=1e-3)
    assert solved_examples(found) == [1]


def test_the_most_informative_come_first():
    seen = np.array([[0.6, 0.4], [0.9, 0.1], [0.2, 0.8], [0.7, 0.3]])
    assert solved_examples(pointwise_information(seen, np.array([[0.5, 0.5]]), np.array([0, 0, 0, 0]))) == [1, 3, 0]


@pytest.mark.parametrize(
    ("seen", "gold", "message"),
    [
        ([[0.5, 0.6]], [0], "with_input, row 0: probabilities must be from 0 to 1 and sum to 1; got [0.5 0.6]"),
        (
            [[0.5, 0.5], [1.5, -0.5]],
            [0, 0],
            "with_input, row 1: probabilities must be from 0 to 1 and sum to 1; got [ 1.5 -0.5]",
        ),
        ([0.5, 0.5], [0], "with_input must have a row for each example and a column for each class; got (2,)"),
        ([[0.5, 0.5]], [2], "gold must be column numbers from 0 to 1"),
        (
            [[0.5, 0.5]],
            [0, 1],
            "with_input, without_input and gold must be of the same examples and classes; "
            "got shapes (1, 2), (1, 2) and (2,)",
        ),
    ],
)
def test_wrong_use(seen, gold, message):
    with pytest.raises(UsageError) as error:
        pointwise_information(np.array(seen), np.array([[0.5, 0.5]]), np.array(gold))
    assert str(error.value) == message
