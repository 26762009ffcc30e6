"""Corruption of a tagged text: word classes removed, and the controls that a removal needs beside it.

The default works on the characters: a removed token goes with one space, and all that stays is as it was. The preset
`paper` works on tokens, which NLTK's detokenizer of the time joins again, and so changes quotes and spaces of what
stays; it reproduces published corrupted corpora. Nothing here tags: taggings come from `goldproof.builders.tagging`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from goldproof.builders.corruption.older_nltk import detokenize
from goldproof.builders.tagging.tagged import Tagging
from goldproof.builders.tagging.tagset import PUNCTUATION, check_classes
from goldproof.draws import draw_bytes
from goldproof.errors import UsageError
from goldproof.jobs.names import named

KINDS = ("remove", "random", "random-pairs", "keep", "shuffle", "mask")
PRESETS = ("offsets", "paper")
_CLOSING = frozenset(".,;:!?)]}»”’%…")
_OPENING = frozenset("([{«“‘„¿¡")


@named("data.Corruption")
@dataclass(frozen=True, slots=True)
class Corruption:
    """What is done to a text.

    `kind` is one of
    - remove: all tokens of the classes go;
    - random: as many tokens go, drawn from all words (the control that tells a class from mere shortening);
    - random-pairs: the same for two texts that belong together: word types are drawn over both and go from both (see
      `pairs`); a text that stands alone is treated as by random;
    - keep: all words but those of the classes go;
    - mask: each token of the classes becomes `mask`;
    - shuffle: all words change places; there are no classes.

    Words are all tokens but punctuation, which keep and shuffle leave in place, as random does unless it is itself
    among the classes.
    """

    classes: tuple[str, ...] = ()
    kind: str = "remove"
    preset: str = "offsets"
    seed: int = 0
    mask: str = "[MASK]"

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", check_classes(self.classes))
        if self.kind not in KINDS:
            raise UsageError(f"there is no corruption {self.kind!r}; allowed: {', '.join(KINDS)}")
        if self.preset not in PRESETS:
            raise UsageError(f"there is no preset {self.preset!r} of corruption; allowed: {', '.join(PRESETS)}")
        if self.kind == "shuffle" and self.classes:
            raise UsageError(f"shuffle moves all words and takes no classes; got {', '.join(self.classes)}")
        if self.kind != "shuffle" and not self.classes:
            raise UsageError(f"the corruption {self.kind!r} needs at least one word class; got none")

    @property
    def tagger(self) -> str | None:
        """The tagger that the preset asks for, or None where any will do."""
        return "nltk-3.5" if self.preset == "paper" else None


@dataclass(frozen=True, slots=True)
class Corrupted:
    """A text after corruption, and how many of its tokens were touched; emptied, where no letter or digit is left."""

    text: str
    n_touched: int
    n_tokens: int
    emptied: bool


def corrupt(text: str, tagging: Tagging, corruption: Corruption, identity: str | None = None) -> Corrupted:
    """The text after corruption.

    Random draws depend on the seed and on `identity` alone (the text itself, unless an id is given): the same text is
    corrupted in the same way wherever it stands.

    >>> tagging = Tagging((0, 4, 8), (3, 7, 12), ("DET", "NOUN", "VERB"), ("The", "cat", "slept"))
    >>> corrupt("The cat slept.", tagging, Corruption(("NOUN",))).text
    'The slept.'
    """
    changes = _changes(text, tagging, corruption, text if identity is None else identity)
    return _corrupted(text, tagging, changes, corruption.preset)


def without_tokens(text: str, tagging: Tagging, places: Sequence[int], preset: str) -> Corrupted:
    """The text without the tokens at these places."""
    return _corrupted(text, tagging, dict.fromkeys(sorted(places)), preset)


def _corrupted(text: str, tagging: Tagging, changes: dict[int, str | None], preset: str) -> Corrupted:
    result = _apply(text, tagging, changes, preset)
    emptied = _has_words(text) and not _has_words(result)
    return Corrupted(result, len(changes), len(tagging), emptied)


def _changes(text: str, tagging: Tagging, corruption: Corruption, identity: str) -> dict[int, str | None]:
    """What becomes of the tokens that do not stay: None for one that goes, else what stands in its place."""
    chosen = [i for i, tag in enumerate(tagging.tags) if tag in corruption.classes]
    match corruption.kind:
        case "remove":
            return dict.fromkeys(chosen)
        case "mask":
            return dict.fromkeys(chosen, corruption.mask)
        case "keep":
            return {i: None for i, tag in enumerate(tagging.tags) if tag not in (PUNCTUATION, *corruption.classes)}
        case "random" | "random-pairs":
            places = drawable(tagging, corruption)
            order = draw_order(corruption.seed, "random", identity, len(places))
            return dict.fromkeys(sorted(places[i] for i in order[: len(chosen)]))
    return _shuffle(text, tagging, corruption.seed, identity)


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def drawable(tagging: Tagging, corruption: Corruption) -> list[int]:
    """The tokens out of which a control draws: all words, and punctuation where it is among the classes."""
    return list(range(len(tagging))) if PUNCTUATION in corruption.classes else _words(tagging)


def _words(tagging: Tagging) -> list[int]:
    return [i for i, tag in enumerate(tagging.tags) if tag != PUNCTUATION]


def _shuffle(text: str, tagging: Tagging, seed: int, identity: str) -> dict[int, str | None]:
    """Words in another order; tokens that stand without space between them ("do" and "n't") move as one."""
    slots: list[list[int]] = []
    for i in _words(tagging):
        glued = slots and slots[-1][-1] == i - 1 and tagging.ends[i - 1] == tagging.starts[i]
        slots[-1].append(i) if glued else slots.append([i])
    words = [text[tagging.starts[slot[0]] : tagging.ends[slot[-1]]] for slot in slots]
    changes: dict[int, str | None] = {}
    for slot, source in zip(slots, draw_order(seed, "shuffle", identity, len(slots)), strict=True):
        changes |= dict.fromkeys(slot[1:])
        changes[slot[0]] = words[source]
    return changes


def draw_order(seed: int, purpose: str, identity: str, n: int) -> list[int]:
    """A random order of n things: a function of its arguments alone, on every machine."""
    draws = np.frombuffer(draw_bytes(seed, purpose, identity, n_bytes=8 * n, method="shake_128"), dtype="<u8")
    return list(np.argsort(draws, kind="stable").tolist())


def _apply(text: str, tagging: Tagging, changes: dict[int, str | None], preset: str) -> str:
    """The text with its tokens changed, as the preset puts what stays together."""
    if preset != "paper":
        return _edit(text, tagging, changes)
    forms = [changes.get(i, form) for i, form in enumerate(tagging.forms)]
    return detokenize([form for form in forms if form is not None])


def _edit(text: str, tagging: Tagging, changes: dict[int, str | None]) -> str:
    """The text with tokens replaced or taken out; what stays keeps its characters."""
    out, at = "", 0
    for i, form in sorted(changes.items()):
        start, end = tagging.starts[i], tagging.ends[i]
        out += text[at:start]
        at = end
        if form is not None:
            out += form
        elif start < end:
            out, at = _close_gap(out, text, end)
    return out + text[at:]


def _close_gap(before: str, text: str, at: int) -> tuple[str, int]:
    """Take one space away where a token left a gap, unless that would join what stood apart.

    The space before goes where a space, closing punctuation or the end follows; else the space after goes, at the
    beginning or behind an opening bracket or quote.
    """
    follows = text[at : at + 1]
    if before[-1:].isspace():
        if not follows or follows.isspace() or follows in _CLOSING:
            before = before[:-1]
    elif follows.isspace() and (not before or _opens(before)):
        at += 1
    return before, at


def _opens(before: str) -> bool:
    """Whether the text so far ends in an opening bracket or quote."""
    mark = before[-1]
    return mark in _OPENING or (mark in "\"'`" and (len(before) == 1 or before[-2].isspace()))


@dataclass(frozen=True, slots=True)
class Cloze:
    """Two questions about the first word of a class: in the whole text, and in the text without the class's others."""

    word: str
    original: str
    corrupted: str


def make_cloze(text: str, tagging: Tagging, classes: Sequence[str], mask: str, preset: str = "offsets") -> Cloze | None:
    """The first token of the classes masked in the original and in the corrupted text; None where there is none.

    >>> text = "An awful study in self and abuse"
    >>> starts, ends = (0, 3, 9, 15, 18, 23, 27), (2, 8, 14, 17, 22, 26, 32)
    >>> tags = ("DET", "ADJ", "NOUN", "ADP", "NOUN", "CONJ", "NOUN")
    >>> cloze = make_cloze(text, Tagging(starts, ends, tags, tuple(text.split())), ("NOUN",), "[MASK]")
    >>> cloze.word, cloze.corrupted
    ('study', 'An awful [MASK] in and')
    """
    corruption = Corruption(tuple(classes), preset=preset)
    chosen = [i for i, tag in enumerate(tagging.tags) if tag in corruption.classes]
    if not chosen:
        return None
    first = chosen[0]
    whole: dict[int, str | None] = {first: mask}
    without = {**dict.fromkeys(chosen), first: mask}
    texts = (_apply(text, tagging, changes, preset) for changes in (whole, without))
    return Cloze(text[tagging.starts[first] : tagging.ends[first]], *texts)
