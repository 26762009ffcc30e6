"""Names made by rule: as many as are asked for, and so long on average; a grammar's own names come first.

A rule joins beginnings, middles and endings; the order in which names are taken is drawn from each name itself, so that
the same rules give the same names. No list is copied: published lists are met in number and length alone.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from goldproof.errors import UsageError

_TURNS = 4  # of words before or after a core, and of words at both sides


@dataclass(frozen=True, slots=True)
class NameRule:
    """The parts that names are joined from, each with each."""

    starts: tuple[str, ...]
    middles: tuple[str, ...]
    ends: tuple[str, ...]

    def made(self) -> list[str]:
        """All names of the rule, each once, in an order that looks random and is always the same.

        >>> sorted(NameRule(("Al", "Ber"), ("",), ("ta", "do")).made())
        ['Aldo', 'Alta', 'Berdo', 'Berta']
        """
        names = {"".join(parts) for parts in product(self.starts, self.middles, self.ends)}
        return sorted(names, key=lambda name: (zlib.crc32(name.encode()), name))


def compound_names(cores: Sequence[str], before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Names of several words: each core some times with words before it or after it, as often with words at both sides.

    >>> sorted(compound_names(["Amapo"], ["Vila"], ["Novo"]))
    ['Amapo Novo', 'Vila Amapo', 'Vila Amapo Novo']
    """
    one_side = [*((word, "") for word in before), *(("", word) for word in after)]
    both_sides = list(product(before, after))
    found: dict[str, None] = {}
    for turn, around in enumerate((one_side, both_sides) * _TURNS):
        for core in cores:
            first, last = around[(zlib.crc32(core.encode()) + turn // 2) % len(around)]
            found[" ".join(filter(None, (first, core, last)))] = None
    return list(found)


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many names, and their mean length in characters."""

    n: int
    length: float


def choose_names(names: Iterable[str], wanted: Wanted, what: str) -> tuple[str, ...]:
    """The first names that keep the mean length: a long one where it is below what is wanted, else a short one.

    >>> choose_names(["Al", "Bo", "Eva", "Johanna"], Wanted(2, 4.5), "people")
    ('Johanna', 'Al')
    """
    every = list(names)
    short = deque(name for name in every if len(name) < wanted.length)
    long = deque(name for name in every if len(name) >= wanted.length)
    chosen: list[str] = []
    letters = 0
    while len(chosen) < wanted.n:
        queue = long if letters <= wanted.length * len(chosen) else short
        if not queue:
            raise UsageError(
                f"{what}: {wanted.n} names of {wanted.length:g} characters on average are requested, but there are "
                f"no more {'long' if queue is long else 'short'} ones after {len(chosen)} of {len(every)}"
            )
        chosen.append(queue.popleft())
        letters += len(chosen[-1])
    return tuple(chosen)


def fold(word: str) -> str:
    """A word without case and accents, for comparison.

    >>> fold("São")
    'sao'
    """
    return "".join(c for c in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(c))


def words_of(name: str) -> set[str]:
    """The words of a name, folded.

    >>> sorted(words_of("São Tomé"))
    ['sao', 'tome']
    """
    return {fold(word) for word in re.findall(r"\w+", name)}


def unlike(names: Iterable[str], taken: Collection[str]) -> list[str]:
    """The names that share no word with those that are taken, nor are what another one is without accents."""
    words = set(taken)
    found = {fold(name): name for name in names if words_of(name).isdisjoint(words)}
    return list(found.values())
