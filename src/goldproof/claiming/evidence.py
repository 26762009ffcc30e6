"""`evidence.json`: digests of data, model, code and settings, and every claim with what it rests on.

`verify` compares the digests with what is there now, computes every claim again from the store, and names what differs.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import goldproof
from goldproof.claiming import titles
from goldproof.claiming.behind import ITEMS, SCOPE, Behind, find_behind
from goldproof.claiming.data import ClaimData, ClaimPart
from goldproof.claiming.plan import of_reference
from goldproof.claiming.settings import Config
from goldproof.data.dataset import Dataset
from goldproof.jobs import Store
from goldproof.jobs.key import canonical, digest
from goldproof.models.named import find_model
from goldproof.report.summary import Cell, Claim, Marked, Report, Table, Text
from goldproof.statistics.estimate import Estimate
from goldproof.studies.asked import is_asked
from goldproof.studies.asked.plan import asked_model
from goldproof.studies.campaign import Campaign
from goldproof.studies.shared import parse_folder
from goldproof.version import __version__

PRODUCT, KIND, FORMAT = "goldproof", "evidence", 2
ROW_DIGITS = 12  # of a row's digest: enough to tell which row was changed


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """A claim: where it stands on the page, its words, its number, what it holds for, and the jobs behind it."""

    place: str
    text: str
    estimate: Estimate | None = None
    keys: tuple[str, ...] = ()
    scope: str = ""

    def form(self) -> dict[str, Any]:
        """As plain values; what is not finite is null."""
        return {
            "place": self.place,
            "text": self.text,
            "estimate": None if self.estimate is None else estimate_form(self.estimate),
            "scope": self.scope,
            "jobs": list(self.keys),
        }


def evidence_text(report: Report, config: Config, data: ClaimData, store: Store) -> str:
    """The text of the file."""
    return json.dumps(make_evidence(report, config, data, store), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def make_evidence(report: Report, config: Config, data: ClaimData, store: Store) -> dict[str, Any]:
    """The evidence of a page as plain values."""
    campaign = Campaign("claims", config, store)
    settings = canonical(config)
    return {
        "product": PRODUCT,
        "kind": KIND,
        "format": FORMAT,
        "version": __version__,
        "code": code_digest(),
        "question": report.title,
        "settings": {"digest": digest(settings), "values": settings},
        "model": model_digests(config),
        "data": [data_form(name, part) for name, part in parts_of(data).items()],
        "jobs": sorted(job.key for job in campaign.everything()),
        "claims": [each.form() for each in stated_claims(report, config, data)],
    }


def parts_of(data: ClaimData) -> dict[str, ClaimPart]:
    """Every part of the data by its name."""
    return {**data.parts, **{f"test {language}": part for language, part in data.further.items()}}


def data_form(name: str, part: ClaimPart) -> dict[str, Any]:
    """A part of the data: its file with its digest, and a short digest of each row."""
    return {"part": name, "file": part.path, "sha256": part.sha256, "rows": row_digests(part.data)}


def row_digests(data: Dataset, shift: int = 0) -> list[str]:
    """A short digest of each row's id, texts and what is to be predicted; ids that are numbers may be shifted."""
    names = ("text", "pair", "label", "score", "tokens", "token_labels", "tags")
    ids = [_shifted(each, shift) for each in data.table.column("id").to_pylist()]
    columns = [ids, *(data.table.column(name).to_pylist() for name in names)]
    rows = (json.dumps(row, ensure_ascii=False) for row in zip(*columns, strict=True))
    return [hashlib.sha256(row.encode("utf-8", "surrogatepass")).hexdigest()[:ROW_DIGITS] for row in rows]


def _shifted(identity: str, shift: int) -> str:
    return str(int(identity) + shift) if shift and identity.isdecimal() else identity


def model_digests(config: Config) -> dict[str, str]:
    """The digest of the model's files, and of the reference's."""
    named = {"model": str(config.model), "reference": config.reference}
    asked = {"model": config, "reference": of_reference(config)}
    if is_asked(config):
        return {part: str(asked_model(each).digest) for part, each in asked.items() if each is not None}
    return {part: str(find_model(parse_folder(text).folder).digest) for part, text in named.items() if text}


@cache
def code_digest() -> str:
    """The digest of the code that computes and words: every module of the package."""
    folder = Path(goldproof.__file__).parent
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        total.update(f"{path.relative_to(folder).as_posix()}\0".encode() + path.read_bytes())
    return total.hexdigest()


def stated_claims(report: Report, config: Config, data: ClaimData) -> list[StatedClaim]:
    """Everything that a page says: the claim, the lights, every text, and every estimate of its tables."""
    scope = str(report.provenance.get(SCOPE, ""))
    return list(_stated(report, find_behind(config, data, scope)))


def _stated(report: Report, behind: Behind) -> Iterator[StatedClaim]:
    if report.answer is not None:
        keys = behind.jobs(titles.REFUSED)
        yield StatedClaim("the claim", report.answer.sentence, _score(report, behind), keys, behind.scope)
    for line in report.verdict:
        claim = Claim(line) if isinstance(line, str) else line
        name = claim.text.partition(":")[0]
        said = f"{claim.standing}: {claim.text}"
        keys, scope = behind.jobs_of_light(name), behind.scope_of_light(name)
        yield StatedClaim(f"light {name}", said, claim.estimate, keys, scope)
    for section in report.sections:
        keys = behind.jobs(section.title)
        for place, item in enumerate(section.items):
            if isinstance(item, Text):
                scope = ITEMS if section.title == titles.DATA else behind.scope if keys else ""
                yield StatedClaim(f"{section.title}, text {place + 1}", item.text, None, keys, scope)
            elif isinstance(item, Table):
                yield from _table_claims(item, keys, behind.scope)


def _score(report: Report, behind: Behind) -> Estimate | None:
    """The number of the claim: the first of the table of scores; None where nothing may be claimed."""
    tables = [item for section in report.sections for item in section.items if isinstance(item, Table)]
    table = next((each for each in tables if each.name == "score-of-the-model"), None)
    if table is None or not behind.scope:
        return None
    cells = (_estimate(table.rows[0].get(column.key)) for column in table.columns)
    return next((each for each in cells if each is not None), None)


def _table_claims(table: Table, keys: tuple[str, ...], scope: str) -> Iterator[StatedClaim]:
    for row in table.rows:
        of = next((str(cell) for cell in row.values() if isinstance(cell, str)), "")
        for column in table.columns:
            estimate = _estimate(row.get(column.key))
            if estimate is not None:
                text = f"{table.title}: {column.title}"
                yield StatedClaim(f"table {table.name}, {of}, {column.title}", text, estimate, keys, scope)


def _estimate(cell: Cell) -> Estimate | None:
    value = cell.value if isinstance(cell, Marked) else cell
    return value if isinstance(value, Estimate) else None


def estimate_form(estimate: Estimate) -> dict[str, Any]:
    """An estimate as plain values, every digit kept."""
    numbers = {name: float(getattr(estimate, name)) for name in ("value", "low", "high", "level")}
    finite = {name: number if math.isfinite(number) else None for name, number in numbers.items()}
    return {**finite, "n": int(estimate.n), "method": estimate.method}


def by_place(claims: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Claims by where they stand; a place that comes again is numbered."""
    found: dict[str, Mapping[str, Any]] = {}
    for each in claims:
        place, n = str(each.get("place")), 2
        while place in found:
            place, n = f"{each.get('place')} ({n})", n + 1
        found[place] = each
    return found
