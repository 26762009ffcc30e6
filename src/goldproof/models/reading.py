"""`LayerVectors`: vectors read off texts, and readers for models that need no torch. Keeps nothing on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from goldproof.errors import DataError
from goldproof.models.protocols import Encoder
from goldproof.models.readout import Readout


@dataclass(frozen=True, slots=True, eq=False)
class LayerVectors:
    """Vectors of shape (layers, texts, features), and the number of tokens of each text before it was cut."""

    vectors: npt.NDArray[Any]
    lengths: npt.NDArray[np.int32]


class Reader(Protocol):
    """Reads all layers off texts; `key` is the identity of model and readout, `longest` the most tokens it takes."""

    @property
    def key(self) -> str:
        """The same key, the same vectors."""
        ...

    @property
    def longest(self) -> int | None:
        """How many tokens a text may have before it is cut."""
        ...

    def read(self, texts: Sequence[str]) -> LayerVectors:
        """Vectors of the texts."""
        ...


@dataclass(frozen=True, slots=True)
class EncoderReader:
    """A reader of any `Encoder`: the fake model, static word vectors, lengths."""

    encoder: Encoder
    readout: Readout = field(default_factory=Readout)

    @property
    def key(self) -> str:
        """The identity of encoder and readout."""
        return self.readout.key(self.encoder.digest)

    @property
    def longest(self) -> int | None:
        """Such encoders cut nothing."""
        return None

    def read(self, texts: Sequence[str]) -> LayerVectors:
        """Vectors of the texts; lengths are in words."""
        check_texts(texts)
        vectors = self.encoder.encode(list(texts), pooling=self.readout.pooling)
        with np.errstate(over="ignore"):  # what float16 cannot hold is found by who keeps the vectors
            kept = vectors.transpose(1, 0, 2).astype(self.readout.dtype)
        return LayerVectors(kept, np.array([len(text.split()) for text in texts], np.int32))


def check_texts(texts: Sequence[str]) -> None:
    """Refuse to read nothing, or an empty text."""
    if len(texts) == 0:
        raise DataError("there are no texts to compute vectors for; give at least one")
    for row, text in enumerate(texts):
        if not text.strip():
            raise DataError(f"text {row} is empty; a vector needs at least one word; leave such texts out")
