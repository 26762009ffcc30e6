"""What tasks are called: by SentEval's part names here, by others in the suites of the catalog and in the paper."""

from __future__ import annotations

SUITES = ("xprobe", "rusenteval", "senteval")

TASKS: dict[str, str] = {
    "sentence_length": "SentLen",
    "word_content": "WC",
    "conj_type": "ConjType",
    "impersonal_sent": "ImpersonalSent",
    "tree_depth": "TreeDepth",
    "top_constituents": "TopConst",
    "gapping": "Gapping",
    "bigram_shift": "BShift",
    "past_present": "Tense",
    "subj_number": "SubjNumber",
    "subj_gender": "SubjGender",
    "obj_number": "ObjNumber",
    "obj_gender": "ObjGender",
    "predicate_voice": "PV",
    "predicate_aspect": "PA",
    "odd_man_out": "SOMO",
    "coordination_inversion": "CoordInv",
}
"""Titles as the paper prints them for English, for Russian where English has none, in the order of the tables."""

_RUSSIAN_TITLES = {"bigram_shift": "NShift", "past_present": "PT"}
_RUSSIAN_PARTS = {"sentence_length": "sent_len", "bigram_shift": "ngram_shift", "past_present": "predicate_tense"}
_RUSSIAN = frozenset(
    [
        "conj_type",
        "impersonal_sent",
        "gapping",
        "subj_gender",
        "obj_gender",
        "predicate_voice",
        "predicate_aspect",
        "sentence_length",
        "word_content",
        "tree_depth",
        "bigram_shift",
        "past_present",
        "subj_number",
        "obj_number",
    ]
)
_ENGLISH = frozenset(
    [
        "sentence_length",
        "word_content",
        "tree_depth",
        "top_constituents",
        "bigram_shift",
        "past_present",
        "subj_number",
        "obj_number",
        "odd_man_out",
        "coordination_inversion",
    ]
)


def title_of(task: str, language: str = "en") -> str:
    """The task as the paper calls it in a language; a task that the paper does not have keeps its name.

    >>> title_of("past_present"), title_of("past_present", "ru"), title_of("mine")
    ('Tense', 'PT', 'mine')
    """
    name = canonical_name(task)
    return (_RUSSIAN_TITLES.get(name) if language == "ru" else None) or TASKS.get(name, task)


def canonical_name(part: str) -> str:
    """The task of a part's name in any suite.

    >>> canonical_name("ngram_shift")
    'bigram_shift'
    """
    return next((task for task, name in _RUSSIAN_PARTS.items() if name == part), part)


def part_of(task: str, suite: str) -> str:
    """What a suite calls a task.

    >>> part_of("sentence_length", "rusenteval")
    'sent_len'
    """
    return _RUSSIAN_PARTS.get(task, task) if suite == "rusenteval" else task


def paper_tasks(language: str) -> tuple[str, ...]:
    """The tasks that the paper has in a language, in its order.

    >>> len(paper_tasks("ru")), len(paper_tasks("en"))
    (14, 10)
    """
    members = {"ru": _RUSSIAN, "en": _ENGLISH}.get(language, frozenset())
    return tuple(task for task in TASKS if task in members)
