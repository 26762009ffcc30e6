"""Collapsed runs of Answers are named and counted, and left out of the score: it is that of trainings that worked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from goldproof.data.answers import Answers
from goldproof.report.numbers import estimate_text
from goldproof.statistics.arrays import Array
from goldproof.statistics.collapse import Collapse, find_collapse, find_flat, find_unmarked

MOST_NAMES = 5


def collapse_of(answers: Answers, level: float = 0.95) -> Collapse | None:
    """Which runs collapsed; None where the task has no labels, numbers or spans, or gold is one and the same."""
    if answers.task == "spans":
        runs = answers.runs
        return find_unmarked(answers.gold, runs["found"], runs["given"], level) if answers.gold.any() else None
    if answers.task not in ("classification", "regression") or len(np.unique(answers.gold)) < 2:
        return None
    find = find_collapse if answers.task == "classification" else find_flat
    return find(answers.gold, answers.runs, level)


def without_collapsed(answers: Answers, collapse: Collapse | None) -> Answers:
    """The runs that did not collapse; all of them where none or all did."""
    if collapse is None or not collapse.n or len(collapse.kept) == answers.n_runs:
        return answers
    return take_runs(answers, collapse.kept)


def take_runs(answers: Answers, runs: Array) -> Answers:
    """The same items with these runs only, in this order."""
    return replace(
        answers,
        runs=answers.runs[runs],
        run_names=tuple(answers.run_names[i] for i in runs),
        probabilities=None if answers.probabilities is None else answers.probabilities[runs],
        absent=None if answers.absent is None else answers.absent[runs],
    )


ALIKE = "one answer to nearly all items"


def about_collapse(notes: Sequence[str]) -> list[str]:
    """Those of a judgement's notes that name runs which collapsed: what a reader must know before anything else."""
    return [note for note in notes if ALIKE in note]


def collapse_notes(answers: Answers, collapse: Collapse | None, name: str = "") -> list[str]:
    """What is to be said of runs that give one answer to everything."""
    if collapse is None:
        return []
    where = f"{name}: " if name else ""
    if collapse.unclear.any():
        share = float(np.bincount(answers.gold).max()) / answers.n_items
        label = answers.labels[int(np.bincount(answers.gold).argmax())]
        which = _opening(named_runs(answers, collapse.unclear), where)
        return [
            f"{where}{which} cannot be distinguished from always answering {label!r}, which is right in "
            f"{100 * share:.0f} %."
        ]
    if not collapse.n:
        return []
    n, of, alike = collapse.n, answers.n_runs, ALIKE + (", that there is no span" if answers.task == "spans" else "")
    if of == 1:
        return [f"{where}{_opening('the', where)} run collapsed: it gives {alike}. It is judged all the same."]
    if n == of:
        return [
            f"{where}{_opening('all', where)} {of} runs collapsed: each gives {alike}. They are judged all the same."
        ]
    rate, which = estimate_text(collapse.rate, 1, "%"), named_runs(answers, collapse.collapsed)
    return [
        f"{where}{n} of {of} runs collapsed, giving {alike} ({which}). The scores are those of the other runs; the "
        f"rate of collapse is {rate}."
    ]


def _opening(words: str, where: str) -> str:
    """The first words of a note, with a capital where nothing stands before them."""
    return words if where else words[0].upper() + words[1:]


def named_runs(answers: Answers, which: Array) -> str:
    """Some runs by name, the first few of many.

    >>> answers = Answers({}, None, "classification", ("a",), np.array(["1"]), np.zeros(1, int), np.zeros((3, 1), int),
    ...                   ("x", "y", "z"))
    >>> named_runs(answers, np.array([True, False, True]))
    'runs x, z'
    """
    names = [answers.run_names[i] for i in np.flatnonzero(which)]
    shown = ", ".join(names[:MOST_NAMES]) + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")
    return f"{'run' if len(names) == 1 else 'runs'} {shown}"
