"""Does a model without any cue score alike on the hard items and on the others? A simulation.

    python benchmarks/audit_hard.py [folder of corpora]

Each of 40 repetitions of a world draws 800 rows to learn on and 600 to test on from a real corpus, plants a word in a
share of one label's rows of both, and tries all shortcuts. A cue-free model then answers test. It is right with a known
chance that does not depend on the cue, so its expected accuracy on the hard items and on the others is known without
any noise of its own: "by length" (from 0.9 for the shortest texts to 0.7 for the longest, where length is no planted
cue), "by label" (0.9 and 0.7), or "wrong gold" (0.8 for the true label, where a share of gold labels is wrong). The
difference between hard items and others is averaged over the repetitions: within one point of 0 there is no bias to
speak of, else the page prints it. "Within labels" is the same, averaged over the labels.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import audit_worlds as worlds
from goldproof.measures.shortcuts.hard import find_hard
from goldproof.measures.shortcuts.items import TextItems
from goldproof.measures.shortcuts.judged import judge_shortcuts
from goldproof.statistics.intervals import mean_interval

ROOT = Path(__file__).parents[1].parent / "shared" / "data"
REPEATS = 40
SIZES = (800, 600)
SEED = 77_001


@dataclass(frozen=True)
class Design:
    """A world: corpus, share of one label's rows with the cue, the model's kind and the share of wrong gold labels."""

    corpus: str
    strength: float
    model: str
    wrong: float = 0.0


DESIGNS = (
    *(Design(name, strength, "by length") for name in ("RTE", "MRPC", "SST-2", "CoLA") for strength in (0.4, 0.8)),
    Design("RTE", 0.6, "by label"),
    Design("MRPC", 0.6, "by label"),
    Design("RTE", 0.6, "wrong gold", 0.05),
    Design("SST-2", 0.6, "wrong gold", 0.05),
)


def chance_of(rows: list[dict[str, Any]], design: Design) -> np.ndarray:
    """The model's chance of being right by gold on each row."""
    if design.model == "by length":
        length = np.array([len(row["text"]) for row in rows])
        return 0.9 - 0.2 * length.argsort().argsort() / max(len(rows) - 1, 1)
    if design.model == "by label":
        first = sorted({row["label"] for row in rows})[0]
        return np.array([0.9 if row["label"] == first else 0.7 for row in rows])
    return np.array([0.2 if row["wrong"] else 0.8 for row in rows])


def _texts(rows: list[dict[str, Any]], labels: list[str]) -> TextItems:
    pairs = tuple(row["pair"] for row in rows) if "pair" in rows[0] else None
    gold = np.array([labels.index(row["label"]) for row in rows])
    return TextItems(tuple(row["text"] for row in rows), pairs, gold, np.arange(len(rows)), len(labels), "en")


def repeat(rows: list[dict[str, Any]], design: Design, rng: np.random.Generator) -> tuple[float, float, float] | None:
    """The model's accuracy on hard items minus that on the others, the same within labels, and the share of hard items.

    None where there is no split.
    """
    order = rng.permutation(len(rows))[: sum(SIZES)]
    chosen = [{**rows[place], "wrong": bool(rng.random() < design.wrong)} for place in order]
    splits = {"train": chosen[: SIZES[0]], "test": chosen[SIZES[0] :]}
    worlds.plant_word(splits, design.strength, rng)
    labels = sorted({row["label"] for row in chosen})
    for row in chosen:
        if row["wrong"]:
            row["label"] = labels[1 - labels.index(row["label"])]
    train, test = (_texts(rows, labels) for rows in splits.values())
    judged = judge_shortcuts(train, test, None, rng)
    found = find_hard(test.gold, judged, None, rng)
    if isinstance(found, str):
        return None
    hard = found.hard
    right = chance_of(splits["test"], design)
    gold = np.array([row["label"] for row in splits["test"]])
    if not hard.any() or hard.all():
        return None
    within = [
        right[hard & (gold == label)].mean() - right[~hard & (gold == label)].mean()
        for label in labels
        if (hard & (gold == label)).any() and (~hard & (gold == label)).any()
    ]
    return float(right[hard].mean() - right[~hard].mean()), float(np.mean(within)), float(hard.mean())


def main(root: Path) -> None:
    titles = (
        "corpus",
        "cue in",
        "model",
        "wrong gold",
        "splits",
        "hard items",
        "hard − others, points",
        "within labels",
    )
    print(f"| {' | '.join(titles)} |\n{'|---' * len(titles)}|")
    for number, design in enumerate(DESIGNS):
        rows = worlds.corpus(root, design.corpus)["train"]
        outcomes = [
            found
            for at in range(REPEATS)
            if (found := repeat(rows, design, np.random.default_rng([SEED, number, at]))) is not None
        ]
        table = np.array(outcomes)
        whole, within = (mean_interval(100 * table[:, column]) for column in (0, 1))
        print(
            f"| {design.corpus} | {100 * design.strength:.0f} % | {design.model} | {100 * design.wrong:.0f} % | "
            f"{len(outcomes)} of {REPEATS} | {100 * table[:, 2].mean():.0f} % | "
            f"{whole.value:+.2f} [{whole.low:+.2f}, {whole.high:+.2f}] | "
            f"{within.value:+.2f} [{within.low:+.2f}, {within.high:+.2f}] |",
            flush=True,
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
