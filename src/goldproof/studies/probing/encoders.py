"""The model behind a name in the settings: a folder, its random twin, or the fake one. It loads nothing."""

from __future__ import annotations

from typing import Any

from goldproof.models.fake import Fake
from goldproof.models.transformer import transformer

TWIN_BUCKETS = 8  # the fake model's twin confuses most words


def encoder_of(folder: str, is_random: bool = False) -> Any:
    """The model of a folder, or the same architecture with random weights."""
    if folder == "fake":
        return Fake(n_buckets=TWIN_BUCKETS) if is_random else Fake()
    return transformer(folder, random_weights=is_random)
