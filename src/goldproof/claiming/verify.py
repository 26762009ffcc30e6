"""`goldproof verify evidence.json`: whether all is as it was written down, and every claim follows from the store.

Each mismatch is named: a changed row of data, another model, a missing or damaged record, a number that is another.
Nothing is trained.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from typing import Any

from goldproof.claiming.data import ClaimData, ClaimPart, find_data
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
MOST_ALIGNED = 5000  # rows between the first and the last that differ


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
        _check_shape(form)
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


def _check_shape(form: Mapping[str, Any]) -> None:
    """An error where a part of the evidence is of another kind than is written."""
    for name in ("claims", "data"):
        if not all(isinstance(each, dict) for each in form[name]):
            raise TypeError(f"{name!r} is not a list of objects")
    if not all(isinstance(each["rows"], list) and isinstance(each["part"], str) for each in form["data"]):
        raise TypeError("the rows of the data are not lists")
    model = form.get("model", {})
    if not isinstance(model, dict) or not all(isinstance(each, str) for each in model.values()):
        raise TypeError("'model' is no object of digests")
    if not isinstance(form.get("jobs", []), list):
        raise TypeError("'jobs' is not a list")


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
        found.append(f"the data cannot be read as before: {error}{_where_to_run(config)}")
        return None
    now = parts_of(data)
    gone = partial(_gone, places, now)
    missing = [name for name in now if name not in {each["part"] for each in places}]
    found += [f"{name} data: the evidence has no digests of their rows" for name in missing]
    for each in places:
        part = now.get(each["part"])
        if part is None:
            found.append(f"the data no longer have a part {each['part']!r}")
            continue
        found += _compare_rows(each["part"], part.path, each["rows"], _as_before(part, each["rows"], gone(part.path)))
        if part.sha256 != each.get("sha256") and not found:
            found.append(f"{part.path}: the file has changed, though its rows are the same")
    return data


def _gone(places: Sequence[Mapping[str, Any]], now: Mapping[str, ClaimPart], path: str) -> int:
    """How many rows fewer than before a file has, over all parts that are from it."""
    before = sum(len(each["rows"]) for each in places if each["part"] in now and now[each["part"]].path == path)
    return before - sum(len(part.data) for part in now.values() if part.path == path)


def _as_before(part: ClaimPart, before: Sequence[str], gone: int) -> list[str]:
    """The digests of the rows as they are now, with the number that they had before.

    Rows without an id are numbered, so that those after a row that was taken out, or put in, have another one.
    """
    now, known = row_digests(part.data), set(before)
    shifts = range(1, gone + 1) if gone > 0 else range(-1, gone - 1, -1)
    for shift in shifts if len(shifts) <= MOST_NAMED else (gone,):
        moved = row_digests(part.data, shift)
        now = [old if old in known else new for old, new in zip(now, moved, strict=True)]
    return now


def _where_to_run(config: Config) -> str:
    """What helps where a file that is named from another folder is not found."""
    data = config.data
    paths = [data.train, data.validation, data.test, *(each.partition("=")[2] for each in config.tests)]
    if any(path and not Path(path).is_absolute() and not Path(path).exists() for path in paths):
        return "; files are named relative to the folder you are in: run it where the page was made"
    return ""


def _compare_rows(part: str, path: str, before: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    where = f"{part} data ({path})" if path else f"{part} data"
    if len(before) != len(now):
        yield f"{where}: {len(now):,} rows; there were {len(before):,}"
    changed, removed, added = _edits(before, now)
    for rows, done in ((changed, "changed"), (removed, "taken out"), (added, "put in")):
        if rows:
            named = ", ".join(map(str, rows[:MOST_NAMED])) + (" …" if len(rows) > MOST_NAMED else "")
            be = ("is" if done == "changed" else "was") if len(rows) == 1 else "are" if done == "changed" else "were"
            yield f"{where}: {len(rows):,} {'row' if len(rows) == 1 else 'rows'} {be} {done}: row {named}"


def _edits(before: Sequence[str], now: Sequence[str]) -> tuple[list[int], list[int], list[int]]:
    """The rows (from 1) that were changed, taken out and put in; those taken out as they were numbered before.

    >>> _edits(["a", "b", "c", "d"], ["a", "x", "d"]), _edits(["a", "b"], ["a", "n", "b"])
    (([2], [3], []), ([], [], [2]))
    """
    changed: list[int] = []
    removed: list[int] = []
    added: list[int] = []
    for i, end_i, j, end_j in _blocks(before, now):
        both = min(end_i - i, end_j - j)
        changed += [j + k + 1 for k in range(both) if before[i + k] != now[j + k]]
        removed += range(i + both + 1, end_i + 1)
        added += range(j + both + 1, end_j + 1)
    return changed, removed, added


def _blocks(before: Sequence[str], now: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Where two sequences differ, from and up to which row of each; what is the same at both ends is set aside first.

    Of long sequences that differ in many places the rest is one block: `difflib` would take too long.
    """
    start, most = 0, min(len(before), len(now))
    while start < most and before[start] == now[start]:
        start += 1
    end = 0
    while end < most - start and before[-1 - end] == now[-1 - end]:
        end += 1
    a, b = before[start : len(before) - end], now[start : len(now) - end]
    codes = [("replace", 0, len(a), 0, len(b))]
    if a and b and max(len(a), len(b)) <= MOST_ALIGNED:
        codes = [*SequenceMatcher(None, a, b, autojunk=False).get_opcodes()]
    return [(i + start, to + start, j + start, to_now + start) for kind, i, to, j, to_now in codes if kind != "equal"]


def _compare_models(config: Config, before: Mapping[str, str]) -> Iterator[str]:
    try:
        now = model_digests(config)
    except GoldproofError as error:
        yield f"the model cannot be read: {error}"
        return
    yield from (f"the evidence has no digest of the {part}" for part in now if part not in before)
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
    listed, wanted = set(map(str, form.get("jobs", ()))), {job.key for job in campaign.everything()}
    unlisted, unknown = wanted - listed, listed - wanted
    if unlisted:
        jobs = "job behind it is" if len(unlisted) == 1 else "jobs behind it are"
        yield f"{len(unlisted)} {jobs} not listed in the evidence: {min(unlisted)[:12]} …"
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
    if form.get("question") != report.title:
        yield f"the question is {report.title!r} by the settings and data, and {form.get('question')!r} in the evidence"
    yield from _differences(by_place(claims), by_place([each.form() for each in stated_claims(report, config, data)]))


def _differences(before: Mapping[str, Mapping[str, Any]], now: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for place, claim in before.items():
        other = now.get(place)
        if other is None:
            yield f"{place}: this claim does not follow from the store"
        elif dict(claim) != dict(other):
            extra = [name for name in claim if name not in other]
            changed = [name for name in other if name not in claim or claim[name] != other[name]]
            yield from (f"{place}: {name!r} is nothing that a claim has" for name in extra)
            for part in changed[:1]:
                yield f"{place}: {part} is {other[part]!r} by the store, and {claim.get(part)!r} in the evidence"
    yield from (f"{place}: this claim is missing in the evidence" for place in now if place not in before)
