"""What the studies share: one spelling of every setting that more than one has. No study imports another."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Literal

from goldproof.data.columns import Columns
from goldproof.jobs.names import named
from goldproof.models.endpoint import PREFIX, Calls
from goldproof.models.language_model import AskingPrecision
from goldproof.models.protocols import Task
from goldproof.models.replies import Rule
from goldproof.models.source import BIN
from goldproof.studies.rules import are_distinct
from goldproof.training.recipe import Recipe

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

WHEN = ("evaluations", "evaluate_at", "early_stopping")
"""The parts of a recipe that say when to evaluate, where that is for the study to say."""

_FLOATS = ("epochs", "learning_rate", "warmup", "weight_decay", "beta1", "beta2", "eps", "clip", "dropout")


@named("studies.Data")
@dataclass(frozen=True)
class Data:
    """What goes in.

    `corpus` names the corpus. `train`, `validation` and `test` are your own files, used instead of it; {language} in a
    file's name stands for each of `languages`. One file is enough if it has a column `split`. `name` is what the report
    calls the data; `languages` are codes of any kind. `root` is the folder of the published corpora, GOLDPROOF_DATA
    unless given; with `hub` they are downloaded. `most_train` is the largest number of training rows, null for all.
    """

    corpus: str = ""
    name: str = ""
    train: str = ""
    validation: str = ""
    test: str = ""
    languages: tuple[str, ...] = ()
    root: str = ""
    hub: bool = False
    most_train: int | None = None


@named("studies.ColumnChoice")
@dataclass(frozen=True)
class ColumnChoice:
    """The columns of your own files; a column left empty is guessed from common names, else from the cells.

    A `score` makes it a regression task, `token_labels` (with `tokens`) a tagging task. `tags` are columns whose cells
    are categories, several joined by `;`.
    """

    text: str = ""
    pair: str = ""
    label: str = ""
    score: str = ""
    tokens: str = ""
    token_labels: str = ""
    id: str = ""
    language: str = ""
    split: str = ""
    tags: tuple[str, ...] = ()

    def columns(self) -> Columns:
        """The columns that were named."""
        parts = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "tags"}
        renamed = {"language": "language_column", "split": "split_column"}
        found = {renamed.get(name, name): value for name, value in parts.items() if value}
        return Columns(**found, tags=self.tags)


def without(*names: str, own: str = "") -> dict[str, Any]:
    """What a field of a Config says of a group of settings: the study does not take those of these names.

    `own` is the one that takes data of the user's own, where one does.
    """
    return {"without": names, "own": own}


def group_rules(config: Any, prefix: str = "") -> Iterator[tuple[str, bool, str]]:
    """What must hold of every group of settings in a Config: what the study does not take is left as it was."""
    for each in fields(config):
        value, key = getattr(config, each.name), f"{prefix}{each.name}."
        for name in each.metadata.get("without", ()):
            is_left = getattr(value, name) == getattr(each.default, name)
            yield key + name, is_left, "left out: this study does not take it"
        if is_dataclass(value):
            yield from group_rules(value, key)


def refused(config: Any) -> frozenset[str]:
    """The dotted keys that a Config has by the shape of its groups only: the study does not take them.

    >>> from dataclasses import field
    >>> @dataclass(frozen=True)
    ... class Small:
    ...     data: Data = field(default=Data(), metadata=without("hub", "root"))
    >>> sorted(refused(Small()))
    ['data.hub', 'data.root']
    """
    return frozenset(key for key, _, _ in group_rules(config))


def own_data_setting(config: Any) -> str | None:
    """The dotted key of the setting of a Config class that takes data of the user's own; None where none does."""
    keys = [f"{each.name}.{each.metadata['own']}" for each in fields(config) if each.metadata.get("own")]
    return keys[0] if keys else None


def is_limit(n: int | None, least: int = 1) -> bool:
    """Whether a number of rows at most makes sense: null for no limit, never 0."""
    return n is None or n >= least


def recipe_for(recipe: Recipe, task: Task) -> Recipe:
    """The recipe for a task; a whole number in a file of settings gives the same key as with a point.

    >>> recipe_for(Recipe(epochs=3), "pair").epochs
    3.0
    """
    floats: dict[str, Any] = {
        name: float(getattr(recipe, name)) for name in _FLOATS if getattr(recipe, name) is not None
    }
    return replace(recipe, task=task, **floats)


@named("studies.Prompts")
@dataclass(frozen=True)
class Prompts:
    """How a language model is asked; it is not trained.

    `use` says when: "auto" if the configuration in the model's folder says that it generates text, "always", or "never"
    (then it is fine-tuned). `file` is a TOML file of prompts of your own; otherwise the built-in prompts for `task`
    (text, sentiment, topic, pair or contradiction; by default what fits the data) in `language` (by default that of the
    data if there are prompts in it, else English; in `transfer` each of `languages`) are used: the first `most` of
    them, as written and also in the formats of the seeds `formats`. `labels` says what the labels of the data mean in
    the words of a prompt, each as LABEL=NAME.

    `examples` precede every question, drawn from the training data by each of the seeds `draws`, the same number of
    each label if `balanced`. `answer` is the likeliest label, by the scoring `rule`, or "text" that the model writes,
    of at most `most_tokens`, at a `temperature` with each of the seeds `samples`. `chat` uses the model's own chat
    format if it has one. `precision` is that of its numbers on every device. `most_items` test items are drawn by their
    ids, null for all.
    """

    use: Literal["auto", "always", "never"] = "auto"
    file: str = ""
    task: Literal["", "text", "sentiment", "topic", "pair", "contradiction"] = ""
    language: str = ""
    languages: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    most: int | None = None
    formats: tuple[int, ...] = ()
    examples: int = 0
    draws: tuple[int, ...] = (0, 1, 2)
    balanced: bool = True
    answer: Literal["likelihood", "text"] = "likelihood"
    rule: Rule = "raw"
    most_tokens: int = 16
    temperature: float = 0.0
    samples: tuple[int, ...] = (0,)
    chat: Literal["auto", "never"] = "auto"
    precision: AskingPrecision = "float32"
    most_items: int | None = None


