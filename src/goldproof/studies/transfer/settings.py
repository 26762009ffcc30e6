"""The settings: corpus, languages, model, runs, checkpoints, and how to judge; and the two presets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from goldproof.jobs.names import named
from goldproof.studies.rules import are_distinct, check_settings
from goldproof.studies.transfer.toy import GENERATED
from goldproof.training.recipe import Precision, Schedule

SIB200 = ("ar", "bg", "de", "el", "es", "fr", "hi", "it", "ja", "pt", "ru", "sv", "sw", "th", "tr", "ur", "vi", "zh")


@named("transfer.Data")
@dataclass(frozen=True)
class Data:
    """Which rows: the split to train on, a share of it to hold out as development set, limits, and the data root.

    `dev_share` is for corpora whose development set is the only labelled data: rows are held out of the training split
    in every language whose rows are translations of the source's. 0 in `most_train` and `most_evaluated` means all.
    """

    train_split: str = "train"
    dev_share: float = 0.0
    most_train: int = 0
    most_evaluated: int = 0
    root: str = ""


@named("transfer.Training")
@dataclass(frozen=True)
class Training:
    """How to fine-tune; `patience` checkpoints without a better source dev end a run, 0 for never."""

    epochs: float = 10.0
    batch: int = 32
    learning_rate: float = 2e-5
    schedule: Schedule = "constant"
    warmup: float = 0.0
    max_length: int = 128
    precision: Precision = "float32"
    patience: int = 0


@named("transfer.Analysis")
@dataclass(frozen=True)
class Analysis:
    """How to judge.

    Pairs of checkpoints count when test differs by `threshold`; a tie in dev counts as `ties`; pairs lie within a run
    unless `across_runs`. A score may be off by `margin` through luck and still be claimed. `metric` is the task's own
    unless given (accuracy, mcc or macro_f1).
    """

    metric: str = ""
    threshold: float = 0.005
    ties: float = 0.5
    across_runs: bool = False
    margin: float = 0.02


@named("transfer.Config")
@dataclass(frozen=True)
class Config:
    """Settings: corpus, languages, model, runs, and a checkpoint after every share of the steps or of the data.

    With `average_weights` each run also keeps the mean of its checkpoints' weights, as one more model to choose.
    """

    corpus: str = "sib200"
    task: Literal["text", "pair", "tokens"] = "text"
    source: str = "en"
    targets: tuple[str, ...] = SIB200
    model: str = "intfloat/multilingual-e5-small"
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
    every: float = 0.02
    of: Literal["steps", "data"] = "steps"
    average_weights: bool = False
    data: Data = field(default_factory=Data)
    training: Training = field(default_factory=Training)
    analysis: Analysis = field(default_factory=Analysis)

    def __post_init__(self) -> None:
        """Refuse settings that make no sense."""
        check_settings(self, _rules(self))


def _rules(c: Config) -> list[tuple[str, bool, str]]:
    data, training, analysis = c.data, c.training, c.analysis
    return [
        ("targets", bool(c.targets), "at least one language"),
        ("targets", len({c.source, *c.targets}) == len(c.targets) + 1, "different languages, no source"),
        ("seeds", are_distinct(c.seeds) and bool(c.seeds), "at least one seed, none twice"),
        ("every", 0 < c.every <= 1 / 3, "a share above 0 and at most 1/3, so that there are 3 checkpoints"),
        ("task", c.task in ("text", "pair", "tokens"), "text, pair or tokens"),
        ("of", c.of in ("steps", "data"), "steps or data"),
        ("data.dev_share", 0 <= data.dev_share < 1, "a share from 0 to below 1"),
        ("data.most_train", data.most_train >= 0, "0 or a number of rows"),
        ("data.most_evaluated", data.most_evaluated >= 0, "0 or a number of rows"),
        ("training.patience", training.patience >= 0, "0 or a number of checkpoints"),
        ("analysis.margin", 0 < analysis.margin < 1, "a share above 0 and below 1"),
        ("analysis.ties", 0 <= analysis.ties <= 1, "from 0 to 1"),
        ("analysis.threshold", 0 <= analysis.threshold < 1, "from 0 to below 1"),
    ]


PAPER = Config(
    corpus="mldoc",
    targets=("de", "es", "fr", "it", "ja", "ru", "zh"),
    model="bert-base-multilingual-cased",
    of="data",
    training=Training(epochs=20, learning_rate=2e-6, max_length=256, patience=50),
)
TINY = Config(
    corpus=GENERATED,
    source="xa",
    targets=("xb", "xc", "xd"),
    model="fake",
    seeds=(0, 1, 2, 3, 4),
    every=0.05,
    average_weights=True,
    data=Data(most_train=300, most_evaluated=120),
    training=Training(epochs=4, batch=16, learning_rate=0.01),
)
