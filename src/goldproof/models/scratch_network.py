"""A small transformer of random weights loaded for one task. Imports torch."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from goldproof.models.draws import seeded
from goldproof.models.examples import Examples
from goldproof.models.protocols import Task
from goldproof.models.scratch import Scratch, find_pieces
from goldproof.models.tiny import SPECIAL, word_tokenizer
from goldproof.models.transformer import transformer
from goldproof.models.transformer_network import TransformerNetwork, quiet
from goldproof.models.transformer_network import load_network as load_transformer


def load_network(model: Scratch, task: Task, n_outputs: int, train: Examples) -> TransformerNetwork:
    """The network; its weights are drawn from the seed of each run."""
    vocabulary = {piece: i for i, piece in enumerate([*SPECIAL, *find_pieces(train, model.common)])}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(model, vocabulary, folder)
        return load_transformer(transformer(folder, random_weights=True), task, n_outputs)


def _write(model: Scratch, vocabulary: dict[str, int], folder: Path) -> None:
    import transformers

    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=model.hidden,
        num_hidden_layers=model.n_layers,
        num_attention_heads=model.n_heads,
        intermediate_size=4 * model.hidden,
        max_position_embeddings=model.n_positions,
        pad_token_id=1,
        initializer_range=0.1,
    )
    with quiet(), seeded("scratch"):
        transformers.BertModel(config).save_pretrained(folder)
        _tokenizer(vocabulary, model.n_positions).save_pretrained(folder)


def _tokenizer(vocabulary: dict[str, int], n_positions: int) -> Any:
    from tokenizers import models, normalizers

    tokenizer = word_tokenizer(vocabulary, n_positions + 2)
    backend = tokenizer.backend_tokenizer
    backend.model = models.WordPiece(vocabulary, unk_token="<unk>")
    backend.normalizer = normalizers.Lowercase()
    return tokenizer
