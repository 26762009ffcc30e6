"""The summary as JSON and back: the same report always gives the same bytes, and reading them gives the report again.

Numbers that JSON does not know are written out: {"number": "nan"}, "inf" or "-inf", never NaN and never a silent null.
Cells that are more than a plain value are objects with one key: "estimate", "missing" or "marked".
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from goldproof.data.formats.files import shortened
from goldproof.data.formats.strict_json import load_json
from goldproof.errors import DataError, UsageError
from goldproof.report.cells import plain_value
from goldproof.report.summary import (
    Answer,
    Cell,
    Claim,
    Column,
    Example,
    ExampleList,
    Figure,
    Item,
    Marked,
    Missing,
    Plain,
    Report,
    Section,
    Table,
    Text,
)
from goldproof.statistics.estimate import Estimate

PRODUCT, FORMAT = "goldproof", 3
READABLE = (2, FORMAT)  # 2 has no answer, and claims without a place
ITEM_KINDS: dict[str, type[Any]] = {"text": Text, "table": Table, "figure": Figure, "examples": ExampleList}


def report_json(report: Report) -> str:
    """The report as JSON text, ending in a newline."""
    body = {
        "product": PRODUCT,
        "format": FORMAT,
        "name": report.name,
        "title": report.title,
        **({} if report.answer is None else {"answer": _answer_object(report.answer)}),
        "verdict": [line if isinstance(line, str) else _object(line) for line in report.verdict],
        "sections": [
            {"title": section.title, "items": [_item_object(item) for item in section.items]}
            for section in report.sections
        ],
        "provenance": _cells(report.provenance),
    }
    return json.dumps(body, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def load_summary(path: str | Path) -> Report:
    """Read a report back from the `summary.json` that `write_report` wrote."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DataError(
            "there is no such file; `goldproof score FILE --out FOLDER` writes FOLDER/summary.json", path=path
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"the summary cannot be read: {error}", path=path) from error
    try:
        body = load_json(text)
    except json.JSONDecodeError as error:
        raise DataError(f"not JSON: {error.msg}", path=path, line=error.lineno) from error
    except ValueError as error:
        raise DataError(f"not JSON: {error}", path=path) from None
    _check_format(body, path)
    try:
        return read_report(body)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(f"the summary is incomplete or altered: {type(error).__name__}: {error}", path=path) from error


def _check_format(body: Any, path: str | Path) -> None:
    form = body if isinstance(body, dict) else {}
    product, version = form.get("product"), form.get("format")
    if isinstance(version, str) and version.startswith("assay report"):
        raise DataError(
            "this summary was written by Assay, Goldproof's former name; write it again with Goldproof (the file is "
            "left as it is)",
            path=path,
        )
    if product != PRODUCT or version not in READABLE:
        allowed = " or ".join(map(str, READABLE))
        raise DataError(
            f'not a summary that this version reads; allowed: "product": "{PRODUCT}", "format": {allowed}; '
            f"got {shortened(repr(product))}, {shortened(repr(version))}",
            path=path,
        )


def _answer_object(answer: Answer) -> dict[str, Any]:
    words = {name: getattr(answer, name) for name in ("kind", "head", "text", "takes")}
    figure = None if answer.figure is None else _item_object(answer.figure)
    return {**words, "notes": list(answer.notes), "figure": figure}


def _item_object(item: Item) -> dict[str, Any]:
    for kind, cls in ITEM_KINDS.items():
        if isinstance(item, cls):
            form = {"kind": kind, **_object(item)}
            if not form.get("link", "more"):
                del form["link"]  # what most texts do not have is not written
            return form
    raise UsageError(f"a section holds texts, tables, figures and examples; got {type(item).__name__}")


def _object(value: Any) -> dict[str, Any]:
    """A dataclass as an object: its fields in their order."""
    return {field.name: _encoded(field.name, getattr(value, field.name)) for field in fields(value)}


