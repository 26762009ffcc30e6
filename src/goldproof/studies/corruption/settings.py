"""The settings: tasks, word classes, which data are corrupted, seeds, controls, and how to train."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

from goldproof.builders.corruption.removal import Corruption
from goldproof.builders.corruption.texts import check_tagger
from goldproof.builders.tagging import TaggerName, choose_tagger
from goldproof.builders.tagging.tagset import check_classes
from goldproof.data.corpora.catalog import find_corpus
from goldproof.jobs.names import named
from goldproof.studies.corruption.published import CLASSES, SETTINGS
from goldproof.studies.corruption.toy import TASKS as GENERATED
from goldproof.studies.rules import are_distinct, check_settings
from goldproof.training.recipe import Precision

GLUE = ("glue/cola", "glue/mnli", "glue/mrpc", "glue/qnli", "glue/qqp", "glue/rte", "glue/sst2", "glue/stsb")
LEXICONS = ("opinion", "vader", "none")


@named("corruption.Own")
@dataclass(frozen=True)
class Own:
    """A dataset of one's own: a file to train on and one to test on (the same where its column `split` tells them).

    The other settings name columns; what is left empty is guessed from common names. A `score` makes it a regression.
    """

    train: str = ""
    test: str = ""
    text: str = ""
    pair: str = ""
    label: str = ""
    score: str = ""


@named("corruption.Data")
@dataclass(frozen=True)
class Data:
    """Where corpora of the catalog come from (files under `root`, or the hub), and how many training rows to take.

    `root` is the environment variable GOLDPROOF_DATA unless given; 0 rows means all.
    """

    source: Literal["files", "hub"] = "files"
    root: str = ""
    most_train: int = 0


@named("corruption.Removal")
@dataclass(frozen=True)
class Removal:
    """How words are removed: the language of the texts, the tagger (the language's own unless named), the preset.

    `offsets` leaves what stays as it was; `paper` joins tokens as the paper's tools did. `seed` is that of the control.
    """

    language: str = "en"
    tagger: str = ""
    preset: str = "offsets"
    seed: int = 0


@named("corruption.Training")
@dataclass(frozen=True)
class Training:
    """How to fine-tune."""

    epochs: float = 3.0
    batch: int = 32
    learning_rate: float = 2e-5
    warmup: float = 0.0
    max_length: int = 128
    precision: Precision = "float32"


@named("corruption.Why")
@dataclass(frozen=True)
class Why:
    """What is asked about the reasons.

    `paraphrases` and `polarity` name the tasks whose texts are searched for such cues, `lexicon` the list of polar
    words. `masked_model` is the folder of a masked language model, empty for none; it is asked for the first removed
    word of each text of the tasks in `cloze`, for the classes in `cloze_classes`.
    """

    paraphrases: tuple[str, ...] = ("glue/mrpc", "glue/qqp")
    polarity: tuple[str, ...] = ("glue/sst2",)
    lexicon: str = "opinion"
    masked_model: str = ""
    cloze: tuple[str, ...] = ("glue/mrpc",)
    cloze_classes: tuple[str, ...] = ("NOUN", "VERB")


@named("corruption.Config")
@dataclass(frozen=True)
class Config:
    """Settings of the corruption study.

    `tasks` are corpora of the catalog; `own` adds a dataset of one's own. `classes` are removed one after the other;
    several go together as NOUN+ADJ. `settings` says which data are corrupted: train, test or both. The control
    `random` removes as many random words from each text. A loss shown to be smaller than `margin` counts as none.
    """

    tasks: tuple[str, ...] = ("glue/cola", "glue/mrpc", "glue/rte", "glue/sst2", "glue/stsb")
    classes: tuple[str, ...] = CLASSES
    settings: tuple[str, ...] = SETTINGS
    control: Literal["random", "none"] = "random"
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    model: str = "roberta-base"
    margin: float = 0.05
    level: float = 0.95
    own: Own = field(default_factory=Own)
    data: Data = field(default_factory=Data)
    removal: Removal = field(default_factory=Removal)
    training: Training = field(default_factory=Training)
    why: Why = field(default_factory=Why)

    def __post_init__(self) -> None:
        """Refuse settings that make no sense."""
        for task in self.tasks:
            if task not in GENERATED:
                find_corpus(task)
        for name in (*self.classes, *self.why.cloze_classes):
            classes_of(name)
        check_settings(self, _rules(self))
        if any(task not in GENERATED for task in (*self.tasks, *filter(None, [self.own.train]))):
            check_tagger(tagger_of(self), [Corruption(("NOUN",), preset=self.removal.preset)])


def classes_of(name: str) -> tuple[str, ...]:
    """The word classes that a name stands for, sorted.

    >>> classes_of("NOUN+ADJ")
    ('ADJ', 'NOUN')
    """
    return check_classes(name.split("+"))


def tagger_of(config: Config) -> TaggerName:
    """The tagger of a configuration: the one named, else the preset's, else the language's own."""
    return _choose_tagger(config.removal)


@lru_cache(maxsize=16)
def _choose_tagger(removal: Removal) -> TaggerName:
    """Kept, since looking through the installed packages takes a while."""
    wanted = removal.tagger or Corruption(("NOUN",), preset=removal.preset).tagger
    return choose_tagger(removal.language, wanted)


def _rules(c: Config) -> Iterator[tuple[str, bool, str]]:
    removed = [classes_of(name) for name in c.classes]
    yield "tasks", are_distinct(c.tasks) and bool(c.tasks or c.own.train), "at least one task, none twice"
    yield "classes", are_distinct(removed) and bool(removed), "at least one word class, none twice"
    known = f"at least one of {', '.join(SETTINGS)}, none twice"
    yield "settings", are_distinct(c.settings) and {*c.settings} <= {*SETTINGS} and bool(c.settings), known
    yield "control", c.control in ("random", "none"), "random or none"
    yield "seeds", are_distinct(c.seeds) and bool(c.seeds), "at least one seed, none twice"
    yield "margin", 0 < c.margin < 1, "above 0 and below 1"
    yield "level", 0 < c.level < 1, "above 0 and below 1"
    own_name = Path(c.own.train).name.partition(".")[0]
    yield "own.train", own_name not in c.tasks, "a file that is not called as one of 'tasks'"
    yield "own.test", bool(c.own.train) or not c.own.test, "empty where 'own.train' is"
    yield "data.source", c.data.source in ("files", "hub"), "files or hub"
    yield "data.most_train", c.data.most_train >= 0, "0 or a number of rows"
    yield "why.lexicon", c.why.lexicon in LEXICONS, f"one of {', '.join(LEXICONS)}"


PAPER = Config(
    tasks=GLUE,
    control="none",
    seeds=(0,),
    data=Data(source="hub"),
    removal=Removal(preset="paper"),
)
TINY = Config(
    tasks=GENERATED,
    classes=("ADJ", "NOUN", "ADJ+ADV"),
    seeds=(0, 1, 2),
    model="fake",
    training=Training(epochs=3, batch=16, learning_rate=0.15, max_length=32),
    why=Why(paraphrases=("generated/paraphrase",), polarity=("generated/sentiment",)),
)
