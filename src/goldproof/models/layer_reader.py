"""Every layer of a transformers encoder in one forward pass, pooled on the device. Imports torch.

Texts are sorted by length and go through in batches of a number of tokens, padding included; the attention mask keeps
padding out of both attention and pooling. It keeps nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from goldproof.jobs.watch import ITEMS, tell
from goldproof.models.reading import LayerVectors, check_texts
from goldproof.models.readout import Readout
from goldproof.models.transformer import Transformer
from goldproof.models.transformer_network import TransformerNetwork, load_network, quiet

_TOKENS = {"cpu": 4096, "cuda": 16_384}  # tokens in a batch, padding included


@dataclass(frozen=True, slots=True)
class _Tokens:
    """Token ids of each text; `counted` says which tokens the mean is over."""

    ids: list[npt.NDArray[np.int64]]
    types: list[npt.NDArray[np.int64]] | None
    counted: list[npt.NDArray[np.bool_]]
    lengths: npt.NDArray[np.int32]


class LayerReader:
    """A loaded encoder that reads all its layers off texts, the embedding layer first."""

    def __init__(
        self,
        model: Transformer,
        readout: Readout | None = None,
        *,
        device: str = "cpu",
        batch_tokens: int | None = None,
    ) -> None:
        self.readout = readout or Readout()
        self.name, self.key = model.name, self.readout.key(model.digest)
        self.device = torch.device(device)
        self.batch_tokens = batch_tokens or _TOKENS.get(self.device.type, 8192)
        self._network = load_network(model, "text", 2)
        if model.random_weights:
            self._network.module.load_state_dict(self._network.drawn(self.readout.seed), strict=False)
        self._backbone = _prepare(self._network, self.device)
        limits = [value for value in (self.readout.max_length, self._network.longest) if value is not None]
        self.longest = min(limits) if limits else None

    @torch.inference_mode()
    def read(self, texts: Sequence[str]) -> LayerVectors:
        """Vectors of shape (layers, texts, features) and the number of tokens of each text before it was cut."""
        check_texts(texts)
        tokens = self._tokenize(list(texts))
        vectors: torch.Tensor | None = None
        for rows in self._batches([len(ids) for ids in tokens.ids]):
            pooled = self._pool_batch(tokens, rows)
            if vectors is None:
                vectors = pooled.new_empty((pooled.shape[0], len(texts), pooled.shape[2]))
            vectors[:, torch.from_numpy(rows).to(self.device)] = pooled
            tell(ITEMS, len(rows))
        assert vectors is not None
        return LayerVectors(vectors.cpu().numpy(), tokens.lengths)

    def _tokenize(self, texts: list[str]) -> _Tokens:
        """Token ids; texts that are too long are tokenized again, cut."""
        tokenizer: Any = self._network.tokenizer
        options = {"return_token_type_ids": self._network.has_types, "return_special_tokens_mask": True}
        options |= {"return_attention_mask": False, "verbose": False}
        coded = tokenizer(texts, **options)
        lengths = np.array([len(ids) for ids in coded["input_ids"]], np.int32)
        columns = {name: list(coded[name]) for name in coded}
        long = np.flatnonzero(lengths > (self.longest or np.inf)).tolist()
        if len(long):
            cut = tokenizer([texts[i] for i in long], truncation=True, max_length=self.longest, **options)
            for name, column in columns.items():
                for place, i in enumerate(long):
                    column[i] = cut[name][place]
        special = [np.asarray(mask, bool) for mask in columns["special_tokens_mask"]]
        keep_all = self.readout.special_tokens
        return _Tokens(
            [np.asarray(ids, np.int64) for ids in columns["input_ids"]],
            [np.asarray(ids, np.int64) for ids in columns["token_type_ids"]] if self._network.has_types else None,
            # a text of special tokens alone keeps them, so that its mean exists
            [np.ones_like(mask) if keep_all or mask.all() else ~mask for mask in special],
            lengths,
        )

    def _batches(self, lengths: list[int]) -> Iterator[npt.NDArray[np.int64]]:
        """Rows sorted by length, longest first, in batches that fit."""
        sizes = np.asarray(lengths)
        order = np.argsort(-sizes, kind="stable")
        start = 0
        while start < len(order):
            count = max(1, self.batch_tokens // max(1, int(sizes[order[start]])))
            yield order[start : start + count]
            start += count

    def _pool_batch(self, tokens: _Tokens, rows: npt.NDArray[np.int64]) -> torch.Tensor:
        ids = self._padded([tokens.ids[i] for i in rows], self._network.pad_id)
        lengths = torch.tensor([len(tokens.ids[i]) for i in rows], device=self.device)
        mask = (torch.arange(ids.shape[1], device=self.device)[None] < lengths[:, None]).long()
        inputs = {"input_ids": ids, "attention_mask": mask}
        if tokens.types is not None:
            inputs["token_type_ids"] = self._padded([tokens.types[i] for i in rows], 0)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.readout.compute == "bfloat16"):
            layers = self._backbone(**inputs, output_hidden_states=True).hidden_states
        counted = self._padded([tokens.counted[i].astype(np.int64) for i in rows], 0)
        return self._pool(layers, counted)

    def _pool(self, layers: Sequence[torch.Tensor], counted: torch.Tensor) -> torch.Tensor:
        """(layers, texts, features) from hidden states of shape (texts, tokens, features) each."""
        dtype = getattr(torch, self.readout.dtype)
        if self.readout.pooling == "mean":
            weights = (counted / counted.sum(1, keepdim=True)).float()[:, None]
            return torch.stack([(weights @ layer.float())[:, 0].to(dtype) for layer in layers])
        places = torch.arange(counted.shape[1], device=self.device) * counted
        at = counted.argmax(1) if self.readout.pooling == "first" else places.argmax(1)
        return torch.stack([layer[torch.arange(len(at), device=self.device), at].to(dtype) for layer in layers])

    def _padded(self, entries: Sequence[npt.NDArray[np.int64]], fill: int) -> torch.Tensor:
        width = max(len(entry) for entry in entries)
        array = np.full((len(entries), width), fill, np.int64)
        for row, entry in enumerate(entries):
            array[row, : len(entry)] = entry
        return torch.from_numpy(array).to(self.device)


def _prepare(network: TransformerNetwork, device: torch.device) -> Any:
    """The encoder on its device, in evaluation mode, with fused attention where the architecture has it."""
    backbone = network.backbone
    with quiet(), suppress(ValueError, ImportError):  # some architectures have no fused attention and keep theirs
        backbone.set_attn_implementation("sdpa")
    return backbone.to(device).eval()
