"""The findings: accuracy over the size of the data, and how far the seed alone moves it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from goldproof.jobs import Results
from goldproof.report.charts import Caption, curves
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.numbers import estimate_text, in_words
from goldproof.report.summary import Answer, Cell, Claim, Column, Figure, Report, Section
from goldproof.statistics.arrays import Array
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.metrics import encode_labels, metric
from goldproof.statistics.runs import runs_interval
from goldproof.studies.demo.plan import Config, prediction_job


@dataclass(frozen=True, slots=True, eq=False)
class _Size:
    """The runs with so many training reviews: the score of each seed, and their mean with its interval."""

    size: int
    scores: Array
    accuracy: Estimate

    @property
    def spread(self) -> float:
        """How far the highest seed is above the lowest."""
        return float(self.scores.max()) - float(self.scores.min())


_FIELDS: tuple[Field[_Size], ...] = (
    Field(Column("size", "Reviews"), lambda row: row.size),
    Field(Column("seeds", "Seeds"), lambda row: len(row.scores)),
    Field(
        Column("accuracy", "Accuracy", 1, "%", "mean over seeds; interval over seeds and test items"),
        lambda row: row.accuracy,
    ),
    Field(
        Column("sd", "SD over seeds", 1, "points"),
        lambda row: float(row.scores.std(ddof=1)) if len(row.scores) > 1 else None,
    ),
    Field(Column("low", "Lowest seed", 1, "%"), lambda row: float(row.scores.min())),
    Field(Column("high", "Highest seed", 1, "%"), lambda row: float(row.scores.max())),
)


def report(config: Config, results: Results) -> Report:
    """Accuracy by size with intervals over seeds and items."""
    rows = [_score(config, results, size) for size in config.sizes]
    keys = [prediction_job(config, size, seed).key for size in config.sizes for seed in config.seeds]
    widest = max(rows, key=lambda row: row.spread)
    title = f"With {widest.size} reviews, another seed moves the score by up to {100 * widest.spread:.1f} points"
    table = make_table(Heading("accuracy", title, f"{config.n_test} test reviews.", keys), _FIELDS, rows)
    last = rows[-1].accuracy
    reached = estimate_text(last, 1, "%")
    verdict: list[str | Claim] = [
        Claim(
            f"With {config.sizes[-1]} reviews a bag of words reaches {reached}.", "stated", last, 1, "%", "", "accuracy"
        ),
        f"{100 * config.noise:.0f} % of the labels are wrong on purpose: in the long run, no model can be right on "
        f"more than {100 * (1 - config.noise):.0f} %.",
    ]
    answer = Answer(
        "measured",
        f"By up to {100 * widest.spread:.1f} points",
        f"that is how far apart {len(config.seeds)} seeds with {widest.size} reviews are; the interval covers what a "
        "new seed would do, not only what these did.",
        figure=_figure(config, rows, table.rows),
    )
    question = "How far does a small score move with the seed?"
    return Report("demo", question, verdict, [Section("Accuracy", [table])], answer=answer)


def _score(config: Config, results: Results, size: int) -> _Size:
    tables = [results[prediction_job(config, size, seed)] for seed in config.seeds]
    gold = np.array(tables[0]["gold"].to_pylist())
    runs = np.array([table["prediction"].to_pylist() for table in tables])
    _, (gold, *coded) = encode_labels(gold, *runs)
    accuracy = metric("accuracy")
    scores = np.array([accuracy(gold, run) for run in coded])
    return _Size(size, scores, runs_interval(accuracy, gold, np.stack(coded)))


def _figure(config: Config, every: Sequence[_Size], rows: Sequence[Mapping[str, Cell]]) -> Figure:
    first, last = every[0], every[-1]
    span = f"From {first.size} to {last.size} reviews"
    title = f"{span} accuracy goes from {in_words(first.accuracy, 1, '%')} to {in_words(last.accuracy, 1, '%')}"
    caption = Caption("learning-curve", title, "Dashed: the share of labels that are right.")
    column = Column("accuracy", "Accuracy", 1, "%")
    return curves(rows, Column("size", "Reviews"), column, caption=caption, rule=1 - config.noise)
