"""The probing tasks by name: RuSentEval's fourteen (Mikhailov et al. 2021) and SentEval's ten (Conneau et al. 2018)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps

from goldproof.builders.probing import arguments, clauses, predicate, shift
from goldproof.builders.probing.draw import draw
from goldproof.builders.probing.inversion import invert_clauses
from goldproof.builders.probing.survey import Survey
from goldproof.builders.probing.tree import Tree
from goldproof.builders.probing.verdict import RuleVerdict, no_label
from goldproof.data.checking.duplicates import normalize
from goldproof.data.formats.treebank import Token
from goldproof.errors import UsageError

DEPTHS = range(5, 10)
N_LENGTHS = 6
FIXED_ORDER = ("da", "de", "en", "es", "fr", "it", "nb", "nl", "no", "pt", "sv")  # where a swap of neighbours is heard


@dataclass(frozen=True, slots=True)
class RuleContext:
    """What a rule may know besides the sentence."""

    language: str
    seed: int = 0
    lengths: tuple[int, int] = (5, 25)
    survey: Survey = field(default_factory=Survey)
    word_targets: frozenset[str] = frozenset()
    top_classes: frozenset[str] = frozenset()


TaskRule = Callable[[Tree, RuleContext], RuleVerdict]


@dataclass(frozen=True, slots=True)
class ProbingTask:
    """A task: what is asked, how a sentence is labelled, and what a treebank must have for it.

    `classes` are empty where they depend on the corpus; `needs` are features that at least a tenth of the words of a
    part of speech must carry; no `languages` means any; where it `varies`, a language may lack some of the classes.
    """

    name: str
    question: str
    rule: TaskRule
    classes: tuple[str, ...]
    file: str
    senteval_file: str | None = None
    semantic: bool = False
    needs: tuple[tuple[str, str], ...] = ()
    languages: tuple[str, ...] = ()
    varies: bool = False


def sentence_length(tree: Tree, context: RuleContext) -> RuleVerdict:
    """0–5: the bin of the number of tokens, bins of equal width over the allowed lengths."""
    least, most = context.lengths
    place = (len(tree.surface) - least) * N_LENGTHS // (most - least + 1)
    return RuleVerdict(str(place)) if 0 <= place < N_LENGTHS else no_label("the length is not allowed")


def tree_depth(tree: Tree, context: RuleContext) -> RuleVerdict:
    """5–9: the nodes on the longest way down from the node above the root, which is two more than the edges below it.

    So the published example labelled 5 ("И вот в первую очередь мы хотели бы поговорить об этом .") has three edges
    between words: хотели, поговорить, этом, об.
    """
    depth = tree.depth + 2
    return RuleVerdict(str(depth)) if depth in DEPTHS else no_label("the depth is not 5 to 9")


def word_content(tree: Tree, context: RuleContext) -> RuleVerdict:
    """The one word of the target list whose lemma stands in the sentence, once."""
    found = [token for token in tree.tokens if token.lemma.lower() in context.word_targets]
    if len(found) != 1:
        return no_label("no target lemma stands in it" if not found else "several target words stand in it")
    return RuleVerdict(found[0].lemma.lower(), target=found[0])


def top_constituents(tree: Tree, context: RuleContext) -> RuleVerdict:
    """The sequence of phrases at the top, or OTHER where it is not among the most frequent ones.

    Read off the dependents of the root, so coarser than a phrase-structure tree: what stands before the predicate is at
    the top, the predicate and what follows is VP, coordinated clauses are S.
    """
    sequence = clauses.top_constituents(tree)
    if sequence is None:
        return no_label("the root is no clause")
    return RuleVerdict(sequence if sequence in context.top_classes else "OTHER")


def n_shift(tree: Tree, context: RuleContext) -> RuleVerdict:
    """O or I: as it was, or with two neighbours of a pattern swapped.

    Patterns: an adposition and what it governs, an article and its noun, the words of a fixed expression, Russian
    negation at the end of a clause; never where the result has a grammatical reading. Both classes hold only sentences
    that have such a pair.
    """
    return _shift(tree, context, "NShift", shift.pattern_pairs(tree))


def b_shift(tree: Tree, context: RuleContext) -> RuleVerdict:
    """O or I: as it was, or with two neighbours swapped.

    Not adverbs, names, conjuncts, or a subject and its auxiliary, whose order is free or makes a question.
    """
    return _shift(tree, context, "BShift", shift.neighbour_pairs(tree))


def tense(tree: Tree, context: RuleContext) -> RuleVerdict:
    """PAST or PRES: the tense of the main clause's finite word; the future, conditionals and imperatives are left out.

    A present perfect is past in German, French, Italian and Dutch, where it is the ordinary past, and left out in other
    languages; so are modal verbs without a tense (English will, would, can).
    """
    return predicate.tense(tree, context.language)


def voice(tree: Tree, context: RuleContext) -> RuleVerdict:
    """ACT or PASS: the voice of the main clause's verb; other reflexive verbs (Voice=Mid) are left out.

    So are Scandinavian deponents (Swedish finns, lyckas), passive in form alone.
    """
    return predicate.voice(tree, context.language)


def coordination_inversion(tree: Tree, context: RuleContext) -> RuleVerdict:
    """O or I: two coordinated clauses as they were, or swapped."""
    swapped = invert_clauses(tree)
    if swapped is None:
        return no_label("it is not two coordinated clauses")
    changed = draw(context.seed, "CoordInv", normalize(tree.sentence.text)) % 2
    return RuleVerdict("I", tokens=swapped) if changed else RuleVerdict("O")


def odd_word(tree: Tree, context: RuleContext) -> RuleVerdict:
    """O or C: as it was, or with a noun or verb changed for another of the same features and like frequency.

    SentEval also matched the frequency of the two bigrams; here a substitute may now and then fit.
    """
    chance = draw(context.seed, "SOMO", normalize(tree.sentence.text))
    forms = tree.forms
    for step in range(len(forms) - 1):  # the first place, from a random one on, that has substitutes
        place = 1 + ((chance >> 1) + step) % (len(forms) - 1)
        options = _substitutes(tree, place, context)
        if options and chance % 2 == 0:
            return RuleVerdict("O")
        if options:
            return RuleVerdict(
                "C", tokens=(*forms[:place], options[(chance >> 16) % len(options)], *forms[place + 1 :])
            )
    return no_label("no word has a substitute")


def _substitutes(tree: Tree, place: int, context: RuleContext) -> list[str]:
    """Other forms with the features of a noun or verb and between half and twice its frequency, in a fixed order."""
    form, number = tree.surface[place]
    if number is None:
        return []
    token: Token = tree.tokens[number - 1]
    if token.upos not in ("NOUN", "VERB") or not form.isalpha() or form != form.lower():
        return []
    return context.survey.substitutes(token.upos, token.feats, form)


def _shift(tree: Tree, context: RuleContext, name: str, pairs: list[int]) -> RuleVerdict:
    if not pairs:
        return no_label("no two neighbours can be swapped")
    chance = draw(context.seed, name, normalize(tree.sentence.text))
    if chance % 2 == 0:
        return RuleVerdict("O")
    return RuleVerdict("I", tokens=shift.swap(tree.forms, pairs[(chance >> 1) % len(pairs)]))


def _of_tree(rule: Callable[[Tree], RuleVerdict]) -> TaskRule:
    @wraps(rule)
    def of_tree(tree: Tree, context: RuleContext) -> RuleVerdict:
        return rule(tree)

    return of_tree


_NUMBERS, _GENDERS = ("NN", "NNS"), ("C", "F", "M", "N")
_NUMBER, _GENDER = (("NOUN", "Number"),), (("NOUN", "Gender"),)

_ALL = (
    ProbingTask(
        "SentLen",
        "How many tokens does the sentence have?",
        sentence_length,
        tuple(map(str, range(N_LENGTHS))),
        "sent_len",
        "sentence_length",
    ),
    ProbingTask("WC", "Which word of a list occurs in the sentence?", word_content, (), "word_content"),
    ProbingTask(
        "ConjType",
        "Are the clauses coordinated or subordinated?",
        _of_tree(clauses.conjunction_type),
        ("CCONJ", "SCONJ"),
        "conj_type",
    ),
    ProbingTask(
        "ImpersonalSent",
        "Is the main clause impersonal?",
        _of_tree(clauses.impersonal),
        ("0", "1"),
        "impersonal_sent",
        languages=("ru",),
    ),
    ProbingTask("TreeDepth", "How deep is the tree?", tree_depth, tuple(map(str, DEPTHS)), "tree_depth"),
    ProbingTask("Gapping", "Does a clause leave its predicate out?", _of_tree(clauses.gapping), ("0", "1"), "gapping"),
    ProbingTask("NShift", "Were two words of a phrase swapped?", n_shift, ("I", "O"), "ngram_shift"),
    ProbingTask(
        "SubjNumber",
        "What number does the subject of the main clause have?",
        _of_tree(arguments.subject_number),
        _NUMBERS,
        "subj_number",
        semantic=True,
        needs=_NUMBER,
    ),
    ProbingTask(
        "SubjGender",
        "What gender does the subject of the main clause have?",
        _of_tree(arguments.subject_gender),
        _GENDERS,
        "subj_gender",
        semantic=True,
        needs=_GENDER,
        varies=True,
    ),
    ProbingTask(
        "ObjNumber",
        "What number does the direct object of the main clause have?",
        _of_tree(arguments.object_number),
        _NUMBERS,
        "obj_number",
        semantic=True,
        needs=_NUMBER,
    ),
    ProbingTask(
        "ObjGender",
        "What gender does the direct object of the main clause have?",
        _of_tree(arguments.object_gender),
        _GENDERS,
        "obj_gender",
        semantic=True,
        needs=_GENDER,
        varies=True,
    ),
    ProbingTask(
        "PV",
        "What voice is the verb of the main clause in?",
        voice,
        ("ACT", "PASS"),
        "predicate_voice",
        semantic=True,
    ),
    ProbingTask(
        "PA",
        "What aspect does the verb of the main clause have?",
        _of_tree(predicate.aspect),
        ("IMP", "PERF"),
        "predicate_aspect",
        semantic=True,
        needs=(("VERB", "Aspect"),),
    ),
    ProbingTask(
        "PT",
        "What tense is the main clause in?",
        tense,
        ("PAST", "PRES"),
        "predicate_tense",
        "past_present",
        semantic=True,
        needs=(("VERB", "Tense"),),
    ),
    ProbingTask(
        "TopConst", "Which phrases stand at the top of the sentence?", top_constituents, (), "top_constituents"
    ),
    ProbingTask(
        "BShift",
        "Were two neighbouring words swapped?",
        b_shift,
        ("I", "O"),
        "bigram_shift",
        languages=FIXED_ORDER,
    ),
    ProbingTask("SOMO", "Was a noun or verb changed for another?", odd_word, ("C", "O"), "odd_man_out"),
    ProbingTask(
        "CoordInv",
        "Were two coordinated clauses swapped?",
        coordination_inversion,
        ("I", "O"),
        "coordination_inversion",
    ),
)
TASKS: Mapping[str, ProbingTask] = {task.name: task for task in _ALL}


def choose_tasks(names: tuple[str, ...]) -> tuple[ProbingTask, ...]:
    """The tasks of these names, whatever their case; all where none is named. SentEval's Tense is PT."""
    if not names:
        return _ALL
    known = {name.lower(): task for name, task in TASKS.items()} | {"tense": TASKS["PT"]}
    unknown = [name for name in names if name.lower() not in known]
    if unknown:
        raise UsageError(f"there is no probing task {unknown[0]!r}; known: {', '.join(TASKS)}, Tense (the same as PT)")
    return tuple(dict.fromkeys(known[name.lower()] for name in names))
