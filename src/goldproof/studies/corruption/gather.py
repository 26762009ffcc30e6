"""Everything that the report shows, out of the store or out of a file of kept answers.

What trainings answered is kept as Answers, mean probabilities beside them, the rest as facts. Of the texts only those
stay that the page shows; to render it again takes no model, corpus, tagger or list of words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np

from goldproof.builders.corruption.texts import ControlGap, CorruptionTally
from goldproof.data.answers import Answers, Bounds
from goldproof.data.dataset import Dataset
from goldproof.jobs import Job, Results
from goldproof.jobs.names import named
from goldproof.measures.cloze import ClozeGuess
from goldproof.measures.information import solved_examples
from goldproof.statistics.arrays import Array
from goldproof.studies.corruption.plan import (
    SPLITS,
    CorruptionCell,
    cloze_jobs,
    count_job,
    cue_classes,
    cue_jobs,
    gap_job,
    lexicon_of,
)
from goldproof.studies.corruption.scores import TaskAnswers, find_information, is_right, load_runs
from goldproof.studies.corruption.settings import Config
from goldproof.studies.corruption.steps import load_lexicon
from goldproof.studies.corruption.tasks import ORIGINAL, CorruptionTask, Version, data_job, find_tasks
from goldproof.studies.kept import KeptAnswers
from goldproof.studies.kept_values import pack, unpack

MOST_EXAMPLES = 8
MOST_SENTENCES = 6
SHARES = "shares"


@named("corruption.SolvedItem")
@dataclass(frozen=True, slots=True)
class SolvedItem:
    """An item that is solved without a class: its row among the test items, what is left of it, and what it was."""

    row: int
    texts: tuple[str, ...]
    original: str


@named("corruption.LeftSentence")
@dataclass(frozen=True, slots=True)
class LeftSentence:
    """A sentence, what is left of it, the polar words in that, and its label."""

    original: str
    left: str
    words: str
    gold: str


@named("corruption.TaskFacts")
@dataclass(frozen=True, slots=True, eq=False)
class TaskFacts:
    """What the report shows of a task beside its answers.

    By split what each removal did to the texts, and how near its control came; by class and kind of cue which test
    items hold one; by class the masked words; the items solved without each class; sentences that still hold a word of
    their polarity, of those without `sentences_of`; and the keys of the jobs behind all of it.
    """

    tallies: dict[str, list[CorruptionTally]] = field(default_factory=dict)
    gaps: dict[str, list[ControlGap]] = field(default_factory=dict)
    cues: dict[str, dict[str, Array]] = field(default_factory=dict)
    guesses: dict[str, list[ClozeGuess]] = field(default_factory=dict)
    solved: dict[str, list[SolvedItem]] = field(default_factory=dict)
    sentences: list[LeftSentence] = field(default_factory=list)
    sentences_of: str = ""
    keys: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class TaskValues:
    """One task: what its trainings answered, and the facts beside it."""

    runs: TaskAnswers
    facts: TaskFacts


def gather(config: Config, results: Results) -> list[TaskValues]:
    """The values of settled settings with one model, by task."""
    return [_gather_task(config, results, task) for task in find_tasks(config)]


def strictest(config: Config) -> str:
    """The setting in which the class is missing from most: both, else test, else train."""
    return next(name for name in ("both", "test", "train") if name in config.settings)


def told_versions(config: Config, task: CorruptionTask) -> list[tuple[Version, Version]]:
    """What was trained on and tested on where bits are told: all words, and without each class."""
    strict = [CorruptionCell(task, removed, strictest(config)) for removed in config.classes]
    return [(ORIGINAL, ORIGINAL), *((cell.trained_on(), cell.tested_on()) for cell in strict)]


def _gather_task(config: Config, results: Results, task: CorruptionTask) -> TaskValues:
    runs = load_runs(config, results, task)
    runs = replace(runs, shares=_shares(config, runs))
    cues = {removed: jobs for removed in cue_classes(config, task) if (jobs := cue_jobs(config, task, removed))}
    found = {removed: {kind: np.asarray(results[job]) for kind, job in jobs.items()} for removed, jobs in cues.items()}
    counts: dict[str, Job[Any]] = {split: count_job(config, task, split) for split in SPLITS}
    gaps: dict[str, Job[Any]] = {split: job for split in SPLITS if (job := gap_job(config, task, split)) is not None}
    cloze: dict[str, Job[Any]] = {**cloze_jobs(config, task)}
    sentences_of, sentences = _sentences(config, results, runs, found)
    facts = TaskFacts(
        {split: results[job] for split, job in counts.items()},
        {split: results[job] for split, job in gaps.items()},
        found,
        {name: results[job] for name, job in cloze.items()},
        {removed: _solved(config, results, runs, removed) for removed in config.classes},
        sentences,
        sentences_of,
        {
            **{f"count/{split}": job.key for split, job in counts.items()},
            **{f"gap/{split}": job.key for split, job in gaps.items()},
            **{f"cue/{removed}/{kind}": job.key for removed, jobs in cues.items() for kind, job in jobs.items()},
            **{f"cloze/{name}": job.key for name, job in cloze.items()},
        },
    )
    return TaskValues(runs, facts)


def _shares(config: Config, runs: TaskAnswers) -> dict[tuple[Version, Version], Array]:
    """The mean probabilities over the trainings that work, items × classes, of what the page tells bits of."""
    found = {}
    for versions in told_versions(config, runs.task):
        given = runs.working(*versions).probabilities if versions in runs.answers else None
        if given is not None:
            found[versions] = given.mean(axis=0).astype(np.float32)
    return found


def _solved(config: Config, results: Results, runs: TaskAnswers, removed: str) -> list[SolvedItem]:
    """The items that are right with most bits to spare though the class is missing, among those that lost a word."""
    cell = CorruptionCell(runs.task, removed, strictest(config))
    information = find_information(runs, cell.trained_on(), cell.tested_on())
    if information is None:
        return []
    before, after = (_texts(results, config, runs.task, version) for version in (ORIGINAL, cell.tested_on()))
    rows = [row for row in solved_examples(information) if before[row] != after[row]][:MOST_EXAMPLES]
    return [SolvedItem(int(row), after[row], " ‖ ".join(before[row])) for row in rows]


def _texts(results: Results, config: Config, task: CorruptionTask, version: Version) -> list[tuple[str, ...]]:
    """The one or two texts of each test item."""
    data: Dataset = results[data_job(config, task, "test", version)]
    return [tuple(text for text in both if text is not None) for both in zip(data.texts, data.pairs, strict=True)]


def _sentences(
    config: Config, results: Results, runs: TaskAnswers, cues: Mapping[str, Mapping[str, Array]]
) -> tuple[str, list[LeftSentence]]:
    """Sentences that the baseline has right without a class, nouns where they are removed, and polar words in them."""
    there = [removed for removed, kinds in cues.items() if "polarity" in kinds]
    if not there:
        return "", []
    removed = "NOUN" if "NOUN" in there else there[0]
    original: Dataset = results[data_job(config, runs.task, "test")]
    texts = results[data_job(config, runs.task, "test", Version(removed))].texts
    lexicon = load_lexicon(original, lexicon_of(config))
    chosen = np.flatnonzero(cues[removed]["polarity"] & is_right(runs, removed))[:MOST_SENTENCES]
    found = []
    for row in chosen.tolist():
        words = lexicon.found(texts[row])
        left = "; ".join(f"{side}: {', '.join(found)}" for side, found in words.items() if found)
        found.append(LeftSentence(original.texts[row], texts[row], left, runs.classes[int(runs.gold[row])]))
    return removed, found


def keep_gathered(gathered: Sequence[TaskValues]) -> KeptAnswers:
    """What was gathered as answers and facts."""
    answers = dict(chain.from_iterable(_named(values.runs) for values in gathered))
    facts = {
        values.runs.task.name: {
            "n_train": values.runs.n_train,
            "prior": np.asarray(values.runs.prior, float).tolist(),
            "truncated": values.runs.truncated,
            "trainings": {str(version): list(keys) for version, keys in values.runs.keys.items()},
            "values": pack({"facts": values.facts}),
        }
        for values in gathered
    }
    return KeptAnswers(answers, facts)


def _named(runs: TaskAnswers) -> list[tuple[str, Answers]]:
    """The answers of a task by name, and the mean probabilities as scores of the classes."""
    found = []
    for (trained, tested), each in runs.answers.items():
        kept = each if runs.classes else replace(each, runs=np.asarray(each.runs, np.float32))
        found.append((f"{runs.task.name} | {trained} | {tested}", replace(kept, probabilities=None, texts=None)))
    for (trained, tested), shares in runs.shares.items():
        plain = runs.answers[trained, tested]
        scores = replace(
            plain, task="score", labels=(), runs=shares.T.astype(float), run_names=runs.classes, probabilities=None,
            gold=np.zeros(len(shares)), bounds=Bounds(), absent=None, reasons=(), texts=None,
        )  # fmt: skip
        found.append((f"{runs.task.name} | {trained} | {tested} | {SHARES}", scores))
    return found


def gathered_from(config: Config, kept: KeptAnswers) -> list[TaskValues]:
    """What was kept, as it was gathered."""
    return [_gathered_task(task, kept) for task in find_tasks(config)]


def _gathered_task(task: CorruptionTask, kept: KeptAnswers) -> TaskValues:
    facts = kept.facts[task.name]
    answers: dict[tuple[Version, Version], Answers] = {}
    shares: dict[tuple[Version, Version], Array] = {}
    for name, each in kept.part(f"{task.name} | ").answers.items():
        trained, tested, *what = name.split(" | ")
        versions = _version(trained), _version(tested)
        if what:
            shares[versions] = np.ascontiguousarray(each.runs.T, np.float32)
        else:
            answers[versions] = each
    runs = TaskAnswers(
        task,
        facts["n_train"],
        np.array(facts["prior"], float),
        answers,
        facts["truncated"],
        {_version(name): tuple(keys) for name, keys in facts["trainings"].items()},
        shares,
    )
    return TaskValues(runs, unpack(facts["values"])["facts"])


def _version(text: str) -> Version:
    """The version of this name.

    >>> [_version(str(each)) for each in (Version(), Version("NOUN", "random"))]
    [Version(removed='', kind='remove'), Version(removed='NOUN', kind='random')]
    """
    removed, _, kind = text.partition("/")
    return ORIGINAL if text == str(ORIGINAL) else Version(removed, "random" if kind else "remove")
