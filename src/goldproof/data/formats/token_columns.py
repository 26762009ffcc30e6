"""Token-per-line corpora with tags in a column (WikiANN, CoNLL-2002 and 2003); a blank line ends a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from goldproof.data.dataset import UNKNOWN_LANGUAGE, Dataset, Provenance
from goldproof.data.formats.files import check_file, describe_file, iter_lines
from goldproof.data.naming import split_in_name
from goldproof.errors import DataError


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """The tokens of a sentence, the tag of each, and the line on which it begins."""

    tokens: tuple[str, ...]
    tags: tuple[str, ...]
    line: int


def iter_tagged(path: str | Path, *, prefix: str = "", delimiter: str = "\t") -> Iterator[TaggedSentence]:
    """The sentences of a file in order.

    The first column is the token, the last one its tag; `prefix` (such as `en:`) stands before each token and is taken
    off. `-DOCSTART-` lines are passed over.
    """
    path = check_file(path)
    tokens: list[str] = []
    tags: list[str] = []
    first, n_columns = 1, 0
    for number, line in iter_lines(path):
        if not line.strip():
            if tokens:
                yield TaggedSentence(tuple(tokens), tuple(tags), first)
            tokens, tags, first = [], [], number + 1
            continue
        if line.startswith("-DOCSTART-"):
            continue
        cells = line.split(delimiter)
        n_columns = n_columns or max(len(cells), 2)
        _check_cells(cells, n_columns, prefix, path, number)
        tokens.append(cells[0].removeprefix(prefix))
        tags.append(cells[-1])
    if tokens:
        yield TaggedSentence(tuple(tokens), tuple(tags), first)


def read_tagged(
    path: str | Path,
    *,
    language: str = UNKNOWN_LANGUAGE,
    split: str | None = None,
    prefix: str = "",
    delimiter: str = "\t",
) -> Dataset:
    """A tagged corpus as a dataset; the text is the tokens with spaces between them."""
    path = check_file(path)
    rows = [
        {"text": " ".join(sentence.tokens), "tokens": list(sentence.tokens), "token_labels": list(sentence.tags)}
        for sentence in iter_tagged(path, prefix=prefix, delimiter=delimiter)
    ]
    if not rows:
        raise DataError("the file has no sentences", path=path)
    data = Dataset.from_rows(path.name, rows, language=language, split=split or split_in_name(path.name) or "all")
    return Dataset(path.name, data.table, Provenance(path.name, (describe_file(path),)))


def _check_cells(cells: list[str], n_columns: int, prefix: str, path: Path, line: int) -> None:
    if len(cells) != n_columns:
        message = f"{n_columns} columns are needed, as in earlier lines (token first, tag last); got {len(cells)}"
        raise DataError(message, path=path, line=line)
    if not cells[0].startswith(prefix):
        raise DataError(f"each token must begin with {prefix!r}; got {cells[0]!r}", path=path, line=line)
    kind, _, name = cells[-1].partition("-")
    if cells[-1] != "O" and not (kind in ("B", "I", "E", "S") and name):
        message = f"a tag must be O or B-…, I-…, E-… or S-… with a name; got {cells[-1]!r}"
        raise DataError(message, path=path, line=line)
