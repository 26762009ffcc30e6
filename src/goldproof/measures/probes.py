"""Probes: classifiers on the features of every layer, for every L2 value and seed at once, the best by validation.

Two kinds: `logistic` (solved to its optimum, so a seed plays no part) and `mlp` (250 sigmoid units, dropout, Adam,
early stopping). Features are standardised by the training items. Layers are read and solved in groups that fit in
memory. SentEval (Conneau & Kiela 2018) is the model; unlike it, the best epoch is kept and not the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from goldproof.errors import UsageError
from goldproof.extras import Need, require
from goldproof.jobs.names import named
from goldproof.measures.inputs import DenseInputs
from goldproof.measures.layers import Layers, finite_layer
from goldproof.measures.logistic import Solver, likeliest, solve_in_parts
from goldproof.measures.mlp import MlpSettings, Perceptrons, fit_mlp
from goldproof.measures.probe_task import ProbeTask
from goldproof.statistics.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from torch import Tensor

PROBING = Need("models", "probing a model")
L2 = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
DEVICE_BYTES = {"cpu": 1 << 30, "cuda": 24 << 30}


@named("measures.ProbeSettings")
@dataclass(frozen=True, slots=True)
class ProbeSettings:
    """What is fitted; `l2` from strong to weak, so that the stronger wins a tie on validation."""

    kind: Literal["logistic", "mlp"] = "logistic"
    l2: tuple[float, ...] = L2
    seeds: tuple[int, ...] = (0,)
    solver: Solver = field(default_factory=Solver)
    mlp: MlpSettings = field(default_factory=MlpSettings)

    def __post_init__(self) -> None:
        if not self.l2 or min(self.l2) <= 0:
            raise UsageError(f"L2 values must be above 0; got {list(self.l2)}")
        if not self.seeds or (self.kind == "logistic" and len(self.seeds) > 1):
            raise UsageError(
                f"seeds must be one for a logistic probe, whose solution does not depend on it, and at least one for "
                f"an mlp; got {len(self.seeds)} for kind {self.kind!r}"
            )


@dataclass(frozen=True, slots=True, eq=False)
class ProbeGrid:
    """Answers for each layer, L2 value and seed, and the true classes, by split.

    `answers` have shape (layers, L2 values, seeds, items of the split), `gold` (items of the split).
    """

    settings: ProbeSettings
    answers: Mapping[str, IntArray]
    gold: Mapping[str, IntArray]

    def accuracy(self, split: str) -> FloatArray:
        """Accuracy of shape (layers, L2 values, seeds)."""
        return np.asarray((self.answers[split] == self.gold[split]).mean(axis=-1))

    def best(self) -> IntArray:
        """Which L2 value is best on validation: shape (layers, seeds)."""
        return np.asarray(self.accuracy("validation").argmax(axis=1))

    def predicted(self, split: str, best: IntArray) -> IntArray:
        """The answers with these L2 values (layers, seeds): shape (layers, seeds, items)."""
        return np.take_along_axis(self.answers[split], best[:, None, :, None], axis=1)[:, 0]

    def chosen(self) -> Probes:
        """The probes with the best L2 values."""
        best = self.best()
        validation, test = (self.predicted(split, best) for split in ("validation", "test"))
        return Probes(
            l2=np.asarray(self.settings.l2)[best],
            validation_accuracy=(validation == self.gold["validation"]).mean(-1),
            test_accuracy=(test == self.gold["test"]).mean(-1),
            predicted=test,
            gold=self.gold["test"],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Probes:
    """The chosen probe of each layer and seed: shapes (layers, seeds), predictions (layers, seeds, test items)."""

    l2: FloatArray
    validation_accuracy: FloatArray
    test_accuracy: FloatArray
    predicted: IntArray
    gold: IntArray

    @property
    def correct(self) -> npt.NDArray[np.bool_]:
        """Whether each prediction on test is right: shape (layers, seeds, test items)."""
        return np.asarray(self.predicted == self.gold)


def fit_probes(
    layers: Layers, task: ProbeTask, settings: ProbeSettings | None = None, *, device: str = "cpu"
) -> Probes:
    """The best probe of every layer.

    >>> from goldproof.measures.layers import array_layers
    >>> from goldproof.measures.probe_task import probe_task
    >>> rng = np.random.default_rng(0); codes = rng.integers(0, 2, 300)
    >>> x = rng.normal(size=(300, 2, 8)); x[:, 1, 0] += 4 * codes  # the second layer knows the label
    >>> task = probe_task([str(c) for c in codes], ["train"] * 200 + ["validation"] * 50 + ["test"] * 50)
    >>> fit_probes(array_layers(x), task).test_accuracy[1, 0] > 0.9
    np.True_
    """
    return fit_grid(layers, task, settings, device=device).chosen()


def fit_grid(
    layers: Layers,
    task: ProbeTask,
    settings: ProbeSettings | None = None,
    splits: Sequence[str] = ("validation", "test"),
    *,
    device: str = "cpu",
) -> ProbeGrid:
    """Answers of the probes of every layer, L2 value and seed on these splits."""
    require(PROBING)
    settings = settings or ProbeSettings()
    parts: dict[str, list[IntArray]] = {split: [] for split in splits}
    for group in layer_groups(layers, task, len(settings.l2) * len(settings.seeds), device):
        block = read_block(layers, task, group, device)
        fitted = _fit(block, task, settings)
        for split, found in parts.items():
            answers = _classes(fitted, getattr(block, split))
            found.append(answers if split != "train" else answers[..., np.argsort(block.order)])
    joined = {split: np.concatenate(found) for split, found in parts.items()}
    return ProbeGrid(settings, joined, {split: task.codes[task.rows(split)] for split in splits})


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Standardised features of a group of layers on the device: (layers, items, features) for each split.

    Training items are in a fixed random order, so that any first part of them is a fair sample; `order` gives it.
    """

    train: Tensor
    validation: Tensor
    test: Tensor
    order: IntArray
    mean: Tensor
    scale: Tensor


