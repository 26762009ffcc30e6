"""A small transformer that starts from nothing: a BERT of random weights whose vocabulary is the training data's.

Words of many training items are one token; the others, names above all, are spelled in pieces of up to three letters,
so that a name never seen keeps its identity. A description; it loads no torch.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from goldproof.errors import UsageError
from goldproof.extras import require
from goldproof.jobs.names import named
from goldproof.models.examples import Examples
from goldproof.models.protocols import RUNNING, Task
from goldproof.models.static_vectors import split_words

if TYPE_CHECKING:
    from goldproof.models.transformer_network import TransformerNetwork


@named("models.Scratch")
@dataclass(frozen=True, slots=True)
class Scratch:
    """Its size; `common` is the share of training items in which a word must occur to be one token."""

    n_layers: int = 2
    hidden: int = 64
    n_heads: int = 4
    n_positions: int = 256
    common: float = 0.05

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) <= 0:
                raise UsageError(f"scratch: {field.name} must be above 0; got {getattr(self, field.name)!r}")
        if self.hidden % self.n_heads:
            raise UsageError(f"scratch: hidden must be a multiple of n_heads; got {self.hidden} and {self.n_heads}")

    @property
    def name(self) -> str:
        """What it is called in reports."""
        return "small"

    @property
    def digest(self) -> str:
        """The digest of the settings."""
        return hashlib.sha256(f"scratch {[getattr(self, field.name) for field in fields(self)]}".encode()).hexdigest()

    def load(self, task: Task, n_outputs: int, train: Examples) -> TransformerNetwork:
        """The network for a task, with the vocabulary of the training data."""
        require(RUNNING)
        from goldproof.models.scratch_network import load_network

        return load_network(self, task, n_outputs, train)


def find_pieces(train: Examples, common: float) -> list[str]:
    """The tokens: common words whole, and every piece of up to three letters of the rest, inner ones marked by ##.

    >>> find_pieces(Examples(("1", "2"), ("ann ran", "bob ran")), 0.8)[:6]
    ['##a', '##b', '##n', '##nn', '##o', '##ob']
    """
    counts: Counter[str] = Counter()
    for row in range(train.n):
        texts = (train.texts[row], *((train.pairs[row],) if train.pairs else ()))
        counts.update({word for text in texts for word in split_words(text)})
    found = set()
    for word, n in counts.items():
        if n >= common * train.n:
            found.add(word)
            continue
        found.update(mark + letter for letter in word for mark in ("", "##"))  # so that any word can be spelled
        for start in range(len(word)):
            for end in range(start + 1, min(start + 3, len(word)) + 1):
                found.add(("##" if start else "") + word[start:end])
    return sorted(found)
