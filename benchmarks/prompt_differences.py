"""How often the interval of a difference between two ways of asking holds the true one.

    python benchmarks/prompt_differences.py [--repetitions N] [--seed S] [--only TEXT]

Both ways are asked about the same items: with examples and without, whole and under a control (the same prompts), or
with prompts in two languages (other prompts). `difference_of` of the studies takes the crossed interval of the
differences, prompt by prompt in their order; this is what it does, on tables whose true difference is known in closed
form. An answer is right where base, prompt, draw, item, what the prompt and the way make of the item, and luck add up
to more than 0, all normal but for skewed prompts (most do well, a few badly), whose truth is the mean over a million.

The designs were written down before they were run. At least 92 % is wanted of each.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass

import numpy as np
from scipy import special

from goldproof.statistics.crossed import crossed_mean, crossed_table

LEVEL = 0.95
PROMPT_ITEM, WAY_ITEM, DRAW, BOTH = 0.4, 0.5, 0.15, 0.15


@dataclass(frozen=True)
class Pair:
    """Two ways: their bases, how alike a prompt's effects are in both (1 the same, 0 others), and the table's size."""

    name: str
    base: tuple[float, float] = (0.3, 0.3)
    alike: float = 1.0
    prompt: float = 0.4
    prompts: int = 12
    draws: tuple[int, int] = (3, 3)
    items: int = 60
    skewed: bool = False


PAIRS = (
    Pair("same prompts, no difference"),
    Pair("same prompts, a difference", base=(0.8, 0.3)),
    Pair("same prompts, 20 items", base=(0.6, 0.3), items=20),
    Pair("same prompts, 8 items", items=8),
    Pair("examples against none", base=(0.8, 0.3), alike=0.5, draws=(3, 1)),
    Pair("prompts of two languages, no difference", alike=0.0),
    Pair("prompts of two languages, a difference", base=(0.9, 0.3), alike=0.0),
    Pair("prompts of two languages, no examples", alike=0.0, draws=(1, 1)),
    Pair("prompts of two languages, 300 items", alike=0.0, items=300),
    Pair("at chance in both", base=(0.0, 0.0), prompt=0.1),
    Pair("held out: 10 skewed prompts of two languages", alike=0.0, prompts=10, draws=(1, 1), items=100, skewed=True),
    Pair("held out: 16 prompts, 2 draws, partly alike", base=(0.5, 0.1), alike=0.7, prompts=16, draws=(2, 2), items=40),
)


def effects(pair: Pair, n: int, rng: np.random.Generator) -> np.ndarray:
    """Effects of prompts in both ways, 2 × prompts."""
    raw = 1 - rng.exponential(size=(3, n)) if pair.skewed else rng.standard_normal((3, n))
    alike, apart = np.sqrt(pair.alike), np.sqrt(1 - pair.alike)
    return pair.prompt * (alike * raw[0] + apart * raw[1:])


def one_side(pair: Pair, side: int, prompt: np.ndarray, ease: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Which answers are right, prompts × draws × items."""
    p, d, n = pair.prompts, pair.draws[side], pair.items
    has_draws = max(pair.draws) > 1 and d > 1
    shift = pair.base[side] + prompt[side][:, None] + has_draws * DRAW * rng.standard_normal(d)
    shift = shift + has_draws * BOTH * rng.standard_normal((p, d))
    item = ease + WAY_ITEM * rng.standard_normal(n) + PROMPT_ITEM * rng.standard_normal((p, 1, n))
    return np.asarray(shift[:, :, None] + item + rng.standard_normal((p, d, n)) > 0, float)


def true_difference(pair: Pair) -> float:
    """The difference of the mean scores over all prompts, draws and items."""
    means = []
    for side in (0, 1):
        variance = 2 + WAY_ITEM**2 + PROMPT_ITEM**2 + (DRAW**2 + BOTH**2) * (pair.draws[side] > 1)
        if pair.skewed:
            shift = pair.base[side] + effects(pair, 1_000_000, np.random.default_rng(1))[side]
            means.append(float(special.ndtr(shift / np.sqrt(variance)).mean()))
        else:
            means.append(float(special.ndtr(pair.base[side] / np.sqrt(variance + pair.prompt**2))))
    return means[0] - means[1]


def run(pair: Pair, repetitions: int, seed: int) -> dict[str, object]:
    true, rng = true_difference(pair), np.random.default_rng([seed, sum(map(ord, pair.name))])
    held, widths = 0, []
    for _ in range(repetitions):
        prompt, ease = effects(pair, pair.prompts, rng), rng.standard_normal(pair.items)
        first, second = (one_side(pair, side, prompt, ease, rng) for side in (0, 1))
        found = crossed_mean(crossed_table(first - second), np.random.default_rng(1), LEVEL, (-1.0, 1.0))
        held += found.low <= true <= found.high
        widths.append(found.high - found.low)
    return {
        "design": pair.name,
        "covers": round(100 * held / repetitions, 1),
        "width": round(100 * float(np.mean(widths)), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=20_261_119)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    for pair in PAIRS:
        if given.only in pair.name:
            sys.stdout.write(json.dumps(run(pair, given.repetitions, given.seed)) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
