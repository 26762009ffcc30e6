"""Extras: the optional packages of Goldproof, and the one line that says which are missing and how they are had.

Whatever needs an extra says so with a `Need`: commands and library calls by `require`, before they read, make or
compute anything; steps of jobs by `requires=`, so that a study is refused when it is planned. Looking imports nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from goldproof.errors import MissingExtraError

MODULES: Mapping[str, tuple[str, ...]] = {
    "models": ("torch", "transformers", "tokenizers"),
    "english": ("nltk",),
    "ray": ("ray",),
    "s3": ("s3fs",),
    "logic": ("z3",),
    "russian": ("pymorphy3", "natasha", "razdel"),
    "german": ("HanTa",),
    "brill": ("brill_postaggers",),
    "spacy": ("spacy",),
    "probing": ("wordfreq",),
    "nrc": ("nrclex",),
    "hub": ("datasets", "huggingface_hub"),
    "mlflow": ("mlflow",),
}
"""The extras of pyproject.toml, and what is imported of each."""


@dataclass(frozen=True, slots=True)
class Need:
    """An extra and what needs it, in words that can begin a sentence; `modules` where only some of its own will do.

    >>> Need("models", "training a model").modules
    ('torch', 'transformers', 'tokenizers')
    """

    extra: str
    what: str
    modules: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "modules", self.modules or MODULES[self.extra])

    @property
    def is_met(self) -> bool:
        """Whether its modules can be found; none is imported."""
        return all(_is_there(module) for module in self.modules)


def lacking(needs: Iterable[Need]) -> list[Need]:
    """The needs that are not met, the first of each extra."""
    first: dict[str, Need] = {}
    for need in dict.fromkeys(needs):
        if need.extra not in first and not need.is_met:
            first[need.extra] = need
    return list(first.values())


def require(*needs: Need) -> None:
    """Raise one error for all needs that are not met."""
    missing = lacking(needs)
    if missing:
        raise missing_error(missing)


def missing_error(missing: Iterable[Need]) -> MissingExtraError:
    """The error for needs that are not met."""
    return MissingExtraError({need.extra: need.what for need in missing})


def import_extra(module: str, need: Need) -> Any:
    """Import a module of an extra, or say what needs it and how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise missing_error([need]) from None


def _is_there(module: str) -> bool:
    if module in sys.modules:
        return sys.modules[module] is not None
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False
