"""The data of the page: the user's files, or a small generated task; each part with its rows and the job that reads it.

What can be wrong with files is said here, before any work.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from goldproof.claiming.settings import Config
from goldproof.claiming.steps import hold
from goldproof.data.dataset import Dataset
from goldproof.errors import DataError, UsageError
from goldproof.jobs import Job
from goldproof.models.protocols import Task
from goldproof.report.numbers import count
from goldproof.studies.asked import check_examples, is_asked
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

FEWEST_ITEMS = 2
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

    def n_copies(self, language: str) -> int:
        """How many rows of the test in another language, both texts of a pair together, also stand in training."""
        return checks.n_repeated(self.further[language].data, self.parts["train"].data)

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
    if asked:
        check_examples(config, own, language)
    parts = {split: _part(own.sets[language, split]) for split in own.splits(language)}
    training = own.sets[language, "train"]
    further = {code: _further(config, own.kind, training, (code, file)) for code, _, file in map(_split, config.tests)}
    if language in further:
        raise UsageError(f"there are two test files in {language!r}, which is the language of the training data")
    tests = {code: _part(each) for code, each in further.items()}
    _refuse_same(parts, tests, language)
    _refuse_few({language: parts["test"], **tests})
    notes = [*own.notes, *(note for each in further.values() for note in _split_notes(each))]
    found = ClaimData(own.name, own.kind, own.classes, language, parts, tests, tuple(notes))
    return replace(found, notes=(*found.notes, *copy_notes(found)))


def copy_notes(data: ClaimData) -> list[str]:
    """How many rows of each further test have an exact copy in training, where some have."""
    counted = {language: data.n_copies(language) for language in data.further}
    return [
        f"{count(n)} of {count(len(data.further[language].data))} test rows in {language} "
        f"{'has' if n == 1 else 'have'} an exact copy in the training rows."
        for language, n in counted.items()
        if n
    ]


_USED = {"train": "tested on what it was trained on", "validation": "tested on what it was chosen by"}


def _refuse_same(parts: Mapping[str, ClaimPart], further: Mapping[str, ClaimPart], language: str) -> None:
    """Refuse a further test whose rows are from the same file, byte for byte, as those of another part."""
    known = {split: parts[split] for split in ("train", "validation", "test") if split in parts}
    for code, part in further.items():
        split = next((name for name, each in known.items() if _is_same(each, part)), "")
        if split in _USED:
            named = "training" if split == "train" else split
            which, why = f"the {named} data", f"the model would be {_USED[split]}"
        elif split:
            which = f"the test data in {(language if split == 'test' else split)!r}"
            why = "the test data of two languages must be different files"
        else:
            known[code] = part
            continue
        raise DataError(
            f"this file, given as the test data in {code!r}, is byte for byte the same as "
            f"{Path(known[split].path).name}, {which}; {why}",
            path=part.path,
        )


def _is_same(one: ClaimPart, other: ClaimPart) -> bool:
    """Whether two parts are of the same bytes and not of other rows of them, as a column of splits has it."""
    if one.sha256 != other.sha256:
        return False
    rows = ({*zip(part.data.texts, part.data.pairs, strict=True)} for part in (one, other))
    return not set.isdisjoint(*rows)


def _refuse_few(tests: Mapping[str, ClaimPart]) -> None:
    """Refuse a test with too few items for any interval."""
    for part in tests.values():
        if len(part.data) < FEWEST_ITEMS:
            raise DataError(
                f"a score with an interval needs at least {FEWEST_ITEMS} test items; got {len(part.data)}",
                path=part.path,
            )


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
