"""`audit`: whether data can be solved without understanding, from its splits alone; no model takes part.

Leaks first; then shortcuts, learned on train and judged on test without its leaked rows; which items stay hard for
them; suspicious labels; what the test set can show; balance. It gives an `Audit`, which has a report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from goldproof.data.checking.alignment import Alignment
from goldproof.data.columns import Columns
from goldproof.data.dataset import Dataset, concat
from goldproof.data.one_split import ROLES, by_role, column_names, read_split
from goldproof.errors import UsageError
from goldproof.judging.audit.balance import Balance, find_balance
from goldproof.judging.audit.languages import align_languages
from goldproof.judging.audit.lights import Light, turn_on
from goldproof.judging.audit.material import (
    Material,
    find_clusters,
    labelled_rows,
    make_material,
    texts_of,
    tokens_of,
)
from goldproof.judging.audit.noise import NoiseCard, how_alike, make_card
from goldproof.judging.audit.parts import find_bias, find_parts
from goldproof.judging.audit.questions import questions_of
from goldproof.judging.audit.settings import AuditProgress, AuditSettings
from goldproof.judging.subsets import Subset
from goldproof.measures.copies import Copies, count_steps, find_copies
from goldproof.measures.shortcuts.clusters import Clusters
from goldproof.measures.shortcuts.hard import HardItems, find_hard
from goldproof.measures.shortcuts.judged import FOLDS, JudgedShortcuts, judge_crossed, judge_guesses, judge_shortcuts
from goldproof.measures.shortcuts.rules import Told, applicable
from goldproof.measures.shortcuts.tokens import try_token_shortcuts
from goldproof.measures.suspects import SuspectProgress, Suspects, find_suspects
from goldproof.report.summary import Report
from goldproof.statistics.arrays import Array, IntArray

MOST_NAMED = 20  # columns in a note
FEWEST_ROWS = 20  # of train and of test, below which a shortcut cannot be distinguished from luck and none is tried


@dataclass(frozen=True, slots=True, eq=False)
class ShortcutPart:
    """What shortcuts found: their scores, the rows of test on which they were judged, and the hard ones among these.

    `clusters` are those of the rows; `hard` is a reason where there is no split.
    """

    judged: JudgedShortcuts
    rows: IntArray
    clusters: Clusters
    hard: HardItems | str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Audit:
    """What an audit found. Parts that could not be judged are the reason instead."""

    name: str
    material: Material
    copies: Copies
    alignments: tuple[Alignment, ...]
    shortcuts: ShortcutPart | str
    suspects: Suspects | str
    suspect_rows: IntArray
    noise: NoiseCard
    balance: Balance | str
    lights: tuple[Light, ...]
    notes: tuple[str, ...]
    settings: AuditSettings

    @property
    def has_problem(self) -> bool:
        """Whether a light is red."""
        return any(light.colour == "red" for light in self.lights)

    def light(self, name: str) -> Light:
        """The light of that name: leaks, shortcuts, labels, size or balance."""
        return next(light for light in self.lights if light.name == name)

    def hard_subset(self) -> Subset | str:
        """The hard items of test, in the order of the file, or the reason why none are told from the others."""
        if isinstance(self.shortcuts, str):
            return f"shortcuts were not judged: {self.shortcuts}"
        if isinstance(self.shortcuts.hard, str):
            return self.shortcuts.hard
        ids = self.material.splits[self.material.judged].table.column("id").to_pylist()
        rows = self.shortcuts.rows
        hard, judged = (tuple(ids[row] for row in each) for each in (rows[self.shortcuts.hard.hard], rows))
        parts = find_parts(self)
        return Subset("hard", hard, judged, (parts[0].wrong, parts[1].wrong), find_bias(self))

    def report(self) -> Report:
        """The report, for rendering."""
        from goldproof.judging.audit.report import audit_report

        return audit_report(self)

    def to_json(self) -> str:
        """All numbers as JSON, the same bytes for the same data."""
        from goldproof.judging.audit.form import audit_json

        return audit_json(self)

    def card(self) -> str:
        """A card for the README of the dataset, in Markdown."""
        from goldproof.judging.audit.card import audit_card

        return audit_card(self)

    def __repr__(self) -> str:
        """The verdict, a line for each sentence."""
        return repr(self.report())

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()


def audit(
    train: Any,
    test: Any = None,
    validation: Any = None,
    *,
    columns: Columns | Mapping[str, str] | None = None,
    settings: AuditSettings | None = None,
    progress: AuditProgress | None = None,
) -> Audit:
    """Audit data: each split is a file, a table in memory or a Dataset.

    With one of them only, its own splits are taken where its rows say them; else shortcuts are cross-validated.
    """
    settings = settings or AuditSettings()
    named = columns if isinstance(columns, Columns | None) else Columns.by_part(columns)
    splits = _read(train, test, validation, named, settings.language)
    return audit_splits(splits, settings, progress, _label_notes(train, splits))


def _read(train: Any, test: Any, validation: Any, columns: Columns | None, language: str | None) -> dict[str, Dataset]:
    if test is not None:
        given = {"train": train, "validation": validation, "test": test}
        return {role: read_split(each, role, columns, language) for role, each in given.items() if each is not None}
    if validation is not None:
        raise UsageError("there is a validation split but no test split; with two splits, the second is the test split")
    data = read_split(train, "", columns, language)
    found = by_role(data)
    if len(found) == len(data.splits) > 1:
        return dict(found)
    if len(data.splits) > 1:
        said = ", ".join(data.splits)
        raise UsageError(f"{data.name}: its splits must be {', '.join(ROLES)}, each at most once; got {said}")
    return {"test": data.with_column("split", ["test"] * len(data))}


def _label_notes(train: Any, splits: Mapping[str, Dataset]) -> list[str]:
    """Where nothing was taken for labels: which columns there are, and how one of them is named."""
    parts = ("label", "score", "token_labels")
    if any(data.table.column(part).null_count < len(data) for data in splits.values() for part in parts):
        return []
    names = column_names(train)
    if not names:
        return []
    if len(names) == 1:
        return [f"There is no column of labels; the only column is {names[0]!r}."]
    return [
        "No column was recognised as the labels. The columns are "
        f"{', '.join(names[:MOST_NAMED])}{' …' if len(names) > MOST_NAMED else ''}; name one with --column "
        'label=NAME (scores: score=NAME), in Python columns={"label": "NAME"}.'
    ]


def audit_splits(
    splits: Mapping[str, Dataset],
    settings: AuditSettings,
    progress: AuditProgress | None = None,
    notes: Sequence[str] = (),
) -> Audit:
    """Audit datasets by role: train and validation where there are any, and test; `notes` are said with its own."""
    material = make_material({role: splits[role] for role in ROLES if role in splits})
    rng = np.random.default_rng(settings.seed)
    steps = _Steps(material, progress)
    copies = find_copies(material.splits, threshold=settings.near, progress=steps.copies)
    found = _shortcuts(material, copies, settings, rng, steps.shortcut)
    suspects, suspect_rows = _suspects(material, settings, steps.labels)
    balance = find_balance(material)
    noise = _noise(material, found, settings)
    judged = found if isinstance(found, str) else found.judged
    questions = questions_of(material, copies, judged, suspects, noise, balance, settings.thresholds)
    said = (*notes, *material.notes, *_limits(material, found, settings))
    lights = turn_on(questions, settings.level)
    steps.end()
    return Audit(
        settings.name,
        material,
        copies,
        align_languages(material.splits),
        found,
        suspects,
        suspect_rows,
        noise,
        balance,
        lights,
        said,
        settings,
    )


class _Steps:
    """Tells the caller how far the audit is, in thousandths: each part has its share of them."""

    SHARES = {"copies": (0, 300), "shortcuts": (300, 850), "labels": (850, 1000)}

    def __init__(self, material: Material, progress: AuditProgress | None) -> None:
        self.progress, self.n_tried = progress, 0
        data = material.splits[material.judged]
        names, _ = applicable(data.table.column("pair").null_count < len(data), data.languages[0])
        self.n_copies = count_steps(material.splits)
        self.n_shortcuts = (len(names) + 1) * (FOLDS if "train" not in material.splits else 1)

    def _tell(self, part: str, what: str, share: float) -> None:
        start, end = self.SHARES[part]
        if self.progress is not None:
            self.progress(what, round(start + min(share, 1.0) * (end - start)), 1000)

    def copies(self, what: str, n_done: int) -> None:
        """So much of the search for copies is done."""
        self._tell("copies", what, n_done / max(self.n_copies, 1))

    def shortcut(self, what: str) -> None:
        """A shortcut begins."""
        self._tell("shortcuts", what, self.n_tried / max(self.n_shortcuts, 1))
        self.n_tried += 1

    def labels(self, what: str, n_done: int, n_all: int) -> None:
        """So much of the search for wrong labels is done."""
        self._tell("labels", what, n_done / max(n_all, 1))

    def end(self) -> None:
        """All is done."""
        self._tell("labels", "done", 1.0)


def _shortcuts(
    material: Material, copies: Copies, settings: AuditSettings, rng: np.random.Generator, told: Told
) -> ShortcutPart | str:
    role = material.judged
    if not material.is_labelled(role):
        return "there are no labels" if material.task == "unlabelled" else f"{role} has no labels"
    rows = labelled_rows(material, role)
    rows = _drawn(rows[~copies.leaked[role][rows]], settings.most_test, rng)
    clusters = find_clusters(material.splits[role].take(rows))
    single = "train" not in material.splits
    known = rows if single else labelled_rows(material, "train")
    if not len(known):
        return "train has no labels to learn from"
    if min(len(rows), len(known)) < FEWEST_ROWS:
        said = f"{len(rows)} rows to judge" if len(rows) < FEWEST_ROWS else f"{len(known)} rows to learn from"
        return f"{said} are too few to tell a shortcut from luck (at least {FEWEST_ROWS} are needed)"
    if material.task == "tokens":
        judged = _token_shortcuts(material, rows, known, rng)
        return ShortcutPart(
            judged,
            rows,
            Clusters(None, "a sentence"),
            "the items of token data are sentences, not labels",
        )
    asked = texts_of(material, role, rows)
    if reason := _one_value(asked.gold):
        return reason
    if single:
        judged = judge_crossed(asked, clusters.codes, rng, told)
    else:
        taught = texts_of(material, "train", _drawn(known, settings.most_train, rng))
        if reason := _one_value(taught.gold):
            return f"train: {reason}"
        judged = judge_shortcuts(taught, asked, clusters.codes, rng, told)
    told("hard items")
    return ShortcutPart(judged, rows, clusters, find_hard(asked.gold, judged, clusters.codes, rng))


def _one_value(gold: Array) -> str:
    return "all items have one label" if len(np.unique(gold)) < 2 else ""


def _token_shortcuts(material: Material, rows: IntArray, known: IntArray, rng: np.random.Generator) -> JudgedShortcuts:
    if "train" in material.splits:
        taught, asked = tokens_of(material, "train", known), tokens_of(material, material.judged, rows)
    else:
        mixed = rng.permutation(rows)
        taught, asked = (
            tokens_of(material, material.judged, part) for part in (mixed[len(mixed) // 5 :], mixed[: len(mixed) // 5])
        )
    return judge_guesses(asked.gold, asked.n_classes, try_token_shortcuts(taught, asked), asked.sentence, rng)


def _drawn(rows: IntArray, most: int, rng: np.random.Generator) -> IntArray:
    """At most so many rows, drawn at random, in their order."""
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))


def _suspects(
    material: Material, settings: AuditSettings, progress: SuspectProgress
) -> tuple[Suspects | str, IntArray]:
    """Suspects among all labelled rows, and which row of the judged split each row of theirs is (−1: of another)."""
    none = np.empty(0, np.int64)
    if not settings.labels:
        return "it was not asked for", none
    if material.task != "classes":
        return {"numbers": "scores are no labels", "tokens": "labels of tokens are not looked at"}.get(
            material.task, "there are no labels"
        ), none
    roles = [role for role in material.splits if material.is_labelled(role)]
    if material.judged not in roles:
        return f"{material.judged} has no labels", none
    parts = {role: labelled_rows(material, role) for role in roles}
    # Rows of several parts may say the same split, and their numbers are their ids where there are no others.
    named = [material.splits[role].take(rows).with_column("split", [role] * len(rows)) for role, rows in parts.items()]
    data = concat("labelled rows", named)
    rows = np.concatenate([each if role == material.judged else np.full(len(each), -1) for role, each in parts.items()])
    groups = find_clusters(data).codes
    return find_suspects(data, groups=groups, seed=settings.seed, level=settings.level, progress=progress), rows


def _noise(material: Material, found: ShortcutPart | str, settings: AuditSettings) -> NoiseCard:
    data = material.splits[material.judged]
    clusters = find_clusters(data).codes
    alike = 1.0
    if not isinstance(found, str) and "bag of words" in found.judged.guesses and found.judged.n_classes:
        gold = texts_of(material, material.judged, found.rows).gold
        right = (found.judged.guesses["bag of words"].predicted == gold).astype(float)
        alike = how_alike(right, found.clusters.codes)
    return make_card(data, clusters, settings.smallest_tag, alike)


def _limits(material: Material, found: ShortcutPart | str, settings: AuditSettings) -> list[str]:
    """What was cut off or not tried."""
    notes = []
    if not isinstance(found, str):
        if len(material.splits) == 1:
            notes.append("There is only one split: shortcuts are learned on four fifths of it and judged on the rest.")
        notes += [f"{reason[0].upper()}{reason[1:]}." for reason in found.judged.untried.values()]
        if found.clusters.note:
            notes.append(f"{found.clusters.note[0].upper()}{found.clusters.note[1:]}.")
        n_train = len(labelled_rows(material, "train")) if "train" in material.splits else 0
        if n_train > settings.most_train:
            notes.append(f"Shortcuts learned from {settings.most_train:,} of {n_train:,} rows, drawn at random.")
        longest = max(map(len, material.splits[material.judged].texts))
        if longest > 5_000:
            notes.append(
                "Shortcuts read the first 5,000 characters of each text (the first 2,000 for character sequences)."
            )
    return notes
