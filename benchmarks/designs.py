"""Designs for simulations of intervals, verdicts and advice, written down before the methods that must pass them.

Each design draws gold, answers and clusters from a world whose true scores are known. None was used to choose or tune
a method. `benchmarks/verdicts.py` runs each 2,000 times and writes docs/validation/statistics.md; what fails stands
there too.

What must hold: each design's coverage at least 92 %, their mean at least 94 %; false verdicts at the scope that the
verdict states at most 6 % in the mean over designs without a difference, none above 8 %; following the advice on
how many more has power between 75 and 90 % on average and at least 60 % for the 10th percentile of pilots.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np
from scipy import optimize, special

Array = np.ndarray
POINT = 0.01
_POINTS, _WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


@dataclass(frozen=True)
class Drawn:
    """One draw of a world: gold (items), answers of A and perhaps of B (runs × items), clusters, and what is true.

    `truth` is the true score of A's recipe, or B − A of the recipes where there is a B; `systems` is B − A of these
    very runs on all items like these. `steps` is the step at which each run of A ended, where it matters.
    """

    gold: Array
    a: Array
    truth: float
    b: Array | None = None
    systems: float = 0.0
    clusters: Array | None = None
    steps: Array | None = None


@dataclass(frozen=True)
class Design:
    """A named way to draw, what is asked of it, and the metric."""

    name: str
    draw: Callable[[np.random.Generator], Drawn]
    metric: str = "accuracy"
    scope: str = "recipes"


# ----- clusters of unequal size -------------------------------------------------------------------------------------


def zipf_sizes(n_clusters: int, n: int) -> Array:
    """Sizes of clusters that fall as 1/rank and sum to n, none empty."""
    shares = 1 / np.arange(1, n_clusters + 1)
    sizes = np.maximum(1, np.round(n * shares / shares.sum()).astype(int))
    sizes[0] += n - sizes.sum()
    return sizes


def one_large(n_clusters: int, n: int, share: float = 0.6) -> Array:
    """Sizes of clusters of which the first holds a share of all n items and the others split the rest."""
    first = round(share * n)
    rest = np.full(n_clusters - 1, (n - first) // (n_clusters - 1))
    rest[: (n - first) - rest.sum()] += 1
    return np.r_[first, rest]


@dataclass(frozen=True)
class Logistic:
    """Items right with a chance whose logit is the sum of skill and effects of run, cluster and item.

    Standard deviations on the logit scale; `own` is an effect of system × cluster, which makes clusters matter for
    differences too.
    """

    skill: float
    run: float = 0.0
    cluster: float = 0.0
    item: float = 1.0
    own: float = 0.0

    def answers(self, gold: Array, codes: Array, n_runs: int, shared: Array, rng: np.random.Generator) -> Array:
        """Runs × items of 0 and 1 for a system, `shared` being the effects of clusters and items on everybody."""
        own = self.own * rng.normal(size=codes.max() + 1)[codes]
        runs = self.run * rng.normal(size=(n_runs, 1))
        right = rng.random((n_runs, len(gold))) < special.expit(self.skill + runs + shared + own)
        return np.where(right, gold, 1 - gold)

    def shared(self, codes: Array, rng: np.random.Generator) -> Array:
        """Effects of clusters and items on everybody."""
        return self.cluster * rng.normal(size=codes.max() + 1)[codes] + self.item * rng.normal(size=len(codes))

    def truth(self) -> float:
        """The expected accuracy of a new run on new items, by Gauss–Hermite quadrature over the sum of all effects."""
        spread = np.sqrt(self.run**2 + self.cluster**2 + self.item**2 + self.own**2)
        return float((_WEIGHTS * special.expit(self.skill + spread * _POINTS)).sum())


def clustered_score(sizes: Array, n_runs: int, rng: np.random.Generator) -> Drawn:
    """Accuracy of runs on items in clusters of these sizes."""
    world = Logistic(0.8, run=0.1 if n_runs > 1 else 0.0, cluster=1.0, item=0.7)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    gold = rng.integers(0, 2, len(codes))
    a = world.answers(gold, codes, n_runs, world.shared(codes, rng), rng)
    return Drawn(gold, a, world.truth(), clusters=codes)


def clustered_null(sizes: Array, n_runs: int, rng: np.random.Generator) -> Drawn:
    """Two systems of equal skill, each with effects of its own on each cluster."""
    world = Logistic(0.8, run=0.1 if n_runs > 1 else 0.0, cluster=0.7, item=0.7, own=0.7)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    gold = rng.integers(0, 2, len(codes))
    shared = world.shared(codes, rng)
    a, b = (world.answers(gold, codes, n_runs, shared, rng) for _ in range(2))
    return Drawn(gold, a, 0.0, b, clusters=codes)


SIZES = {
    "Zipf, 15 clusters": zipf_sizes(15, 600),
    "Zipf, 30 clusters": zipf_sizes(30, 600),
    "one cluster of 60 %, 20 in all": one_large(20, 600),
}
CLUSTERED = tuple(
    Design(f"{name}, {n_runs} {'run' if n_runs == 1 else 'runs'}", partial(clustered_score, sizes, n_runs))
    for name, sizes in SIZES.items()
    for n_runs in (1, 5)
)
CLUSTERED_NULL = tuple(
    Design(
        f"{name}, {n_runs} {'run' if n_runs == 1 else 'runs'} a side",
        partial(clustered_null, sizes, n_runs),
        scope="systems" if n_runs == 1 else "recipes",
    )
    for name, sizes in SIZES.items()
    for n_runs in (1, 5)
)


# ----- items that are nearly always right or wrong; rare labels; collapsed and early-stopped runs -------------------


def beta_items(n: int, n_runs: int, rng: np.random.Generator) -> Drawn:
    """Each item has its own chance to be answered right, from a beta(.2, .2): most are sure, right or wrong."""
    gold = rng.integers(0, 2, n)
    right = rng.random((n_runs, n)) < rng.beta(0.2, 0.2, n)
    return Drawn(gold, np.where(right, gold, 1 - gold), 0.5)


def beta_null(n: int, n_runs: int, rng: np.random.Generator) -> Drawn:
    """Two recipes, each item with a chance of its own for each: half of it shared, half not."""
    gold = rng.integers(0, 2, n)
    shared = rng.random(n) < 0.5
    common, own = rng.beta(0.2, 0.2, n), rng.beta(0.2, 0.2, (2, n))
    sides = [np.where(rng.random((n_runs, n)) < np.where(shared, common, chance), gold, 1 - gold) for chance in own]
    return Drawn(gold, sides[0], 0.0, sides[1])


def rare_label(n: int, n_runs: int, rng: np.random.Generator) -> Drawn:
    """Gold is 1 in 5 % of items; a run finds 60 % of these, give or take, and calls some of the others 1."""
    gold = (rng.random(n) < 0.05).astype(int)
    hard = rng.random(n)
    spread = 0.05 if n_runs > 1 else 0.0
    noise = _NOISE * rng.normal(size=(n_runs, n))
    found = np.where(gold == 1, hard + spread * rng.normal(size=(n_runs, 1)) + noise < 0.6, hard + noise < 0.02)
    return Drawn(gold, found.astype(int), rare_truth(spread))


_NOISE = 0.15


@lru_cache
def rare_truth(spread: float) -> float:
    """The mean MCC over runs of `rare_label`, from the chances of its four cells."""
    alarm = _below(0.02)
    return float(sum(w * _mcc(_below(0.6 - spread * p), alarm) for p, w in zip(_POINTS, _WEIGHTS, strict=True)))


def _below(limit: float) -> float:
    """The chance that a uniform number plus normal noise lies below a limit."""
    return float((_WEIGHTS * np.clip(limit - _NOISE * _POINTS, 0, 1)).sum())


def _mcc(hit: float, alarm: float) -> float:
    cells = np.array([[0.95 * (1 - alarm), 0.95 * alarm], [0.05 * (1 - hit), 0.05 * hit]])
    covariance = np.trace(cells) - (cells.sum(0) * cells.sum(1)).sum()
    return float(covariance / np.sqrt((1 - (cells.sum(0) ** 2).sum()) * (1 - (cells.sum(1) ** 2).sum())))


def collapsing(n: int, n_runs: int, rng: np.random.Generator) -> Drawn:
    """Each run collapses with 15 % and then gives one answer; the truth is the accuracy given no collapse.

    A draw in which every run collapses has nothing to judge and is drawn again.
    """
    world = Logistic(1.5, run=0.15, item=1.0)
    gold, codes = (rng.random(n) < 0.55).astype(int), np.arange(n)
    while True:
        a = world.answers(gold, codes, n_runs, world.shared(codes, rng), rng)
        collapsed = rng.random(n_runs) < 0.15
        if not collapsed.all():
            return Drawn(gold, np.where(collapsed[:, None], 1, a), world.truth())


def early_stopped(n: int, n_runs: int, rng: np.random.Generator) -> Drawn:
    """Runs end at steps of their own; a run that ends early has learned less, so that scores are skewed to the left."""
    steps = 100 * rng.integers(2, 11, n_runs)
    world = Logistic(1.2, item=1.0)
    codes, gold = np.arange(n), rng.integers(0, 2, n)
    shared = world.shared(codes, rng)
    a = np.concatenate(
        [replace(world, skill=learned(step)).answers(gold, codes, 1, shared, rng) for step in steps.tolist()]
    )
    truth = float(np.mean([replace(world, skill=learned(100 * k)).truth() for k in range(2, 11)]))
    return Drawn(gold, a, truth, steps=steps)


def learned(step: int) -> float:
    """The skill at a step of training."""
    return 1.2 * (1 - float(np.exp(-step / 150)))


ODD = (
    *(
        Design(f"beta(.2, .2) items, {n} items, {r} runs", partial(beta_items, n, r))
        for n in (100, 500)
        for r in (1, 3, 10)
    ),
    *(Design(f"prior 5 %, {n} items, {r} runs", partial(rare_label, n, r), "mcc") for n in (500, 2000) for r in (1, 5)),
    *(Design(f"15 % of runs collapse, 400 items, {r} runs", partial(collapsing, 400, r)) for r in (3, 5, 10)),
    *(Design(f"early-stopped runs, 400 items, {r} runs", partial(early_stopped, 400, r)) for r in (3, 5, 10)),
)
ODD_NULL = tuple(
    Design(f"beta(.2, .2) items, 300 items, {r} runs a side", partial(beta_null, 300, r), scope=scope)
    for r, scope in ((1, "systems"), (3, "recipes"), (5, "recipes"))
)


# ----- one run a side, one against many -----------------------------------------------------------------------------


@lru_cache
def skill_for(accuracy: float, item: float = 1.0) -> float:
    """The skill at which a Logistic world with these items has this accuracy."""
    return float(optimize.brentq(lambda skill: Logistic(skill, item=item).truth() - accuracy, -20, 20))


def slope_at(accuracy: float, item: float = 1.0) -> float:
    """How much accuracy a unit of skill is worth there."""
    skill = skill_for(accuracy, item)
    return (Logistic(skill + 0.01, item=item).truth() - Logistic(skill - 0.01, item=item).truth()) / 0.02


def same_recipe(n_a: int, n_b: int, points: float, n: int, rng: np.random.Generator, accuracy: float = 0.8) -> Drawn:
    """One recipe trained n_a and n_b times; its runs' true accuracy has a spread of so many points around a value."""
    skill, slope = _skill_and_slope(accuracy)
    codes, gold = np.arange(n), rng.integers(0, 2, n)
    world = Logistic(skill)
    shared = world.shared(codes, rng)
    skills = skill + points * POINT / slope * rng.normal(size=n_a + n_b)
    runs = np.concatenate([replace(world, skill=s).answers(gold, codes, 1, shared, rng) for s in skills.tolist()])
    true = [replace(world, skill=s).truth() for s in skills.tolist()]
    return Drawn(gold, runs[:n_a], 0.0, runs[n_a:], systems=float(np.mean(true[n_a:]) - np.mean(true[:n_a])))


