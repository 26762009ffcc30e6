"""Corpora as jobs: what a job is given is the content of the files, told by their digests, not where they lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from goldproof.data.corpora.catalog import find_corpus, load
from goldproof.data.corpora.hub import LOADING
from goldproof.data.corpora.published import read_published
from goldproof.data.dataset import Dataset, concat
from goldproof.data.formats.files import check_file, describe_file
from goldproof.data.naming import SPLIT_WORDS
from goldproof.data.readers import read
from goldproof.errors import DataError
from goldproof.jobs import Job, location, step
from goldproof.jobs.names import named

_CHANGED = "changed after the jobs were planned; run the command again"


@named("data.CorpusFiles")
@dataclass(frozen=True, slots=True)
class CorpusFiles:
    """A part of a corpus of the catalog, identified by the SHA-256 of its files."""

    name: str
    language: str | None
    split: str | None
    sha256: tuple[str, ...]
    root: str = location(default="")


_ROWS: dict[tuple[str, ...], int] = {}
"""The number of rows of the corpora that were looked at when jobs were planned, by the digests of their files."""


def _rows_of_corpus(arguments: Mapping[str, Any]) -> int | None:
    files: CorpusFiles = arguments["corpus"]
    return _ROWS.get((files.name, str(files.language), str(files.split), *files.sha256))


@step(version=1, name="goldproof.read_corpus", size=_rows_of_corpus, paced_by=())
def read_corpus(corpus: CorpusFiles) -> Dataset:
    """The corpus as a dataset; an error when its files are no longer those that were planned with."""
    data = load(corpus.name, language=corpus.language, split=corpus.split, root=corpus.root or None)
    if tuple(file.sha256 for file in data.provenance.files) != corpus.sha256:
        raise DataError(f"the files of {corpus.name!r} {_CHANGED}")
    return data


def corpus_job(
    name: str, *, language: str | None = None, split: str | None = None, root: str | Path | None = None
) -> Job[Dataset]:
    """The job that reads a corpus of the catalog from the data root."""
    digests = _digests(name, language, split, str(root or ""))
    return read_corpus.job(CorpusFiles(name, language, split, digests, str(root or "")))


@lru_cache(maxsize=1024)
def _digests(name: str, language: str | None, split: str | None, root: str) -> tuple[str, ...]:
    data = load(name, language=language, split=split, root=root or None)
    digests = tuple(file.sha256 for file in data.provenance.files)
    _ROWS[name, str(language), str(split), *digests] = len(data)
    return digests


@named("data.HubPart")
@dataclass(frozen=True, slots=True)
class HubPart:
    """A split of a corpus of the catalog on the Hugging Face hub, identified by its name and revision there."""

    name: str
    language: str | None
    split: str
    revision: str | None


@step(version=1, name="goldproof.read_hub", requires=(LOADING,))
def read_hub(part: HubPart) -> Dataset:
    """The split as a dataset, by the package `datasets`."""
    return load(part.name, language=part.language, split=part.split, hub=True)


def hub_job(name: str, *, split: str, language: str | None = None) -> Job[Dataset]:
    """The job that reads a split of a corpus from the hub; planning needs no network."""
    return read_hub.job(HubPart(name, language, split, find_corpus(name)[0].revision))


@named("data.OwnFile")
@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file of the user's own, identified by its SHA-256."""

    sha256: str
    language: str
    path: str = location(default="")


@step(version=1, name="goldproof.read_file")
def read_file(file: OwnFile) -> Dataset:
    """The file as a dataset; an error when it is no longer the one that was planned with."""
    check_digest(file.path, file.sha256)
    return read(file.path, language=file.language)


def file_job(path: str | Path, *, language: str) -> Job[Dataset]:
    """The job that reads a file of the user's own, whose columns are guessed from their names."""
    return read_file.job(OwnFile(describe_file(check_file(path)).sha256, language, str(path)))


@named("data.FilePart")
@dataclass(frozen=True, slots=True)
class FilePart:
    """The rows of one language and split in a file of one's own, identified by the SHA-256 of the file."""

    sha256: str
    language: str
    split: str
    path: str = location(default="")


@step(version=1, name="goldproof.read_file_part")
def read_file_part(part: FilePart) -> Dataset:
    """The rows as a dataset; an error when the file is no longer the one that was planned with."""
    check_digest(part.path, part.sha256)
    return read_part(Path(part.path), part.language, part.split)


def file_part_job(path: str | Path, *, language: str, split: str) -> Job[Dataset]:
    """The job that reads the rows of a language and split from a file with the columns language and split."""
    return read_file_part.job(FilePart(describe_file(check_file(path)).sha256, language, split, str(path)))


def file_parts(path: str | Path) -> tuple[FilePart, ...]:
    """The languages and splits that a file holds; dev, val and their like are called validation."""
    digest = describe_file(check_file(path)).sha256
    columns = (_read_whole(str(path), digest).table.column(name).to_pylist() for name in ("language", "split"))
    found = dict.fromkeys(zip(*columns, strict=True))
    return tuple(FilePart(digest, language, SPLIT_WORDS.get(split, split), str(path)) for language, split in found)


def read_part(path: Path, language: str, split: str) -> Dataset:
    """The rows of a language and split."""
    return _rows_of_split(_read_whole(str(path), describe_file(path).sha256).select(language=language), split)


def _rows_of_split(data: Dataset, split: str) -> Dataset:
    """The rows of a split, by whichever of its names the file calls it."""
    names = data.table.column("split").to_pylist()
    return data.take([row for row, name in enumerate(names) if SPLIT_WORDS.get(name, name) == split])


@lru_cache(maxsize=4)
def _read_whole(path: str, digest: str) -> Dataset:
    """The file; its digest is there so that a changed file is read again."""
    return read(path)


@named("data.PublishedFiles")
@dataclass(frozen=True, slots=True)
class PublishedFiles:
    """Files in a published layout, one for each split or one for all (split ""), identified by their SHA-256."""

    layout: str
    language: str
    splits: tuple[str, ...]
    sha256: tuple[str, ...]
    paths: tuple[str, ...] = location(default=())


@step(version=1, name="goldproof.read_published")
def read_published_files(files: PublishedFiles) -> Dataset:
    """The files as one dataset; an error when one is no longer that which was planned with."""
    for digest, path in zip(files.sha256, files.paths, strict=True):
        check_digest(path, digest)
    pieces = [
        read_published(path, files.layout, language=files.language, split=split or None)
        for split, path in zip(files.splits, files.paths, strict=True)
    ]
    return concat(pieces[0].name, pieces)


def published_job(files: Mapping[str, Path], layout: str, *, language: str) -> Job[Dataset]:
    """The job that reads files of one's own in a published layout, one for each split."""
    digests = tuple(describe_file(check_file(path)).sha256 for path in files.values())
    paths = tuple(str(path) for path in files.values())
    return read_published_files.job(PublishedFiles(layout, language, tuple(files), digests, paths))


def check_digest(path: str, sha256: str) -> None:
    """Raise where a file is no longer the one that was planned with."""
    if describe_file(check_file(path)).sha256 != sha256:
        raise DataError(f"the file {_CHANGED}", path=path)
