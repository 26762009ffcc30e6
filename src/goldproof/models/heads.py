"""Small modules around an encoder: logits out, a head for encoders that have none, dropout shared by all items.
Imports torch.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch.overrides import handle_torch_function, has_torch_function_unary


def shared_dropout(input: torch.Tensor, p: float = 0.5, training: bool = True) -> torch.Tensor:  # noqa: A002
    """Dropout of a tensor that belongs to no item, such as an embedding of relative positions."""
    if has_torch_function_unary(input):
        return handle_torch_function(shared_dropout, (input,), input, p=p, training=training)
    return F.dropout(input, p, training)


class SharedDropout(torch.nn.Module):
    """Dropout whose input has no dimension of items."""

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, input: torch.Tensor) -> torch.Tensor:  # noqa: A002
        """The input with some entries set to zero and the rest scaled."""
        return shared_dropout(input, self.p, self.training)


class Logits(torch.nn.Module):
    """A transformers classifier that gives nothing but its logits."""

    def __init__(self, model: Any, *, takes_types: bool) -> None:
        super().__init__()
        self.model = model
        self.takes_types = takes_types

    @property
    def keeper(self) -> Any:
        """What `save_pretrained` is called on."""
        return self.model

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor | None) -> torch.Tensor:
        """Logits of shape (items, classes), or (items, tokens, classes)."""
        extra = {"token_type_ids": types} if self.takes_types and types is not None else {}
        return self.model(input_ids=ids, attention_mask=mask, **extra).logits  # type: ignore[no-any-return]


class EncoderWithHead(torch.nn.Module):
    """The encoder half of a sequence-to-sequence model, with dropout and a linear layer over the mean of its tokens."""

    def __init__(self, whole: Any, encoder: Any, hidden: int, n_outputs: int, rate: float, *, per_token: bool) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = torch.nn.Linear(hidden, n_outputs)
        self.rate = rate
        self.per_token = per_token
        self._whole = [whole]  # in a list, so that the decoder is no part of this module

    @property
    def keeper(self) -> Any:
        """What `save_pretrained` is called on."""
        return self._whole[0]

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor | None) -> torch.Tensor:
        """Logits of shape (items, classes), or (items, tokens, classes)."""
        states = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        if not self.per_token:
            weights = mask.to(states.dtype)
            states = (states * weights[:, :, None]).sum(1) / weights.sum(1, keepdim=True)
        return self.head(F.dropout(states, self.rate, self.training))  # type: ignore[no-any-return]