def read_block(layers: Layers, task: ProbeTask, group: Sequence[int], device: str) -> Block:
    """Read a group of layers, standardise them by the training items, and put them on the device."""
    import torch

    order = np.random.default_rng(0).permutation(len(task.train))
    train = _stack(layers, group, task.train, device, order)
    mean = train.mean(1, keepdim=True)
    train -= mean
    squares = sum(part.square().sum(1, keepdim=True) for part in torch.split(train, 8192, dim=1))
    scale = torch.as_tensor(squares / len(order)).sqrt()
    scale = torch.where(scale > 1e-6, scale, torch.ones_like(scale))  # a constant feature becomes 0
    train /= scale
    validation, test = ((_stack(layers, group, rows, device) - mean) / scale for rows in (task.validation, task.test))
    return Block(train, validation, test, order, mean, scale)


def _stack(layers: Layers, group: Sequence[int], rows: IntArray, device: str, order: IntArray | None = None) -> Tensor:
    """Features of some layers; rows are read in their own order, since files are, and put into another afterwards."""
    import torch

    found = torch.empty((len(group), len(rows), layers.n_features), device=device)
    for place, index in enumerate(group):
        features = torch.from_numpy(finite_layer(layers, index, rows)).to(device)
        if order is None:
            found[place].copy_(features)
        else:
            torch.index_select(features, 0, torch.from_numpy(order).to(device), out=found[place])
    return found


def _fit(block: Block, task: ProbeTask, settings: ProbeSettings) -> Tensor | Perceptrons:
    """The parameters of logistic probes, or perceptrons."""
    import torch

    from goldproof.measures.designs import DenseDesign

    codes = torch.from_numpy(task.codes[task.train[block.order]]).to(block.train.device)
    if settings.kind == "logistic":
        return solve_in_parts(DenseDesign(block.train), codes, task.n_classes, settings.l2, settings.solver)
    held_out = torch.from_numpy(task.codes[task.validation]).to(block.train.device)
    train, validation = (DenseInputs(block.train), codes), (DenseInputs(block.validation), held_out)
    return fit_mlp(train, validation, task.n_classes, settings.l2, settings.seeds, settings.mlp)


def _classes(fitted: Tensor | Perceptrons, features: Tensor) -> IntArray:
    """Predicted classes of shape (layers, L2 values, seeds, items); items go through in parts to spare memory."""
    import torch

    from goldproof.measures.designs import DenseDesign

    found = []
    for part in torch.split(features, 16_384, dim=1):
        if isinstance(fitted, Perceptrons):
            found.append(fitted.logits(DenseInputs(part)).argmax(-1).movedim(1, 3))
        else:
            found.append(likeliest(DenseDesign(part).forward(fitted)).transpose(1, 2)[:, :, None])
    return torch.cat(found, dim=3).cpu().numpy().astype(np.int64)


def layer_groups(layers: Layers, task: ProbeTask, n_problems: int, device: str) -> Iterator[list[int]]:
    """Layers in groups whose features and logits fit in memory."""
    n_items = len(task.train) + len(task.validation) + len(task.test)
    columns = layers.n_features + 4 * n_problems * (1 if task.n_classes == 2 else task.n_classes)
    inverses = n_problems * min(layers.n_features, 2048) ** 2
    size = max(1, DEVICE_BYTES[device.partition(":")[0]] // (4 * (n_items * columns + inverses)))
    for start in range(0, layers.n_layers, size):
        yield list(range(start, min(start + size, layers.n_layers)))
