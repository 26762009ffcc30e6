"""The jobs: generate short reviews, then fit a bag of words on samples of several sizes, each with several seeds.

A review names a thing and two opinions of it. Its label follows the second opinion, and is flipped with probability
`noise`; so the best score that words alone can reach is 1 - noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from goldproof.errors import UsageError
from goldproof.jobs import Job, step
from goldproof.jobs.names import named

_THINGS = ("film", "book", "song", "meal", "hotel", "phone", "lecture", "museum", "train", "garden")
_GOOD = ("good", "lovely", "clever", "fresh", "moving", "brilliant", "warm", "funny", "solid", "rare")
_BAD = ("bad", "dull", "clumsy", "stale", "noisy", "awful", "cold", "sad", "weak", "bland")


@named("demo.Config")
@dataclass(frozen=True)
class Config:
    """Settings of the demo."""

    sizes: tuple[int, ...] = (50, 100, 200, 400, 800)
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    n_test: int = 1000
    noise: float = 0.15

    def __post_init__(self) -> None:
        """Refuse settings that make no sense."""
        if not self.sizes or not self.seeds:
            raise UsageError("the settings 'sizes' and 'seeds' must each name at least one number")
        if min(self.sizes) < 10 or self.n_test < 10:
            raise UsageError(f"'sizes' and 'n_test' must be at least 10, got {self.sizes} and {self.n_test}")
        if len(set(self.seeds)) < len(self.seeds):
            raise UsageError(f"the setting 'seeds' repeats a seed: {self.seeds}")
        if not 0 <= self.noise < 0.5:
            raise UsageError(f"the setting 'noise' must be at least 0 and below 0.5, got {self.noise}")


PAPER = Config()
TINY = Config(sizes=(50, 100), seeds=(0, 1), n_test=200)


def jobs(config: Config) -> list[Job[pa.Table]]:
    """The predictions of every size and seed on one test set."""
    return [prediction_job(config, size, seed) for size in config.sizes for seed in config.seeds]


def prediction_job(config: Config, size: int, seed: int) -> Job[pa.Table]:
    """The job whose value is the predictions of one fit."""
    train = generate_reviews.job(n=max(config.sizes) * 2, noise=config.noise, seed=1)
    test = generate_reviews.job(n=config.n_test, noise=config.noise, seed=2)
    return fit_and_predict.job(train=train, test=test, size=size, seed=seed)


@step(version=1, name="goldproof.demo.generate_reviews")
def generate_reviews(n: int, noise: float, seed: int) -> pa.Table:
    """A table of n reviews: id, text, gold."""
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.5
    firsts, seconds = rng.random(n) < 0.5, labels ^ (rng.random(n) < noise)
    words = np.array([_BAD, _GOOD])
    opinions = words[firsts.astype(int), rng.integers(10, size=n)], words[seconds.astype(int), rng.integers(10, size=n)]
    things = np.array(_THINGS)[rng.integers(10, size=n)]
    texts = [f"the {t} seemed {a} but it was {b} in the end" for t, a, b in zip(things, *opinions, strict=True)]
    gold = np.where(labels, "good", "bad").tolist()
    return pa.table({"id": [str(i) for i in range(n)], "text": texts, "gold": gold})


@step(version=1, name="goldproof.demo.fit_and_predict")
def fit_and_predict(train: pa.Table, test: pa.Table, size: int, seed: int) -> pa.Table:
    """Fit word pairs of a random sample of the training rows, and predict the test rows."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    rows = np.random.default_rng(seed).choice(train.num_rows, size, replace=False)
    sample = train.take(rows)
    model = make_pipeline(CountVectorizer(ngram_range=(1, 2)), LogisticRegression(max_iter=1000))
    model.fit(sample["text"].to_pylist(), sample["gold"].to_pylist())
    predicted = model.predict(test["text"].to_pylist()).tolist()
    return pa.table({"id": test["id"], "gold": test["gold"], "prediction": predicted})
