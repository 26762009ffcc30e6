"""A model that is told which names are the same: names are numbered in each pair, the second text's first.

What is left to learn is what goes with what. A description; it loads no torch.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from goldproof.errors import UsageError
from goldproof.jobs.names import named
from goldproof.models.examples import Examples
from goldproof.models.protocols import Task
from goldproof.models.recurrent import Recurrent

if TYPE_CHECKING:
    from goldproof.models.numbered_network import NumberedNetwork

_WORD = re.compile(r"\w+(?:-\w+)*")
_ENDS = (".", "!", "?")


@named("models.Numbered")
@dataclass(frozen=True, slots=True)
class Numbered:
    """A recurrent network over words and numbers of names.

    A name is a word that training writes with a capital within a sentence, in less than `common` of the items; and any
    word that training does not have.
    """

    network: Recurrent = field(default_factory=lambda: Recurrent("gru", bidirectional=True))
    common: float = 0.2

    def __post_init__(self) -> None:
        if not 0 < self.common <= 1:
            raise UsageError(f"numbered: common must be above 0 and at most 1; got {self.common!r}")

    @property
    def name(self) -> str:
        """What it is called in reports."""
        return "numbered"

    @property
    def digest(self) -> str:
        """The digest of the settings and of the network's."""
        return hashlib.sha256(f"numbered {self.common} {self.network.digest}".encode()).hexdigest()

    def load(self, task: Task, n_outputs: int, train: Examples) -> NumberedNetwork:
        """The network for a task, with the words of the training data that are no names."""
        from goldproof.models.numbered_network import NumberedNetwork

        words = frozenset(find_words(train, self.common))
        return NumberedNetwork(self.network.load(task, n_outputs, number_names(train, words)), words)


def find_words(train: Examples, common: float) -> set[str]:
    """The words that are no names, in lower case.

    >>> sorted(find_words(Examples(("1", "2"), ("Ann saw Bo.", "Whoever saw Cy left.")), 0.5))
    ['ann', 'left', 'saw', 'whoever']
    """
    items: Counter[str] = Counter()
    inner: set[str] = set()
    for row in range(train.n):
        found = [each for text in _texts(train, row) for each in _words_of(text)]
        items.update({word.lower() for word, _ in found})
        inner.update(word.lower() for word, starts in found if word[0].isupper() and not starts)
    return {word for word, n in items.items() if word not in inner or n >= max(common * train.n, 2)}


def number_names(examples: Examples, words: frozenset[str]) -> Examples:
    """The examples with each other word in the place of a name replaced by its number in the pair.

    >>> number_names(Examples(("1",), ("Cy saw Bo. Bo left.",), ("Bo left.",)), frozenset(("saw", "left"))).texts
    ('name2 saw name1. name1 left.',)
    """
    texts, pairs = [], []
    for row in range(examples.n):
        numbers: dict[str, str] = {}
        *first, last = _texts(examples, row)
        numbered = [_numbered(last, words, numbers), *(_numbered(text, words, numbers) for text in first)]
        texts.append(numbered[-1])
        pairs.append(numbered[0])
    return replace(examples, texts=tuple(texts), pairs=tuple(pairs) if examples.pairs else None)


def _numbered(text: str, words: frozenset[str], numbers: dict[str, str]) -> str:
    def number(found: re.Match[str]) -> str:
        word = found[0].lower()
        return word if word in words else numbers.setdefault(word, f"name{len(numbers) + 1}")

    return _WORD.sub(number, text)


def _texts(examples: Examples, row: int) -> tuple[str, ...]:
    return (examples.texts[row], *((examples.pairs[row],) if examples.pairs else ()))


def _words_of(text: str) -> Iterator[tuple[str, bool]]:
    """The words of a text, and whether each begins a sentence."""
    for found in _WORD.finditer(text):
        before = text[: found.start()].rstrip()
        yield found[0], not before or before.endswith(_ENDS)
