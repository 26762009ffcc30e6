"""Number and gender of the subject and of the direct object of the main clause, as its words are annotated.

Left out, because form and meaning part there: coordinated arguments ("the cat and the dog", a singular head and a
plural whole) and singulars under a numeral (Russian "два брата"). Of pronouns only the personal ones count.
"""

from __future__ import annotations

from goldproof.builders.probing.tree import Tree
from goldproof.builders.probing.verdict import RuleVerdict, no_label
from goldproof.data.formats.treebank import Token

NUMBERS = {"Sing": "NN", "Plur": "NNS"}
GENDERS = {"Masc": "M", "Fem": "F", "Neut": "N", "Com": "C"}
_NUMERALS = ("nummod", "det:numgov")
_OBLIQUE = {
    "subject": {"Gen", "Dat", "Ins", "Loc"},  # Russian "денег нет" has no subject, though treebanks mark one
    "direct object": {"Dat", "Ins", "Loc"},
}


def subject_number(tree: Tree) -> RuleVerdict:
    """NN or NNS: the number of the main clause's subject, a noun or personal pronoun.

    Coordinated subjects, singulars under a numeral and genitives ("денег нет") are left out.
    """
    return _label(tree, tree.subject, "subject", "Number", NUMBERS)


def subject_gender(tree: Tree) -> RuleVerdict:
    """M, F, N or C (common): the gender of the main clause's subject; the same are left out as for its number."""
    return _label(tree, tree.subject, "subject", "Gender", GENDERS)


def object_number(tree: Tree) -> RuleVerdict:
    """NN or NNS: the number of the main clause's direct object, a noun or personal pronoun.

    Coordinated objects, singulars under a numeral, datives and instrumentals are left out.
    """
    return _label(tree, tree.object, "direct object", "Number", NUMBERS)


def object_gender(tree: Tree) -> RuleVerdict:
    """M, F, N or C (common): the gender of the direct object; the same are left out as for its number."""
    return _label(tree, tree.object, "direct object", "Gender", GENDERS)


def _label(tree: Tree, word: Token | None, role: str, feature: str, labels: dict[str, str]) -> RuleVerdict:
    if word is None:
        return no_label(f"the main clause has no {role}, or several")
    if tree.root.upos in ("INTJ", "SYM", "X"):
        return no_label("the root is no predicate")
    if not _is_noun_or_personal(word):
        return no_label(f"the {role} is neither a noun nor a personal pronoun")
    if tree.has(word, "conj"):
        return no_label(f"the {role} is coordinated")
    if word.features.get("Case") in _OBLIQUE[role] and not tree.has(word, *_NUMERALS):
        return no_label(f"the {role} is in an oblique case")
    if word.features.get("Number") == "Sing" and tree.has(word, *_NUMERALS):
        return no_label(f"the {role} is a singular under a numeral")
    label = labels.get(word.features.get(feature, ""))
    return RuleVerdict(label, target=word) if label else no_label(f"the {role} has no {feature}")


def _is_noun_or_personal(word: Token) -> bool:
    if word.upos == "PRON":
        return "Person" in word.features and word.features.get("Reflex") != "Yes"
    return word.upos in ("NOUN", "PROPN")