@lru_cache
def _skill_and_slope(accuracy: float) -> tuple[float, float]:
    return skill_for(accuracy), slope_at(accuracy)


SPREADS = (0.0, 0.5, 1.0, 2.0)
ONE_EACH = tuple(
    Design(f"one run a side, seed spread {points:g} points", partial(same_recipe, 1, 1, points, 1000), scope="systems")
    for points in SPREADS
)
ONE_EACH_KNOWN = tuple(
    Design(f"one run a side, spread {points:g} points known", partial(same_recipe, 1, 1, points, 1000))
    for points in SPREADS[1:]
)
ONE_AGAINST_MANY = tuple(
    Design(f"one run against {n}, seed spread {points:g} points", partial(same_recipe, n, 1, points, 1000))
    for n in (3, 5, 10)
    for points in (0.5, 2.0)
)
MANY_EACH = tuple(
    Design(f"{n} runs a side, seed spread {points:g} points", partial(same_recipe, n, n, points, 1000))
    for n in (3, 5)
    for points in (0.5, 2.0)
)


# ----- many languages, adding runs, following the advice ------------------------------------------------------------

N_LANGUAGES = 15


def languages_null(n_runs: int, n: int, rng: np.random.Generator, n_languages: int = N_LANGUAGES) -> list[Drawn]:
    """The same items in many languages, two recipes of equal skill; runs and items act on all languages at once."""
    world = Logistic(0.8, run=0.1 if n_runs > 1 else 0.0, item=0.8)
    codes, gold = np.arange(n), rng.integers(0, 2, n)
    item, runs = world.shared(codes, rng), [0.1 * rng.normal(size=n_runs) for _ in range(2)]
    own = 0.5 * rng.normal(size=(2, n))
    drawn = []
    for _ in range(n_languages):
        hard = item + 0.5 * rng.normal(size=n)
        sides = []
        for side in range(2):
            logits = world.skill + (runs[side][:, None] if n_runs > 1 else 0.0) + hard + own[side]
            right = rng.random((n_runs, n)) < special.expit(logits)
            sides.append(np.where(right, gold, 1 - gold))
        drawn.append(Drawn(gold, sides[0], 0.0, sides[1]))
    return drawn


