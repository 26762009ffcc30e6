"""The jobs that read a part of a file of the user's own: told by the file's content, its columns, and which rows."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from goldproof.data.columns import Columns
from goldproof.data.corpora.steps import check_digest
from goldproof.data.dataset import Dataset, concat
from goldproof.data.formats.squad import is_squad, read_squad
from goldproof.data.naming import split_of
from goldproof.data.readers import Layout, read
from goldproof.draws import draw_fraction
from goldproof.jobs import location, step
from goldproof.jobs.names import named
from goldproof.measures.probe_task import hold_out

HELD_OUT = 0.1
"""The share of the training rows that validates where no validation data were given."""

Cut = Literal["", "held", "kept"]


@named("studies.OwnPart")
@dataclass(frozen=True, slots=True)
class OwnPart:
    """Rows of a file: its digest, the column of each part, and which rows.

    `language` and `split` choose rows, empty for all; `called` is the language of rows that do not say theirs. `cut`
    is what is held out of these rows to validate, or what is kept when that is taken away. `most` takes at most so many
    of them, each class by its share.
    """

    sha256: str
    columns: tuple[tuple[str, str], ...]
    tags: tuple[str, ...]
    called: str
    language: str = ""
    split: str = ""
    cut: Cut = ""
    most: int | None = None
    path: str = location(default="")


@step(version=2, name="goldproof.own.read")
def read_own(part: OwnPart) -> Dataset:
    """The rows as a dataset; an error when the file is no longer the one that was planned with."""
    check_digest(part.path, part.sha256)
    if is_squad(Path(part.path)):
        return choose_rows(read_squad(part.path, language=part.called), part)
    columns = Columns(**dict(part.columns), tags=part.tags)
    data = read(part.path, language=part.called, layout=Layout(columns=columns))
    return choose_rows(data, part)


@step(version=1, name="goldproof.own.gather")
def gather(parts: dict[str, Dataset]) -> Dataset:
    """Several parts as one dataset, whose splits are called as the parts are."""
    named_parts = [data.with_column("split", [split] * len(data)) for split, data in parts.items()]
    return concat(next(iter(parts.values())).name, named_parts)


def choose_rows(data: Dataset, part: OwnPart) -> Dataset:
    """The rows of a part."""
    columns = {name: data.table.column(name).to_pylist() for name in ("language", "split")}
    rows = [
        row
        for row, (language, split) in enumerate(zip(columns["language"], columns["split"], strict=True))
        if part.language in ("", language) and part.split in ("", split_of(split))
    ]
    chosen = data.take(rows)
    if part.cut:
        held = held_out(chosen)
        chosen = chosen.take(np.flatnonzero(held if part.cut == "held" else ~held))
    return chosen if part.most is None or len(chosen) <= part.most else chosen.take(drawn_rows(chosen, part.most))


def drawn_rows(data: Dataset, most: int) -> list[int]:
    """So many rows in their order: drawn by their texts, of each class as large a share as of the others.

    A file may stand in the order of its classes, so the first rows would be of one.
    """
    hashes = [draw_fraction("goldproof.own.most", text) for text in data.texts]
    labels = [label or "" for label in data.table.column("label").to_pylist()]
    rows_of: dict[str, list[int]] = defaultdict(list)
    for row in sorted(range(len(data)), key=hashes.__getitem__):
        rows_of[labels[row]].append(row)
    shares = {row: (rank + 0.5) / len(rows) for rows in rows_of.values() for rank, row in enumerate(rows)}
    return sorted(sorted(shares, key=lambda row: (shares[row], hashes[row], row))[:most])


def held_out(data: Dataset) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which rows validate: a tenth of each class, chosen by the texts alone, so that equal texts stay together."""
    labels = [label or "" for label in data.table.column("label").to_pylist()]
    return np.asarray(hold_out(data.texts, labels, HELD_OUT))
