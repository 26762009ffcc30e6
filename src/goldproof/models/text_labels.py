"""Which label a text that a model wrote names, by a stated rule, or why it names none. No model is asked here.

What a model thinks aloud (`<think>`…`</think>`) is no answer. A word after a negation in the same clause ("not good",
"I don't think it is good") names no label; the negations are those of the languages of the built-in prompts, and none
that stands after the word, or further off, is understood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

EMPTY, REFUSED, NAMELESS, SEVERAL = "empty answer", "refused", "names no label", "names several labels"
NEGATED, CUT, THINKING = "negates a label", "cut off", "cut off while thinking"
UNREAD = (EMPTY, REFUSED, NAMELESS, SEVERAL, NEGATED, CUT, THINKING)
"""Why no label was read off a text; stored by their numbers, so what is new goes to the end."""

UNFINISHED = (CUT, THINKING)
"""The reasons that more room for the answer may mend."""

NEGATIONS = {
    "en": ("not", "n't", "cannot", "no", "never", "neither", "nor"),
    "de": ("nicht", "kein", "keine", "keinen", "keinem", "keiner", "keines", "nie", "niemals", "weder"),
    "fr": ("pas", "non", "ni", "jamais", "aucun", "aucune"),
    "es": ("no", "ni", "nunca", "jamás", "tampoco", "ningún", "ninguna"),
    "pt": ("não", "nem", "nunca", "jamais", "nenhum", "nenhuma"),
    "ru": ("не", "ни", "нет", "никогда"),
    "sv": ("inte", "ej", "icke", "aldrig", "ingen", "inget", "inga", "varken"),
}
"""What negates a word that follows in the same clause, by the language of the prompt."""

_BUT = "but|aber|sondern|mais|pero|sino|mas|но|men"
_CLAUSE_ENDS = re.compile(rf"[.,;:!?…()\[\]–—]|\b(?:{_BUT})\b")
_OPENED, _CLOSED = re.compile(r"<think(?:ing)?>", re.IGNORECASE), re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_REFUSALS = re.compile(
    r"^\W*(i('m| am)? (sorry|unable|cannot|can't|can not|don't|do not|won't)|sorry|as an ai|unfortunately|"
    r"es tut mir leid|tut mir leid|ich kann (das |dies )?nicht|désolé|je suis désolé|je ne peux pas|lo siento|no puedo|"
    r"desculpe|sinto muito|não posso|извините|к сожалению|я не могу)\b",
    re.IGNORECASE,
)


def read_label(text: str, words: Sequence[str], language: str = "", *, is_cut: bool = False) -> int | str:
    """Which word an answer names, by its place, or why none is read; `is_cut` says that it ended for want of room.

    The rule: thoughts are left out, then the first line that is not empty counts, case aside. Words are looked for as
    whole words, longer ones first, so that "not entailed" does not name "entailed"; one after a negation in the same
    clause names nothing. One word named, however often, is the answer; two are none. An answer that names no word and
    begins as a refusal does is counted as one.

    >>> read_label(" Good, I think.", ["bad", "good"]), read_label("good or bad", ["bad", "good"])
    (1, 'names several labels')
    >>> read_label("I'm sorry, I cannot say.", ["bad", "good"]), read_label("\\n", ["bad", "good"])
    ('refused', 'empty answer')
    >>> read_label("<think>Is it bad?</think>Good", ["bad", "good"]), read_label("Not good.", ["bad", "good"], "en")
    (1, 'negates a label')
    """
    said, is_thinking = without_thoughts(text)
    line = next((each.strip() for each in said.splitlines() if each.strip()), "")
    if not line:
        return THINKING if is_thinking else CUT if is_cut else EMPTY
    places = {word.strip().casefold(): place for place, word in enumerate(words)}
    named, is_negated = _named(line.casefold(), list(places), language)
    if len(named) == 1:
        return places[named.pop()]
    if named:
        return SEVERAL
    if is_negated:
        return NEGATED
    if _REFUSALS.match(line):
        return REFUSED
    return CUT if is_cut and len(said.strip().splitlines()) == 1 else NAMELESS


def without_thoughts(text: str) -> tuple[str, bool]:
    """What was said beside thoughts, and whether the last of these did not end.

    What stands before an end without a beginning is a thought too: some models are handed the beginning with the
    question.

    >>> without_thoughts("<think>Hm.</think> Good"), without_thoughts("Hm.</think>Good"), without_thoughts("<think>Hm")
    ((' Good', False), ('Good', False), ('', True))
    """
    kept = []
    *closed, rest = _CLOSED.split(text)
    for place, part in enumerate(closed):
        before, *thought = _OPENED.split(part, maxsplit=1)
        kept.append(before if thought or place else "")
    before, *thought = _OPENED.split(rest, maxsplit=1)
    return "".join((*kept, before)), bool(thought)


def _named(line: str, words: Sequence[str], language: str) -> tuple[set[str], bool]:
    """The words that a line names, and whether it negates one."""
    longest_first = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    negation = _negation(language, words)
    named, is_negated = set(), False
    for found in re.finditer(rf"(?<!\w)(?:{longest_first})(?!\w)", line):
        clause = _CLAUSE_ENDS.split(line[: found.start()])[-1].replace("’", "'")
        if negation.search(clause):
            is_negated = True
        else:
            named.add(found[0])
    return named, is_negated


def _negation(language: str, words: Sequence[str]) -> re.Pattern[str]:
    """What a negation looks like in a language, in any where that has none here; a label's own word is none."""
    known = NEGATIONS.get(language.partition("-")[0].casefold())
    listed = known or dict.fromkeys(word for each in NEGATIONS.values() for word in each)
    parts = [word if word == "n't" else rf"(?<!\w){word}" for word in listed if word not in words]
    return re.compile(rf"(?:{'|'.join(parts)})(?!\w)")
