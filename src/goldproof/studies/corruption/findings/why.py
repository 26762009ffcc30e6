"""The findings about reasons: bits left, examples solved without the class, cues of right and wrong, masked words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from goldproof.jobs import Results
from goldproof.measures.cloze import ClozeGuess, cloze_accuracy
from goldproof.measures.cues import CueShares, cue_shares
from goldproof.measures.information import solved_examples
from goldproof.report.summary import Cell, Column, Example, Examples, Item, Missing, Section, Table
from goldproof.statistics.arrays import Array
from goldproof.statistics.estimate import Estimate
from goldproof.studies.corruption import published
from goldproof.studies.corruption.findings.cells import NOT_PRINTED, Found, training_keys
from goldproof.studies.corruption.plan import CorruptionCell as StudyCell
from goldproof.studies.corruption.plan import cloze_jobs, cue_jobs
from goldproof.studies.corruption.scores import TaskAnswers, find_information
from goldproof.studies.corruption.settings import Config, classes_of
from goldproof.studies.corruption.steps import load_lexicon
from goldproof.studies.corruption.tasks import ORIGINAL, Version, data_job

MOST_EXAMPLES = 8
MOST_SENTENCES = 6


def why_section(config: Config, results: Results, found: Sequence[Found]) -> Section:
    """All that was asked about the reasons."""
    items: list[Item] = [*_information(config, found), *_cues(config, results, found)]
    items += [item for one in found for item in (*_sentences(config, results, one), *_solved(config, results, one))]
    return Section("Why does it survive?", [*items, *_cloze(config, results, found)])


def strictest(config: Config) -> str:
    """The setting in which the class is missing from most: both, else test, else train."""
    return next(name for name in ("both", "test", "train") if name in config.settings)


def _information(config: Config, found: Sequence[Found]) -> list[Item]:
    """The usable information of each task, with all words and without each class."""
    setting = strictest(config)
    rows: list[dict[str, Cell]] = []
    for one in found:
        whole = find_information(one.runs, ORIGINAL, ORIGINAL)
        if whole is None:
            continue
        row: dict[str, Cell] = {"task": one.runs.task.title, "whole": whole.mean}
        for place, removed in enumerate(config.classes):
            cell = StudyCell(one.runs.task, removed, setting)
            left = find_information(one.runs, cell.trained_on(), cell.tested_on())
            row[f"c{place}"] = left.mean if left is not None else None
        rows.append(row)
    if not rows:
        return []
    columns = [Column("task", "Task"), Column("whole", "All words", 3, "bits")]
    columns += [Column(f"c{place}", f"no {name}", 3, "bits") for place, name in enumerate(config.classes)]
    note = (
        "Pointwise V-information, mean over test items of log2 p(label | text) − log2 p(label), with the mean "
        "probabilities of all seeds and the shares of the labels in training; below 0 a model is worse than these "
        f"shares, as an overconfident one is. Corrupted: {setting}. The interval is over items."
    )
    title = _information_title(config, rows)
    return [Table("information", title, columns, rows, note, training_keys(found))]


def _information_title(config: Config, rows: Sequence[Mapping[str, Cell]]) -> str:
    """The class that takes most information with it, on average over tasks."""
    losses = {}
    for place, removed in enumerate(config.classes):
        pairs = [(row["whole"], row[f"c{place}"]) for row in rows]
        lost = [a.value - b.value for a, b in pairs if isinstance(a, Estimate) and isinstance(b, Estimate)]
        if lost:
            losses[removed] = sum(lost) / len(lost)
    if not losses:
        return "How many bits the text gives about the label"
    worst = max(losses, key=lambda removed: losses[removed])
    lost_bits = f"{losses[worst]:.2f}".replace("-", "−")
    return f"{worst} takes most of what the text says about the label with it: {lost_bits} bits, mean over tasks"


def _solved(config: Config, results: Results, one: Found) -> list[Item]:
    """The examples that are right with most bits to spare though the class is missing, to be read."""
    runs = one.runs
    items = [each for removed in config.classes for each in _solved_without(config, results, runs, removed)]
    if not items:
        return []
    fields = ("without the class", "original") if runs.test.pairs[0] is None else ("first", "second", "original")
    title = f"{runs.task.title}: {len(items)} items that are solved although the class is missing"
    note = f"The {MOST_EXAMPLES} with most bits for each class, among those that lost a word; corrupted: "
    seeds = [f"seed {seed}" for seed in config.seeds]
    name = f"solved-{runs.task.slug}"
    return [Examples(name, title, fields, seeds, items, f"{note}{strictest(config)}.", one.trainings)]


def _solved_without(config: Config, results: Results, runs: TaskAnswers, removed: str) -> list[Example]:
    cell = StudyCell(runs.task, removed, strictest(config))
    information = find_information(runs, cell.trained_on(), cell.tested_on())
    if information is None:
        return []
    given = results[data_job(config, runs.task, "test", cell.tested_on())]
    before, after = (list(zip(data.texts, data.pairs, strict=True)) for data in (runs.test, given))
    rows = [row for row in solved_examples(information) if before[row] != after[row]][:MOST_EXAMPLES]
    ids, answers = runs.test.table.column("id").to_pylist(), runs.answers[cell.trained_on(), cell.tested_on()].runs
    examples = []
    for row in rows:
        texts = [text for text in after[row] if text is not None]
        original = " ‖ ".join(text for text in before[row] if text is not None)
        predicted = [runs.classes[int(code)] for code in answers[:, row]]
        gold = runs.classes[int(runs.gold[row])]
        examples.append(Example(f"{ids[row]} without {removed}", [*texts, original], gold, predicted, [removed]))
    return examples


def is_right(runs: TaskAnswers, removed: str) -> Array:
    """Which items of the corrupted test set more than half of the baseline's seeds have right."""
    answers = runs.answers[ORIGINAL, Version(removed)].runs
    return np.asarray((answers == runs.gold).mean(axis=0) > 0.5)


