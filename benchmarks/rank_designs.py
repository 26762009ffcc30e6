"""Designs for simulations of rank sets: boards drawn from worlds in which every model's true score is known.

They were written down before the method was run on them; `benchmarks/rank_coverage.py` runs them through the functions
that `goldproof rank` calls.

An answer is right where a model's strength, the item's ease (shared by all models), what its family of models shares
on the item, and the answer's own luck add up to more than 0 (probit). A task may suit a model (`task_effect`); for
these tasks that is fixed and part of the truth, for tasks like these it is drawn anew with each board. Where models are
equal their strengths are, and no task effect makes them differ: of tasks like these the effects are drawn, with mean 0.

What must hold: no order is claimed that is not there, over all pairs of a board together (which is when all rank sets
hold the true places), in at least 94 % of boards in each design.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

Array = np.ndarray
Question = Literal["these tasks", "tasks like these"]
Truth = Literal["equal", "near ties", "separated", "two groups"]
THESE: Question = "these tasks"
LIKE: Question = "tasks like these"
ITEM_EASE = 1.0
LEVEL = 0.95
DRAWS = 1_000
SEED = 20_261_116


@dataclass(frozen=True)
class World:
    """Boards of one kind; `truth` says how strengths lie, `runs` how many trainings each model has."""

    name: str
    question: Question
    models: int
    truth: Truth = "equal"
    tasks: int = 1
    items: int = 300
    families: int = 0
    cluster: int = 1
    runs: int = 1
    run_sd: float = 0.0
    unequal_runs: bool = False
    task_effect: float = 0.0
    unequal_tasks: bool = False
    fractions: bool = False
    skewed: bool = False
    missing: float = 0.0
    boards: int = 1000


def strengths(world: World) -> Array:
    """The models' strengths (probit units): equal, 0.03 apart, 0.5 apart, or half of them 0.5 below."""
    places = np.arange(world.models)[::-1].astype(float)
    return {
        "equal": np.zeros(world.models),
        "near ties": 0.03 * places,
        "separated": 0.5 * places - 0.25 * (world.models - 1),
        "two groups": np.where(places < world.models // 2, -0.25, 0.25),
    }[world.truth]


@dataclass(frozen=True)
class Drawn:
    """A board: runs × items of each model, the items' tasks and clusters, and the models' true scores."""

    runs: Array
    tasks: Array
    clusters: Array | None
    truth: Array


def draw(world: World, rng: np.random.Generator) -> Drawn:
    """One board of a world. Sizes of unequal tasks grow from 10 items on; a fraction is a mean of 4 answers."""
    m = world.models
    sizes = np.full(world.tasks, world.items)
    if world.unequal_tasks:
        sizes = np.linspace(10, 2 * world.items - 10, world.tasks).astype(int)
    tasks = np.repeat(np.arange(world.tasks), sizes)
    n = len(tasks)
    clusters = np.arange(n) // world.cluster if world.cluster > 1 else None
    ease = rng.standard_normal(n)
    if clusters is not None:
        ease = np.sqrt(0.5) * ease + np.sqrt(0.5) * rng.standard_normal(clusters.max() + 1)[clusters]
    effects = _task_effects(world, rng)
    run_sd = world.run_sd * (np.linspace(0.5, 1.5, m) if world.unequal_runs else np.ones(m))
    shifts = run_sd[:, None] * rng.standard_normal((m, world.runs))
    latent = strengths(world)[:, None, None] + shifts[:, :, None] + effects[:, None, tasks] + ITEM_EASE * ease
    latent = latent + _luck(world, clusters, n, rng)
    answers = _answers(latent, world, rng)
    if world.missing:
        answers[np.broadcast_to((rng.random((m, 1, n)) < world.missing), answers.shape)] = np.nan
    return Drawn(answers, tasks, clusters, _truth(world, effects, run_sd))


def _task_effects(world: World, rng: np.random.Generator) -> Array:
    """Models × tasks: fixed over boards for these tasks, drawn anew for tasks like these."""
    source = rng if world.question == "tasks like these" else np.random.default_rng(7)
    shape = (world.models, world.tasks)
    if world.skewed:
        return world.task_effect * (source.exponential(size=shape) - 1.0)
    return world.task_effect * source.standard_normal(shape)


def _luck(world: World, clusters: Array | None, n: int, rng: np.random.Generator) -> Array:
    """What a family of models shares on an item, and what a model has in common on all items of a cluster."""
    m = world.models
    shared = np.zeros((m, 1, n))
    if world.families:
        family = np.arange(m) % world.families
        shared = shared + np.sqrt(0.6) * rng.standard_normal((world.families, n))[family][:, None]
    if clusters is not None:
        shared = shared + np.sqrt(0.4) * rng.standard_normal((m, clusters.max() + 1))[:, clusters][:, None]
    return shared


def _own_variance(world: World) -> float:
    """What is left of a variance of 1 for the answer's own luck."""
    return 1.0 - (0.6 if world.families else 0.0) - (0.4 if world.cluster > 1 else 0.0)


def _answers(latent: Array, world: World, rng: np.random.Generator) -> Array:
    spread = np.sqrt(_own_variance(world))
    if not world.fractions:
        return (latent + spread * rng.standard_normal(latent.shape) > 0).astype(float)
    return np.mean([latent + spread * rng.standard_normal(latent.shape) > 0 for _ in range(4)], axis=0)


def _truth(world: World, effects: Array, run_sd: Array) -> Array:
    """The chance of a right answer, for these tasks as the mean over them; strengths, where only their order counts."""
    if world.question == "tasks like these" or not world.task_effect:
        return strengths(world)
    scale = np.sqrt(1 + ITEM_EASE**2 + run_sd[:, None] ** 2)
    return special.ndtr((strengths(world)[:, None] + effects) / scale).mean(axis=1)


def _worlds() -> list[World]:
    these, like = THESE, LIKE
    worlds = []
    for m, boards in ((5, 1000), (20, 1000), (100, 300)):
        truths: tuple[Truth, ...] = ("equal", "near ties", "separated")
        worlds += [World(f"{m} models, {truth}", these, m, truth, boards=boards) for truth in truths]
        worlds.append(World(f"{m} models, 3 families", these, m, families=3, boards=boards))
        worlds.append(World(f"{m} models, 60 clusters of 5", these, m, cluster=5, boards=boards))
        worlds.append(World(f"{m} models, 3 runs", these, m, runs=3, run_sd=0.15, boards=boards))
        for tasks in (8, 20, 41):
            worlds.append(World(f"{m} models, {tasks} tasks of 25", these, m, tasks=tasks, items=25, boards=boards))
            worlds.append(
                World(f"{m} models × {tasks} tasks", like, m, tasks=tasks, items=25, task_effect=0.3, boards=boards)
            )
    worlds += [
        World("5 models, 40 items", these, 5, items=40),
        World("20 models, 40 items", these, 20, items=40),
        World("20 models, two groups", these, 20, "two groups"),
        World("20 models, 3 runs, unequal spread", these, 20, runs=3, run_sd=0.15, unequal_runs=True),
        World("5 models, 3 runs, unequal spread", these, 5, runs=3, run_sd=0.15, unequal_runs=True),
        World("20 models, 3 runs, 60 clusters of 5", these, 20, runs=3, run_sd=0.15, cluster=5),
        World("20 models, fractions", these, 20, fractions=True),
        World("20 models, 8 unequal tasks, effects", these, 20, tasks=8, items=25, unequal_tasks=True, task_effect=0.3),
        World("20 models, 5 % missing", these, 20, missing=0.05),
        World(
            "20 models, 8 unequal tasks, 5 % missing", these, 20, tasks=8, items=25, unequal_tasks=True, missing=0.05
        ),
        World("20 models × 20 tasks, near ties", like, 20, "near ties", tasks=20, items=25, task_effect=0.3),
        World("20 models × 20 tasks, two groups", like, 20, "two groups", tasks=20, items=25, task_effect=0.3),
        World("20 models × 41 tasks, separated", like, 20, "separated", tasks=41, items=25, task_effect=0.3),
        World("20 models × 20 unequal tasks", like, 20, tasks=20, items=25, task_effect=0.3, unequal_tasks=True),
        World("20 models × 20 tasks, skewed effects", like, 20, tasks=20, items=25, task_effect=0.3, skewed=True),
        World("20 models × 20 tasks, 5 % missing", like, 20, tasks=20, items=25, task_effect=0.3, missing=0.05),
    ]
    return worlds


WORLDS = _worlds()

# Held out: of other sizes, run once, after the method was settled on the designs above.
HELD_OUT = [
    World("held out: 10 models, 500 items", THESE, 10, items=500),
    World("held out: 40 models, near ties", THESE, 40, "near ties", items=150, boards=500),
    World("held out: 30 models, 2 families, 30 clusters of 4", THESE, 30, items=120, families=2, cluster=4, boards=500),
    World("held out: 12 models, 5 runs", THESE, 12, items=200, runs=5, run_sd=0.1),
    World("held out: 40 models, 3 runs, unequal spread", THESE, 40, runs=3, run_sd=0.2, unequal_runs=True, boards=500),
    World(
        "held out: 15 models, 12 unequal tasks, two groups",
        THESE,
        15,
        "two groups",
        tasks=12,
        items=40,
        unequal_tasks=True,
        task_effect=0.2,
    ),
    World("held out: 25 models, 10 % missing", THESE, 25, items=200, missing=0.1, boards=500),
    World("held out: 10 models × 10 tasks", LIKE, 10, tasks=10, items=50, task_effect=0.2),
    World(
        "held out: 40 models × 30 tasks, near ties",
        LIKE,
        40,
        "near ties",
        tasks=30,
        items=20,
        task_effect=0.4,
        boards=500,
    ),
    World("held out: 15 models × 14 tasks, two groups", LIKE, 15, "two groups", tasks=14, items=30, task_effect=0.25),
]
