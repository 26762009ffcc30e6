"""Leak certificates of the published corpus and of ours, every task and language: docs/studies/logic-certificates.md.

    python benchmarks/leaks.py [folder of published corpora]

Ours: 10,000 pairs to train on and 1,000 to test on, seed 0. Published: the training files, 70 % to learn on and 30 % to
test on, since only they are at hand. A star marks what is above the floor (one test over all shortcuts, 0.05).
"""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from goldproof.builders.logic.build import CorpusRecipe, build_corpus
from goldproof.builders.logic.grammar import LANGUAGES
from goldproof.builders.logic.templates import LogicTask
from goldproof.measures.leaks import Certificate, TextPairs, certify, certify_corpus, split_pairs
from goldproof.measures.shortcuts.rules import applicable

PRESET = os.environ.get("PRESET", "closed2")
FILES = {
    LogicTask.NEGATION: "simple_negation",
    LogicTask.COORDINATION: "boolean_coordination",
    LogicTask.QUANTIFIERS: "quantifier",
    LogicTask.DESCRIPTION: "equality_and_definite_description",
    LogicTask.COMPARISON: "comparative",
    LogicTask.COUNTING: "counting",
    LogicTask.MIXED: "mixed",
}


def certify_ours(language: str, task: LogicTask) -> Certificate:
    return certify_corpus(build_corpus(CorpusRecipe(language=language, task=task.value, preset=PRESET)))


def certify_published(path: Path) -> Certificate:
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    labels = np.array([row["label"] == "1" for row in rows])
    pairs = TextPairs(tuple(row["sentence1"] for row in rows), tuple(row["sentence2"] for row in rows), labels)
    return certify(*split_pairs(pairs, np.random.default_rng(0)), names=([], []))


def row(name: str, task: LogicTask, certificate: Certificate) -> str:
    cells = [f"{leak.accuracy.value:.3f}{'*' if leak.leaks else ''}" for leak in certificate.leaks]
    repeats = certificate.repeats
    repeated = repeats.train + repeats.test + repeats.across
    return f"| {name} | {task.number} {task.value} | {' | '.join(cells)} | {repeated} |"


def lines(folder: Path) -> Iterator[str]:
    names, _ = applicable(True, "und")
    header = "| | task | " + " | ".join(names) + " | repeated |\n|---|---|" + "---|" * (len(names) + 1)
    with ProcessPoolExecutor(int(os.environ.get("WORKERS", "2"))) as pool:
        ours = {(l, t): pool.submit(certify_ours, l, t) for l in LANGUAGES for t in LogicTask}
        published = {}
        for language, suffix in (("en", ""), ("pt", "_pt")):
            for task, name in FILES.items():
                path = folder / "logic" / language / f"{name}{suffix}_train.csv"
                if path.exists():
                    published[language, task] = pool.submit(certify_published, path)
        yield "# Certificates of the logic corpora\n"
        yield (__doc__ or "").partition("seed 0. ")[2].strip().replace("\n", " ") + "\n"
        yield "## Published (Salvatore et al. 2019), training files\n\n" + header
        yield from (row(language, task, job.result()) for (language, task), job in published.items())
        yield f"\n## Ours, preset {PRESET}, 10,000 to train on, 1,000 to test on, seed 0\n\n" + header
        yield from (row(language, task, job.result()) for (language, task), job in ours.items())
        yield "\nMade by `benchmarks/leaks.py`."


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("GOLDPROOF_DATA", "."))
    text = "\n".join(lines(folder)) + "\n"
    print(text)


if __name__ == "__main__":
    main()
