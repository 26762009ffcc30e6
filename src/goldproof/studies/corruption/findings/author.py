"""The findings for the author of a dataset: how far it is solved without a word class, and what removal did to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from goldproof.builders.corruption.texts import ControlGap, CorruptionTally
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.summary import Cell, Column, Item, Missing, Section, Table, Text
from goldproof.statistics.estimate import Estimate
from goldproof.studies.corruption.findings.cells import Found, training_keys
from goldproof.studies.corruption.gather import strictest
from goldproof.studies.corruption.plan import SPLITS
from goldproof.studies.corruption.scores import retained_share
from goldproof.studies.corruption.settings import Config, classes_of

NAMES = {
    "ADJ": "adjectives",
    "ADP": "adpositions",
    "ADV": "adverbs",
    "CONJ": "conjunctions",
    "DET": "determiners",
    "NOUN": "nouns",
    "NUM": "numerals",
    "PRON": "pronouns",
    "PRT": "particles",
    "VERB": "verbs",
    ".": "punctuation",
    "X": "other words",
}
NO_LEFT = "most runs give one answer to nearly all items, or have no score"
NOTHING = "the original score is not above the best constant answer"


def words_for(removed: str) -> str:
    """The classes in words.

    >>> words_for("NOUN+ADJ")
    'adjectives and nouns'
    """
    return " and ".join(NAMES.get(name, f"words of the class {name}") for name in classes_of(removed))


def author_section(config: Config, found: Sequence[Found]) -> Section:
    """What an author should know."""
    items: list[Item] = [_retained(config, found)]
    items += [Text(text) for one in found if (text := _sentence(config, one))]
    return Section("For the author of a dataset", [*items, _texts(config, found)])


def _retained(config: Config, found: Sequence[Found]) -> Table:
    fields: list[Field[Found]] = [
        Field(Column("task", "Task"), lambda one: one.runs.task.title),
        *(
            Field(Column(f"c{place}", f"no {removed}", 0, "%"), partial(_retained_cell, config, removed))
            for place, removed in enumerate(config.classes)
        ),
    ]
    note = "(score − best constant) / (baseline − best constant), the denominator taken as known; corrupted: "
    note += f"{strictest(config)}. Collapsed cells are left out. A dataset that "
    note += "tests understanding should lose much when a class that carries the meaning is removed."
    heading = Heading("retained", _retained_title(config, found), note, training_keys(found))
    return make_table(heading, fields, found)


def left_of(config: Config, one: Found, removed: str) -> Estimate | None:
    """Which share of a task's score above the floor is left without a class; None where there is none to speak of."""
    return retained_share(one.cell(removed, strictest(config)), one.baseline)


def _retained_cell(config: Config, removed: str, one: Found) -> Cell:
    return left_of(config, one, removed) or Missing(_why_nothing(one))


def _retained_title(config: Config, found: Sequence[Found]) -> str:
    """The class whose removal leaves least, on average over the tasks where that can be said."""
    means = {}
    for removed in config.classes:
        shares = [share.value for one in found if (share := left_of(config, one, removed)) is not None]
        if shares:
            means[removed] = sum(shares) / len(shares)
    if not means:
        return "No task has a score above the floor to lose"
    worst = min(means, key=lambda removed: means[removed])
    left = f"{round(100 * means[worst])} %".replace("-", "−")
    return f"Least is left without {words_for(worst)}: {left} of the score above the floor (mean over tasks)"


def _sentence(config: Config, one: Found) -> str:
    """What is left without each class, most first."""
    shares = [(left_of(config, one, name), name) for name in config.classes]
    known = sorted(((share, name) for share, name in shares if share is not None), key=lambda pair: -pair[0].value)
    if not known:
        return f"{one.runs.task.title}: {_why_nothing(one)}, so nothing can be said about what is left."
    parts = ", ".join(f"{_per_cent(share)} without its {words_for(name)}" for share, name in known)
    return f"{one.runs.task.title} keeps, of its score above the floor, {parts}."


def _why_nothing(one: Found) -> str:
    """Why no share is left to speak of: there was no score to lose, or what is left has none."""
    return NO_LEFT if one.baseline.above_floor else NOTHING


def _per_cent(share: Estimate) -> str:
    value, low, high = (str(round(100 * each)).replace("-", "−") for each in (share.value, share.low, share.high))
    return f"{value} % [{low}, {high}]"


@dataclass(frozen=True, slots=True)
class _Removal:
    """What the removal of a class did to the texts of a task, by split."""

    task: str
    removed: str
    train: CorruptionTally
    test: CorruptionTally
    gap_train: ControlGap | None = None
    gap_test: ControlGap | None = None


def _gap_cell(split: str, removal: _Removal) -> Cell:
    gap = removal.gap_train if split == "train" else removal.gap_test
    return None if gap is None else gap.n_apart / max(1, gap.n_class)


def _tally_cell(split: str, read: Callable[[CorruptionTally], Cell], removal: _Removal) -> Cell:
    return read(removal.train if split == "train" else removal.test)


APART = "how many more or fewer words the random control removes than the class, over all texts"


def _split_fields(split: str) -> list[Field[_Removal]]:
    return [
        Field(
            Column(f"{split}_touched", f"Tokens removed, {split}", 1, "%"),
            partial(_tally_cell, split, lambda tally: tally.n_touched / max(1, tally.n_tokens)),
        ),
        Field(
            Column(f"{split}_changed", f"Texts changed, {split}", 1, "%"),
            partial(_tally_cell, split, lambda tally: tally.n_changed / max(1, tally.n_texts)),
        ),
        Field(
            Column(f"{split}_emptied", f"Texts emptied, {split}"),
            partial(_tally_cell, split, lambda tally: tally.n_emptied),
        ),
        Field(
            Column(f"{split}_gap", f"Control apart, {split}", 2, "%", APART),
            partial(_gap_cell, split),
        ),
    ]


_REMOVAL_FIELDS: tuple[Field[_Removal], ...] = (
    Field(Column("task", "Task"), lambda removal: removal.task),
    Field(Column("removed", "Removed"), lambda removal: removal.removed),
    *_split_fields("train"),
    *_split_fields("test"),
)


def _texts(config: Config, found: Sequence[Found]) -> Table:
    """What removal did to the texts; those without any word left are kept."""
    every: list[_Removal] = []
    keys: list[str] = []
    for one in found:
        facts = one.facts
        keys += [facts.keys[f"{kind}/{split}"] for kind in ("count", "gap") for split in SPLITS
                 if f"{kind}/{split}" in facts.keys]  # fmt: skip
        for place, removed in enumerate(config.classes):
            train, test = (facts.tallies[split][place] for split in SPLITS)
            apart = [facts.gaps[split][place] for split in SPLITS if split in facts.gaps]
            every.append(_Removal(one.runs.task.title, removed, train, test, *apart))
    emptied = sum(removal.train.n_emptied + removal.test.n_emptied for removal in every)
    title = f"{emptied:,} {'text is' if emptied == 1 else 'texts are'} left without a word, but kept"
    title = title if emptied else "No text is left without a word"
    note = "Both texts of a pair are counted; all word tokens."
    if config.control != "none":
        note += (
            " The random control removes the same number of words. From pairs it removes word types, drawn over both "
            "texts and removed from both, so the number may differ by the amount in the last column."
        )
    return make_table(Heading("texts", title, note, keys), _REMOVAL_FIELDS, every)
