"""Conditions of logs: what to know of one before its score is quoted, and of two before they are compared.

It says what the logs themselves say: a log that is silent on its prompts has none that could differ.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from goldproof.data.logs.log import Log
from goldproof.data.logs.rows import plain_name

AGREES, ROUNDED = 1e-9, 1e-6
MOST_NAMES = 5
_KIND_ENDS = re.compile(r":| for \d")
MOST_OF_A_SETTING = 60


def notes_on_all(logs: Sequence[Log]) -> list[str]:
    """What a reader should know of logs: what was read, what was left out, and what each harness says itself."""
    read: dict[str, list[str]] = {}
    for log in logs:
        if log.harness == "table":  # which has one score and says nothing about it
            continue
        read.setdefault(_what_was_read(log), []).append(log.task)
    said = [_of(_some(tasks), f"{sentence}.") for sentence, tasks in read.items()]
    models = {log.model for log in logs}
    of_models: dict[str, set[str]] = {}
    for log in logs:
        for note in _more_on(log):
            of_models.setdefault(note, set()).add(log.model)
    # Where several models are read, what is not so of all of them says of which it is.
    said += [note if found == models else f"{_some(sorted(found))}: {note}" for note, found in of_models.items()]
    return list(dict.fromkeys(said))


def _of(name: str, sentence: str) -> str:
    """A sentence on what has a name; one on what has none begins as sentences do."""
    return f"{name}: {sentence}" if name else f"{sentence[:1].upper()}{sentence[1:]}"


def _some(tasks: Sequence[str]) -> str:
    names = list(dict.fromkeys(tasks))
    return ", ".join(names[:MOST_NAMES]) + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")


def _what_was_read(log: Log) -> str:
    which = f"{log.metric} ({log.filter})" if log.filter and log.filter != "none" else log.metric
    others = f"; not read: {_some(log.others)}" if log.others else ""
    return f"the score is {which} as {log.harness} wrote it{_beside_printed(log)}{others}"


def _more_on(log: Log) -> list[str]:
    notes = []
    if log.left_out:
        listed = ", ".join(f"{reason} {n:,}" for reason, n in log.left_out.items())
        n = sum(log.left_out.values())
        notes.append(_of(log.task, f"{'1 row has' if n == 1 else f'{n:,} rows have'} no score: {listed}."))
    limit = log.conditions.limit
    if limit is not None:
        taken = f"{limit:g}" if limit >= 1 else f"{100 * limit:g} %"
        notes.append(
            _of(
                log.task,
                f"the evaluation was limited to the first {taken} items, which is not a random sample: the interval "
                "is about items like those.",
            )
        )
    if log.conditions.n_truncated:
        notes.append(_of(log.task, f"{log.conditions.n_truncated:,} answers were cut off before they ended."))
    return [*notes, *log.notes]


def _beside_printed(log: Log) -> str:
    """That the mean which the harness printed is ours; where it is not, a note of the log says so."""
    distance = math.inf if log.printed is None else abs(log.mean() - log.printed)
    if distance <= AGREES:
        return ", and its printed mean equals ours"
    return ", and its printed mean equals ours up to rounding" if distance <= ROUNDED else ""


def differing_conditions(pairs: Sequence[tuple[Log, Log]]) -> list[str]:
    """What differs between the two logs of each task that may explain a difference of their scores, with its tasks."""
    said: dict[str, list[str]] = {}
    for a, b in pairs:
        for difference in _differences(a, b):
            said.setdefault(difference, []).append(a.task)
    return [
        _of(_some(tasks), f"A and B were evaluated under different conditions: {difference}.")
        for difference, tasks in said.items()
    ]


def first_pairs(logs: Sequence[Log]) -> list[tuple[Log, Log]]:
    """The first log of each task with every other one: logs that differ do not all agree with the first."""
    first: dict[str, Log] = {}
    return [(first[log.task], log) for log in logs if first.setdefault(log.task, log) is not log]


def conditions_in_short(logs: Sequence[Log]) -> str:
    """In one sentence what was not the same for all models; empty where nothing is known to differ."""
    models: dict[str, set[str]] = {}
    for a, b in first_pairs(logs):
        for difference in _differences(a, b):
            kind = _KIND_ENDS.split(difference, maxsplit=1)[0]
            models.setdefault(kind, set()).add(b.model)
    if not models:
        return ""
    listed = ", ".join(f"{kind} ({len(found):,})" for kind, found in models.items())
    return (
        f"Not all models were evaluated under the same conditions as {logs[0].model} (how many were not): {listed}; "
        "goldproof check says which."
    )


def _differences(a: Log, b: Log) -> list[str]:
    one, other = a.conditions, b.conditions
    said = []
    if one.dataset_revision and other.dataset_revision and one.dataset_revision != other.dataset_revision:
        said.append(f"different revisions of the data: {one.dataset_revision} and {other.dataset_revision}")
    if None not in (one.n_shots, other.n_shots) and one.n_shots != other.n_shots:
        said.append(f"different numbers of examples in the prompt: {one.n_shots} and {other.n_shots}")
    if one.limit != other.limit:
        said.append(f"different limits on the items: {_limit_text(one.limit)} and {_limit_text(other.limit)}")
    if one.seed and other.seed and one.seed != other.seed:
        said.append(f"different seeds: {one.seed} and {other.seed}")
    if _score_name(a) != _score_name(b):
        said.append(f"different scores: {_score_name(a)} and {_score_name(b)}")
    if n := _differing_prompts(a, b):
        said.append(f"different prompts for {n[0]:,} of the {n[1]:,} items they share")
    if one.n_truncated != other.n_truncated:
        said.append(f"answers that were cut off: {one.n_truncated:,} of A and {other.n_truncated:,} of B")
    return [*said, *_differing_settings(a, b)]


def _score_name(log: Log) -> str:
    """The metric with its filter; of promptfoo that says which prompt it was, which prompts themselves tell."""
    return f"{log.metric}/{log.filter}" if log.filter and log.harness != "promptfoo" else log.metric


def _differing_settings(a: Log, b: Log) -> list[str]:
    """Settings that are not the same, where both logs are of one harness, which names them in one way."""
    if a.harness.rpartition(" ")[0] != b.harness.rpartition(" ")[0]:
        return []
    one, other = a.conditions.settings, b.conditions.settings
    return [
        f"different settings: {plain_name(name)} is {_setting(one, name)} and {_setting(other, name)}"
        for name in dict.fromkeys([*one, *other])
        if one.get(name) != other.get(name)
    ]


def _setting(settings: Mapping[str, str], name: str) -> str:
    value = plain_name(settings.get(name, "not set"))
    return value if len(value) <= MOST_OF_A_SETTING else f"{value[:MOST_OF_A_SETTING]}…"


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
