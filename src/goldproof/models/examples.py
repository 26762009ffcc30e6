"""`Examples`: texts with their ids and, where known, their labels, as models take them. It reads no files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from goldproof.data.dataset import AnswerSpan
from goldproof.errors import DataError


@dataclass(frozen=True, slots=True)
class Examples:
    """Items in order: an id and a text each; second texts, labels or words with labels as the task needs them.

    Labels are text for classification and numbers for regression. For token tasks `words` holds each item's words and
    `word_labels` their labels. For questions `pairs` are the passages and `answers` what is right of each.

    >>> Examples(ids=("a", "b"), texts=("It rains.", "It snows."), labels=("no", "yes")).n
    2
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    pairs: tuple[str, ...] | None = None
    labels: tuple[str, ...] | tuple[float, ...] | None = None
    words: tuple[tuple[str, ...], ...] | None = None
    word_labels: tuple[tuple[str, ...], ...] | None = None
    answers: tuple[tuple[AnswerSpan, ...], ...] | None = None

    def __post_init__(self) -> None:
        for name in ("texts", "pairs", "labels", "words", "word_labels", "answers"):
            column = getattr(self, name)
            if column is not None and len(column) != self.n:
                raise DataError(f"{name} has {len(column)} entries for {self.n} ids; give one for each id")
        repeated = _first_repeated(self.ids)
        if repeated is not None:
            raise DataError(
                f"the id {repeated!r} occurs twice; ids must differ, because each item's randomness depends on its id"
            )
        for item, words, labels in zip(self.ids, self.words or (), self.word_labels or (), strict=False):
            if len(words) != len(labels):
                raise DataError(
                    f"item {item!r} has {len(words)} words and {len(labels)} labels; give one for each word"
                )

    @property
    def n(self) -> int:
        """How many items there are."""
        return len(self.ids)

    def without_labels(self) -> Examples:
        """The same items with their labels left out."""
        unknown = None if self.answers is None else ((),) * self.n
        return Examples(self.ids, self.texts, self.pairs, None, self.words, None, unknown)


def examples_from_table(table: Any, *, regression: bool = False) -> Examples:
    """Examples of an Arrow table with the columns id, text and, where present and not null, pair, label or score,
    tokens.

    >>> import pyarrow as pa
    >>> examples_from_table(pa.table({"id": ["a"], "text": ["It rains."], "label": ["no"]})).labels
    ('no',)
    """
    return Examples(
        ids=tuple(table.column("id").to_pylist()),
        texts=tuple(table.column("text").to_pylist()),
        pairs=_column(table, "pair"),
        labels=_column(table, "score" if regression else "label"),
        words=_nested(_column(table, "tokens")),
        word_labels=_nested(_column(table, "token_labels")),
        answers=_answers(_column(table, "answers")),
    )


def _column(table: Any, name: str) -> tuple[Any, ...] | None:
    """The column as a tuple; None where it is absent or all null; an error where only some of it is null."""
    if name not in table.column_names or table.column(name).null_count == table.num_rows:
        return None
    values = tuple(table.column(name).to_pylist())
    if None in values:
        item = table.column("id")[values.index(None)].as_py()
        raise DataError(f"item {item!r} has no {name}, while others have one; give it for every item or for none")
    return values


def _answers(column: tuple[Sequence[dict[str, Any]], ...] | None) -> tuple[tuple[AnswerSpan, ...], ...] | None:
    return None if column is None else tuple(tuple(AnswerSpan(**answer) for answer in cell) for cell in column)


def _nested(column: tuple[Sequence[str], ...] | None) -> tuple[tuple[str, ...], ...] | None:
    return None if column is None else tuple(tuple(entry) for entry in column)


def _first_repeated(values: Sequence[str]) -> str | None:
    if len(set(values)) == len(values):
        return None
    seen: set[str] = set()
    return next(value for value in values if value in seen or seen.add(value))  # type: ignore[func-returns-value]