LOOKS = (3, 5, 8, 12)
"""After how many runs a side somebody looks who adds runs until the verdict is there."""


@dataclass(frozen=True)
class Pilot:
    """A pilot of so many runs and items, in a world of this accuracy and spread; the true difference is the margin."""

    name: str
    n_runs: int
    n_items: int
    accuracy: float
    spread: float
    margin: float = 2 * POINT

    def draw(self, n_runs: int, n_items: int, rng: np.random.Generator) -> Drawn:
        """So many runs a side on so many items; B is better by the margin."""
        a, slope = _skill_and_slope(self.accuracy)
        b = skill_for(self.accuracy + self.margin)
        codes, gold = np.arange(n_items), rng.integers(0, 2, n_items)
        world = Logistic(a, run=self.spread * POINT / slope if n_runs > 1 or self.spread else 0.0)
        shared = world.shared(codes, rng)
        sides = [replace(world, skill=skill).answers(gold, codes, n_runs, shared, rng) for skill in (a, b)]
        return Drawn(gold, sides[0], self.margin, sides[1])


PILOTS: Sequence[Pilot] = (
    Pilot("one run a side, 200 items, 80 %", 1, 200, 0.8, 0.0),
    Pilot("one run a side, 500 items, 90 %", 1, 500, 0.9, 0.0),
    Pilot("3 runs a side, 300 items, spread 1 point", 3, 300, 0.8, 1.0),
    Pilot("5 runs a side, 1000 items, spread 2 points", 5, 1000, 0.8, 2.0),
    Pilot("10 runs a side, 500 items, spread 1 point", 10, 500, 0.8, 1.0),
)


