"""Texts in a normal form and as shingles, in flat arrays: what copies are told by.

The normal form folds case and Unicode's compatible forms (NFKC) and drops punctuation and blanks; *masked*, every
number is one sign as well, where at most a quarter of the words are numbers (sums differ by nothing else). A text's
shingles are its words and its pairs of neighbouring words, both of the masked form and numbered by occurrence, so that
Jaccard similarity counts repeated words. Scripts written without spaces (Chinese, Japanese, Thai, Lao, Burmese, Khmer)
have neighbouring characters as their words.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from goldproof.draws import mix64

Codes = npt.NDArray[np.uint64]
_CHUNK = 4096  # texts that are turned into arrays together
_MOST_WORDS = 1 << 20  # of such a chunk
# Signs of vowels and tones are no letters for `\w`, though words differ by them.
_MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u0900-\u0963\u0966-\u0dff"
)
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17d3\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(f"[{_UNSPACED}]+|(?:[^\\W{_UNSPACED}]|[{_MARKS}])+")
_ASCII_WORD = re.compile(r"\w+", re.ASCII)
_FIRST_UNSPACED = "\u0e00"
_MASK = "0"
_MOST_NUMBERS = 0.25  # of the words, above which numbers are not masked
_STEP, _PAIR = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)


@dataclass(frozen=True, slots=True, eq=False)
class TextCodes:
    """For each text a hash of its characters, of its normal form and of its masked form, and its shingles.

    Text i has the shingles from `starts[i]` to `starts[i + 1]`, sorted and each once. Texts without a word have none,
    and the hash of their characters stands for their forms.
    """

    raw: Codes
    form: Codes
    masked: Codes
    shingles: npt.NDArray[np.uint32]
    starts: npt.NDArray[np.int64]

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many shingles each text has."""
        return np.diff(self.starts)

    def take(self, rows: npt.NDArray[np.int64]) -> TextCodes:
        """The texts at these places."""
        sizes = self.sizes[rows]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        shingles = np.empty(int(starts[-1]), np.uint32)
        for first in range(0, len(rows), _CHUNK):  # places of all shingles at once would take four times their memory
            part = slice(first, min(first + _CHUNK, len(rows)))
            places = flat_places(self.starts[rows[part]], sizes[part])
            shingles[starts[part.start] : starts[part.stop]] = self.shingles[places]
        return TextCodes(self.raw[rows], self.form[rows], self.masked[rows], shingles, starts)


def flat_places(starts: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The places start, start + 1, … of each run, one run after the other.

    >>> flat_places(np.array([10, 50]), np.array([2, 3])).tolist()
    [10, 11, 50, 51, 52]
    """
    before = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    return np.arange(int(sizes.sum()), dtype=np.int64) + np.repeat(starts - before, sizes)


def sorted_distinct(values: Codes) -> Codes:
    """The distinct values, sorted: numpy's own way through a table of hashes is slower here.

    >>> sorted_distinct(np.array([3, 1, 3], np.uint64)).tolist()
    [1, 3]
    """
    values = np.sort(values)
    new = np.ones(len(values), bool)
    new[1:] = values[1:] != values[:-1]
    return values[new]


def words_of(text: str) -> list[str]:
    """The words of the normal form.

    >>> words_of("  The cat, sat — on THE mat!")
    ['the', 'cat', 'sat', 'on', 'the', 'mat']
    >>> words_of("Straße № ５")
    ['strasse', 'no', '5']
    >>> words_of("東京都")
    ['東京', '京都']
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    words = _WORD.findall(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()))
    if max(text) < _FIRST_UNSPACED:
        return words
    return [piece for word in words for piece in _pieces(word)]


def _pieces(word: str) -> list[str]:
    if len(word) < 3 or word[0] < _FIRST_UNSPACED or not re.match(f"[{_UNSPACED}]", word):
        return [word]
    return [word[start : start + 2] for start in range(len(word) - 1)]


def encode(texts: Iterable[str | None], progress: Callable[[int], None] | None = None) -> TextCodes:
    """Hashes and shingles of the texts; None is the empty text. `progress` is told how many are done.

    >>> codes = encode(["The cat sat.", "the cat  sat", "A dog slept."])
    >>> codes.raw[0] == codes.raw[1], codes.form[0] == codes.form[1], codes.form[0] == codes.form[2]
    (np.False_, np.True_, np.False_)
    >>> codes.sizes.tolist()
    [5, 5, 5]
    """
    vocabulary = _Vocabulary()
    parts, n_done = [], 0
    for chunk in _chunks(texts, vocabulary):
        parts.append(_encode_chunk(chunk, vocabulary))
        n_done += len(chunk.raw)
        if progress is not None:
            progress(n_done)
    if not parts:
        none = np.empty(0, np.uint64)
        return TextCodes(none, none, none, np.empty(0, np.uint32), np.zeros(1, np.int64))
    sizes = np.concatenate([part.sizes for part in parts])
    return TextCodes(
        np.concatenate([part.raw for part in parts]),
        np.concatenate([part.form for part in parts]),
        np.concatenate([part.masked for part in parts]),
        _joined(parts),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
    )


