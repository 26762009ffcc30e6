"""What tests of the page share: small files with a fault planted or none, and evidence of trainings that never were."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np

from goldproof.claiming.data import find_data
from goldproof.claiming.scores import Evidence
from goldproof.claiming.settings import Config
from goldproof.claiming.steps import audit_data
from goldproof.data.answers import Answers
from goldproof.jobs.key import canonical
from goldproof.judging.audit.material import find_clusters
from goldproof.studies.shared import Data

WORDS = [f"{first}{second}{third}" for first in "bdfglm" for second in "aeiou" for third in ("n", "rt", "sk", "lo")]
CUES = ("arguably", "reportedly")


def make_rows(n, seed, cue=0.0, wrong=0.0):
    """Rows of random words with two labels; a cue word in a share of each label's rows, and labels that are wrong."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        code = int(rng.integers(2))
        words = list(rng.choice(WORDS, 10))
        if rng.random() < cue:
            words.insert(int(rng.integers(10)), CUES[code])
        label = ("no", "yes")[code ^ int(rng.random() < wrong)]
        rows.append({"text": " ".join(words), "label": label, "tags": ("short", "long")[i % 2]})
    return rows


def write_rows(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def make_config(folder, train, test, **changes):
    """Settings on these rows, written to files."""
    files = {name: str(write_rows(folder / f"{name}.csv", rows)) for name, rows in (("train", train), ("test", test))}
    config = Config(data=Data(corpus="generated", languages=("xx",), name="made up", **files), classes=(), levels=0)
    return replace(config, **changes)


def audit_of(config):
    """The record of the audit."""
    data = find_data(config)
    splits = {split: part.data for split, part in data.parts.items()}
    canonical(config.thresholds.of_audit())  # it must be fit for a key
    return audit_data(splits, data.name, config.level, config.thresholds.of_audit(), config.labels)


def evidence_of(config, audit, right):
    """Evidence of trainings with these shares of right answers on the test items; None gives one answer to all."""
    data = find_data(config)
    rows = data.parts["test"].data
    gold = np.array([data.classes.index(label) for label in rows.table.column("label").to_pylist()])
    rng = np.random.default_rng(0)
    runs = []
    for share in right:
        wrong = rng.permutation(len(gold)) >= round((share or 0) * len(gold))
        runs.append(np.zeros_like(gold) if share is None else np.where(wrong, 1 - gold, gold))
    answers = Answers(
        {"model": "made", "dataset": data.name, "language": data.language},
        None,
        "classification",
        data.classes,
        np.array(rows.table.column("id").to_pylist(), object),
        gold,
        np.array(runs),
        tuple(f"seed {i}" for i in range(len(right))),
        clusters=find_clusters(rows).codes,
    )
    points = np.zeros(len(right), np.int64)
    return Evidence(config, data, audit, {"test": answers}, (), None, (), None, None, points, None)
