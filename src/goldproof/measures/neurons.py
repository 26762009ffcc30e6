"""Neurons: which features of all layers together a linear probe with elastic net rests on, and whether they matter.

Neurons are ordered by cumulative weight mass (Dalvi et al. 2019; Durrani et al. 2020): for each class, neurons by
falling |weight|; a neuron's rank is the smallest share of the class's weight mass at which it enters, the smallest
over classes. The top set is tested by ablation: a probe fitted to it alone, or without it, against sets of random
neurons with the same number in each layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import TYPE_CHECKING, Literal

import numpy as np

from goldproof.errors import UsageError
from goldproof.extras import require
from goldproof.jobs.names import named
from goldproof.measures.designs import DesignMatrices
from goldproof.measures.elastic_net import NetSolver, Penalty, solve_elastic_net
from goldproof.measures.layers import Layers
from goldproof.measures.logistic import likeliest, solve_in_parts
from goldproof.measures.probe_task import ProbeTask
from goldproof.measures.probes import L2, PROBING, Block, read_block
from goldproof.statistics.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from torch import Tensor

GRID = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
_SET_NUMBERS = {"cpu": 1 << 28, "cuda": 1 << 32}  # how many features of items may be refitted at once


@named("measures.NeuronSettings")
@dataclass(frozen=True, slots=True)
class NeuronSettings:
    """The grid of (λ₁, λ₂), how many neurons are the top, and by what: `count` of neurons or weight `mass`.

    `solver` says when all probes of the grid stop; the one that is chosen goes on alone for up to `alone` iterations.
    """

    l1: tuple[float, ...] = GRID
    l2: tuple[float, ...] = GRID
    share: float = 0.2
    by: Literal["count", "mass"] = "count"
    solver: NetSolver = field(default_factory=NetSolver)
    alone: int = 5000

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise UsageError(f"the share of top neurons must be above 0 and at most 1; got {self.share}")
        if self.by not in ("count", "mass"):
            raise UsageError(f"top neurons are chosen by count or mass; got {self.by!r}")
        if not self.l1 or not self.l2 or min(*self.l1, *self.l2) < 0:
            raise UsageError(f"L1 and L2 values must be at least 0; got {list(self.l1)} and {list(self.l2)}")


@dataclass(frozen=True, slots=True, eq=False)
class Neurons:
    """The weights of the best probe (layers, features, classes), and the order of its neurons.

    A neuron's number is layer · features + feature. `ordering` holds all neurons, the most salient first; `top` the
    chosen ones, never one without weight; `histogram` how many of them each layer has. `residual` is the probe's KKT
    residual relative to λ₁ (see `NetSolver`): above the solver's tolerance, the probe has not converged, and which
    neurons have weight is not settled.
    """

    weights: FloatArray
    penalty: Penalty
    validation_accuracy: float
    test_accuracy: float
    ordering: IntArray
    top: IntArray
    histogram: IntArray
    residual: float

    @property
    def n_weights(self) -> int:
        """How many neurons have a weight that is not zero, for any class."""
        return int((self.weights != 0).any(axis=2).sum())


def rank_neurons(
    layers: Layers, task: ProbeTask, settings: NeuronSettings | None = None, *, device: str = "cpu"
) -> Neurons:
    """Fit the elastic-net path on all layers side by side, choose by validation, and order the neurons.

    >>> from goldproof.measures.layers import array_layers
    >>> from goldproof.measures.probe_task import probe_task
    >>> rng = np.random.default_rng(0); codes = rng.integers(0, 2, 600)
    >>> x = rng.normal(size=(600, 2, 10)); x[:, 1, 3] += 4 * codes  # neuron 13 knows the label
    >>> task = probe_task([str(c) for c in codes], ["train"] * 400 + ["validation"] * 100 + ["test"] * 100)
    >>> int(rank_neurons(array_layers(x), task).ordering[0])
    13
    """
    require(PROBING)
    import torch

    from goldproof.measures.designs import DenseDesign

    settings = settings or NeuronSettings()
    block = read_block(layers, task, range(layers.n_layers), device)
    side_by_side = {name: _concatenate(getattr(block, name)) for name in ("train", "validation", "test")}
    codes = torch.from_numpy(task.codes[task.train[block.order]]).to(block.train.device)
    penalties = [Penalty(a, b) for a, b in product(settings.l1, settings.l2)]
    found = _Grid(DenseDesign(side_by_side["train"]), codes, task, penalties, settings)
    accuracy = _accuracy(side_by_side["validation"], found.theta, task, "validation")[0]
    # A probe that has not converged may do better on validation than its optimum: the best goes on until it has.
    while found.is_open(best := int(accuracy.argmax())):
        found.go_on(best)
        accuracy[best] = _accuracy(side_by_side["validation"], found.one(best), task, "validation")[0, 0]
    weights = found.theta[0, :-1, best].double().cpu().numpy()
    ordering, entry = order_neurons(weights)
    top = _top(weights, ordering, entry, settings)
    return Neurons(
        weights.reshape(layers.n_layers, layers.n_features, -1),
        penalties[best],
        float(accuracy[best]),
        float(_accuracy(side_by_side["test"], found.one(best), task, "test")[0, 0]),
        ordering,
        top,
        np.bincount(top // layers.n_features, minlength=layers.n_layers),
        float(found.residual[best]),
    )


class _Grid:
    """The probes of all penalties, some of which go on alone."""

    def __init__(
        self,
        design: DesignMatrices,
        codes: Tensor,
        task: ProbeTask,
        penalties: Sequence[Penalty],
        settings: NeuronSettings,
    ) -> None:
        self.design, self.codes, self.n_classes = design, codes, task.n_classes
        self.penalties, self.settings = penalties, settings
        solution = solve_elastic_net(design, codes, task.n_classes, penalties, settings.solver)
        self.theta, self.residual = solution.theta, solution.residual[0].double().cpu().numpy()
        self.ended: set[int] = set()

    def one(self, place: int) -> Tensor:
        """The parameters of one probe."""
        return self.theta[:, :, [place]]

    def is_open(self, place: int) -> bool:
        """Whether a probe has not converged, and has not yet gone on alone."""
        return self.residual[place] > self.settings.solver.tolerance and place not in self.ended

    def go_on(self, place: int) -> None:
        """Let one probe go on alone."""
        solver = replace(self.settings.solver, max_iterations=self.settings.alone)
        found = solve_elastic_net(
            self.design, self.codes, self.n_classes, [self.penalties[place]], solver, self.one(place)
        )
        self.theta[:, :, place], self.residual[place] = found.theta[:, :, 0], float(found.residual[0, 0])
        self.ended.add(place)


def order_neurons(weights: FloatArray) -> tuple[IntArray, FloatArray]:
    """Neurons by the share of weight mass at which they enter, and that share for each neuron.

    `weights` is neurons × classes. Neurons that enter at the same share go by their own share of the mass.

    >>> order_neurons(np.array([[0.1], [-0.6], [0.3]]))[0].tolist()
    [1, 2, 0]
    """
    sizes = np.abs(np.asarray(weights, float))
    total = sizes.sum(axis=0)
    shares = sizes / np.where(total > 0, total, 1.0)
    falling = np.argsort(-shares, axis=0, kind="stable")
    before = np.cumsum(np.take_along_axis(shares, falling, axis=0), axis=0)
    before -= np.take_along_axis(shares, falling, axis=0)
    entries = np.empty_like(shares)
    np.put_along_axis(entries, falling, before, axis=0)
    entry = np.where(shares > 0, entries, 1.0).min(axis=1)
    return np.lexsort((-shares.max(axis=1), entry.round(12))), entry


def neuron_overlap(tops: Sequence[IntArray], n_neurons: int) -> tuple[float, float]:
    """The mean Jaccard overlap of all pairs of top sets, and what random sets of these sizes would have.

    >>> neuron_overlap([np.array([0, 1]), np.array([1, 2])], 4)[0].__round__(3)
    0.333
    """
    if len(tops) < 2:
        raise UsageError(f"overlap needs at least two sets of neurons; got {len(tops)}")
    found, chance = [], []
    for a, b in combinations(tops, 2):
        shared = len(np.intersect1d(a, b))
        found.append(shared / max(len(a) + len(b) - shared, 1))
        expected = len(a) * len(b) / n_neurons
        chance.append(expected / max(len(a) + len(b) - expected, 1))
    return float(np.mean(found)), float(np.mean(chance))


@named("measures.Ablation")
@dataclass(frozen=True, slots=True)
class Ablation:
    """Accuracy on test of a probe on the top neurons (`keep`) or without them (`remove`), and of random sets.

    `p_value` is one-sided: the share of random sets that do at least as well when kept, or at least as badly when
    removed, the observed set counted in (Phipson & Smyth 2010).
    """

    mode: Literal["keep", "remove"]
    accuracy: float
    random: tuple[float, ...]
    p_value: float


def ablate(
    layers: Layers,
    task: ProbeTask,
    top: IntArray,
    mode: Literal["keep", "remove"] = "keep",
    *,
    rng: np.random.Generator,
    n_random: int = 20,
    device: str = "cpu",
) -> Ablation:
    """Fit probes anew to the top set and to random sets with as many neurons of each layer, all sets at once."""
    require(PROBING)
    if mode not in ("keep", "remove"):
        raise UsageError(f"top neurons are ablated by keep or remove; got {mode!r}")
    if len(top) == 0:
        raise UsageError("there are no top neurons to ablate; the probe has no weight that is not zero")
    counts = np.bincount(top // layers.n_features, minlength=layers.n_layers)
    sets = [np.sort(top), *(_random_like(counts, layers.n_features, rng) for _ in range(n_random))]
    if mode == "remove":
        everything = np.arange(layers.n_layers * layers.n_features)
        sets = [np.setdiff1d(everything, chosen) for chosen in sets]
    scores = _refit(read_block(layers, task, range(layers.n_layers), device), task, sets)
    sign = 1 if mode == "keep" else -1
    at_least = int((sign * scores[1:] >= sign * scores[0]).sum())
    return Ablation(mode, float(scores[0]), tuple(scores[1:].tolist()), (1 + at_least) / (1 + n_random))


def _refit(block: Block, task: ProbeTask, sets: Sequence[IntArray]) -> FloatArray:
    """Accuracy on test of a probe on each set of neurons, L2 chosen on validation; sets go in parts to spare memory."""
    import torch

    from goldproof.measures.designs import DenseDesign

    device = block.train.device
    codes = torch.from_numpy(task.codes[task.train[block.order]]).to(device)
    side_by_side = {name: _concatenate(getattr(block, name))[0] for name in ("train", "validation", "test")}
    numbers = sum(len(part) for part in side_by_side.values()) * len(sets[0])
    at_once = max(1, _SET_NUMBERS[device.type] // numbers)
    found = []
    for start in range(0, len(sets), at_once):
        columns = torch.from_numpy(np.stack(sets[start : start + at_once])).to(device)
        parts = {name: torch.stack([x[:, chosen] for chosen in columns]) for name, x in side_by_side.items()}
        theta = solve_in_parts(DenseDesign(parts["train"]), codes, task.n_classes, L2)
        best = _accuracy(parts["validation"], theta, task, "validation").argmax(axis=1)
        found.append(np.take_along_axis(_accuracy(parts["test"], theta, task, "test"), best[:, None], axis=1)[:, 0])
    return np.concatenate(found)


def _random_like(counts: IntArray, n_features: int, rng: np.random.Generator) -> IntArray:
    """As many random neurons of each layer."""
    drawn = [layer * n_features + rng.choice(n_features, count, replace=False) for layer, count in enumerate(counts)]
    return np.sort(np.concatenate(drawn)).astype(np.int64)


def _top(weights: FloatArray, ordering: IntArray, entry: FloatArray, settings: NeuronSettings) -> IntArray:
    """The first neurons of the ordering, by count or by mass; never one without weight."""
    alive = np.abs(weights).max(axis=1)[ordering] > 0
    if settings.by == "mass":
        return np.asarray(ordering[alive & (entry[ordering] < settings.share)])
    n_top = max(1, round(settings.share * len(ordering)))
    return np.asarray(ordering[:n_top][alive[:n_top]])


def _concatenate(x: Tensor) -> Tensor:
    """(layers, items, features) to (1, items, layers · features)."""
    return x.transpose(0, 1).reshape(1, x.shape[1], -1)


def _accuracy(x: Tensor, theta: Tensor, task: ProbeTask, split: str) -> FloatArray:
    """Accuracy for each layer, or set, of features and each penalty."""
    from goldproof.measures.designs import DenseDesign

    found = likeliest(DenseDesign(x).forward(theta))
    gold = task.codes[task.rows(split)]
    return np.asarray((found.cpu().numpy() == gold[None, :, None]).mean(axis=1))
