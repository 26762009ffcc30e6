"""CoNLL-U files of one language as checked trees, as often as they are asked for. It keeps sentence ids only.

A tree with a cycle or several roots, and an id that stands twice, are errors. Sentences that are marked as another
language (`# lang = de`) or written in another script are left out and counted; where they are most of a file, that is
an error too, as is a file whose name says another language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from goldproof.builders.probing.tree import Tree
from goldproof.data.dataset import SourceFile
from goldproof.data.formats.files import check_file, describe_file
from goldproof.data.formats.treebank import Sentence, iter_sentences
from goldproof.data.naming import LANGUAGES, parse_name
from goldproof.errors import DataError, UsageError

_LETTERS = {
    "Latin": re.compile(r"[A-Za-z\u00c0-\u024f]"),
    "Cyrillic": re.compile(r"[\u0400-\u04ff]"),
    "Greek": re.compile(r"[\u0370-\u03ff]"),
}
_OTHER_SCRIPTS = "ar bn fa gu he hi hy ja ka ko ml mr sr ta te th ur zh"
_CYRILLIC = "be bg kk mk ru tt uk"


@dataclass(frozen=True, slots=True)
class Treebanks:
    """CoNLL-U files and their language."""

    paths: tuple[Path, ...]
    language: str

    def trees(self, left_out: Counter[str] | None = None, *, check: bool = True) -> Iterator[Tree]:
        """The sentences in order; `left_out` counts those of another language by the reason.

        `check=False` is for a second pass: it keeps no ids, so its memory does not grow with the file.
        """
        for path in self.paths:
            yield from _iter_trees(path, self.language, Counter() if left_out is None else left_out, check)

    def describe(self) -> tuple[SourceFile, ...]:
        """Names and digests of the files."""
        return tuple(map(describe_file, self.paths))


def open_treebanks(paths: Sequence[str | Path], language: str | None = None) -> Treebanks:
    """The treebanks, with their language as given or as the names of the files say it (`ru_taiga-ud-train.conllu`)."""
    if not paths:
        raise UsageError("at least one CoNLL-U file is needed")
    files = tuple(check_file(path) for path in paths)
    named = {path: parse_name(PurePath(path.name)).language for path in files}
    said = list(dict.fromkeys(found for found in named.values() if found))
    if language is None and len(said) == 1:
        language = said[0]
    if language is None:
        problem = "say different languages: " + ", ".join(said) if said else "do not say the language"
        raise UsageError(f"the names of the files {problem}; give one language, for example --language ru")
    for path, found in named.items():
        if found and found != language:
            raise DataError(f"the file name says the language is {found!r}, but {language!r} was requested", path=path)
    return Treebanks(files, language)


def _iter_trees(path: Path, language: str, left_out: Counter[str], check: bool) -> Iterator[Tree]:
    lines: dict[str, int] = {}
    n = 0
    foreign: Counter[str] = Counter()
    for sentence in iter_sentences(path):
        n += 1
        if check:
            _check(sentence, lines, path)
        reason = _why_foreign(sentence, language)
        if reason is None:
            yield Tree(sentence)
        else:
            foreign[reason] += 1
    if foreign.total() * 2 > n:
        reason, _ = foreign.most_common(1)[0]
        message = f"{foreign.total()} of {n} sentences are not in the language {language!r}: {reason}"
        raise DataError(message, path=path)
    left_out.update(foreign)


def _check(sentence: Sentence, lines: dict[str, int], path: Path) -> None:
    earlier = lines.setdefault(sentence.id, sentence.line)
    if earlier != sentence.line:
        message = f"the sentence id {sentence.id!r} already occurs at line {earlier}; ids must differ"
        raise DataError(message, path=path, line=sentence.line)
    roots = [str(token.number) for token in sentence.tokens if token.head == 0]
    if len(roots) != 1:
        message = f"a sentence has one root, a word with HEAD 0; here the words {' and '.join(roots)} are roots"
        raise DataError(message, path=path, line=sentence.line)


def _why_foreign(sentence: Sentence, language: str) -> str | None:
    marked = sentence.comments.get("lang", language)
    if marked != language:
        return f"marked as {marked!r}"
    if language not in LANGUAGES or language in _OTHER_SCRIPTS.split():
        return None
    own = "Cyrillic" if language in _CYRILLIC.split() else "Greek" if language == "el" else "Latin"
    counts = {script: len(letters.findall(sentence.text)) for script, letters in _LETTERS.items()}
    if counts[own] * 2 >= sum(counts.values()):
        return None
    return f"not mostly in {own} script"
