"""How clauses are joined, whether the main one is impersonal or gapped, and what stands at the top of the sentence."""

from __future__ import annotations

from goldproof.builders.probing.tree import CLAUSES, SUBJECTS, Tree, base, is_finite
from goldproof.builders.probing.verdict import RuleVerdict, no_label
from goldproof.data.formats.treebank import Token

# Russian words that make an impersonal predicate whatever their annotated part of speech.
_IMPERSONAL_WORDS = """
нет нету можно нельзя надо нужно пора жаль лень некогда негде некуда незачем нечего некого необходимо
"""
# Verbs that are impersonal in the third person singular without a subject.
_IMPERSONAL_VERBS = """
темнеть стемнеть смеркаться светать рассвести рассветать холодать похолодать вечереть морозить теплеть потеплеть пахнуть
запахнуть веять повеять тошнить знобить лихорадить хотеться захотеться спаться думаться вериться житься приспичить
"""
# Verbs that are so where a dative, an infinitive or a bare genitive goes with them: "мне кажется", "следует знать".
_OFTEN_IMPERSONAL = """
хватать хватить недоставать следовать стоить приходиться прийтись удаваться удаться нравиться казаться показаться
оказаться оказываться остаться оставаться предстоять надлежать подобать полагаться везти повезти довестись доводиться
случиться случаться доставаться достаться исполниться
"""
IMPERSONAL_WORDS = frozenset(_IMPERSONAL_WORDS.split())
IMPERSONAL_VERBS = frozenset(_IMPERSONAL_VERBS.split())
OFTEN_IMPERSONAL = frozenset(_OFTEN_IMPERSONAL.split())
_PERSONAL_PERSONS = frozenset({"1", "2"})
_DISCOURSE = {"INTJ": "INTJ", "PART": "INTJ", "ADV": "ADVP", "ADP": "PP", "CCONJ": "CC", "SCONJ": "CC"}


def conjunction_type(tree: Tree) -> RuleVerdict:
    """CCONJ or SCONJ: whether clauses are coordinated by a conjunction or subordinated by one; both is no label.

    A coordinated clause has a subject of its own. A sentence with a clause that no conjunction joins is left out:
    relative clauses, clauses side by side.
    """
    coordinated = [token for token in tree.tokens if base(token.deprel) == "conj" and _is_full_clause(tree, token)]
    if any(not tree.is_finite_clause(tree.tokens[token.head - 1]) for token in coordinated):
        return no_label("a clause is coordinated with something else")
    subordinate = [token for token in tree.tokens if _is_subordinate(tree, token)]
    loose = [token for token in tree.tokens if base(token.deprel) == "parataxis" and tree.is_finite_clause(token)]
    if coordinated and subordinate:
        return no_label("clauses are coordinated and subordinated")
    if loose:
        return no_label("clauses stand side by side without a conjunction")
    if coordinated:
        joined = all(any(cc.upos == "CCONJ" for cc in tree.dependents(token, "cc")) for token in coordinated)
        return RuleVerdict("CCONJ") if joined else no_label("clauses stand side by side without a conjunction")
    if subordinate:
        joined = all(any(m.upos == "SCONJ" for m in tree.dependents(token, "mark")) for token in subordinate)
        return RuleVerdict("SCONJ") if joined else no_label("a subordinate clause has no conjunction")
    return no_label("there is one clause only")


def impersonal(tree: Tree) -> RuleVerdict:
    """1 where the Russian main clause is impersonal, 0 where it has a subject or leaves a personal one out.

    Impersonal are, without a subject: neuter pasts, infinitives, adverbs and short neuters as predicates, "нет", "надо"
    and their like, and certain verbs in the third person singular. Other third persons singular are left out, for they
    may leave "he" or "she" out.
    """
    root = tree.root
    subjects = tree.dependents(root, "nsubj")
    if any(subject.features.get("Case") != "Gen" or tree.has(subject, "nummod:gov") for subject in subjects):
        return RuleVerdict("0")
    negated = any(word.lemma == "не" for word in tree.dependents(root, "advmod"))
    if subjects and not negated and root.lemma not in IMPERSONAL_WORDS:
        return no_label("the subject is a genitive")
    if any(tree.is_finite_clause(clause) for clause in tree.dependents(root, "csubj")):
        return no_label("the subject is a clause")
    if root.lemma in IMPERSONAL_WORDS or root.form.lower() in IMPERSONAL_WORDS:
        return RuleVerdict("1")
    finite = next((word for word in [root, *tree.dependents(root, "cop", "aux")] if is_finite(word)), None)
    if root.upos in ("ADV", "ADJ"):
        return _judge_predicative(root, finite)
    if root.upos not in ("VERB", "AUX"):
        return no_label("the root is no predicate")
    return _judge_verb(tree, root, finite)


def _judge_predicative(root: Token, finite: Token | None) -> RuleVerdict:
    """A predicate that is no verb: "жарко", "было тихо", against "рад", "готовы"."""
    features = root.features
    if finite is not None and not _is_third_singular_or_neuter(finite):
        return RuleVerdict("0")
    if root.upos == "ADV" and root.lemma.endswith("о"):
        return RuleVerdict("1")
    if features.get("Variant") == "Short":
        neuter = features.get("Gender") == "Neut" and features.get("Number") == "Sing"
        return RuleVerdict("1" if neuter else "0")
    return no_label("the root is no predicate")


