"""Static word vectors: one vector for each word, read from the text format of word2vec and GloVe. It loads no torch.

A word is looked up as it is written first, then in lower case, so that cased files and lower-case ones both serve.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from goldproof.data.formats.files import looking
from goldproof.errors import DataError
from goldproof.jobs import location
from goldproof.jobs.names import named
from goldproof.models.protocols import Floats
from goldproof.models.source import digest_file

_WORD = re.compile(r"\w+|[^\w\s]")


def split_words(text: str) -> list[str]:
    """Lower-case words and punctuation marks.

    >>> split_words("Charlie hasn't visited São Paulo.")
    ['charlie', 'hasn', "'", 't', 'visited', 'são', 'paulo', '.']
    """
    return split_cased(text.lower())


def split_cased(text: str) -> list[str]:
    """Words and punctuation marks as they are written.

    >>> split_cased("São Paulo.")
    ['São', 'Paulo', '.']
    """
    return _WORD.findall(text)


def find_word(word: str, known: Container[str]) -> str:
    """The word as it is written where that is known, else in lower case, known or not.

    >>> find_word("Paris", {"Paris", "paris"}), find_word("The", {"the"}), find_word("NLP", set())
    ('Paris', 'the', 'nlp')
    """
    return word if word in known else word.lower()


@named("models.StaticVectors")
@dataclass(frozen=True, slots=True)
class StaticVectors:
    """A file of word vectors; `digest` tells its content and how words are looked up in it."""

    digest: str
    path: Path = location()

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.name

    def encode(self, texts: Sequence[str], pairs: Sequence[str] | None = None, pooling: str = "mean") -> Floats:
        """The mean vector of each text's words, zero where none is known: shape (texts, 1, features)."""
        words, table = read_vectors(self)
        index = {word: i for i, word in enumerate(words)}
        whole = [f"{a} {b}" for a, b in zip(texts, pairs, strict=True)] if pairs is not None else list(texts)
        found = [[index.get(find_word(word, index)) for word in split_cased(text)] for text in whole]
        rows = [[row for row in each if row is not None] for each in found]
        means = [table[row].mean(axis=0) if row else np.zeros(table.shape[1], np.float32) for row in rows]
        return np.stack(means)[:, None].astype(np.float32)


@looking()
def static_vectors(path: str | Path) -> StaticVectors:
    """The vectors of a file; its digest is taken now, its content is read when it is needed."""
    path = Path(path)
    if not path.is_file():
        raise DataError("there is no such file; give a text file with a word and its numbers on each line", path=path)
    return StaticVectors(hashlib.sha256(f"words as written first {digest_file(path)}".encode()).hexdigest(), path)


def read_vectors(vectors: StaticVectors) -> tuple[list[str], npt.NDArray[np.float32]]:
    """Words in the file's order and their vectors, shape (words, features); a first line with two counts is passed
    over.
    """
    words: list[str] = []
    rows: list[npt.NDArray[np.float32]] = []
    seen: set[str] = set()
    with vectors.path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            word, _, rest = line.rstrip().partition(" ")
            if (number == 1 and len(rest.split()) == 1) or not word:
                continue
            row = _numbers(rest, vectors.path, number)
            if rows and len(row) != len(rows[0]):
                raise DataError(
                    f"there are {len(row)} numbers; earlier lines have {len(rows[0])}",
                    path=vectors.path,
                    line=number,
                )
            if word not in seen:
                seen.add(word)
                words.append(word)
                rows.append(row)
    if not rows:
        raise DataError("there are no vectors in the file", path=vectors.path)
    return words, np.stack(rows)


def _numbers(text: str, path: Path, line: int) -> npt.NDArray[np.float32]:
    try:
        return np.array(text.split(), np.float32)
    except ValueError:
        raise DataError(f"a word must be followed by numbers; got {text[:40]!r}", path=path, line=line) from None
