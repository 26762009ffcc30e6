"""The tasks of a configuration: what kind each is, how it is scored, and the jobs that give its data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from goldproof.builders.corruption.removal import Corruption
from goldproof.data.corpora.catalog import available_splits, find_corpus
from goldproof.data.corpora.steps import ColumnsFile, corpus_job, hub_job, read_columns
from goldproof.data.dataset import Dataset
from goldproof.data.formats.files import check_file, describe_file
from goldproof.data.naming import SPLIT_WORDS
from goldproof.errors import DataError
from goldproof.jobs import Job
from goldproof.studies.corruption import steps, toy
from goldproof.studies.corruption.settings import Config, classes_of, language_of, tagger_of

Split = Literal["train", "test"]
CorruptionKind = Literal["text", "pair", "regression"]
Removing = Literal["remove", "random"]
METRICS = {"glue/cola": "mcc"}
POSITIVE = {"glue/mrpc": "equivalent", "glue/qqp": "duplicate", "generated/paraphrase": "equivalent"}
"""The class whose F1 GLUE gives beside accuracy."""
PAPER_NAMES = {
    "glue/cola": "CoLA",
    "glue/mnli": "MNLI-M",
    "glue/mrpc": "MRPC",
    "glue/qnli": "QNLI",
    "glue/qqp": "QQP",
    "glue/rte": "RTE",
    "rte": "RTE",
    "glue/sst2": "SST-2",
    "glue/stsb": "STS-B",
}


@dataclass(frozen=True, slots=True)
class CorruptionTask:
    """A task: its name, its kind, its main metric, the class whose F1 stands beside accuracy, if any, and whether it is
    the user's own.
    """

    name: str
    kind: CorruptionKind
    metric: str
    positive: str = ""
    is_own: bool = False

    @property
    def paper_name(self) -> str:
        """What the paper calls the task; nothing where it does not have it, whatever a file of one's own is called."""
        return "" if self.is_own else PAPER_NAMES.get(self.name, "")

    @property
    def title(self) -> str:
        """The paper's name of the task, else its own."""
        return self.paper_name or self.name

    @property
    def slug(self) -> str:
        """The name as it may stand in a file's name.

        >>> CorruptionTask("glue/cola", "text", "mcc").slug
        'glue-cola'
        """
        return "".join(letter if letter.isalnum() else "-" for letter in self.name)


@dataclass(frozen=True, slots=True)
class Version:
    """Which texts: the originals, or those without some classes, or with as many random words removed.

    >>> str(Version()), str(Version("NOUN")), str(Version("NOUN", "random"))
    ('original', 'NOUN', 'NOUN/random')
    """

    removed: str = ""
    kind: Removing = "remove"

    def __str__(self) -> str:
        return "original" if not self.removed else self.removed + ("/random" if self.kind == "random" else "")


ORIGINAL = Version()


def find_tasks(config: Config) -> list[CorruptionTask]:
    """The tasks in order, the user's own last."""
    found = [_catalog_task(name) for name in config.tasks]
    return [*found, _own_task(config)] if config.data.train else found


def _catalog_task(name: str) -> CorruptionTask:
    what = "" if name in toy.TASKS else find_corpus(name)[0].task
    if name == "generated/similarity" or what.endswith("regression"):
        return CorruptionTask(name, "regression", "pearson")
    if what not in ("", "text classification", "pair classification"):
        raise DataError(f"the corpus {name!r} is for {what}; a task of texts or pairs with labels or scores is needed")
    is_pair = name == "generated/paraphrase" or what.startswith("pair")
    return CorruptionTask(name, "pair" if is_pair else "text", METRICS.get(name, "accuracy"), POSITIVE.get(name, ""))


def _own_task(config: Config) -> CorruptionTask:
    name, rows = own_name(config), _own_rows(config, "train")
    if not rows.labels and not any(score is not None for score in rows.table.column("score").to_pylist()):
        how = "name its column in the setting 'columns.label' (a class) or 'columns.score' (a number)"
        raise DataError(f"no label was found to train on; {how}", path=config.data.train)
    if config.columns.score or not rows.labels:
        return CorruptionTask(name, "regression", "pearson", is_own=True)
    return CorruptionTask(name, "text" if rows.pairs[0] is None else "pair", "accuracy", is_own=True)


