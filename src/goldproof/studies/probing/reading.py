"""Features of texts for a step: layers of any model, read through the cache that all jobs of a store share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from goldproof.jobs.cache import cache_folder
from goldproof.measures.activations import find_device, open_reader, read_activations
from goldproof.measures.layers import Layers, join_layers, select_layers
from goldproof.models.reading import EncoderReader, Reader
from goldproof.models.readout import Readout
from goldproof.models.transformer import Transformer


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """Layers of features, the number of each layer (0 is the embedding layer), and how many texts were cut."""

    layers: Layers
    numbers: tuple[int, ...]
    n_cut: int


@contextmanager
def read_layers(
    model: Any, readout: Readout, texts: Sequence[str], embeddings: bool, pairs: Sequence[str] | None = None
) -> Iterator[Read]:
    """All layers of the texts, or of both texts of each pair side by side; without the embedding layer if so asked."""
    reader = open_cached(model, readout, find_device())
    with cache_folder("activations") as folder:
        found = [read_activations(reader, side, folder) for side in (texts, pairs) if side is not None]
        layers: Layers = found[0] if pairs is None else join_layers(*found)
        numbers = tuple(range(layers.n_layers))
        if not embeddings and len(numbers) > 1:
            numbers = numbers[1:]
            layers = select_layers(layers, numbers)
        yield Read(layers, numbers, sum(each.n_cut for each in found))


@lru_cache(maxsize=1)
def open_cached(model: Any, readout: Readout, device: str) -> Reader:
    """The reader of a model; the last one stays open, as the next task usually wants it too."""
    if isinstance(model, Transformer):
        return open_reader(model, readout, device=device)
    return EncoderReader(model, readout)
