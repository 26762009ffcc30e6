"""The scores of a condition: accuracy over seeds and items, beside chance, and what its items are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from goldproof.builders.logic.build import find_task
from goldproof.jobs import Results
from goldproof.statistics.arrays import Array
from goldproof.statistics.chance_runs import runs_chance_band
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.metrics import metric
from goldproof.statistics.multiplicity import benjamini_hochberg
from goldproof.statistics.runs import runs_interval
from goldproof.studies.logic.plan import Condition, answers_job, corpus_job_of
from goldproof.studies.logic.settings import Config
from goldproof.studies.shared import parse_folder

ACCURACY = metric("accuracy")
DRAWS = 2_000


@dataclass(frozen=True, slots=True)
class Scored:
    """One condition on one test set: class numbers as runs × items, its accuracy, p against chance, and its job.

    `templates` and `sizes` have an entry for each item.
    """

    condition: Condition
    language: str
    gold: Array
    runs: Array
    accuracy: Estimate
    p_value: float
    templates: Array
    sizes: Array
    truncated: int
    key: str

    @property
    def n_constant(self) -> int:
        """How many runs give one answer to at least 97.5 % of the items: no evidence about inference."""
        return int(np.sum(np.abs((self.runs == 1).mean(axis=1) - 0.5) > 0.475))

    def within(self, items: Array) -> Estimate:
        """The accuracy on some items."""
        return runs_interval(ACCURACY, self.gold[items], self.runs[:, items])


def score(config: Config, results: Results, condition: Condition, language: str = "") -> Scored:
    """The scores of a condition on the test set of a language, its own unless given."""
    language = language or condition.language
    job = answers_job(config, condition)
    answers = results[job]
    corpus = corpus_job_of(config, condition.task, language, condition.shared_names, condition.preset)
    data = results[corpus].select(split="test")
    index = {name: code for code, name in enumerate(answers.classes)}
    gold = np.array([index[label] for label in data.table.column("label").to_pylist()])
    runs = answers.runs[language].astype(np.int64)
    chance = runs_chance_band(ACCURACY, gold, runs, np.random.default_rng(0), draws=DRAWS).p_value
    tags = [dict(tag.split(":", 1) for tag in tags) for tags in data.table.column("tags").to_pylist()]
    return Scored(
        condition,
        language,
        gold,
        runs,
        runs_interval(ACCURACY, gold, runs),
        chance,
        np.array([each["template"] for each in tags]),
        np.array([int(each["n"]) for each in tags]),
        answers.truncated.get(language, 0),
        job.key,
    )


def above_chance(scored: Sequence[Scored], level: float = 0.95) -> list[bool]:
    """Which scores are above chance: for these seeds, false discoveries controlled over all that are given, and for
    other seeds, by the interval.
    """
    adjusted = benjamini_hochberg(np.array([each.p_value for each in scored]))
    return [bool(p < 1 - level and each.accuracy.low > 0.5) for p, each in zip(adjusted, scored, strict=True)]


def task_title(task: str) -> str:
    """A task with its number.

    >>> task_title("counting"), task_title("1")
    ('6 counting', '1 negation')
    """
    found = find_task(task)
    return f"{found.number} {found.value}"


def model_title(model: str) -> str:
    """A model's name; an encoder's is the one it was given, else that of its folder."""
    return parse_folder(model).title
