"""Conditions of logs: what to know of one before its score is quoted, and of two before they are compared.

It says what the logs themselves say: a log that is silent on its prompts has none that could differ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from goldproof.data.logs.log import Log

AGREES = 1e-9
MOST_NAMES = 5


def notes_on_all(logs: Sequence[Log]) -> list[str]:
    """What a reader should know of logs: what was read, what was left out, and what each harness says itself."""
    read: dict[str, list[str]] = {}
    for log in logs:
        read.setdefault(_what_was_read(log), []).append(log.task)
    said = [f"{_some(tasks)}: {sentence}." for sentence, tasks in read.items()]
    return list(dict.fromkeys([*said, *(note for log in logs for note in _more_on(log))]))


def _some(tasks: Sequence[str]) -> str:
    names = list(dict.fromkeys(tasks))
    return ", ".join(names[:MOST_NAMES]) + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")


def _what_was_read(log: Log) -> str:
    which = f"{log.metric} ({log.filter})" if log.filter and log.filter != "none" else log.metric
    others = f"; not read: {', '.join(log.others)}" if log.others else ""
    return f"the score is {which} as {log.harness} wrote it{_beside_printed(log)}{others}"


def _more_on(log: Log) -> list[str]:
    notes = []
    if log.left_out:
        listed = ", ".join(f"{reason} {n:,}" for reason, n in log.left_out.items())
        notes.append(f"{log.task}: {sum(log.left_out.values()):,} rows have no score and are left out: {listed}.")
    limit = log.conditions.limit
    if limit is not None:
        taken = f"{limit:g}" if limit >= 1 else f"{100 * limit:g} %"
        notes.append(
            f"{log.task}: the evaluation was limited to the first {taken} items, which are no random draw of them: the "
            "interval is about items like those."
        )
    if log.conditions.n_truncated:
        notes.append(f"{log.task}: {log.conditions.n_truncated:,} answers were cut off before their end.")
    return [*notes, *log.notes]


def _beside_printed(log: Log) -> str:
    """How our mean stands to the one that the harness printed, where it printed one."""
    if log.printed is None:
        return ""
    answered = log.answers.runs[:, ~np.isnan(log.answers.runs).all(axis=0)]
    ours = float(np.nanmean(answered, axis=0).mean()) if answered.size else math.nan
    if abs(ours - log.printed) <= AGREES:
        return ", and the mean that it printed is ours"
    return f", which gives {log.printed:.6g} where the mean of its items is {ours:.6g}"


def differing_conditions(a: Log, b: Log) -> list[str]:
    """What differs between two logs of the same task that may explain a difference of their scores."""
    one, other = a.conditions, b.conditions
    said = []
    if one.dataset_revision and other.dataset_revision and one.dataset_revision != other.dataset_revision:
        said.append(f"other revisions of the data: {one.dataset_revision} and {other.dataset_revision}")
    if None not in (one.n_shots, other.n_shots) and one.n_shots != other.n_shots:
        said.append(f"other numbers of examples in the prompt: {one.n_shots} and {other.n_shots}")
    if one.limit != other.limit:
        said.append(f"other limits on the items: {_limit_text(one.limit)} and {_limit_text(other.limit)}")
    if one.seed and other.seed and one.seed != other.seed:
        said.append(f"other seeds: {one.seed} and {other.seed}")
    if (a.metric, a.filter) != (b.metric, b.filter):
        said.append(f"other scores: {a.metric}/{a.filter} and {b.metric}/{b.filter}")
    if n := _differing_prompts(a, b):
        said.append(f"other prompts for {n[0]:,} of the {n[1]:,} items that both have")
    return [f"{a.task}: A and B were evaluated under other conditions: {each}." for each in said]


def _limit_text(limit: float | None) -> str:
    return "none" if limit is None else f"{limit:g}"


def _differing_prompts(a: Log, b: Log) -> tuple[int, int] | None:
    """How many of the items that both have were asked for with another prompt; None where that is not known."""
    if not (a.conditions.prompts and b.conditions.prompts):
        return None
    of_b = dict(zip(b.answers.ids.tolist(), b.conditions.prompts, strict=True))
    both = [
        (prompt, of_b[item])
        for item, prompt in zip(a.answers.ids.tolist(), a.conditions.prompts, strict=True)
        if item in of_b
    ]
    n = sum(one != other for one, other in both)
    return (n, len(both)) if n else None
