"""What the paper printed: Tables 3–10 (accuracies and best layers), Table 11 (figures of the shared tasks), and names.

Mikhailov et al. 2021, RuSentEval: Linguistic Source, Encoder Force! Numbers are on RuSentEval (ru) and SentEval (en).
Table 1 repeats Tables 3 and 4, with M-BERT's NShift swapped between the languages; Tables 3 and 4 are right.
Tasks go by SentEval's part names here, by others in the suites of the catalog and in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass

MODELS = ("M-BERT", "LABSE", "XLM-R", "MiniLM", "M-BART")
BASELINES = ("fastText", "TF-IDF Char", "TF-IDF BPE", "TF-IDF SP")
HUB_NAMES = {
    "M-BERT": "bert-base-multilingual-cased",
    "LABSE": "sentence-transformers/LaBSE",
    "XLM-R": "xlm-roberta-base",
    "MiniLM": "microsoft/Multilingual-MiniLM-L12-H384",
    "M-BART": "facebook/mbart-large-cc25",
}
"""The paper's models as the hub has them; the first and the third lend their tokenizers to TF-IDF BPE and SP."""
TOKENIZERS = {"TF-IDF BPE": HUB_NAMES["M-BERT"], "TF-IDF SP": HUB_NAMES["XLM-R"]}
VECTORS = ("cc.en.300", "ft_native_300_ru_wiki_lenta")
"""How the files of the paper's fastText vectors begin."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed accuracy in percent and the layer in brackets; baselines have no layer."""

    accuracy: float
    layer: int | None = None

    def __str__(self) -> str:
        return f"{self.accuracy:.1f}" + (f" [{self.layer}]" if self.layer is not None else "")


def printed(kind: str, language: str, task: str, column: str) -> Printed | None:
    """The number of a probe (logistic or mlp), language, task and column (a model or baseline); None if not printed.

    >>> str(printed("logistic", "ru", "bigram_shift", "XLM-R")), str(printed("mlp", "en", "word_content", "fastText"))
    ('86.9 [9]', '63.3')
    """
    columns, tables = (MODELS, _MODELS) if column in MODELS else (BASELINES, _BASELINES)
    row = tables.get((kind, language), {}).get(canonical_name(task))
    if row is None or column not in columns:
        return None
    accuracy, _, layer = row.split("; ")[columns.index(column)].partition(" ")
    return Printed(float(accuracy), int(layer) if layer else None)


