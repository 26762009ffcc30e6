"""Numbers printed in the corruption paper: baselines, scores and differences, counts of cues, masked words.

Source: Aarne Talman, Marianna Apidianaki, Stergios Chatzikyriakidis and Jörg Tiedemann, "How Does Data Corruption
Affect Natural Language Understanding Models? A Study on GLUE Datasets", *SEM (2022). Scores are in points. The cells of
Figures 1 to 3 for the other six classes are images only and are absent. No number here was computed by us.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MODEL = "roberta-base"
TASKS = ("CoLA", "MNLI-M", "MRPC", "QNLI", "QQP", "RTE", "SST-2", "STS-B")
CLASSES = ("ADJ", "ADV", "CONJ", "DET", "NOUN", "NUM", "PRON", "VERB")
SETTINGS = ("train", "test", "both")
"""Which data are corrupted: CORRUPT-TRAIN, CORRUPT-TEST, CORRUPT-TRAIN AND TEST."""


@dataclass(frozen=True, slots=True)
class PrintedBaseline:
    """One row of Table 2: the score of RoBERTa-base on the original data, and its metric."""

    score: float
    metric: str


@dataclass(frozen=True, slots=True)
class PrintedCell:
    """A score of Table 3 and the difference to the baseline that is printed beside it."""

    score: float
    delta: float


@dataclass(frozen=True, slots=True)
class Cue:
    """Items with a cue among those that the model had right (section 6.1); counts where the paper gives them."""

    share: float
    n_with_cue: int | None = None
    n_right: int | None = None


BASELINES: Mapping[str, PrintedBaseline] = {
    "CoLA": PrintedBaseline(64.05, "mcc"),
    "MNLI-M": PrintedBaseline(87.89, "accuracy"),
    "MRPC": PrintedBaseline(88.73, "accuracy"),
    "QNLI": PrintedBaseline(92.64, "accuracy"),
    "QQP": PrintedBaseline(91.32, "accuracy"),
    "RTE": PrintedBaseline(70.04, "accuracy"),
    "SST-2": PrintedBaseline(94.61, "accuracy"),
    "STS-B": PrintedBaseline(90.08, "pearson"),
}
"""Table 2."""

SCORES: Mapping[tuple[str, str], tuple[PrintedCell, PrintedCell, PrintedCell]] = {
    ("CoLA", "NOUN"): (PrintedCell(39.72, -24.34), PrintedCell(17.75, -46.30), PrintedCell(34.33, -29.73)),
    ("MNLI-M", "NOUN"): (PrintedCell(85.64, -2.24), PrintedCell(72.85, -15.04), PrintedCell(77.46, -10.42)),
    ("MRPC", "NOUN"): (PrintedCell(86.27, -2.45), PrintedCell(82.35, -6.37), PrintedCell(80.15, -8.58)),
    ("QNLI", "NOUN"): (PrintedCell(89.13, -3.51), PrintedCell(71.02, -21.62), PrintedCell(82.02, -10.62)),
    ("QQP", "NOUN"): (PrintedCell(86.69, -4.63), PrintedCell(72.57, -18.75), PrintedCell(84.17, -7.16)),
    ("RTE", "NOUN"): (PrintedCell(47.29, -22.74), PrintedCell(53.79, -16.25), PrintedCell(47.29, -22.74)),
    ("SST-2", "NOUN"): (PrintedCell(94.04, -0.57), PrintedCell(87.27, -7.34), PrintedCell(88.76, -5.85)),
    ("STS-B", "NOUN"): (PrintedCell(81.67, -8.41), PrintedCell(56.12, -33.96), PrintedCell(63.52, -26.56)),
    ("CoLA", "VERB"): (PrintedCell(23.26, -40.79), PrintedCell(4.30, -59.75), PrintedCell(20.22, -43.83)),
    ("MNLI-M", "VERB"): (PrintedCell(86.95, -0.94), PrintedCell(77.61, -10.28), PrintedCell(80.32, -7.57)),
    ("MRPC", "VERB"): (PrintedCell(85.54, -3.19), PrintedCell(85.54, -3.19), PrintedCell(85.05, -3.68)),
    ("QNLI", "VERB"): (PrintedCell(92.00, -0.64), PrintedCell(87.41, -5.24), PrintedCell(90.15, -2.49)),
    ("QQP", "VERB"): (PrintedCell(89.49, -1.84), PrintedCell(86.01, -5.31), PrintedCell(89.05, -2.27)),
    ("RTE", "VERB"): (PrintedCell(65.34, -4.69), PrintedCell(65.70, -4.33), PrintedCell(65.34, -4.69)),
    ("SST-2", "VERB"): (PrintedCell(93.69, -0.92), PrintedCell(89.33, -5.28), PrintedCell(89.56, -5.05)),
    ("STS-B", "VERB"): (PrintedCell(87.63, -2.46), PrintedCell(85.54, -4.54), PrintedCell(86.22, -3.86)),
}
"""Table 3, by task and removed class; the cells in the order of SETTINGS."""

LEXICON, PPDB = "nrc", "ppdb-2.0-l-"
"""The lists in which the paper looked words up: NRC's by NRCLex, and PPDB 2.0 L, told by the name of its file."""

PARAPHRASE_CUES: Mapping[str, Cue] = {"NOUN": Cue(0.76)}
"""MRPC, corrupted test: pairs that the model had right and that still hold a lexical paraphrase (PPDB 2.0 L)."""

POLARITY_CUES: Mapping[tuple[str, ...], Cue] = {
    ("NOUN",): Cue(383 / 761, 383, 761),
    ("ADJ", "NOUN"): Cue(125 / 672, 125, 672),
}
"""SST-2, corrupted test: sentences that the model had right and whose gold polarity NRCLex still finds."""

MASKED_WORDS: Mapping[tuple[str, str], float] = {
    ("NOUN", "corrupted"): 14.7,
    ("NOUN", "original"): 34.1,
    ("VERB", "corrupted"): 31.1,
    ("VERB", "original"): 66.4,
}
"""Table 5: how often RoBERTa-base fills in the first removed word of MRPC's development sentences, in per cent."""


@dataclass(frozen=True, slots=True)
class PrintedExample:
    """One row of Table 4: a sentence of SST-2, its corruptions, and the labels."""

    original: str
    without_nouns: str
    without_adjectives: str
    lexicon_label: str
    gold_label: str


EXAMPLES = (
    PrintedExample(
        "An unclassifiably awful study in self - and audience-abuse.",
        "an unclassifiably awful in - and.",
        "an unclassifiably study in self - and audience-abuse.",
        "positive",
        "negative",
    ),
    PrintedExample(
        "It proves quite compelling as an intense, brooding character study.",
        "it proves quite compelling as an intense, brooding.",
        "it proves quite as an, brooding character study.",
        "positive",
        "positive",
    ),
)
"""Table 4; originals are printed with a capital and without the spaces that SST-2 has before punctuation."""
