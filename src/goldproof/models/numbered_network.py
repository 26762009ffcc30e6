"""A network whose texts have their names numbered before they are read. Imports torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from goldproof.models.examples import Examples
from goldproof.models.numbered import number_names
from goldproof.models.protocols import Tokenized
from goldproof.models.recurrent_network import RecurrentNetwork


@dataclass(eq=False)
class NumberedNetwork:
    """A recurrent network behind numbered names; see `goldproof.models.protocols.Network`."""

    network: RecurrentNetwork
    words: frozenset[str]

    def __post_init__(self) -> None:
        self.module: torch.nn.Module = self.network.module
        self.embedding, self.pad_id = self.network.embedding, self.network.pad_id
        self.has_types, self.takes_bfloat16 = self.network.has_types, self.network.takes_bfloat16
        self.items_at_once = self.network.items_at_once

    def tokenize(self, examples: Examples, max_length: int | None) -> Tokenized:
        """Word numbers of the texts with their names numbered."""
        return self.network.tokenize(number_names(examples, self.words), max_length)

    def drawn(self, seed: int) -> dict[str, torch.Tensor]:
        """The parameters that the seed draws."""
        return self.network.drawn(seed)

    def move_padding(self, row: int) -> None:
        """Padding has no row of its own kind here: masks keep it out."""

    def save(self, state: dict[str, torch.Tensor], folder: Any) -> None:
        """Refuse, as the network does."""
        self.network.save(state, folder)
