"""A study: what always answering the most frequent label would score on other test sets of this size."""

from dataclasses import dataclass

import numpy as np

from goldproof import Estimate, Job, Report, Results, named, step
from goldproof.errors import UsageError
from goldproof.report import Claim, Column, Section, Table

question = "How far does a guesser's score move with the test set?"


@named("example.Config")
@dataclass(frozen=True)
class Config:
    """Settings: how frequent the most frequent label is, sizes of the test set, and how many of each are drawn."""

    share: float = 0.6
    sizes: tuple[int, ...] = (100, 400, 1600)
    draws: int = 1000

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise UsageError(f"the setting 'share' must be above 0 and below 1, got {self.share}")


PAPER = Config()
TINY = Config(sizes=(100,), draws=50)


@step(version=1, name="example.guess")
def guess(share: float, size: int, draws: int) -> list[float]:
    """The scores of the guesser on so many test sets of this size."""
    return (np.random.default_rng(0).binomial(size, share, draws) / size).tolist()


def jobs(config: Config) -> list[Job]:
    return [guess.job(config.share, size, config.draws) for size in config.sizes]


def report(config: Config, results: Results) -> Report:
    rows = []
    for size, job in zip(config.sizes, jobs(config), strict=True):
        low, high = np.quantile(results[job], [0.025, 0.975])
        scores = Estimate(config.share, float(low), float(high), f"{config.draws} test sets", size)
        rows.append({"size": size, "score": scores})
    columns = [Column("size", "Items"), Column("score", "Accuracy", 1, "%", "where 95 % of the test sets lie")]
    widest = rows[0]["score"]
    text = f"With {rows[0]['size']} items, 95 % of the guesser's scores lie from {widest.low:.2f} to {widest.high:.2f}."
    table = Table("guessing", "What a guesser scores", columns, rows)
    return Report("guessing", question, [Claim(text, "stated")], [Section("Scores", [table])])
