"""Designs for simulations of what is said about checkpoints: guidance, gains of rules, and the best of many.

Each draws from a world in which the truth is known. They were written down before the methods that must pass them;
`benchmarks/checkpoints.py` runs them through the functions that reports call.

What must hold: "guides" or "misleads" where development and test are unrelated, and a gain or loss of a rule that is
as good as the usual one, in at most 6 % on average over designs and in none above 8 %; intervals of a chosen system's
score hold its true score in at least 92 % in each design and 94 % on average. For regret, which has no unbiased
estimate, the bias of each estimate is listed and stands in reports.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

Array = np.ndarray


def autoregressive(shape: tuple[int, int], rho: float, rng: np.random.Generator) -> Array:
    """Stationary AR(1) series of variance 1, one for each row."""
    noise = rng.standard_normal(shape)
    series = np.empty(shape)
    series[:, 0] = noise[:, 0]
    for step in range(1, shape[1]):
        series[:, step] = rho * series[:, step - 1] + math.sqrt(1 - rho**2) * noise[:, step]
    return series


# ----- guidance: development and test that have nothing to do with each other ---------------------------------------

RHOS, RUNS, POINTS = (0.5, 0.9, 0.97), (3, 5, 10), (10, 30, 100)
SPREAD = 0.02


@dataclass(frozen=True)
class Unrelated:
    """Runs whose development and test scores are unrelated AR(1) series around 70 %, two points of deviation."""

    rho: float
    n_runs: int
    n_points: int

    @property
    def name(self) -> str:
        return f"ρ {self.rho:g}, {self.n_runs} {'run' if self.n_runs == 1 else 'runs'}, {self.n_points} checkpoints"

    def draw(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Development and test scores, runs × checkpoints each."""
        both = 0.7 + SPREAD * autoregressive((2 * self.n_runs, self.n_points), self.rho, rng)
        return both[: self.n_runs], both[self.n_runs :]


UNRELATED = tuple(Unrelated(rho, runs, points) for rho in RHOS for runs in RUNS for points in POINTS)
ONE_RUN = tuple(Unrelated(rho, 1, points) for rho in RHOS for points in POINTS)


# ----- gains: a rule that is as good as the usual one, while items favour the one or the other ----------------------


@dataclass(frozen=True)
class EqualRules:
    """Two rules of equal accuracy in several languages; each item favours one of them, in every run alike.

    `shared` is the share of the items' variance that translations have in common. Runs differ by `run` (logits), and
    a run's two checkpoints by `own`.
    """

    n_languages: int
    n_runs: int
    n_items: int
    shared: float
    run: float = 0.1
    own: float = 0.05

    @property
    def name(self) -> str:
        items = "translations" if self.shared else "items of their own"
        return f"{self.n_languages} languages, {self.n_runs} runs, {self.n_items} {items}"

    def draw(self, rng: np.random.Generator) -> Array:
        """Whether each answer is right: rules × languages × runs × items."""
        shape = (2, self.n_languages, 1, self.n_items)
        common, apart = rng.standard_normal((2, 1, 1, self.n_items)), rng.standard_normal(shape)
        favour = math.sqrt(self.shared) * common + math.sqrt(1 - self.shared) * apart
        hard = rng.standard_normal((1, self.n_languages, 1, self.n_items))
        runs = self.run * rng.standard_normal((1, 1, self.n_runs, 1))
        own = self.own * rng.standard_normal((2, self.n_languages, self.n_runs, 1))
        right = rng.random((2, self.n_languages, self.n_runs, self.n_items))
        return np.asarray(right < special.expit(1.0 + 2 * favour + hard + runs + own))


EQUAL_RULES = tuple(
    EqualRules(languages, runs, items, shared)
    for languages, shared in ((1, 0.0), (4, 0.0), (4, 0.7), (15, 0.7))
    for runs in (3, 5, 10)
    for items in (100, 400)
)


# ----- the best of many ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drawn:
    """Right answers (runs × checkpoints × items), the true accuracies (runs × checkpoints) and the chosen checkpoint
    of each run.
    """

    right: Array
    truth: Array
    chosen: Array

    def regret(self) -> float:
        """The truly best checkpoint of each run minus the chosen one, mean over runs."""
        return float((self.truth.max(1) - self.truth[np.arange(len(self.chosen)), self.chosen]).mean())


def answers_of_curve(truth: Array, n_items: int, rng: np.random.Generator) -> Array:
    """Answers with exactly these expected accuracies: items differ in difficulty, and what a run knows of an item
    lasts over its checkpoints (AR(1) of .9).
    """
    runs, points = truth.shape
    item = rng.standard_normal(n_items)
    lasting = autoregressive((runs * n_items, points), 0.9, rng).reshape(runs, n_items, points).transpose(0, 2, 1)
    return np.asarray(math.sqrt(0.6) * item + math.sqrt(0.4) * lasting < special.ndtri(truth)[..., None])


