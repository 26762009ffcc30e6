"""A first pass over the sentences: what rules must know of the whole corpus before they label one sentence.

Counts of lemmas (word content), of top sequences (TopConst) and of features by part of speech; the parts of speech of
each form (the one-part-of-speech filter) and a few forms of each shape to put in another's place (SOMO). Its memory
grows with the vocabulary, not with the text.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from assay.data.probing.clauses import top_constituents
from assay.data.probing.tree import Tree
from assay.data.treebank import Token

CONTENT = frozenset({"NOUN", "VERB", "ADJ", "ADV"})
_SUBSTITUTES = 400  # forms kept of each part of speech and set of features


@dataclass(slots=True)
class Survey:
    """What the first pass counted; forms and lemmas in lower case."""

    n_sentences: int = 0
    lemmas: Counter[str] = field(default_factory=Counter)
    forms: Counter[str] = field(default_factory=Counter)
    tagged: Counter[tuple[str, str]] = field(default_factory=Counter)
    content_lemmas: set[str] = field(default_factory=set)
    words: Counter[str] = field(default_factory=Counter)
    features: Counter[tuple[str, str]] = field(default_factory=Counter)
    top_sequences: Counter[str] = field(default_factory=Counter)
    shapes: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))

    def share_with(self, upos: str, feature: str) -> float:
        """The share of the words of a part of speech that have a feature."""
        return self.features[upos, feature] / self.words[upos] if self.words[upos] else 0.0

    def parts_of_speech(self, form: str) -> set[str]:
        """The parts of speech that at least a twentieth of a form's occurrences have: rarer ones are slips."""
        counts = {upos: self.tagged[form, upos] for upos in self.words if (form, upos) in self.tagged}
        return {upos for upos, count in counts.items() if 20 * count >= sum(counts.values())}


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
    form = token.form.lower()
    lemma = token.lemma.lower()
    found.words[token.upos] += 1
    if token.upos != "PUNCT":
        found.lemmas[lemma] += 1
        found.forms[form] += 1
    if token.upos in CONTENT and lemma.isalpha():
        found.content_lemmas.add(lemma)
    found.tagged[form, token.upos] += 1
    for feature in token.features:
        found.features[token.upos, feature] += 1
    if token.upos in ("NOUN", "VERB") and form.isalpha() and form == token.form:
        shape = found.shapes[token.upos, token.feats]
        if len(shape) < _SUBSTITUTES and form not in shape:
            shape.append(form)