def _cues(config: Config, results: Results, found: Sequence[Found]) -> list[Item]:
    """How often a cue is left where the model is right, and where it is wrong."""
    rows: list[dict[str, Cell]] = []
    keys = []
    for one in found:
        for removed in config.classes:
            for kind, job in cue_jobs(config, one.runs.task, removed).items():
                shares = cue_shares(results[job], is_right(one.runs, removed), config.level)
                rows.append(_cue_row(one, kind, removed, shares))
                keys.append(job.key)
    if not rows:
        return []
    columns = [
        Column("task", "Task"),
        Column("removed", "Removed"),
        Column("kind", "Cue"),
        Column("right", "Among right", 1, "%"),
        Column("paper", "Among right", 1, "%", "RoBERTa-base; other word lists", published=True),
        Column("wrong", "Among wrong", 1, "%"),
        Column("difference", "Right − wrong", 1, "points"),
        Column("p", "p", 3, "p-value", "Fisher's exact test, not adjusted"),
    ]
    if all(isinstance(row["paper"], Missing) for row in rows):
        columns = [column for column in columns if not column.published]
    more = sum(isinstance(d := row["difference"], Estimate) and d.low > 0 for row in rows)
    title = f"In {more} of {len(rows)} corrupted test sets a cue is left more often where the model is right"
    note = "Corrupt-test. Right: most seeds are. A cue counts when it is present at all."
    return [Table("cues", title, columns, rows, note, keys)]


def _cue_row(one: Found, kind: str, removed: str, shares: CueShares) -> dict[str, Cell]:
    none = Missing("there are no such predictions")
    paper = None
    if one.runs.task.paper_name == "MRPC" and kind == "paraphrase":
        paper = published.PARAPHRASE_CUES.get(removed)
    elif one.runs.task.paper_name == "SST-2" and kind == "polarity":
        paper = published.POLARITY_CUES.get(classes_of(removed))
    return {
        "task": one.runs.task.title,
        "removed": removed,
        "kind": kind,
        "right": shares.right or none,
        "paper": paper.share if paper else Missing(NOT_PRINTED),
        "wrong": shares.wrong or none,
        "difference": shares.difference or none,
        "p": none if shares.p_value is None else shares.p_value,
    }


