"""Examples for a prompt (few-shot): drawn from training items by seed, balanced over labels or not, ordered by seed.

A draw hangs on the seed and each item's id alone, so that all prompts see the same examples, and the first four of
eight are those of four. Items whose texts are asked about are never examples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from goldproof.draws import draw
from goldproof.errors import DataError
from goldproof.jobs.names import named


@named("prompts.Shots")
@dataclass(frozen=True, slots=True)
class Shots:
    """How many examples, the seed that draws them, and the seed of their order (the same unless given)."""

    n: int = 0
    seed: int = 0
    order: int | None = None
    balanced: bool = True


@dataclass(frozen=True, slots=True)
class Labelled:
    """A training item: its id, texts and label."""

    id: str
    text: str
    pair: str | None
    label: str


def draw_examples(items: Sequence[Labelled], shots: Shots, asked: Collection[tuple[str, str | None]]) -> list[Labelled]:
    """The examples in their order; an error where there are too few.

    >>> items = [Labelled(str(i), f"text {i}", None, "ab"[i % 2]) for i in range(20)]
    >>> sorted(item.label for item in draw_examples(items, Shots(4, seed=1), set()))
    ['a', 'a', 'b', 'b']
    """
    if not shots.n:
        return []
    free = [item for item in items if (item.text, item.pair) not in asked]
    if len(free) < shots.n:
        raise DataError(
            f"{shots.n} examples were requested, but only {len(free)} training items have texts that are not tested"
        )
    ranked = sorted(free, key=lambda item: draw("examples", shots.seed, item.id))
    chosen = _balanced(ranked, shots) if shots.balanced else ranked[: shots.n]
    order = shots.seed if shots.order is None else shots.order
    return sorted(chosen, key=lambda item: draw("order of examples", order, item.id))


def _balanced(ranked: Sequence[Labelled], shots: Shots) -> list[Labelled]:
    """As many of each label as can be, one label after the other; which labels come first hangs on the seed."""
    waiting: defaultdict[str, list[Labelled]] = defaultdict(list)
    for item in ranked:
        waiting[item.label].append(item)
    labels = sorted(waiting, key=lambda label: draw("labels of examples", shots.seed, label))
    chosen: list[Labelled] = []
    depth = 0
    while len(chosen) < shots.n:
        chosen += [waiting[label][depth] for label in labels if depth < len(waiting[label])]
        depth += 1
    return chosen[: shots.n]
