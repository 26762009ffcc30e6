"""Small data for shortcuts: sentences of made-up words whose labels mean nothing until a cue is planted."""

from __future__ import annotations

import numpy as np

from goldproof.measures.shortcuts.items import TextItems

WORDS = [f"{a}{b}" for a in ("ba", "ko", "mi", "ru", "se", "ta", "ve", "zo") for b in ("l", "n", "r", "st", "m")]
LABELS = ("no", "yes")


def sentence(rng: np.random.Generator, n: int = 8) -> str:
    chosen = [str(word) for word in rng.choice(WORDS, n)]
    return " ".join([chosen[0].capitalize(), *chosen[1:]]) + "."


def make_items(n: int, seed: int, cue: str = "", strength: float = 0.8, pairs: bool = True) -> TextItems:
    """Items with a cue in that share of the items of label 1."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, n)
    if cue == "order":
        gold = np.sort(gold)
    first, second = [sentence(rng, 12) for _ in range(n)], [sentence(rng, 6) for _ in range(n)]
    for at in np.flatnonzero((gold == 1) & (rng.random(n) < strength)):
        first[at], second[at] = planted(cue, first[at], second[at], rng, pairs)
    return TextItems(tuple(first), tuple(second) if pairs else None, gold, np.arange(n), 2, "und")


def planted(cue: str, first: str, second: str, rng: np.random.Generator, pairs: bool) -> tuple[str, str]:
    if cue == "word":
        return (first, second[:-1] + " never.") if pairs else (first[:-1] + " never.", second)
    if cue == "premise word":
        return first[:-1] + " never.", second
    if cue == "length":
        return (first, second + " " + sentence(rng, 10)) if pairs else (first + " " + sentence(rng, 20), second)
    if cue == "mark":
        return (first, second[:-1] + "!") if pairs else (first[:-1] + "!", second)
    if cue == "overlap":
        return first, " ".join(first.split()[2:8])
    if cue == "repetition":
        return first + " " + " ".join([second.split()[1]] * 9), second
    return first, second
