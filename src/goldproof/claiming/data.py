"""The data of the page: the user's files, or a small generated task; each part with its rows and the job that reads it.

What can be wrong with files is said here, before any work.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from goldproof.claiming.settings import Config
from goldproof.claiming.steps import hold
from goldproof.data.dataset import Dataset
from goldproof.errors import UsageError
from goldproof.jobs import Job
from goldproof.models.protocols import Task
from goldproof.studies.asked import is_asked
from goldproof.studies.corruption import toy
from goldproof.studies.own import (
    OwnSet,
    Wants,
    checks,
    find_own,
    has_own,
    make_set,
    open_own,
    split_notes,
    split_within,
)

KINDS: tuple[Task, ...] = ("text", "pair", "tokens", "regression")
WANTS = Wants("claims", KINDS, tags=True)
ASKED = Wants("claims", ("text", "pair"), validation=False, tags=True)
"""What a language model can be asked about."""

TOY = "generated/sentiment"


@dataclass(frozen=True, slots=True)
class ClaimPart:
    """Rows as they are, the job that reads them, and the file they come from, if from one."""

    data: Dataset
    job: Job[Dataset]
    path: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class ClaimData:
    """The data: what they are called, their kind, classes and language, the parts by split, and further tests by
    language.
    """

    name: str
    kind: Task
    classes: tuple[str, ...]
    language: str
    parts: Mapping[str, ClaimPart]
    further: Mapping[str, ClaimPart]
    notes: tuple[str, ...] = ()

    @property
    def has_classes(self) -> bool:
        """Whether each row has one class."""
        return self.kind in ("text", "pair")

    def jobs(self) -> dict[str, Job[Dataset]]:
        """The jobs of the splits."""
        return {split: part.job for split, part in self.parts.items()}


def find_data(config: Config) -> ClaimData:
    """The data of a Config."""
    asked = is_asked(config)
    if not has_own(config):
        if asked:
            raise UsageError("a language model can only be asked about data of your own; name them in 'data.train'")
        return _generated()
    own = find_own(config, ASKED if asked else WANTS)
    if len(own.languages) > 1:
        raise UsageError(
            f"claims are made about data in one language, but {own.name} has {', '.join(own.languages)}; name it in "
            "'data.languages', and give further tests as LANGUAGE=FILE"
        )
    (language,) = own.languages
    parts = {split: _part(own.sets[language, split]) for split in own.splits(language)}
    training = own.sets[language, "train"]
    further = {code: _further(config, own.kind, training, (code, file)) for code, _, file in map(_split, config.tests)}
    if language in further:
        raise UsageError(f"there are two test files in {language!r}, which is the language of the training data")
    notes = [*own.notes, *(note for each in further.values() for note in _split_notes(each))]
    tests = {code: _part(each) for code, each in further.items()}
    return ClaimData(own.name, own.kind, own.classes, language, parts, tests, tuple(notes))


def _split(text: str) -> tuple[str, str, str]:
    return text.partition("=")


def _further(config: Config, kind: Task, training: OwnSet, given: tuple[str, str]) -> OwnSet:
    """The test rows of a file in another language, whose labels training must know."""
    language, path = given
    file = open_own(path, config.columns)
    made = make_set(file, language, split=split_within(file, "test"))
    opened = {("", "train"): (training.file, training.data), (language, "test"): (file, made.data)}
    checks.check_sets(kind, opened)
    return made


def _split_notes(further: OwnSet) -> Iterator[str]:
    return split_notes(further.file, {"test": further.job.arguments["part"].split})


def _part(each: OwnSet) -> ClaimPart:
    return ClaimPart(each.data, each.job, str(each.file.path), each.file.sha256)


def _generated() -> ClaimData:
    """A small generated task, of whose words the classes are known."""
    rows = {split: (toy.generate.job(TOY, split), toy.generate(TOY, split)) for split in ("train", "test")}
    whole, data = rows["train"]
    parts = {
        "train": ClaimPart(hold(data, "kept"), hold.job(whole, "kept")),
        "validation": ClaimPart(hold(data, "held"), hold.job(whole, "held")),
        "test": ClaimPart(rows["test"][1], rows["test"][0]),
    }
    return ClaimData("generated reviews", "text", ("negative", "positive"), "en", parts, {})
