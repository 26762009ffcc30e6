"""Answers of a language model to a set: runs are prompts × draws, and the labels are read off by a stated rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import numpy as np

from goldproof.data.answers import Answers
from goldproof.data.dataset import Dataset
from goldproof.jobs import Results
from goldproof.jobs.names import named
from goldproof.models.replies import ReadLabels, Replies, read_replies
from goldproof.models.text_labels import UNREAD
from goldproof.statistics.arrays import Array
from goldproof.studies.asked.plan import AskedRun, AskedSet, ask_jobs, runs_of, way_of
from goldproof.studies.kept import KeptAnswers
from goldproof.studies.shared import Prompts, only_model

ASKED = "asked"
"""Under which name the facts of a language model are kept."""


@named("asked.PromptFacts")
@dataclass(frozen=True, slots=True)
class PromptFacts:
    """What a report says of a prompt: its name, its language, the word of each label, and the first question."""

    name: str
    language: str
    words: tuple[tuple[str, str], ...]
    shown: str


@named("asked.AskedFacts")
@dataclass(frozen=True, slots=True)
class AskedFacts:
    """What a report says of a set beside its Answers: how it was asked, by which prompts, what could not be read.

    With these and the Answers a report is rendered again, without model, data or store.
    """

    name: str
    language: str
    title: str
    kind: str
    how: Prompts
    prompts: tuple[PromptFacts, ...]
    unread: dict[str, int]
    n_cut: int
    keys: tuple[str, ...]

    @property
    def n_prompts(self) -> int:
        """How many prompts were asked."""
        return len(self.prompts)


@dataclass(frozen=True, slots=True)
class AskedAnswers:
    """What was answered about a set: Answers whose runs are prompts × draws, prompt by prompt.

    `replies` has one entry for each run. An answer of which no label could be read is missing, with its reason.
    """

    asked: AskedSet
    answers: Answers
    runs: Sequence[Sequence[AskedRun]]
    replies: Sequence[Replies]
    keys: Sequence[str]

    @property
    def n_prompts(self) -> int:
        """How many prompts were asked."""
        return len(self.runs)

    @property
    def n_draws(self) -> int:
        """How many draws of examples, or samples, each prompt met."""
        return len(self.runs[0])

    def unread(self) -> dict[str, int]:
        """How many answers named no label, by the reason."""
        assert self.answers.absent is not None
        counts = Counter(self.answers.absent.ravel().tolist())
        return {reason: counts[code] for code, reason in enumerate(UNREAD, 1) if counts[code]}

    @property
    def n_cut(self) -> int:
        """How many questions lost their beginning, over all runs."""
        return sum(each.n_cut for each in self.replies)

    def facts(self, config: Any) -> AskedFacts:
        """What a report says beside the Answers."""
        asked = self.asked
        firsts = [(row[0].prompt, self.replies[place * self.n_draws]) for place, row in enumerate(self.runs)]
        prompts = [PromptFacts(prompt.name, prompt.language, prompt.labels, said.shown) for prompt, said in firsts]
        return AskedFacts(
            name=asked.name,
            language=asked.language,
            title=asked.title,
            kind=asked.kind,
            how=replace(way_of(config, asked), file=PurePath(way_of(config, asked).file).name),
            prompts=tuple(prompts),
            unread=self.unread(),
            n_cut=self.n_cut,
            keys=tuple(self.keys),
        )


def asked_answers(config: Any, asked: AskedSet, results: Results) -> AskedAnswers:
    """The answers of all runs."""
    jobs = [job for row in ask_jobs(config, asked) for job in row]
    runs = runs_of(config, asked)
    replies = [results[job] for job in jobs]
    rule, spoken = way_of(config, asked).rule, [run.prompt.language for row in runs for run in row]
    pairs = zip(replies, spoken, strict=True)
    read = [_in_order(read_replies(each, rule, language), each, asked.labels) for each, language in pairs]
    data = results[asked.items]
    answers = make_answers(config, asked, data, runs, read)
    return AskedAnswers(asked, answers, runs, replies, [job.key for job in jobs])


def is_kept_asked(kept: KeptAnswers) -> bool:
    """Whether kept answers are those of language models that were asked."""
    return any(name.rpartition("/")[2] == ASKED for name in kept.facts)


def make_answers(
    config: Any, asked: AskedSet, data: Dataset, runs: Sequence[Sequence[AskedRun]], read: Sequence[ReadLabels]
) -> Answers:
    """The labels that were read, as Answers."""
    dataset = ", ".join(filter(None, (asked.name, asked.part)))
    tags = tuple(tuple(row) for row in data.table["tags"].to_pylist())
    pairs = [pair or "" for pair in data.pairs]
    probabilities = [each.probabilities for each in read]
    return Answers(
        where={"model": only_model(config.model).title, "dataset": dataset, "language": asked.language},
        step=None,
        task="classification",
        labels=asked.labels,
        ids=np.array(data.table["id"].to_pylist(), object),
        gold=np.array([asked.labels.index(str(label)) for label in data.table["label"].to_pylist()]),
        runs=np.array([each.codes for each in read]),
        run_names=tuple(run.name for row in runs for run in row),
        tags=tags if any(tags) else None,
        texts={"text": data.texts, **({"pair": pairs} if any(pairs) else {})},
        probabilities=None if any(p is None for p in probabilities) else np.array(probabilities),
        run_kind="prompt",
        absent=np.array([each.absent for each in read]),
        reasons=UNREAD,
    )


def _in_order(read: ReadLabels, replies: Replies, labels: tuple[str, ...]) -> ReadLabels:
    """The labels by their places in the data, not in the prompt."""
    place: Array = np.array([*(labels.index(label) for label in replies.labels), -1])
    shares = read.probabilities
    columns = [replies.labels.index(label) for label in labels]
    return ReadLabels(place[read.codes], read.absent, None if shares is None else shares[:, columns])
