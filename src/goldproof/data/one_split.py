"""One split of data that somebody holds in hand: a file whose layout is seen, a table in memory, or a Dataset.

Unlike `readers.read` it also takes files without a header and files of tagged tokens, as `check` does; unlike `check`
it keeps scores, tokens and tags.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

import pyarrow as pa

from goldproof.data.checking.sniff import sniff_layout
from goldproof.data.columns import Columns, Filling, guess_columns, shape_batch
from goldproof.data.corpora.published import read_published
from goldproof.data.dataset import SCHEMA, UNKNOWN_LANGUAGE, Dataset, Provenance
from goldproof.data.formats.files import check_file
from goldproof.data.in_memory import open_table
from goldproof.data.naming import SPLIT_WORDS, parse_name
from goldproof.data.readers import Layout, open_raw, read
from goldproof.errors import DataError

ROLES = ("train", "validation", "test")


def read_split(source: Any, role: str, columns: Columns | None = None, language: str | None = None) -> Dataset:
    """The rows of one file, table or dataset as the split `role`; "" keeps the splits that the rows say.

    The language is the one given, else what the rows or the file's name say.
    """
    if isinstance(source, Dataset):
        data = source
    elif isinstance(source, str | Path):
        data = _from_file(Path(source), columns, language)
    else:
        data = _from_table(source, role or "all", columns, language)
    if language is not None and data.languages == (UNKNOWN_LANGUAGE,):
        data = data.with_column("language", [language] * len(data))
    return data.with_column("split", [role] * len(data)) if role and data.splits != (role,) else data


def _from_file(path: Path, columns: Columns | None, language: str | None) -> Dataset:
    path = check_file(path)
    layout = sniff_layout(path, columns)
    if layout is None:
        raise DataError("no rows with a text were found; name the column that holds it: --column text=NAME", path=path)
    around = PurePath(*path.resolve().parts[-2:])
    found = parse_name(around, [each.name for each in path.parent.iterdir()])
    spoken = language or found.language or UNKNOWN_LANGUAGE
    if isinstance(layout, str):
        return read_published(path, layout, language=spoken, split=found.split)
    return read(path, layout=layout, language=spoken, split=found.split)


def _from_table(source: Any, split: str, columns: Columns | None, language: str | None) -> Dataset:
    raw = open_table(source, "data to audit are")
    found = guess_columns(columns or Columns(), raw.column_names, Path(raw.name))
    filling = Filling(split, language or UNKNOWN_LANGUAGE)
    batches = [shape_batch(batch, found, filling) for batch in raw.iter_batches(found.named)]
    if not batches:
        raise DataError("there are no rows", path=raw.name)
    return Dataset(raw.name, pa.Table.from_batches(batches, schema=SCHEMA), Provenance(corpus=raw.name))


def column_names(source: Any) -> tuple[str, ...]:
    """The columns of a file with a header line, or of a table; empty for a Dataset and for files without names."""
    if isinstance(source, Dataset):
        return ()
    if not isinstance(source, str | Path):
        return open_table(source, "data to audit are").column_names
    layout = sniff_layout(Path(source), None)
    if not isinstance(layout, Layout) or layout.header is not None:
        return ()
    return open_raw(Path(source), layout).column_names


def by_role(data: Dataset) -> Mapping[str, Dataset]:
    """The splits of one dataset by what they are: train, validation, test; empty where it does not say.

    >>> rows = [{"text": "a", "split": "train"}, {"text": "b", "split": "dev"}, {"text": "c", "split": "test"}]
    >>> {role: len(part) for role, part in by_role(Dataset.from_rows("toy", rows)).items()}
    {'train': 1, 'validation': 1, 'test': 1}
    """
    roles = {split: SPLIT_WORDS.get(split.lower(), "") for split in data.splits}
    found: dict[str, Dataset] = {}
    for role in ROLES:
        names = [split for split, meant in roles.items() if meant == role]
        if len(names) == 1:
            part = data.select(split=names[0])
            found[role] = part if names[0] == role else part.with_column("split", [role] * len(part))
    return found
