"""What a file is, seen from its first bytes and keys and never from its name; nothing is read whole for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq

from goldproof.data.formats.files import BOM, FORMATS, first_bytes, suffix_of
from goldproof.data.logs import (
    every_eval_ever,
    helm,
    inspect_ai,
    lighteval,
    lm_eval,
    mteb,
    openai_evals,
    promptfoo,
    tables,
    transformers_scripts,
)
from goldproof.data.logs.choosing import listed
from goldproof.data.logs.documents import first_keys
from goldproof.data.logs.rows import plain_name
from goldproof.errors import DataError

Kind = Literal[
    "lm_eval samples",
    "lm_eval results",
    "inspect archive",
    "inspect document",
    "helm",
    "mteb",
    "lighteval details",
    "lighteval results",
    "openai evals",
    "promptfoo document",
    "promptfoo lines",
    "every eval ever document",
    "every eval ever lines",
    "transformers",
    "table",
]
HARNESSES = (
    "logs of lm-evaluation-harness (samples and results), Inspect (.eval, .json), HELM (run folders), MTEB, lighteval "
    "(details), OpenAI evals, promptfoo and Every Eval Ever, and tables with the columns id and score, or with an id "
    "and a column of numbers for each model"
)
_SIZES = (1 << 16, 1 << 20, 1 << 24)  # more is looked at only where the first object is not told by less
_ZIP, _PARQUET = b"PK\x03\x04", b"PAR1"
# The first whose keys are all there; `results` alone means nothing, so the more telling ones come first.
_SIGNS: tuple[tuple[frozenset[str], Kind], ...] = (
    (lm_eval.SAMPLES_KEYS, "lm_eval samples"),
    (lm_eval.RESULTS_KEYS, "lm_eval results"),
    (inspect_ai.DOCUMENT_KEYS, "inspect document"),
    *((keys, "helm") for keys in helm.KEYS),
    *((keys, "mteb") for keys in mteb.KEYS),
    (lighteval.RESULTS_KEYS, "lighteval results"),
    *((keys, "promptfoo document") for keys in promptfoo.DOCUMENT_KEYS),
    (promptfoo.LINE_KEYS, "promptfoo lines"),
    (every_eval_ever.DOCUMENT_KEYS, "every eval ever document"),
    (every_eval_ever.LINE_KEYS, "every eval ever lines"),
    *((keys, "transformers") for keys in transformers_scripts.KEYS),
)


@dataclass(frozen=True, slots=True)
class Content:
    """What a file was seen to be: a kind that is read, or none, and in words what it looks like."""

    kind: Kind | None
    looks_like: str


def _is_eval_archive(path: Path) -> bool:
    """Whether it is a log of Inspect; one that is damaged is told by its name alone, and says so when it is read."""
    try:
        return inspect_ai.is_eval_archive(path)
    except DataError:
        if suffix_of(path) != inspect_ai.SUFFIX:
            raise
        return True


def is_no_table(path: Path) -> bool:
    """Whether a file is neither a table nor a JSON document of predictions, so that it can be a log only."""
    if suffix_of(path) in (".log", ".zip"):
        return True
    if suffix_of(path) != ".json":
        return False
    text = first_bytes(path, _SIZES[0]).removeprefix(BOM).decode("utf-8", "replace").lstrip()
    return text.startswith("{") and "predictions" not in first_keys(text)


def look_at(path: Path, columns: Mapping[str, str] | None = None) -> Content:
    """What the file is; `columns` are those of a plain table that the user named."""
    head = first_bytes(path, _SIZES[0])
    if head.startswith(_ZIP) or suffix_of(path) == inspect_ai.SUFFIX:
        is_log = _is_eval_archive(path)
        return Content("inspect archive" if is_log else None, "a zip archive that is not a log of Inspect")
    if head.startswith(_PARQUET):
        return _look_at_parquet(path, columns or {})
    if b"\x00" in head:
        return Content(None, "a binary file")
    if transformers_scripts.is_predictions(head):
        return Content("transformers", "predictions of transformers' scripts")
    start = head.removeprefix(BOM).lstrip()[:1]
    if start in (b"{", b"["):
        return _look_at_json(path, head, columns or {})
    return _look_at_table(path, columns or {})


def _look_at_json(path: Path, head: bytes, columns: Mapping[str, str]) -> Content:
    keys: tuple[str, ...] = ()
    for size in _SIZES:
        if size > _SIZES[0]:
            head = first_bytes(path, size)
        keys = first_keys(head.removeprefix(BOM).decode("utf-8", "replace"))
        kind = _kind_by(keys, head)
        if kind is not None:
            return Content(kind, kind)
        # More of a large file is looked at only if what was seen may be the beginning of a log.
        if len(head) < size or not any(signs & set(keys) for signs, _ in _SIGNS):
            break
    found = _look_at_table(path, columns)
    if found.kind is not None:
        return found
    return Content(None, f"JSON with the keys {listed(keys)}" if keys else "JSON without an object")


def _kind_by(keys: Sequence[str], head: bytes) -> Kind | None:
    if tuple(keys) == openai_evals.KEYS and openai_evals.WITHIN in head:
        return "openai evals"
    return next((kind for signs, kind in _SIGNS if signs <= set(keys)), None)


def _look_at_parquet(path: Path, columns: Mapping[str, str]) -> Content:
    try:
        names = pq.read_schema(path).names
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return Content(None, "an incomplete Parquet file")
    if set(names) >= lighteval.NEW_COLUMNS or set(names) >= lighteval.OLD_COLUMNS:
        return Content("lighteval details", "details of lighteval")
    return Content("table" if tables.is_table(path, columns) else None, f"a table with the columns {listed(names)}")


def _look_at_table(path: Path, columns: Mapping[str, str]) -> Content:
    if suffix_of(path) not in FORMATS:
        return Content(None, "text that is neither JSON nor, by its name, a table")
    try:
        if tables.is_table(path, columns):
            return Content("table", "a table")
        names = tables.column_names(path)
    except DataError as error:
        return Content(None, f"a damaged file ({plain_name(str(error).removeprefix(f'{path}: '))})")
    return Content(None, f"a table with the columns {listed(names)}")