def _encoded(name: str, value: Any) -> Any:
    if name == "rows":
        return [_cells(row) for row in value]
    if name == "spec":
        return value
    if name in ("columns", "items"):
        return [_object(part) for part in value]
    if name == "estimate" and value is not None:
        return _object(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return list(value)
    return _cell(value)


def _cells(row: Mapping[str, Cell]) -> dict[str, Any]:
    return {key: _cell(cell) for key, cell in row.items()}


def _cell(cell: Any) -> Any:
    cell = plain_value(cell)
    if isinstance(cell, Estimate):
        return {"estimate": _object(cell)}
    if isinstance(cell, Marked):
        return {"marked": _object(cell)}
    if isinstance(cell, Missing):
        return {"missing": cell.reason}
    if isinstance(cell, float) and not math.isfinite(cell):
        return {"number": repr(cell)}
    if cell is None or isinstance(cell, str | int | float):
        return cell
    raise UsageError(f"a cell of a summary is a plain value, an Estimate, Missing or Marked; got {type(cell).__name__}")


def read_report(body: Mapping[str, Any]) -> Report:
    """A report from what its JSON text holds."""
    return Report(
        body["name"],
        body["title"],
        tuple(line if isinstance(line, str) else _claim(line) for line in body["verdict"]),
        tuple(Section(part["title"], tuple(_item(item) for item in part["items"])) for part in body["sections"]),
        {key: _read_plain(cell) for key, cell in body["provenance"].items()},
        None if (answer := body.get("answer")) is None else _answer(answer),
    )


def _answer(form: dict[str, Any]) -> Answer:
    figure = None if form["figure"] is None else _figure(_without_kind(form["figure"]))
    return Answer(**{**form, "notes": tuple(form["notes"]), "figure": figure})


def _claim(line: dict[str, Any]) -> Claim:
    estimate = line["estimate"]
    return Claim(**{**line, "estimate": None if estimate is None else _estimate(estimate)})


def _item(item: dict[str, Any]) -> Item:
    return READERS[item["kind"]](_without_kind(item))


def _without_kind(item: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key != "kind"}


def _table(item: dict[str, Any]) -> Table:
    columns = tuple(Column(**column) for column in item["columns"])
    return Table(**{**item, "columns": columns, "rows": _rows(item["rows"]), "keys": tuple(item["keys"])})


def _figure(item: dict[str, Any]) -> Figure:
    return Figure(**{**item, "rows": _rows(item["rows"]), "keys": tuple(item["keys"])})


def _examples(item: dict[str, Any]) -> ExampleList:
    lists = {key: tuple(item[key]) for key in ("fields", "runs", "keys")}
    return ExampleList(**{**item, **lists, "items": tuple(_example(part) for part in item["items"])})


def _example(part: dict[str, Any]) -> Example:
    return Example(**{**part, **{key: tuple(part[key]) for key in ("texts", "predictions", "tags")}})


def _rows(rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Cell], ...]:
    return tuple({key: _read_cell(cell) for key, cell in row.items()} for row in rows)


def _read_cell(cell: Any) -> Cell:
    if isinstance(cell, dict) and "marked" in cell:
        return Marked(**{**cell["marked"], "value": _read_plain(cell["marked"]["value"])})
    return _read_plain(cell)


def _read_plain(cell: Any) -> Plain:
    if not isinstance(cell, dict):
        plain: Plain = cell
        return plain
    ((kind, value),) = cell.items()
    readers: dict[str, Callable[[Any], Plain]] = {"estimate": _estimate, "missing": Missing, "number": float}
    return readers[kind](value)


def _estimate(value: dict[str, Any]) -> Estimate:
    return Estimate(**{key: _read_plain(part) for key, part in value.items()})  # type: ignore[arg-type]


READERS: dict[str, Callable[[dict[str, Any]], Item]] = {
    "text": lambda item: Text(**item),
    "table": _table,
    "figure": _figure,
    "examples": _examples,
}
