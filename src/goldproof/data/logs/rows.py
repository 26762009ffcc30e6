"""Rows of a log as Answers: a score for each item and run, in columns, sorted into runs × items.

What has no score keeps its place and says why. Two scores of one item in one run that differ are refused, unless a rule
says which is taken. It reads no file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from goldproof.data.answers import Answers, Array, Bounds, RunKind
from goldproof.data.logs.log import LogChoice
from goldproof.errors import DataError, UsageError

NO_ROW = "no row in the log"
NOT_A_NUMBER = "the score is not a number"
_REPEATS = ("refuse", "first", "mean")
_MOST_NAME = 200


@dataclass(frozen=True, slots=True)
class ScoreRows:
    """A row for each item and run, in columns: not a number where there is no score, and `reasons` says why.

    An empty reason of a row without a score is "the score is not a number". Columns that are None are the same for all
    rows, or there is nothing in them.
    """

    ids: Sequence[str]
    scores: Array
    runs: Sequence[str] | None = None
    reasons: Sequence[str] | None = None
    clusters: Sequence[str] | None = None
    tags: Sequence[tuple[str, ...]] | None = None
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    prompts: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Scale:
    """What a score can be: its bounds, where the log tells them, and whether more is better."""

    low: float | None = None
    high: float | None = None
    more_is_better: bool = True


@dataclass(frozen=True, slots=True)
class Shaped:
    """Answers, the prompt of each item, and what was noted while they were made."""

    answers: Answers
    prompts: tuple[str, ...]
    notes: tuple[str, ...]


def shape(
    rows: ScoreRows,
    where: Mapping[str, str],
    choice: LogChoice,
    path: Path,
    *,
    scale: Scale | None = None,
    run_kind: RunKind = "repeat",
) -> Shaped:
    """The rows as runs × items, in the order in which the items come first."""
    if choice.repeats not in _REPEATS:
        raise UsageError(f"repeats are {', '.join(_REPEATS)}; got {choice.repeats!r}")
    if not len(rows.ids):
        raise DataError("there is no row with a score to read", path=path)
    ids, items, first = _codes(rows.ids)
    runs = ["1"] * len(rows.ids) if rows.runs is None else rows.runs
    names, run_codes = _run_codes(runs)
    cells = run_codes * len(ids) + items
    table, winners, notes = _fill(rows, cells, len(names) * len(ids), choice, path)
    absent, reasons = _absences(rows, table, winners)
    clusters = None if rows.clusters is None else _codes([rows.clusters[row] for row in first])[1]
    bounds, said = _bounds(table, scale or Scale(), choice)
    answers = Answers(
        where={key: plain_name(value) for key, value in where.items() if value},
        step=None,
        task="score",
        labels=(),
        ids=np.array(ids, dtype=object),
        gold=np.zeros(len(ids)),
        runs=table.reshape(len(names), len(ids)),
        run_names=tuple(names),
        clusters=clusters,
        tags=None if rows.tags is None else tuple(rows.tags[row] for row in first),
        texts={name: [texts[row] for row in first] for name, texts in rows.texts.items()} or None,
        run_kind=run_kind,
        bounds=bounds,
        absent=None if absent is None else absent.reshape(len(names), len(ids)),
        reasons=reasons,
    )
    prompts = () if rows.prompts is None else tuple(rows.prompts[row] for row in first)
    return Shaped(answers, prompts, (*notes, *said))


def plain_name(text: object) -> str:
    """A name from a log as it may be shown: on one line, without signs that steer a terminal, and not too long.

    >>> plain_name("a\\x1b[31m\\n b"), len(plain_name("a" * 1000))
    ('a[31m b', 200)
    """
    shown = "".join(sign for sign in " ".join(str(text).split()) if sign.isprintable())
    return shown if len(shown) <= _MOST_NAME else shown[: _MOST_NAME - 1] + "…"


def _codes(values: Sequence[str]) -> tuple[list[str], Array, Array]:
    """The different values in the order in which they come, the number of each row's, and the first row of each."""
    numbers: dict[str, int] = {}
    codes = np.fromiter((numbers.setdefault(value, len(numbers)) for value in values), np.int64, len(values))
    _, first = np.unique(codes, return_index=True)
    return list(numbers), codes, first


def _run_codes(runs: Sequence[str]) -> tuple[list[str], Array]:
    """Runs in order: by number where all have one, else as they come."""
    names, codes, _ = _codes(runs)
    if not all(name.isdecimal() for name in names):
        return names, codes
    order = sorted(range(len(names)), key=lambda code: int(names[code]))
    places = np.empty(len(names), np.int64)
    places[order] = np.arange(len(names))
    return [names[code] for code in order], places[codes]


