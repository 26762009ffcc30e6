"""`Length`: how long a text is, as features. The baseline that shows what length alone gives away."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from goldproof.jobs.names import named
from goldproof.models.protocols import Floats
from goldproof.models.static_vectors import split_words


@named("models.Length")
@dataclass(frozen=True, slots=True)
class Length:
    """The numbers of characters and of words, and the logarithms of both.

    >>> Length().encode(["It rains."]).shape
    (1, 1, 4)
    """

    @property
    def name(self) -> str:
        """What it is called."""
        return "length"

    @property
    def digest(self) -> str:
        """There is one such model."""
        return hashlib.sha256(b"length 1").hexdigest()

    def encode(self, texts: Sequence[str], pairs: Sequence[str] | None = None, pooling: str = "mean") -> Floats:
        """Features of shape (texts, 1, 4), or of both texts side by side."""
        sides = [texts] if pairs is None else [texts, pairs]
        counts = np.array([[count for side in sides for count in _counts(side[i])] for i in range(len(texts))])
        return np.concatenate([counts, np.log1p(counts)], axis=1)[:, None].astype(np.float32)


def _counts(text: str) -> tuple[int, int]:
    return len(text), len(split_words(text))
