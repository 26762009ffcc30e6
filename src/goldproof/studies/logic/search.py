"""Which settings to train with: those given, or the best of a random search whose trials are drawn beforehand.

Each trial is a job; the trainings take the trials and use the best on validation, so that the graph of jobs is static.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from goldproof.data.dataset import Dataset
from goldproof.errors import TrainingError
from goldproof.jobs import Resources, step
from goldproof.jobs.names import named
from goldproof.models.named import find_model
from goldproof.models.protocols import Task
from goldproof.models.recurrent import Recurrent
from goldproof.models.static_vectors import static_vectors
from goldproof.studies.logic.settings import CHAINS, RECURRENT, Config, Search
from goldproof.studies.shared import parse_folder, recipe_for
from goldproof.training.finetune import TRAINING
from goldproof.training.job import train as train_once
from goldproof.training.job import train_together
from goldproof.training.outcome import TrainingOutcome
from goldproof.training.recipe import Recipe, Seeds
from goldproof.training.search import Between, Space, draw_settings
from goldproof.training.selection import best_outcome


@named("logic.Candidate")
@dataclass(frozen=True, slots=True)
class Candidate:
    """A model and how to train it."""

    model: Any
    recipe: Recipe


@named("logic.Trial")
@dataclass(frozen=True, slots=True)
class Trial:
    """The best accuracy on validation that a candidate reached; 0 and the reason where it could not be trained."""

    score: float
    error: str = ""


def is_searched(config: Config, name: str) -> bool:
    """Whether a model's settings are searched for: the paper gives ranges for recurrent networks and encoders."""
    return config.search.trials > 0 and name not in ("forest", CHAINS, "small")


def candidates(config: Config, name: str) -> list[Candidate]:
    """What may be trained under a name: the given settings alone, or those drawn for a search."""
    given = _given(config, name)
    if not is_searched(config, name):
        return [given]
    n, rng = config.search.trials, np.random.default_rng(config.search.seed)
    shapes, recipes = _recurrent_spaces(config) if name in RECURRENT else _encoder_spaces(config.search)
    models = draw_settings(given.model, shapes, n, rng)
    return [Candidate(*each) for each in zip(models, draw_settings(given.recipe, recipes, n, rng), strict=True)]


def _recurrent_spaces(config: Config) -> tuple[Space, Space]:
    """What is drawn of a network and of its recipe; given word vectors have the dimension that they have."""
    ranges = config.search
    names = ("hidden", "n_layers") if config.cells.vectors else ("hidden", "n_layers", "dimension")
    shapes: dict[str, Any] = {name: _whole(getattr(ranges, name)) for name in names}
    shapes["dropout"] = Between(*ranges.dropout)
    return shapes, {"learning_rate": Between(*ranges.learning_rate, log=True), "batch": _whole(ranges.batch)}


def _encoder_spaces(ranges: Search) -> tuple[Space, Space]:
    """What is drawn of an encoder, which is nothing, and of its recipe."""
    epochs, batch = _whole(ranges.encoder_epochs), _whole(ranges.encoder_batch)
    return {}, {"learning_rate": Between(*ranges.encoder_learning_rate), "batch": batch, "epochs": epochs}


def best_trial(trials: Sequence[Trial]) -> int:
    """The place of the best trial; the first of equals."""
    if all(trial.error for trial in trials):
        raise TrainingError(
            f"none of the {len(trials)} trials of the search could be trained; the first: {trials[0].error}"
        )
    return int(np.argmax([trial.score for trial in trials]))


@step(version=1, name="goldproof.logic.trial", resources=Resources(gpus=1), requires=(TRAINING,))
def try_candidate(candidate: Candidate, train: Dataset, held: Dataset, seeds: Seeds) -> Trial:
    """Train a candidate once and score it on validation; one that does not converge is a bad trial, not a failure."""
    try:
        outcome = train_once(candidate.model, train, {"validation": held}, candidate.recipe, seeds)
    except TrainingError as error:
        return Trial(0.0, str(error))
    return Trial(best_outcome([outcome], "validation", held.table.column("label").to_pylist()).score)


def train_best_together(arguments: Sequence[Mapping[str, Any]]) -> list[TrainingOutcome | TrainingError]:
    """Several trainings of the best candidate that differ only in their seeds."""
    return train_together([_with_best(each) for each in arguments])


@step(
    version=1,
    name="goldproof.logic.train_best",
    together=train_best_together,
    over=("seeds",),
    resources=Resources(gpus=1),
    requires=(TRAINING,),
)
def train_best(
    candidates: list[Candidate],
    trials: list[Trial],
    train: Dataset,
    evaluate: dict[str, Dataset],
    task: Task,
    seeds: Seeds,
) -> TrainingOutcome:
    """Train the candidate whose trial was best."""
    given = {"candidates": candidates, "trials": trials, "train": train, "evaluate": evaluate, "task": task}
    return train_once(**_with_best({**given, "seeds": seeds}))


def _with_best(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a plain training."""
    best: Candidate = arguments["candidates"][best_trial(arguments["trials"])]
    same = {name: arguments[name] for name in ("train", "evaluate", "seeds")}
    return {**same, "model": best.model, "recipe": replace(best.recipe, task=arguments["task"])}


def _given(config: Config, name: str) -> Candidate:
    """The model of a name with the settings as they are."""
    if name in RECURRENT:
        return Candidate(_recurrent(config, name), recipe_for(config.recipe.recurrent, "pair"))
    if name == "small":
        n_positions = max(config.small_network.n_positions, config.recipe.small.max_length or 0)
        return Candidate(
            replace(config.small_network, n_positions=n_positions), recipe_for(config.recipe.small, "pair")
        )
    return Candidate(find_model(parse_folder(name).folder), recipe_for(config.recipe.encoder, "pair"))


def _recurrent(config: Config, name: str) -> Recurrent:
    cells = config.cells
    return Recurrent(
        cell=name.removeprefix("bi"),  # type: ignore[arg-type]
        bidirectional=name.startswith("bi"),
        hidden=cells.hidden,
        n_layers=cells.n_layers,
        dimension=cells.dimension,
        dropout=cells.dropout,
        word_dropout=cells.word_dropout,
        vectors=static_vectors(cells.vectors) if cells.vectors else None,
        frozen=cells.frozen,
    )


def _whole(ends: tuple[int, int]) -> range:
    return range(ends[0], ends[1] + 1)
