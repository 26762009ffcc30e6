"""Answers of a language model to a set: runs are prompts × draws, and the labels are read off by a stated rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from goldproof.data.answers import Answers
from goldproof.data.dataset import Dataset
from goldproof.jobs import Results
from goldproof.models.replies import UNREAD, ReadLabels, Replies, read_replies
from goldproof.statistics.arrays import Array
from goldproof.studies.asked.plan import AskedRun, AskedSet, ask_jobs, runs_of
from goldproof.studies.shared import only_model


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


def asked_answers(config: Any, asked: AskedSet, results: Results) -> AskedAnswers:
    """The answers of all runs."""
    jobs = [job for row in ask_jobs(config, asked) for job in row]
    runs = runs_of(config, asked)
    replies = [results[job] for job in jobs]
    read = [_in_order(read_replies(each, config.prompts.rule), each, asked.labels) for each in replies]
    data = results[asked.items]
    answers = make_answers(config, asked, data, runs, read)
    return AskedAnswers(asked, answers, runs, replies, [job.key for job in jobs])


def make_answers(
    config: Any, asked: AskedSet, data: Dataset, runs: Sequence[Sequence[AskedRun]], read: Sequence[ReadLabels]
) -> Answers:
    """The labels that were read, as Answers."""
    tags = tuple(tuple(row) for row in data.table["tags"].to_pylist())
    pairs = [pair or "" for pair in data.pairs]
    probabilities = [each.probabilities for each in read]
    return Answers(
        where={"model": only_model(config.model).title, "dataset": asked.name, "language": asked.language},
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
