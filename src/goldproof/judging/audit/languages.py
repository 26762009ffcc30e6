"""Whether the languages of each split stand row by row beside each other, as translations do."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from goldproof.data.checking.alignment import Alignment, compare_rows
from goldproof.data.checking.parts import DataPart
from goldproof.data.dataset import Dataset

MOST_LANGUAGES = 12  # of which every two are compared; of more only each with the first


def align_languages(splits: Mapping[str, Dataset]) -> tuple[Alignment, ...]:
    """Every two languages of every split, compared; nothing where a split has one language or too few rows."""
    found = []
    for role, data in splits.items():
        parts = _parts(role, data)
        every = combinations(parts, 2) if len(parts) <= MOST_LANGUAGES else ((parts[0], one) for one in parts[1:])
        found += [one for first, second in every if (one := compare_rows(first, second)) is not None]
    return tuple(found)


def _parts(role: str, data: Dataset) -> list[DataPart]:
    if len(data.languages) < 2:
        return []
    language_of = np.array(data.table.column("language").to_pylist())
    made = []
    for language in data.languages:
        table = data.table.take(np.flatnonzero(language_of == language))
        texts, pairs, labels = (table.column(name).to_pylist() for name in ("text", "pair", "label"))
        made.append(DataPart("", language, role, texts, pairs, labels))
    return made
