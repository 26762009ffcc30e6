"""Simulated coverage of every default interval, and the false-positive rate of every default comparison.

`python benchmarks/coverage.py` runs everything and writes docs/validation/statistics-worlds.md; a smaller number of
repetitions is used by the tests. Everything goes through the public functions of `goldproof.statistics`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import special, stats

from goldproof.statistics.agreement import directional_agreement
from goldproof.statistics.comparison import compare, compare_runs
from goldproof.statistics.intervals import score_interval, table_interval, wilson
from goldproof.statistics.metrics import Metric, metric
from goldproof.statistics.runs import runs_interval
from goldproof.statistics.stability import correlation_interval

PAGE = Path(__file__).resolve().parents[1] / "docs" / "validation" / "statistics-worlds.md"
ACCURACY, MCC = metric("accuracy"), metric("mcc")


@dataclass(frozen=True)
class Row:
    """Coverage (or false-positive rate) over a set of conditions: what, at which n, and the rates."""

    what: str
    n: int
    rates: tuple[float, ...]
    repetitions: int

    @property
    def mean(self) -> float:
        return float(np.mean(self.rates))

    def line(self, target: tuple[float, float] | None = None) -> str:
        error = np.sqrt(self.mean * (1 - self.mean) / max(self.repetitions, 1)) if self.repetitions else 0.0
        ends = f"{100 * min(self.rates):.1f}–{100 * max(self.rates):.1f}"
        noise = f"{100 * error:.1f}" if self.repetitions else "exact"
        inside = "" if target is None else f" {'yes' if target[0] <= self.mean <= target[1] else 'no'} |"
        return f"| {self.what} | {self.n} | {100 * self.mean:.1f} | {ends} | {len(self.rates)} | {noise} |{inside}"


# ----- one run ------------------------------------------------------------------------------------------------------


def accuracy_one_run(n: int) -> Row:
    """Exact coverage of Wilson's interval, over accuracies .50, .51, … .95."""
    estimates = [wilson(k, n) for k in range(n + 1)]
    low, high = np.array([e.low for e in estimates]), np.array([e.high for e in estimates])
    rates = []
    for p in np.linspace(0.5, 0.95, 46):
        chance = stats.binom.pmf(np.arange(n + 1), n, p)
        rates.append(float(chance[(low <= p) & (p <= high)].sum()))
    return Row("accuracy .50–.95, one run", n, tuple(rates), 0)


def mcc_tables() -> Iterable[tuple[float, np.ndarray]]:
    """True MCC and cell probabilities: base rates .3–.5, prediction rates up to .1 off, MCC 0–.8."""
    for base in (0.3, 0.4, 0.5):
        for value in (0.0, 0.2, 0.4, 0.6, 0.8):
            for rate in (base - 0.1, base, base + 0.1):
                hit = base * rate + value * np.sqrt(base * (1 - base) * rate * (1 - rate))
                cells = np.array([1 - base - rate + hit, rate - hit, base - hit, hit])
                if (cells >= 0).all():
                    yield value, cells


def mcc_one_run(n: int, repetitions: int, rng: np.random.Generator) -> Row:
    rates = []
    for value, cells in mcc_tables():
        tables = rng.multinomial(n, cells / cells.sum(), size=repetitions).reshape(-1, 2, 2)
        rates.append(_share(_covers(table_interval(MCC, table), value) for table in tables))
    return Row("MCC 0–.8, base rate .3–.5, one run", n, tuple(rates), repetitions)


def macro_f1_one_run(n: int, repetitions: int, rng: np.random.Generator) -> Row:
    score = metric("macro_f1", 3)
    rates = []
    for right in (0.4, 0.6, 0.8, 0.9):
        for base in ((1 / 3, 1 / 3, 1 / 3), (0.5, 0.3, 0.2)):
            cells = (np.eye(3) * right + (1 - np.eye(3)) * (1 - right) / 2) * np.array(base)[:, None]
            value = float(score.score(cells.ravel()))
            tables = rng.multinomial(n, cells.ravel(), size=repetitions).reshape(-1, 3, 3)
            rates.append(_share(_covers(table_interval(score, table), value) for table in tables))
    return Row("macro-F1, 3 classes, one run", n, tuple(rates), repetitions)


# ----- runs × items, with or without clusters -----------------------------------------------------------------------


