"""A log: what one evaluation of one model on one task wrote down, with a score per item, and what was left out.

Every reader gives these. A log is read whole or refused; what it cannot tell is empty, never guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from goldproof.data.answers import Answers

RepeatRule = Literal["refuse", "first", "mean"]
"""What is done where one item of one run has two scores that differ."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under which conditions a log was written: what two logs should share before they are compared.

    `limit` is how many items were taken, the first ones; `n_shots` how many examples the prompt had; `prompts` is a
    digest of each item's prompt, in the order of the answers' items; `n_truncated` counts answers that were cut off.
    `settings` are others that the log names, such as the temperature, in its own words.
    """

    dataset_revision: str = ""
    n_shots: int | None = None
    limit: float | None = None
    seed: str = ""
    prompts: tuple[str, ...] = ()
    n_truncated: int = 0
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LogChoice:
    """What of a log is read, where it holds several: a task, a metric, a filter or scorer; None takes the headline.

    `repeats` says what is done with two scores of one item in one run that differ. `cluster` and `category` name a
    field of the items that says which go together, and of which kind they are. `bounds` are the lowest and the highest
    score an item can have, where the log does not say so. `unfinished` reads also an evaluation that did not end.
    `columns` says which column of a plain table is which, as in `{"id": "question", "score": "mark"}`.
    """

    task: str | None = None
    metric: str | None = None
    filter: str | None = None
    repeats: RepeatRule = "refuse"
    cluster: str | None = None
    category: str | None = None
    bounds: tuple[float, float] | None = None
    unfinished: bool = False
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Log:
    """One evaluation: a score per item (`answers` of the kind "score"), and what the harness says of it.

    `harness` is its name and version, `printed` its own aggregate of this metric, where it wrote one. `left_out` says
    for how many rows, and why, there is no score; `others` are the metrics (`metric/filter`) that were not read. `path`
    is the file, or the folder of a run, that it was read from.
    """

    harness: str
    model: str
    task: str
    metric: str
    filter: str
    answers: Answers
    printed: float | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    conditions: Conditions = Conditions()
    notes: tuple[str, ...] = ()
    path: Path | None = None

    def mean(self) -> float:
        """The mean over items of the mean over the runs that have a score, as harnesses print it."""
        scores = self.answers.runs
        present = ~np.isnan(scores)
        counts = present.sum(axis=0)
        sums = np.where(present, scores, 0.0).sum(axis=0)
        return float((sums[counts > 0] / counts[counts > 0]).mean()) if counts.any() else float("nan")

    def mean_over_answers(self) -> float:
        """The mean over all answers that have a score, in which an item that lacks some of its repeats weighs less."""
        present = self.answers.runs[~np.isnan(self.answers.runs)]
        return float(present.mean()) if present.size else float("nan")
