"""What a cell may hold: classes, numbers, texts, lists and tags, read alike in data files and in predictions.

Each function gives a column in one type or raises a `DataError` with the line of the first cell that does not fit.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldproof.data.formats.files import FORMATS, shortened, suffix_of
from goldproof.data.formats.raw import RawBatch
from goldproof.data.formats.strict_json import load_json
from goldproof.errors import DataError

WHOLE = re.compile(r"[+-]?\d+(\.0*)?")
_POINTED = re.compile(r"[+-]?\d+\.0*")


def present(raw: RawBatch, name: str) -> pa.Array:
    """A column in which no row is null."""
    column = raw.columns.column(name)
    if column.null_count:
        raise raw.error(first_row(pc.is_null(column)), f"{name!r} is missing or null; every row needs it")
    return column


def texts(raw: RawBatch, name: str, column: pa.Array) -> pa.Array:
    """Texts, and nothing else."""
    if pa.types.is_string(column.type) or _is_empty(column):
        return column.cast(pa.string())
    raise refused(raw, name, column, "text")


def texts_or_whole(raw: RawBatch, name: str, column: pa.Array) -> pa.Array:
    """Texts or whole numbers, as texts: what names something (an id, a language, a run)."""
    if pa.types.is_string(column.type) or pa.types.is_integer(column.type) or _is_empty(column):
        return column.cast(pa.string())
    raise refused(raw, name, column, "text or a whole number")


def classes(
    raw: RawBatch, name: str, column: pa.Array, *, kept: Collection[str] = (), numbered: bool = False
) -> pa.Array:
    """Classes as texts: 1, "1", 1.0 and "1.0" are one class, true is "true", and an empty cell is null.

    So data frames write whole numbers of which one is missing: with a point. What is in `kept` stays as it is written;
    `numbered` classes must all be whole numbers.
    """
    if pa.types.is_floating(column.type):
        column = _whole_classes(raw, name, column)
    kind = column.type
    known = pa.types.is_string(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)
    if not known and not _is_empty(column):
        raise refused(raw, name, column, "a class as text or a whole number (a number to predict is a score=…)")
    encoded = column.cast(pa.string()).dictionary_encode()
    written = encoded.dictionary.to_pylist()
    for position, value in enumerate(written):
        if value.lower() == "nan":
            row = first_row(pc.equal(encoded.indices, position))
            raise raw.error(row, f"{name!r} must be a class; got {value!r}, a missing number")
        if numbered and value and not WHOLE.fullmatch(value):
            row = first_row(pc.equal(encoded.indices, position))
            raise raw.error(row, f"{name!r} must be a whole number, as in earlier rows; got {value!r}")
    meant = [value if value in kept else _without_point(value) or None for value in written]
    return pa.array(meant, pa.string()).take(encoded.indices)


def _without_point(value: str) -> str:
    return str(int(value.partition(".")[0])) if _POINTED.fullmatch(value) else value


def _whole_classes(raw: RawBatch, name: str, column: pa.Array) -> pa.Array:
    """Numbers that are all whole, as whole numbers; one that is not a number is missing."""
    values = column.to_numpy(zero_copy_only=False)
    missing = np.isnan(values)
    wrong = ~missing & (~np.isfinite(values) | (values != np.round(values)))
    if wrong.any():
        needed = "a class as text or a whole number (a number to predict is a score=…)"
        raise refused(raw, name, column, needed, int(np.flatnonzero(wrong)[0]))
    return pa.array(np.where(missing, 0, values).astype(np.int64), mask=missing)


def numbers(raw: RawBatch, name: str, column: pa.Array, *, optional: bool = False) -> pa.Array:
    """Finite numbers, also where they are written as text; where they are optional, an empty cell is null."""
    if pa.types.is_string(column.type):
        cells = [None if optional and not cell else cell for cell in column.to_pylist()]
        wrong = next((row for row, cell in enumerate(cells) if cell is not None and not is_number(cell)), None)
        if wrong is not None:
            got = str(cells[wrong])
            hint = "; write it with a point" if re.fullmatch(r"[+-]?\d+,\d+", got.strip()) else ""
            raise raw.error(wrong, f"{name!r} must be a number; got {shortened(got)!r}{hint}")
        column = pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    elif not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or _is_empty(column)):
        raise refused(raw, name, column, "a number")
    column = column.cast(pa.float64())
    finite = pc.fill_null(pc.is_finite(column), True)
    if not pc.all(finite, min_count=0).as_py():
        row = first_row(pc.invert(finite))
        raise raw.error(row, f"{name!r} must be a finite number; got {column[row].as_py()}")
    return column


def whole_numbers(raw: RawBatch, name: str, column: pa.Array) -> pa.Array:
    """Whole numbers, also where they are written as text."""
    if pa.types.is_string(column.type):
        cells = column.to_pylist()
        wrong = next((row for row, cell in enumerate(cells) if not cell.isdecimal()), None)
        if wrong is not None:
            raise raw.error(wrong, f"{name!r} must be a whole number; got {shortened(cells[wrong])!r}")
        large = next((row for row, cell in enumerate(cells) if len(cell) > 18 and not _is_int64(cell)), None)
        if large is not None:
            raise raw.error(large, f"{name!r} must be a whole number below 2^63; got {shortened(cells[large])}")
        return pa.array([int(cell) for cell in cells], pa.int64())
    if not pa.types.is_integer(column.type):
        raise refused(raw, name, column, "a whole number")
    return column


def string_lists(raw: RawBatch, name: str, column: pa.Array) -> pa.Array:
    """Lists of strings, none of which is missing."""
    if column.type != pa.list_(pa.string()):
        raise refused(raw, name, column, "a list of strings")
    if pc.list_flatten(column).null_count:
        row = next(row for row, cell in enumerate(column.to_pylist()) if cell is not None and None in cell)
        raise raw.error(row, f"{name!r} must be a list of strings; one of them is null")
    return column


def token_lists(raw: RawBatch, name: str, column: pa.Array) -> pa.Array:
    """Lists of strings; a file of cells has them as JSON, or with blanks between them."""
    if not pa.types.is_string(column.type) or FORMATS.get(suffix_of(Path(raw.path))) not in ("csv", "tsv"):
        return string_lists(raw, name, column)
    rows = [_listed(cell) for cell in column.to_pylist()]
    wrong = next((row for row, cell in enumerate(rows) if cell is None), None)
    if wrong is not None:
        message = f"{name!r} must be a list of strings, as JSON or separated by spaces"
        raise raw.error(wrong, f"{message}; got {shortened(column[wrong].as_py())}")
    return pa.array(rows, pa.list_(pa.string()))


def _listed(cell: str) -> list[str] | None:
    """The strings of a cell; None where it is JSON of something else."""
    if not cell.lstrip().startswith("["):
        return cell.split()
    try:
        found = load_json(cell)
    except ValueError:
        return cell.split()  # a text may begin with a bracket
    return found if isinstance(found, list) and all(isinstance(each, str) for each in found) else None


def tag_lists(raw: RawBatch, name: str, column: pa.Array) -> pa.Array:
    """Tags as lists: a list of texts or numbers, or one cell in which `;` separates them; no tag is empty.

    A number is the tag that it is written as, without a point where it is whole; true is "true".
    """
    kind = column.type
    if kind == pa.list_(pa.string()) and _is_tidy(column):
        return column
    item = kind.value_type if _is_list(kind) else kind
    if not (_is_plain(item) or _is_empty(column)):
        raise refused(raw, name, column, "tags: text or a number, several joined by ';' or in a list")
    cells = [
        [_tag(tag) for tag in cell] if isinstance(cell, list) else _tag(cell).split(";") for cell in column.to_pylist()
    ]
    return pa.array([[tag.strip() for tag in tags if tag.strip()] for tags in cells], pa.list_(pa.string()))


def _tag(value: Any) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _is_plain(kind: pa.DataType) -> bool:
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    return bool(number or text or pa.types.is_boolean(kind) or pa.types.is_null(kind))


def _is_list(kind: pa.DataType) -> bool:
    """Whether cells are lists, in whichever of Arrow's layouts; polars and others have their own."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _is_tidy(column: pa.Array) -> bool:
    """Whether lists of tags can stay as they are, which is much faster than to look at each."""
    tags = column.flatten()
    if column.null_count or tags.null_count:
        return False
    tidy = pc.and_(pc.equal(tags, pc.utf8_trim_whitespace(tags)), pc.not_equal(tags, ""))
    return bool(pc.all(tidy, min_count=0).as_py())


