"""Names and counts in a sentence: all of a few, the first few of many, and no count where there is one alone."""

from __future__ import annotations

from collections.abc import Sequence

from goldproof.data.dataset import UNKNOWN_LANGUAGE

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


def of_several(n: int, total: int, several: str, neither: str, one: str) -> str:
    """What is said of `n` out of several; where there is one alone, a sentence for either case without a count.

    >>> of_several(3, 12, "{} scores are above chance", "The score is not shown to be", "The score is")
    '3 of 12 scores are above chance'
    >>> of_several(0, 1, "{} scores are above chance", "The score is not above chance", "The score is above chance")
    'The score is not above chance'
    """
    if total == 1:
        return one if n else neither
    return several.format(f"{n} of {total}")


def placed(name: str, language: str) -> str:
    """A name and the language that it is in, where that is known.

    >>> placed("Mails", "gsw"), placed("Mails", "und")
    ('Mails (gsw)', 'Mails')
    """
    return name if language == UNKNOWN_LANGUAGE else f"{name} ({language})"
