"""Static word vectors: one vector for each word, read from the text format of word2vec and GloVe. It loads no torch."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
    return _WORD.findall(text.lower())


@named("models.StaticVectors")
@dataclass(frozen=True, slots=True)
class StaticVectors:
    """A file of word vectors, told by its digest."""

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
        rows = [[index[word] for word in split_words(text) if word in index] for text in whole]
        means = [table[row].mean(axis=0) if row else np.zeros(table.shape[1], np.float32) for row in rows]
        return np.stack(means)[:, None].astype(np.float32)


@looking()
def static_vectors(path: str | Path) -> StaticVectors:
    """The vectors of a file; its digest is taken now, its content is read when it is needed."""
    path = Path(path)
    if not path.is_file():
        raise DataError("there is no such file; give a text file with a word and its numbers on each line", path=path)
    return StaticVectors(digest_file(path), path)


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
                    f"there are {len(row)} numbers; the lines before have {len(rows[0])}",
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
