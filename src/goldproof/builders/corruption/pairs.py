"""The random control of a pair: word types drawn over both texts and removed from both, as many as a class took.

A class goes from both texts of a pair, and what the texts have in common goes from both. Words drawn for each text by
itself would leave one text with what the other lost, which is harsher than any class. So types are drawn over both, and
the number removed from each text is as near the class's as drawn types can make it. What still differs is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldproof.builders.corruption.removal import Corrupted, Corruption, draw_order, drawable, without_tokens
from goldproof.builders.tagging.tagged import Tagging

_MOST_MOVES = 20
TypeCounts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TextPair:
    """Two texts with their taggings."""

    texts: tuple[str, str]
    taggings: tuple[Tagging, Tagging]

    @property
    def identity(self) -> str:
        """What the draws hang on."""
        return "\n".join(self.texts)


def corrupt_pair(pair: TextPair, corruption: Corruption) -> tuple[Corrupted, Corrupted]:
    """Both texts without as many random words as there are of the classes, the same types from both.

    >>> taggings = (Tagging((0, 4), (3, 9), ("NOUN", "VERB"), ("Ann", "waits")),) * 2
    >>> both = corrupt_pair(TextPair(("Ann waits", "Ann waits"), taggings), Corruption(("NOUN",), "random-pairs"))
    >>> both[0].text == both[1].text, both[0].n_touched
    (True, 1)
    """
    places = [
        _places_of_types(text, tagging, corruption) for text, tagging in zip(pair.texts, pair.taggings, strict=True)
    ]
    types = sorted(set(places[0]) | set(places[1]))
    wanted = np.array([sum(tag in corruption.classes for tag in tagging.tags) for tagging in pair.taggings])
    counts = np.array([[len(side.get(name, ())) for side in places] for name in types]).reshape(-1, 2)
    chosen = choose_types(counts, wanted, draw_order(corruption.seed, corruption.kind, pair.identity, len(types)))
    first, second = (
        without_tokens(text, tagging, [i for t in chosen for i in side.get(types[t], ())], corruption.preset)
        for text, tagging, side in zip(pair.texts, pair.taggings, places, strict=True)
    )
    return first, second


def choose_types(counts: TypeCounts, wanted: TypeCounts, order: Sequence[int]) -> list[int]:
    """Types (rows of counts: types × texts) that together come as near as possible to the wanted number in each text.

    In their random order those are taken that bring the numbers nearer; then, while something is left, types are
    exchanged, added or given back where that brings them nearer still.

    >>> choose_types(np.array([[1, 1], [1, 0], [0, 1]]), np.array([1, 1]), [1, 0, 2])
    [1, 2]
    """
    left, chosen = wanted.copy(), np.zeros(len(counts), bool)
    for row in order:
        if np.abs(left - counts[row]).sum() < np.abs(left).sum():
            left, chosen[row] = left - counts[row], True
    for _ in range(_MOST_MOVES):
        move = _best_move(counts, chosen, left, order)
        if move is None:
            break
        for row in move:
            left = left + counts[row] if chosen[row] else left - counts[row]
            chosen[row] = not chosen[row]
    return [int(row) for row in np.flatnonzero(chosen)]


def _best_move(
    counts: TypeCounts, chosen: npt.NDArray[np.bool_], left: TypeCounts, order: Sequence[int]
) -> tuple[int, ...] | None:
    """One type, or two, whose being taken or given back brings the numbers nearest; None where nothing does."""
    now = int(np.abs(left).sum())
    if not now or not len(counts):
        return None
    rows = np.asarray(order)
    change = np.where(chosen[rows][:, None], counts[rows], -counts[rows])
    one = np.abs(left + change).sum(axis=1)
    two = np.abs(left + change[:, None] + change[None]).sum(axis=2)
    np.fill_diagonal(two, now)
    if min(one.min(), two.min()) >= now:
        return None
    if one.min() <= two.min():
        return (int(rows[one.argmin()]),)
    i, j = np.unravel_index(int(two.argmin()), two.shape)
    return int(rows[i]), int(rows[j])


def _places_of_types(text: str, tagging: Tagging, corruption: Corruption) -> dict[str, list[int]]:
    """The tokens of each word type, whatever its case."""
    found: dict[str, list[int]] = {}
    for i in drawable(tagging, corruption):
        found.setdefault(text[tagging.starts[i] : tagging.ends[i]].casefold(), []).append(i)
    return found
