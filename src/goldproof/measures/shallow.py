"""Pairs of texts that contradict each other or do not, and their words; what a certificate looks at."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class TextPairs:
    """Premises, hypotheses, and whether each pair is a contradiction (one entry a pair)."""

    premises: tuple[str, ...]
    hypotheses: tuple[str, ...]
    contradicts: BoolArray

    def __len__(self) -> int:
        return len(self.premises)

    def take(self, rows: npt.NDArray[np.intp]) -> TextPairs:
        """The pairs at these rows."""
        chosen = rows.tolist()
        premises, hypotheses = (tuple(texts[row] for row in chosen) for texts in (self.premises, self.hypotheses))
        return TextPairs(premises, hypotheses, self.contradicts[rows])


def words(text: str) -> list[str]:
    """The words of a text, without case and punctuation."""
    return _WORD.findall(text.casefold())
