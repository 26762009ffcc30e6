"""Named corpora: `load("xnli", language="sw", split="test")` from a local data root or from the Hugging Face hub.

The entries stand in `catalog.toml`: source, revision, licence, citation, languages, splits, labels, where files lie.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goldproof.data.corpora.published import read_published
from goldproof.data.dataset import Dataset, Provenance, concat
from goldproof.data.formats.files import looking
from goldproof.data.naming import SPLIT_WORDS
from goldproof.errors import DataError, UsageError

if TYPE_CHECKING:
    from goldproof.data.corpora.hub import Loader

ROOT_VARIABLE = "GOLDPROOF_DATA"


@dataclass(frozen=True, slots=True)
class Local:
    """Files under a data root: for each split the patterns of its files, or one file that holds all splits."""

    layout: str
    files: Mapping[str, Sequence[str]] = field(default_factory=dict)
    one_file: str | None = None
    languages: Sequence[str] = ()
    language_names: Mapping[str, str] = field(default_factory=dict)
    order: str | None = None


@dataclass(frozen=True, slots=True)
class Hub:
    """A dataset on the Hugging Face hub and what its columns and integer labels mean."""

    id: str
    columns: Mapping[str, Any]
    config: str | None = None
    splits: Mapping[str, str] = field(default_factory=dict)
    labels: Sequence[str] = ()
    languages: Sequence[str] = ()
    language_names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """An entry of the catalog."""

    name: str
    title: str
    task: str
    languages: Sequence[str]
    splits: Sequence[str]
    source: str
    licence: str
    citation: str
    labels: Sequence[str]
    parts: Sequence[str] = ()
    revision: str | None = None
    note: str = ""
    local: Sequence[Local] = ()
    hub: Hub | None = None


@cache
def catalog() -> Mapping[str, CatalogEntry]:
    """Every entry by name."""
    entries = tomllib.loads(files("goldproof.data.corpora").joinpath("catalog.toml").read_text("utf-8"))
    return {name: _corpus(name, entry) for name, entry in entries.items()}


def find_corpus(name: str) -> tuple[CatalogEntry, str | None]:
    """The entry of a name and, for a suite, the part: `xprobe/tree_depth` is part `tree_depth` of `xprobe`."""
    entries = catalog()
    if name in entries:
        corpus, part = entries[name], None
    else:
        suite, _, part = name.rpartition("/")
        if suite not in entries or part not in entries[suite].parts:
            raise UsageError(f"there is no corpus {name!r}{_suggest(name, entries)}")
        corpus = entries[suite]
    if corpus.parts and part is None:
        raise UsageError(
            f"{name!r} has several parts; name one: {', '.join(f'{name}/{each}' for each in corpus.parts)}"
        )
    return corpus, part


def load(
    name: str,
    *,
    language: str | None = None,
    split: str | None = None,
    root: str | Path | None = None,
    hub: Loader | bool = False,
) -> Dataset:
    """A corpus of the catalog as a dataset.

    `language` may be left out where there is one only; without `split` all splits are loaded. Files are looked for
    under `root`, else under the folder named by the environment variable GOLDPROOF_DATA. With `hub=True` the corpus
    comes from the Hugging Face hub instead (extra `hub`); a function `(id, config, split, revision) -> rows` may
    stand in.
    """
    corpus, part = find_corpus(name)
    language = _choose_language(corpus, language)
    splits = [_choose_split(corpus, split)] if split is not None else None
    if hub:
        from goldproof.data.corpora.hub import load_from_hub

        table = load_from_hub(corpus, language, splits, None if hub is True else hub)
        return Dataset(name, table, _provenance(corpus, name))
    return _load_local(corpus, part, language, splits, _data_root(root, name))


def available_splits(name: str, *, language: str | None = None, root: str | Path | None = None) -> tuple[str, ...]:
    """The splits of a corpus whose files are under the data root, in the order of the catalog."""
    corpus, part = find_corpus(name)
    language = _choose_language(corpus, language)
    place = _find_place(corpus, language)
    if place is None or place.one_file is not None:
        return load(name, language=language, root=root).splits
    return _whole_splits(_split_paths(place, part, language, _data_root(root, name)))


def hub_splits(name: str, language: str) -> tuple[str, ...]:
    """The splits of a corpus in a language that are on the hub, as the catalog says; nothing is asked there."""
    from goldproof.data.corpora.hub import hub_of

    corpus, _ = find_corpus(name)
    hub_of(corpus, _choose_language(corpus, language))
    return tuple(corpus.splits)


def _load_local(
    corpus: CatalogEntry, part: str | None, language: str, splits: Sequence[str] | None, root: Path
) -> Dataset:
    name = f"{corpus.name}/{part}" if part else corpus.name
    place = _find_place(corpus, language)
    if place is None:
        where = "hub=True (data.hub=true) loads it from the hub" if corpus.hub else f"see {corpus.source}"
        raise DataError(f"the catalog knows no local files of {name!r} in {language!r}; {where}")
    if place.one_file is not None:
        (path,) = _filled([place.one_file], place, part, language, root)
        data = read_published(path, place.layout, language=language)
        data = data.select(split=splits[0]) if splits else data
        return Dataset(name, data.table, _provenance(corpus, name, data))
    paths = _split_paths(place, part, language, root)
    for split in splits or ():
        _check_files(paths, split, name, language)
    pieces = [_read_split(paths[split], place, language, split) for split in splits or _whole_splits(paths)]
    if not pieces:
        raise DataError(f"none of the files of {name!r} in {language!r} are under {root}; see {corpus.source}")
    data = concat(name, pieces)
    return Dataset(name, data.table, _provenance(corpus, name, data))


def _find_place(corpus: CatalogEntry, language: str) -> Local | None:
    """Where the catalog says that the files of a language lie."""
    return next((place for place in corpus.local if not place.languages or language in place.languages), None)


def _filled(patterns: Sequence[str], place: Local, part: str | None, language: str, root: Path) -> list[Path]:
    """The paths of files whose patterns name the language and the part."""
    fill = {"language": language, "part": part or "", "name": place.language_names.get(language, language)}
    return [root / pattern.format(**fill) for pattern in patterns]


def _split_paths(place: Local, part: str | None, language: str, root: Path) -> dict[str, list[Path]]:
    return {split: _filled(patterns, place, part, language, root) for split, patterns in place.files.items()}


@looking()
def _whole_splits(paths: Mapping[str, Sequence[Path]]) -> tuple[str, ...]:
    """The splits all of whose files are there."""
    return tuple(split for split, files in paths.items() if all(file.exists() for file in files))


@looking()
def _check_files(paths: Mapping[str, Sequence[Path]], split: str, name: str, language: str) -> None:
    """Raise where the catalog knows no files of a split, or one of them is not there."""
    if split not in paths:
        there = ", ".join(paths)
        raise DataError(
            f"the catalog knows no local files of split {split!r} of {name!r} in {language!r}; known: {there}"
        )
    missing = next((path for path in paths[split] if not path.exists()), None)
    if missing is not None:
        raise DataError(
            f"split {split!r} of {name!r} in {language!r} needs this file, which does not exist", path=missing
        )


def _read_split(paths: Sequence[Path], place: Local, language: str, split: str) -> Dataset:
    pieces = [read_published(path, place.layout, language=language, split=split) for path in paths]
    if len(pieces) == 1 and place.order is None:
        return pieces[0]
    table = concat_rows(pieces, language, by_number=place.order == "number-of-id")
    found = tuple(file for piece in pieces for file in piece.provenance.files)
    return Dataset(split, table, Provenance(split, found))


def concat_rows(pieces: Sequence[Dataset], language: str, *, by_number: bool) -> Any:
    """The rows of one language from several files, numbered anew; `by_number` puts them in the order of their ids."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    table = pa.concat_tables([piece.table for piece in pieces])
    table = table.filter(pc.equal(table.column("language"), language))
    if by_number:
        numbers = [int(identity.partition("_")[0]) for identity in table.column("id").to_pylist()]
        table = table.take(pa.array(np.argsort(numbers, kind="stable")))
    position = table.schema.get_field_index("id")
    numbered = pa.array([str(row) for row in range(table.num_rows)])
    return table.set_column(position, table.schema.field("id"), numbered)


