"""How the models were trained and how they read: what the search chose, and the pieces of their tokenizers."""

from __future__ import annotations

from goldproof.jobs import Results
from goldproof.report.summary import Cell, Column, Item, Missing, Table
from goldproof.studies.logic.plan import conditions, pieces_job, tokenizers, trial_jobs
from goldproof.studies.logic.scores import model_title, task_title
from goldproof.studies.logic.search import Candidate, best_trial, candidates
from goldproof.studies.logic.settings import RECURRENT, Config

_SHAPE = ("hidden", "dimension", "n_layers", "dropout")
_RECIPE = ("learning_rate", "batch", "epochs")


def searches(config: Config, results: Results) -> list[Item]:
    """The best trial of each search."""
    rows: list[dict[str, Cell]] = []
    keys: list[str] = []
    for cell in conditions(config):
        jobs = trial_jobs(config, cell) if cell.is_plain else []
        if not jobs:
            continue
        trials = [results[job] for job in jobs]
        best = best_trial(trials)
        keys.append(jobs[best].key)
        rows.append(
            {
                "task": f"{task_title(cell.task)} ({cell.language})",
                "model": model_title(cell.model),
                "score": trials[best].score,
                "failed": sum(bool(trial.error) for trial in trials),
                **_settings(candidates(config, cell.model)[best], cell.model),
            }
        )
    if not rows:
        return []
    columns = [
        Column("task", "Task"),
        Column("model", "Model"),
        Column("score", "Best on validation", 1, "%"),
        Column("failed", "Trials that could not be trained"),
        Column("hidden", "Hidden"),
        Column("dimension", "Word vectors"),
        Column("n_layers", "Layers"),
        Column("dropout", "Dropout", 2),
        Column("learning_rate", "Learning rate", 6),
        Column("batch", "Batch"),
        Column("epochs", "Epochs", 1),
    ]
    title = f"The best of {config.search.trials} trials each, drawn beforehand and chosen on validation"
    note = "The winner of a task, language and model is used in all its conditions; other templates are searched anew. "
    note += "One seed for each trial, no interval."
    return [Table("search", title, columns, rows, note, keys)]


def _settings(chosen: Candidate, model: str) -> dict[str, Cell]:
    found: dict[str, Cell] = {name: getattr(chosen.recipe, name) for name in _RECIPE}
    for name in _SHAPE:
        found[name] = getattr(chosen.model, name) if model in RECURRENT else Missing("given by the encoder")
    return found


def pieces(config: Config, results: Results) -> list[Item]:
    """How each encoder's tokenizer cuts the words of each language (the paper's section 5)."""
    rows: list[dict[str, Cell]] = []
    samples: list[dict[str, Cell]] = []
    keys = []
    for model in tokenizers(config):
        for language in config.data.languages:
            job = pieces_job(config, model, language)
            found = results[job]
            keys.append(job.key)
            where: dict[str, Cell] = {"model": model_title(model), "language": language}
            rows.append({**where, "names": found.names, "whole": found.whole, "others": found.others})
            samples.append({**where, "sample": found.sample})
    if not rows:
        return []
    where_columns = [Column("model", "Tokenizer"), Column("language", "Language")]
    columns = [
        Column("names", "Pieces a name", 2),
        Column("whole", "Names left whole", 1, "%"),
        Column("others", "Pieces another word", 2),
    ]
    most = max(rows, key=lambda row: row["names"])  # type: ignore[arg-type, return-value]
    title = f"{most['model']} cuts names most in {most['language']}"
    note = "All names of the grammar, and all other words of the corpora, each counted once."
    return [
        Table("pieces", title, [*where_columns, *columns], rows, note, keys),
        Table(
            "pieces-sample",
            "The first test pair in pieces",
            [*where_columns, Column("sample", "Premise || hypothesis")],
            samples,
            "",
            keys,
        ),
    ]
