"""A model: Goldproof's bag of hashed words with more buckets, to be fine-tuned or probed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from goldproof import named
from goldproof.models import Examples, Fake


@named("example.WideBag")
@dataclass(frozen=True)
class WideBag:
    """A description: it stands in the keys of jobs, so what changes the model must be a field."""

    n_buckets: int = 4096

    @property
    def name(self) -> str:
        return "wide bag"

    @property
    def digest(self) -> str:
        return Fake(self.n_buckets).digest

    def load(self, task: str, n_outputs: int, train: Examples) -> Any:
        return Fake(self.n_buckets).load(task, n_outputs, train)

    def encode(self, texts: Sequence[str], pairs: Sequence[str] | None = None, pooling: str = "mean") -> np.ndarray:
        return Fake(self.n_buckets).encode(texts, pairs, pooling)
