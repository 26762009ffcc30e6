"""Activations: vectors of every layer for many texts, read once and kept in mapped files for all later tasks.

The cache lies below jobs: its key is the reader's (model digest and readout) and the text, so a second task that
shares texts, or a second probe, costs no forward pass. Texts are deduplicated. Vectors are written in shards as they
are computed, so memory holds one shard, however many texts there are. Reading gives a lazy view.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldproof.errors import DataError
from goldproof.extras import require
from goldproof.measures.layers import Floats, RowNumbers
from goldproof.measures.shards import Shard, find_shards, write_shard
from goldproof.models.protocols import RUNNING
from goldproof.models.reading import LayerVectors, Reader, check_texts
from goldproof.models.readout import Readout
from goldproof.models.transformer import Transformer

SHARD_BYTES = 128 << 20
_FIRST = 256  # texts of the first shard, whose vectors tell how many fit in the others


@dataclass(frozen=True, slots=True, eq=False)
class Activations:
    """Vectors of texts, read from mapped files when asked for: see `goldproof.measures.layers.Layers`.

    Item i lies in shard `shard_of[i]` at row `row_of[i]`. `n_cut` texts were longer than the model takes and were
    cut; `n_computed` texts went through the model in this call, the others were in the cache.
    """

    shards: tuple[Shard, ...]
    shard_of: npt.NDArray[np.int32]
    row_of: npt.NDArray[np.int32]
    lengths: npt.NDArray[np.int32]
    n_cut: int
    n_computed: int

    @property
    def n_items(self) -> int:
        """How many texts there are, repeated ones included."""
        return len(self.shard_of)

    @property
    def n_layers(self) -> int:
        """How many layers there are, the embedding layer included."""
        return self.shards[0].layers

    @property
    def n_features(self) -> int:
        """How many features a layer has."""
        return self.shards[0].features

    def layer(self, index: int, rows: RowNumbers | None = None) -> Floats:
        """Features of one layer, shape (rows, features)."""
        chosen = np.arange(self.n_items) if rows is None else np.asarray(rows)
        found = np.empty((len(chosen), self.n_features), np.float32)
        owners = self.shard_of[chosen]
        for number in np.unique(owners):
            here = np.flatnonzero(owners == number)
            found[here] = self.shards[number].vectors()[index][self.row_of[chosen[here]]]
        return found


def find_device() -> str:
    """A GPU where there is one; where something is computed is no part of what it is."""
    require(RUNNING)
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def open_reader(model: Transformer, readout: Readout | None = None, *, device: str = "cpu") -> Reader:
    """A reader of a transformers model; loads torch and the weights."""
    require(RUNNING)
    from goldproof.models.layer_reader import LayerReader

    return LayerReader(model, readout, device=device)


def read_activations(
    reader: Reader, texts: Sequence[str], folder: str | Path, *, shard_bytes: int = SHARD_BYTES
) -> Activations:
    """Activations of the texts: from the cache in the folder where they are there, else computed and kept.

    >>> import tempfile
    >>> from goldproof.models.fake import Fake
    >>> from goldproof.models.reading import EncoderReader
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = read_activations(EncoderReader(Fake()), ["It rains.", "It snows.", "It rains."], folder)
    ...     again = read_activations(EncoderReader(Fake()), ["It snows."], folder)
    ...     (first.n_computed, again.n_computed, first.n_layers, first.layer(1).shape)
    (2, 0, 3, (3, 16))
    """
    check_texts(texts)
    place = Path(folder) / reader.key[:32]
    keys = _text_keys(texts)
    known = _Index(find_shards(place))
    new = _missing(known, keys)
    if len(new):
        known = _Index([*known.shards, *_compute(reader, texts, keys, new, place, shard_bytes)])
    shard_of, row_of = known.find(keys)
    lengths = known.lengths[known.places(keys)]
    n_cut = int((lengths > reader.longest).sum()) if reader.longest is not None else 0
    return Activations(tuple(known.shards), shard_of, row_of, lengths, n_cut, len(new))


def _compute(
    reader: Reader,
    texts: Sequence[str],
    keys: npt.NDArray[np.void],
    new: RowNumbers,
    place: Path,
    shard_bytes: int,
) -> list[Shard]:
    """Read the new texts shard by shard, each written before the next is read."""
    shards, start, size = [], 0, _FIRST
    while start < len(new):
        rows = new[start : start + size]
        reading = reader.read([texts[row] for row in rows])
        _check_finite(reading, rows)
        shards.append(write_shard(place, keys[rows], reading.lengths, reading.vectors))
        start += len(rows)
        size = max(1, shard_bytes * len(rows) // reading.vectors.nbytes)
    return shards


def _check_finite(reading: LayerVectors, rows: RowNumbers) -> None:
    bad = ~np.isfinite(reading.vectors).all(axis=(0, 2))
    if bad.any():
        why = "they do not fit in float16: compute them in float32" if reading.vectors.dtype == np.float16 else "NaN"
        raise DataError(
            f"the vectors of text {int(rows[int(np.argmax(bad))])} are not finite ({why}); "
            f"{int(bad.sum())} of {len(rows)} texts read together are so"
        )


class _Index:
    """Where each text's vectors lie: all keys of all shards, sorted."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        self.shards = list(shards)
        keys = [shard.keys() for shard in self.shards]
        whole = np.concatenate(keys) if keys else np.empty(0, "V16")
        halves = _sortable(whole)
        self._order = np.lexsort((halves["b"], halves["a"]))
        self._sorted = halves[self._order]
        self._shard = np.repeat(np.arange(len(keys), dtype=np.int32), [len(part) for part in keys])
        self._row = np.concatenate([np.arange(len(part), dtype=np.int32) for part in keys] or [np.empty(0, np.int32)])
        self.lengths = np.concatenate([shard.lengths() for shard in self.shards] or [np.empty(0, np.int32)])

    def has(self, keys: npt.NDArray[np.void]) -> npt.NDArray[np.bool_]:
        """Whether each key is there."""
        if not len(self._sorted):
            return np.zeros(len(keys), bool)
        at = np.minimum(np.searchsorted(self._sorted, _sortable(keys)), len(self._sorted) - 1)
        return np.asarray(self._sorted[at] == _sortable(keys))

    def places(self, keys: npt.NDArray[np.void]) -> npt.NDArray[np.int64]:
        """The place of each key among all items of all shards; every key must be there."""
        return np.asarray(self._order[np.searchsorted(self._sorted, _sortable(keys))])

    def find(self, keys: npt.NDArray[np.void]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Shard and row of each key."""
        places = self.places(keys)
        return self._shard[places], self._row[places]


def _missing(known: _Index, keys: npt.NDArray[np.void]) -> RowNumbers:
    """Rows of the texts that are not in the cache, the first of each that repeats."""
    absent = np.flatnonzero(~known.has(keys))
    _, first = np.unique(_sortable(keys[absent]), return_index=True)
    return np.asarray(absent[np.sort(first)])


def _text_keys(texts: Sequence[str]) -> npt.NDArray[np.void]:
    """A 16-byte digest of each text."""
    joined = b"".join(hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest() for text in texts)
    return np.frombuffer(joined, np.dtype("V16"))


def _sortable(keys: npt.NDArray[np.void]) -> npt.NDArray[Any]:
    """The same bytes as a type that numpy can sort: two numbers."""
    return keys.view(np.dtype([("a", np.uint64), ("b", np.uint64)]))