def check_lengths(raw: RawBatch, wanted: pa.Array, got: pa.Array, what: str) -> None:
    """Refuse lists that are not as long as those that they belong to."""
    lengths = pc.list_value_length(wanted), pc.list_value_length(got)
    differs = pc.fill_null(pc.not_equal(*lengths), False)
    if pc.any(differs, min_count=0).as_py():
        row = first_row(differs)
        n_wanted, n_got = (column[row].as_py() for column in lengths)
        raise raw.error(row, f"{n_wanted} {what} are needed; got {n_got}")


def _is_empty(column: pa.Array) -> bool:
    return bool(column.null_count == len(column))


def is_number(cell: str) -> bool:
    """Whether a text is a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def refused(raw: RawBatch, name: str, column: pa.Array, needed: str, row: int | None = None) -> DataError:
    """The error for a cell of the wrong kind: that of a row, else the first that holds anything."""
    at = first_row(pc.is_valid(column)) if row is None else row
    return raw.error(at, f"{name!r} must be {needed}; got {_kind_name(column.type)}: {shortened(column[at].as_py())}")


def _kind_name(kind: pa.DataType) -> str:
    """What a user calls a type."""
    if pa.types.is_string(kind):
        return "text"
    if pa.types.is_integer(kind):
        return "a whole number"
    if pa.types.is_floating(kind):
        return "a number"
    if pa.types.is_boolean(kind):
        return "true or false"
    if pa.types.is_map(kind) or pa.types.is_struct(kind):
        return "a mapping"
    return "a list" if pa.types.is_list(kind) else str(kind)


def _is_int64(cell: str) -> bool:
    digits = cell.lstrip("0")
    return len(digits) < 19 or (len(digits) == 19 and int(digits) < 2**63)


def first_row(mask: Any) -> int:
    """The first row that a mask marks."""
    return int(np.flatnonzero(np.asarray(mask))[0])
