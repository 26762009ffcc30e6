"""Tiny models and data for the tests of training: every family is written once for the whole run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from goldproof.models.examples import Examples
from goldproof.models.tiny import write_tiny_model
from goldproof.models.transformer import Transformer, transformer

WORDS = [f"w{i}" for i in range(50)]


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Transformer]:
    """A tiny model of a family."""
    root = tmp_path_factory.mktemp("models")

    def make(family: str) -> Transformer:
        folder: Path = root / family
        if not folder.exists():
            write_tiny_model(folder, WORDS, family)
        return transformer(folder)

    return make


def make_pairs(n: int, tag: str, n_words: int = 50, longest: int = 12) -> Examples:
    """Pairs whose label is whether the first text has a word of low number."""
    rng = np.random.default_rng([n, len(tag), longest])
    texts, pairs = [], []
    for _ in range(n):
        texts.append(" ".join(rng.choice(WORDS[:n_words], rng.integers(2, longest))))
        pairs.append(" ".join(rng.choice(WORDS[:n_words], rng.integers(2, longest))))
    labels = tuple("yes" if int(text.split()[0][1:]) < n_words // 2 else "no" for text in texts)
    return Examples(tuple(f"{tag}{i}" for i in range(n)), tuple(texts), tuple(pairs), labels)


@pytest.fixture(scope="session")
def train() -> Examples:
    return make_pairs(18, "t", 30)


@pytest.fixture(scope="session")
def dev() -> Examples:
    """Longer than the training pairs, and with words that they lack."""
    return make_pairs(10, "d", 50, 16)
