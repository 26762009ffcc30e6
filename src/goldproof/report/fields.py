"""Typed fields of a table: a column, and how its value is read from the thing that a row is about.

A key is written once, and what no field shows is not in the rows either. A field for a paper's numbers is shown only
where it has one. It does not render.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from goldproof.report.summary import Cell, Column, Missing, Plain, Table

Thing = TypeVar("Thing")
Thing_contra = TypeVar("Thing_contra", contravariant=True)
NOT_PRINTED = Missing("not in the paper")


@dataclass(frozen=True, slots=True)
class Field(Generic[Thing_contra]):
    """A column (key, heading, format, meaning) with the function that reads its cell; None is no value."""

    column: Column
    read: Callable[[Thing_contra], Cell]


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands around the rows of a table: its file name, the finding as its title, a note, and its jobs' keys."""

    name: str
    title: str
    note: str = ""
    keys: Sequence[str] = ()


def read_row(fields: Iterable[Field[Thing]], thing: Thing) -> dict[str, Cell]:
    """One thing as a row: a cell for each field that has a value for it.

    >>> read_row([Field(Column("word", "Word"), str), Field(Column("n", "Letters"), len)], "bark")
    {'word': 'bark', 'n': 4}
    """
    cells = {field.column.key: field.read(thing) for field in fields}
    return {key: cell for key, cell in cells.items() if cell is not None}


def known_fields(fields: Iterable[Field[Thing]], things: Sequence[Thing]) -> list[Field[Thing]]:
    """The fields that have a value for one of the things at least."""
    return [field for field in fields if any(field.read(thing) is not None for thing in things)]


def printed_cell(number: Plain) -> Plain:
    """The cell of a number that a paper printed; None where it has none.

    >>> printed_cell(0.5), printed_cell(None)
    (0.5, Missing(reason='not in the paper'))
    """
    return NOT_PRINTED if number is None else number


def make_table(heading: Heading, fields: Sequence[Field[Thing]], things: Iterable[Thing]) -> Table:
    """A table with a row for each thing; a paper's column that has no number for any of them is left out.

    >>> letters = Field(Column("n", "Letters"), len)
    >>> paper = Field(Column("paper", "Letters", published=True), lambda word: printed_cell({"dog": 3}.get(word)))
    >>> make_table(Heading("words", "Words are short"), [letters, paper], ["a", "dog"]).rows
    [{'n': 1, 'paper': Missing(reason='not in the paper')}, {'n': 3, 'paper': 3}]
    >>> make_table(Heading("words", "Words are short"), [letters, paper], ["a"]).rows
    [{'n': 1}]
    """
    every = list(things)
    shown = [field for field in fields if not field.column.published or _has_number(field, every)]
    rows: list[Mapping[str, Cell]] = [read_row(shown, thing) for thing in every]
    columns = [field.column for field in shown]
    return Table(heading.name, heading.title, columns, rows, heading.note, heading.keys)


def _has_number(field: Field[Thing], things: Iterable[Thing]) -> bool:
    return any(cell is not None and not isinstance(cell, Missing) for cell in map(field.read, things))