@dataclass(frozen=True)
class Course:
    """Runs whose true accuracy wanders about 80 % by so many points; the chosen checkpoint knows nothing of it."""

    points: float
    n_items: int
    n_runs: int = 5
    n_points: int = 50

    @property
    def name(self) -> str:
        return f"{self.n_runs} runs × {self.n_points} checkpoints that differ by {self.points:g} points, {self.n_items}"

    def draw(self, rng: np.random.Generator) -> Drawn:
        truth = 0.8 + 0.01 * self.points * autoregressive((self.n_runs, self.n_points), 0.9, rng)
        chosen = rng.integers(0, self.n_points, self.n_runs)
        return Drawn(answers_of_curve(truth, self.n_items, rng), truth, chosen)


@dataclass(frozen=True)
class Peak:
    """One checkpoint in the middle is so many points better than all others, one of which was chosen."""

    points: float
    n_items: int
    n_runs: int = 5
    n_points: int = 50

    @property
    def name(self) -> str:
        return (
            f"{self.n_runs} runs, one of {self.n_points} checkpoints better by {self.points:g} points, {self.n_items}"
        )

    def draw(self, rng: np.random.Generator) -> Drawn:
        truth = np.full((self.n_runs, self.n_points), 0.8)
        truth[:, self.n_points // 2] += 0.01 * self.points
        return Drawn(answers_of_curve(truth, self.n_items, rng), truth, np.full(self.n_runs, self.n_points - 1))


COURSES: tuple[Course | Peak, ...] = (
    *(Course(points, items) for points in (0.0, 0.5, 1.0, 3.0) for items in (200, 1000)),
    *(Peak(points, items) for points in (2.0, 5.0) for items in (200, 1000)),
    Course(1.0, 200, n_runs=1),
    Course(1.0, 1000, n_points=10),
)


@dataclass(frozen=True)
class Choice:
    """Many systems, one run each, whose true accuracies differ by so many points; the best on the items is chosen."""

    n_systems: int
    points: float
    n_items: int

    @property
    def name(self) -> str:
        return f"best of {self.n_systems} that differ by {self.points:g} points, {self.n_items} items"

    def draw(self, rng: np.random.Generator) -> Drawn:
        truth = 0.75 + 0.01 * self.points * rng.standard_normal((self.n_systems, 1))
        item = rng.standard_normal(self.n_items)
        own = rng.standard_normal((self.n_systems, 1, self.n_items))
        right = math.sqrt(0.6) * item + math.sqrt(0.4) * own < special.ndtri(truth)[..., None]
        return Drawn(right.transpose(1, 0, 2), truth.T, np.zeros(1, int))


CHOICES = tuple(
    Choice(systems, points, items) for systems in (5, 20, 100) for points in (0.0, 1.0, 3.0) for items in (200, 1000)
)


# ----- the best of many, held out: written after the forms of the intervals were chosen, and run once ---------------


@dataclass(frozen=True)
class SkewedChoice:
    """Systems whose accuracies fall off from the best (exponential, so many points), one run each, items of their own
    difficulty drawn from a beta(.5, .5).
    """

    n_systems: int
    points: float
    n_items: int

    @property
    def name(self) -> str:
        return f"best of {self.n_systems} that fall off by {self.points:g} points, {self.n_items} skewed items"

    def draw(self, rng: np.random.Generator) -> Drawn:
        loss = 0.01 * self.points * rng.exponential(size=(self.n_systems, 1))
        chance = rng.beta(0.5, 0.5, self.n_items)
        keeps = (0.6 - loss) / 0.6
        right = (rng.random((self.n_systems, self.n_items)) < chance * keeps) | (
            rng.random((self.n_systems, self.n_items)) < 0.1
        )
        truth = 0.1 + 0.9 * 0.5 * keeps
        return Drawn(right[None], truth.T, np.zeros(1, int))


HELD_OUT_CHOICES = tuple(
    SkewedChoice(systems, points, items)
    for systems, points, items in ((3, 1.0, 80), (12, 2.0, 300), (50, 1.0, 300), (50, 5.0, 300), (200, 2.0, 2000))
)


@dataclass(frozen=True)
class Learning:
    """Runs that learn from 60 to 80 % and then fall by so many points; the last checkpoint is the chosen one."""

    points: float
    n_items: int
    n_runs: int
    n_points: int = 25

    @property
    def name(self) -> str:
        return f"{self.n_runs} runs × {self.n_points} checkpoints that learn and forget {self.points:g}, {self.n_items}"

    def draw(self, rng: np.random.Generator) -> Drawn:
        time = np.linspace(0, 1, self.n_points)
        mean = 0.8 - 0.2 * np.exp(-8 * time) - 0.01 * self.points * np.clip(2 * time - 1, 0, 1)
        truth = np.clip(mean + 0.004 * autoregressive((self.n_runs, self.n_points), 0.5, rng), 0.05, 0.95)
        return Drawn(answers_of_curve(truth, self.n_items, rng), truth, np.full(self.n_runs, self.n_points - 1))


HELD_OUT_COURSES = tuple(
    Learning(points, items, runs) for points in (0.0, 2.0, 6.0) for items, runs in ((150, 3), (500, 8))
)


# ----- sources of chance --------------------------------------------------------------------------------------------


LATIN = np.array([(i, j, (i + j) % 3) for i in range(3) for j in range(3)])
"""The runs of a Latin square over three sources of chance; where none matters, scores are standard normal numbers."""
