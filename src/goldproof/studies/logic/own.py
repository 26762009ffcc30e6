"""The user's own pairs as a task of the study: two labels, contradiction or not, each equally often in every split."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from goldproof.builders.logic.pairs import CONTRADICTION, OTHER
from goldproof.data.dataset import Dataset, concat
from goldproof.data.readers import Layout, open_raw
from goldproof.errors import DataError, UsageError
from goldproof.jobs import Job, step
from goldproof.measures.leaks import Certificate, certify, known_contradiction, pairs_of
from goldproof.studies.asked import is_asked
from goldproof.studies.logic.asked import without_learners
from goldproof.studies.logic.settings import OWN_TASK, Config, CorpusSizes
from goldproof.studies.own import OwnData, Wants, find_own, gather, has_own, settled
from goldproof.studies.own.checks import labels_of

WANTS = Wants("logic", ("pair",))
ASKED = Wants("logic", ("pair",), validation=False)
"""Nothing is chosen by rows that are held out where a model is asked."""

UNDECIDED = ("-", "-1", "")
"""Labels of pairs on which annotators did not agree, as SNLI and MNLI have them, and the hub's copies of these."""

FEWEST = {"train": 5, "validation": 1, "test": 5}
"""The fewest pairs of each side."""

_SPLITS = ("train", "validation", "test")


def own_data(config: Config) -> OwnData:
    """The user's own data."""
    return find_own(config, ASKED if is_asked(config) else WANTS)


def settle(config: Config) -> Config:
    """The Config with the user's data as its one task, in their languages, with their sizes; else as it is, but for the
    learners beside a language model that is asked.
    """
    config = without_learners(config)
    if not has_own(config):
        return config
    own = own_data(config)
    label = contradiction_label(config, own)
    counts = dict.fromkeys(_SPLITS, 0)
    for split in _SPLITS:
        if all(split in own.splits(language) for language in own.languages):
            counts[split] = min(_n_balanced(own, language, split, label) for language in own.languages)
    plans = replace(config.experiments, overlap=False, beside="")
    if plans.source and plans.source not in own.languages:
        raise UsageError(
            f"the setting 'experiments.source' must be empty or one of {', '.join(own.languages)}; got {plans.source!r}"
        )
    return replace(
        settled(config, own),
        tasks=(OWN_TASK + own.name,),
        sizes=CorpusSizes(counts["train"], counts["validation"], counts["test"]),
        experiments=plans,
        contradiction=label,
    )


def notes(config: Config) -> tuple[str, ...]:
    """What is said of the user's own data before work starts."""
    config = without_learners(config)
    if not has_own(config):
        return ()
    own, sizes = own_data(config), settle(config).sizes
    label = contradiction_label(config, own)
    others = ", ".join(repr(name) for name in own.classes if name != label and name not in UNDECIDED)
    dropped = [name for name in own.classes if name in UNDECIDED]
    left_out = f" Rows labelled {dropped[0]!r}, on which annotators disagreed, are left out." if dropped else ""
    held = f", {sizes.validation:,} validation" if sizes.validation else ""
    least = " at least in each language" if len(own.languages) > 1 else ""
    return (
        *own.notes,
        f"Recast as contradiction detection: {label!r} against {others}. Rows of the larger side are left out at "
        f"random until both sides are equally frequent ({sizes.train:,} training{held} and {sizes.test:,} test "
        f"pairs{least}), so that guessing gets 50 %.{left_out}",
    )


def contradiction_label(config: Config, own: OwnData) -> str:
    """The label of contradictions: the one that is set, else one that is known to mean it."""
    given = config.contradiction
    if given and given not in own.classes:
        raise UsageError(f"the setting 'contradiction' must be one of the labels {_listed(own)}; got {given!r}")
    if given:
        return given
    known = known_contradiction(own.classes)
    if known:
        return known
    if set(own.classes) == {"0", "1"} and _is_published(own):
        return "1"
    hub = "; in the hub's copies of SNLI and MNLI it is '2'" if {"0", "1", "2"} <= set(own.classes) else ""
    raise UsageError(
        f"the labels of {own.name} are {_listed(own)}, and none of them is known to mean a contradiction; name the "
        f"one that does in the setting 'contradiction'{hub}"
    )


def _is_published(own: OwnData) -> bool:
    """Whether the files are those of the published contradiction corpus: they say the form of each label, but for the
    mixed task, which has its own name.
    """
    return all(map(_is_published_file, {each.file.path for each in own.sets.values()}))


def _is_published_file(path: Path) -> bool:
    names = open_raw(path, Layout()).column_names
    return "label_form" in names or (names == ("sentence1", "sentence2", "label") and path.name.startswith("mixed_"))


def _listed(own: OwnData) -> str:
    return ", ".join(map(repr, own.classes))


def _n_balanced(own: OwnData, language: str, split: str, label: str) -> int:
    each = own.sets[language, split]
    found = Counter(name == label for name in labels_of("pair", each.data) if name not in UNDECIDED)
    n = 2 * min(found[True], found[False])
    if n < 2 * FEWEST[split]:
        raise DataError(
            f"the {split} data ({language}) have {found[True]} contradictions and {found[False]} others; at least "
            f"{FEWEST[split]} of each {'is' if FEWEST[split] == 1 else 'are'} needed",
            path=each.file.path,
        )
    return n


def own_corpus_job(config: Config, language: str) -> Job[Dataset]:
    """The job that recasts the user's own pairs in a language; the Config is a settled one."""
    return recast_own.job(gather.job(own_data(config).part_jobs(language)), config.contradiction)


@step(version=1, name="goldproof.logic.recast_own")
def recast_own(data: Dataset, contradiction: str) -> Dataset:
    """The pairs with two labels, each equally often in every split; of the larger side rows are left out at random."""
    parts = []
    for number, split in enumerate(_SPLITS):
        part = data.select(split=split)
        if not len(part):  # no rows are held out where a model is asked
            continue
        labels = np.array(part.table.column("label").to_pylist(), object)
        sides = [np.flatnonzero(labels == contradiction), np.flatnonzero(~np.isin(labels, [contradiction, *UNDECIDED]))]
        n = min(map(len, sides))
        rng = np.random.default_rng([0, number])
        rows = np.sort(np.concatenate([rng.choice(side, n, replace=False) for side in sides]))
        named = [CONTRADICTION if labels[row] == contradiction else OTHER for row in rows]
        parts.append(part.take(rows).with_column("label", named))
    return concat(data.name, parts)


@step(version=1, name="goldproof.logic.own_certificate")
def own_certificate(data: Dataset) -> Certificate:
    """What rules without understanding reach on the user's own pairs."""
    train, test = (pairs_of(data.select(split=split)) for split in ("train", "test"))
    return certify(train, test)
