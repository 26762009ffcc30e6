"""The jobs: fine-tune on the source language several times, and take every run's answers at every checkpoint.

At each checkpoint the development and test sets of the source and of every target language are evaluated in one pass,
sorted by length; logits are kept in the store with the training, the report needs only the condensed answers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from goldproof.data.corpora.hub import LOADING
from goldproof.extras import Need
from goldproof.jobs import Job
from goldproof.models.language_model import ASKING
from goldproof.models.named import find_model
from goldproof.studies.asked import asked_plan_notes, call_notes, is_asked, set_jobs
from goldproof.studies.in_turn import in_turn
from goldproof.studies.own import PLACE, OwnData, has_own
from goldproof.studies.shared import only_model, recipe_for
from goldproof.studies.transfer.asked import asked_sets, prompt_languages, text_languages
from goldproof.studies.transfer.parts import find_sets, own_data, settle
from goldproof.studies.transfer.settings import Config
from goldproof.studies.transfer.steps import condense
from goldproof.training.finetune import TRAINING
from goldproof.training.job import train, train_averaged
from goldproof.training.recipe import EarlyStopping, Recipe, Seeds, StoppingRule


def jobs(config: Config) -> list[Job[Any]]:
    """The condensed answers of every run, in the order of the seeds, for one model after the other; of a language model
    what it was asked about and what it said.
    """
    return [job for one in in_turn(config) for job in _jobs(one)]


def _asked_jobs(config: Config) -> list[Job[Any]]:
    return set_jobs(config, asked_sets(config))


def _jobs(config: Config) -> list[Job[Any]]:
    config = settle(config)
    if is_asked(config):
        return _asked_jobs(config)
    sets, model, recipe = find_sets(config), find_model(only_model(config.model).folder), make_recipe(config)
    evaluate = dict(sets.evaluate)
    training = train_averaged if config.average_weights else train
    trainings = [training.job(model, sets.train, evaluate, recipe, Seeds.all(seed)) for seed in config.seeds]
    return [condense.job(outcome, evaluate) for outcome in trainings]


def notes(config: Config) -> tuple[str, ...]:
    """What is said before work starts: of the user's own data, and of how a language model is asked."""
    if is_asked(config):
        return _asked_notes(settle(config))
    if not has_own(config):
        return ()
    found = settle(config)
    own, targets = own_data(found), ", ".join(found.data.languages)
    return (*own.notes, f"Trained on {found.source}, tested in {targets}{_untold(config, own)}.")


def _untold(config: Config, own: OwnData) -> str:
    """Which of the languages neither the files nor the user says, so that the settings do."""
    columns = {split: each.file.columns.language_column for (_, split), each in own.sets.items()}
    train = not (columns["train"] or PLACE in config.data.train)
    test = not (columns["test"] or PLACE in config.data.test)
    if train and test:
        return " (the files do not say so: taken from the settings 'source' and 'data.languages')"
    if train and config.source == Config().source:
        return " (the files do not give the language of the training rows: taken from the setting 'source')"
    return " (the files do not give the language of the test rows: taken from the setting 'data.languages')" * test


def _asked_notes(config: Config) -> tuple[str, ...]:
    first = in_turn(config)[0]
    sets = asked_sets(first)
    told = own_data(first).notes if has_own(first) else ()
    texts, prompts = text_languages(first), [language for language in prompt_languages(first) if language]
    named = f"prompts in {', '.join(prompts)}" if prompts else "the prompts of the file"
    calls = call_notes(first, sets, own_data(first)) if has_own(first) else ()
    return (*told, f"Texts in {', '.join(texts)}, each with {named}.", *asked_plan_notes(first, sets), *calls)


def requires(config: Config) -> tuple[Need, ...]:
    """The extras that the jobs need, told before any data is looked at."""
    if is_asked(config):
        return (ASKING,)
    return (TRAINING, LOADING) if config.data.hub and not has_own(config) else (TRAINING,)


def make_recipe(config: Config) -> Recipe:
    """The training of a configuration, evaluated after every share `every` of all steps or of the training data."""
    length = config.recipe.epochs if config.of == "data" else 1.0
    rules: dict[str, StoppingRule] = {"tokens": "span_f1", "question": "answer_f1"}
    rule = rules.get(config.task, "accuracy")
    stopping = EarlyStopping(f"{config.source}/dev", rule, config.patience) if config.patience else None
    evaluations = max(1, round(length / config.every))
    return replace(recipe_for(config.recipe, config.task), evaluations=evaluations, early_stopping=stopping)