@dataclass(frozen=True)
class World:
    """A probit world: item difficulty (sd `item`), per-run skill and bias (sd `seed`), clusters of `size` that share.

    A system answers 1 when strength·(gold − ½)·2 + bias + difficulty + noise > 0, with gold 1 at the base rate.
    `strength` and `bias` vary over runs; difficulty is shared by all runs, and a share `together` of it by the
    items of a cluster.
    """

    strength: float
    seed: float
    item: float = 1.0
    base: float = 0.5
    size: int = 1
    together: float = 0.8

    def gold_and_clusters(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        clusters = np.arange(n) // self.size
        return (rng.random(n) < self.base).astype(int), clusters

    def difficulty(self, clusters: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        shared = np.sqrt(self.together) if self.size > 1 else 0.0
        own = np.sqrt(1 - shared**2)
        common = rng.normal(size=clusters.max() + 1)[clusters]
        return self.item * (shared * common + own * rng.normal(size=len(clusters)))

    def runs(self, gold: np.ndarray, hard: np.ndarray, n_runs: int, rng: np.random.Generator) -> np.ndarray:
        """Predictions, runs × items; `hard` is how much each item pulls towards the wrong answer."""
        side = 2 * gold - 1
        strength = self.strength + self.seed * rng.normal(size=(n_runs, 1))
        bias = self.seed * rng.normal(size=(n_runs, 1))
        push = side * (strength - hard) + bias + rng.normal(size=(n_runs, len(gold)))
        return (push > 0).astype(int)

    def truth(self, score: Metric, rng: np.random.Generator, draws: int = 400_000) -> float:
        """The expected score of a new run on the population of items, by integration over runs."""
        strength = self.strength + self.seed * rng.normal(size=draws)
        bias = self.seed * rng.normal(size=draws)
        scale = np.sqrt(1 + self.item**2)
        right_one = special.ndtr((strength + bias) / scale)
        right_zero = special.ndtr((strength - bias) / scale)
        cells = np.stack(
            [
                (1 - self.base) * right_zero,
                (1 - self.base) * (1 - right_zero),
                self.base * (1 - right_one),
                self.base * right_one,
            ],
            axis=-1,
        )
        return float(score.score(cells).mean())


WORLDS = tuple(
    World(strength, seed, base=base)
    for strength, base in ((0.4, 0.5), (1.2, 0.4), (2.0, 0.5))
    for seed in (0.0, 0.05, 0.2)
)


def clustered_one_run(score: Metric, n: int, size: int, repetitions: int, rng: np.random.Generator) -> Row:
    worlds = [World(strength, 0.0, 1.5, base, size) for strength, base in ((0.0, 0.5), (0.8, 0.4), (2.0, 0.4))]
    rates = []
    for world in worlds:
        value = world.truth(score, rng)

        def once(world: World = world, value: float = value) -> bool:
            gold, clusters = world.gold_and_clusters(n, rng)
            predicted = world.runs(gold, world.difficulty(clusters, rng), 1, rng)[0]
            return _covers(score_interval(score, gold, predicted, clusters), value)

        rates.append(_share(once() for _ in range(repetitions)))
    return Row(f"{_name(score)}, one run, clusters of {size}", n, tuple(rates), repetitions)


def runs_by_items(score: Metric, n: int, n_runs: int, repetitions: int, rng: np.random.Generator) -> Row:
    rates = []
    for world in WORLDS:
        value = world.truth(score, rng)

        def once(world: World = world, value: float = value) -> bool:
            gold, clusters = world.gold_and_clusters(n, rng)
            predicted = world.runs(gold, world.difficulty(clusters, rng), n_runs, rng)
            return _covers(runs_interval(score, gold, predicted), value)

        rates.append(_share(once() for _ in range(repetitions)))
    return Row(f"{_name(score)}, {n_runs} runs × items", n, tuple(rates), repetitions)


# ----- comparisons under no difference ------------------------------------------------------------------------------


def false_positives(score: Metric, n: int, size: int, repetitions: int, rng: np.random.Generator) -> Row:
    """A and B with equal true scores, one run each; where clustered, each has its own cluster effects as well."""
    rates = []
    for strength, base in ((0.0, 0.5), (0.6, 0.4), (1.5, 0.5)):
        world = World(strength, 0.0, 1.0, base, size)

        def once(world: World = world) -> bool:
            gold, clusters = world.gold_and_clusters(n, rng)
            shared = world.difficulty(clusters, rng)
            a, b = (world.runs(gold, shared + world.difficulty(clusters, rng), 1, rng)[0] for _ in range(2))
            result = compare(score, gold, a, b, clusters if size > 1 else None)
            return result.p_value < 0.05

        rates.append(_share(once() for _ in range(repetitions)))
    grouped = "independent items" if size == 1 else f"clusters of {size}"
    return Row(f"{_name(score)}, one run each, {grouped}", n, tuple(rates), repetitions)


def false_positives_runs(
    score: Metric, n: int, n_runs: int, size: int, repetitions: int, rng: np.random.Generator
) -> Row:
    rates = []
    for seed in (0.0, 0.05, 0.2):
        world = World(1.0, seed, 1.0, 0.5, size)

        def once(world: World = world) -> bool:
            gold, clusters = world.gold_and_clusters(n, rng)
            shared = world.difficulty(clusters, rng)
            a, b = (world.runs(gold, shared + world.difficulty(clusters, rng), n_runs, rng) for _ in range(2))
            return compare_runs(score, gold, a, b, clusters if size > 1 else None).p_value < 0.05

        rates.append(_share(once() for _ in range(repetitions)))
    grouped = "independent items" if size == 1 else f"clusters of {size}"
    return Row(f"{_name(score)}, {n_runs} runs each, {grouped}", n, tuple(rates), repetitions)


# ----- stability and agreement --------------------------------------------------------------------------------------


def correlation_coverage(n_runs: int, repetitions: int, rng: np.random.Generator) -> Row:
    """Mean pairwise correlation of runs over 33 categories; loadings alike over runs, or with a sd of .15."""
    rates = []
    for value, spread in ((0.2, 0.0), (0.5, 0.0), (0.8, 0.0), (0.2, 0.15), (0.5, 0.15), (0.8, 0.15)):

        def loadings(count: int, value: float = value, spread: float = spread) -> np.ndarray:
            return np.clip(rng.normal(np.sqrt(value), spread, count), 0.0, 0.98)

        truth = float(loadings(400_000).mean() ** 2)

        def once(loadings: Callable[[int], np.ndarray] = loadings, truth: float = truth) -> bool:
            load = loadings(n_runs)
            table = rng.normal(size=(33, 1)) * load + rng.normal(size=(33, n_runs)) * np.sqrt(1 - load**2)
            return _covers(correlation_interval(table), truth)

        rates.append(_share(once() for _ in range(repetitions)))
    return Row(f"mean pairwise correlation, {n_runs} runs", 33, tuple(rates), repetitions)


def agreement_coverage(n_runs: int, repetitions: int, rng: np.random.Generator) -> Row:
    """Directional agreement of AR(1) .9 series of 50 checkpoints; true value by 1/2 + arcsin(ρ)/π."""
    rates = []
    for correlation in (0.0, 0.5, 0.9):
        value = 0.5 + np.arcsin(correlation) / np.pi

        def once(correlation: float = correlation, value: float = value) -> bool:
            noise = rng.normal(size=(2, n_runs, 150))
            series = np.zeros((2, n_runs, 150))
            for step in range(1, 150):
                series[..., step] = 0.9 * series[..., step - 1] + noise[..., step]
            target = series[0, :, 100:]
            development = correlation * target + np.sqrt(1 - correlation**2) * series[1, :, 100:]
            return _covers(directional_agreement(development, target), value)

        rates.append(_share(once() for _ in range(repetitions)))
    return Row(f"directional agreement, {n_runs} runs of 50 checkpoints", 50, tuple(rates), repetitions)


def _covers(estimate, value: float) -> bool:
    return bool(estimate.low <= value <= estimate.high)


def _share(outcomes: Iterable[bool]) -> float:
    return float(np.mean(list(outcomes)))


def _name(score: Metric) -> str:
    return "MCC" if score.name == "mcc" else score.name


# ----- the page -----------------------------------------------------------------------------------------------------


def coverage_rows(scale: float, rng: np.random.Generator) -> list[Row]:
    many, some = max(int(1000 * scale), 20), max(int(500 * scale), 20)
    rows = [accuracy_one_run(n) for n in (34, 100, 1000)]
    rows += [mcc_one_run(n, many, rng) for n in (34, 100, 1000)]
    rows += [macro_f1_one_run(n, many, rng) for n in (34, 100, 1000)]
    for score in (ACCURACY, MCC):
        rows += [clustered_one_run(score, n, size, many, rng) for size in (2, 5) for n in (100, 1000)]
        rows += [runs_by_items(score, n, runs, some, rng) for runs in (3, 5, 10) for n in (34, 100, 1000)]
    return rows


def other_rows(scale: float, rng: np.random.Generator) -> list[Row]:
    some = max(int(500 * scale), 20)
    rows = [correlation_coverage(runs, some, rng) for runs in (3, 6, 10)]
    return rows + [agreement_coverage(runs, some, rng) for runs in (5, 10)]


def false_positive_rows(scale: float, rng: np.random.Generator) -> list[Row]:
    many, some = max(int(2000 * scale), 20), max(int(1000 * scale), 20)
    rows = []
    for score in (ACCURACY, MCC):
        rows += [false_positives(score, n, size, many, rng) for size in (1, 2, 5) for n in (100, 1000)]
        rows += [false_positives_runs(score, n, runs, 1, some, rng) for runs in (3, 5) for n in (100, 1000)]
        rows += [false_positives_runs(score, 1000, 5, 2, some, rng)]
    return rows


def table(rows: Iterable[Row], rate: str, target: Callable[[Row], tuple[float, float]] | None = None) -> list[str]:
    judged = "" if target is None else " mean on target |"
    head = f"| what | n | mean {rate} % | lowest–highest % | conditions | Monte-Carlo error of one condition |{judged}"
    rule = "|---|---|---|---|---|---|" + ("---|" if judged else "")
    return [head, rule, *(row.line(target(row) if target else None) for row in rows), ""]


def coverage_target(row: Row) -> tuple[float, float]:
    return (0.92, 1.0) if row.n < 100 else (0.93, 0.97)


def page(scale: float, rng: np.random.Generator, text: Callable[[str], list[str]]) -> str:
    lines = text("intro")
    lines += table(coverage_rows(scale, rng), "coverage", coverage_target)
    lines += text("others") + table(other_rows(scale, rng), "coverage")
    lines += text("false positives") + table(
        false_positive_rows(scale, rng), "false positives", lambda row: (0.04, 0.06)
    )
    return "\n".join(lines)


TEXTS = {
    "intro": """# Do the intervals cover, and do the tests keep their level?

Written by `python benchmarks/coverage.py`: every number is simulated with the public functions of
`goldproof.statistics` at their defaults (95 % intervals, tests at 5 %). Target for the mean: 93–97 % at n ≥ 100, at
least 92 % at n = 34; false positives 4–6 %.

Counts are discrete, so coverage at one true value jumps with n and p whatever the method. The mean over a range of
true values is the summary to look at; the lowest and highest condition are next to it. Conditions: accuracy .50 to
.95 (46 values, exact sums); MCC 0 to .8 at base rates .3 to .5 and prediction rates up to .1 off; runs × items in a
probit world of three strengths, with standard deviations over seeds of 0, .05 and .2 in strength and in bias.

## Which interval is the default, and why

- **Accuracy, one run:** Wilson. With clusters: Wilson at the effective sample size, t quantile.
- **MCC and F1, one run:** delta method on Fisher's z scale, two pseudo-items spread over the cells, t quantile. Without
  pseudo-items the worst condition at n = 34 fell to 85 % in a pilot (empty cells have no variance); the plain delta
  interval fell to 83 %, and quantiles of a Dirichlet posterior were near but lower at n = 100.
- **Runs × items:** each of the two parts of the variance has its own t quantile (see `runs_interval`).
  Satterthwaite's single degree of freedom fell to 90–91 % in a pilot with 3 runs and 1000 items.
- **Comparison of two runs:** Tango's score interval and McNemar's chi² for accuracy on independent items, which agree
  with each other; else a (cluster-robust) t test on influence values.

These forms were chosen from some twenty candidates by pilot simulations in the same kind of world (other settings and
random numbers, fewer repetitions). So the tables below confirm them there but do not test them in different worlds. Not
simulated: runs that fail outright now and then (a mixture that 3 to 10 runs cannot show), and fewer than 20 clusters.

## Coverage of 95 % intervals
""",
    "others": """With 3 runs no method we tried covers evenly: the run part has only 2 degrees of freedom. The default
is a little wide where seeds hardly differ (up to 98 %) and a little narrow where they decide everything. The mean is
off target only with 3 runs, by up to half a point, and on the safe side: no interval is narrower than
the items alone allow.

## Stability and agreement

The interval of the mean pairwise correlation adds the jackknife variances over categories and over runs. Noise that
belongs to both is counted twice, so the interval is wide (conservative) where runs are alike. With the double part
removed, coverage in a pilot fell to 88–92 % where runs differ in quality and are few.
""",
    "false positives": """## False positives of `compare` and `compare_runs` under no difference

A and B have equal true scores and share the difficulty of items; each also has item effects of its own, which the items
of a cluster share. Runs have standard deviations over seeds of 0, .05 and .2. With 3 runs each the test is a little
cautious (3.5 to 4 % in the two rows off target): there are only 2 to 4 degrees of freedom for judging the seeds.
""",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="repetitions relative to the published page")
    parser.add_argument("--seed", type=int, default=20240501)
    parser.add_argument("--print", action="store_true", help="print the page instead of writing it")
    options = parser.parse_args()
    started = time.perf_counter()
    made = page(options.scale, np.random.default_rng(options.seed), lambda key: TEXTS[key].split("\n"))
    if options.print:
        print(made)
    else:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(made)
    print(f"{time.perf_counter() - started:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
