"""From the settings to the parts of the user's data: which files, languages, splits and kind, and the jobs that read
them.

Everything that can be wrong with the files is said here, before any work; what was done to them is in `notes`.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from goldproof.data.dataset import UNKNOWN_LANGUAGE, Dataset
from goldproof.data.naming import split_of
from goldproof.errors import DataError, UsageError
from goldproof.jobs import Job
from goldproof.models.protocols import Task
from goldproof.studies.own import checks
from goldproof.studies.own.files import PLACE, OpenedFile, open_own, splits_said
from goldproof.studies.own.naming import own_name
from goldproof.studies.own.notes import describe
from goldproof.studies.own.parts import OwnPart, choose_rows, read_own
from goldproof.studies.shared import ColumnChoice, Data

C = TypeVar("C", bound=Any)
SPLITS = ("train", "validation", "test")
_JUDGED = {"validation": "chosen by", "test": "tested on"}
_SPLIT_NAMES = {"train": "training", "validation": "validation", "test": "test"}


@dataclass(frozen=True, slots=True)
class Wants:
    """What a study can use: the kinds of task, and whether it needs validation data and tags.

    With `words` a text without any word is refused. `language` is that of rows of which nothing says another. `source`
    is that of training data that do not say theirs, where a study trains on one language and tests in others; empty
    where each language is trained on.
    """

    study: str
    kinds: tuple[Task, ...]
    validation: bool = True
    tags: bool = False
    words: bool = False
    language: str = UNKNOWN_LANGUAGE
    source: str = ""


@dataclass(frozen=True, slots=True)
class OwnSet:
    """The rows of one language and split: where they stand, as they are, and the job that reads them."""

    file: OpenedFile
    data: Dataset
    job: Job[Dataset]


@dataclass(frozen=True, slots=True)
class OwnData:
    """The user's data: what they are called, their kind and classes, languages in order, their parts, and notes."""

    name: str
    kind: Task
    classes: tuple[str, ...]
    languages: tuple[str, ...]
    sets: Mapping[tuple[str, str], OwnSet]
    notes: tuple[str, ...]

    def job(self, language: str, split: str) -> Job[Dataset]:
        """The job that reads the rows of a language and split."""
        return self.sets[language, split].job

    def splits(self, language: str) -> tuple[str, ...]:
        """The splits that a language has."""
        return tuple(split for split in SPLITS if (language, split) in self.sets)

    def part_jobs(self, language: str) -> dict[str, Job[Dataset]]:
        """The jobs of all splits of a language."""
        return {split: self.job(language, split) for split in self.splits(language)}

    @property
    def has_tags(self) -> bool:
        """Whether any test row has a tag."""
        return any(
            any(each.data.table.column("tags").to_pylist()) for key, each in self.sets.items() if key[1] == "test"
        )


def has_own(config: Any) -> bool:
    """Whether a Config names files of the user's own."""
    return bool(config.data.train)


def own_rules(config: Any) -> Iterator[tuple[str, bool, str]]:
    """What must hold of the settings that name one's own files."""
    data = config.data
    needs_train = (
        "empty if 'data.train' is empty; name some labelled rows in 'data.train', which say what labels there are, "
        "also where a language model is asked and nothing is trained"
    )
    yield "data.test", has_own(config) or not data.test, needs_train
    for name in ("validation", "name"):
        yield f"data.{name}", has_own(config) or not getattr(data, name), "empty if 'data.train' is empty"
    yield "data.languages", all(each.strip() for each in data.languages), "codes of languages, none of them empty"


def settled(config: C, own: OwnData) -> C:
    """The Config with the languages that the user's files have."""
    return replace(config, data=replace(config.data, languages=own.languages))


def find_own(config: Any, wants: Wants) -> OwnData:
    """The user's data of a Config; what was found is kept until a file changes, as every job asks for it."""
    data: Data = config.data
    given = _given_languages(config)
    places = [getattr(data, split) for split in SPLITS if getattr(data, split)]
    paths = [Path(text.replace(PLACE, language)) for text in places for language in (*given, wants.source)]
    return _find_own(data, config.columns, given, wants, tuple(map(_stamp, paths or map(Path, places))))


