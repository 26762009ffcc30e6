"""Texts made on the spot in invented languages: the first is the source, and each further one shares fewer words with
it.

Every topic has its own words; a language keeps a share of the source's words and has its own for the rest. So a model
that only knows words transfers by what is shared, and less and less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from goldproof.data.dataset import Dataset
from goldproof.jobs import step

if TYPE_CHECKING:
    from goldproof.studies.transfer.settings import Config

GENERATED = "generated"
TOPICS = ("health", "sports", "travel")
N_WORDS, N_FILLERS = 12, 40
_SPLITS = ("train", "validation", "test")


def likeness(config: Config, language: str) -> float:
    """The share of words that a language has in common with the source: 1 for the source, less for each further one."""
    place = (config.source, *config.data.languages).index(language)
    return round(1 - 0.8 * place / max(1, len(config.data.languages)), 3)


@step(version=1, name="goldproof.transfer.generate_topics")
def generate_topics(language: str, split: str, n: int, likeness: float) -> Dataset:
    """So many labelled texts of a split; row i is the same text in every language, word by word."""
    rng = np.random.default_rng([17, _SPLITS.index(split)])
    shared = np.random.default_rng(5).random((len(TOPICS) + 1, N_FILLERS)) < likeness
    rows = []
    for number in range(n):
        topic, other = (int(code) for code in rng.integers(len(TOPICS), size=2))
        kinds = [topic, topic, topic, other, *[len(TOPICS)] * 6]
        words = [(kind, int(rng.integers(N_FILLERS if kind == len(TOPICS) else N_WORDS))) for kind in kinds]
        text = " ".join(_word(kind, word, language, bool(shared[kind, word])) for kind, word in words)
        rows.append({"id": f"{split}-{number}", "text": text, "label": TOPICS[topic]})
    return Dataset.from_rows(f"generated {language}", rows, split=split, language=language)


def _word(kind: int, word: int, language: str, is_shared: bool) -> str:
    name = TOPICS[kind] if kind < len(TOPICS) else "filler"
    return f"{name}{word}" if is_shared else f"{language}{name}{word}"