def _sentences(config: Config, results: Results, one: Found) -> list[Item]:
    """Table 4: sentences that the baseline has right without a class, and the polar words that are left in them."""
    jobs = {name: job for name in config.classes if (job := cue_jobs(config, one.runs.task, name).get("polarity"))}
    if not jobs:
        return []
    removed = "NOUN" if "NOUN" in jobs else next(iter(jobs))
    runs, texts = one.runs, results[data_job(config, one.runs.task, "test", Version(removed))].texts
    lexicon = load_lexicon(runs.test, config.why.lexicon)
    chosen = np.flatnonzero(results[jobs[removed]] & is_right(runs, removed))[:MOST_SENTENCES]
    rows: list[dict[str, Cell]] = []
    for row in chosen:
        words = lexicon.found(texts[row])
        left = "; ".join(f"{side}: {', '.join(found)}" for side, found in words.items() if found)
        gold = runs.classes[int(runs.gold[row])]
        rows.append({"original": runs.test.texts[row], "left": texts[row], "words": left, "gold": gold})
    columns = [
        Column("original", "Original sentence"),
        Column("left", f"Without {removed}"),
        Column("words", "Polar words left"),
        Column("gold", "Gold label"),
    ]
    title = f"{runs.task.title}: sentences solved without {removed} that still hold a word of their polarity"
    keys = [jobs[removed].key]
    return [Table(f"sentences-{runs.task.slug}", title, columns, rows, "The first few.", keys)] if rows else []


def _cloze(config: Config, results: Results, found: Sequence[Found]) -> list[Item]:
    """Table 5: how often a masked language model fills in the first removed word, in both texts."""
    asked = [(one, name, job) for one in found for name, job in cloze_jobs(config, one.runs.task).items()]
    rows = [_cloze_row(one, name, guesses) for one, name, job in asked if (guesses := results[job])]
    keys = [job.key for _, _, job in asked]
    if not rows:
        return []
    columns = [
        Column("task", "Task"),
        Column("removed", "Removed"),
        Column("original", "In the original", 1, "%"),
        Column("paper_original", "In the original", 1, "%", "RoBERTa-base", published=True),
        Column("corrupted", "In the corrupted text", 1, "%"),
        Column("paper_corrupted", "In the corrupted text", 1, "%", "RoBERTa-base", published=True),
        Column("difference", "Original − corrupted", 1, "points"),
        Column("p", "p", 3, "p-value", "McNemar, mid-p, not adjusted"),
        Column("pieces", "Words of several pieces", note="which one mask cannot stand for: counted as wrong"),
    ]
    lower = sum(isinstance(d := row["difference"], Estimate) and d.low > 0 for row in rows)
    title = f"The first removed word is easier to guess in the original text in {lower} of {len(rows)} cases"
    return [Table("masked-words", title, columns, rows, "Each distinct text once.", keys)]


def _cloze_row(one: Found, removed: str, guesses: Sequence[ClozeGuess]) -> dict[str, Cell]:
    accuracy = cloze_accuracy(guesses)
    row: dict[str, Cell] = {
        "task": one.runs.task.title,
        "removed": removed,
        "original": accuracy.original,
        "corrupted": accuracy.corrupted,
        "difference": accuracy.difference,
        "p": accuracy.p_value,
        "pieces": accuracy.n_several_pieces,
    }
    for text in ("original", "corrupted"):
        paper = published.MASKED_WORDS.get((removed, text)) if one.runs.task.paper_name == "MRPC" else None
        row[f"paper_{text}"] = Missing(NOT_PRINTED) if paper is None else paper / 100
    return row
