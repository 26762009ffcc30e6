"""The layout of a file that nobody has described, seen from its extension, its header and its first lines.

Used by the checks, which take whatever lies in a folder; reading for a study names its columns or its corpus instead,
and predictions are never guessed from their cells: a wrong gold would be a wrong score.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from goldproof.data.columns import Columns, guess_columns
from goldproof.data.formats import limits
from goldproof.data.formats.added import is_added
from goldproof.data.formats.delimited import csv_delimiter, csv_reason, name_columns
from goldproof.data.formats.files import FORMATS, JSON, iter_lines, suffix_of
from goldproof.data.formats.json_list import is_json_list
from goldproof.data.formats.raw import inner_names
from goldproof.data.naming import SPLIT_WORDS
from goldproof.data.readers import Layout, open_raw
from goldproof.errors import DataError

_SAMPLE = 300
_MIN_TEXT = 12  # characters on average, below which a column is a label rather than a text
_MIN_ROWS = 10  # below which a first line is not told from a header by what stands under it
_MIN_REPEATS = 3
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")
_PREFIXED = re.compile(r"[a-z]{2,3}:.+")
_TAG = re.compile(r"O|[BIES]-\S+")


def sniff_layout(path: Path, given: Columns | None = None) -> Layout | str | None:
    """The layout of a file, `conllu` or `token-tag` for those, or None for a file of no known kind.

    `given` names columns of a file with a header; without it they are guessed from common names, else from the cells.
    """
    given = given or Columns()
    suffix = suffix_of(path)
    if suffix == ".conllu":
        return "conllu"
    added = suffix not in FORMATS and (is_added(path) or (suffix == JSON and is_json_list(path)))
    if suffix not in FORMATS and not added:
        return None
    if added or FORMATS[suffix] in ("jsonl", "parquet"):
        layout = Layout()
        file = open_raw(path, layout)
        return Layout(columns=guess_columns(given, file.column_names, path, inner_names(file)))
    return _sniff_delimited(path, FORMATS[suffix], given)


def _sniff_delimited(path: Path, form: str, given: Columns) -> Layout | str | None:
    lines = [line for _, line in islice(iter_lines(path), _SAMPLE) if line]
    looked_at = lines[:1] if form == "csv" else lines  # a cell of a csv may hold a tab
    delimiter = "\t" if any("\t" in line for line in looked_at) else ","
    if form == "csv" and delimiter == "," and lines:
        delimiter = csv_delimiter(lines[0])
    quoted = delimiter != "\t" and form == "csv"
    rows = _split(lines, delimiter, quoted, path)
    if not rows or (len(rows[0]) == 1 and form != "csv"):
        return None
    if all(len(row) == 2 and _PREFIXED.match(row[0]) and _TAG.fullmatch(row[1]) for row in rows):
        return "token-tag"
    first = name_columns(rows[0])
    header = _header_columns(given, first, path)
    if header is not None:
        return Layout(form, header, delimiter=delimiter, quoted=quoted)
    width = len(rows[0])
    names = tuple(f"column {number}" for number in range(1, width + 1))
    whole = [row for row in rows if len(row) == width and any(row)]
    named = [row[: len(first)] for row in whole]
    if _is_header(named):
        columns = _columns_by_content([list(cells) for cells in zip(*named[1:], strict=True)], first)
        return None if columns is None else Layout(form, columns, delimiter=delimiter, quoted=quoted)
    columns = _columns_by_content([list(cells) for cells in zip(*whole, strict=True)], names)
    if columns is None:
        return None
    splits = {word: SPLIT_WORDS[word] for word in ("tr", "va", "te")} if columns.split_column else {}
    return Layout(form, columns, header=names, delimiter=delimiter, quoted=quoted, splits=splits)


def _split(lines: Sequence[str], delimiter: str, quoted: bool, path: Path) -> list[list[str]]:
    if not quoted:
        return [line.split(delimiter) for line in lines]
    csv.field_size_limit(limits.MOST_CELL)
    try:
        return [row for row in csv.reader([line + "\n" for line in lines], delimiter=delimiter) if row]
    except csv.Error as error:
        raise DataError(f"not a well-formed CSV row: {csv_reason(error)}", path=path) from None


def _header_columns(given: Columns, names: Sequence[str], path: Path) -> Columns | None:
    """The columns by a header line, or None where the first line is no header and none was named."""
    try:
        return guess_columns(given, names, path)
    except DataError:
        if given.named:
            raise
        return None


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first line names columns that nobody has heard of.

    It does where each name stands once, and one of them stands over numbers alone, or over a few labels that all come
    again and again while the name itself never does.
    """
    first, rest = rows[0], rows[1:]
    if len(rest) < _MIN_ROWS or len(set(first)) < len(first) or not all(cell.strip() for cell in first):
        return False
    return any(_is_named(name, Counter(row[at] for row in rest)) for at, name in enumerate(first))


def _is_named(name: str, cells: Counter[str]) -> bool:
    if all(_NUMBER.fullmatch(cell) for cell in cells):
        return not _NUMBER.fullmatch(name)
    return name not in cells and len(cells) > 1 and min(cells.values()) >= _MIN_REPEATS


def _columns_by_content(cells: list[list[str]], names: Sequence[str]) -> Columns | None:
    texts = [name for name, column in zip(names, cells, strict=True) if _mean_length(column) >= _MIN_TEXT]
    if not texts:
        return None
    rest = {name: column for name, column in zip(names, cells, strict=True) if name not in texts[:2]}
    split = next((name for name, column in rest.items() if set(column) <= {"tr", "va", "te"}), None)
    rest.pop(split or "", None)
    score = next((name for name, column in rest.items() if _are_scores(column)), None)
    labels = {name: len(set(column)) for name, column in rest.items() if all(column) and len(set(column)) > 1}
    shortest = sorted(labels, key=lambda name: (labels[name], _mean_length(rest[name])))
    label = shortest[0] if shortest and score is None else None
    pair = texts[1] if len(texts) > 1 else None
    return Columns(text=texts[0], pair=pair, label=label, score=score, split_column=split)


def _mean_length(column: Sequence[str]) -> float:
    return sum(map(len, column)) / len(column)


def _are_scores(column: Sequence[str]) -> bool:
    return all(re.fullmatch(r"\d+\.\d+", cell) for cell in column)
