"""`goldproof verify evidence.json`: whether all is as it was written down, and every claim follows from the store.

Each mismatch is named: a changed row of data, another model, a missing or damaged record, a number that is another.
Nothing is trained.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldproof.claiming.data import ClaimData, find_data
from goldproof.claiming.evidence import (
    FORMAT,
    KIND,
    PRODUCT,
    by_place,
    code_digest,
    model_digests,
    parts_of,
    row_digests,
    stated_claims,
)
from goldproof.claiming.settings import Config
from goldproof.data.formats.strict_json import load_json
from goldproof.errors import AbsentValueError, DamagedValueError, DataError, GoldproofError
from goldproof.jobs import Store
from goldproof.jobs.key import digest
from goldproof.jobs.store import find_store
from goldproof.studies.campaign import Campaign, stored_config

MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Verification:
    """What was compared, what does not match, and what should be known though it is no mismatch."""

    n_claims: int
    mismatches: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether everything matches."""
        return not self.mismatches


def verify(path: str | Path, store: str | Path | Store | None = None) -> Verification:
    """Compare the evidence with the data, the model and the store that are there now."""
    path = Path(path)
    form = _read(path)
    try:
        config: Config = stored_config("claims", form["settings"]["values"])
        claims, places = form["claims"], form["data"]
    except (GoldproofError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"the evidence is incomplete or altered: {type(error).__name__}: {error}", path=path) from None
    found: list[str] = []
    if digest(form["settings"]["values"]) != form["settings"].get("digest"):  # as written: settings may be added later
        found.append("the settings do not match their digest")
    data = _compare_data(config, places, found)
    found += _compare_models(config, form.get("model", {}))
    if data is not None and not found:
        found += _compare_claims(config, data, form, claims, find_store(store))
    notes = [] if form.get("code") == code_digest() else [_other_code(form)]
    return Verification(len(claims), tuple(found), tuple(notes))


def _other_code(form: Mapping[str, Any]) -> str:
    return (
        f"the code differs from version {form.get('version')!r}, which wrote the evidence; what matches was computed "
        "by the present code"
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        form = load_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError("there is no such file; `goldproof claims … --out FOLDER` writes it", path=path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"the evidence cannot be read: {error}", path=path) from None
    except ValueError as error:
        raise DataError(f"not JSON: {error}", path=path) from None
    known = (form.get("product"), form.get("kind"), form.get("format")) if isinstance(form, dict) else ()
    if known != (PRODUCT, KIND, FORMAT):
        raise DataError(
            f"not evidence that this version can read; allowed: {(PRODUCT, KIND, FORMAT)}; got {known}", path=path
        )
    made: dict[str, Any] = form
    return made


def _compare_data(config: Config, places: Sequence[Mapping[str, Any]], found: list[str]) -> ClaimData | None:
    """The data as they are now; what differs from the evidence is added to what was found."""
    try:
        data = find_data(config)
    except GoldproofError as error:
        found.append(f"the data cannot be read as before: {error}")
        return None
    now = parts_of(data)
    for each in places:
        part = now.get(str(each.get("part")))
        if part is None:
            found.append(f"the data no longer have a part {each.get('part')!r}")
            continue
        found += _compare_rows(str(each["part"]), part.path, list(each["rows"]), row_digests(part.data))
        if part.sha256 != each.get("sha256") and not found:
            found.append(f"{part.path}: the file has changed, though its rows are the same")
    return data


def _compare_rows(part: str, path: str, before: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    changed = [row + 1 for row, pair in enumerate(zip(before, now, strict=False)) if pair[0] != pair[1]]
    where = f"{part} data ({path})" if path else f"{part} data"
    if len(before) != len(now):
        yield f"{where}: {len(now):,} rows; there were {len(before):,}"
    if changed:
        named = ", ".join(map(str, changed[:MOST_NAMED])) + (" …" if len(changed) > MOST_NAMED else "")
        yield f"{where}: {len(changed):,} {'row is' if len(changed) == 1 else 'rows are'} changed: row {named}"


def _compare_models(config: Config, before: Mapping[str, str]) -> Iterator[str]:
    try:
        now = model_digests(config)
    except GoldproofError as error:
        yield f"the model cannot be read: {error}"
        return
    for part, known in before.items():
        if now.get(part) != known:
            yield f"the {part} has changed: its files have the digest {str(now.get(part))[:12]}, not {known[:12]}"


def _compare_claims(
    config: Config, data: ClaimData, form: Mapping[str, Any], claims: Sequence[Mapping[str, Any]], store: Store
) -> Iterator[str]:
    campaign = Campaign("claims", config, store)
    absent = [job for job in campaign.everything() if not store.has(job.key)]
    for job in absent[:MOST_NAMED]:
        yield f"the store {store.where} has no value of {job.describe()} [{job.key[:12]}]"
    if len(absent) > MOST_NAMED:
        yield f"and {len(absent) - MOST_NAMED} more values are missing"
    unknown = set(map(str, form.get("jobs", ()))) - {job.key for job in campaign.everything()}
    if unknown:
        yield (
            f"{len(unknown)} jobs of the evidence do not belong to these settings, data and model: "
            f"{min(unknown)[:12]} …"
        )
    if absent:
        return
    try:
        report = campaign.report()
    except (AbsentValueError, DamagedValueError) as error:
        yield f"a value in the store cannot be used: {error}"
        return
    yield from _differences(by_place(claims), by_place([each.form() for each in stated_claims(report, config, data)]))


def _differences(before: Mapping[str, Mapping[str, Any]], now: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for place, claim in before.items():
        other = now.get(place)
        if other is None:
            yield f"{place}: this claim does not follow from the store"
        elif dict(claim) != dict(other):
            part = next(name for name in other if claim.get(name) != other[name])
            yield f"{place}: {part} is {other[part]!r} by the store, and {claim.get(part)!r} in the evidence"
    yield from (f"{place}: this claim is missing in the evidence" for place in now if place not in before)