_MODELS: dict[tuple[str, str], dict[str, str]] = {
    ("logistic", "ru"): {
        "conj_type": "98.8 7; 99.3 4; 99.3 6; 98.6 5; 98.8 7",
        "gapping": "85.2 7; 89.7 8; 94.1 8; 91.1 9; 85.6 12",
        "impersonal_sent": "91.6 7; 92 6; 92.6 4; 88.4 6; 85.7 12",
        "bigram_shift": "81.8 10; 82.6 5; 86.9 9; 80.5 9; 78.6 12",
        "obj_gender": "70.1 6; 70.4 2; 69.4 5; 64.1 9; 71.8 1",
        "obj_number": "82.8 6; 82.5 2; 83.7 10; 77.8 10; 81.5 7",
        "predicate_aspect": "91.2 6; 93.8 4; 94.4 5; 89.4 5; 95.9 10",
        "past_present": "99.5 8; 99.8 5; 99.8 5; 98.2 7; 99.6 7",
        "predicate_voice": "77.5 5; 76.3 5; 76.8 5; 71.4 3; 77.7 3",
        "sentence_length": "91.3 2; 93.3 1; 94.5 2; 94.1 2; 96.2 4",
        "subj_gender": "79.1 9; 79.2 2; 79.4 11; 78.7 10; 77.7 7",
        "subj_number": "90.5 7; 92.9 3; 94.9 11; 94.2 12; 93.1 10",
        "tree_depth": "44.7 6; 46.1 4; 46.5 5; 44.8 7; 45.8 11",
        "word_content": "84.8 2; 85.8 1; 82.6 1; 72.8 1; 88.0 1",
    },
    ("logistic", "en"): {
        "bigram_shift": "84.8 8; 84.4 5; 85.7 10; 79.3 8; 83.8 12",
        "coordination_inversion": "66.0 8; 68.9 8; 68.6 8; 63.3 8; 69.4 12",
        "obj_number": "86.2 6; 85.4 3; 86.0 8; 85.2 6; 85.9 9",
        "odd_man_out": "57.4 8; 60.8 7; 60.0 8; 56.1 9; 62.3 12",
        "sentence_length": "96.3 2; 96.6 1; 95.8 2; 96.1 3; 97.3 3",
        "subj_number": "87.8 7; 90.7 12; 86.9 10; 85.6 6; 87.3 9",
        "past_present": "88.9 8; 88.8 6; 88.8 9; 87.3 5; 89.1 9",
        "top_constituents": "88 6; 79.9 5; 78.5 5; 76.5 5; 79.5 8",
        "tree_depth": "41.2 5; 42.7 5; 41.8 7; 40.9 7; 41.2 12",
        "word_content": "92.6 1; 93.7 1; 89.8 1; 82.3 1; 93.8 1",
    },
    ("mlp", "ru"): {
        "conj_type": "98.6 5; 99.4 4; 99.2 5; 98.9 5; 98.8 7",
        "gapping": "89.7 10; 90.0 9; 96.0 8; 92.0 11; 83.1 9",
        "impersonal_sent": "93.6 7; 90.9 5; 92.4 7; 88.7 7; 89.4 9",
        "bigram_shift": "81.5 9; 82.7 5; 87.6 9; 81.1 10; 78.8 12",
        "obj_gender": "69.1 6; 70.1 2; 69.5 9; 65.1 10; 72.2 1",
        "obj_number": "83.9 6; 82.5 2; 84.8 10; 78.7 10; 83.0 7",
        "predicate_aspect": "90.9 7; 93.5 5; 94.6 5; 89.7 5; 95.5 8",
        "past_present": "99.4 4; 99.9 10; 99.8 5; 98.4 6; 99.6 9",
        "predicate_voice": "77.7 4; 76.5 5; 78.4 4; 72.5 4; 82.2 1",
        "sentence_length": "93.5 2; 95.2 1; 97.1 2; 96.7 1; 98.2 5",
        "subj_gender": "79.5 9; 80.0 2; 81.0 11; 80.2 12; 78.1 7",
        "subj_number": "90.3 5; 93.0 3; 96.3 12; 95.8 11; 94.5 7",
        "tree_depth": "43.6 6; 45.4 4; 44.8 7; 46.7 8; 46.0 7",
        "word_content": "80.8 3; 82.7 1; 78.5 1; 69.9 1; 84.4 1",
    },
    ("mlp", "en"): {
        "bigram_shift": "83.1 8; 84.7 6; 85.8 9; 79.4 7; 84.4 12",
        "coordination_inversion": "65.2 8; 68.1 8; 68.8 8; 63.7 8; 67.8 10",
        "obj_number": "86.5 6; 86.4 10; 86.4 8; 85.0 6; 86.8 8",
        "odd_man_out": "56.5 8; 60.5 7; 58.8 8; 54.8 9; 61.7 11",
        "sentence_length": "97.0 2; 98.4 1; 98.0 3; 98.5 1; 98.8 4",
        "subj_number": "86.5 10; 90.9 11; 86.6 6; 86.0 6; 87.5 9",
        "past_present": "89.2 9; 89.0 6; 88.5 10; 87.9 5; 89.4 9",
        "top_constituents": "82.0 7; 80.6 5; 79.5 5; 77.8 6; 80.6 8",
        "tree_depth": "41.9 6; 43.1 5; 43.2 7; 42.3 6; 45.3 10",
        "word_content": "91.2 1; 92.7 1; 88.9 1; 80.3 1; 93.0 1",
    },
}

_BASELINES: dict[tuple[str, str], dict[str, str]] = {
    ("logistic", "ru"): {
        "conj_type": "88.1; 96.9; 95.4; 95.5",
        "gapping": "84.1; 82.7; 80.4; 80.6",
        "impersonal_sent": "78.7; 69.4; 53.8; 56.3",
        "bigram_shift": "53.2; 53.0; 51.0; 50.5",
        "obj_gender": "70.1; 71.0; 35.4; 38.9",
        "obj_number": "82.3; 76.4; 56.8; 55.0",
        "predicate_aspect": "90.8; 80.7; 53.4; 54.2",
        "past_present": "95.1; 97.7; 53.8; 53.7",
        "predicate_voice": "69.2; 78.2; 36.0; 37.0",
        "sentence_length": "40.4; 64.0; 42.9; 42.2",
        "subj_gender": "78.7; 74.4; 34.8; 38.0",
        "subj_number": "95.0; 90.4; 63.7; 64.4",
        "tree_depth": "35.7; 32.7; 26.5; 24.8",
        "word_content": "70.8; 49.2; 22.0; 13.0",
    },
    ("logistic", "en"): {
        "bigram_shift": "50.0; 51.1; 49.9; 50.1",
        "coordination_inversion": "52.2; 54.9; 50.2; 50.1",
        "obj_number": "72.8; 79.4; 68.1; 69.0",
        "odd_man_out": "49.9; 49.9; 50.4; 49.7",
        "sentence_length": "65.2; 54.1; 42.3; 44.6",
        "subj_number": "76.6; 79.2; 68.1; 71.6",
        "past_present": "81.2; 84.2; 70.8; 74.2",
        "top_constituents": "59.8; 58.3; 23.0; 23.4",
        "tree_depth": "30.0; 28.3; 23.3; 23.2",
        "word_content": "18.1; 47.3; 20.0; 24.0",
    },
    ("mlp", "ru"): {
        "conj_type": "88.4; 97.3; 95.6; 95.5",
        "gapping": "82.7; 86.1; 80.2; 68.8",
        "impersonal_sent": "78.6; 70.5; 52.9; 56.6",
        "bigram_shift": "52.7; 52.7; 50.0; 50.6",
        "obj_gender": "70.0; 70.9; 35.1; 37.2",
        "obj_number": "82.8; 77.2; 56.6; 54.8",
        "predicate_aspect": "91.2; 80.9; 51.8; 53.5",
        "past_present": "96.0; 97.6; 54.4; 54.1",
        "predicate_voice": "68.5; 78.5; 35.3; 36.8",
        "sentence_length": "42.4; 73.7; 42.7; 42.4",
        "subj_gender": "80.0; 75.2; 34.0; 38.8",
        "subj_number": "96.2; 90.8; 61.8; 64.4",
        "tree_depth": "29.5; 35.6; 32.8; 23.9",
        "word_content": "71.2; 53.8; 20.0; 11.0",
    },
    ("mlp", "en"): {
        "bigram_shift": "48.2; 50.6; 50.0; 49.3",
        "coordination_inversion": "50.1; 54.0; 50.0; 51.7",
        "obj_number": "70.9; 77.1; 68.1; 70.0",
        "odd_man_out": "50.1; 49.9; 50.2; 50.2",
        "sentence_length": "49.1; 62.5; 41.8; 43.5",
        "subj_number": "72.8; 80.5; 66.4; 71.3",
        "past_present": "74.7; 85.0; 70.5; 73.8",
        "top_constituents": "58.0; 59.7; 22.2; 23.0",
        "tree_depth": "23.0; 29.5; 23.0; 22.1",
        "word_content": "63.3; 54.4; 18.0; 22.0",
    },
}

