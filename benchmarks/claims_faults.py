"""Rows of SST-2 as two CSV files to train and test on: as they are, and with three faults planted.

    python benchmarks/claims_faults.py DATA_ROOT OUT [--train 700] [--test 300]

OUT/clean holds rows as they are, OUT/faulty the same rows with, drawn by seed 0: a leak (a tenth of the test rows are
copies of training rows, label and all), a cue (a word that tells the label stands in half of all rows) and wrong labels
(15 % of those of the training and the test rows are turned; of what was copied before that, so that copies agree). What
was planted is printed, to be held against the lights of `goldproof claims`.
"""

from __future__ import annotations

import argparse
import csv
import random
from pathlib import Path

CUES = ("admittedly", "undeniably")
COLUMNS = ("text", "label")
LABELS = ("negative", "positive")
Row = tuple[str, str]


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--train", type=int, default=700)
    parser.add_argument("--test", type=int, default=300)
    given = parser.parse_args()
    rng = random.Random(0)
    train = drawn(given.root / "glue/sst2/train.tsv", given.train, rng)
    test = drawn(given.root / "glue/sst2/dev.tsv", given.test, rng)
    write(given.out / "clean", train, test)
    write(given.out / "faulty", *plant(train, test, rng))


def drawn(path: Path, n: int, rng: random.Random) -> list[Row]:
    """So many rows of a file."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [(text.strip(), LABELS[int(label)]) for text, label in rng.sample(rows, n)]


def plant(train: list[Row], test: list[Row], rng: random.Random) -> tuple[list[Row], list[Row]]:
    """The rows with the faults; what was done is printed."""
    train, test = ([spoilt(row, rng) for row in rows] for rows in (train, test))
    n_copies = len(test) // 10
    test[:n_copies] = rng.sample(train, n_copies)
    rng.shuffle(test)
    print(f"leak: {n_copies} of {len(test)} test rows are copies of training rows")
    print("cue: half of all rows have 'admittedly' (negative) or 'undeniably' (positive), told by the label before")
    print("wrong labels: each is turned with probability 15 %")
    return train, test


def spoilt(row: Row, rng: random.Random) -> Row:
    """A row with a cue in every second one, and a label that is wrong in some."""
    text, label = row
    if rng.random() < 0.5:
        text = f"{CUES[LABELS.index(label)]} , {text}"
    return text, (LABELS[1 - LABELS.index(label)] if rng.random() < 0.15 else label)


def write(folder: Path, train: list[Row], test: list[Row]) -> None:
    """Two CSV files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("train", train), ("test", test)):
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([COLUMNS, *rows])


if __name__ == "__main__":
    main()
