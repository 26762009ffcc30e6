"""How often the light *Trainings* of a page of claims is green though the true standard deviation is 2 points.

    python benchmarks/spread_light.py [--repeats 2000] [--out FILE.md]

At most 2.5 % is promised: the upper end of a 95 % interval is below the threshold of 2 points. Designs: 3 or 5
trainings whose true scores are normal with a standard deviation of 2 points around an accuracy drawn evenly from 60 to
95 %, on 12, 30, 50, 60, 100 or 200 items. What these items show of a true score is one of:

- steps: the true score, rounded to a number of items;
- on a step: the same around an accuracy that the items can show exactly, so that most trainings score alike;
- nested: items as hard as they come, drawn for each table; a training is right on all that are easier than its score,
  so that as few answers differ as can;
- apart: each training is right on each item by chance, so that as many answers differ as can.

Beside the rule of the page stands the plain χ² interval of the scores.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

import numpy as np

from goldproof.claiming.lights import deviation_interval
from goldproof.statistics.arrays import FloatArray

TRAININGS = (3, 5)
ITEMS = (12, 30, 50, 60, 100, 200)
DESIGNS = ("steps", "on a step", "nested", "apart")
SPREAD = THRESHOLD = 0.02
LEVEL = 0.95


def draw(design: str, n_trainings: int, n_items: int, rng: np.random.Generator) -> FloatArray:
    """The scores of trainings on items."""
    middle = rng.uniform(0.6, 0.95)
    if design == "on a step":
        middle = round(middle * n_items) / n_items
    true = np.clip(rng.normal(middle, SPREAD, n_trainings), 0, 1)
    if design == "nested":
        return np.searchsorted(np.sort(rng.random(n_items)), true) / n_items
    if design == "apart":
        return rng.binomial(n_items, true) / n_items
    return np.asarray(np.round(true * n_items) / n_items)


def is_green(scores: FloatArray, step: float) -> bool:
    """Whether the light of these scores is green."""
    interval = partial(deviation_interval, float(scores.std(ddof=1)), len(scores), LEVEL)
    return interval(step=step).high < THRESHOLD


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=2000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lines = [f"| trainings | items | {' | '.join(DESIGNS)} |", "|---" * (2 + len(DESIGNS)) + "|"]
    for n_trainings in TRAININGS:
        for n_items in ITEMS:
            cells = []
            for design in DESIGNS:
                rng = np.random.default_rng([11, n_trainings, n_items, DESIGNS.index(design)])
                tables = [draw(design, n_trainings, n_items, rng) for _ in range(options.repeats)]
                plain, used = (np.mean([is_green(each, step) for each in tables]) for step in (0.0, 1 / n_items))
                cells.append(f"{100 * used:.1f} % ({100 * plain:.1f})")
            lines.append(f"| {n_trainings} | {n_items} | {' | '.join(cells)} |")
    text = "\n".join(lines) + "\n"
    print(text)
    if options.out:
        options.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
