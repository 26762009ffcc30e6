"""Several names in a sentence: all of a few, the first few of many."""

from __future__ import annotations

from collections.abc import Sequence

MOST_NAMES = 4


def some(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """The names in a row; of many the first, and how many more.

    >>> some(["en"]), some(["en", "fr", "de"]), some(["a", "b", "c", "d", "e", "f"])
    ('en', 'en, fr and de', 'a, b, c, d and 2 more')
    """
    unique = list(dict.fromkeys(names))
    if len(unique) > most:
        return f"{', '.join(unique[:most])} and {len(unique) - most} more"
    return " and ".join([", ".join(unique[:-1]), unique[-1]] if len(unique) > 1 else unique)