def _fill(
    rows: ScoreRows, cells: Array, n_cells: int, choice: LogChoice, path: Path
) -> tuple[Array, Array, tuple[str, ...]]:
    """The score of each cell, the row that it is from (−1: none), and what was noted of rows for one cell."""
    scores = np.asarray(rows.scores, float)
    # A row without a score gives way to one with a score: an attempt that failed and was made again is no conflict.
    order = np.lexsort((np.arange(len(cells)), np.isnan(scores), cells))
    starts = np.flatnonzero(np.diff(cells[order], prepend=-1))
    winners = np.full(n_cells, -1)
    winners[cells[order][starts]] = order[starts]
    table = np.full(n_cells, np.nan)
    table[cells] = scores[winners[cells]]
    if len(starts) == len(cells):
        return table, winners, ()
    sums, counts, highest = np.zeros(n_cells), np.zeros(n_cells), np.full(n_cells, -np.inf)
    present = ~np.isnan(scores)
    np.add.at(sums, cells[present], scores[present])
    np.add.at(counts, cells[present], 1)
    lowest = np.full(n_cells, np.inf)
    np.maximum.at(highest, cells[present], scores[present])
    np.minimum.at(lowest, cells[present], scores[present])
    differ = np.flatnonzero((counts > 1) & (lowest < highest))
    if len(differ) and choice.repeats == "refuse":
        row = int(winners[differ[0]])
        whose = "" if rows.runs is None else f" in run {plain_name(rows.runs[row])!r}"
        raise conflict(rows.ids[row], whose, (lowest[differ[0]], highest[differ[0]]), len(differ), path)
    if choice.repeats == "mean":
        table[differ] = sums[differ] / counts[differ]
    return table, winners, (_repeats_note(len(cells) - len(starts), len(differ), choice),)


def conflict(item: str, whose: str, ends: tuple[float, float], n_items: int, path: Path) -> DataError:
    """The error of items that have several scores; `whose` says of which run or model the example is."""
    items = "one item has" if n_items == 1 else f"{n_items:,} items have"
    return DataError(
        f"{items} several scores that differ (for example id {plain_name(item)!r}{whose}: {ends[0]:g} and "
        f"{ends[1]:g}); say what to do: --log repeats=first takes the first of them, repeats=mean their mean",
        path=path,
    )


def _repeats_note(n_more: int, n_differ: int, choice: LogChoice) -> str:
    more = "1 row repeats" if n_more == 1 else f"{n_more:,} rows repeat"
    if not n_differ:
        return f"{more} an item of the same run, with the same score or none, and were left out."
    taken = "the first score was taken" if choice.repeats == "first" else "the mean of the scores was taken"
    items = "1 item" if n_differ == 1 else f"{n_differ:,} items"
    return f"{more} an item of the same run; for {items} the scores differ, and {taken}, as asked for."


def _absences(rows: ScoreRows, table: Array, winners: Array) -> tuple[Array | None, tuple[str, ...]]:
    """For each cell without a score the number of its reason, counted from 1."""
    empty = np.flatnonzero(np.isnan(table))
    if not len(empty):
        return None, ()
    said = [_reason(rows, int(winners[cell])) for cell in empty]
    reasons, codes, _ = _codes(said)
    absent = np.zeros(len(table), np.int64)
    absent[empty] = codes + 1
    return absent, tuple(reasons)


def _reason(rows: ScoreRows, row: int) -> str:
    if row < 0:
        return NO_ROW
    return (rows.reasons[row] if rows.reasons is not None else "") or NOT_A_NUMBER


def _bounds(table: Array, scale: Scale, choice: LogChoice) -> tuple[Bounds, tuple[str, ...]]:
    """The bounds that were given or told; else 0 to 1, stretched to the scores, which is noted."""
    if choice.bounds is not None:
        return Bounds(*choice.bounds, scale.more_is_better), ()
    present = table[~np.isnan(table)]
    ends = (float(present.min()), float(present.max())) if present.size else (0.0, 1.0)
    low = min(0.0, ends[0]) if scale.low is None else scale.low
    high = max(1.0, ends[1]) if scale.high is None else scale.high
    bounds = Bounds(low, high, scale.more_is_better)
    if (scale.low is not None and scale.high is not None) or (low, high) == (0.0, 1.0):
        return bounds, ()
    return bounds, (
        f"The log does not give the lowest and highest possible score; {low:g} and {high:g} were assumed, which "
        "include all scores seen.",
    )
