"""Layers of features: what probes, neurons and similarity read, whether it lies in memory or in mapped files.

`Layers` is a protocol; `array_layers` wraps an array, `join_layers` puts the features of two texts side by side and
`select_layers` leaves layers out. Nothing here computes features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from goldproof.errors import DataError, UsageError

Floats = npt.NDArray[np.float32]
RowNumbers = npt.NDArray[np.int64]


class Layers(Protocol):
    """Features of items at several layers, read one layer at a time."""

    @property
    def n_items(self) -> int:
        """How many items there are."""
        ...

    @property
    def n_layers(self) -> int:
        """How many layers there are."""
        ...

    @property
    def n_features(self) -> int:
        """How many features each layer has."""
        ...

    def layer(self, index: int, rows: RowNumbers | None = None) -> Floats:
        """Features of one layer, shape (rows, features), for all items or for those asked for."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class _ArrayLayers:
    array: npt.NDArray[Any]

    @property
    def n_items(self) -> int:
        return int(self.array.shape[0])

    @property
    def n_layers(self) -> int:
        return int(self.array.shape[1])

    @property
    def n_features(self) -> int:
        return int(self.array.shape[2])

    def layer(self, index: int, rows: RowNumbers | None = None) -> Floats:
        part = self.array[:, index] if rows is None else self.array[rows, index]
        return np.ascontiguousarray(part, np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class _JoinedLayers:
    first: Layers
    second: Layers

    @property
    def n_items(self) -> int:
        return self.first.n_items

    @property
    def n_layers(self) -> int:
        return self.first.n_layers

    @property
    def n_features(self) -> int:
        return self.first.n_features + self.second.n_features

    def layer(self, index: int, rows: RowNumbers | None = None) -> Floats:
        return np.concatenate([self.first.layer(index, rows), self.second.layer(index, rows)], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class _SelectedLayers:
    whole: Layers
    chosen: tuple[int, ...]

    @property
    def n_items(self) -> int:
        return self.whole.n_items

    @property
    def n_layers(self) -> int:
        return len(self.chosen)

    @property
    def n_features(self) -> int:
        return self.whole.n_features

    def layer(self, index: int, rows: RowNumbers | None = None) -> Floats:
        return self.whole.layer(self.chosen[index], rows)


def array_layers(array: npt.NDArray[Any]) -> Layers:
    """Layers of an array of shape (items, layers, features), or (items, features) for one layer.

    >>> array_layers(np.zeros((5, 3, 2))).n_layers
    3
    """
    array = np.asarray(array)
    array = array[:, None] if array.ndim == 2 else array
    if array.ndim != 3 or 0 in array.shape:
        raise UsageError(f"features must be items × layers × features, none of them 0; got the shape {array.shape}")
    return _ArrayLayers(array)


def join_layers(first: Layers, second: Layers) -> Layers:
    """The features of two texts side by side, as for pairs of sentences.

    >>> one = array_layers(np.zeros((5, 3, 2)))
    >>> join_layers(one, one).n_features
    4
    """
    shapes = [(part.n_items, part.n_layers) for part in (first, second)]
    if shapes[0] != shapes[1]:
        raise UsageError(f"both sides must have the same items and layers; got {shapes[0]} and {shapes[1]}")
    return _JoinedLayers(first, second)


def select_layers(layers: Layers, chosen: Sequence[int]) -> Layers:
    """Some of the layers, in the order asked for.

    >>> select_layers(array_layers(np.zeros((5, 3, 2))), [1, 2]).n_layers
    2
    """
    unknown = [index for index in chosen if not 0 <= index < layers.n_layers]
    if unknown or not chosen:
        raise UsageError(f"layers go from 0 to {layers.n_layers - 1}; got {list(chosen)}")
    return _SelectedLayers(layers, tuple(chosen))


def finite_layer(layers: Layers, index: int, rows: RowNumbers) -> Floats:
    """Features of a layer, or an error that names the first item with a number that is not finite."""
    found = layers.layer(index, rows)
    if np.isfinite(found @ np.ones(found.shape[1], np.float32)).all():  # one pass, where all is well
        return found
    bad = ~np.isfinite(found).all(axis=1)
    if bad.any():
        item = int(rows[int(np.argmax(bad))])
        raise DataError(
            f"the features of layer {index} are not all finite: {int(bad.sum())} of {len(rows)} items have NaN or an "
            f"infinite number, the first is item {item}; leave such items out or compute them again in float32"
        )
    return found
