"""Probing tasks made ready: three splits that share no text, no larger than asked, and notes on what was done for that.

Tasks come from suites of the catalog, a folder of one's own, or generated sentences. Texts decide by their hash, so
that the same text is always on the same side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from goldproof.data.corpora.catalog import catalog
from goldproof.data.corpora.steps import corpus_job, published_job
from goldproof.data.dataset import UNKNOWN_LANGUAGE, Dataset
from goldproof.data.formats.files import looking, suffix_of
from goldproof.data.naming import split_in_name
from goldproof.draws import draw_fraction
from goldproof.errors import DataError, UsageError
from goldproof.jobs import Job, step
from goldproof.jobs.names import named
from goldproof.jobs.pace import same_rows
from goldproof.measures.probe_task import SPLITS, ProbeTask, hold_out, majority_accuracy, probe_task
from goldproof.studies.own import OwnData, Wants, find_own, gather, has_own, own_name, settled
from goldproof.studies.probing import toy
from goldproof.studies.probing.published import SUITES, canonical_name, paper_tasks
from goldproof.studies.probing.settings import DATA, Coarse, Config, parse_model
from goldproof.studies.shared import Data, each_model

MOST_SHARED = 0.5
MOST_LABELS = 10


@named("probing.Sizes")
@dataclass(frozen=True, slots=True)
class Sizes:
    """How many items a task may have, and how splits are made where the corpus has none that can be used.

    `held_out` is the share of the training items used for validation if there is no validation split. If more than half
    of the test texts also occur in training, `leaks` says whether the texts are split again or refused.
    """

    most_train: int | None = None
    most_validation: int | None = None
    most_test: int | None = None
    held_out: float = 0.1
    seed: int = 0
    leaks: Literal["split", "refuse"] = "split"


@named("probing.Prepared")
@dataclass(frozen=True, slots=True)
class Prepared:
    """A task in a language: rows of train, validation and test, and what was done to get them, in sentences.

    `n_left_out` training texts also stand in test and were left out.
    """

    task: str
    language: str
    data: Dataset
    n_left_out: int
    notes: tuple[str, ...]

    def __len__(self) -> int:
        """How many rows it has in all splits, by which the time of a job on it is told."""
        return len(self.data)

    @property
    def table(self) -> pa.Table:
        """Its rows."""
        return self.data.table

    def labels(self) -> ProbeTask:
        """The labels and splits, as probes want them."""
        columns = (self.data.table.column(name).to_pylist() for name in ("label", "split"))
        return probe_task(*columns)


@named("probing.Part")
@dataclass(frozen=True, slots=True)
class Part:
    """The figures of a split, as in Table 11 of the paper: tokens are what blanks separate."""

    rows: int
    tokens: int
    unique_tokens: int
    labels: dict[str, int]


@named("probing.Facts")
@dataclass(frozen=True, slots=True)
class Facts:
    """What a task is: figures of its splits and of all together, classes, accuracy of the majority class, and what was
    done to it.
    """

    parts: dict[str, Part]
    n_classes: int
    majority: float
    n_left_out: int
    notes: tuple[str, ...]


def _rows_left(arguments: Mapping[str, Any]) -> float | None:
    """The most rows that a task made ready can have."""
    n, sizes = arguments["data"], arguments["sizes"]
    caps = (sizes.most_train, sizes.most_validation, sizes.most_test)
    if not isinstance(n, int | float):
        return None
    return n if None in caps else min(n, sum(caps))


@step(version=2, name="goldproof.probing.prepare", size=_rows_left, paced_by=())
def prepare(data: Dataset, task: str, language: str, sizes: Sizes) -> Prepared:
    """The task with splits that share no text; the published test split stays as it is where it can."""
    where = f"{task} ({language})"
    _check(data, where)
    rows = _Rows(data)
    notes: list[str] = []
    by_split, n_left_out = _separate(rows, sizes, where, notes)
    _hold_out(rows, by_split, sizes, notes)
    most_of = {"train": sizes.most_train, "validation": sizes.most_validation, "test": sizes.most_test}
    for split, most in most_of.items():
        kept = _fewer(rows, by_split[split], most, sizes.seed)
        if len(kept) < len(by_split[split]):
            notes.append(f"At most {most:,} {split} texts were drawn, each class in proportion to its share")
        by_split[split] = kept
    _drop_lost_classes(rows, by_split, notes)
    order = [row for split in SPLITS for row in by_split[split]]
    numbered = data.take(order).with_column("id", [str(place) for place in range(len(order))])
    chosen = numbered.with_column("split", [split for split in SPLITS for _ in by_split[split]])
    prepared = Prepared(task, language, chosen, n_left_out, tuple(notes))
    try:
        prepared.labels()
    except DataError as error:
        raise DataError(f"{where}: {error}") from None
    return prepared


@step(version=1, name="goldproof.probing.facts", size=same_rows("task"), paced_by=())
def describe(task: Prepared) -> Facts:
    """The figures of a task."""
    parts = {split: _part(task.data.select(split=split)) for split in SPLITS}
    labels = task.labels()
    parts["overall"] = _part(task.data)
    return Facts(parts, labels.n_classes, majority_accuracy(labels), task.n_left_out, task.notes)


def _part(data: Dataset) -> Part:
    tokens: Counter[str] = Counter()
    for text in data.texts:
        tokens.update(text.split())
    labels = dict(sorted(Counter(data.table.column("label").to_pylist()).items()))
    shown = labels if len(labels) <= MOST_LABELS else {}
    return Part(len(data), tokens.total(), len(tokens), shown)


class _Rows:
    """Texts and labels of all rows, and the rows of each split."""

    def __init__(self, data: Dataset) -> None:
        self.texts = data.texts
        self.labels: list[str] = data.table.column("label").to_pylist()
        splits = data.table.column("split").to_pylist()
        self.of = {name: [row for row, split in enumerate(splits) if split == name] for name in SPLITS}

    def without(self, rows: Iterable[int], others: Iterable[int]) -> list[int]:
        """The rows whose texts are none of the others'."""
        known = {self.texts[row] for row in others}
        return [row for row in rows if self.texts[row] not in known]


