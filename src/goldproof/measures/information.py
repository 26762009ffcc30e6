"""Pointwise V-information: how many bits an input gives a model about the label of each example.

Ethayarajh, Choi & Swayamdipta (2022), "Understanding dataset difficulty with V-usable information". Both sets of
probabilities come from models of one family: one that saw the input, and one trained and asked with the input empty.
Here the input may be the corrupted text, so that the bits left without a word class can be read off per example.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import mean_interval

_TOLERANCE = 1e-3
_SMALLEST = 1e-12  # a probability below this counts as this: at most 39.9 bits for one example


@dataclass(frozen=True, slots=True)
class UsableInformation:
    """The bits of each example, their mean with an interval, and which examples the model with input has right."""

    bits: FloatArray
    mean: Estimate
    is_right: Array


def pointwise_information(with_input: Array, without_input: Array, gold: Array) -> UsableInformation:
    """PVI(x → y) = −log2 p(y | ∅) + log2 p(y | x) for each example.

    `with_input` and `without_input` have a row of probabilities for each example (one row may stand for all in the
    second), `gold` the column of each example's label. The mean over examples estimates the V-information.

    >>> found = pointwise_information(np.array([[0.8, 0.2], [0.5, 0.5]]), np.array([[0.5, 0.5]]), np.array([0, 0]))
    >>> found.bits.round(3).tolist(), found.is_right.tolist()
    ([0.678, 0.0], [True, True])
    """
    seen, gold = _check("with_input", with_input), np.asarray(gold)
    blind = _check("without_input", without_input)
    if len(blind) == 1:
        blind = np.broadcast_to(blind, seen.shape)
    if blind.shape != seen.shape or gold.shape != seen.shape[:1]:
        raise UsageError(
            "with_input, without_input and gold must be of the same examples and classes; got shapes "
            f"{seen.shape}, {blind.shape} and {gold.shape}"
        )
    if gold.dtype.kind not in "iu" or gold.min() < 0 or gold.max() >= seen.shape[1]:
        raise UsageError(f"gold must be column numbers from 0 to {seen.shape[1] - 1}")
    rows = np.arange(len(gold))
    floor = _SMALLEST
    bits = np.log2(np.maximum(seen[rows, gold], floor)) - np.log2(np.maximum(blind[rows, gold], floor))
    return UsableInformation(bits, mean_interval(bits), seen.argmax(axis=1) == gold)


def solved_examples(information: UsableInformation) -> list[int]:
    """The examples that are right and have bits to spare, those with the most first: the list to read."""
    solved = np.flatnonzero(np.asarray(information.is_right, bool) & (information.bits > 0))
    return [int(i) for i in solved[np.argsort(-information.bits[solved], kind="stable")]]


def _check(name: str, probabilities: Array) -> FloatArray:
    array = np.asarray(probabilities, float)
    if array.ndim != 2 or 0 in array.shape:
        raise UsageError(f"{name} must have a row for each example and a column for each class; got {array.shape}")
    if not np.isfinite(array).all() or array.min() < 0 or np.abs(array.sum(axis=1) - 1).max() > _TOLERANCE:
        wrong = int(
            np.argmax(~np.isfinite(array).all(1) | (array.min(1) < 0) | (np.abs(array.sum(1) - 1) > _TOLERANCE))
        )
        raise UsageError(f"{name}, row {wrong}: probabilities must be from 0 to 1 and sum to 1; got {array[wrong]}")
    return array