def _judge_verb(tree: Tree, root: Token, finite: Token | None) -> RuleVerdict:
    if finite is None:
        if root.features.get("VerbForm") == "Inf":
            return RuleVerdict("1")
        if root.features.get("Variant") == "Short":
            neuter = root.features.get("Gender") == "Neut"
            return RuleVerdict("1" if neuter else "0")
        return no_label("the root is no predicate")
    features = finite.features
    if features.get("Mood") == "Imp" or features.get("Person") in _PERSONAL_PERSONS:
        return RuleVerdict("0")
    if features.get("Number") == "Plur" or features.get("Gender") in ("Masc", "Fem"):
        return RuleVerdict("0")
    if features.get("Gender") == "Neut":
        return RuleVerdict("1")
    if root.lemma in IMPERSONAL_VERBS or (root.lemma in OFTEN_IMPERSONAL and _has_impersonal_complement(tree, root)):
        return RuleVerdict("1")
    return no_label("a third person singular without a subject may be personal or not")


def _has_impersonal_complement(tree: Tree, root: Token) -> bool:
    for word in tree.dependents(root, "iobj", "obl", "obj", "csubj", "xcomp"):
        bare = not tree.has(word, "case")
        if word.features.get("VerbForm") == "Inf" or (bare and word.features.get("Case") in ("Dat", "Gen")):
            return True
    return False


def _is_third_singular_or_neuter(word: Token) -> bool:
    features = word.features
    if features.get("Number") != "Sing" or features.get("Person") in _PERSONAL_PERSONS:
        return False
    return features.get("Gender", "Neut") == "Neut"


def gapping(tree: Tree) -> RuleVerdict:
    """1 where a coordinated clause leaves its verb out (relation `orphan`), 0 where coordinated clauses are whole."""
    orphans = [token for token in tree.tokens if base(token.deprel) == "orphan"]
    if orphans:
        gapped = all(_follows_verb(tree, tree.tokens[orphan.head - 1]) for orphan in orphans)
        return RuleVerdict("1") if gapped else no_label("something else than a repeated verb is left out")
    if any(base(token.deprel) == "conj" and _is_full_clause(tree, token) for token in tree.tokens):
        return RuleVerdict("0")
    return no_label("there is one clause only")


def top_constituents(tree: Tree) -> str | None:
    """The sequence of phrases at the top of the sentence, as a dependency tree shows it, NP_VP_. for example.

    What stands before the predicate is at the top, each dependent of the root a phrase by its relation; the predicate
    with its auxiliaries and what follows it is VP; a coordinated clause with its own subject makes S_CC_S.
    """
    root = tree.root
    if not tree.is_clause(root):
        return None
    clauses = [token for token in tree.dependents(root, "conj", "parataxis") if _is_full_clause(tree, token)]
    if clauses:
        return "_".join(["S", *("CC_S" if tree.has(clause, "cc") else ",_S" for clause in clauses), *_end(tree)])
    inside_vp = {token.number for token in tree.dependents(root, "aux", "cop", "advmod")}
    started = [n for n in inside_vp if n < root.number and base(tree.tokens[n - 1].deprel) != "advmod"]
    begin = min([root.number, *started])
    labels = [_phrase(tree, token) for token in tree.dependents(root) if token.number < begin]
    order = [label for label in labels if label]
    after = [t for t in tree.dependents(root, *SUBJECTS) if t.number > root.number]
    return "_".join([*order, "VP", *(["NP"] if after else []), *_end(tree)])


def _end(tree: Tree) -> list[str]:
    last = tree.tokens[-1]
    return [last.form] if last.upos == "PUNCT" and last.form in (".", "?", "!", "…", "...") else []


def _phrase(tree: Tree, token: Token) -> str:
    relation = base(token.deprel)
    if relation in ("nsubj", "obj", "iobj", "expl", "vocative", "dislocated", "nmod"):
        return "NP"
    if relation == "obl":
        return "PP" if tree.has(token, "case") else "NP"
    if relation == "punct":
        return "," if token.form == "," else ""
    if relation == "discourse":  # some treebanks hang conjunctions and adverbs ("Entretanto") on it as well
        return _DISCOURSE.get(token.upos, "X")
    names = {"advmod": "ADVP", "cc": "CC", "advcl": "SBAR", "ccomp": "S", "csubj": "S", "xcomp": "S", "mark": "SBAR"}
    return names.get(relation, "X")


def _is_full_clause(tree: Tree, token: Token) -> bool:
    """A clause with a subject of its own and a finite predicate."""
    return tree.has(token, *SUBJECTS, "expl") and tree.is_finite_clause(token)


def _follows_verb(tree: Tree, token: Token) -> bool:
    """Whether what is left of a clause is coordinated with a clause that has a verb and more than it."""
    if base(token.deprel) != "conj" or token.head == 0:
        return False
    first = tree.tokens[token.head - 1]
    return first.upos == "VERB" and is_finite(first) and tree.has(first, "nsubj", "obj", "iobj", "obl")


def _is_subordinate(tree: Tree, token: Token) -> bool:
    return base(token.deprel) in CLAUSES and tree.is_finite_clause(token)
