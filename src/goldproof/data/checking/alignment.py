"""Whether two languages of a split stand row by row beside each other, judged without knowing either language.

Translations of a text agree in their label and, roughly, in their length; rows that do not belong together agree in
both only by chance. Two splits are *aligned* when over the rows that both have (a) the logarithms of the lengths in
characters correlate with at least 0.75, and (b) at least 98 % of the labels agree, where both are labelled. Where the
label sets differ (three classes in one language, two in the other) each label of the finer side is taken for the one
it most often meets. Ids are not used: equal ids are no proof (they may just count rows), and unequal ones no disproof.
The share of rows that have a number in common is reported beside it as a witness.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from goldproof.data.checking.parts import DataPart

MIN_CORRELATION = 0.75
MIN_AGREEMENT = 0.98
MIN_ROWS = 20
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Alignment:
    """Two languages of a split compared row by row over the first `n_compared` rows."""

    group: str
    split: str
    languages: tuple[str, str]
    n_rows: tuple[int, int]
    n_compared: int
    length_correlation: float
    label_agreement: float | None
    shared_numbers: float | None
    first_difference: int | None

    @property
    def aligned(self) -> bool:
        """Whether the rows belong together."""
        labels_agree = self.label_agreement is None or self.label_agreement >= MIN_AGREEMENT
        return self.length_correlation >= MIN_CORRELATION and labels_agree


def compare_rows(a: DataPart, b: DataPart) -> Alignment | None:
    """The alignment of two languages of a split, or None where there are too few rows to tell."""
    n = min(len(a.texts), len(b.texts))
    if n < MIN_ROWS:
        return None
    agreement, first = _agreement(a.labels[:n], b.labels[:n])
    return Alignment(
        group=a.group,
        split=a.split,
        languages=(a.language, b.language),
        n_rows=(len(a.texts), len(b.texts)),
        n_compared=n,
        length_correlation=_correlation(_log_lengths(a, n), _log_lengths(b, n)),
        label_agreement=agreement,
        shared_numbers=_shared_numbers(a, b, n),
        first_difference=first,
    )


def _log_lengths(part: DataPart, n: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    lengths = [len(text) + len(pair or "") for text, pair in part.items[:n]]
    return np.log1p(np.array(lengths, dtype=np.float64))


def _correlation(
    a: np.ndarray[tuple[int], np.dtype[np.float64]], b: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> float:
    if a.std() == 0 or b.std() == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


def _agreement(a: Sequence[str | None], b: Sequence[str | None]) -> tuple[float | None, int | None]:
    """(share of labels that agree, first row where they do not); (None, None) where one side has no labels."""
    rows = [(row, x, y) for row, (x, y) in enumerate(zip(a, b, strict=True)) if x is not None and y is not None]
    if not rows:
        return None, None
    finer_first = len({x for _, x, _ in rows}) >= len({y for _, _, y in rows})
    renamed = _renaming(rows if finer_first else [(row, y, x) for row, x, y in rows])
    differs = [row for row, x, y in rows if (renamed[x] != y if finer_first else renamed[y] != x)]
    return 1 - len(differs) / len(rows), differs[0] + 1 if differs else None


def _renaming(rows: Sequence[tuple[int, str, str]]) -> dict[str, str]:
    """For each finer label the coarser one; labels that both sides know stay as they are."""
    coarse = {y for _, _, y in rows}
    met: dict[str, Counter[str]] = defaultdict(Counter)
    for _, x, y in rows:
        met[x][y] += 1
    return {x: x if x in coarse else counts.most_common(1)[0][0] for x, counts in met.items()}


def _shared_numbers(a: DataPart, b: DataPart, n: int) -> float | None:
    shared = total = 0
    for (text_a, pair_a), (text_b, pair_b) in zip(a.items[:n], b.items[:n], strict=True):
        numbers_a = set(_NUMBER.findall(f"{text_a} {pair_a or ''}"))
        numbers_b = set(_NUMBER.findall(f"{text_b} {pair_b or ''}"))
        if numbers_a or numbers_b:
            total += 1
            shared += bool(numbers_a & numbers_b)
    return shared / total if total else None


def aligned_groups(alignments: Sequence[Alignment]) -> list[list[str]]:
    """The languages in groups that are aligned with each other, the largest group first."""
    languages = sorted({language for alignment in alignments for language in alignment.languages})
    of = {language: {language} for language in languages}
    for alignment in alignments:
        a, b = alignment.languages
        if alignment.aligned and of[a] is not of[b]:
            of[a] |= of[b]
            for language in of[b]:
                of[language] = of[a]
    distinct = {id(cluster): sorted(cluster) for cluster in of.values()}
    return sorted(distinct.values(), key=lambda cluster: (-len(cluster), cluster))