def _check(data: Dataset, where: str) -> None:
    for row in data:
        if row["label"] is None:
            raise DataError(f"{where}: item {row['id']!r} of {row['split']} has no label")
        if not row["text"].strip():
            raise DataError(f"{where}: item {row['id']!r} of {row['split']} is empty; a vector needs at least one word")
    if "test" not in data.splits or not {"train", "validation"} & set(data.splits):
        raise DataError(
            f"{where}: a task needs the split test, and train or validation to train on; got {', '.join(data.splits)}"
        )


def _separate(rows: _Rows, sizes: Sizes, where: str, notes: list[str]) -> tuple[dict[str, list[int]], int]:
    """Train, validation (maybe empty) and test without shared texts, and how many training texts were left out."""
    train, validation, test = (rows.of[split] for split in SPLITS)
    if not train:
        train, validation = validation, []
        notes.append("There is no training split: the validation split trains")
    alone = rows.without(test, train)
    n_shared = len(test) - len(alone)
    if n_shared > MOST_SHARED * len(test):
        what = f"{n_shared:,} of the {len(test):,} test texts also occur in training"
        if sizes.leaks == "refuse":
            raise DataError(
                f"{where}: {what}, so a probe could remember them; splits.leaks = 'split' splits the texts again"
            )
        notes.append(f"{what}: the distinct texts were split again, half of them into test")
        return _anew(rows, [*train, *test], sizes.seed), 0
    kept = rows.without(train, test)
    others = rows.without(validation, [*kept, *test])
    return {"train": kept, "validation": others, "test": test}, len(train) - len(kept)


def _anew(rows: _Rows, every: Sequence[int], seed: int) -> dict[str, list[int]]:
    first = dict(reversed([(rows.texts[row], row) for row in every]))
    different = sorted(first.values())
    to_test = {row for row in different if draw_fraction(seed, "test", rows.texts[row]) < 0.5}
    return {"train": [row for row in different if row not in to_test], "validation": [], "test": sorted(to_test)}


