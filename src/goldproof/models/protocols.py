"""What a model must offer: `Encoder` gives representations, `Classifier` learns and predicts, `Prompted` answers, and
`Trainable` can be fine-tuned.

These are protocols: a class need not inherit from them. Importing this module loads no torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from goldproof.extras import Need
from goldproof.jobs.names import named
from goldproof.models.examples import Examples
from goldproof.models.windows import Windows

if TYPE_CHECKING:
    import torch

Pooling = Literal["mean", "first", "last"]
Task = Literal["text", "pair", "regression", "tokens", "question"]
Floats = npt.NDArray[np.float32]
RUNNING = Need("models", "running a model")


@runtime_checkable
class Encoder(Protocol):
    """Texts in, one vector for each layer out."""

    @property
    def name(self) -> str:
        """What the model is called in reports."""
        ...

    @property
    def digest(self) -> str:
        """The identity of the weights: the same digest, the same representations."""
        ...

    def encode(self, texts: Sequence[str], pairs: Sequence[str] | None = None, pooling: Pooling = "mean") -> Floats:
        """Vectors of shape (texts, layers with the embedding layer first, features)."""
        ...


@runtime_checkable
class Classifier(Protocol):
    """Learns from labelled examples, predicts logits."""

    def fit(self, train: Examples, seed: int) -> Classifier:
        """A classifier that has learned from the examples; the one it is called on stays as it was."""
        ...

    def predict(self, examples: Examples) -> Floats:
        """Logits of shape (items, classes)."""
        ...


@dataclass(frozen=True, slots=True)
class PromptQuestion:
    """What a model is asked: the text before the answer, and the answers among which it is to choose.

    An answer begins with the blank that stands before it, where one does: "Sentiment:" goes on with " good".
    """

    context: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Likelihoods:
    """Natural log-probabilities of the answers to one question, and whether its beginning was cut to fit the model."""

    values: npt.NDArray[np.float64]
    is_cut: bool = False


@named("models.Sampling")
@dataclass(frozen=True, slots=True)
class Sampling:
    """How text is generated: the most tokens, and the temperature with its seed; at 0 always the likeliest token."""

    most_tokens: int = 16
    temperature: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Written:
    """A text that a model wrote, and whether it ended only because it had the most tokens."""

    text: str
    is_cut: bool = False


class Respondent(Protocol):
    """A prompted model that is ready: weights in memory, or an endpoint that can be reached."""

    @property
    def has_dialogue(self) -> bool:
        """Whether it has a form of its own for turns of a conversation (a chat template)."""
        ...

    def dialogue(self, turns: Sequence[str]) -> str:
        """The turns of user and model, the user's first and last, as the text that the model goes on from."""
        ...

    def likelihoods(self, questions: Sequence[PromptQuestion]) -> list[Likelihoods]:
        """Log-probabilities of each question's answers."""
        ...

    def generate(self, contexts: Sequence[str], ids: Sequence[str], sampling: Sampling) -> list[Written]:
        """What the model goes on with after each context; chance hangs on the seed and the item's id alone."""
        ...


@runtime_checkable
class Prompted(Protocol):
    """A description of a model that answers prompts; a frozen dataclass, so that it may stand in a job."""

    @property
    def name(self) -> str:
        """What the model is called in reports."""
        ...

    @property
    def digest(self) -> str:
        """The identity of the weights and of what was asked of them."""
        ...

    def open(self) -> Respondent:
        """The model, ready to be asked."""
        ...


@dataclass(frozen=True, slots=True)
class Tokenized:
    """Token ids of each item, what belongs to them, and how many items were cut.

    `types` are segment ids where the model has them; `starts` the position of each word's first token (-1 where it was
    cut off), for token tasks. For questions there is an entry for each window of an item, and `windows` says whose it
    is.
    """

    ids: tuple[npt.NDArray[np.int32], ...]
    types: tuple[npt.NDArray[np.int32], ...] | None = None
    starts: tuple[npt.NDArray[np.int32], ...] | None = None
    n_truncated: int = 0
    windows: Windows | None = None


class Network(Protocol):
    """A model that has been loaded for one task: a torch module with what is needed to feed and to start it.

    `module(input_ids, attention_mask, token_type_ids)` gives logits. `embedding` names the parameter with one row for
    each token id, where the module uses it for nothing but to look rows up; None where there is no such parameter.
    `items_at_once` is how many items of a batch of 32 a training pass on a CPU should hold: few where a pass costs by
    its padding, many where it costs by its calls.
    """

    module: torch.nn.Module
    embedding: str | None
    pad_id: int
    has_types: bool
    takes_bfloat16: bool
    items_at_once: int

    def tokenize(self, examples: Examples, max_length: int | None) -> Tokenized:
        """Token ids, cut to the length that is asked for or that the model allows."""
        ...

    def drawn(self, seed: int) -> dict[str, torch.Tensor]:
        """The parameters that are not given by weights but drawn from the seed, by name."""
        ...

    def move_padding(self, row: int) -> None:
        """Say which row of the embedding is padding after rows were left out."""
        ...

    def save(self, state: dict[str, torch.Tensor], folder: Any) -> None:
        """Write the parameters as a folder that this kind of model can be loaded from."""
        ...


@runtime_checkable
class Trainable(Protocol):
    """A description of a model that can be loaded and fine-tuned; a frozen dataclass, so that it may stand in a job."""

    @property
    def digest(self) -> str:
        """The identity of the weights and settings."""
        ...

    def load(self, task: Task, n_outputs: int, train: Examples) -> Network:
        """The network for a task, with its weights."""
        ...
