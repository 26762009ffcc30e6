"""Numbers printed in the transfer paper, in points of 100; `None` is a cell that the text at hand has lost.

Source: Phillip Keung, Yichao Lu, Julian Salazar and Vikas Bhardwaj, "Don't Use English Dev: On the Zero-Shot
Cross-Lingual Evaluation of Contextual Embeddings", EMNLP (2020), as its preprint "On the Evaluation of Contextual
Embeddings for Zero-Shot Cross-Lingual Transfer Learning". No number here was computed by us, and no cell was guessed.
In Table 1 only the Japanese column and the rows whose numbers stand in Table 5 as well could be told; of Table 6 the
rows of single papers are lost but for Chinese.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

PrintedCells = Mapping[str, float | None]

MLDOC = ("de", "es", "fr", "it", "ja", "ru", "zh")
XNLI = ("ar", "bg", "de", "el", "es", "fr", "hi", "ru", "sw", "th", "tr", "ur", "vi", "zh")
MLQA = ("ar", "de", "es", "hi", "vi", "zh")
CONLL = ("de", "es", "nl")


@dataclass(frozen=True, slots=True)
class Range:
    """A column of Table 2: the highest and the lowest of ten runs, and the printed difference."""

    highest: float
    lowest: float
    delta: float


@dataclass(frozen=True, slots=True)
class Oracle:
    """A column of Table 4: chosen by target dev, chosen by English dev, and the best published before."""

    target_dev: float | None
    source_dev: float
    published: float


@dataclass(frozen=True, slots=True)
class LiteratureRow:
    """A row of Tables 1 and 5–8: who reported it, for which model, and the cells by language."""

    source: str
    model: str
    cells: PrintedCells


def _cells(languages: Sequence[str], *values: float | None) -> dict[str, float | None]:
    return dict(zip(languages, values, strict=True))


def _ranges(languages: Sequence[str], *rows: Sequence[float]) -> dict[str, Range]:
    return {language: Range(*column) for language, *column in zip(languages, *rows, strict=True)}


TABLE_2: Mapping[str, Mapping[str, Range]] = {
    "mldoc": _ranges(
        ("dev", *MLDOC),
        (97.7, 87.6, 82.3, 78.4, 69.2, 67.7, 71.7, 70.2),
        (96.8, 81.7, 77.7, 63.4, 63.2, 60.6, 64.5, 62.6),
        (0.9, 5.9, 4.6, 15.0, 6.0, 7.1, 7.2, 7.6),
    ),
    "xnli": _ranges(
        ("dev", *XNLI),
        (82.8, 66.0, 69.7, 71.8, 67.6, 75.8, 74.6, 61.7, 69.6, 50.9, 55.3, 61.9, 60.2, 71.3, 71.3),
        (81.9, 63.3, 66.8, 70.0, 64.8, 73.6, 72.9, 58.4, 67.3, 47.8, 51.0, 60.3, 56.3, 69.2, 68.6),
        (0.9, 2.7, 2.9, 1.8, 2.8, 2.2, 1.7, 3.3, 2.3, 3.1, 4.3, 1.6, 3.9, 2.1, 2.7),
    ),
}
"""Table 2 by corpus and language; "dev" is English dev."""

AGREEMENT_SOURCE: Mapping[str, PrintedCells] = {
    "mldoc": _cells(("en", *MLDOC), 0.84, 0.57, 0.59, 0.57, 0.56, 0.42, 0.55, 0.50),
    "xnli": _cells(
        ("en", *XNLI), 0.90, 0.55, 0.61, 0.69, 0.60, 0.76, None, 0.47, 0.66, 0.44, 0.56, 0.35, 0.60, 0.42, 0.70
    ),
}
"""Table 3, row "English": shares, not points."""

AGREEMENT_TARGET: Mapping[str, PrintedCells] = {
    "mldoc": _cells(MLDOC, 0.97, 0.92, 0.97, 0.95, 0.98, 0.90, 0.95),
    "xnli": _cells(XNLI, 0.77, 0.88, 0.82, 0.89, 0.78, None, 0.90, 0.85, 0.87, 0.93, 0.85, 0.93, 0.93, 0.93),
}
"""Table 3, row "Target": shares, not points."""


def _oracles(languages: Sequence[str], *rows: Sequence[float | None]) -> dict[str, Oracle]:
    return {
        language: Oracle(dev, float(source or 0), float(best or 0))
        for language, dev, source, best in zip(languages, *rows, strict=True)
    }


TABLE_4: Mapping[str, Mapping[str, Oracle]] = {
    "mldoc": _oracles(
        MLDOC,
        (89.7, 84.4, 84.4, 73.1, 75.5, 77.1, 81.1),
        (87.6, 82.3, 78.4, 69.2, 67.7, 71.7, 70.2),
        (82.4, 79.5, 83.0, 68.9, 73.2, 73.7, 76.9),
    ),
    "xnli": _oracles(
        XNLI,
        (66.5, 70.0, 72.0, 67.8, 75.9, 74.6, 63.2, None, None, None, None, 60.5, 71.4, 71.3),
        (66.0, 69.7, 71.8, 67.6, 75.8, 74.6, 61.7, 69.6, 50.9, 55.3, 61.9, 60.2, 71.3, 71.3),
        (64.9, 68.9, 71.1, 66.4, 74.3, 73.8, 60.0, 69.0, 50.4, 55.8, 61.6, 58.7, 70.1, 69.3),
    ),
}
"""Table 4 by corpus and language."""

_EN_MLDOC, _EN_XNLI, _EN_MLQA, _EN_CONLL = (("en", *names) for names in (MLDOC, XNLI, MLQA, CONLL))
_FEW = ("en", "fr", "ja", "ru", "zh")
MBERT, XLM_R = "mBERT", "XLM-R large"

TABLE_1: Sequence[LiteratureRow] = (
    LiteratureRow("Eisenschlos et al. (2019)", MBERT, _cells(_FEW, None, None, 64.6, None, None)),
    LiteratureRow("Dong and de Melo (2019)", MBERT, _cells(_FEW, 94.2, 80.0, 73.2, 70.7, 75.4)),
    LiteratureRow("Keung et al. (2019)", MBERT, _cells(_FEW, 94.2, 73.5, 72.8, 73.7, 76.0)),
    LiteratureRow("Wu and Dredze (2019)", MBERT, _cells(_FEW, None, None, 56.5, None, None)),
    LiteratureRow("Δ", MBERT, _cells(_FEW, None, None, 16.7, None, None)),
)
"""Published zero-shot accuracies on MLDoc, four of seven languages."""

TABLE_5: Sequence[LiteratureRow] = (
    LiteratureRow(
        "Eisenschlos et al. (2019)", MBERT, _cells(_EN_MLDOC, 93.2, 82.4, 75.0, 83.0, 68.3, 64.6, 71.6, 66.2)
    ),
    LiteratureRow("Dong and de Melo (2019)", MBERT, _cells(_EN_MLDOC, 94.2, 78.9, 79.5, 80.0, 68.7, 73.2, 70.7, 75.4)),
    LiteratureRow("Keung et al. (2019)", MBERT, _cells(_EN_MLDOC, 94.2, 79.8, 72.1, 73.5, 63.7, 72.8, 73.7, 76.0)),
    LiteratureRow("Wu and Dredze (2019)", MBERT, _cells(_EN_MLDOC, 94.2, 80.2, 72.6, 72.6, 68.9, 56.5, 73.7, 76.9)),
    LiteratureRow("Δ", MBERT, _cells(_EN_MLDOC, 1.0, 3.5, 7.4, 10.4, 5.2, 16.7, 3.0, 10.7)),
)
"""Published zero-shot accuracies on MLDoc."""

_LOST = (None,) * 14

TABLE_6: Sequence[LiteratureRow] = (
    LiteratureRow("Hu et al. (2020)", MBERT, _cells(_EN_XNLI, *_LOST, 67.8)),
    LiteratureRow("Nooralahzadeh et al. (2020)", MBERT, _cells(_EN_XNLI, *_LOST, 68.9)),
    LiteratureRow("Wu and Dredze (2019), Liang et al. (2020)", MBERT, _cells(_EN_XNLI, *_LOST, None)),
    LiteratureRow(
        "Δ",
        MBERT,
        _cells(_EN_XNLI, 1.3, 0.6, 1.1, 1.4, 1.1, 0.8, 0.4, 0.4, 1.2, 2.8, 3.3, 2.6, 1.5, 0.8, 1.5),
    ),
    LiteratureRow("Hu et al. (2020)", XLM_R, _cells(_EN_XNLI, *_LOST, 78.2)),
    LiteratureRow("Conneau et al. (2020)", XLM_R, _cells(_EN_XNLI, *_LOST, 80.2)),
    LiteratureRow(
        "Δ",
        XLM_R,
        _cells(_EN_XNLI, 0.4, 2.6, 1.0, 1.4, 2.1, 1.4, 1.9, 1.3, 2.1, 2.7, 1.2, 1.6, 2.1, 1.5, 2.0),
    ),
)
"""Published zero-shot accuracies on XNLI."""

TABLE_7: Sequence[LiteratureRow] = (
    LiteratureRow("Lewis et al. (2019)", MBERT, _cells(_EN_MLQA, 77.7, 45.7, 57.9, 64.3, 43.8, 57.1, 57.5)),
    LiteratureRow("Hu et al. (2020)", MBERT, _cells(_EN_MLQA, 80.2, 52.3, 59.0, 67.4, 50.2, 61.2, 59.6)),
    LiteratureRow("Liang et al. (2020)", MBERT, _cells(_EN_MLQA, 80.5, 50.9, 63.8, 67.1, 47.9, 59.5, 55.4)),
    LiteratureRow("Δ", MBERT, _cells(_EN_MLQA, 2.8, 6.6, 5.9, 3.1, 6.4, 4.1, 4.2)),
    LiteratureRow("Conneau et al. (2020)", XLM_R, _cells(_EN_MLQA, 80.6, 63.1, 68.5, 74.1, 69.2, 71.3, 68.0)),
    LiteratureRow("Hu et al. (2020)", XLM_R, _cells(_EN_MLQA, 83.5, 66.6, 70.1, 74.1, 70.6, 74.0, 62.1)),
    LiteratureRow("Δ", XLM_R, _cells(_EN_MLQA, 2.9, 3.5, 1.6, 0.0, 1.4, 2.7, 5.9)),
)
"""Published F1 on MLQA."""

TABLE_7_EXACT_MATCH: Sequence[LiteratureRow] = (
    LiteratureRow("Conneau et al. (2020)", XLM_R, _cells(_EN_MLQA, 67.8, 43.5, 53.6, 56.0, 51.6, 50.9, 45.4)),
    LiteratureRow("Hu et al. (2020)", XLM_R, _cells(_EN_MLQA, 70.6, 47.1, 54.9, 56.6, 53.1, 52.9, 37.0)),
    LiteratureRow("Δ", XLM_R, _cells(_EN_MLQA, 2.8, 3.6, 1.3, 0.6, 1.5, 2.0, 8.4)),
)
"""Published exact match on MLQA, the second number of the cells of XLM-R."""

TABLE_8: Sequence[LiteratureRow] = (
    LiteratureRow("Liang et al. (2020)", MBERT, _cells(_EN_CONLL, 90.6, 69.2, 75.4, 77.9)),
    LiteratureRow("Pires et al. (2019)", MBERT, _cells(_EN_CONLL, 90.7, 69.7, 73.6, 77.4)),
    LiteratureRow("Keung et al. (2019)", MBERT, _cells(_EN_CONLL, 91.1, 68.6, 75.0, 77.5)),
    LiteratureRow("Bari et al. (2020)", MBERT, _cells(_EN_CONLL, 91.1, 71.0, 74.8, 79.6)),
    LiteratureRow("Wu and Dredze (2019)", MBERT, _cells(_EN_CONLL, 92.0, 69.6, 75.0, 77.6)),
    LiteratureRow("Δ", MBERT, _cells(_EN_CONLL, 1.4, 2.4, 1.8, 2.2)),
)
"""Published span F1 on CoNLL-2002 and 2003."""


@dataclass(frozen=True, slots=True)
class LiteratureTable:
    """A table of earlier results: its number in the paper, what it holds, and its rows."""

    number: int
    measure: str
    rows: Sequence[LiteratureRow]


_MLQA_TABLES = (LiteratureTable(7, "F1", TABLE_7), LiteratureTable(7, "exact match", TABLE_7_EXACT_MATCH))
LITERATURE: Mapping[str, Sequence[LiteratureTable]] = {
    "mldoc": (LiteratureTable(1, "accuracy", TABLE_1), LiteratureTable(5, "accuracy", TABLE_5)),
    "xnli": (LiteratureTable(6, "accuracy", TABLE_6),),
    "mlqa": _MLQA_TABLES,
    "conll2002": (LiteratureTable(8, "span F1", TABLE_8),),
    "conll2003": (LiteratureTable(8, "span F1", TABLE_8),),
}
"""Which tables of earlier results belong to which corpus of the catalog."""
