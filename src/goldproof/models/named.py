"""The model behind a name in the settings: "fake", a folder, or a hub name downloaded before. It loads nothing."""

from __future__ import annotations

from typing import Any

from goldproof.models.fake import Fake
from goldproof.models.transformer import transformer


def find_model(name: str) -> Any:
    """The model that a setting names.

    >>> find_model("fake").name
    'fake'
    """
    return Fake() if name == "fake" else transformer(name)
