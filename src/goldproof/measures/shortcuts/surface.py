"""Shortcuts that look at a few numbers of an item: length, overlap, marks and capitals, repetition, place in the file.

Each family of numbers is given to a decision tree of depth 3, which can be read; `tables` makes the numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from goldproof.measures.shortcuts.items import MOST_CHARACTERS, Guess, TextItems, constant, guess_of, words
from goldproof.statistics.arrays import FloatArray

DEPTH = 3
SMALLEST_LEAF = 5
MARKS = {
    "full stops": ".",
    "commas": ",",
    "exclamation marks": "!",
    "question marks": "?",
    "quotation marks": "\"'“”„«»‘’",
    "brackets": "()[]",
    "dashes": "-–—",
    "colons": ":;",
}
PERIODS = (2, 3, 4, 5)
_NAME = re.compile(r"(?<=[\w,;:] )[^\W\d_][\w’']*")


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """The numbers of a family for each item (items × names)."""

    names: tuple[str, ...]
    table: FloatArray


NumberFamily = Callable[[TextItems], Numbers]


def tree_guess(train: TextItems, test: TextItems, family: NumberFamily) -> Guess:
    """What a decision tree of depth 3 on a family of numbers answers; the rule names the numbers that it uses."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    known, asked = family(train), family(test)
    kind = DecisionTreeRegressor if train.is_numeric else DecisionTreeClassifier
    tree = kind(max_depth=DEPTH, min_samples_leaf=max(SMALLEST_LEAF, len(train) // 200), random_state=0)
    tree.fit(known.table, train.gold)
    used = list(dict.fromkeys(known.names[place] for place in tree.tree_.feature if place >= 0))
    if not used:
        return constant(train, len(test), "no number tells the labels apart in train")
    more = f" and {len(used) - 1} more" if len(used) > 1 else ""
    first = known.names[tree.tree_.feature[0]]
    rule = first if first.startswith("whether ") else f"whether {first} ≤ {tree.tree_.threshold[0]:.3g}"
    rule += more
    if train.is_numeric:
        return Guess(np.asarray(tree.predict(asked.table)), None, rule)
    likely = np.zeros((len(test), train.n_classes))
    likely[:, tree.classes_.astype(int)] = tree.predict_proba(asked.table)
    return guess_of(likely, rule)


def sides_of(texts: TextItems) -> Sequence[str]:
    """What the sides are called in the names of numbers."""
    return ("the text",) if texts.pairs is None else ("the first text", "the second text")


def length(texts: TextItems) -> Numbers:
    """Words and characters of each side, and how much longer the second is."""
    names: list[str] = []
    columns: list[list[float]] = []
    for name, side in zip(sides_of(texts), texts.sides, strict=True):
        names += [f"words of {name}", f"characters of {name}"]
        columns += [[float(len(words(text))) for text in side], [float(len(text)) for text in side]]
    if texts.pairs is not None:
        names.append("difference of the two in words")
        columns.append([b - a for a, b in zip(columns[0], columns[2], strict=True)])
    return _numbers(names, columns)


def _numbers(names: Sequence[str], columns: Sequence[Sequence[float]]) -> Numbers:
    return Numbers(tuple(names), np.array(columns, float).T)


def word_overlap(texts: TextItems) -> Numbers:
    """How many words of the second text stand in the first."""
    return overlap_of(texts, words, "words")


def character_overlap(texts: TextItems) -> Numbers:
    """How many sequences of three characters of the second text stand in the first."""
    return overlap_of(texts, _triples, "sequences of three characters")


def overlap_of(texts: TextItems, parts: Callable[[str], Sequence[str]], what: str) -> Numbers:
    """Share of the second text's parts in the first, number of new ones, and share of all that both have."""
    rows = []
    for first, second in zip(texts.texts, texts.pairs or (), strict=True):
        a, given = set(parts(first)), parts(second)
        b = set(given)
        new = sum(part not in a for part in given)
        rows.append((1 - new / max(len(given), 1), float(new), len(a & b) / max(len(a | b), 1)))
    names = (f"share of the second text's {what} in the first", f"number of new {what}", f"share of {what} in common")
    return Numbers(names, np.array(rows, float).reshape(-1, 3))


@lru_cache(maxsize=100_000)
def _triples(text: str) -> tuple[str, ...]:
    line = " ".join(text[:MOST_CHARACTERS].lower().split())
    return tuple(line[at : at + 3] for at in range(len(line) - 2))


def marks(texts: TextItems) -> Numbers:
    """Punctuation, digits and capitals of each side."""
    names: list[str] = []
    columns: list[list[float]] = []
    for name, side in zip(sides_of(texts), texts.sides, strict=True):
        cut = [text[:MOST_CHARACTERS] for text in side]
        for mark, characters in MARKS.items():
            names.append(f"{mark} in {name}")
            columns.append([float(sum(map(text.count, characters))) for text in cut])
        names += [f"digits in {name}", f"capitals in {name}", f"whether {name} begins with a capital"]
        columns.append([float(sum(map(str.isdigit, text))) for text in cut])
        columns.append([float(sum(map(str.isupper, text))) for text in cut])
        columns.append([float(text[:1].isupper()) for text in cut])
        names.append(f"whether {name} ends with a mark")
        columns.append([float(bool(text.strip()) and not text.strip()[-1].isalnum()) for text in cut])
    return _numbers(names, columns)


def names_in(text: str) -> list[str]:
    """Words with a capital within a sentence: in most languages names (in German all nouns).

    >>> names_in("The clerk, Anna Berg, left. He met Bo.")
    ['Anna', 'Berg', 'Bo']
    """
    return [found for found in _NAME.findall(text[:MOST_CHARACTERS]) if found[0].isupper()]


def repetition(texts: TextItems) -> Numbers:
    """How often words and names come again: within a text, and of pairs the second text's in the first."""
    if texts.pairs is None:
        own = [Counter(words(text)) for text in texts.texts]
        called = [Counter(names_in(text)) for text in texts.texts]
        columns = [
            [float(max(counts.values(), default=0)) for counts in own],
            [counts.total() - float(len(counts)) for counts in own],
            [float(counts.total()) for counts in called],
            [float(max(counts.values(), default=0)) for counts in called],
        ]
        return _numbers(("times its commonest word", "repeated words", "names", "times its commonest name"), columns)
    rows = [_repeated(first, second) for first, second in zip(texts.texts, texts.pairs, strict=True)]
    names = (
        "times the second text's words stand in the first",
        "fewest times",
        "most times",
        "names in common",
        "new names in the second text",
        "times the second text's names stand in the first",
    )
    return Numbers(names, np.array(rows, float).reshape(-1, len(names)))


def _repeated(first: str, second: str) -> tuple[float, ...]:
    counts = Counter(words(first))
    times = [counts[word] for word in set(words(second))] or [0]
    called = {name.lower() for name in names_in(second)}
    known = [counts[name] for name in called]
    return (sum(times), min(times), max(times), sum(n > 0 for n in known), sum(n == 0 for n in known), sum(known))


def order(texts: TextItems) -> Numbers:
    """The place in the file: as a share of its length, and counted in twos, threes, fours and fives."""
    place = texts.place.astype(float)
    most = max(float(place.max(initial=0)) + 1, 1.0)
    columns = [place / most, *(place % period for period in PERIODS)]
    names = ("place in the file (0 to 1)", *(f"row number modulo {period}" for period in PERIODS))
    return _numbers(names, [column.tolist() for column in columns])
