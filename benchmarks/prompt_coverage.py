"""How often intervals of a prompted model hold what is true, in `prompt_designs.py`.

    python benchmarks/prompt_coverage.py --out prompts.json [--held-out | --held-out-again]
                                         [--only TEXT] [--repetitions N] [--seed S]

Counted are the intervals of the mean score over new prompts, draws and items; of each share of the variance; of one
more prompt on the same items; of the best prompt, corrected for having been chosen. Beside the mean stands the interval
that takes all runs for independent of each other (`runs_interval`), with its mean width.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

from goldproof.statistics.crossed import crossed_mean, crossed_table, share_intervals
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.metrics import metric
from goldproof.statistics.runs import runs_interval
from goldproof.statistics.selection import chosen_mean
from goldproof.statistics.stability import next_run
from prompt_designs import HELD_OUT, HELD_OUT_AGAIN, LEVEL, REPETITIONS, SEED, WORLDS, World, draw, truth

ACCURACY = metric("accuracy")


def holds(estimate: Estimate, value: float) -> bool:
    return bool(estimate.low - 1e-12 <= value <= estimate.high + 1e-12)


def one_round(world: World, true: dict[str, float], rng: np.random.Generator) -> dict[str, float]:
    """What holds in one table (1 or 0), and the widths of the intervals of the mean."""
    drawn = draw(world, rng)
    right, table = drawn.right, crossed_table(drawn.right)
    found: dict[str, float] = {}
    mean = crossed_mean(table, rng, LEVEL)
    flat = right.reshape(-1, world.items).astype(int)
    alone = runs_interval(ACCURACY, np.ones(world.items, int), flat, level=LEVEL)
    found["mean"], found["mean: width"] = holds(mean, true["mean"]), mean.high - mean.low
    found["all runs independent"] = holds(alone, true["mean"])
    found["all runs independent: width"] = alone.high - alone.low
    for name, share in share_intervals(table, rng, LEVEL).items():
        found[f"share of {name}"] = holds(share, true[name])
        found[f"share of {name}: width"] = share.high - share.low
    scores = right.mean(axis=(1, 2))
    low, high = next_run(scores[1:], LEVEL)
    found["one more prompt"] = low <= scores[0] <= high
    chosen = chosen_mean(right.mean(axis=1), rng, level=LEVEL)
    best = int(np.argmax(scores))
    found["best prompt"] = holds(chosen, float(drawn.truth[best].mean()))
    found["best prompt: as it looks, too high by"] = scores[best] - drawn.truth[best].mean()
    found["best prompt: corrected, too high by"] = chosen.value - drawn.truth[best].mean()
    return found


def run_world(world: World, repetitions: int, seed: int) -> dict[str, object]:
    value = truth(world)
    true = {"mean": value.mean, "prompt": value.prompt, "draw": value.draw, "both": value.both, "items": value.items}
    rng = np.random.default_rng([seed, sum(world.name.encode())])
    rows = [one_round(world, true, rng) for _ in range(repetitions)]
    means = {name: round(float(np.mean([row[name] for row in rows])), 4) for name in rows[0]}
    return {"world": world.name, "true": {k: round(v, 4) for k, v in true.items()}, **means}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--held-out-again", action="store_true")
    given = parser.parse_args()
    found = []
    worlds = HELD_OUT_AGAIN if given.held_out_again else HELD_OUT if given.held_out else WORLDS
    for world in worlds:
        if given.only in world.name:
            start = time.process_time()
            found.append(run_world(world, given.repetitions, given.seed))
            shown = {k: v for k, v in found[-1].items() if k != "true" and not k.endswith(("width", "by"))}
            sys.stderr.write(f"{shown} ({time.process_time() - start:.0f} s)\n")
    text = json.dumps({"repetitions": given.repetitions, "seed": given.seed, "worlds": found}, indent=1)
    (given.out.write_text(text) if given.out else sys.stdout.write(text))


if __name__ == "__main__":
    main()
