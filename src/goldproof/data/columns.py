"""Which column of a file plays which part (text, pair, label, …): named by the user, else guessed from common names.

It turns raw batches into batches of the dataset schema and names the line of the first value that does not fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TypedDict

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldproof.data.dataset import SCHEMA, UNKNOWN_LANGUAGE
from goldproof.data.formats.raw import RawBatch
from goldproof.errors import DataError

_TEXT_PAIRS = (
    ("premise", "hypothesis"),
    ("sentence1", "sentence2"),
    ("question1", "question2"),
    ("question", "sentence"),
    ("text1", "text2"),
    ("text_a", "text_b"),
    ("text", "pair"),
    ("#1 string", "#2 string"),
)
_TEXTS = ("text", "sentence", "content", "review", "document")
_GUESSES = {
    "label": ("gold_label", "label", "gold", "class", "category", "true_label", "quality"),
    "score": ("score", "similarity"),
    "id": ("id", "idx", "index_id", "pairid", "guid", "uid"),
    "tokens": ("tokens", "words"),
    "token_labels": ("token_labels", "ner_tags"),
    "split_column": ("split",),
    "language_column": ("language", "lang"),
}


class ColumnNames(TypedDict, total=False):
    """The columns a user can name when reading a file."""

    text: str
    pair: str
    label: str
    score: str
    id: str
    tokens: str
    token_labels: str
    split_column: str
    language_column: str
    tags: Sequence[str]


@dataclass(frozen=True, slots=True)
class Columns:
    """The column of the file for each part; None where there is none. `tags` are columns whose cells are tags."""

    text: str | None = None
    pair: str | None = None
    label: str | None = None
    score: str | None = None
    id: str | None = None
    tokens: str | None = None
    token_labels: str | None = None
    split_column: str | None = None
    language_column: str | None = None
    tags: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        """Every column that has a part, once."""
        single = [getattr(self, part.name) for part in fields(self) if part.name != "tags"]
        return tuple(dict.fromkeys(name for name in (*single, *self.tags) if name is not None))


@dataclass(frozen=True, slots=True)
class Filling:
    """What the file itself does not say: split, language, and the labels that are allowed and what they are called."""

    split: str = "all"
    language: str = UNKNOWN_LANGUAGE
    labels: Mapping[str, str] = field(default_factory=dict)


def guess_columns(given: Columns, found: Sequence[str], path: Path) -> Columns:
    """The given columns, checked, and a guess from common names for the parts that were not given."""
    listed = list_columns(found)
    for name in given.named:
        if name not in found:
            raise DataError(f"there is no column {name!r}; columns found: {listed}", path=path)
    by_lower = {name.lower(): name for name in reversed(found)}
    guessed = given if given.text or given.tokens else _guess_texts(given, by_lower)
    for part, names in _GUESSES.items():
        if getattr(guessed, part) is None and not (part == "score" and guessed.label):
            match = next((by_lower[name] for name in names if name in by_lower), None)
            if match not in guessed.named:
                guessed = replace(guessed, **{part: match})  # type: ignore[arg-type]
    if guessed.text is None and guessed.tokens is None:
        hint = (
            "in Python text=NAME, on the command line --column text=NAME (corrupt: --columns NAME), among the settings "
        )
        hint += "columns.text=NAME"
        raise DataError(
            f"no column looks like the text; columns found: {listed}; say which one it is: {hint}", path=path
        )
    return guessed


def list_columns(found: Sequence[str]) -> str:
    """The columns found, for an error; where they are not separated as they should be, that is said.

    >>> list_columns(["text;label"])
    "text;label (one column: is the file separated by ';'? csv is read by commas, tsv by tabs)"
    """
    wrong = next((sign for sign in (";", "\t", ",", "|") if len(found) == 1 and sign in found[0]), None)
    hint = f" (one column: is the file separated by {wrong!r}? csv is read by commas, tsv by tabs)" if wrong else ""
    return (", ".join(found) or "none") + hint


def _guess_texts(given: Columns, by_lower: Mapping[str, str]) -> Columns:
    for first, second in _TEXT_PAIRS:
        if first in by_lower and second in by_lower:
            return replace(given, text=by_lower[first], pair=given.pair or by_lower[second])
    first_match = next((by_lower[name] for name in _TEXTS if name in by_lower), None)
    return replace(given, text=first_match)


def shape_batch(raw: RawBatch, columns: Columns, filling: Filling) -> pa.RecordBatch:
    """A raw batch as a batch of the dataset schema."""
    n_rows = raw.columns.num_rows
    tokens, token_labels = _strings_list(raw, columns.tokens), _strings_list(raw, columns.token_labels)
    if tokens is not None and token_labels is not None:
        _check_lengths(raw, tokens, token_labels)
    made = {
        "id": _ids(raw, columns.id),
        "split": _constant_or_column(raw, columns.split_column, filling.split),
        "text": _texts(raw, columns.text, tokens),
        "pair": _optional_text(raw, columns.pair),
        "label": _labels(raw, columns.label, filling.labels),
        "score": _scores(raw, columns.score),
        "tokens": tokens,
        "token_labels": token_labels,
        "language": _constant_or_column(raw, columns.language_column, filling.language),
        "tags": _tags(raw, columns.tags),
    }
    arrays = [made[part.name] if made[part.name] is not None else pa.nulls(n_rows, part.type) for part in SCHEMA]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _required(raw: RawBatch, name: str) -> pa.Array:
    column = raw.columns.column(name)
    if column.null_count:
        row = int(np.flatnonzero(np.asarray(pc.is_null(column)))[0])
        raise raw.error(row, f"{name!r} is missing or null; every row needs it")
    return column


def _refuse(raw: RawBatch, name: str, column: pa.Array, needed: str) -> DataError:
    row = int(np.flatnonzero(np.asarray(pc.is_valid(column)))[0])
    return raw.error(row, f"{name!r} must be {needed}; got {kind_name(column.type)}: {str(column[row].as_py())[:60]}")


def kind_name(kind: pa.DataType) -> str:
    """What a user calls a type."""
    if pa.types.is_string(kind):
        return "text"
    if pa.types.is_integer(kind):
        return "a whole number"
    if pa.types.is_floating(kind):
        return "a number"
    return "a list" if pa.types.is_list(kind) else str(kind)


def _as_text(raw: RawBatch, name: str, column: pa.Array) -> pa.Array:
    if pa.types.is_string(column.type) or column.null_count == len(column):
        return column.cast(pa.string())
    raise _refuse(raw, name, column, "text")


def _texts(raw: RawBatch, name: str | None, tokens: pa.Array | None) -> pa.Array:
    if name is None:
        return pc.binary_join(tokens, " ")
    return _as_text(raw, name, _required(raw, name))


def _optional_text(raw: RawBatch, name: str | None) -> pa.Array | None:
    return None if name is None else _as_text(raw, name, _required(raw, name))


def _ids(raw: RawBatch, name: str | None) -> pa.Array:
    if name is None:
        return pa.array(np.arange(raw.first_row, raw.first_row + raw.columns.num_rows)).cast(pa.string())
    column = _required(raw, name)
    if not (pa.types.is_string(column.type) or pa.types.is_integer(column.type)):
        raise _refuse(raw, name, column, "text or a whole number")
    return column.cast(pa.string())


def _constant_or_column(raw: RawBatch, name: str | None, value: str) -> pa.Array:
    if name is not None:
        return _as_text(raw, name, _required(raw, name))
    return pa.repeat(pa.scalar(value, pa.string()), raw.columns.num_rows)


def _labels(raw: RawBatch, name: str | None, allowed: Mapping[str, str]) -> pa.Array | None:
    """Labels as strings, called what `allowed` calls them; an empty cell is an absent label."""
    if name is None:
        return None
    column = raw.columns.column(name)
    kind = column.type
    is_class = pa.types.is_string(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)
    if not is_class and column.null_count < len(column):
        raise _refuse(raw, name, column, "a class as text or a whole number (a number to predict is a score=…)")
    column = column.cast(pa.string())
    encoded = pc.if_else(pc.equal(column, ""), None, column).dictionary_encode()
    known = encoded.dictionary.to_pylist()
    for position, label in enumerate(known):
        if label.lower() == "nan" or (allowed and label not in allowed):
            row = int(np.flatnonzero(np.asarray(pc.equal(encoded.indices, position)))[0])
            why = f"is not known; allowed: {', '.join(allowed)}" if allowed else "is no class but a missing number"
            raise raw.error(row, f"the label {label!r} {why}")
    renamed = pa.array([allowed.get(label, label) for label in known], pa.string())
    return renamed.take(encoded.indices)


def _scores(raw: RawBatch, name: str | None) -> pa.Array | None:
    if name is None:
        return None
    column = raw.columns.column(name)
    if pa.types.is_string(column.type):
        column = pa.array([_number(raw, row, name, cell) for row, cell in enumerate(column.to_pylist())], pa.float64())
    elif not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise _refuse(raw, name, column, "a number")
    column = column.cast(pa.float64())
    finite = pc.fill_null(pc.is_finite(column), True)
    if not pc.all(finite, min_count=0).as_py():
        row = int(np.flatnonzero(~np.asarray(finite))[0])
        raise raw.error(row, f"{name!r} must be a finite number; got {column[row].as_py()}")
    return column


def _number(raw: RawBatch, row: int, name: str, cell: str | None) -> float | None:
    if not cell:
        return None
    try:
        return float(cell)
    except ValueError:
        raise raw.error(row, f"{name!r} must be a number; got {cell[:60]!r}") from None


def _strings_list(raw: RawBatch, name: str | None) -> pa.Array | None:
    if name is None:
        return None
    column = _required(raw, name)
    if column.type != pa.list_(pa.string()):
        raise _refuse(raw, name, column, "a list of strings")
    return column


def _check_lengths(raw: RawBatch, tokens: pa.Array, labels: pa.Array) -> None:
    differs = np.asarray(pc.not_equal(pc.list_value_length(tokens), pc.list_value_length(labels)))
    if differs.any():
        row = int(np.flatnonzero(differs)[0])
        raise raw.error(row, f"as many labels as tokens are needed; got {len(labels[row])} for {len(tokens[row])}")


def _tags(raw: RawBatch, names: Sequence[str]) -> pa.Array:
    """Tags `group:tag`; the group is the column's name in lower case with hyphens, `;` separates the tags of a cell."""
    if not names:
        offsets = pa.array(np.zeros(raw.columns.num_rows + 1, np.int32))
        return pa.ListArray.from_arrays(offsets, pa.array([], pa.string()))
    rows: list[list[str]] = [[] for _ in range(raw.columns.num_rows)]
    for name in names:
        column = raw.columns.column(name)
        prefix = "" if name == "tags" else name.lower().replace(" ", "-") + ":"
        for row, cell in enumerate(column.to_pylist()):
            tags = cell if isinstance(cell, list) else str(cell).split(";") if cell is not None else ()
            rows[row] += [prefix + tag.strip() for tag in tags if tag.strip()]
    return pa.array(rows, pa.list_(pa.string()))
