"""Contrasts: two forms that no bag of words can tell apart, one a contradiction and one not; templates draw them.

The members of a contrast have the same premise words and the same hypothesis words, the same lengths, and hypothesis
names that stand equally often in the premise; they differ only in what goes with what. So a rule that sees word counts,
lengths or overlap alone is right on exactly half of the contrasts. "The same words" holds in every language: numbers,
cases and genders are chosen so that agreement does not bind what the bag has separated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from goldproof.builders.logic.forms import Form, LogicSentence


class LogicTask(StrEnum):
    """The tasks of the corpus; `mixed` draws from all others."""

    NEGATION = "negation"
    COORDINATION = "coordination"
    QUANTIFIERS = "quantifiers"
    DESCRIPTION = "description"
    COMPARISON = "comparison"
    COUNTING = "counting"
    MIXED = "mixed"

    @property
    def number(self) -> int:
        """The task's number in the paper, from 1."""
        return list(LogicTask).index(self) + 1


@dataclass(frozen=True, slots=True)
class Contrast:
    """A contradiction and a form that is none, drawn together."""

    contradiction: Form
    other: Form


@dataclass(frozen=True, slots=True)
class Template:
    """A family of contrasts; `sizes` are the n that it can be drawn at (0 only: it has no n)."""

    name: str
    task: LogicTask
    sizes: tuple[int, ...]
    draw: Callable[[int, np.random.Generator], Contrast]
    closes: str = ""


def between(low: int, high: int) -> tuple[int, ...]:
    """The numbers from low to high, both included."""
    return tuple(range(low, high + 1))


def two_of(n: int, rng: np.random.Generator) -> tuple[int, int]:
    """Two different numbers below n, in any order."""
    first = int(rng.integers(n))
    second = int(rng.integers(n - 1))
    return first, second + (second >= first)


def in_any_order(sentences: Sequence[LogicSentence], rng: np.random.Generator) -> tuple[LogicSentence, ...]:
    """The sentences of a premise, shuffled."""
    return tuple(sentences[int(i)] for i in rng.permutation(len(sentences)))


def coin(rng: np.random.Generator) -> bool:
    """True or False."""
    return bool(rng.integers(2))
