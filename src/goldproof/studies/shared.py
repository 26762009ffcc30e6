"""What the studies share: one spelling of every setting that more than one has. No study imports another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from goldproof.jobs.names import named
from goldproof.models.protocols import Task
from goldproof.training.recipe import Precision, Recipe, Schedule

PAPER_RECIPE = Recipe(
    task="pair",
    epochs=10,
    batch=4,
    learning_rate=1e-5,
    schedule="linear",
    warmup=0.1,
    weight_decay=0.01,
    clip=1.0,
    dropout=0.1,
    max_length=256,
    evaluations=10,
)
"""How entailment is fine-tuned in the stability paper."""


@named("studies.Data")
@dataclass(frozen=True)
class Data:
    """What goes in; a study takes some of these, and refuses the others.

    `corpus` names the corpus. `train`, `validation` and `test` are files of one's own. `root` is the folder of the
    published corpora, GOLDPROOF_DATA unless given; with `hub` they are downloaded. `most_train` is the largest number
    of training rows; null means all.
    """

    corpus: str = ""
    train: str = ""
    validation: str = ""
    test: str = ""
    languages: tuple[str, ...] = ()
    root: str = ""
    hub: bool = False
    most_train: int | None = None

    def rules(self, taken: Sequence[str]) -> Iterator[tuple[str, bool, str]]:
        """What must hold of them in a study that takes some only."""
        for field in fields(self):
            if field.name not in taken:
                yield f"data.{field.name}", getattr(self, field.name) == field.default, "left out: it is not taken here"
        yield "data.most_train", self.most_train is None or self.most_train >= 1, "a whole number above 0, or left out"


@named("studies.Training")
@dataclass(frozen=True)
class Training:
    """How to fine-tune, where the study says what for; the names are those of a `Recipe`. No `max_length` means all."""

    epochs: float = 3.0
    batch: int = 32
    learning_rate: float = 2e-5
    schedule: Schedule = "linear"
    warmup: float = 0.0
    max_length: int | None = 128
    precision: Precision = "float32"
    evaluations: int = 1

    def recipe(self, task: Task) -> Recipe:
        """The whole recipe for a task."""
        return Recipe(
            task=task,
            epochs=float(self.epochs),  # a whole number in a file of settings must give the same key
            batch=self.batch,
            learning_rate=float(self.learning_rate),
            schedule=self.schedule,
            warmup=float(self.warmup),
            max_length=self.max_length,
            precision=self.precision,
            evaluations=self.evaluations,
        )


Models = str | tuple[str, ...]


def each_model(model: Models) -> tuple[str, ...]:
    """The models of a setting that names one, several or none.

    >>> each_model("one"), each_model(("one", "two")), each_model("")
    (('one',), ('one', 'two'), ())
    """
    return tuple(filter(None, (model,) if isinstance(model, str) else model))
