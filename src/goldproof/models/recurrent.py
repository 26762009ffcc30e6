"""Recurrent classifiers: RNN, GRU and LSTM, one or both ways, over random or given word vectors. A description; it
loads no torch.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from goldproof.errors import UsageError
from goldproof.extras import require
from goldproof.jobs.names import named
from goldproof.models.examples import Examples
from goldproof.models.protocols import RUNNING, Task
from goldproof.models.static_vectors import StaticVectors

if TYPE_CHECKING:
    from goldproof.models.recurrent_network import RecurrentNetwork

RecurrentCell = Literal["rnn", "gru", "lstm"]


@named("models.Recurrent")
@dataclass(frozen=True, slots=True)
class Recurrent:
    """A recurrent network over the words of a text, or of two texts with a mark between them.

    Its vocabulary is the training data's words, and those of `vectors` where they are given; any other word is a zero
    vector. `frozen` keeps the given word vectors as they are, and a word without one a zero vector; otherwise they are
    trained too. `word_dropout` is the probability that training puts a zero vector in the place of a word: without it
    the network has never met an unknown word, and may learn the training words by heart.
    """

    cell: RecurrentCell = "lstm"
    bidirectional: bool = False
    hidden: int = 64
    n_layers: int = 1
    dimension: int = 64
    dropout: float = 0.0
    word_dropout: float = 0.0
    vectors: StaticVectors | None = None
    frozen: bool = False

    def __post_init__(self) -> None:
        if self.cell not in ("rnn", "gru", "lstm"):
            raise UsageError(f"the cell must be rnn, gru or lstm; got {self.cell!r}")
        for name in ("hidden", "n_layers", "dimension"):
            if getattr(self, name) < 1:
                raise UsageError(f"recurrent: {name} must be at least 1; got {getattr(self, name)!r}")
        for name in ("dropout", "word_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise UsageError(f"recurrent: {name} must be from 0 to below 1; got {getattr(self, name)!r}")
        if self.frozen and self.vectors is None:
            raise UsageError("recurrent: frozen keeps given word vectors unchanged; got no vectors")

    @property
    def name(self) -> str:
        """The cell, with "bi" before it where it runs both ways."""
        return ("bi" if self.bidirectional else "") + self.cell

    @property
    def digest(self) -> str:
        """The digest of the settings and of the vectors."""
        settings = (
            self.cell,
            self.bidirectional,
            self.hidden,
            self.n_layers,
            self.dimension,
            self.dropout,
            self.word_dropout,
            self.frozen,
        )
        vectors = None if self.vectors is None else self.vectors.digest
        return hashlib.sha256(f"recurrent {settings} {vectors}".encode()).hexdigest()

    def load(self, task: Task, n_outputs: int, train: Examples) -> RecurrentNetwork:
        """The network for a task, with the vocabulary of the training data."""
        require(RUNNING)
        from goldproof.models.recurrent_network import load_network

        return load_network(self, task, n_outputs, train)
