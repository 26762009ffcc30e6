"""Leak certificates of the published corpus and of ours, by task and language: docs/studies/logic-certificates.md.

    python benchmarks/leaks.py published [--data FOLDER]
    python benchmarks/leaks.py made [--preset closed2] [--languages en,pt,ru,fr,de,sv,es] [--train 10000] [--highest]

Made: 1,000 pairs to test on, seed 0. Published: the training files, 70 % to learn on and 30 % to test on. A star marks
what is above the floor (one test over all shortcuts, 0.05). With --highest only the highest shortcut is shown, with the
smallest p over all of them, what is above the floor, and pairs and names that the splits share.
"""

from __future__ import annotations

import argparse
import csv
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from goldproof.builders.logic.build import CorpusRecipe, build_corpus
from goldproof.builders.logic.grammar import LANGUAGES
from goldproof.builders.logic.templates import LogicTask
from goldproof.measures.leaks import Certificate, TextPairs, certify, certify_corpus, split_pairs
from goldproof.measures.shortcuts.rules import applicable

FILES = {
    LogicTask.NEGATION: "simple_negation",
    LogicTask.COORDINATION: "boolean_coordination",
    LogicTask.QUANTIFIERS: "quantifier",
    LogicTask.DESCRIPTION: "equality_and_definite_description",
    LogicTask.COMPARISON: "comparative",
    LogicTask.COUNTING: "counting",
    LogicTask.MIXED: "mixed",
}


def certify_ours(language: str, task: LogicTask, preset: str, n_train: int) -> Certificate:
    return certify_corpus(build_corpus(CorpusRecipe(language, task.value, n_train, preset=preset)))


def certify_published(path: Path) -> Certificate:
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    labels = np.array([row["label"] == "1" for row in rows])
    pairs = TextPairs(tuple(row["sentence1"] for row in rows), tuple(row["sentence2"] for row in rows), labels)
    return certify(*split_pairs(pairs, np.random.default_rng(0)), names=([], []))


def row(name: str, task: LogicTask, certificate: Certificate) -> str:
    cells = [f"{leak.accuracy.value:.3f}{'*' if leak.leaks else ''}" for leak in certificate.leaks]
    return f"| {name} | {task.number} {task.value} | {' | '.join(cells)} | {repeated(certificate)} |"


def highest(name: str, task: LogicTask, certificate: Certificate) -> str:
    best = max(certificate.leaks, key=lambda leak: leak.accuracy.value)
    p = min(leak.p_value for leak in certificate.leaks)
    above = ", ".join(leak.baseline for leak in certificate.leaks if leak.leaks) or "none"
    shared = f"{repeated(certificate)} | {len(certificate.shared_names)}"
    return f"| {name} | {task.number} | {best.baseline} {best.accuracy.value:.3f} | {p:.2f} | {above} | {shared} |"


def repeated(certificate: Certificate) -> int:
    repeats = certificate.repeats
    return repeats.train + repeats.test + repeats.across


def head(brief: bool) -> str:
    names, _ = applicable(True, "und")
    columns = ["task", *names, "repeated"]
    if brief:
        columns = ["task", f"highest of {len(names)}", "p", "above the floor", "repeated", "shared names"]
    return "| | " + " | ".join(columns) + " |\n|---|" + "---|" * len(columns)


def published(folder: Path) -> Iterator[str]:
    yield head(False)
    for language, suffix in (("en", ""), ("pt", "_pt")):
        for task, name in FILES.items():
            path = folder / "logic" / language / f"{name}{suffix}_train.csv"
            yield row(language, task, certify_published(path))


def made(preset: str, languages: list[str], n_train: int, brief: bool) -> Iterator[str]:
    yield head(brief)
    for language in languages:
        for task in LogicTask:
            yield (highest if brief else row)(language, task, certify_ours(language, task, preset, n_train))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["published", "made"])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("GOLDPROOF_DATA", ".")))
    parser.add_argument("--preset", default="closed2")
    parser.add_argument("--languages", default=",".join(LANGUAGES))
    parser.add_argument("--train", type=int, default=10_000)
    parser.add_argument("--highest", action="store_true")
    given = parser.parse_args()
    languages = given.languages.split(",")
    for line in (
        published(given.data)
        if given.what == "published"
        else made(given.preset, languages, given.train, given.highest)
    ):
        print(line, flush=True)


if __name__ == "__main__":
    main()
