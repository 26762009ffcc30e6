"""Tense, voice and aspect of the main clause's predicate, read off its finite word; nothing is guessed from meaning."""

from __future__ import annotations

from goldproof.builders.probing.tree import UNREAL_MOODS, Tree, is_finite
from goldproof.builders.probing.verdict import RuleVerdict, no_label
from goldproof.data.formats.treebank import Token

# Auxiliaries that make a perfect of a present form. Where the perfect is the ordinary past ("hat gesehen", "a vu") it
# is PAST; elsewhere ("has seen") it is between the two tenses and is left out.
PERFECT = {
    "de": {"haben", "sein"},
    "fr": {"avoir", "être"},
    "it": {"avere", "essere"},
    "nl": {"hebben", "zijn"},
    "en": {"have"},
    "sv": {"ha"},
    "no": {"ha"},
    "nb": {"ha"},
    "da": {"have", "være"},
    "es": {"haber"},
    "pt": {"ter", "haver"},
    "ca": {"haver"},
}
PERFECT_IS_PAST = frozenset({"de", "fr", "it", "nl"})
# Auxiliaries that make a future of a present form.
FUTURE = {
    "de": {"werden"},
    "sv": {"skola", "ska"},
    "nl": {"zullen"},
    "pt": {"ir"},
    "es": {"ir"},
    "no": {"skulle", "ville"},
    "da": {"skulle", "ville"},
}
_CONDITIONAL = frozenset({"бы", "б", "чтобы", "чтоб"})
_SLAVIC = frozenset({"ru", "uk", "be"})
_NORTHERN = frozenset({"sv", "da", "no", "nb", "nn"})  # their passive in -s has deponents beside it


def tense(tree: Tree, language: str) -> RuleVerdict:
    """PAST or PRES: the tense of the main clause; futures, conditionals, imperatives and bare modals are left out."""
    if tree.has(tree.root, "nsubj:outer"):
        return no_label("the predicate is a clause")
    words = _predicate_words(tree)
    if any(word.features.get("Mood") in UNREAL_MOODS or word.lemma in _CONDITIONAL for word in words):
        return no_label("the predicate is conditional, subjunctive or imperative")
    finite = [word for word in words if is_finite(word)]
    if len(finite) != 1:
        return no_label("the main clause has no finite verb, or several")
    word = finite[0]
    tense = word.features.get("Tense")
    if tense == "Pres" and (_is_auxiliary(word, FUTURE.get(language, set())) or _is_slavic_future(word, language)):
        return no_label("the tense is the future")
    if _is_auxiliary(word, PERFECT.get(language, set())) and tense == "Pres":
        if language in PERFECT_IS_PAST:
            return RuleVerdict("PAST", target=tree.root)
        return no_label("the tense is a present perfect")
    if tense in ("Past", "Imp", "Pqp"):
        return RuleVerdict("PAST", target=word)
    if tense == "Pres":
        return RuleVerdict("PRES", target=word)
    return no_label("the tense is the future" if tense == "Fut" else "the finite verb has no Tense")


def voice(tree: Tree, language: str) -> RuleVerdict:
    """ACT or PASS: the voice of the main clause's verb; other reflexive verbs (Voice=Mid) are left out.

    So are Scandinavian deponents (Swedish finns, lyckas), passive in form alone.
    """
    root = tree.root
    if root.upos != "VERB" or tree.has(root, "nsubj:outer"):
        return no_label("the predicate is no verb")
    marked = root.features.get("Voice")
    built = tree.has(root, "nsubj:pass", "csubj:pass", "aux:pass")
    passive = built or marked == "Pass"
    if passive and (marked == "Act" or (is_finite(root) and not built and tree.has(root, "obj"))):
        return no_label("the annotation of voice contradicts itself")
    if language in _NORTHERN and not built and root.lemma.endswith("s"):
        return no_label("the verb is a deponent")
    if passive:
        return RuleVerdict("PASS", target=root)
    if marked == "Mid":
        return no_label("the verb is in the middle voice")
    if not tree.is_finite_clause(root):
        return no_label("the main clause has no finite verb")
    return RuleVerdict("ACT", target=root)


def aspect(tree: Tree) -> RuleVerdict:
    """PERF or IMP: the aspect of the main clause's verb."""
    if tree.root.upos != "VERB" or tree.has(tree.root, "nsubj:outer"):
        return no_label("the predicate is no verb")
    label = {"Perf": "PERF", "Imp": "IMP"}.get(tree.root.features.get("Aspect", ""))
    return RuleVerdict(label, target=tree.root) if label else no_label("the predicate has no Aspect")


def _predicate_words(tree: Tree) -> list[Token]:
    root = tree.root
    words = tree.dependents(root, "aux", "cop")
    # The conditional particle is an auxiliary in some treebanks and an adverb or discourse word in others.
    particles = [child for child in tree.dependents(root) if child.lemma in _CONDITIONAL and child not in words]
    return [*words, *particles, root]


def _is_slavic_future(word: Token, language: str) -> bool:
    """A present form that is a future: of a perfective verb, or "буду"; some treebanks mark it as present."""
    if language not in _SLAVIC:
        return False
    return word.features.get("Aspect") == "Perf" or (word.lemma == "быть" and word.form.lower().startswith("буд"))


def _is_auxiliary(word: Token, lemmas: set[str]) -> bool:
    return word.deprel in ("aux", "aux:tense", "aux:perf") and word.lemma in lemmas
