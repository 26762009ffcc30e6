"""Any transformers encoder as a model: BERT and its kin, DeBERTa, ModernBERT, and the encoder half of T5, mT5, BART,
M-BART.

`Transformer` is a description that may stand in a job; torch and transformers are loaded when it is. It does not train.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from goldproof.extras import Need, require
from goldproof.jobs.names import named
from goldproof.models.examples import Examples
from goldproof.models.protocols import RUNNING, Floats, Pooling, Task
from goldproof.models.source import ModelSource, find_source

if TYPE_CHECKING:
    from goldproof.models.transformer_network import TransformerNetwork

CUTTING = Need("models", "splitting texts into a tokenizer's pieces")
COUNT_FROM_PADDING = ("roberta", "xlm-roberta", "camembert", "mpnet", "xlm-roberta-xl")


@named("models.Transformer")
@dataclass(frozen=True, slots=True)
class Transformer:
    """A pretrained encoder, told by the digest of its weights.

    `random_weights` keeps the architecture and the tokenizer and draws every weight from the seed, as a baseline.
    """

    source: ModelSource
    random_weights: bool = False
    any_format: bool = False

    @property
    def name(self) -> str:
        """The folder's name, with a mark where the weights are random."""
        return self.source.folder.name + (" (random weights)" if self.random_weights else "")

    @property
    def digest(self) -> str:
        """The digest of the weights and of what was asked of them."""
        return hashlib.sha256(f"transformer {self.source.digest} {self.random_weights}".encode()).hexdigest()

    def load(self, task: Task, n_outputs: int, train: Examples) -> TransformerNetwork:
        """The network for a task, with a fresh head."""
        require(RUNNING)
        from goldproof.models.transformer_network import load_network

        return load_network(self, task, n_outputs)

    def encode(
        self,
        texts: Sequence[str],
        pairs: Sequence[str] | None = None,
        pooling: Pooling = "mean",
        *,
        seed: int = 0,
        batch: int = 32,
    ) -> Floats:
        """Vectors of every layer, the embedding layer first: shape (texts, layers + 1, features)."""
        require(RUNNING)
        from goldproof.models.transformer_network import encode_texts

        return encode_texts(
            self,
            Examples(tuple(map(str, range(len(texts)))), tuple(texts), tuple(pairs) if pairs else None),
            pooling,
            seed,
            batch,
        )


def transformer(
    name: str | Path, *, random_weights: bool = False, any_format: bool = False, download: bool = False
) -> Transformer:
    """The model in a local folder, or of a hub name that was downloaded before.

    Only safetensors weights are read unless `any_format`; nothing is downloaded unless `download`; code that lies
    with the weights is never run.
    """
    return Transformer(find_source(name, any_format=any_format, download=download), random_weights, any_format)


def n_reserved_positions(model_type: str, pad_id: int) -> int:
    """How many positions an architecture keeps for padding: some count from the padding id on, others from 0.

    >>> n_reserved_positions("xlm-roberta", 1), n_reserved_positions("bert", 0)
    (2, 0)
    """
    return pad_id + 1 if model_type in COUNT_FROM_PADDING else 0


def split_pieces(model: Transformer, texts: Sequence[str]) -> list[list[str]]:
    """The pieces into which a model's tokenizer cuts each text, special tokens left out; the weights are not loaded."""
    require(CUTTING)
    from goldproof.models.transformer_network import open_tokenizer

    tokenizer = open_tokenizer(model)
    return [tokenizer.tokenize(text) for text in texts]
