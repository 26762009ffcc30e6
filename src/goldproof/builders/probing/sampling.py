"""A random sample of a stream in bounded memory that does not depend on the order of the stream.

Every sentence has a random rank, a function of the seed, the task and its text without case and punctuation; a stratum
keeps those of the lowest rank. So the same sentence comes in once, and repeats fall together.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable
from dataclasses import dataclass, field

from goldproof.builders.probing.draw import draw


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence with its label; `key` is the original without case and punctuation, `tokens` are as written out."""

    key: str
    id: str
    label: str
    tokens: tuple[str, ...]
    target: str | None
    rank: int

    @property
    def text(self) -> str:
        """The tokens between spaces, as the published tasks have them."""
        return " ".join(self.tokens)


@dataclass(slots=True)
class Sampler:
    """Keeps at most `capacity` candidates of each stratum."""

    capacity: int
    _heaps: dict[Hashable, list[tuple[int, str]]] = field(default_factory=dict)
    _kept: dict[Hashable, dict[str, LabelledSentence]] = field(default_factory=dict)

    def offer(self, stratum: Hashable, candidate: LabelledSentence) -> None:
        """Take the candidate in, if its rank is low enough and it is new."""
        heap, kept = self._heaps.setdefault(stratum, []), self._kept.setdefault(stratum, {})
        if candidate.key in kept:
            return
        entry = (-candidate.rank, candidate.key)
        if len(heap) < self.capacity:
            heapq.heappush(heap, entry)
        else:
            if entry <= heap[0]:
                return
            _, dropped = heapq.heapreplace(heap, entry)
            del kept[dropped]
        kept[candidate.key] = candidate

    def strata(self) -> dict[Hashable, list[LabelledSentence]]:
        """What was kept, by stratum, lowest rank first; a sentence that has two labels is in none."""
        labels: dict[str, set[str]] = {}
        for kept in self._kept.values():
            for candidate in kept.values():
                labels.setdefault(candidate.key, set()).add(candidate.label)
        return {
            stratum: sorted((c for c in kept.values() if len(labels[c.key]) == 1), key=lambda c: (c.rank, c.key))
            for stratum, kept in self._kept.items()
        }


def rank_of(seed: int, task: str, key: str) -> int:
    """The random rank of a sentence in a task."""
    return draw(seed, "rank", task, key)
