"""The findings about reasons: bits left, examples solved without the class, cues of right and wrong, masked words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from goldproof.measures.cloze import ClozeAccuracy, cloze_accuracy
from goldproof.measures.cues import CueShares, cue_shares
from goldproof.report.fields import Field, Heading, make_table, printed_cell
from goldproof.report.summary import Cell, Column, Example, ExampleList, Item, Missing, Section
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.multiplicity import holm
from goldproof.studies.beside import is_model
from goldproof.studies.corruption import published
from goldproof.studies.corruption.findings.cells import Found, training_keys
from goldproof.studies.corruption.findings.runs import run_word
from goldproof.studies.corruption.gather import MOST_EXAMPLES, LeftSentence, strictest
from goldproof.studies.corruption.plan import CorruptionCell, masked_model
from goldproof.studies.corruption.scores import find_information, is_right
from goldproof.studies.corruption.settings import Config, classes_of
from goldproof.studies.corruption.tasks import ORIGINAL, CorruptionTask


def why_section(config: Config, found: Sequence[Found]) -> Section:
    """All that was asked about the reasons."""
    items: list[Item] = [*_information(config, found), *_cues(config, found)]
    items += [item for one in found for item in (*_sentences(one), *_solved(config, one))]
    return Section("Why does it survive?", [*items, *_cloze(config, found)])


@dataclass(frozen=True, slots=True)
class _Bits:
    """The usable information of a task: with all words, and without each class."""

    task: str
    whole: Estimate
    without: Mapping[str, Estimate | None]


def _bits_without(removed: str, bits: _Bits) -> Cell:
    return bits.without[removed]


def _information(config: Config, found: Sequence[Found]) -> list[Item]:
    """The usable information of each task, with all words and without each class."""
    setting = strictest(config)
    every = [bits for one in found if (bits := _bits(config, one)) is not None]
    if not every:
        return []
    fields: list[Field[_Bits]] = [
        Field(Column("task", "Task"), lambda bits: bits.task),
        Field(Column("whole", "All words", 3, "bits"), lambda bits: bits.whole),
        *(
            Field(Column(f"c{place}", f"no {name}", 3, "bits"), partial(_bits_without, name))
            for place, name in enumerate(config.classes)
        ),
    ]
    note = (
        "Pointwise V-information, mean over test items of log2 p(label | text) − log2 p(label), with the mean "
        "probabilities of all runs and the shares of the labels in training; below 0 a model is worse than these "
        f"shares, as when it is overconfident. Corrupted: {setting}. The interval is over items."
    )
    heading = Heading("information", _information_title(config, every), note, training_keys(found))
    return [make_table(heading, fields, every)]


def _bits(config: Config, one: Found) -> _Bits | None:
    """The information of a task; None in a regression."""
    whole = find_information(one.runs, ORIGINAL, ORIGINAL)
    if whole is None:
        return None
    without: dict[str, Estimate | None] = {}
    for removed in config.classes:
        cell = CorruptionCell(one.runs.task, removed, strictest(config))
        left = find_information(one.runs, cell.trained_on(), cell.tested_on())
        without[removed] = left.mean if left is not None else None
    return _Bits(one.runs.task.title, whole.mean, without)


def _information_title(config: Config, every: Sequence[_Bits]) -> str:
    """The class that takes most information with it, on average over tasks."""
    losses = {}
    for removed in config.classes:
        lost = [bits.whole.value - left.value for bits in every if (left := bits.without[removed]) is not None]
        if lost:
            losses[removed] = sum(lost) / len(lost)
    if not losses:
        return "How many bits the text gives about the label"
    worst = max(losses, key=lambda removed: losses[removed])
    lost_bits = f"{losses[worst]:.2f}".replace("-", "−")
    return f"Most of what the text says about the label is lost without {worst}: {lost_bits} bits, mean over tasks"


def _solved(config: Config, one: Found) -> list[Item]:
    """The examples that are right with most bits to spare though the class is missing, to be read."""
    runs = one.runs
    items = [each for removed in config.classes for each in _solved_without(config, one, removed)]
    if not items:
        return []
    fields = ("without the class", "original") if len(items[0].texts) == 2 else ("first", "second", "original")
    title = f"{runs.task.title}: {len(items)} items solved although the class is missing"
    note = f"For each class, the {MOST_EXAMPLES} with the most bits among those that lost a word; corrupted: "
    seeds = [f"{run_word(config)} {name}" for name in runs.original.run_names]
    name = f"solved-{runs.task.slug}"
    return [ExampleList(name, title, fields, seeds, items, f"{note}{strictest(config)}.", one.trainings)]


def _solved_without(config: Config, one: Found, removed: str) -> list[Example]:
    runs, cell = one.runs, CorruptionCell(one.runs.task, removed, strictest(config))
    examples = []
    for item in one.facts.solved.get(removed, []):
        answers = runs.answers[cell.trained_on(), cell.tested_on()]
        predicted = [runs.classes[int(code)] for code in answers.runs[:, item.row]]
        gold, name = runs.classes[int(runs.gold[item.row])], f"{answers.ids[item.row]} without {removed}"
        examples.append(Example(name, [*item.texts, item.original], gold, predicted, [removed]))
    return examples


@dataclass(frozen=True, slots=True)
class _CueRow:
    """How often a cue is left in a corrupted test set where the model is right, and where it is wrong."""

    task: CorruptionTask
    removed: str
    kind: str
    words: str
    shares: CueShares
    with_paper: bool = False
    adjusted: float | None = None

    @property
    def paper(self) -> float | None:
        """The share among the right ones that the paper counts: in MRPC paraphrases, in SST-2 polar words.

        It stands there only where the words are the paper's too.
        """
        found = None
        if not self.with_paper:
            return None
        if self.task.paper_name == "MRPC" and self.kind == "paraphrase" and self.words.startswith(published.PPDB):
            found = published.PARAPHRASE_CUES.get(self.removed)
        elif self.task.paper_name == "SST-2" and self.kind == "polarity" and self.words == published.LEXICON:
            found = published.POLARITY_CUES.get(classes_of(self.removed))
        return found.share if found else None


def _words_of(config: Config, kind: str) -> str:
    """What the list of words is called: its name, or that of its file."""
    if kind == "polarity":
        return Path(config.why.lexicon).name
    return Path(config.why.ppdb).name if config.why.ppdb else "PPDB 1.0 of NLTK's data"


NO_PREDICTIONS = Missing("there are no such predictions")
_CUE_FIELDS: tuple[Field[_CueRow], ...] = (
    Field(Column("task", "Task"), lambda row: row.task.title),
    Field(Column("removed", "Removed"), lambda row: row.removed),
    Field(Column("kind", "Cue"), lambda row: row.kind),
    Field(Column("words", "Words"), lambda row: row.words),
    Field(Column("right", "Among right", 1, "%"), lambda row: row.shares.right or NO_PREDICTIONS),
    Field(
        Column("paper", "Among right", 1, "%", "RoBERTa-base, the same words", published=True),
        lambda row: printed_cell(row.paper),
    ),
    Field(Column("wrong", "Among wrong", 1, "%"), lambda row: row.shares.wrong or NO_PREDICTIONS),
    Field(Column("difference", "Right − wrong", 1, "points"), lambda row: row.shares.difference or NO_PREDICTIONS),
    Field(
        Column("p", "p", 3, "p-value", "Fisher's exact test, adjusted over the table (Holm)"),
        lambda row: NO_PREDICTIONS if row.adjusted is None else row.adjusted,
    ),
)


def _cues(config: Config, found: Sequence[Found]) -> list[Item]:
    """How often a cue is left where the model is right, and where it is wrong."""
    every: list[_CueRow] = []
    keys = []
    for one in found:
        for removed, kinds in one.facts.cues.items():
            for kind, has_cue in kinds.items():
                shares = cue_shares(has_cue, is_right(one.runs, removed), config.level)
                words, is_paper = _words_of(config, kind), bool(one.paper_name)
                every.append(_CueRow(one.runs.task, removed, kind, words, shares, is_paper))
                keys.append(one.facts.keys[f"cue/{removed}/{kind}"])
    if not every:
        return []
    adjusted = _holm([row.shares.p_value for row in every])
    every = [replace(row, adjusted=p) for row, p in zip(every, adjusted, strict=True)]
    tested = [(row.shares.difference, row.adjusted) for row in every if row.adjusted is not None]
    more = sum(gap is not None and gap.value > 0 and p < 1 - config.level for gap, p in tested)
    title = (
        f"In {more} of {len(tested)} corrupted test sets a cue is shown to remain more often where the model is right"
    )
    note = "Corrupt-test. Right: most runs are right. A cue counts as soon as it occurs at all."
    return [make_table(Heading("cues", title, note, keys), _CUE_FIELDS, every)]


def _holm(p_values: Sequence[float | None]) -> list[float | None]:
    """p-values adjusted over those that there are."""
    known = holm(np.array([p for p in p_values if p is not None], float))
    adjusted = iter(known.tolist())
    return [None if p is None else next(adjusted) for p in p_values]


def _sentences(one: Found) -> list[Item]:
    """Table 4: sentences that the baseline has right without a class, and the polar words that are left in them."""
    removed = one.facts.sentences_of
    if not one.facts.sentences:
        return []
    fields: list[Field[LeftSentence]] = [
        Field(Column("original", "Original sentence"), lambda sentence: sentence.original),
        Field(Column("left", f"Without {removed}"), lambda sentence: sentence.left),
        Field(Column("words", "Polar words left"), lambda sentence: sentence.words),
        Field(Column("gold", "Gold label"), lambda sentence: sentence.gold),
    ]
    title = f"{one.runs.task.title}: sentences solved without {removed} that still contain a word of their polarity"
    key = one.facts.keys[f"cue/{removed}/polarity"]
    heading = Heading(f"sentences-{one.runs.task.slug}", title, "The first few.", [key])
    return [make_table(heading, fields, one.facts.sentences)]


@dataclass(frozen=True, slots=True)
class _Cloze:
    """How often the first removed word of a task is filled in."""

    task: CorruptionTask
    removed: str
    accuracy: ClozeAccuracy
    with_paper: bool
    adjusted: float | None = None


def _printed_cloze(text: str, row: _Cloze) -> Cell:
    stands = row.with_paper and row.task.paper_name == "MRPC"
    paper = published.MASKED_WORDS.get((row.removed, text)) if stands else None
    return printed_cell(None if paper is None else paper / 100)


_CLOZE_FIELDS: tuple[Field[_Cloze], ...] = (
    Field(Column("task", "Task"), lambda row: row.task.title),
    Field(Column("removed", "Removed"), lambda row: row.removed),
    Field(Column("original", "In the original", 1, "%"), lambda row: row.accuracy.original),
    Field(
        Column("paper_original", "In the original", 1, "%", "RoBERTa-base", published=True),
        partial(_printed_cloze, "original"),
    ),
    Field(Column("corrupted", "In the corrupted text", 1, "%"), lambda row: row.accuracy.corrupted),
    Field(
        Column("paper_corrupted", "In the corrupted text", 1, "%", "RoBERTa-base", published=True),
        partial(_printed_cloze, "corrupted"),
    ),
    Field(Column("difference", "Original − corrupted", 1, "points"), lambda row: row.accuracy.difference),
    Field(Column("p", "p", 3, "p-value", "McNemar, mid-p, adjusted over the table (Holm)"), lambda row: row.adjusted),
    Field(
        Column("pieces", "Words of several pieces", note="words that one mask cannot stand for; counted as wrong"),
        lambda row: row.accuracy.n_several_pieces,
    ),
)


def _cloze(config: Config, found: Sequence[Found]) -> list[Item]:
    """Table 5: how often a masked language model fills in the first removed word, in both texts."""
    asked = [(one, name, guesses) for one in found for name, guesses in one.facts.guesses.items()]
    every = [
        _Cloze(one.runs.task, name, cloze_accuracy(guesses), is_model(masked_model(config), published.MODEL))
        for one, name, guesses in asked
        if guesses
    ]
    if not every:
        return []
    adjusted = _holm([row.accuracy.p_value for row in every])
    every = [replace(row, adjusted=p) for row, p in zip(every, adjusted, strict=True)]
    pairs = [(row.accuracy.difference.value, row.adjusted or 0.0) for row in every]
    easier = sum(value > 0 and p < 1 - config.level for value, p in pairs)
    title = (
        f"The first removed word is shown to be easier to guess in the original text in {easier} of {len(every)} cases"
    )
    heading = Heading(
        "masked-words", title, "Each distinct text once.", [one.facts.keys[f"cloze/{name}"] for one, name, _ in asked]
    )
    return [make_table(heading, _CLOZE_FIELDS, every)]
