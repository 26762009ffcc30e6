"""CoordInv: the two coordinated clauses of a sentence in their order or swapped."""

from __future__ import annotations

from goldproof.builders.probing.tree import SUBJECTS, Tree, base
from goldproof.data.formats.treebank import Token

_END = frozenset({".", "!", "?", "…", "..."})


def invert_clauses(tree: Tree) -> tuple[str, ...] | None:
    """The tokens with the two coordinated main clauses swapped, or None where that cannot be done cleanly.

    Needed: one clause coordinated with the root by a conjunction, each with a subject of its own, and the order
    first clause, comma or none, conjunction, second clause, final punctuation.
    """
    clauses = tree.dependents(tree.root, "conj", "parataxis")
    if (
        len(clauses) != 1
        or tree.has(tree.root, "mark", "cc")
        or not all(_has_subject(tree, w) for w in (tree.root, clauses[0]))
    ):
        return None
    second = clauses[0]
    links = tree.dependents(second, "cc")
    if len(links) != 1 or tree.sentence.multiwords or base(second.deprel) != "conj":
        return None
    inside = tree.subtree(second)
    opening = [n for n in inside if n <= links[0].number]
    start, end = links[0].number + 1, inside[-1]
    tail = [token.form for token in tree.tokens[end:]]
    contiguous = inside == list(range(inside[0], end + 1))
    commas = [tree.tokens[n - 1] for n in opening[:-1]]
    if not contiguous or any(form not in _END for form in tail) or any(token.upos != "PUNCT" for token in commas):
        return None
    first = list(tree.tokens[: inside[0] - 1])
    comma = [token.form for token in commas]
    while first and first[-1].upos == "PUNCT":  # some treebanks hang the comma on the first clause
        comma.insert(0, first.pop().form)
    rest = list(tree.tokens[start - 1 : end])
    if not first or not rest or any(form != "," for form in comma):
        return None
    return (*_begin(rest), *comma, links[0].form, *_continue(first), *tail)


def _has_subject(tree: Tree, word: Token) -> bool:
    return tree.has(word, *SUBJECTS, "expl") and tree.is_finite_clause(word)


def _begin(tokens: list[Token]) -> list[str]:
    return [tokens[0].form[:1].upper() + tokens[0].form[1:], *(token.form for token in tokens[1:])]


def _continue(tokens: list[Token]) -> list[str]:
    """The forms, the first without the capital that it had at the start of the sentence."""
    first = tokens[0]
    keeps = first.upos == "PROPN" or first.lemma[:1].isupper() or first.form[1:2].isupper() or first.form == "I"
    form = first.form if keeps else first.form[:1].lower() + first.form[1:]
    return [form, *(token.form for token in tokens[1:])]
