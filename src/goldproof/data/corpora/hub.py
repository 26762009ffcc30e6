"""Corpora of the catalog from the Hugging Face hub, by the optional package `datasets`. Runs no code from the hub."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from goldproof.data.dataset import Dataset
from goldproof.errors import DataError
from goldproof.extras import Need, import_extra

if TYPE_CHECKING:
    from goldproof.data.corpora.catalog import CatalogEntry, Hub

LOADING = Need("hub", "loading a corpus from the Hugging Face hub", ("datasets",))

Loader = Callable[[str, str | None, str, str | None], Iterable[Mapping[str, Any]]]


def load_from_hub(
    corpus: CatalogEntry, language: str, splits: Sequence[str] | None, loader: Loader | None = None
) -> pa.Table:
    """The table of a corpus; `loader(id, config, split, revision)` gives rows, by default through `datasets`."""
    hub = hub_of(corpus, language)
    loader = loader or _load_with_datasets
    name = hub.language_names.get(language, language)
    config = hub.config.format(language=language, name=name) if hub.config else None
    rows: list[dict[str, Any]] = []
    for split in splits or corpus.splits:
        found = loader(hub.id, config, hub.splits.get(split, split), corpus.revision)
        rows += _shape_split(found, hub, corpus.name, language, split)
    return Dataset.from_rows(corpus.name, rows).table


def hub_of(corpus: CatalogEntry, language: str) -> Hub:
    """Where a corpus lies on the hub; an error where the catalog knows no such place for the language."""
    hub = corpus.hub
    if hub is None or (hub.languages and language not in hub.languages):
        raise DataError(f"the catalog knows no hub dataset of {corpus.name!r} in {language!r}; see {corpus.source}")
    return hub


def _load_with_datasets(identity: str, config: str | None, split: str, revision: str | None) -> Any:
    datasets = import_extra("datasets", LOADING)
    try:
        return datasets.load_dataset(identity, config, split=split, revision=revision)
    except Exception as error:  # noqa: BLE001 - whatever the network or the library says is for the user to read
        raise DataError(f"the hub did not give {identity!r} ({config}, {split}): {error}") from None


def _shape_split(
    found: Iterable[Mapping[str, Any]], hub: Hub, name: str, language: str, split: str
) -> list[dict[str, Any]]:
    rows = []
    for number, raw in enumerate(found):
        absent = sorted(theirs for theirs in _their_columns(hub) if theirs not in raw)
        if absent:
            columns = ", ".join(raw)
            raise DataError(f"{name}: the hub dataset {hub.id!r} has no column {absent[0]!r}; columns found: {columns}")
        rows.append({"id": str(number), "split": split, "language": language, **_shape_row(raw, hub)})
    if any(row.get("label") is not None for row in rows):
        rows = [row for row in rows if row["label"] is not None]
    return rows


def _their_columns(hub: Hub) -> list[str]:
    return [theirs for ours, theirs in hub.columns.items() if ours != "tags"] + list(hub.columns.get("tags", ()))


def _shape_row(raw: Mapping[str, Any], hub: Hub) -> dict[str, Any]:
    row: dict[str, Any] = {ours: raw[theirs] for ours, theirs in hub.columns.items() if ours != "tags"}
    if "id" in row:
        row["id"] = str(row["id"])
    if "label" in row:
        row["label"] = _label(row["label"], hub.labels)
    if "token_labels" in row:
        row["token_labels"] = [_label(value, hub.labels) for value in row["token_labels"]]
        row["text"] = " ".join(row["tokens"])
    if row.get("score") is not None and row["score"] < 0:  # the unlabelled test set of STS-B
        row["score"] = None
    if "answers" in row:
        starts, texts = row["answers"]["answer_start"], row["answers"]["text"]
        row["answers"] = [{"start": s, "text": text} for s, text in zip(starts, texts, strict=True)]
    tags = hub.columns.get("tags", ())
    row["tags"] = [f"{group}:{tag.strip()}" for group in tags for tag in (raw[group] or "").split(";") if tag.strip()]
    return row


def _label(value: Any, labels: Sequence[str]) -> str | None:
    """The name of a label; -1 is how the hub says that there is none."""
    if isinstance(value, int) and labels:
        return labels[value] if value >= 0 else None
    return None if value is None else str(value)
