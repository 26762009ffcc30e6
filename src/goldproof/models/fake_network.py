"""The trainable form of `Fake`: a mean of hashed word vectors and a linear layer. Imports torch."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from goldproof.errors import UsageError
from goldproof.models.draws import draw_normal, seeded
from goldproof.models.examples import Examples
from goldproof.models.fake import Fake, bucket_of
from goldproof.models.protocols import Task, Tokenized
from goldproof.models.windows import Windows


class FakeModule(torch.nn.Module):
    """Word vectors, their mean (or each of them), and a linear layer."""

    def __init__(self, model: Fake, n_outputs: int, *, per_token: bool) -> None:
        super().__init__()
        self.rate, self.per_token = model.dropout, per_token
        self.table = torch.nn.Parameter(torch.zeros(model.n_buckets, model.hidden))
        self.head = torch.nn.Linear(model.hidden, n_outputs)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor | None) -> torch.Tensor:
        """Logits of shape (items, outputs), or (items, tokens, outputs)."""
        states = F.embedding(ids, self.table)
        if not self.per_token:
            weights = mask.to(states.dtype)[:, :, None]
            states = (states * weights).sum(1) / weights.sum(1)
        return self.head(F.dropout(states, self.rate, self.training))  # type: ignore[no-any-return]


@dataclass(eq=False)
class FakeNetwork:
    """See `goldproof.models.protocols.Network`."""

    model: Fake
    module: FakeModule
    embedding: str | None = "table"
    pad_id: int = 0
    has_types: bool = False
    takes_bfloat16: bool = True
    items_at_once: int = 32

    def tokenize(self, examples: Examples, max_length: int | None) -> Tokenized:
        """The buckets of the words, those of a pair one after the other."""
        limit = max_length or 10**9
        if examples.answers is not None:
            return _windows_of_words(self.model, examples, limit)
        if examples.words is not None:
            ids = [[1 + bucket_of(word, self.model.n_buckets - 1) for word in entry] or [1] for entry in examples.words]
            starts = tuple(
                np.where(np.arange(len(e)) < limit, np.arange(len(e)), -1).astype(np.int32) for e in examples.words
            )
        else:
            texts = [f"{a} {b}" for a, b in zip(examples.texts, examples.pairs or [""] * examples.n, strict=True)]
            ids, starts = [self.model.buckets(text) for text in texts], None
        n_truncated = sum(len(entry) > limit for entry in ids)
        return Tokenized(tuple(np.array(entry[:limit], np.int32) for entry in ids), None, starts, n_truncated)

    def drawn(self, seed: int) -> dict[str, torch.Tensor]:
        """Every parameter: matrices normal, biases zero."""
        return {name: draw_normal(seed, name, tensor, 0.1) for name, tensor in self.module.named_parameters()}

    def move_padding(self, row: int) -> None:
        """Padding is kept out by masks."""

    def save(self, state: dict[str, torch.Tensor], folder: Path) -> None:
        """Refuse: there is nothing worth keeping."""
        raise UsageError("the weights of the fake model are not kept; leave hooks.weights empty")


_WORD = re.compile(r"\w+|[^\w\s]")


def _windows_of_words(model: Fake, examples: Examples, limit: int) -> Tokenized:
    """The buckets of a question's words and of a stretch of its passage, which overlap by a quarter of the limit."""
    ids, owners, places = [], [], []
    for item, (question, passage) in enumerate(zip(examples.texts, examples.pairs or (), strict=True)):
        asked = model.buckets(question)[: max(1, limit // 2)]
        found = [match.span() for match in _WORD.finditer(passage)]
        room, step = limit - len(asked), max(1, limit - len(asked) - limit // 4)
        for start in range(0, max(1, len(found) - limit // 4), step):
            chosen = found[start : start + room]
            words = [1 + bucket_of(passage[a:b], model.n_buckets - 1) for a, b in chosen]
            ids.append(np.array([*asked, *words], np.int32))
            owners.append(item)
            places.append(np.array([(-1, -1)] * len(asked) + chosen, np.int32))
    windows = Windows(np.array(owners, np.int32), tuple(places), examples.n)
    return Tokenized(tuple(ids), None, None, 0, windows)


@seeded("load")  # whatever a constructor draws is replaced, and the global generator stays as it was
def load_network(model: Fake, task: Task, n_outputs: int) -> FakeNetwork:
    """The network for a task."""
    return FakeNetwork(model, FakeModule(model, n_outputs, per_token=task in ("tokens", "question")))