def _hold_out(rows: _Rows, by_split: dict[str, list[int]], sizes: Sizes, notes: list[str]) -> None:
    """Take validation items out of training where there are none."""
    if by_split["validation"]:
        return
    train = by_split["train"]
    held = hold_out([rows.texts[r] for r in train], [rows.labels[r] for r in train], sizes.held_out, sizes.seed)
    by_split["validation"] = [row for row, is_held in zip(train, held, strict=True) if is_held]
    by_split["train"] = [row for row, is_held in zip(train, held, strict=True) if not is_held]
    notes.append(f"{100 * sizes.held_out:g} % of each class of the training texts were held out for validation")


def _drop_lost_classes(rows: _Rows, by_split: dict[str, list[int]], notes: list[str]) -> None:
    """Leave out items whose class had training texts and has none any more; one that never had any is an error."""
    had = {rows.labels[row] for row in rows.of["train"] or rows.of["validation"]}
    lost = sorted(had - {rows.labels[row] for row in by_split["train"]})
    for split in ("validation", "test"):
        kept = [row for row in by_split[split] if rows.labels[row] not in lost]
        if len(kept) < len(by_split[split]):
            notes.append(f"Left out of {split}, because no training text of their class was left: {', '.join(lost)}")
        by_split[split] = kept


def _fewer(rows: _Rows, chosen: list[int], most: int | None, seed: int) -> list[int]:
    """At most so many rows, each class by its share and with at least one row where there is room."""
    if most is None or len(chosen) <= most:
        return chosen
    texts, labels = ([column[row] for row in chosen] for column in (rows.texts, rows.labels))
    places = dict(zip(chosen, class_places(texts, labels, seed, "sample"), strict=True))
    return sorted(sorted(chosen, key=places.__getitem__)[:most])


def class_places(texts: Sequence[str], labels: Sequence[str], seed: int, purpose: str) -> list[float]:
    """For each text the share of its class that comes before it in the order of hashes: taking the lowest of all
    classes together takes of each class its share.

    >>> sorted(class_places(["one", "two", "three"], ["a", "a", "b"], 0, "sample"))
    [0.0, 0.0, 0.5]
    """
    counts, seen, places = Counter(labels), Counter[str](), [0.0] * len(texts)
    for row in sorted(range(len(texts)), key=lambda row: draw_fraction(seed, purpose, texts[row])):
        places[row] = seen[labels[row]] / counts[labels[row]]
        seen[labels[row]] += 1
    return places


GENERATED_ROWS = 600
_TABLES = (".csv", ".jsonl", ".ndjson", ".tsv", ".parquet")
_FILES = {"train": "tr.txt", "validation": "va.txt", "test": "te.txt"}


WANTS = Wants("probing", ("text",), words=True)


def own_tasks(config: Config) -> dict[str, OwnData]:
    """The user's own data by task: one for each column of labels that `tasks` names, else the one that is found."""
    if not config.tasks:
        found = find_own(config, WANTS)
        return {found.name: found}
    return {
        task: find_own(replace(config, columns=replace(config.columns, label=task)), WANTS) for task in config.tasks
    }


def settle(config: Config) -> Config:
    """The Config with the languages of the user's own files or folder, and no part of it on generated data."""
    if not has_own(config):
        return _settled_folder(config)
    found = settled(config, next(iter(own_tasks(config).values())))
    return replace(found, coarse=Coarse()) if config.data.corpus == "generated" else found


@looking()
def _settled_folder(config: Config) -> Config:
    """The Config of a folder of tasks whose languages were not named: those that it has folders of, else none known."""
    data = config.data
    is_folder = data.corpus not in (*SUITES, "paper", "generated")
    is_told = data.languages != DATA.languages or any(parse_model(text).languages for text in each_model(config.model))
    if not is_folder or is_told:
        return config
    there = tuple(language for language in data.languages if (Path(data.corpus) / language).is_dir())
    return replace(config, data=replace(data, languages=there or (UNKNOWN_LANGUAGE,)))


def notes(config: Config) -> tuple[str, ...]:
    """What is said of the user's own data before work starts."""
    found = own_tasks(config) if has_own(config) else {}
    return tuple(dict.fromkeys(note for own in found.values() for note in own.notes))


