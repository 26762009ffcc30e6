"""A sentence as a parser gives it, whether it is a tree, and how it is written as CoNLL-U."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ParsedWord:
    """A parsed word; `head` counts from 1, 0 is the root."""

    form: str
    lemma: str
    upos: str
    feats: str
    head: int
    deprel: str
    space_after: bool


def is_tree(heads: list[int]) -> bool:
    """Whether the heads, counted from 1, make a tree with one root.

    >>> is_tree([2, 0, 2]), is_tree([2, 1, 0]), is_tree([0, 0])
    (True, False, False)
    """
    if heads.count(0) != 1 or any(not 0 <= head <= len(heads) for head in heads):
        return False
    for word in range(1, len(heads) + 1):
        steps = 0
        while (word := heads[word - 1]) and steps <= len(heads):
            steps += 1
        if steps > len(heads):
            return False
    return True


def to_conllu(words: list[ParsedWord], number: int) -> str:
    """The sentence as CoNLL-U, with its number for an id."""
    text = "".join(word.form + (" " if word.space_after else "") for word in words).strip()
    lines = [f"# sent_id = {number}", f"# text = {text}"]
    for place, word in enumerate(words, start=1):
        misc = "_" if word.space_after else "SpaceAfter=No"
        cells = (str(place), word.form, word.lemma, word.upos, "_", word.feats, str(word.head), word.deprel, "_", misc)
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n\n"
