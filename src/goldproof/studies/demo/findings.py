"""The findings: accuracy over the size of the data, and how far the seed alone moves it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from goldproof.jobs import Results
from goldproof.report.charts import Caption, curves
from goldproof.report.numbers import in_words
from goldproof.report.summary import Cell, Claim, Column, Figure, Report, Section, Table
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.metrics import encode_labels, metric
from goldproof.statistics.runs import runs_interval
from goldproof.studies.demo.plan import Config, prediction_job


def report(config: Config, results: Results) -> Report:
    """Accuracy by size with intervals over seeds and items."""
    rows = [_row(config, results, size) for size in config.sizes]
    keys = [prediction_job(config, size, seed).key for size in config.sizes for seed in config.seeds]
    widest = max(rows, key=_spread)
    title = f"With {widest['size']} reviews another seed moves the score by up to {100 * _spread(widest):.1f} points"
    columns = [
        Column("size", "Reviews"),
        Column("seeds", "Seeds"),
        Column("accuracy", "Accuracy", 1, "%", "mean over seeds; interval over seeds and test items"),
        Column("sd", "SD over seeds", 1, "points"),
        Column("low", "Lowest seed", 1, "%"),
        Column("high", "Highest seed", 1, "%"),
    ]
    table = Table("accuracy", title, columns, rows, f"{config.n_test} test reviews.", keys)
    last = rows[-1]["accuracy"]
    assert isinstance(last, Estimate)
    reached = in_words(last, 1, "%")
    verdict: list[str | Claim] = [
        Claim(f"With {config.sizes[-1]} reviews a bag of words reaches {reached}.", "stated", last, 1, "%"),
        f"{100 * config.noise:.0f} % of the labels are wrong on purpose: in the long run no model can be right on "
        f"more than {100 * (1 - config.noise):.0f} %.",
        f"{title}; the interval says what a new seed would do, not only what these did.",
    ]
    return Report(
        "demo",
        "How far does a small score move with the seed?",
        verdict,
        [Section("Accuracy", [table, _figure(config, rows)])],
    )


def _spread(row: Mapping[str, Cell]) -> float:
    low, high = row["low"], row["high"]
    assert isinstance(low, float)
    assert isinstance(high, float)
    return high - low


def _row(config: Config, results: Results, size: int) -> dict[str, Cell]:
    tables = [results[prediction_job(config, size, seed)] for seed in config.seeds]
    gold = np.array(tables[0]["gold"].to_pylist())
    runs = np.array([table["prediction"].to_pylist() for table in tables])
    _, (gold, *coded) = encode_labels(gold, *runs)
    accuracy = metric("accuracy")
    scores = np.array([accuracy(gold, run) for run in coded])
    return {
        "size": size,
        "seeds": len(scores),
        "accuracy": runs_interval(accuracy, gold, np.stack(coded)),
        "sd": float(scores.std(ddof=1)) if len(scores) > 1 else None,
        "low": float(scores.min()),
        "high": float(scores.max()),
    }


def _figure(config: Config, rows: list[dict[str, Cell]]) -> Figure:
    first, last = (row["accuracy"] for row in (rows[0], rows[-1]))
    assert isinstance(first, Estimate)
    assert isinstance(last, Estimate)
    span = f"From {rows[0]['size']} to {rows[-1]['size']} reviews"
    title = f"{span} accuracy goes from {in_words(first, 1, '%')} to {in_words(last, 1, '%')}"
    caption = Caption("learning-curve", title, "Dashed: the share of labels that are right.")
    column = Column("accuracy", "Accuracy", 1, "%")
    return curves(rows, Column("size", "Reviews"), column, caption=caption, rule=1 - config.noise)