def _stamp(path: Path) -> tuple[str, int, int]:
    """What tells whether a file changed, at a glance."""
    try:
        status = path.stat()
    except OSError:
        return str(path), -1, -1
    return str(path), status.st_size, status.st_mtime_ns


@lru_cache(maxsize=16)
def _find_own(
    data: Data, choice: ColumnChoice, given: tuple[str, ...], wants: Wants, stamps: tuple[tuple[str, int, int], ...]
) -> OwnData:
    files = _open_files(data, choice, given, wants)
    _refuse_same(files)
    name = own_name(data)
    kind = checks.find_kind(files["train"][0].file, choice, wants.study, wants.kinds)
    languages = _languages(files, given, wants)
    sets = _make_sets(files, languages, wants, data.most_train)
    opened = {key: (each.file, each.data) for key, each in sets.items()}
    checks.check_sets(kind, opened)
    if wants.words:
        checks.refuse_empty(opened)
    classes = checks.classes_of(kind, [each.data for key, each in sets.items() if key[1] == "train"])
    found = OwnData(name, kind, classes, languages, sets, ())
    return replace(found, notes=describe(found, wants))


def find_source_language(config: Any, source: str) -> str:
    """The language to train on: the one that is set, else the only one of which there are training rows."""
    data: Data = config.data
    if PLACE in data.train:
        return source
    train = open_own(data.train, config.columns)
    there = _trained_languages(train) if train.columns.language_column is not None else (source,)
    return there[0] if source not in there and len(there) == 1 else source


def _trained_languages(file: OpenedFile) -> tuple[str, ...]:
    """The languages of a file's rows, of those to train on where it says which these are."""
    return _said(_Named(file, "", split_within(file, "train")))


def _given_languages(config: Any) -> tuple[str, ...]:
    """The languages that the user gave; those of the study's own corpora count as not given."""
    default: Any = next(each.default for each in fields(config) if each.name == "data")
    return () if config.data.languages == default.languages else tuple(config.data.languages)


@dataclass(frozen=True, slots=True)
class _Named:
    """A file of a split: the language that its name or the settings give to rows that say none, and the rows' split."""

    file: OpenedFile
    called: str
    split: str = ""
    is_certain: bool = True


def _open_files(data: Data, choice: ColumnChoice, given: tuple[str, ...], wants: Wants) -> dict[str, list[_Named]]:
    """The files of each split; one file is all splits where its column says them."""
    settings = {split: getattr(data, split) for split in SPLITS if getattr(data, split)}
    one = "test" not in settings or (PLACE not in data.test and Path(data.test).resolve() == Path(data.train).resolve())
    if one:
        settings.pop("test", None)
    found = {split: list(_named(split, text, choice, given, wants)) for split, text in settings.items()}
    parts = _by_column(found) if one else found
    parts = {split: [_of_split(each, split) for each in several] for split, several in parts.items()}
    return parts if one or "validation" in parts else _with_marked_validation(parts)


def _with_marked_validation(parts: dict[str, list[_Named]]) -> dict[str, list[_Named]]:
    """The same with the rows to validate that stand in files to train on, where no others were given."""
    marked = [each for each in parts["train"] if each.split and "validation" in splits_said(each.file)]
    return {**parts, "validation": [replace(each, split="validation") for each in marked]} if marked else parts


def _of_split(each: _Named, split: str) -> _Named:
    """Of a file's rows those that its column says are of the split it was given for."""
    return each if each.split else replace(each, split=split_within(each.file, split))


def split_within(file: OpenedFile, split: str) -> str:
    """The split to choose of a file given for it; none where the file's column says no other, or not this one."""
    said = splits_said(file)
    return split if split in said and len(said) > 1 else ""