# ----- drawn up after the methods were settled ----------------------------------------------------------------------
# Some choices were made after a look at the designs above (docs/validation/statistics.md names them). These have other
# numbers of runs, items, languages, other accuracies and spreads, and nothing was changed after they were run.

FRESH_NULL = (
    *(
        Design(
            f"one run against {n}, spread {points:g}, 90 %, 400 items",
            partial(same_recipe, n, 1, points, 400, accuracy=0.9),
        )
        for n in (4, 7)
        for points in (1.0, 3.0)
    ),
    *(
        Design(
            f"{n} and {m} runs, spread {points:g}, 70 %, 600 items",
            partial(same_recipe, n, m, points, 600, accuracy=0.7),
        )
        for n, m in ((4, 4), (3, 8))
        for points in (1.0, 3.0)
    ),
    Design("Zipf, 22 clusters, 3 runs a side", partial(clustered_null, zipf_sizes(22, 400), 3)),
    Design("one cluster of 40 %, 12 in all, 2 runs a side", partial(clustered_null, one_large(12, 300, 0.4), 2)),
)
FRESH_COVERAGE = (
    Design("Zipf, 22 clusters, 3 runs", partial(clustered_score, zipf_sizes(22, 400), 3)),
    Design("one cluster of 40 %, 12 in all, 2 runs", partial(clustered_score, one_large(12, 300, 0.4), 2)),
    Design("beta(.2, .2) items, 200 items, 5 runs", partial(beta_items, 200, 5)),
    Design("prior 5 %, 1000 items, 3 runs", partial(rare_label, 1000, 3), "mcc"),
    Design("15 % of runs collapse, 250 items, 6 runs", partial(collapsing, 250, 6)),
    Design("early-stopped runs, 250 items, 4 runs", partial(early_stopped, 250, 4)),
)
FRESH_LANGUAGES = ((10, 4, 250), (25, 2, 200))
"""Numbers of languages, of runs a side and of items."""
FRESH_PILOTS: Sequence[Pilot] = (
    Pilot("one run a side, 300 items, 85 %", 1, 300, 0.85, 0.0),
    Pilot("6 runs a side, 800 items, spread 1.5 points, 75 %", 6, 800, 0.75, 1.5),
    Pilot("8 runs a side, 400 items, spread 0.5 points, 85 %", 8, 400, 0.85, 0.5),
)
