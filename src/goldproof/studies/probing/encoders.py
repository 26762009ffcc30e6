"""The model behind a name in the settings: a folder, its random twin, a plugin, or the fake one. It loads nothing."""

from __future__ import annotations

from typing import Any

from goldproof.errors import UsageError
from goldproof.models.fake import Fake
from goldproof.models.named import find_added, find_transformer

TWIN_BUCKETS = 8  # the fake model's twin confuses most words


def encoder_of(folder: str, is_random: bool = False) -> Any:
    """The model of a folder, or the same architecture with random weights."""
    if folder == "fake":
        return Fake(n_buckets=TWIN_BUCKETS) if is_random else Fake()
    added = find_added(folder, "encode")
    if added is None:
        return find_transformer(folder, random_weights=is_random)
    if is_random:
        raise UsageError(
            f"the model {folder!r} is a plugin's and cannot be had with random weights; set twins=false, and name it "
            "without 'random:'"
        )
    return added
