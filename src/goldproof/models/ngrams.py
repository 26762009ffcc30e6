"""TF-IDF over n-grams of characters, or of the pieces of any tokenizer: the baseline that knows no context.

Pieces come from a `tokenizers` file (tokenizer.json), BPE, WordPiece or SentencePiece alike. The vocabulary is learned
from the training texts alone. It loads no torch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldproof.data.formats.files import looking
from goldproof.errors import DataError, MissingExtraError, ModelError, UsageError
from goldproof.extras import Need, import_extra
from goldproof.jobs import location
from goldproof.jobs.names import named
from goldproof.models.source import find_source


@named("models.NGrams")
@dataclass(frozen=True, slots=True)
class NGrams:
    """N-grams of `shortest` to `longest` units, the `max_features` most frequent; units are characters, or the pieces
    of the tokenizer with this digest.
    """

    tokenizer: str | None = None
    shortest: int = 1
    longest: int = 4
    max_features: int = 150_000
    path: Path | None = location(default=None)

    def __post_init__(self) -> None:
        if not 1 <= self.shortest <= self.longest:
            raise UsageError(f"n-grams need 1 ≤ shortest ≤ longest; got {self.shortest} to {self.longest}")
        if self.max_features < 1:
            raise UsageError(f"max_features must be at least 1; got {self.max_features}")

    @property
    def name(self) -> str:
        """What it is called in reports."""
        unit = "characters" if self.path is None else f"pieces of {self.path.parent.name or self.path.name}"
        return f"TF-IDF, {unit}"

    @property
    def digest(self) -> str:
        """The digest of the settings and the tokenizer."""
        parts = (self.tokenizer, self.shortest, self.longest, self.max_features)
        return hashlib.sha256(f"ngrams 1 {parts}".encode()).hexdigest()


@looking()
def ngrams(tokenizer: str | Path | None = None, **settings: Any) -> NGrams:
    """N-grams of characters, or of the pieces of a tokenizer.json: a file, a model's folder, or a downloaded model.

    >>> ngrams(longest=3).name
    'TF-IDF, characters'
    """
    if tokenizer is None:
        return NGrams(**settings)
    path = Path(tokenizer)
    if not path.exists():
        path = _downloaded(path)
    path = path / "tokenizer.json" if path.is_dir() else path
    if not path.is_file():
        raise ModelError(f"{path}: there is no such file; give a tokenizer.json, or a folder that has one")
    with path.open("rb") as file:
        return NGrams(hashlib.file_digest(file, "sha256").hexdigest(), path=path, **settings)


def _downloaded(path: Path) -> Path:
    """The folder of a downloaded model of this name; the path as it is where there is none."""
    try:
        return find_source(str(path), any_format=True).folder
    except (ModelError, MissingExtraError):
        return path


def tfidf_features(model: NGrams, train: Sequence[str], texts: Sequence[str]) -> Any:
    """TF-IDF of the texts as a scipy sparse matrix (texts × features, rows of length 1), learned from `train`.

    >>> tfidf_features(ngrams(longest=2), ["abab", "ba"], ["ab"]).shape
    (1, 4)
    """
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer

    lengths = (model.shortest, model.longest)
    vectorizer = TfidfVectorizer(
        analyzer="char" if model.path is None else _pieces(model.path, lengths),
        ngram_range=lengths if model.path is None else (1, 1),
        max_features=model.max_features,
        lowercase=model.path is None,
        dtype=np.float32,
    )
    try:
        return vectorizer.fit(train).transform(texts)
    except ValueError as error:
        raise DataError(f"no n-grams could be learned from the {len(train)} training texts ({error})") from None


def _pieces(path: Path, lengths: tuple[int, int]) -> Callable[[str], list[str]]:
    """An analyser that gives the n-grams of a text's pieces, joined by a blank."""
    need = Need("models", "splitting texts into a tokenizer's pieces", ("tokenizers",))
    try:
        tokenizer = import_extra("tokenizers", need).Tokenizer.from_file(str(path))
    except MissingExtraError:
        raise
    except Exception as error:  # noqa: BLE001  the library raises a bare Exception
        raise ModelError(f"{path}: the tokenizer cannot be read ({error})") from None

    def analyse(text: str) -> list[str]:
        pieces = tokenizer.encode(text, add_special_tokens=False).tokens
        return [
            " ".join(pieces[start : start + n])
            for n in range(lengths[0], lengths[1] + 1)
            for start in range(len(pieces) - n + 1)
        ]

    return analyse
