"""Copies with their ids, kinds and counts; those that are known in published corpora."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from goldproof.data.dataset import Dataset
from goldproof.errors import UsageError
from goldproof.measures.copies import Copies, Copy, RowOfSplit, count_steps, find_copies

_TRAIN = [
    {"id": "a", "text": "A man is playing a guitar on the stage", "pair": "Somebody makes music", "label": "yes"},
    {"id": "b", "text": "Two dogs run over the wet grass", "pair": "The animals sleep on a sofa", "label": "no"},
]
_TEST = [
    {"id": "x", "text": "A man is playing a guitar on the stage", "pair": "Somebody makes loud music", "label": "yes"},
    {"id": "y", "text": "TWO DOGS run over the wet grass!", "pair": "The animals sleep on a sofa", "label": "yes"},
    {"id": "z", "text": "A man is playing a guitar on the stage", "pair": "Nobody is there", "label": None},
]


def _found() -> Copies:
    return find_copies({"train": Dataset.from_rows("train", _TRAIN), "test": Dataset.from_rows("test", _TEST)})


def test_copies_have_ids_fields_and_labels() -> None:
    found = list(_found().iter_copies("train", "test", "row"))
    assert found == [
        Copy(RowOfSplit("test", 0, "x"), RowOfSplit("train", 0, "a"), "row", "near", 0.5, True),
        Copy(RowOfSplit("test", 1, "y"), RowOfSplit("train", 1, "b"), "row", "form", 1.0, False),
    ]


def test_a_shared_premise_is_counted_and_no_leak() -> None:
    found = _found()
    assert found.leaked["test"].tolist() == [True, True, False]
    assert found.leaked["train"].tolist() == [False, False]
    premises = found.find("train", "test", "text")
    assert (premises.n, premises.n_exact, premises.n_form, premises.total) == (3, 2, 1, 3)
    rows = found.find("train", "test")
    assert (rows.n, rows.n_near, rows.n_form, rows.n_conflicts, rows.n_contrasts) == (2, 1, 1, 1, 0)


def test_what_was_not_looked_for_is_said() -> None:
    data = Dataset.from_rows("all", [{"text": "one"}])
    with pytest.raises(UsageError) as caught:
        find_copies({"all": data}).find("train", "all")
    assert str(caught.value) == ("copies were not looked for between 'train' and 'all' (row); only: all / all (row)")


def test_progress_ends_at_the_number_of_steps() -> None:
    data = {"all": Dataset.from_rows("all", [{"text": f"row number {row}", "pair": "same"} for row in range(50)])}
    told: list[int] = []
    find_copies(data, progress=lambda what, n_done: told.append(n_done))
    assert told == sorted(told)
    assert told[-1] == count_steps(data) == 200


def test_a_row_of_tokens_with_other_tags_conflicts() -> None:
    tokens = ["Anna", "lives", "in", "Rome"]
    rows = [
        {"text": " ".join(tokens), "tokens": tokens, "token_labels": ["B-PER", "O", "O", tag]} for tag in ("O", "B-LOC")
    ]
    data = [Dataset.from_rows(str(number), [row]) for number, row in enumerate(rows)]
    found = find_copies({"train": data[0], "test": data[1]}).find("train", "test")
    assert (found.n_exact, found.n_conflicts) == (1, 1)


def _entailment(folder: Path, split: str) -> Dataset:
    with (folder / f"{split}.jsonl").open(encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return Dataset.from_rows(
        split,
        [
            {
                "text": row["premise"],
                "pair": row["hypothesis"],
                "label": None if "label" not in row else str(row["label"]),
            }
            for row in rows
        ],
    )


def test_premises_of_terra_stand_in_train_and_test(published: Path) -> None:
    """2,126 of the 3,198 rows of the Russian test have their premise in train, character by character."""
    splits = {split: _entailment(published / "entailment/ru", split) for split in ("train", "test")}
    found = find_copies(splits)
    premises = found.find("train", "test", "text")
    assert (premises.n_exact, premises.total) == (2126, 3198)
    texts = splits["train"].texts, splits["test"].texts
    assert premises.n_exact == sum(text in set(texts[0]) for text in texts[1])
    assert found.leaked["test"].sum() < 320  # rows, which a shared premise alone does not make copies


def test_published_splits_that_are_the_same_file(published: Path) -> None:
    """X-Probe's tree_depth has one file under two names."""
    folder = published / "probing/xprobe/en/tree_depth"
    splits = {}
    for name in ("va", "te"):
        texts = [line.partition("\t")[0] for line in (folder / f"{name}.txt").read_text("utf-8").splitlines()][:2000]
        splits[name] = Dataset.from_rows(name, [{"text": text} for text in texts])
    assert find_copies(splits, threshold=1).leaked["te"].all()


def test_the_same_rows_give_the_same_table() -> None:
    assert _found().table.equals(_found().table)
    assert np.array_equal(_found().leaked["test"], _found().leaked["test"])


_PREMISE = "The committee met in Geneva last week and talked about the budget of the coming year"


@pytest.mark.parametrize(
    ("first", "second", "is_copy"),
    [
        ("The budget was passed", "The budget was rejected", True),  # one of four, where the other text is equal
        ("India's budget was passed", "Their budget was passed", True),  # a word of two parts
        ("Budget was passed", "Budget was rejected", False),
        ("The budget was passed", "A budget was rejected", False),  # two of four
    ],
)
def test_one_word_of_four_may_be_exchanged_beside_an_equal_text_and_label(
    first: str, second: str, is_copy: bool
) -> None:
    def found(premise: str, label: str | None) -> bool:
        splits = {
            "train": Dataset.from_rows("train", [{"text": _PREMISE, "pair": first, "label": "yes"}]),
            "test": Dataset.from_rows("test", [{"text": premise, "pair": second, "label": label}]),
        }
        return bool(find_copies(splits).leaked["test"][0])

    assert found(_PREMISE, "yes") == is_copy
    assert not found(_PREMISE, "no")  # a minimal pair
    assert not found(_PREMISE, None)
    assert not found(_PREMISE.replace("Geneva", "Bern"), "yes")
