"""The array types of this layer, and the checks of shape that every function here shares."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from goldproof.errors import UsageError

Array = npt.NDArray[Any]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def check_same_length(**columns: Array) -> int:
    """The common length of the last axis of all named arrays, or an error that names each length.

    >>> check_same_length(gold=np.zeros(3), predicted=np.zeros((2, 3)))
    3
    """
    lengths = {name: int(np.shape(column)[-1]) for name, column in columns.items()}
    if len(set(lengths.values())) != 1:
        got = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise UsageError(f"the arrays must have the same number of items; got {got}")
    length = next(iter(lengths.values()))
    if length == 0:
        raise UsageError(f"at least one item is needed in {' and '.join(lengths)}; got none")
    return length


def check_level(level: float) -> float:
    """The confidence level, or an error when it is not inside (0, 1)."""
    if not 0.0 < level < 1.0:
        raise UsageError(f"the confidence level must be above 0 and below 1; got {level}")
    return level


def group_codes(clusters: Array | None, n: int) -> IntArray:
    """Codes 0, 1, … of the clusters of n items; without clusters every item is its own.

    >>> group_codes(np.array(["b", "a", "b"]), 3)
    array([1, 0, 1])
    """
    if clusters is None:
        return np.arange(n, dtype=np.int64)
    check_same_length(items=np.empty(n), clusters=np.asarray(clusters))
    return np.unique(np.asarray(clusters), return_inverse=True)[1].astype(np.int64).reshape(n)
