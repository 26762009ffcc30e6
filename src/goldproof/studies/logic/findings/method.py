"""How the models were trained and how they read: what the search chose, and the pieces of their tokenizers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from goldproof.jobs import Results
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.summary import Cell, Column, Item, Missing
from goldproof.studies.logic.plan import LogicCondition, conditions, pieces_job, tokenizers, trial_jobs
from goldproof.studies.logic.scores import model_title, task_title
from goldproof.studies.logic.search import Candidate, Trial, best_trial, candidates
from goldproof.studies.logic.settings import RECURRENT, Config
from goldproof.studies.logic.steps import Pieces


@dataclass(frozen=True, slots=True)
class _Search:
    """The trials of a search, which of them is the best, and its settings."""

    condition: LogicCondition
    trials: Sequence[Trial]
    best: int
    chosen: Candidate


def _shape(name: str, search: _Search) -> Cell:
    """A setting of a recurrent network."""
    if search.condition.model not in RECURRENT:
        return Missing("given by the encoder")
    value: int | float = getattr(search.chosen.model, name)
    return value


_SEARCH_FIELDS: tuple[Field[_Search], ...] = (
    Field(Column("task", "Task"), lambda search: f"{task_title(search.condition.task)} ({search.condition.language})"),
    Field(Column("model", "Model"), lambda search: model_title(search.condition.model)),
    Field(Column("score", "Best on validation", 1, "%"), lambda search: search.trials[search.best].score),
    Field(
        Column("failed", "Trials that could not be trained"),
        lambda search: sum(bool(trial.error) for trial in search.trials),
    ),
    Field(Column("hidden", "Hidden"), partial(_shape, "hidden")),
    Field(Column("dimension", "Word vectors"), partial(_shape, "dimension")),
    Field(Column("n_layers", "Layers"), partial(_shape, "n_layers")),
    Field(Column("dropout", "Dropout", 2), partial(_shape, "dropout")),
    Field(Column("learning_rate", "Learning rate", 6), lambda search: search.chosen.recipe.learning_rate),
    Field(Column("batch", "Batch"), lambda search: search.chosen.recipe.batch),
    Field(Column("epochs", "Epochs", 1), lambda search: search.chosen.recipe.epochs),
)


def searches(config: Config, results: Results) -> list[Item]:
    """The best trial of each search."""
    every: list[_Search] = []
    keys: list[str] = []
    for cell in conditions(config):
        jobs = trial_jobs(config, cell) if cell.is_plain else []
        if not jobs:
            continue
        trials = [results[job] for job in jobs]
        best = best_trial(trials)
        keys.append(jobs[best].key)
        every.append(_Search(cell, trials, best, candidates(config, cell.model)[best]))
    if not every:
        return []
    title = f"The best of {config.search.trials} trials each, drawn beforehand and chosen on validation"
    note = "The winner of a task, language and model is used in all its conditions; other templates are searched anew. "
    note += "One seed for each trial, no interval."
    return [make_table(Heading("search", title, note, keys), _SEARCH_FIELDS, every)]


@dataclass(frozen=True, slots=True)
class _Cut:
    """How a tokenizer cuts the words of a language."""

    model: str
    language: str
    pieces: Pieces


_CUT_WHERE: tuple[Field[_Cut], ...] = (
    Field(Column("model", "Tokenizer"), lambda cut: cut.model),
    Field(Column("language", "Language"), lambda cut: cut.language),
)
_CUT_FIELDS: tuple[Field[_Cut], ...] = (
    *_CUT_WHERE,
    Field(Column("names", "Pieces a name", 2), lambda cut: cut.pieces.names),
    Field(Column("whole", "Names left whole", 1, "%"), lambda cut: cut.pieces.whole),
    Field(Column("others", "Pieces another word", 2), lambda cut: cut.pieces.others),
)
_SAMPLE_FIELDS: tuple[Field[_Cut], ...] = (
    *_CUT_WHERE,
    Field(Column("sample", "Premise || hypothesis"), lambda cut: cut.pieces.sample),
)


def pieces(config: Config, results: Results) -> list[Item]:
    """How each encoder's tokenizer cuts the words of each language (the paper's section 5)."""
    every, keys = [], []
    for model in tokenizers(config):
        for language in config.data.languages:
            job = pieces_job(config, model, language)
            keys.append(job.key)
            every.append(_Cut(model_title(model), language, results[job]))
    if not every:
        return []
    most = max(every, key=lambda cut: cut.pieces.names)
    title = f"{most.model} cuts names most in {most.language}"
    note = "All names of the grammar, and all other words of the corpora, each counted once."
    return [
        make_table(Heading("pieces", title, note, keys), _CUT_FIELDS, every),
        make_table(Heading("pieces-sample", "The first test pair in pieces", "", keys), _SAMPLE_FIELDS, every),
    ]