def _named(split: str, text: str, choice: ColumnChoice, given: tuple[str, ...], wants: Wants) -> Iterator[_Named]:
    if PLACE in text:
        languages = tuple(dict.fromkeys((*([wants.source] if wants.source else []), *given)))
        if not given:
            files = _in_place(Path(text))
            found = f" (there are files for {', '.join(files)})" if files else ""
            raise UsageError(
                f"the setting 'data.{split}' contains {PLACE}, which stands for each of 'data.languages'; name "
                f"these{found}"
            )
        paths = {language: Path(text.replace(PLACE, language)) for language in languages}
        there = {language: path for language, path in paths.items() if path.exists() or split == "test"}
        if wants.source and split == "test" and not paths[wants.source].exists():
            del there[wants.source]
        for language, path in (there or paths).items():
            yield _Named(open_own(path, choice), language)
        return
    source = wants.source if split != "test" else ""
    called = source or (given[0] if len(given) == 1 else wants.language)
    yield _Named(open_own(text, choice), called, is_certain=bool(source) or len(given) <= 1)


def _in_place(pattern: Path) -> list[str]:
    """What stands in the place of the language in the names of files that are there."""
    before, _, after = pattern.name.partition(PLACE)
    names = [path.name for path in pattern.parent.glob(f"{glob.escape(before)}*{glob.escape(after)}")]
    return sorted(name[len(before) : len(name) - len(after)] for name in names)


def _by_column(found: dict[str, list[_Named]]) -> dict[str, list[_Named]]:
    """The splits that the column of one file says; dev data are the test where there is no test."""
    whole = found["train"]
    there = {split for each in whole for split in splits_said(each.file)}
    test = "test" if "test" in there else "validation"
    if "train" not in there or test not in there:
        has_column = whole[0].file.columns.split_column is not None
        raise DataError(
            "one file to train and test on needs a column 'split' with train and test (or validation); else give a "
            "second file in the setting 'data.test'; "
            + (
                f"splits found: {', '.join(sorted(there))}"
                if has_column
                else "this file has no such column (one of another name is named in the setting 'columns.split')"
            ),
            path=whole[0].file.path,
        )
    wanted = {"train": "train", "test": test}
    if "validation" in there and test == "test" and "validation" not in found:
        wanted["validation"] = "validation"
    parts = {split: [replace(each, split=said) for each in whole] for split, said in wanted.items()}
    return {**found, **parts}


def _refuse_same(files: Mapping[str, list[_Named]]) -> None:
    """Refuse a file that is to train and to test, and the same data under the names of two languages."""
    seen: list[tuple[str, _Named]] = []
    for split in SPLITS:
        for each in files.get(split, ()):
            before = next(((name, one) for name, one in seen if _share_rows(one, each)), None)
            if before is not None and before[0] == split:
                raise DataError(
                    f"this file is byte for byte the same as {before[1].file.name}; the {_SPLIT_NAMES[split]} data of "
                    "two languages must be different files",
                    path=each.file.path,
                )
            if before is not None:
                done = "trained on" if before[0] == "train" else "chosen by"
                raise DataError(
                    f"this file, given as the {split} data, is byte for byte the same as {before[1].file.name}, the "
                    f"{_SPLIT_NAMES[before[0]]} data; the model would be {_JUDGED[split]} what it was {done}",
                    path=each.file.path,
                )
            seen.append((split, each))


def _share_rows(one: _Named, other: _Named) -> bool:
    """Whether two files are the same and rows of one are rows of the other."""
    return one.file.sha256 == other.file.sha256 and (one.split == other.split or "" in (one.split, other.split))


def _languages(files: Mapping[str, list[_Named]], given: tuple[str, ...], wants: Wants) -> tuple[str, ...]:
    """The languages that are tested, in the order given, else as they come; the source is not among them.

    Where each language is trained on, those without training rows are left out unless they were given.
    """
    tested = list(dict.fromkeys(language for each in files["test"] for language in _said(each)))
    if wants.source and tested == [UNKNOWN_LANGUAGE]:
        raise UsageError(
            f"the language of the rows of {files['test'][0].file.name} is unknown, and the study {wants.study!r} "
            "tests in other languages than it trains on: name it in 'data.languages', or name the column that gives "
            "it in 'columns.language'"
        )
    unsure = next((each for split in files.values() for each in split if not _is_told(each)), None)
    if unsure is not None:
        raise UsageError(
            f"'data.languages' names {len(given)} languages, but it is unknown which of them the rows of "
            f"{unsure.file.name} are in: name the column that says so in 'columns.language', or, with one file per "
            f"language, write {PLACE} in the file's name"
        )
    trained = {language for each in files["train"] for language in _said(each)}
    both = tested if wants.source else [language for language in tested if language in trained]
    wanted = tuple(language for language in (given or both or tested) if language != wants.source)
    for language in wanted:
        if language not in tested:
            there = ", ".join(tested)
            path = files["test"][0].file.path
            raise DataError(f"there are no test rows in the language {language!r}; there are in: {there}", path=path)
    return wanted


