"""The tasks of a configuration: what kind each is, how it is scored, and the jobs that give its data."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from goldproof.builders.corruption.removal import Corruption
from goldproof.builders.tagging.own_classes import read_word_list
from goldproof.builders.tagging.tagset import OWN
from goldproof.data.corpora.catalog import available_splits, find_corpus
from goldproof.data.corpora.steps import corpus_job, hub_job
from goldproof.data.dataset import Dataset
from goldproof.errors import DataError, UsageError
from goldproof.jobs import Job
from goldproof.studies.asked import is_asked, some_items
from goldproof.studies.corruption import steps, toy
from goldproof.studies.corruption.settings import (
    DATA,
    DEFAULT,
    TINY,
    Config,
    classes_of,
    has_own_classes,
    language_of,
    tagger_of,
)
from goldproof.studies.own import OwnData, Wants, find_own, has_own, settled
from goldproof.studies.own.parts import OwnPart, read_own

Split = Literal["train", "test"]
CorruptionKind = Literal["text", "pair", "regression"]
Removing = Literal["remove", "random"]
MOST_CLASSES = 8
_NO_CLASSES = (".", "PUNCT", "X", "O", "_", "")
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
    config = settle(config)
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
    own = own_data(config)
    if own.kind == "regression":
        return CorruptionTask(own.name, "regression", "pearson", is_own=True)
    return CorruptionTask(own.name, "pair" if own.kind == "pair" else "text", "accuracy", is_own=True)


def own_data(config: Config) -> OwnData:
    """The user's own data; their texts are English where nothing says otherwise."""
    return find_own(config, Wants("corruption", ("text", "pair", "regression"), validation=False, language="en"))


def settle(config: Config) -> Config:
    """The Config with the language, and the classes of words, of the user's own files; else as it is.

    The study's own tasks are left out unless they were named. A language model is asked, so that test texts alone can
    be corrupted.
    """
    asks = is_asked(config)
    if not has_own(config):
        if asks:
            raise UsageError(
                "a language model can only be asked about data of your own: name them in 'data.train' and "
                "'data.test', or fine-tune the model with prompts.use=never"
            )
        return config
    own = own_data(config)
    if len(own.languages) > 1:
        raise UsageError(
            f"the study 'corruption' takes texts of one language, and {own.name} has {', '.join(own.languages)}; name "
            "one in 'data.languages'"
        )
    tasks = () if config.tasks in (DEFAULT.tasks, TINY.tasks) else config.tasks
    classes = config.classes
    if has_own_classes(config) and classes in (DEFAULT.classes, TINY.classes):
        classes = own_classes(config)
    if asks:
        prompts = replace(config.prompts, draws=config.prompts.draws[:1], samples=config.prompts.samples[:1])
        config = replace(config, settings=("test",), prompts=prompts)
    return replace(settled(config, own), tasks=tasks, classes=classes)


def notes(config: Config) -> tuple[str, ...]:
    """What is said of the user's own data before work starts."""
    if not has_own(config):
        return ()
    found = settle(config)
    where = f"{Path(found.removal.words).name!r}" if found.removal.words else f"the column {found.removal.column!r}"
    told = [f"Word classes, from {where}: {', '.join(found.classes)}."] if has_own_classes(found) else []
    return (*own_data(found).notes, *_taken_for(config, found), *told)


def _taken_for(given: Config, found: Config) -> tuple[str, ...]:
    """What is said where nothing says in which language the texts are, and a tagger is chosen all the same."""
    columns = [each.file.columns.language_column for each in own_data(found).sets.values()]
    if has_own_classes(found) or given.data.languages != DATA.languages or any(columns):
        return ()
    return ("No column gives the language of the texts: they are tagged as English (data.languages=en).",)


def own_classes(config: Config) -> tuple[str, ...]:
    """The user's classes of words, the most frequent first; no more than a study has room for."""
    if config.removal.words:
        counts = Counter(read_word_list(config.removal.words).values())
    else:
        data = read_own(_labelled_part(config, "train"))
        labels = data.table.column("token_labels").to_pylist()
        counts = Counter(label for row in labels for label in row or () if label not in _NO_CLASSES)
    return tuple(name for name, _ in counts.most_common(MOST_CLASSES))


def _labelled_part(config: Config, split: Split) -> OwnPart:
    """The part of one's own data of a split, with the class of each word."""
    own = own_data(config)
    part: OwnPart = own.job(own.languages[0], split).arguments["part"]
    columns = {**dict(part.columns), "token_labels": config.removal.column}
    return replace(part, columns=tuple(columns.items()))


def data_job(config: Config, task: CorruptionTask, split: Split, version: Version = ORIGINAL) -> Job[Dataset]:
    """The job that gives one split of a task, original or corrupted."""
    rows = _rows_job(config, task, split)
    if not version.removed:
        return rows
    return steps.corrupt.job(rows, tagging_job(config, task, split), corruption_of(config, version, task))


def corruption_of(config: Config, version: Version, task: CorruptionTask) -> Corruption:
    """What is done to the texts; where they may be pairs, random words are drawn over both."""
    removal, classes = config.removal, classes_of(version.removed)
    kind = "random-pairs" if version.kind == "random" and task.kind != "text" else version.kind
    names = tuple(OWN + name for name in classes) if has_own_classes(config) else classes
    return Corruption(names, kind, removal.preset, removal.seed)


def tagging_job(config: Config, task: CorruptionTask, split: Split) -> Job[object]:
    """The job that tags the texts of a whole split; all corruptions share it, however many rows they take."""
    rows = _whole_job(config, task, split)
    if task.name in toy.TASKS:
        return toy.tag_generated.job(rows)
    if config.removal.words:
        return steps.tag_listed.job(rows, read_word_list(config.removal.words))
    if config.removal.column:
        return steps.tag_labelled.job(read_own.job(_labelled_part(config, split)))
    tagger = tagger_of(config)
    return steps.tag.job(rows, tagger.language, tagger.backend)


def _rows_job(config: Config, task: CorruptionTask, split: Split) -> Job[Dataset]:
    whole = _whole_job(config, task, split)
    if split == "test" and is_asked(config):
        return some_items(config, whole)
    return steps.sample.job(whole, config.data.most_train) if split == "train" and config.data.most_train else whole


def _whole_job(config: Config, task: CorruptionTask, split: Split) -> Job[Dataset]:
    if task.name in toy.TASKS:
        return toy.generate.job(task.name, split)
    if task.is_own:
        own = own_data(config)
        return own.job(own.languages[0], split)
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
