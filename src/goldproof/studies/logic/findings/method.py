"""How the models were trained and how they read: what the search chose, and the pieces of their tokenizers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.summary import Cell, Column, Item, Missing
from goldproof.studies.logic.gather import ChosenSettings, LogicValues
from goldproof.studies.logic.settings import Config, task_title
from goldproof.studies.logic.steps import Pieces


@dataclass(frozen=True, slots=True)
class _Search:
    """Where a search was made, and what it chose."""

    task: str
    language: str
    model: str
    chosen: ChosenSettings


def _shape(name: str, search: _Search) -> Cell:
    """A setting of a recurrent network."""
    value: int | float | None = getattr(search.chosen, name)
    return Missing("given by the encoder") if value is None else value


_SEARCH_FIELDS: tuple[Field[_Search], ...] = (
    Field(Column("task", "Task"), lambda search: f"{task_title(search.task)} ({search.language})"),
    Field(Column("model", "Model"), lambda search: search.model),
    Field(Column("score", "Best on validation", 1, "%"), lambda search: search.chosen.score),
    Field(Column("failed", "Trials that could not be trained"), lambda search: search.chosen.failed),
    Field(Column("hidden", "Hidden"), partial(_shape, "hidden")),
    Field(Column("dimension", "Word vectors"), partial(_shape, "dimension")),
    Field(Column("n_layers", "Layers"), partial(_shape, "n_layers")),
    Field(Column("dropout", "Dropout", 2), partial(_shape, "dropout")),
    Field(Column("learning_rate", "Learning rate", 6), lambda search: search.chosen.learning_rate),
    Field(Column("batch", "Batch"), lambda search: search.chosen.batch),
    Field(Column("epochs", "Epochs", 1), lambda search: search.chosen.epochs),
)


def searches(config: Config, values: LogicValues) -> list[Item]:
    """The best trial of each search."""
    found = values.of_kind("search")
    if not found:
        return []
    every = [_Search(task, language, model, chosen) for (task, language, model), chosen, _ in found]
    title = f"The best of {config.search.trials} trials each, drawn beforehand and chosen on validation"
    note = "The winner for a task, language and model is used in all its conditions; other templates get a new search. "
    note += "One seed per trial, no interval."
    return [make_table(Heading("search", title, note, [key for *_, key in found]), _SEARCH_FIELDS, every)]


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
    Field(Column("names", "Pieces per name", 2), lambda cut: cut.pieces.names),
    Field(Column("whole", "Names left whole", 1, "%"), lambda cut: cut.pieces.whole),
    Field(Column("others", "Pieces per other word", 2), lambda cut: cut.pieces.others),
)
_SAMPLE_FIELDS: tuple[Field[_Cut], ...] = (
    *_CUT_WHERE,
    Field(Column("sample", "Premise || hypothesis"), lambda cut: cut.pieces.sample),
)


def pieces(values: LogicValues) -> list[Item]:
    """How each encoder's tokenizer cuts the words of each language (the paper's section 5)."""
    found = values.of_kind("pieces")
    every, keys = [_Cut(model, language, each) for (model, language), each, _ in found], [key for *_, key in found]
    if not every:
        return []
    most = max(every, key=lambda cut: cut.pieces.names)
    title = f"{most.model} splits names most in {most.language}"
    note = "All names of the grammar, and all other words of the corpora, each counted once."
    return [
        make_table(Heading("pieces", title, note, keys), _CUT_FIELDS, every),
        make_table(Heading("pieces-sample", "The first test pair in pieces", "", keys), _SAMPLE_FIELDS, every),
    ]
