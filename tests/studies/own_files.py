"""Small files as a user has them: three classes, a language that nothing knows, odd names of columns and files."""

from __future__ import annotations

import csv
from pathlib import Path

WORDS = {"Wätter": "rägnet", "Ässe": "choched", "Reis": "fahrt"}
"""A word for each class, by which it can be told."""


def topics(n: int, first: int = 0) -> list[dict[str, str]]:
    """Sentences with their class and a category; no two are the same."""
    names = list(WORDS)
    return [
        {
            "Sentence": f"Am Tag {i} hät si gseit: es {WORDS[names[i % 3]]} im Dorf.",
            "Klass": names[i % 3],
            "tags": "even" if i % 2 else "odd;all",
        }
        for i in range(first, first + n)
    ]


def pairs(n: int, first: int = 0) -> list[dict[str, str]]:
    """Pairs with the three labels of inference."""
    labels = ("entailment", "neutral", "contradiction")
    said = {"entailment": "es rägnet", "neutral": "si isst", "contradiction": "es rägnet nöd"}
    return [
        {"premise": f"Am Tag {i} rägnet es.", "hypothesis": f"{said[labels[i % 3]]} {i}", "label": labels[i % 3]}
        for i in range(first, first + n)
    ]


def write_csv(path: Path, rows: list[dict[str, str]]) -> str:
    """The rows with a header."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


def write_topics(folder: Path, n_train: int = 60, n_test: int = 30) -> dict[str, str]:
    """Files with blanks in their names: train and test."""
    return {
        "train": write_csv(folder / "my train.csv", topics(n_train)),
        "test": write_csv(folder / "my test.csv", topics(n_test, n_train)),
    }