FIGURES: dict[tuple[str, str], tuple[str, str, str, str]] = {
    ("ru", "sentence_length"): ("1.74kk", "126.5k", "14.47", "16.7/16.7/16.7/16.7/16.7/16.7"),
    ("en", "sentence_length"): ("1.99kk", "36.8k", "16.59", "16.7/16.7/16.7/16.7/16.7/16.7"),
    ("ru", "word_content"): ("1.43kk", "115.7k", "11.88", "0.1/label, 1000 labels"),
    ("en", "word_content"): ("1.8kk", "40.1k", "15.00", "0.1/label, 1000 labels"),
    ("ru", "bigram_shift"): ("1.74kk", "146.9k", "14.51", "50/50"),
    ("en", "bigram_shift"): ("1.65kk", "38.7k", "13.77", "50/50"),
    ("ru", "subj_number"): ("1.25kk", "108.3k", "10.38", "50/50"),
    ("en", "subj_number"): ("1.7kk", "41.3k", "14.13", "50/50"),
    ("ru", "obj_number"): ("1.15kk", "95.7k", "9.59", "50/50"),
    ("en", "obj_number"): ("1.68kk", "40.9k", "13.97", "50/50"),
    ("ru", "past_present"): ("1.36kk", "126.6k", "11.30", "50/50"),
    ("en", "past_present"): ("1.58kk", "38.6k", "13.17", "50/50"),
    ("ru", "tree_depth"): ("1.88kk", "165.7k", "15.73", "13.6/22.6/32.9/20.7/10.3"),
    ("en", "tree_depth"): ("1.62kk", "37.1k", "13.47", "15.4/11.9/7.0/13.6/16.5/17.9/17.7"),
}
"""Table 11 by language and task, over all splits: tokens, unique tokens, tokens a sentence, labels in percent."""


SUITES = ("xprobe", "rusenteval", "senteval")
PAPER_SUITES = {"ru": "rusenteval", "en": "senteval"}
"""The paper's own tasks in each of its languages."""

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
"""Titles as the paper prints them, in the order of the tables; PT and NShift are what it has in Russian in place of
Tense and BShift, under RuSentEval's names.
"""

_RUSSIAN_PARTS = {"sentence_length": "sent_len", "bigram_shift": "ngram_shift", "past_present": "predicate_tense"}
_TITLES = TASKS | {"sent_len": "SentLen", "ngram_shift": "NShift", "predicate_tense": "PT"}
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


def title_of(task: str) -> str:
    """The task as the paper calls it; a task that the paper does not have keeps its name.

    >>> title_of("past_present"), title_of("predicate_tense"), title_of("mine")
    ('Tense', 'PT', 'mine')
    """
    return _TITLES.get(task, task)


def canonical_name(part: str) -> str:
    """The task of a part's name in any suite; NShift is the Russian counterpart of BShift.

    >>> canonical_name("ngram_shift")
    'bigram_shift'
    """
    return next((task for task, name in _RUSSIAN_PARTS.items() if name == part), part)


def paper_tasks(language: str) -> tuple[str, ...]:
    """The tasks that the paper has in a language, in its order, as its suite calls them.

    >>> len(paper_tasks("ru")), len(paper_tasks("en")), paper_tasks("ru")[0]
    (14, 10, 'sent_len')
    """
    if language == "ru":
        return tuple(_RUSSIAN_PARTS.get(task, task) for task in TASKS if task in _RUSSIAN)
    return tuple(task for task in TASKS if task in _ENGLISH) if language == "en" else ()