def _joined(parts: list[TextCodes]) -> npt.NDArray[np.uint32]:
    """The shingles of all parts; each part is let go when it was copied."""
    shingles = np.empty(sum(len(part.shingles) for part in parts), np.uint32)
    end = len(shingles)
    while parts:
        last = parts.pop().shingles
        shingles[end - len(last) : end] = last
        end -= len(last)
    return shingles


class _Vocabulary:
    """Numbers of words, and their hashes: of the word and of the word with its digits masked."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._form, self._masked = array("Q"), array("Q")

    def number(self, word: str) -> int:
        found = self.numbers.get(word)
        if found is None:
            found = self.numbers[word] = len(self.numbers)
            self._form.append(hash_text(word))
            self._masked.append(hash_text(_MASK if word.isdecimal() else word))
        return found

    def hashes(self) -> tuple[Codes, Codes]:
        """Those of all words so far: copies, since the arrays still grow."""
        return np.array(self._form, np.uint64), np.array(self._masked, np.uint64)


@dataclass(frozen=True, slots=True, eq=False)
class _Chunk:
    raw: Codes
    words: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]


def _chunks(texts: Iterable[str | None], vocabulary: _Vocabulary) -> Iterator[_Chunk]:
    iterator = iter(texts)
    while True:
        raw, words, lengths = array("Q"), array("q"), array("q")
        for text in islice(iterator, _CHUNK):
            found = words_of(text or "")
            raw.append(hash_text(text or ""))
            words.extend(map(vocabulary.number, found))
            lengths.append(len(found))
            if len(words) > _MOST_WORDS:
                break
        if not raw:
            return
        yield _Chunk(np.array(raw, np.uint64), np.array(words, np.int64), np.array(lengths, np.int64))


def hash_text(text: str) -> int:
    """64 bits that depend on the characters alone."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _encode_chunk(chunk: _Chunk, vocabulary: _Vocabulary) -> TextCodes:
    n, lengths = len(chunk.raw), chunk.lengths
    form, masked = (hashes[chunk.words] for hashes in vocabulary.hashes())
    owners = np.repeat(np.arange(n), lengths)
    n_numbers = np.bincount(owners, masked == np.uint64(hash_text(_MASK)), minlength=n)
    masked = np.where((n_numbers > _MOST_NUMBERS * lengths)[owners], form, masked)
    places = flat_places(np.zeros(n, np.int64), lengths).astype(np.uint64)
    filled = np.flatnonzero(lengths)
    firsts = (np.cumsum(lengths) - lengths)[filled]
    of_form, of_masked = chunk.raw.copy(), chunk.raw.copy()
    if len(filled):
        of_form[filled] = np.add.reduceat(mix64(form + places * _STEP), firsts)
        of_masked[filled] = np.add.reduceat(mix64(masked + places * _STEP), firsts)
    shingles, sizes = _shingle(masked, owners, n)
    return TextCodes(chunk.raw, of_form, of_masked, shingles, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))


def _shingle(
    words: Codes, owners: npt.NDArray[np.int64], n: int
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
    """The words and neighbouring pairs of each text, numbered by occurrence, as sorted 32-bit hashes."""
    inside = owners[1:] == owners[:-1]
    pairs = mix64(words[:-1] * _PAIR + words[1:])[inside]
    values = np.concatenate([words, pairs])
    of = np.concatenate([owners, owners[1:][inside]])
    order = np.lexsort((values, of))
    values, of = values[order], of[order]
    new = np.ones(len(values), bool)
    new[1:] = (values[1:] != values[:-1]) | (of[1:] != of[:-1])
    starts = np.flatnonzero(new)
    occurrence = np.arange(len(values)) - np.repeat(starts, np.diff(np.append(starts, len(values))))
    hashed = mix64(values + occurrence.astype(np.uint64) * _STEP) >> np.uint64(32)
    keys = sorted_distinct(of.astype(np.uint64) << np.uint64(32) | hashed)
    sizes = np.bincount((keys >> np.uint64(32)).astype(np.int64), minlength=n)
    return keys.astype(np.uint32), sizes.astype(np.int64)