def _is_told(each: _Named) -> bool:
    return each.is_certain or each.file.columns.language_column is not None


def _said(each: _Named) -> tuple[str, ...]:
    """The languages of a file's rows in its split."""
    if each.file.columns.language_column is None:
        return (each.called,)
    if not each.split:
        return each.file.data.languages
    columns = (each.file.data.table.column(name).to_pylist() for name in ("language", "split"))
    return tuple(dict.fromkeys(spoken for spoken, split in zip(*columns, strict=True) if split_of(split) == each.split))


def _make_sets(
    files: Mapping[str, list[_Named]], languages: tuple[str, ...], wants: Wants, most: int | None
) -> dict[tuple[str, str], OwnSet]:
    """Every part of every language; validation rows are cut off training where there are none."""
    sets: dict[tuple[str, str], OwnSet] = {}
    trained = (wants.source,) if wants.source else languages
    for language in dict.fromkeys((*trained, *languages)):
        for split in SPLITS:
            found = next((each for each in files.get(split, ()) if language in _said(each)), None)
            made = None if found is None else _make_set(found, language)
            if made is not None and len(made.data):
                sets[language, split] = made
            elif split == "train" and language in trained:
                there = sorted({each for one in files["train"] for each in _said(one)})
                how = "; name the one to train on in the setting 'source'" if wants.source else ""
                raise DataError(
                    f"there are no training rows in the language {language!r}; there are in: {', '.join(there)}{how}",
                    path=files["train"][0].file.path,
                )
        if wants.validation and language in trained and (language, "validation") not in sets:
            _cut(sets, language)
        if most is not None and language in trained:
            sets[language, "train"] = _changed(sets[language, "train"], most=most)
    return sets


def _make_set(each: _Named, language: str) -> OwnSet:
    by_column = each.file.columns.language_column is not None
    return make_set(each.file, each.called, language if by_column else "", each.split)


def make_set(file: OpenedFile, called: str, language: str = "", split: str = "") -> OwnSet:
    """The rows of a file, those of one language and split where they are named; `called` is the language of rows that
    do not say theirs.
    """
    columns = file.columns
    names = {part.name: getattr(columns, part.name) for part in fields(columns) if part.name != "tags"}
    part = OwnPart(
        file.sha256,
        tuple((name, value) for name, value in names.items() if value is not None),
        columns.tags,
        called,
        language,
        split,
        path=str(file.path),
    )
    return OwnSet(file, choose_rows(file.data, part), read_own.job(part))


def _cut(sets: dict[tuple[str, str], OwnSet], language: str) -> None:
    whole = sets[language, "train"]
    held, kept = _changed(whole, cut="held"), _changed(whole, cut="kept")
    if not len(held.data) or len(np.unique(held.data.texts)) < checks.FEWEST_HELD:
        n_texts = len(set(whole.data.texts))
        of = f" of {n_texts} different texts" if n_texts < len(whole.data) else ""
        raise DataError(
            f"{len(whole.data)} training rows{of} are too few to hold out a tenth for validation; give more, or give "
            "validation data in the setting 'data.validation'",
            path=whole.file.path,
        )
    sets[language, "train"], sets[language, "validation"] = kept, held


def _changed(each: OwnSet, **changes: Any) -> OwnSet:
    """A set of fewer rows of the same file."""
    part = replace(each.job.arguments["part"], **changes)
    return OwnSet(each.file, choose_rows(each.file.data, part), read_own.job(part))
