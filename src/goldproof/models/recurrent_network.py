"""Recurrent layers as a plain loop over time, so that they can be stacked with `torch.func.vmap`. Imports torch.

The gates are those of `torch.nn.RNN`, `GRU` and `LSTM`. A padded position leaves the state as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from goldproof.errors import UsageError
from goldproof.models.draws import draw_uniform, seed_of, seeded
from goldproof.models.examples import Examples
from goldproof.models.protocols import Task, Tokenized
from goldproof.models.recurrent import Recurrent
from goldproof.models.static_vectors import find_word, read_vectors, split_cased

PAD, UNKNOWN, BETWEEN = 0, 1, 2
N_SPECIAL = 3
_GATES = {"rnn": 1, "gru": 3, "lstm": 4}
States = tuple[torch.Tensor, ...]


def step_rnn(inputs: torch.Tensor, recurrent: torch.Tensor, states: States) -> States:
    """The next state of a plain network: tanh of the sum."""
    return (torch.tanh(inputs + recurrent),)


def step_gru(inputs: torch.Tensor, recurrent: torch.Tensor, states: States) -> States:
    """The next state of a GRU; gates in the order reset, update, new."""
    (h,) = states
    reset_in, update_in, new_in = inputs.chunk(3, -1)
    reset_h, update_h, new_h = recurrent.chunk(3, -1)
    update = torch.sigmoid(update_in + update_h)
    new = torch.tanh(new_in + torch.sigmoid(reset_in + reset_h) * new_h)
    return (new + update * (h - new),)


def step_lstm(inputs: torch.Tensor, recurrent: torch.Tensor, states: States) -> States:
    """The next hidden and cell state of an LSTM; gates in the order input, forget, cell, output."""
    put, forget, cell, out = (inputs + recurrent).chunk(4, -1)
    c = torch.sigmoid(forget) * states[1] + torch.sigmoid(put) * torch.tanh(cell)
    return torch.sigmoid(out) * torch.tanh(c), c


_STEPS: dict[str, Callable[[torch.Tensor, torch.Tensor, States], States]] = {
    "rnn": step_rnn,
    "gru": step_gru,
    "lstm": step_lstm,
}


class Direction(torch.nn.Module):
    """One layer in one direction."""

    def __init__(self, cell: str, n_in: int, hidden: int, *, backward: bool) -> None:
        super().__init__()
        rows = _GATES[cell] * hidden
        self.cell, self.hidden, self.backward = cell, hidden, backward
        self.weight_ih = torch.nn.Parameter(torch.empty(rows, n_in))
        self.weight_hh = torch.nn.Parameter(torch.empty(rows, hidden))
        self.bias_ih = torch.nn.Parameter(torch.empty(rows))
        self.bias_hh = torch.nn.Parameter(torch.empty(rows))

    def forward(self, inputs: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """States at every position, shape (items, tokens, hidden), and after the last token, shape (items, hidden)."""
        projected = F.linear(inputs, self.weight_ih, self.bias_ih)
        zero = projected[:, 0, : self.hidden] * 0.0
        states: States = (zero, zero) if self.cell == "lstm" else (zero,)
        outputs: list[torch.Tensor] = []
        # Taken apart at once: the gradient of an index would be written into zeros of the whole, at every position.
        positions = list(zip(projected.unbind(1), mask.bool()[..., None].unbind(1), strict=True))
        for at_position, present in reversed(positions) if self.backward else positions:
            recurrent = F.linear(states[0], self.weight_hh, self.bias_hh)
            new = _STEPS[self.cell](at_position, recurrent, states)
            states = tuple(torch.where(present, a, b) for a, b in zip(new, states, strict=True))
            outputs.append(states[0])
        return torch.stack(outputs[::-1] if self.backward else outputs, dim=1), states[0]


class RecurrentModule(torch.nn.Module):
    """Word vectors, recurrent layers, and a linear layer over the last states or over every word's."""

    def __init__(self, model: Recurrent, table: torch.Tensor, n_outputs: int, *, per_token: bool) -> None:
        super().__init__()
        self.rate, self.word_rate, self.per_token = model.dropout, model.word_dropout, per_token
        if model.frozen:
            self.register_buffer("table", table)
        else:
            self.table = torch.nn.Parameter(table)
        ways = (False, True) if model.bidirectional else (False,)
        self.layers = torch.nn.ModuleList()
        width = table.shape[1]
        for _ in range(model.n_layers):
            self.layers.append(
                torch.nn.ModuleList(Direction(model.cell, width, model.hidden, backward=b) for b in ways)
            )
            width = model.hidden * len(ways)
        self.head = torch.nn.Linear(width, n_outputs)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor | None) -> torch.Tensor:
        """Logits of shape (items, outputs), or (items, tokens, outputs)."""
        states = self._drop_words(F.embedding(ids, self.table))
        last = states[:, 0]
        for layer in self.layers:
            states = F.dropout(states, self.rate, self.training)
            found = [direction(states, mask) for direction in layer]  # type: ignore[attr-defined]
            states = torch.cat([at_all for at_all, _ in found], dim=-1)
            last = torch.cat([at_end for _, at_end in found], dim=-1)
        features = states if self.per_token else last
        return self.head(F.dropout(features, self.rate, self.training))  # type: ignore[no-any-return]

    def _drop_words(self, vectors: torch.Tensor) -> torch.Tensor:
        """Whole words made zero, as unknown ones are; those kept are not scaled, since they stand for themselves."""
        if not self.word_rate:
            return vectors
        return vectors * (F.dropout(torch.ones_like(vectors[..., :1]), self.word_rate, self.training) > 0)


