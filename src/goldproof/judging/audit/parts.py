"""The two parts of a test set, hard for the shortcuts and solvable by a cue: labels, floor, wrong labels of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldproof.judging.subsets import SplitBias, split_bias
from goldproof.measures.suspects import Suspects
from goldproof.statistics.arrays import Array
from goldproof.statistics.estimate import Estimate

if TYPE_CHECKING:
    from goldproof.judging.audit.audit import Audit

HARD, SOLVABLE = "hard", "solvable by a cue"


@dataclass(frozen=True, slots=True)
class TestPart:
    """A part of the test set: its size, its labels, the floor, and the estimated share of its labels that are wrong."""

    __test__ = False  # no test case of pytest's

    name: str
    n: int
    labels: Mapping[str, int]
    floor: float
    wrong: Estimate | None


def find_parts(audit: Audit) -> tuple[TestPart, ...]:
    """The two parts; none where there is no split into hard and solvable."""
    found = audit.shortcuts
    if isinstance(found, str) or isinstance(found.hard, str):
        return ()
    data = audit.material.splits[audit.material.judged]
    labels = np.array(data.table.column("label").to_pylist(), object)
    parts = []
    for name, mask in ((HARD, found.hard.hard), (SOLVABLE, ~found.hard.hard)):
        rows = found.rows[mask]
        counts = dict(Counter(labels[rows].tolist()).most_common())
        floor = max(counts.values(), default=0) / max(len(rows), 1)
        parts.append(TestPart(name, len(rows), counts, floor, wrong_share(audit, rows)))
    return tuple(parts)


def find_bias(audit: Audit) -> SplitBias | None:
    """How a model without cues would differ between the two parts; None where there is no split or one part only."""
    found = audit.shortcuts
    if isinstance(found, str) or isinstance(found.hard, str) or not 0 < found.hard.hard.sum() < len(found.rows):
        return None
    table = audit.material.splits[audit.material.judged].table.take(found.rows)
    columns = (table.column(name).to_pylist() for name in ("text", "pair", "label"))
    texts, pairs, labels = columns
    lengths = np.array([len(text) + len(pair or "") for text, pair in zip(texts, pairs, strict=True)])
    return split_bias(found.hard.hard, lengths, np.array(labels, object).astype(str))


def wrong_share(audit: Audit, rows: Array) -> Estimate | None:
    """The estimated share of wrong labels among rows of the judged split.

    As many of the highest ranked suspects as there are estimated to be wrong labels are counted where they fall, and so
    for both ends of that estimate's interval.
    Selecting rows by their gold label enriches wrong ones, which is why this stands beside every part.
    """
    suspects = audit.suspects
    if not isinstance(suspects, Suspects) or not suspects.told or not len(rows):
        return None
    scores = np.where(np.isnan(suspects.scores), -np.inf, suspects.scores)
    ranked = audit.suspect_rows[np.argsort(-scores, kind="stable")]
    whole = suspects.share_wrong

    def among(share: float) -> float:
        return float(np.isin(rows, ranked[: round(share * len(scores))]).mean())

    method = f"share of the highest ranked suspects, as many as are estimated to be wrong; {whole.method}"
    return Estimate(among(whole.value), among(whole.low), among(whole.high), method, len(rows), whole.level)
