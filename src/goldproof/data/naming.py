"""What the name of a file says: its split, its language, and the group of files that it belongs to. It opens nothing.

entailment/de/val.jsonl            group entailment, language de, split validation
logic/pt/mixed_pt_train.csv        group logic/mixed, language pt, split train
treebanks/fr_pud-ud-test.conllu    group treebanks/pud-ud, language fr, split test
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import PurePath

SPLIT_WORDS = {
    "train": "train",
    "training": "train",
    "tr": "train",
    "dev": "validation",
    "val": "validation",
    "va": "validation",
    "valid": "validation",
    "validation": "validation",
    "test": "test",
    "te": "test",
}


def split_of(word: str) -> str:
    """The split that a word says; the word itself where it says none.

    >>> split_of("Training "), split_of("dev"), split_of("extra")
    ('train', 'validation', 'extra')
    """
    return SPLIT_WORDS.get(word.strip().lower(), word)


_CODES = """
af ar az be bg bn ca cs cy da de el en es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk ko la lt lv mk ml mr
ms nb nl nn no pl pt ro ru sk sl sq sr sv sw ta te th tl tr tt uk ur uz vi yo zh
"""
LANGUAGES = frozenset(_CODES.split())
_AMBIGUOUS = {"tr", "te"}  # Turkish and Telugu, or train and test


@dataclass(frozen=True, slots=True)
class FileName:
    """The parts of a file's name; None where the name does not say."""

    group: str
    language: str | None
    split: str | None


def split_in_name(name: str) -> str | None:
    """The split that a file name says, or None.

    >>> split_in_name("xnli.dev.tsv"), split_in_name("mixed_train.csv"), split_in_name("reviews.jsonl")
    ('validation', 'train', None)
    """
    words = _words(_stem(name))
    return next((SPLIT_WORDS[word] for word in reversed(words) if word in SPLIT_WORDS), None)


def parse_name(path: PurePath, siblings: Collection[str] = ()) -> FileName:
    """What a path, relative to the folder that was given, says; `siblings` are the names of files in the same folder.

    >>> parse_name(PurePath("logic/pt/mixed_pt_train.csv"))
    FileName(group='logic/mixed', language='pt', split='train')
    >>> parse_name(PurePath("tr.jsonl"), siblings=["de.jsonl", "tr.jsonl"])
    FileName(group='', language='tr', split=None)
    """
    folders = [folder for folder in path.parts[:-1] if folder not in ("/", ".", "..")]
    language = next((folder for folder in reversed(folders) if folder in LANGUAGES), None)
    words = _words(_stem(path.name))
    split_at = _split_position(words, siblings)
    split = SPLIT_WORDS[words[split_at].lower()] if split_at is not None else None
    rest = [word for position, word in enumerate(words) if position != split_at]
    if language is None and rest and rest[0].lower() in LANGUAGES:
        language = rest[0].lower()
    rest = [word for word in rest if word.lower() != language]
    stem = "-".join(rest)
    group = "/".join([*(folder for folder in folders if folder != language), *([stem] if stem else [])])
    return FileName(group, language, split)


def _split_position(words: list[str], siblings: Collection[str]) -> int | None:
    for position in reversed(range(len(words))):
        word = words[position].lower()
        if word in _AMBIGUOUS and len(words) == 1 and _name_languages(siblings):
            return None
        if word in SPLIT_WORDS:
            return position
    return None


def _name_languages(siblings: Collection[str]) -> bool:
    stems = {_stem(name).lower() for name in siblings} - _AMBIGUOUS
    return bool(stems & LANGUAGES) and not stems & set(SPLIT_WORDS)


def _stem(name: str) -> str:
    return name.split(".gz")[0].rpartition(".")[0] or name


def _words(stem: str) -> list[str]:
    return [word for word in re.split(r"[-_. ]+", stem) if word]