@dataclass(eq=False)
class RecurrentNetwork:
    """A recurrent network with its vocabulary; see `goldproof.models.protocols.Network`."""

    module: RecurrentModule
    vocabulary: dict[str, int]
    n_given: int
    embedding: str | None
    pad_id: int = PAD
    has_types: bool = False
    takes_bfloat16: bool = True
    items_at_once: int = 16

    def tokenize(self, examples: Examples, max_length: int | None) -> Tokenized:
        """Word numbers; a pair's texts stand one after the other with a mark between them."""
        words = [list(_words_of(examples, i)) for i in range(examples.n)]
        ids = [[self._number(word) for word in entry] or [UNKNOWN] for entry in words]
        limit = max_length or max((len(entry) for entry in ids), default=1)
        starts = None
        if examples.words is not None:
            starts = tuple(np.where(np.arange(len(e)) < limit, np.arange(len(e)), -1).astype(np.int32) for e in words)
        n_truncated = sum(len(entry) > limit for entry in ids)
        return Tokenized(tuple(np.array(entry[:limit], np.int32) for entry in ids), None, starts, n_truncated)

    def _number(self, word: str | None) -> int:
        return BETWEEN if word is None else self.vocabulary.get(find_word(word, self.vocabulary), UNKNOWN)

    def drawn(self, seed: int) -> dict[str, torch.Tensor]:
        """Every parameter but given word vectors, uniform within 1/√hidden as torch does; word vectors normal."""
        bound = next(iter(self.module.layers[0])).hidden ** -0.5  # type: ignore[call-overload]
        named = dict(self.module.named_parameters())
        found = {name: draw_uniform(seed, name, tuple(t.shape), bound) for name, t in named.items() if name != "table"}
        if "table" in named:
            found["table"] = self._draw_table(seed)
        return found

    def _draw_table(self, seed: int) -> torch.Tensor:
        """Word vectors: those given stay, the rest are drawn; padding and the unknown word are zero."""
        generator = torch.Generator().manual_seed(seed_of("init", seed, "table"))
        given = self.module.table.detach()
        table = torch.randn(given.shape, generator=generator)
        kept = slice(N_SPECIAL, N_SPECIAL + self.n_given)
        table[kept] = given[kept]
        table[[PAD, UNKNOWN]] = 0.0
        return table

    def move_padding(self, row: int) -> None:
        """Padding has no row of its own kind here: masks keep it out."""

    def save(self, state: dict[str, torch.Tensor], folder: Path) -> None:
        """Refuse: recurrent models are cheap to train again."""
        raise UsageError("the weights of recurrent models are not kept; leave hooks.weights empty")


@seeded("load")  # whatever a constructor draws is replaced, and the global generator stays as it was
def load_network(model: Recurrent, task: Task, n_outputs: int, train: Examples) -> RecurrentNetwork:
    """The network with the vocabulary of the training data, and of the given vectors."""
    if task == "question":
        raise UsageError("recurrent models cannot be trained to answer questions here; give a transformer")
    given: list[str] = []
    vectors = np.zeros((0, model.dimension), np.float32)
    if model.vectors is not None:
        given, vectors = read_vectors(model.vectors)
    known = set(given)
    seen = {find_word(word, known) for i in range(train.n) for word in _words_of(train, i) if word is not None}
    words = [*given, *sorted(seen - known)]
    table = torch.zeros(N_SPECIAL + len(words), vectors.shape[1])
    table[N_SPECIAL : N_SPECIAL + len(given)] = torch.from_numpy(vectors)
    module = RecurrentModule(model, table, n_outputs, per_token=task == "tokens")
    vocabulary = {word: i + N_SPECIAL for i, word in enumerate(words)}
    return RecurrentNetwork(module, vocabulary, len(given), None if model.frozen else "table")


def _words_of(examples: Examples, i: int) -> Iterable[str | None]:
    """The words of an item as they are written; None stands between the texts of a pair."""
    if examples.words is not None:
        return examples.words[i]
    first: list[str | None] = list(split_cased(examples.texts[i]))
    return first if examples.pairs is None else [*first, None, *split_cased(examples.pairs[i])]