def tasks_of(config: Config, language: str) -> tuple[str, ...]:
    """The tasks in a language, in order: those asked for, as far as its corpus has them."""
    if has_own(config):
        return tuple(own_tasks(config))
    there = _all_tasks(config, language)
    if not config.tasks:
        return there
    asked = tuple(
        task for task, at, code in (text.partition("@") for text in config.tasks) if not at or code == language
    )
    if config.data.corpus == "paper":
        wanted = set(map(canonical_name, asked))
        return tuple(task for task in there if canonical_name(task) in wanted)
    missing = [task for task in asked if task not in there]
    if missing:
        raise UsageError(
            f"{config.data.corpus!r} has no task {missing[0]!r} in {language!r}; it has: {', '.join(there)}"
        )
    return asked


def task_job(config: Config, language: str, task: str) -> Job[Prepared]:
    """The job that makes a task ready."""
    return prepare.job(_raw(config, language, task), task, language, sizes_of(config))


def sizes_of(config: Config) -> Sizes:
    """How large the splits of every task may be, and how they are made."""
    splits = config.splits
    return Sizes(
        config.data.most_train, splits.most_validation, splits.most_test, splits.held_out, splits.seed, splits.leaks
    )


def facts_job(config: Config, language: str, task: str) -> Job[Facts]:
    """The figures of a task."""
    return describe.job(task_job(config, language, task))


@looking()
def _all_tasks(config: Config, language: str) -> tuple[str, ...]:
    if config.data.corpus == "generated":
        return toy.TASKS
    if config.data.corpus == "paper":
        return paper_tasks(language)
    if config.data.corpus in SUITES:
        return tuple(catalog()[config.data.corpus].parts)
    folder = _folder(config, language)
    files = [path.stem for path in folder.glob("*.txt")]
    folders = [path.parent.name for path in folder.glob(f"*/{_FILES['test']}")]
    tables = _tables(folder)
    if not files and not folders and not tables:
        raise UsageError(
            f"the folder {folder} has no tasks; a task is TASK.txt (split, label, text), TASK/{{tr,va,te}}.txt (text, "
            "label), or tables with a text and a label in each row: TASK.csv with a column 'split', or TASK_train.csv "
            "and TASK_test.csv, also as jsonl, tsv or parquet"
        )
    return tuple(sorted({*files, *folders, *tables}))


def _tables(folder: Path) -> dict[str, dict[str, str]]:
    """The tables of a folder by task, each with its files by split; one file without a split has all of them."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(folder.iterdir()):
        if suffix_of(path) in _TABLES and path.is_file():
            name = own_name(Data(train=str(path)))
            found.setdefault(name, {})[split_in_name(path.name) or "train"] = str(path)
    return {name: files for name, files in found.items() if "train" in files}


def _table_job(config: Config, language: str, files: Mapping[str, str]) -> Job[Dataset]:
    parts = {split: files.get(split, "") for split in SPLITS}
    data = replace(
        config.data, train=parts["train"], validation=parts["validation"], test=parts["test"], languages=(language,)
    )
    own = find_own(replace(config, data=data, tasks=()), WANTS)
    return gather.job(own.part_jobs(language))


@looking()
def _raw(config: Config, language: str, task: str) -> Job[Dataset]:
    if has_own(config):
        return gather.job(own_tasks(config)[task].part_jobs(language))
    if config.data.corpus == "generated":
        return toy.generate.job(task, language, GENERATED_ROWS, seed=0)
    if config.data.corpus == "paper" or config.data.corpus in SUITES:
        suite = config.data.corpus if config.data.corpus in SUITES else "rusenteval" if language == "ru" else "senteval"
        return corpus_job(f"{suite}/{task}", language=language, root=config.data.root or None)
    folder = _folder(config, language)
    one_file = folder / f"{task}.txt"
    if one_file.is_file():
        return published_job({"": one_file}, "split-label-text", language=language)
    tables = _tables(folder)
    if task in tables:
        return _table_job(config, language, tables[task])
    files = {split: folder / task / name for split, name in _FILES.items() if (folder / task / name).is_file()}
    return published_job(files, "text-label", language=language)


def _folder(config: Config, language: str) -> Path:
    """The folder of a language's tasks: its own within the corpus where there is one."""
    own = Path(config.data.corpus) / language
    return own if own.is_dir() else Path(config.data.corpus)
