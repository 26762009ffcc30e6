"""Tries recipes on a task's own training rows, before a study spends its seeds on one that learns nothing.

    python examples/corruption/recipes.py --model FOLDER "glue/cola epochs=5 learning_rate=2e-4" "glue/cola …" …

Each recipe is written as in the setting `recipes` of `goldproof run corruption`; what it does not name is that of
--config, a file of settings. A part of the training rows is held out (the same for all recipes) and the rest trained
on, with one seed; the score on the held-out rows is printed after each epoch, with its 95 % interval over these rows.
The rows on which the study tests are never read, so a recipe chosen here was not chosen by them. One seed says which
recipe learns, and hardly which of two that learn is better.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from goldproof.data.dataset import Dataset
from goldproof.jobs import Results, Store, run_jobs
from goldproof.judging.metrics import mean_score
from goldproof.models.named import find_model
from goldproof.runners.serial import SerialRunner
from goldproof.studies import find_study
from goldproof.studies.corruption.plan import make_recipe
from goldproof.studies.corruption.scores import make_answers
from goldproof.studies.corruption.settings import Config, parse_own_recipe
from goldproof.studies.corruption.steps import sample
from goldproof.studies.corruption.tasks import CorruptionTask, data_job, find_tasks
from goldproof.studies.settings import Choice, make_config
from goldproof.training.job import train
from goldproof.training.recipe import Recipe, Seeds


def training_rows(config: Config, task: CorruptionTask) -> Dataset:
    """All training rows of a task."""
    job = data_job(replace(config, data=replace(config.data, most_train=None)), task, "train")
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder)).open()
        (outcome,) = (each for each in run_jobs([job], store, SerialRunner()) if each.key == job.key)
        if outcome.status != "done":
            raise SystemExit(outcome.error)
        rows: Dataset = Results(store)[job]
    return rows


def split_rows(rows: Dataset, n_held_out: int, most: int | None) -> tuple[Dataset, Dataset]:
    """Training rows, at most so many, and held-out rows, which do not depend on that number."""
    if n_held_out >= len(rows):
        raise SystemExit(f"there are {len(rows)} training rows, so --held-out must be below that; got {n_held_out}")
    order = np.random.default_rng(0).permutation(len(rows))
    held, rest = rows.take(np.sort(order[:n_held_out])), rows.take(np.sort(order[n_held_out:]))
    return sample(rest, most) if most else rest, held


def scores_by_epoch(task: CorruptionTask, model: str, recipe: Recipe, parts: tuple[Dataset, Dataset]) -> list[str]:
    """The score on the held-out rows after each epoch, in words."""
    rows, held = parts
    outcome = train(find_model(model), rows, {"held out": held}, recipe, Seeds.all(0))
    told = []
    for logits in outcome.at("held out"):
        answers = make_answers(task, outcome.classes, held, logits[None], (0,))
        found = mean_score(answers, task.metric)
        told.append(f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]")
    return told


def settings(file: str | None, text: str) -> Config:
    """The settings of one task with a recipe of its own."""
    task = parse_own_recipe(text).task
    given = make_config(find_study("corruption"), Choice(file=file and Path(file)))
    return replace(given, tasks=(task,), recipes=(text,))


def main(arguments: Sequence[str]) -> None:
    """Train each recipe once and print its scores."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--config", help="a file of settings; its recipe and data.most_train hold unless named")
    parser.add_argument("--held-out", type=int, default=1000)
    parser.add_argument("recipes", nargs="+")
    given = parser.parse_args(arguments)
    for text in given.recipes:
        config = settings(given.config, text)
        task = find_tasks(config)[0]
        recipe = make_recipe(config, task)
        recipe = replace(recipe, evaluations=max(1, round(recipe.epochs)))
        parts = split_rows(training_rows(config, task), given.held_out, config.data.most_train)
        began = time.process_time()
        told = scores_by_epoch(task, given.model, recipe, parts)
        seconds = time.process_time() - began
        said = f"{text}: {len(parts[0]):,} rows, {task.metric} after each epoch: {', '.join(told)}; {seconds:.0f} s"
        print(said, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
