"""What the user's data must be: a kind that the study takes, labels everywhere, at least two classes, the same in train
and test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from goldproof.data.dataset import Dataset
from goldproof.errors import DataError
from goldproof.models.protocols import Task
from goldproof.studies.own.files import OpenedFile
from goldproof.studies.shared import ColumnChoice

FEWEST_HELD = 2
_MOST_SHOWN = 10
KINDS: Mapping[Task, str] = {
    "text": "texts with a class each",
    "pair": "pairs of texts with a class each",
    "tokens": "texts with a class for each word",
    "regression": "texts or pairs with a number each",
    "question": "questions with passages that answer them",
}
_TARGETS: Mapping[Task, str] = {
    "text": "label",
    "pair": "label",
    "tokens": "token_labels",
    "regression": "score",
    "question": "answers",
}
CLASSIFIED: tuple[Task, ...] = ("text", "pair", "tokens")
OpenedSets = Mapping[tuple[str, str], tuple[OpenedFile, Dataset]]


def find_kind(file: OpenedFile, choice: ColumnChoice, study: str, kinds: Sequence[Task]) -> Task:
    """The kind of task that a file holds; an error where the study does not take it."""
    kind = _kind(file, choice)
    if kind not in kinds:
        taken = " or ".join(KINDS[each] for each in kinds)
        columns = ", ".join(f"{part} {name!r}" for part, name in file.columns.parts.items())
        raise DataError(
            f"these are {KINDS[kind]} ({columns}); the study {study!r} takes {taken}. If you meant other columns, "
            "name them in the settings 'columns.text', 'columns.pair' and 'columns.label'",
            path=file.path,
        )
    return kind


def _kind(file: OpenedFile, choice: ColumnChoice) -> Task:
    columns = file.columns
    if file.data.has_questions:
        return "question"
    if columns.token_labels and (choice.token_labels or not (columns.label or columns.score)):
        return "tokens"
    if columns.score and (choice.score or not columns.label):
        return "regression"
    return "pair" if columns.pair else "text"


def check_sets(kind: Task, sets: OpenedSets) -> None:
    """Refuse parts that do not fit each other."""
    for (language, split), (file, data) in sets.items():
        _check_target(kind, file, data, split)
        if kind == "pair" and None in data.pairs:
            raise DataError("these rows have no second text, but other files do", path=file.path)
        if split == "train" and kind in CLASSIFIED:
            _check_classes(kind, file, data)
        elif kind in CLASSIFIED:
            _check_known(kind, file, data, split, _training_of(sets, language))
        if split == "test":
            _refuse_repeated(file, data, _training_of(sets, language))


def refuse_empty(sets: OpenedSets) -> None:
    """Refuse a text without any word, where one is needed."""
    for file, data in sets.values():
        n = n_empty(data)
        if n:
            row = next(row for row, text in enumerate(file.data.texts) if not text.strip())
            raise file.error(row, f"the text is empty; a vector needs at least one word ({n} such rows in all)")


def n_empty(data: Dataset) -> int:
    """How many texts, or second texts of pairs, have nothing in them."""
    return sum(
        not text.strip() or (pair is not None and not pair.strip())
        for text, pair in zip(data.texts, data.pairs, strict=True)
    )


def classes_of(kind: Task, several: Sequence[Dataset]) -> tuple[str, ...]:
    """The classes of these data, sorted; none of numbers."""
    return tuple(sorted({label for data in several for label in labels_of(kind, data)}))


def labels_of(kind: Task, data: Dataset) -> list[str]:
    """Every label of the data, those of words one after the other; none of numbers."""
    if kind not in CLASSIFIED:
        return []
    if kind == "tokens":
        return [label for labels in data.table.column("token_labels").to_pylist() for label in labels]
    return [str(label) for label in data.table.column("label").to_pylist()]


def _training_of(sets: OpenedSets, language: str) -> tuple[OpenedFile, Dataset]:
    """The data that a language is trained on: its own, else those of the only language that is trained on."""
    own = sets.get((language, "train"))
    return own if own is not None else next(each for key, each in sets.items() if key[1] == "train")


def _check_target(kind: Task, file: OpenedFile, data: Dataset, split: str) -> None:
    name = _TARGETS[kind]
    lacking = [row for row, value in enumerate(data.table.column(name).to_pylist()) if value is None]
    if lacking:
        what = "every row" if len(lacking) == len(data) else f"{len(lacking)} of {len(data)} rows"
        raise DataError(
            f"{what} of the {split} data lacks {_article(name)}, but the training data have one; name its column in "
            f"the setting 'columns.{name}'",
            path=file.path,
        )


def _article(name: str) -> str:
    return {
        "label": "a label",
        "score": "a number to predict",
        "token_labels": "labels of words",
        "answers": "answers",
    }[name]


def _check_classes(kind: Task, file: OpenedFile, data: Dataset) -> None:
    found = sorted(set(labels_of(kind, data)))
    if len(found) < 2:
        column = getattr(file.columns, _TARGETS[kind])
        raise DataError(
            f"all training rows have the label {found[0]!r} (column {column!r}); a model needs at least "
            "two classes to learn from",
            path=file.path,
        )


def _check_known(kind: Task, file: OpenedFile, data: Dataset, split: str, training: tuple[OpenedFile, Dataset]) -> None:
    known = set(labels_of(kind, training[1]))
    strange = Counter(label for label in labels_of(kind, data) if label not in known)
    if strange:
        shown = _listed([f"{label!r} ({n} {'row' if n == 1 else 'rows'})" for label, n in sorted(strange.items())])
        alike = {label.strip().casefold() for label in strange} <= {label.strip().casefold() for label in known}
        left_out = set(strange) <= set(labels_of(kind, training[0].data)) and training[0] is not file
        why = "; rows that have them are left out there by 'data.most_train'" if left_out else ""
        why += "; they are the same but for blanks, or upper and lower case" if alike else ""
        raise DataError(
            f"the {split} data have labels that no training row of {training[0].name} has: {shown}; labels there: "
            f"{_listed([repr(label) for label in sorted(known)])}{why}",
            path=file.path,
        )


def _refuse_repeated(file: OpenedFile, data: Dataset, training: tuple[OpenedFile, Dataset]) -> None:
    """Refuse test data of which every item also stands in training."""
    n = n_repeated(data, training[1])
    if n == len(data) and file is not training[0]:
        raise DataError(
            f"all {n} test items also occur in the training data {training[0].name}; the model would be tested on "
            "what it was trained on",
            path=file.path,
        )


def n_repeated(data: Dataset, training: Dataset) -> int:
    """How many items, both texts of a pair together, also stand in training."""
    known = set(zip(training.texts, training.pairs, strict=True))
    return sum(item in known for item in zip(data.texts, data.pairs, strict=True))


def _listed(names: Sequence[str]) -> str:
    rest = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
    return ", ".join(names[:_MOST_SHOWN]) + rest