def prompt_rules(prompts: Prompts) -> Iterator[tuple[str, bool, str]]:
    """What must hold of the settings for a language model."""
    yield "prompts.labels", all("=" in each for each in prompts.labels), "a list of LABEL=NAME"
    yield "prompts.languages", are_distinct(prompts.languages), "different languages"
    yield "prompts.most", is_limit(prompts.most, 2), "a whole number of at least 2, or null for all"
    yield "prompts.most_items", is_limit(prompts.most_items, 2), "a whole number of at least 2, or null for all"
    yield "prompts.examples", prompts.examples >= 0, "a whole number of at least 0"
    yield "prompts.most_tokens", prompts.most_tokens >= 1, "a whole number of at least 1"
    yield "prompts.temperature", prompts.temperature >= 0, "at least 0"
    for name in ("draws", "samples"):
        seeds = getattr(prompts, name)
        yield f"prompts.{name}", bool(seeds) and are_distinct(seeds), "at least one whole number, none twice"
    yield "prompts.formats", are_distinct(prompts.formats), "whole numbers, none twice"
    is_text = prompts.answer == "text"
    yield "prompts.temperature", is_text or not prompts.temperature, "0 where 'prompts.answer' is likelihood"
    yield "prompts.rule", not is_text or prompts.rule == "raw", "left out where 'prompts.answer' is text"


def call_rules(calls: Calls, models: Models, prompts: Prompts) -> Iterator[tuple[str, bool, str]]:
    """What must hold of the settings for an endpoint."""
    yield "endpoint.at_once", 1 <= calls.at_once <= 256, "a whole number from 1 to 256"
    yield "endpoint.per_minute", is_limit(calls.per_minute), "a whole number above 0, or null for no limit"
    yield "endpoint.timeout", calls.timeout > 0, "above 0"
    yield "endpoint.tries", calls.tries >= 1, "a whole number of at least 1"
    yield "endpoint.price", len(calls.price) == 2 and min(calls.price) >= 0, "two numbers of at least 0"
    priced = calls.budget is None or (calls.budget > 0 and max(calls.price) > 0)
    yield "endpoint.budget", priced, "above 0, and it needs endpoint.price"
    asked = any(parse_folder(text).folder.startswith(PREFIX) for text in each_model(models))
    yield "prompts.answer", not asked or prompts.answer == "text", "text where 'model' is an endpoint"


Models = str | tuple[str, ...]
"""One model or several, each as [NAME=]FOLDER."""


@dataclass(frozen=True, slots=True)
class NamedFolder:
    """A model as the user gave it: its folder, or the name of a downloaded one, and what it is to be called."""

    folder: str
    name: str = ""

    @property
    def title(self) -> str:
        """What it is called: the name it was given, else the last part of its folder."""
        if self.folder.startswith(PREFIX):
            return self.name or self.folder.rpartition("#")[2]
        return self.name or self.folder.removeprefix(BIN).rstrip("/").rpartition("/")[2]


def parse_folder(text: str) -> NamedFolder:
    """The parts of [NAME=]FOLDER; a folder that is there may have an equals sign, and a name has no slash.

    >>> parse_folder("Mine=models/a"), parse_folder("runs/rate=1/a").title
    (NamedFolder(folder='models/a', name='Mine'), 'a')
    """
    if text.startswith(PREFIX):
        return NamedFolder(text)
    name, equals, folder = text.partition("=")
    if not equals or "/" in name or os.path.isdir(Path(text).expanduser()):  # noqa: PTH112 - False where it may not look
        return NamedFolder(text)
    return NamedFolder(folder.strip(), name.strip())


def each_model(model: Models) -> tuple[str, ...]:
    """The models of a setting that names one, several or none, as they were given.

    >>> each_model("one"), each_model(("one", "two")), each_model("")
    (('one',), ('one', 'two'), ())
    """
    return tuple(filter(None, (model,) if isinstance(model, str) else model))


def only_model(model: Models) -> NamedFolder:
    """The model of a setting that names one."""
    (text,) = each_model(model)
    return parse_folder(text)


def model_rules(model: Models) -> Iterator[tuple[str, bool, str]]:
    """What must hold of the models of a study that needs one."""
    found = [parse_folder(text) for text in each_model(model)]
    yield "model", bool(found) and all(each.folder for each in found), "at least one, each as FOLDER or NAME=FOLDER"
    yield "model", are_distinct([each.title for each in found]), "models with different names; use NAME=FOLDER"
