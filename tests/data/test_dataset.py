"""Datasets: what they hold, how they are cut and joined, and that they survive Parquet and pandas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from goldproof.data.dataset import SCHEMA, Dataset, concat, count_labels, read_dataset

_TEXT = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=20)
_ROWS = st.lists(
    st.fixed_dictionaries(
        {"text": _TEXT},
        optional={
            "pair": _TEXT,
            "label": _TEXT,
            "score": st.floats(allow_nan=False, allow_infinity=False),
            "tags": st.lists(_TEXT, max_size=3),
        },
    ),
    max_size=8,
)


def _toy() -> Dataset:
    return Dataset.from_rows(
        "toy",
        [
            {"text": "a", "label": "x", "split": "train", "language": "de"},
            {"text": "b", "label": "y", "split": "test", "language": "de"},
            {"text": "c", "label": "x", "split": "test", "language": "fr"},
        ],
    )


def test_select_and_take() -> None:
    data = _toy()
    assert data.splits == ("train", "test")
    assert data.languages == ("de", "fr")
    assert data.select(split="test", language="fr").texts == ["c"]
    assert data.take([2, 0]).texts == ["c", "a"]
    assert data.take(np.array([], dtype=int)).texts == []
    assert count_labels(data) == {"x": 2, "y": 1}


def test_token_labels_are_the_labels_of_a_tagging_corpus() -> None:
    data = Dataset.from_rows("toy", [{"text": "a b", "tokens": ["a", "b"], "token_labels": ["O", "B-LOC"]}])
    assert data.labels == ("B-LOC", "O")


def test_concat_keeps_rows_and_files() -> None:
    data = _toy()
    joined = concat("both", [data.select(split="train"), data.select(split="test")])
    assert joined.texts == data.texts
    assert joined.provenance.corpus == "toy"


@settings(max_examples=30, deadline=None)
@given(rows=_ROWS)
def test_parquet_brings_back_the_same(rows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> None:
    data = Dataset.from_rows("toy", rows)
    path = tmp_path_factory.mktemp("dataset") / "toy.parquet"
    data.write_parquet(path)
    again = read_dataset(path)
    assert again.table.equals(data.table)
    assert (again.name, again.provenance) == (data.name, data.provenance)
    assert again.table.schema.equals(SCHEMA)


def test_pandas_brings_back_the_same() -> None:
    data = _toy()
    again = Dataset.from_pandas("toy", data.to_pandas())
    assert again.table.equals(data.table)


def test_tags_of_the_diagnostics(published: Path) -> None:
    """33 low-level categories in four groups; two English rows have no tag (Wang et al. 2019)."""
    from goldproof.data.corpora.catalog import load

    data = load("diagnostics", language="en", root=published)
    groups = ("lexical-semantics", "predicate-argument-structure", "logic", "knowledge")
    members = [member for group in groups for member in data.tag_members(group).values()]
    assert len(members) == 33
    assert int((~np.logical_or.reduce(members)).sum()) == 2
    exact = data.tag_members("logic", exact=True)
    assert all(exact[tag].sum() <= member.sum() for tag, member in data.tag_members("logic").items())
