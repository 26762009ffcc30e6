"""Shards: vectors in raw memory-mapped files with a small JSON header, whole or absent; never pickle.

A shard is NAME.bin (16-byte keys, then 4-byte lengths, then vectors of shape layers × items × features) and NAME.json,
written last, which says what lies where and is the proof that the shard is whole. NAME is a digest of the keys, so two
processes that write the same shard do no harm.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldproof.errors import StoreError
from goldproof.jobs.files import write_durably

_FORMAT = 1
_ALIGN = 64


@dataclass(frozen=True, slots=True)
class Shard:
    """A shard on disk: `layers` × `items` × `features` vectors of `dtype` from byte `start` on."""

    path: Path
    items: int
    layers: int
    features: int
    dtype: str
    start: int
    checksum: int

    @property
    def size(self) -> int:
        """How many bytes the file must have."""
        return self.start + self.layers * self.items * self.features * np.dtype(self.dtype).itemsize

    def keys(self) -> npt.NDArray[np.void]:
        """The key of each item."""
        return np.fromfile(self.path, np.dtype("V16"), self.items)

    def lengths(self) -> npt.NDArray[np.int32]:
        """The number of tokens of each item, before it was cut."""
        return np.fromfile(self.path, np.int32, self.items, offset=16 * self.items)

    def vectors(self) -> npt.NDArray[Any]:
        """The vectors, mapped and not read: shape (layers, items, features)."""
        shape = (self.layers, self.items, self.features)
        return np.memmap(self.path, self.dtype, "r", self.start, shape)

    def is_whole(self) -> bool:
        """Whether the bytes are those that were written; reads the whole file."""
        checksum = 0
        with self.path.open("rb") as file:
            while chunk := file.read(1 << 22):
                checksum = zlib.crc32(chunk, checksum)
        return checksum == self.checksum


def write_shard(
    folder: Path, keys: npt.NDArray[np.void], lengths: npt.NDArray[np.int32], vectors: npt.NDArray[Any]
) -> Shard:
    """Write a shard aside, then its header; a crash leaves nothing that would be read."""
    name = hashlib.sha256(keys.tobytes()).hexdigest()[:32]
    path = folder / f"{name}.bin"
    head = keys.tobytes() + lengths.astype(np.int32).tobytes()
    start = -(-len(head) // _ALIGN) * _ALIGN
    aside = folder / f".{name}.{secrets.token_hex(4)}"
    body = np.ascontiguousarray(vectors).reshape(-1).view(np.uint8)
    head = head.ljust(start, b"\0")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with aside.open("wb") as file:
            file.write(head)
            file.write(body.data)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    except OSError as error:
        raise StoreError(f"{folder}: vectors could not be written ({error.strerror or error})") from None
    finally:
        with suppress(OSError):
            aside.unlink()
    n_layers, n_items, n_features = vectors.shape
    checksum = zlib.crc32(body.data, zlib.crc32(head))
    shard = Shard(path, n_items, n_layers, n_features, vectors.dtype.name, start, checksum)
    header = {
        "format": _FORMAT,
        "items": n_items,
        "layers": n_layers,
        "features": n_features,
        "dtype": shard.dtype,
        "start": start,
        "checksum": checksum,
    }
    write_durably(path.with_suffix(".json"), json.dumps(header).encode())
    return shard


def find_shards(folder: Path) -> list[Shard]:
    """The whole shards of a folder, in the order of their names; one whose file is cut short is passed over."""
    found = []
    for header in sorted(folder.glob("*.json")):
        shard = _read_header(header)
        if shard is not None and shard.path.is_file() and shard.path.stat().st_size == shard.size:
            found.append(shard)
    return found


def _read_header(header: Path) -> Shard | None:
    """The shard a header describes; None where it is not a header of this format."""
    try:
        values = json.loads(header.read_bytes())
        if values.pop("format") != _FORMAT:
            return None
        if values["dtype"] not in ("float16", "float32"):
            return None
        numbers = {name: int(values[name]) for name in ("items", "layers", "features", "start", "checksum")}
        return Shard(path=header.with_suffix(".bin"), dtype=values["dtype"], **numbers)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
