"""A first pass over the sentences: what rules must know of the whole corpus before they label one sentence.

Counts of lemmas (word content), of top sequences (TopConst) and of features by part of speech; the parts of speech of
each form (the one-part-of-speech filter) and a few forms of each shape to put in another's place (SOMO). Its memory
grows with the vocabulary, not with the text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from goldproof.builders.probing.clauses import top_constituents
from goldproof.builders.probing.tree import Tree
from goldproof.data.formats.treebank import Token

CONTENT = frozenset({"NOUN", "VERB", "ADJ", "ADV"})
_UPOS = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN"),
    *("NUM", "PART", "PRON", "PROPN", "SCONJ", "SYM", "VERB", "X"),
)
_SUBSTITUTES = 400  # forms kept of each part of speech and set of features


@dataclass(slots=True)
class Survey:
    """What the first pass counted; forms and lemmas in lower case."""

    n_sentences: int = 0
    lemmas: Counter[str] = field(default_factory=Counter)
    content_lemmas: set[str] = field(default_factory=set)
    tagged: Counter[tuple[str, str]] = field(default_factory=Counter)
    annotations: Counter[tuple[str, str]] = field(default_factory=Counter)
    top_sequences: Counter[str] = field(default_factory=Counter)
    shapes: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)
    _by_count: dict[tuple[str, str], list[tuple[int, str]]] = field(default_factory=dict)

    def share_with(self, upos: str, feature: str) -> float:
        """The share of the words of a part of speech that have a feature."""
        feats = Counter({feats: count for (part, feats), count in self.annotations.items() if part == upos})
        having = sum(count for pairs, count in feats.items() if f"|{feature}=" in f"|{pairs}")
        return having / feats.total() if feats else 0.0

    def parts_of_speech(self, form: str) -> set[str]:
        """The parts of speech that at least a twentieth of a form's occurrences have: rarer ones are slips."""
        counts = Counter({upos: self.tagged[form, upos] for upos in _UPOS if (form, upos) in self.tagged})
        return {upos for upos, count in counts.items() if 20 * count >= counts.total()}

    def substitutes(self, upos: str, feats: str, form: str) -> list[str]:
        """Other forms with these features, between half and twice as frequent, in a fixed order."""
        shape = (upos, feats)
        if shape not in self._by_count:
            self._by_count[shape] = sorted((n, other) for other, n in self.shapes.get(shape, {}).items())
        ordered = self._by_count[shape]
        count = self.shapes.get(shape, {}).get(form, 1)
        first, last = bisect_left(ordered, ((count + 1) // 2, "")), bisect_right(ordered, (2 * count + 1, ""))
        return [other for _, other in ordered[first:last] if other != form]


def survey(trees: Iterable[Tree]) -> Survey:
    """Count what is needed over all sentences."""
    found = Survey()
    for tree in trees:
        found.n_sentences += 1
        sequence = top_constituents(tree)
        if sequence is not None:
            found.top_sequences[sequence] += 1
        for token in tree.tokens:
            _count(found, token)
    return found


def _count(found: Survey, token: Token) -> None:
    form, upos = token.form.lower(), token.upos
    found.annotations[upos, token.feats] += 1
    if upos == "PUNCT":
        return
    lemma = token.lemma.lower()
    found.lemmas[lemma] += 1
    if upos in CONTENT and lemma.isalpha():
        found.content_lemmas.add(lemma)
    found.tagged[form, upos] += 1
    if upos in ("NOUN", "VERB") and form == token.form and form.isalpha():
        shape = found.shapes.setdefault((upos, token.feats), {})
        if form in shape or len(shape) < _SUBSTITUTES:
            shape[form] = shape.get(form, 0) + 1
