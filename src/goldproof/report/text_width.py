"""How wide a text may become: an upper estimate over the fonts that readers have, so that labels fit in any of them.

Charts are laid out with the fonts of the machine that draws them and read with others. The estimate is that of the
widest fonts in common use (DejaVu Sans, Verdana), a class of characters at a time. It opens no font.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any

LABEL_SIZE = 12
_CLASSES = {"iljI'|!.,:; ": 0.35, 'ftrJ()[]{}-/\\"*°·': 0.47, "mMWw@%…—": 1.0}
_EM = {character: em for characters, em in _CLASSES.items() for character in characters}


def widest(text: str, size: float = LABEL_SIZE) -> float:
    """The width of a text in pixels, in the widest font that is usual.

    >>> round(widest("Conditionals")), round(widest("条件文")), round(widest(""))
    (81, 36, 0)
    """
    return size * sum(_em(character) for character in text)


def widest_of(values: Iterable[Any], size: float = LABEL_SIZE) -> float:
    """The width of the widest of several values as texts; 0 where there are none."""
    return max((widest(str(value), size) for value in values), default=0.0)


def _em(character: str) -> float:
    if character in _EM:
        return _EM[character]
    if character.isascii():
        return 0.78 if character.isupper() else 0.64
    if unicodedata.combining(character):
        return 0.0
    return 1.0 if unicodedata.east_asian_width(character) in "WF" else 0.85