def own_name(config: Config) -> str:
    """What the user's own dataset is called: the name of its first file.

    >>> from goldproof.studies.shared import Data
    >>> own_name(Config(data=Data(train="data/reviews.jsonl", languages=("en",))))
    'reviews'
    """
    return Path(config.data.train).name.partition(".")[0]


def data_job(config: Config, task: CorruptionTask, split: Split, version: Version = ORIGINAL) -> Job[Dataset]:
    """The job that gives one split of a task, original or corrupted."""
    rows = _rows_job(config, task, split)
    if not version.removed:
        return rows
    return steps.corrupt.job(rows, tagging_job(config, task, split), corruption_of(config, version))


def corruption_of(config: Config, version: Version) -> Corruption:
    """What is done to the texts."""
    removal = config.removal
    return Corruption(classes_of(version.removed), version.kind, removal.preset, removal.seed)


def tagging_job(config: Config, task: CorruptionTask, split: Split) -> Job[object]:
    """The job that tags the texts of a whole split; all corruptions share it, however many rows they take."""
    rows = _whole_job(config, task, split)
    if task.name in toy.TASKS:
        return toy.tag_generated.job(rows)
    tagger = tagger_of(config)
    return steps.tag.job(rows, tagger.language, tagger.backend)


def _rows_job(config: Config, task: CorruptionTask, split: Split) -> Job[Dataset]:
    whole = _whole_job(config, task, split)
    return steps.sample.job(whole, config.data.most_train) if split == "train" and config.data.most_train else whole


def _whole_job(config: Config, task: CorruptionTask, split: Split) -> Job[Dataset]:
    if task.name in toy.TASKS:
        return toy.generate.job(task.name, split)
    if task.is_own:
        return read_columns.job(_own_file(config, split))
    corpus = find_corpus(task.name)[0]
    language = language_of(config) if len(corpus.languages) > 1 else None
    if config.data.hub:
        return hub_job(task.name, split="train" if split == "train" else "validation", language=language)
    root = config.data.root or None
    if split == "train":
        return corpus_job(task.name, language=language, split="train", root=root)
    there = available_splits(task.name, language=language, root=root)
    return corpus_job(task.name, language=language, split=_test_split(there), root=root)


def _test_split(there: tuple[str, ...]) -> str:
    """The validation split where there is one, since the test splits of GLUE have no labels; else test."""
    return "validation" if "validation" in there else "test"


def _own_file(config: Config, split: Split) -> ColumnsFile:
    """The file and its rows of a split: all of them where train and test have files of their own.

    One file named twice is one file: its column `split` tells what is trained on, never the test rows.
    """
    own, names = config.data, config.columns
    has_two = bool(own.test) and Path(own.test).resolve() != Path(own.train).resolve()
    path = check_file(own.test if split == "test" and own.test else own.train)
    columns = {"text": names.text, "pair": names.pair, "label": names.label, "score": names.score}
    file = ColumnsFile(describe_file(path).sha256, language_of(config), **columns, path=str(path))
    if has_two:
        return file
    there = _splits(file)
    held_out = "test" if "test" in there else "validation"
    wanted = "train" if split == "train" else held_out
    if wanted not in there:
        raise DataError(
            "a column 'split' with train and validation or test is needed, or another file in the setting 'data.test'; "
            f"splits found: {', '.join(there)}",
            path=path,
        )
    return replace(file, split=wanted)


def _own_rows(config: Config, split: Split) -> Dataset:
    return _read(_own_file(config, split))


def _splits(file: ColumnsFile) -> tuple[str, ...]:
    return tuple(dict.fromkeys(SPLIT_WORDS.get(name, name) for name in _read(file).splits))


@lru_cache(maxsize=8)
def _read(file: ColumnsFile) -> Dataset:
    """The rows; its digest is part of the file, so that a changed file is read again."""
    return read_columns(file)
