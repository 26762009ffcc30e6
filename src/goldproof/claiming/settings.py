"""The settings of the page: the model, the data, what is asked beyond the score, and with how many trainings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from goldproof.jobs.names import named
from goldproof.judging.audit.settings import LightThresholds
from goldproof.models.endpoint import Calls
from goldproof.studies.own import has_own, own_rules
from goldproof.studies.rules import are_distinct, check_settings
from goldproof.studies.shared import (
    WHEN,
    ColumnChoice,
    Data,
    Models,
    Prompts,
    call_rules,
    group_rules,
    is_limit,
    model_rules,
    parse_folder,
    prompt_rules,
    without,
)
from goldproof.training.recipe import Recipe

RECIPE = Recipe(epochs=4, batch=16, learning_rate=1e-4, warmup=0.1, weight_decay=0.01, evaluations=4)
GENERATED = "generated"
CLASSES = ("NOUN", "VERB", "ADJ")


@named("claims.Thresholds")
@dataclass(frozen=True)
class ClaimThresholds:
    """The thresholds of the lights, all as shares of 1.

    `leaks`, `shortcuts`, `labels` and `size` are those of `goldproof audit`. `spread`: the standard deviation of the
    score over trainings.
    """

    leaks: float = 0.01
    shortcuts: float = 0.10
    labels: float = 0.05
    size: float = 0.05
    spread: float = 0.02

    def of_audit(self) -> LightThresholds:
        """The thresholds of the audit's lights."""
        return LightThresholds(leaks=self.leaks, shortcuts=self.shortcuts, labels=self.labels, size=self.size)


@named("claims.Config")
@dataclass(frozen=True)
class Config:
    """Settings of the page of claims.

    `model` is a folder or the name of a downloaded model, as [NAME=]FOLDER; `reference` is another to compare it with,
    trained the same way `references` times; empty for none. `data.train` and `data.test` are files of your own; `tests`
    are further test files in other languages, each as LANGUAGE=FILE. `seeds` are the trainings. Further settings:
    `classes` of words to remove from the test texts (with `tagger`, that of the language unless named), `one_side` in
    how many trainings each text of a pair is used alone, `levels` how many seeds each of initialisation, data order and
    dropout are varied separately (a Latin square; 0 for none), and with `layers` what the layers know, on at most
    `most_probed` rows. `left_out` says what was not asked and what it would take, `added` what was asked beyond the
    first plan as there was time for it; `untagged` why no words could be removed (empty where they could), which is
    found out where it is null.

    A language model, or an endpoint, is asked with `prompts` and not trained (`endpoint` says how it is called);
    `levels` is then the number of draws of examples put before the questions.
    """

    model: Models = "fake"
    reference: str = ""
    references: int = 3
    data: Data = field(default=Data(corpus=GENERATED), metadata=without("root", "hub", own="train"))
    tests: tuple[str, ...] = ()
    columns: ColumnChoice = field(default_factory=ColumnChoice)
    recipe: Recipe = field(default=RECIPE, metadata=without("task", *(name for name in WHEN if name != "evaluations")))
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    classes: tuple[str, ...] = CLASSES
    tagger: str = ""
    one_side: int = 3
    levels: int = 3
    layers: bool = True
    most_probed: int | None = 1000
    labels: bool = True
    level: float = 0.95
    smallest: int = 10
    thresholds: ClaimThresholds = field(default_factory=ClaimThresholds)
    prompts: Prompts = field(default=Prompts(), metadata=without("languages"))
    endpoint: Calls = field(default_factory=Calls)
    left_out: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    untagged: str | None = None

    def __post_init__(self) -> None:
        """Refuse settings that make no sense."""
        check_settings(self, _rules(self))


def _rules(c: Config) -> Iterator[tuple[str, bool, str]]:
    yield from group_rules(c)
    yield from model_rules(c.model)
    yield from own_rules(c)
    yield from prompt_rules(c.prompts)
    yield from call_rules(c.endpoint, c.model, c.prompts)
    yield "model", isinstance(c.model, str), "one model; a second one is the 'reference'"
    yield "reference", c.reference != c.model or not c.reference, "another model than 'model'"
    yield "data.corpus", c.data.corpus == GENERATED, f"{GENERATED!r}; files of your own are named in 'data.train'"
    yield "data.languages", len(c.data.languages) <= 1, "one language, that of the training data"
    yield "data.most_train", is_limit(c.data.most_train), "a whole number above 0, or null for all"
    yield "tests", has_own(c) or not c.tests, "empty without 'data.train'"
    parts = [text.partition("=") for text in c.tests]
    yield "tests", all(all(each) for each in parts), "LANGUAGE=FILE each"
    yield "tests", are_distinct([language for language, _, _ in parts]), "one file for each language"
    yield "seeds", are_distinct(c.seeds) and bool(c.seeds), "at least one seed, none twice"
    yield "references", c.references >= 1, "at least 1 training"
    yield "classes", are_distinct(c.classes), "none twice"
    yield "one_side", c.one_side >= 0, "0 or more trainings"
    yield "levels", c.levels == 0 or c.levels >= 3, "0, or at least 3"
    yield "most_probed", is_limit(c.most_probed), "a whole number above 0, or null for all"
    yield "level", 0 < c.level < 1, "above 0 and below 1"
    yield "smallest", c.smallest >= 2, "at least 2"
    for name in ("leaks", "shortcuts", "labels", "size", "spread"):
        yield f"thresholds.{name}", 0 < getattr(c.thresholds, name) < 1, "above 0 and below 1"


def title_of_model(config: Config) -> str:
    """What the model is called."""
    return parse_folder(str(config.model)).title


TINY = Config(
    seeds=(0, 1, 2),
    recipe=replace(RECIPE, epochs=3, learning_rate=0.15, max_length=32, evaluations=2),
    layers=False,
)
PAPER = Config()