def _provenance(corpus: CatalogEntry, name: str, data: Dataset | None = None) -> Provenance:
    found = data.provenance.files if data is not None else ()
    source = f"hub:{corpus.hub.id}" if data is None and corpus.hub else corpus.source
    return Provenance(name, found, source, corpus.revision, corpus.licence, corpus.citation)


def _choose_language(corpus: CatalogEntry, language: str | None) -> str:
    if language is None and len(corpus.languages) == 1:
        return corpus.languages[0]
    if language is None or language not in corpus.languages:
        allowed = ", ".join(corpus.languages)
        got = "none was given" if language is None else f"got {language!r}"
        raise UsageError(f"{corpus.name!r} needs a language out of {allowed}; {got}")
    return language


def _choose_split(corpus: CatalogEntry, split: str) -> str:
    chosen = split if split in corpus.splits else SPLIT_WORDS.get(split, split)
    if chosen not in corpus.splits:
        raise UsageError(f"{corpus.name!r} has the splits {', '.join(corpus.splits)}; got {split!r}")
    return chosen


@looking()
def _data_root(root: str | Path | None, name: str) -> Path:
    given = root or os.environ.get(ROOT_VARIABLE)
    if not given:
        how = f"set the environment variable {ROOT_VARIABLE} to the folder, or give root=…"
        where = f"`goldproof list {name}` says which files these are and where to get them"
        raise UsageError(f"the data root that holds the files of {name!r} is not known; {how} ({where})")
    if not Path(given).is_dir():
        raise UsageError(f"the data root {given} is not a folder")
    return Path(given)


def _suggest(name: str, entries: Mapping[str, CatalogEntry]) -> str:
    names = [*entries, *(f"{corpus.name}/{part}" for corpus in entries.values() for part in corpus.parts)]
    close = difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.5)
    return f"; did you mean {', '.join(close)}?" if close else f"; known: {', '.join(entries)}"


def _corpus(name: str, entry: dict[str, Any]) -> CatalogEntry:
    local = tuple(Local(**place) for place in entry.pop("local", ()))
    hub = Hub(**entry.pop("hub")) if "hub" in entry else None
    return replace(CatalogEntry(name=name, **entry), local=local, hub=hub)
