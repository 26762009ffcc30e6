"""`Fake`: a model that needs no weights and no download, for tests, examples and dry runs.

It hashes words into a small table. As an encoder it gives fixed vectors; fine-tuned, it is a bag of words that can
learn which words go with which label. It knows nothing about language.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldproof.draws import draw
from goldproof.extras import require
from goldproof.jobs.names import named
from goldproof.models.examples import Examples
from goldproof.models.protocols import RUNNING, Floats, Pooling, Task
from goldproof.models.static_vectors import split_words

if TYPE_CHECKING:
    from goldproof.models.fake_network import FakeNetwork


@named("models.Fake")
@dataclass(frozen=True, slots=True)
class Fake:
    """A hashed bag of words with so many buckets, features and layers.

    >>> Fake().encode(["It rains."]).shape
    (1, 3, 16)
    """

    n_buckets: int = 512
    hidden: int = 16
    n_layers: int = 2
    dropout: float = 0.1

    @property
    def name(self) -> str:
        """What it is called."""
        return "fake"

    @property
    def digest(self) -> str:
        """The digest of the settings."""
        return hashlib.sha256(
            f"fake {self.n_buckets} {self.hidden} {self.n_layers} {self.dropout}".encode()
        ).hexdigest()

    def buckets(self, text: str) -> list[int]:
        """The bucket of each word, from 1; 0 is padding."""
        return [1 + bucket_of(word, self.n_buckets - 1) for word in split_words(text)] or [1]

    def encode(self, texts: Sequence[str], pairs: Sequence[str] | None = None, pooling: Pooling = "mean") -> Floats:
        """Vectors of every layer, the embedding layer first: shape (texts, layers + 1, features)."""
        rng = np.random.default_rng(0)
        states = rng.normal(size=(self.n_buckets, self.hidden))
        mixers = rng.normal(size=(self.n_layers, self.hidden, self.hidden)) / np.sqrt(self.hidden)
        whole = [f"{a} {b}" for a, b in zip(texts, pairs, strict=True)] if pairs is not None else list(texts)
        pooled = np.stack([_pool(states[self.buckets(text)], pooling) for text in whole])
        layers = [pooled]
        for mixer in mixers:
            layers.append(np.tanh(layers[-1] @ mixer))
        return np.stack(layers, axis=1).astype(np.float32)

    def load(self, task: Task, n_outputs: int, train: Examples) -> FakeNetwork:
        """The network for a task."""
        require(RUNNING)
        from goldproof.models.fake_network import load_network

        return load_network(self, task, n_outputs)


def bucket_of(word: str, n: int) -> int:
    """The same bucket for the same word, on every machine."""
    return draw(word) % n


def _pool(states: np.ndarray, pooling: Pooling) -> np.ndarray:
    if pooling == "mean":
        return np.asarray(states.mean(axis=0))
    return np.asarray(states[0] if pooling == "first" else states[-1])
