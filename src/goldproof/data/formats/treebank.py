"""Universal Dependencies treebanks in CoNLL-U, sentence by sentence. It reads what is annotated and parses no text.

Format: https://universaldependencies.org/format.html. Words carry the syntax; multiword ranges (`3-4`) and empty nodes
(`5.1`) are kept beside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from goldproof.data.dataset import UNKNOWN_LANGUAGE, Dataset, Provenance
from goldproof.data.formats.files import check_file, describe_file, iter_lines, shortened
from goldproof.data.naming import split_in_name
from goldproof.errors import DataError

_ID = re.compile(r"([0-9]{1,9})(?:([-.])([0-9]{1,9}))?")  # nine digits are more words than a sentence can have
_HEAD = re.compile(r"[0-9]{1,9}")
_COLUMNS = "ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC"


@lru_cache(maxsize=4096)  # a treebank has some hundred different sets of features
def _features(feats: str) -> Mapping[str, str]:
    return dict(pair.split("=", 1) for pair in feats.split("|")) if feats != "_" else {}


@dataclass(frozen=True, slots=True)
class Token:
    """A syntactic word; `head` is the number of its head in the sentence, 0 for the root."""

    number: int
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    deprel: str
    deps: str
    misc: str

    @property
    def features(self) -> Mapping[str, str]:
        """The morphological features.

        >>> Token(1, "cats", "cat", "NOUN", "NNS", "Case=Nom|Number=Plur", 0, "root", "_", "_").features
        {'Case': 'Nom', 'Number': 'Plur'}
        """
        return _features(self.feats)


@dataclass(frozen=True, slots=True)
class Multiword:
    """A surface token that stands for the words `first` to `last`: French "du" for "de le"."""

    first: int
    last: int
    form: str
    misc: str


@dataclass(frozen=True, slots=True)
class EmptyNode:
    """A word that the sentence leaves out, put after word `after`; only enhanced dependencies use it."""

    after: int
    index: int
    form: str
    lemma: str
    upos: str
    feats: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its words; `line` is where it begins in the file."""

    id: str
    text: str
    tokens: tuple[Token, ...]
    multiwords: tuple[Multiword, ...]
    empty_nodes: tuple[EmptyNode, ...]
    comments: Mapping[str, str]
    line: int


def iter_sentences(path: str | Path) -> Iterator[Sentence]:
    """The sentences of a CoNLL-U file in order, in bounded memory."""
    path = check_file(path)
    lines: list[tuple[int, str]] = []
    for number, line in iter_lines(path):
        if line.strip():
            lines.append((number, line))
        elif lines:
            yield from _parse(lines, path)
            lines = []
    if lines:
        yield from _parse(lines, path)


def read_conllu(path: str | Path, *, language: str = UNKNOWN_LANGUAGE, split: str | None = None) -> Dataset:
    """A treebank as a dataset: text, words as tokens, universal parts of speech as token labels."""
    path = check_file(path)
    rows = [
        {
            "id": sentence.id,
            "text": sentence.text,
            "tokens": [token.form for token in sentence.tokens],
            "token_labels": [token.upos for token in sentence.tokens],
        }
        for sentence in iter_sentences(path)
    ]
    if not rows:
        raise DataError("the file has no sentences", path=path)
    data = Dataset.from_rows(path.name, rows, language=language, split=split or split_in_name(path.name) or "all")
    return Dataset(path.name, data.table, Provenance(path.name, (describe_file(path),)))


def _parse(lines: list[tuple[int, str]], path: Path) -> Iterator[Sentence]:
    comments: dict[str, str] = {}
    tokens: list[Token] = []
    multiwords: list[Multiword] = []
    empty_nodes: list[EmptyNode] = []
    for number, line in lines:
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            comments[key.strip()] = value.strip()
            continue
        node = _parse_node(line.split("\t"), path, number, len(tokens))
        match node:
            case Token():
                tokens.append(node)
            case Multiword():
                multiwords.append(node)
            case EmptyNode():
                empty_nodes.append(node)
    if not tokens:  # comments at the end of a file
        return
    _check_heads(tokens, [number for number, line in lines if _is_word(line)], path)
    text = comments.get("text") or _text(tokens, multiwords)
    first = lines[0][0]
    identity = comments.get("sent_id", f"line {first}")
    yield Sentence(identity, text, tuple(tokens), tuple(multiwords), tuple(empty_nodes), comments, first)


def _parse_node(cells: list[str], path: Path, line: int, n_words: int) -> Token | Multiword | EmptyNode:
    if len(cells) != 10:
        raise DataError(
            (f"CoNLL-U needs 10 columns separated by TAB ({_COLUMNS}); got {len(cells)}"), path=path, line=line
        )
    match = _ID.fullmatch(cells[0])
    if match is None:
        message = f"ID must be a number, a range (3-4) or an empty node (5.1); got {shortened(cells[0])!r}"
        raise DataError(message, path=path, line=line)
    number, kind, second = int(match[1]), match[2], match[3]
    if kind == "-":
        if not n_words < number < int(second):
            raise DataError(f"the range {cells[0]} must start after word {n_words} and increase", path=path, line=line)
        return Multiword(number, int(second), cells[1], cells[9])
    if kind == ".":
        return EmptyNode(number, int(second), cells[1], cells[2], cells[3], cells[5])
    if number != n_words + 1:
        raise DataError(
            (f"words must be numbered 1, 2, 3, …: expected {n_words + 1}; got {number}"), path=path, line=line
        )
    if not _HEAD.fullmatch(cells[6]):
        got = shortened(cells[6])
        raise DataError(f"HEAD must be the number of a word, or 0 for the root; got {got!r}", path=path, line=line)
    _, form, lemma, upos, xpos, feats, head, deprel, deps, misc = cells
    return Token(number, form, lemma, upos, xpos, feats, int(head), deprel, deps, misc)


def _is_word(line: str) -> bool:
    return line.partition("\t")[0].isdecimal()


def _check_heads(tokens: list[Token], lines: list[int], path: Path) -> None:
    heads = {token.number: token.head for token in tokens}
    for token, line in zip(tokens, lines, strict=True):
        if token.head > len(tokens):
            message = f"HEAD {token.head} is not a word of this sentence, which has {len(tokens)} words"
            raise DataError(message, path=path, line=line)
        if _steps_to_root(heads, token.number) > len(tokens):
            raise DataError(f"the heads of word {token.number} form a cycle", path=path, line=line)


def _steps_to_root(heads: Mapping[int, int], number: int) -> int:
    """Edges from a word up to the root; more than there are words where the heads go in a circle."""
    steps = 0
    while (number := heads[number]) and steps <= len(heads):
        steps += 1
    return steps


def iter_surface(tokens: Sequence[Token], multiwords: Sequence[Multiword]) -> Iterator[Token | Multiword]:
    """The tokens as they are written: a word, or the multiword that stands for several."""
    starts = {multiword.first: multiword for multiword in multiwords}
    covered = 0
    for token in tokens:
        if token.number > covered:
            multiword = starts.get(token.number)
            covered = multiword.last if multiword else token.number
            yield multiword or token


def _text(tokens: Sequence[Token], multiwords: Sequence[Multiword]) -> str:
    pieces = iter_surface(tokens, multiwords)
    return "".join(piece.form + ("" if "SpaceAfter=No" in piece.misc else " ") for piece in pieces).rstrip()
