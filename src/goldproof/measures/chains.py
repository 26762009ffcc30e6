"""Chains of sentences: what a pair says when a name is followed from one sentence of the premise to the next.

Names are told apart, not understood: those of the hypothesis are A, B, …; one that links two sentences is M, N, …; any
other is a blank. A chain is the wording of its sentences, so that a linear model over chains can learn what follows. It
knows no rule of logic and no language: which words are names is learned from training.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from goldproof.measures.shortcuts.sentences import sentences

LONGEST = 7
LISTS_FROM = 2_000  # premises from which it is learned how lists are worded
COMMON, COMMON_FIRST = 0.2, 0.045  # of the pairs: words with a capital that stand in more are no names
_PIECE = re.compile(r"\w+(?:-\w+)*|,")
_WORD = re.compile(r"\w+(?:-\w+)*")
_LETTERS = "ABCDEFGH"
_LINKS = "MNOPQRST"


@dataclass(frozen=True, slots=True)
class ChainReader:
    """The words that are no names, the word before the last name of a list, and what may stand before its names."""

    words: frozenset[str]
    conjunction: str
    fillers: frozenset[str] = frozenset()

    def chains(self, premise: str, hypothesis: str) -> list[str]:
        """The chains of a pair, each with the hypothesis that it bears on.

        >>> reader = ChainReader(frozenset(("saw", "met")), "and")
        >>> reader.chains("Eva met Kim. Lea saw Eva.", "Lea met Kim.")[1]
        'A met B <- M met B; A saw M'
        """
        said = [self.tokens(part) for part in sentences(premise)]
        asked = self.tokens(hypothesis)
        known = {token for tokens in said for token in tokens if token[0] == "@"}
        letters = _lettered(asked, known)
        head = self._worded(asked, letters, new="new")
        found: list[str] = []
        for path in _paths(said, letters):
            marks = dict(letters)
            marks |= {link: _LINKS[place] for place, (_, link) in enumerate(path[1:])}
            for counted in (False, True):
                worded = [self._worded(said[place], marks, counted=counted) for place, _ in path]
                found.append(f"{head} <- {'; '.join(_deduplicated(worded))}")
        return list(dict.fromkeys(found))

    def tokens(self, text: str) -> list[str]:
        """Words, commas and names, these with a mark before them; a name of several words is one."""
        tokens: list[str] = []
        end = -1
        for match in _PIECE.finditer(text):
            word = match[0].lower()
            is_name = word != "," and word not in self.words
            if is_name and tokens and tokens[-1][0] == "@" and text[end : match.start()] == " ":
                tokens[-1] += f" {word}"
            else:
                tokens.append(f"@{word}" if is_name else word)
            end = match.end()
        follows = [*tokens[1:], ","]
        return [word for word, then in zip(tokens, follows, strict=False) if word not in self.fillers or then[0] != "@"]

    def _worded(self, tokens: Sequence[str], marks: dict[str, str], new: str = "_", counted: bool = True) -> str:
        """The wording with marks for names; of a list the marks in order, and how many others there are."""
        parts: list[str] = []
        listed: list[str] = []
        for place, token in enumerate([*tokens, ""]):
            if token and token[0] == "@":
                listed.append(marks.get(token, new))
            elif listed and token in (",", self.conjunction) and tokens[place + 1 : place + 2]:
                continue
            else:
                parts += _list(listed, new, counted)
                listed = []
                parts += [token] if token and token != "," else []
        return " ".join(parts)


def learn_reader(premises: Sequence[str], hypotheses: Sequence[str]) -> ChainReader:
    """The words that are no names, and the word between the last two names of a list, as training has them.

    A name is always written with a capital; it stands in few pairs, in fewer still where it only begins sentences.
    """
    pairs: Counter[str] = Counter()
    small, inner = set[str](), set[str]()
    for both in zip(premises, hypotheses, strict=True):
        found = [each for text in both for each in _words_of(text)]
        pairs.update({word.lower() for word, _ in found})
        small.update(word for word, _ in found if not word[0].isupper())
        inner.update(word.lower() for word, starts in found if word[0].isupper() and not starts)
    least = {word: (COMMON if word in inner else COMMON_FIRST) * len(premises) for word in pairs}
    words = frozenset(word for word, n in pairs.items() if word in small or n >= least[word])
    some = premises[:LISTS_FROM]
    fillers = Counter(
        word for comma, word, name in _windows(some, ChainReader(words, ""), 3) if _is_list(comma, name, word)
    )
    often = frozenset(word for word, n in fillers.items() if n >= len(some) / 100)
    joining = Counter(
        word
        for comma, one, word, other in _windows(some, ChainReader(words, "", often), 4)
        if one[0] == "@" and _is_list(comma, other, word)
    )
    return ChainReader(words, joining.most_common(1)[0][0] if joining else "", often)


def _windows(texts: Sequence[str], reader: ChainReader, n: int) -> Iterator[tuple[str, ...]]:
    for sentence in (each for text in texts for each in sentences(text)):
        tokens = reader.tokens(sentence)
        yield from zip(*(tokens[start:] for start in range(n)), strict=False)


def _is_list(comma: str, name: str, word: str) -> bool:
    """Whether a word stands in a list: after a comma, before a name, and no name itself."""
    return comma == "," and name[0] == "@" and word[0] not in ",@"


def _words_of(text: str) -> Iterator[tuple[str, bool]]:
    """The words of a text, and whether each begins a sentence."""
    for found in _WORD.finditer(text):
        before = text[: found.start()].rstrip()
        yield found[0], not before or before.endswith((".", "!", "?"))


def _list(listed: Sequence[str], new: str, counted: bool) -> Iterator[str]:
    marked = sorted(mark for mark in listed if mark != new)
    yield from marked
    others = len(listed) - len(marked)
    if others and counted and len(listed) > 1:
        yield f"{new}*{others}"
    elif others and not marked:
        yield new


def _lettered(asked: Sequence[str], known: set[str]) -> dict[str, str]:
    """Letters for the names of the hypothesis that stand in the premise, in order."""
    found = dict.fromkeys(token for token in asked if token in known)
    return dict(zip(found, _LETTERS, strict=False))


def _paths(said: Sequence[Sequence[str]], letters: dict[str, str]) -> Iterator[list[tuple[int, str]]]:
    """Sentences after each other with the name by which each was reached: alone, in twos, and from letter to letter."""
    links = [{token for token in tokens if token[0] == "@" and token not in letters} for tokens in said]
    held = [{token for token in tokens if token in letters} for tokens in said]
    for place, names in enumerate(held):
        if not names and letters:
            continue
        yield [(place, "")]
        for other, more in enumerate(links):
            for link in sorted(more & links[place]):
                if other != place and (not held[other] or place < other):
                    first, second = (
                        (other, place) if min(held[other], default="~") < min(names, default="~") else (place, other)
                    )
                    yield [(first, ""), (second, link)]
        yield from _longer(place, links, held)


def _longer(start: int, links: Sequence[set[str]], held: Sequence[set[str]]) -> Iterator[list[tuple[int, str]]]:
    """Paths of three sentences and more from one letter's sentence to another's, through sentences without letters."""
    todo: list[list[tuple[int, str]]] = [[(start, "")]]
    while todo:
        path = todo.pop()
        used, names = {place for place, _ in path}, {link for _, link in path}
        for place, more in enumerate(links):
            if place in used:
                continue
            for link in sorted((more & links[path[-1][0]]) - names):
                longer = [*path, (place, link)]
                if held[place]:
                    if len(longer) > 2 and min(held[start]) < min(held[place]):
                        yield longer
                elif len(longer) < LONGEST:
                    todo.append(longer)


def _deduplicated(worded: Sequence[str]) -> list[str]:
    """Steps of a long chain that say the same of the next link once: M above N and N above O are one kind of step."""
    kinds = [re.sub(r"\b[M-T]\b", "M", each) for each in worded] if len(worded) > 2 else list(worded)
    return [each for place, each in enumerate(kinds) if place == 0 or each != kinds[place - 1]]
