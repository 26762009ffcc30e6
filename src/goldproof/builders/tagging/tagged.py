"""`Tagging`: the tokens of one text with their places and classes, and many of them as one Arrow table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

SCHEMA = pa.schema(
    [
        pa.field("text", pa.string(), nullable=False),
        pa.field("starts", pa.list_(pa.int32()), nullable=False),
        pa.field("ends", pa.list_(pa.int32()), nullable=False),
        pa.field("tags", pa.list_(pa.string()), nullable=False),
        pa.field("forms", pa.list_(pa.string()), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True)
class Tagging:
    """Tokens of one text in order: where each starts and ends, its universal class, and its form.

    The form is what the tokenizer made of the characters: nearly always they themselves, but Treebank tokenizers write
    quotation marks as two backquotes or apostrophes.
    """

    starts: tuple[int, ...]
    ends: tuple[int, ...]
    tags: tuple[str, ...]
    forms: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.tags)

    def count(self, classes: Iterable[str]) -> int:
        """How many tokens are of these classes.

        >>> Tagging((0, 4), (3, 8), ("DET", "NOUN"), ("The", "cats")).count(("NOUN", "VERB"))
        1
        """
        wanted = set(classes)
        return sum(tag in wanted for tag in self.tags)


class Tagger(Protocol):
    """Anything that gives each text its tokens with places and universal classes."""

    def tag(self, texts: Sequence[str]) -> list[Tagging]:
        """One tagging for each text, in order."""
        ...


def make_table(texts: Sequence[str], taggings: Sequence[Tagging]) -> pa.Table:
    """Texts and their taggings as a table, which a store can keep."""
    columns = [
        pa.array(texts, pa.string()),
        *(pa.array([getattr(t, field.name) for t in taggings], field.type) for field in list(SCHEMA)[1:]),
    ]
    return pa.Table.from_arrays(columns, schema=SCHEMA)


def read_table(table: pa.Table) -> dict[str, Tagging]:
    """The tagging of each text of a table that `make_table` made."""
    columns = [table.column(field.name).to_pylist() for field in SCHEMA]
    return {text: Tagging(*map(tuple, parts)) for text, *parts in zip(*columns, strict=True)}


def align(text: str, forms: Sequence[str], surfaces: Mapping[str, tuple[str, ...]]) -> list[tuple[int, int]]:
    """Where each form stands in the text, read from left to right.

    `surfaces` names other ways in which a form may be written. A form that is not found has no characters: it starts
    and ends where the one before it ended.

    >>> align('a "b"', ["a", "``", "b", "''"], {"``": ('"',), "''": ('"',)})
    [(0, 1), (2, 3), (3, 4), (4, 5)]
    """
    spans, at = [], 0
    for form in forms:
        while at < len(text) and text[at].isspace():
            at += 1
        written = next((way for way in (form, *surfaces.get(form, ())) if text.startswith(way, at)), None)
        if written is not None:
            spans.append((at, at + len(written)))
        else:
            found = text.find(form, at)
            spans.append((at, at) if found < 0 else (found, found + len(form)))
        at = spans[-1][1]
    return spans
