"""One word on each line with its tag, and a blank line after each sentence, as rows of words and of tags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pyarrow as pa

from goldproof.data.formats.files import iter_lines
from goldproof.data.formats.raw import RawBatch
from goldproof.data.formats.token_columns import iter_tagged
from goldproof.errors import DataError

SUFFIXES = (".conll", ".bio", ".iob", ".iob2")
"""Files that are always of this kind; tables between tabs (.txt, .tsv) are where their lines look like it."""

_LOOKED_AT = 300
_TAG = re.compile(r"O|[BIES]-\S+")


@dataclass(frozen=True, slots=True)
class TaggedRows:
    """The sentences of a file, with the columns that a tagging task has."""

    path: Path
    delimiter: str
    column_names: tuple[str, ...] = ("tokens", "token_labels")

    def iter_batches(self, wanted: Sequence[str]) -> Iterator[RawBatch]:
        """All sentences in one batch."""
        for name in wanted:
            if name not in self.column_names:
                found = ", ".join(self.column_names)
                raise DataError(f"there is no column {name!r}; columns found: {found}", path=self.path)
        sentences = list(iter_tagged(self.path, delimiter=self.delimiter))
        if not sentences:
            return
        columns = {"tokens": [each.tokens for each in sentences], "token_labels": [each.tags for each in sentences]}
        arrays = [pa.array(columns[name], pa.list_(pa.string())) for name in wanted]
        lines = [each.line for each in sentences]
        yield RawBatch(pa.RecordBatch.from_arrays(arrays, names=list(wanted)), 0, self.path, lines.__getitem__)


def open_tagged(path: Path) -> TaggedRows:
    """A file of one word on each line, between whose cells stand tabs or else single blanks."""
    first = next((text for _, text in iter_lines(path) if text.strip() and not text.startswith("-DOCSTART-")), "")
    return TaggedRows(path, "\t" if "\t" in first else " ")


def is_tagged(path: Path) -> bool:
    """Whether the first lines of a table between tabs are words with their tags, with a blank line among them."""
    lines = [text for _, text in islice(iter_lines(path), _LOOKED_AT)]
    rows = [line.split("\t") for line in lines if line.strip()]
    return len(rows) < len(lines) and all(len(row) > 1 and _TAG.fullmatch(row[-1]) for row in rows)
