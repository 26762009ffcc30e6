"""Questions in SQuAD's shape: a JSON document of articles with paragraphs, each a passage with its questions.

    {"data": [{"paragraphs": [{"context": "…", "qas": [{"id": "…", "question": "…",
                                                        "answers": [{"text": "…", "answer_start": 12}]}]}]}]}

SQuAD 1.1 and 2.0, MLQA, XQuAD and TyDi's gold passages are written so. A question without answers is one that the
passage does not answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from goldproof.data.dataset import UNKNOWN_LANGUAGE, Dataset, Provenance
from goldproof.data.formats.files import check_file, decode_line, describe_file, first_bytes, read_whole, suffix_of
from goldproof.data.formats.strict_json import load_json
from goldproof.errors import DataError

_SIGHT = 4096


def is_squad(path: Path) -> bool:
    """Whether a file is a JSON document that begins as SQuAD's do; only its first bytes are looked at."""
    if suffix_of(path) != ".json" or not path.is_file():
        return False
    start = first_bytes(path, _SIGHT).lstrip()
    return start.startswith(b"{") and (b'"data"' in start or b'"paragraphs"' in start)


def read_squad(path: str | Path, *, language: str = UNKNOWN_LANGUAGE, split: str | None = None) -> Dataset:
    """The questions of a file with their passages; every answer is looked for where it is said to stand."""
    path = check_file(path)
    try:
        document = load_json(decode_line(read_whole(path), path, 1))
    except json.JSONDecodeError as error:
        raise DataError(f"not JSON: {error.msg} at character {error.colno}", path=path, line=error.lineno) from None
    except ValueError as error:
        raise DataError(f"not JSON: {error}", path=path) from None
    rows = list(_rows(document, path))
    if not rows:
        raise DataError("there is no question in this file", path=path)
    data = Dataset.from_rows(path.name, rows, split=split or "all", language=language)
    return Dataset(path.name, data.table, Provenance(path.name, (describe_file(path),)))


def _rows(document: Any, path: Path) -> Iterator[dict[str, Any]]:
    for article in _list(document, "data", "the document", path):
        for paragraph in _list(article, "paragraphs", "an article", path):
            passage = _text(paragraph, "context", "a paragraph", path)
            for question in _list(paragraph, "qas", "a paragraph", path):
                yield _row(question, passage, path)


def _row(question: Any, passage: str, path: Path) -> dict[str, Any]:
    identity = str(question.get("id", "")) if isinstance(question, dict) else ""
    where = f"question {identity!r}"
    if not identity:
        raise DataError("a question has no 'id'", path=path)
    answers = [] if question.get("is_impossible") else _list(question, "answers", where, path)
    return {
        "id": identity,
        "text": _text(question, "question", where, path),
        "pair": passage,
        "answers": [_answer(answer, passage, where, path) for answer in answers],
    }


def _answer(answer: Any, passage: str, where: str, path: Path) -> dict[str, Any]:
    text = _text(answer, "text", f"an answer of {where}", path)
    start = answer.get("answer_start")
    if not isinstance(start, int) or isinstance(start, bool) or passage[start : start + len(text)] != text or start < 0:
        raise DataError(f"{where}: the answer {text!r} is not at 'answer_start' {start!r} of its passage", path=path)
    return {"start": start, "text": text}


def _list(holder: Any, key: str, what: str, path: Path) -> list[Any]:
    found = holder.get(key) if isinstance(holder, dict) else None
    if not isinstance(found, list):
        raise DataError(f"{what} has no list {key!r}, which SQuAD's format needs", path=path)
    return found


def _text(holder: Any, key: str, what: str, path: Path) -> str:
    found = holder.get(key) if isinstance(holder, dict) else None
    if not isinstance(found, str) or not found:
        raise DataError(f"{what} has no text {key!r}", path=path)
    return found
