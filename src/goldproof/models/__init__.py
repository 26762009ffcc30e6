"""What is judged: encoders, classifiers and prompted models. torch is imported inside the functions that run.

Each public name is imported when first used; `goldproof.transformer` is the model of a folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from goldproof import lazy

if TYPE_CHECKING:
    from goldproof.models.examples import Examples
    from goldproof.models.fake import Fake
    from goldproof.models.language_model import LanguageModel
    from goldproof.models.protocols import Classifier, Encoder, Network, Prompted, Tokenized, Trainable
    from goldproof.models.recurrent import Recurrent
    from goldproof.models.scratch import Scratch

__all__ = [
    "Classifier",
    "Encoder",
    "Examples",
    "Fake",
    "LanguageModel",
    "Network",
    "Prompted",
    "Recurrent",
    "Scratch",
    "Tokenized",
    "Trainable",
]

_HOMES = {
    "goldproof.models.examples": ("Examples",),
    "goldproof.models.fake": ("Fake",),
    "goldproof.models.language_model": ("LanguageModel",),
    "goldproof.models.protocols": ("Classifier", "Encoder", "Network", "Prompted", "Tokenized", "Trainable"),
    "goldproof.models.recurrent": ("Recurrent",),
    "goldproof.models.scratch": ("Scratch",),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    return lazy.find(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
