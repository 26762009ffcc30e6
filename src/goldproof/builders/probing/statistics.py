"""The figures of a task as the paper's Table 11 prints them: rows, tokens, unique tokens, tokens a sentence, labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from goldproof.builders.probing.splits import SPLITS, TaskRow

FEW = 100  # test rows below which an accuracy is known to ±10 points at best


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of one split, or of the whole task; `labels` counts rows."""

    split: str
    rows: int
    tokens: int
    unique_tokens: int
    tokens_per_sentence: float
    labels: Mapping[str, int]


def describe(rows: Sequence[TaskRow]) -> tuple[Statistics, ...]:
    """The figures of each split in order, then of all rows."""
    parts = [_describe(split, (row for row in rows if row.split == split)) for split in SPLITS]
    return (*parts, _describe("all", rows))


def why_few(rows: Sequence[TaskRow]) -> str | None:
    """A warning where a task has so few test rows that an accuracy on them says little; None where it has enough."""
    n = sum(row.split == "test" for row in rows)
    if n >= FEW:
        return None
    reach = min(50, round(98 / max(n, 1) ** 0.5))
    return (
        f"{n} test rows: an accuracy of 50 % on them would be known only to ±{reach} points; use more sentences, or "
        "give test a larger share (splits are in the ratio of --train, --validation and --test)"
    )


def _describe(split: str, rows: Iterable[TaskRow]) -> Statistics:
    labels: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for row in rows:
        labels[row.candidate.label] += 1
        words.update(row.candidate.tokens)
    n = labels.total()
    return Statistics(
        split, n, words.total(), len(words), words.total() / n if n else 0.0, dict(sorted(labels.items()))
    )
