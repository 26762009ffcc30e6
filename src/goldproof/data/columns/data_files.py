"""Raw batches of a data file as batches of the dataset schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TypedDict

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldproof.data.columns import values
from goldproof.data.columns.names import (
    DATA_NAMES,
    check_given,
    check_part,
    guess_names,
    lacking_columns,
    no_column,
    normal,
)
from goldproof.data.dataset import SCHEMA, UNKNOWN_LANGUAGE
from goldproof.data.formats.raw import RawBatch
from goldproof.errors import DataError

HOW_TO_NAME = "--column text=NAME (corrupt: --columns NAME; settings: columns.text=NAME), in Python text='NAME'"
_FIELDS = {"split": "split_column", "language": "language_column"}  # parts that are no field of that name
DATA_PARTS = ("text", "pair", "label", "score", "id", "split", "language")
_PARTS = (*DATA_PARTS[:5], "tokens", "token_labels", *DATA_PARTS[5:])


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

    @classmethod
    def by_part(cls, names: Mapping[str, str]) -> Columns:
        """The columns that are named by parts, as on the command line; an error where there is no such part."""
        for part in names:
            check_part("data", part, DATA_PARTS)
        return cls(**{_FIELDS.get(part, part): name for part, name in names.items()})  # type: ignore[arg-type]

    @property
    def parts(self) -> dict[str, str]:
        """The column of each part but the tags."""
        found = {part: getattr(self, _FIELDS.get(part, part)) for part in _PARTS}
        return {part: name for part, name in found.items() if name is not None}

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


def guess_columns(
    given: Columns, found: Sequence[str], path: Path, inner: Sequence[str] = (), how: str = HOW_TO_NAME
) -> Columns:
    """The given columns, checked, and a guess from common names for the parts that were not given.

    Tags are never guessed: in data a column of that name holds as often the tags of tokens. `inner` are fields inside
    columns, which an error names, and `how` says how to name a column.
    """
    check_given(given.parts, found, path)
    for name in given.tags:
        if name not in found:
            raise no_column(name, found, path)
    # A text that was named alone is the whole item: what is trained on it must not grow by a column that was not named.
    parts = [part for part in _PARTS if part not in ("text", "pair")] if given.text or given.tokens else list(_PARTS)
    names = guess_names(given.parts, [name for name in found if name not in given.tags], parts, DATA_NAMES)
    if "label" in names and given.score is None:
        names.pop("score", None)  # where there are classes, a score is seldom what is to be predicted
    if "text" not in names and "tokens" not in names:
        raise DataError(lacking_columns("data", {"text": DATA_NAMES["text"]}, found, how, inner), path=path)
    return replace(given, **{_FIELDS.get(part, part): name for part, name in names.items()})  # type: ignore[arg-type]


def shape_batch(raw: RawBatch, columns: Columns, filling: Filling) -> pa.RecordBatch:
    """A raw batch as a batch of the dataset schema."""
    n_rows = raw.columns.num_rows
    tokens, token_labels = _tokens(raw, columns.tokens), _tokens(raw, columns.token_labels)
    if tokens is not None and token_labels is not None:
        values.check_lengths(raw, tokens, token_labels, "labels as tokens")
    made = {
        "id": _ids(raw, columns.id),
        "split": _constant_or_column(raw, columns.split_column, filling.split),
        "text": pc.binary_join(tokens, " ") if columns.text is None else _text(raw, columns.text),
        "pair": None if columns.pair is None else _text(raw, columns.pair),
        "label": _labels(raw, columns.label, filling.labels),
        "score": _scores(raw, columns.score),
        "tokens": tokens,
        "token_labels": token_labels,
        "language": _constant_or_column(raw, columns.language_column, filling.language),
        "tags": _tags(raw, columns.tags),
    }
    found = ((part, made.get(part.name)) for part in SCHEMA)
    arrays = [array if array is not None else pa.nulls(n_rows, part.type) for part, array in found]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _text(raw: RawBatch, name: str) -> pa.Array:
    return values.texts(raw, name, values.present(raw, name))


def _tokens(raw: RawBatch, name: str | None) -> pa.Array | None:
    return None if name is None else values.token_lists(raw, name, values.present(raw, name))


def _ids(raw: RawBatch, name: str | None) -> pa.Array:
    if name is None:
        return pa.array(np.arange(raw.first_row, raw.first_row + raw.columns.num_rows)).cast(pa.string())
    return values.texts_or_whole(raw, name, values.present(raw, name))


def _constant_or_column(raw: RawBatch, name: str | None, value: str) -> pa.Array:
    if name is not None:
        return values.texts_or_whole(raw, name, values.present(raw, name))
    return pa.repeat(pa.scalar(value, pa.string()), raw.columns.num_rows)


def _labels(raw: RawBatch, name: str | None, allowed: Mapping[str, str]) -> pa.Array | None:
    """Labels, called what `allowed` calls them; absent where a cell is empty, as in a test set that hides them."""
    if name is None:
        return None
    labels = values.classes(raw, name, raw.columns.column(name), kept=allowed)
    if not allowed:
        return labels
    encoded = labels.dictionary_encode()
    known = encoded.dictionary.to_pylist()
    for position, label in enumerate(known):
        if label not in allowed:
            row = values.first_row(pc.equal(encoded.indices, position))
            raise raw.error(row, f"the label {label!r} is not known; allowed: {', '.join(allowed)}")
    return pa.array([allowed[label] for label in known], pa.string()).take(encoded.indices)


def _scores(raw: RawBatch, name: str | None) -> pa.Array | None:
    return None if name is None else values.numbers(raw, name, raw.columns.column(name), optional=True)


def _tags(raw: RawBatch, names: Sequence[str]) -> pa.Array:
    """Tags `group:tag`; the group is the column's name in lower case with hyphens, and none of a column `tags`."""
    if not names:
        offsets = pa.array(np.zeros(raw.columns.num_rows + 1, np.int32))
        return pa.ListArray.from_arrays(offsets, pa.array([], pa.string()))
    rows: list[list[str]] = [[] for _ in range(raw.columns.num_rows)]
    for name in names:
        group = "" if normal(name) == "tags" else name.lower().replace(" ", "-") + ":"
        for row, tags in enumerate(values.tag_lists(raw, name, raw.columns.column(name)).to_pylist()):
            rows[row] += [group + tag for tag in tags]
    return pa.array(rows, pa.list_(pa.string()))
