"""A stack of seeds: trainings that differ only in their seeds, in one tensor for each parameter. Imports torch.

The first dimension of every stacked tensor is the seeds'; a seed's place in it is its place in `SeedStack.seeds`.

A step gathers each seed's batch by its own order, runs the module over all seeds with `torch.func.vmap` (plainly
where there is one seed), and updates every seed. All that changes from step to step is read from tensors, so a step
can be captured. A batch goes through in parts of `micro_batch` items, the longest first, each padded for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F  # noqa: N812
from torch.func import vmap

from goldproof.models.protocols import Network
from goldproof.training.inference import PlacedModule, inputs_of, place_module, tensors_of
from goldproof.training.packing import IGNORED, PreparedItems
from goldproof.training.randomness import hash32, order_table
from goldproof.training.recipe import Execution, Recipe, Seeds
from goldproof.training.stacked_linear import StackedLinear
from goldproof.training.stacked_optimizer import OptimizerState, StepAndRate, Tensors, clip_divisors, seed_norms
from goldproof.training.stateless_dropout import StatelessDropout, item_keys, step_key

LAUNCHED = 5_000
"""Padded tokens that take as long as launching the kernels of one more part; measured on an H200."""

_LOOKED_AT = 64  # steps, to choose the size of parts by


@dataclass(eq=False)
class SharedSetup:
    """What all seeds share, on the device: module, items, learning rates."""

    network: Network
    prepared: PreparedItems
    recipe: Recipe
    how: Execution
    n_steps: int
    placed: PlacedModule
    items: Tensors
    rates: torch.Tensor

    @property
    def device(self) -> torch.device:
        """Where everything is."""
        return self.placed.device


def make_shared_setup(
    network: Network, prepared: PreparedItems, recipe: Recipe, how: Execution, n_steps: int, device: torch.device
) -> SharedSetup:
    """Move what seeds share to the device."""
    rates = torch.tensor([recipe.rate(step, n_steps) for step in range(n_steps)], dtype=torch.float32)
    if prepared.used_rows is not None:
        network.move_padding(prepared.used_rows.pad)
    return SharedSetup(
        network,
        prepared,
        recipe,
        how,
        n_steps,
        place_module(network.module, device, recipe.precision),
        tensors_of(prepared.train, device),
        rates.to(device),
    )


def initial_parameters(shared: SharedSetup, seeds: Sequence[Seeds]) -> Tensors:
    """The parameters that every seed starts from, stacked; only those that a seed draws differ."""
    given = {name: tensor.detach() for name, tensor in shared.network.module.named_parameters()}
    used_rows, embedding = shared.prepared.used_rows, shared.network.embedding
    drawn = [shared.network.drawn(seed.init) for seed in seeds]
    stacked: Tensors = {}
    for name, tensor in given.items():
        of_seeds = [own.get(name, tensor) for own in drawn]
        rows = slice(None) if name != embedding or used_rows is None else torch.from_numpy(used_rows.learned)
        # What all seeds have in common goes to the device once.
        moved = {id(own): own[rows].to(shared.device, torch.float32) for own in of_seeds}
        stacked[name] = torch.stack([moved[id(own)] for own in of_seeds])
    return stacked


def fixed_rows(shared: SharedSetup, seeds: Sequence[Seeds]) -> torch.Tensor | None:
    """The embedding rows that only evaluation uses: shape (seeds, rows, features), or (1, …) if all have the same."""
    used_rows, name = shared.prepared.used_rows, shared.network.embedding
    if used_rows is None or name is None or not len(used_rows.fixed):
        return None
    tables = [shared.network.drawn(seed.init).get(name) for seed in seeds]
    given = dict(shared.network.module.named_parameters())[name].detach()
    of_seeds = [given if table is None else table for table in tables] if tables[0] is not None else [given]
    rows = torch.from_numpy(used_rows.fixed)
    return torch.stack([table[rows] for table in of_seeds]).to(shared.device)


class SeedStack:
    """Trainings of several seeds in step with each other: parameters, moments, orders and losses, on the device."""

    def __init__(self, shared: SharedSetup, seeds: Sequence[Seeds], state: OptimizerState, n_done: int) -> None:
        recipe, device = shared.recipe, shared.device
        self.shared = shared
        self.seeds = tuple(seeds)
        self.state = state
        self.fixed_rows = fixed_rows(shared, seeds)
        for tensor in state.parameters.values():
            tensor.requires_grad_()
        self.n_done = n_done
        self.captured = False
        shape, items = (shared.n_steps, len(seeds)), shared.prepared.train.items
        orders = [order_table(seed.order, items, recipe.batch, shared.n_steps) for seed in seeds]
        lengths = shared.prepared.train.lengths
        self._lengths = np.append(lengths, 0)  # -1, a place left empty, has length 0 and comes last in a batch
        self._filler = int(np.argmin(lengths))  # what stands there: it fits into a part of any length
        self.order = self._longest_first(np.stack(orders, axis=1))  # steps, seeds, items
        self._order = torch.from_numpy(self.order).to(device)
        self._seed_hashes = torch.tensor(
            [hash32("dropout", seed.dropout) for seed in seeds], dtype=torch.int32, device=device
        )
        self._step = torch.tensor([n_done], dtype=torch.int64, device=device)
        self._alive = torch.ones(len(seeds), dtype=torch.bool, device=device)
        self._frozen = torch.zeros((), dtype=torch.bool, device=device)
        self.losses = torch.full(shape, torch.nan, device=device)
        self.norms = torch.full(shape, torch.nan, device=device)
        self._compiled: Any = torch.compile(vmap(self._loss), dynamic=False) if shared.how.compile else None
        self._part = torch.zeros(1, dtype=torch.int64, device=device)
        self._loss_sums = torch.zeros(len(seeds), device=device)
        self._gradient_sums: list[torch.Tensor] = []
        self.micro_batch = self._first_micro_batch()

    @property
    def n(self) -> int:
        """How many seeds there are."""
        return len(self.seeds)

    def _longest_first(self, order: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Every batch sorted by length: its mean loss is the same, and its parts need less padding."""
        return np.take_along_axis(order, np.argsort(-self._lengths[order], axis=2, kind="stable"), axis=2)

    def _first_micro_batch(self) -> int:
        """How many items a part of a batch holds at first.

        On a GPU a batch goes through whole, unless its parts need so much less padding that it pays to launch every
        kernel once more for each.
        """
        how, batch, device = self.shared.how, self.order.shape[2], self.shared.device.type
        most = how.first_micro_batch(batch, device, self.shared.network.items_at_once)
        if device == "cpu" or how.micro_batch is not None or how.compile:
            return most
        some = self._lengths[self.order[:: max(1, len(self.order) // _LOOKED_AT)]]
        return best_part(some, most, lambda longest: how.padded(longest, device))

    def _width(self, items: npt.NDArray[np.int64]) -> int:
        """The padded length of some items, or of what fills empty places."""
        longest = max(1, int(self._lengths[items].max()), int(self._lengths[self._filler]))
        most = int(self.shared.prepared.train.ids.shape[1])
        return min(most, self.shared.how.padded(longest, self.shared.device.type))

    def widths(self) -> tuple[int, ...]:
        """The padded lengths of the parts of this step's batch."""
        items = self.order[self.n_done]
        starts = range(0, items.shape[1], self.micro_batch)
        return tuple(self._width(items[:, start : start + self.micro_batch]) for start in starts)

    def step(self) -> None:
        """One training step of every seed; the host waits for nothing."""
        index = self._order.index_select(0, self._step)[0]
        totals = self._weights(index).sum(1).clamp(min=1.0)
        losses, gradients = None, None
        for start, width in zip(range(0, index.shape[1], self.micro_batch), self.widths(), strict=True):
            part, found = self._gradients(index[:, start : start + self.micro_batch], totals, width)
            losses = part if losses is None else losses + part
            gradients = found if gradients is None else [a.add_(b) for a, b in zip(gradients, found, strict=True)]
        assert losses is not None and gradients is not None
        self._update(losses, gradients)

    def begin_parts(self) -> None:
        """Nothing has been added up yet of this step."""
        if not self._gradient_sums:
            self._gradient_sums = [torch.zeros_like(each) for each in self.state.parameters.values()]
        self._part.zero_()
        self._loss_sums.zero_()
        torch._foreach_zero_(self._gradient_sums)

    def add_part(self, width: int) -> None:
        """Add up the next part of this step's batch, padded to a width."""
        index = self._order.index_select(0, self._step)[0]
        totals = self._weights(index).sum(1).clamp(min=1.0)
        size = self.micro_batch
        index = F.pad(index, (0, -index.shape[1] % size), value=-1)
        places = self._part * size + torch.arange(size, device=index.device)
        losses, gradients = self._gradients(index.index_select(1, places), totals, width)
        self._loss_sums.add_(losses)
        torch._foreach_add_(self._gradient_sums, gradients)
        self._part.add_(1)

    def end_parts(self) -> None:
        """Update every seed by what was added up, and begin anew."""
        self._update(self._loss_sums, self._gradient_sums)
        self.begin_parts()

    def rehearse(self, ending: Callable[[], None]) -> None:
        """An end of a step that changes nothing: what comes before a capture."""
        self._frozen.fill_(True)
        try:
            ending()
            self._step.sub_(1)
        finally:
            self._frozen.fill_(False)

    def _gradients(
        self, index: torch.Tensor, totals: torch.Tensor, width: int
    ) -> tuple[torch.Tensor, list[torch.Tensor]]:
        limit = self.shared.how.most_tokens
        if limit is not None and index.numel() * width > limit:
            raise torch.OutOfMemoryError(f"{index.numel() * width} tokens in a pass, {limit} allowed")
        batch = self._batch(index, width)
        parameters = self.state.parameters
        with self.shared.placed.autocast():
            losses = self._losses(parameters, batch, {"seed": self._seed_hashes, "total": totals})
        found = torch.autograd.grad(losses.sum(), list(parameters.values()), allow_unused=True)
        pairs = zip(found, parameters.values(), strict=True)
        return losses.detach(), [torch.zeros_like(p) if g is None else g.contiguous() for g, p in pairs]

    def _losses(self, *parts: Tensors) -> torch.Tensor:
        """The loss of every seed; without vmap where there is one seed."""
        if self._compiled is not None:
            return self._compiled(*parts)  # type: ignore[no-any-return]
        if self.n > 1:
            return vmap(self._loss)(*parts)
        # Squeezed, not indexed with [0]: the gradient of an index is written into zeros first.
        return self._loss(*({name: t.squeeze(0) for name, t in part.items()} for part in parts))[None]

    def _loss(self, parameters: Tensors, batch: Tensors, own: Tensors) -> torch.Tensor:
        """One seed's part of the mean loss of its batch."""
        key = step_key(own["seed"], self._step[0])
        with StatelessDropout(key, item_keys(key, batch["hashes"]), self.shared.recipe.dropout), self._linear():
            logits = self.shared.placed.forward(parameters, batch)
        losses = item_losses(self.shared.recipe, logits.float(), batch["labels"], batch["mask"])
        return (losses * batch["present"]).sum() / own["total"]

    def _linear(self) -> AbstractContextManager[Any]:
        """Linear layers for several seeds; compilers do better with torch's own."""
        wanted = self.n > 1 and not self.shared.how.compile
        return StackedLinear(half=self.shared.recipe.precision == "bfloat16") if wanted else nullcontext()

    def _weights(self, index: torch.Tensor) -> torch.Tensor:
        return self.shared.items["weights"][index.clamp(min=0)] * (index >= 0)

    def _batch(self, index: torch.Tensor, width: int) -> Tensors:
        """The items of every seed; places left empty repeat the shortest item and count for nothing."""
        items, safe = self.shared.items, torch.where(index >= 0, index, self._filler)
        batch = inputs_of(items, safe, width)
        labels = items["labels"][:, :width] if self.shared.recipe.task == "tokens" else items["labels"]
        return {**batch, "labels": labels[safe], "hashes": items["hashes"][safe], "present": (index >= 0).float()}

    @torch.no_grad()
    def _update(self, losses: torch.Tensor, gradients: list[torch.Tensor]) -> None:
        norms = seed_norms(gradients)
        self._alive.logical_and_(torch.isfinite(losses) & torch.isfinite(norms))
        skip = (~self._alive | self._frozen).float()
        at = StepAndRate((self._step[0] + 1).float(), self.shared.rates[self._step][0])
        divisors = clip_divisors(norms, self.shared.recipe.clip)
        named = dict(zip(self.state.parameters, gradients, strict=True))
        self.losses.index_copy_(0, self._step, losses[None])
        self.norms.index_copy_(0, self._step, norms[None])
        self.state.step(named, self.shared.recipe, at, divisors, skip)
        self._step.add_(1)

    def alive(self) -> list[bool]:
        """Which seeds have met nothing but finite numbers; waits for the device."""
        return list(self._alive.tolist())

    def select(self, places: Sequence[int], device: torch.device | None = None) -> OptimizerState:
        """Copies of some seeds' parameters and moments."""
        with torch.no_grad():
            return self.state.select(places, device or self.shared.device)

    def with_fixed_rows(self, decay: float) -> Tensors:
        """The parameters with the embedding rows that no training item uses."""
        return self._joined(self.state.parameters, self.fixed_rows, decay)

    def averaged(self, place: int, decays: Sequence[float]) -> Tensors:
        """The mean parameters of one seed over the points that were summed, stacked alone.

        `decays` has a number for each of these points: what decay had made of the rows that no training item uses.
        """
        means = {name: total[place : place + 1] / len(decays) for name, total in self.state.sums.items()}
        rows = self.fixed_rows
        own = rows if rows is None or len(rows) == 1 else rows[place : place + 1]
        return self._joined(means, own, sum(decays) / len(decays))

    def _joined(self, parameters: Tensors, rows: torch.Tensor | None, decay: float) -> Tensors:
        name = self.shared.network.embedding
        if name is None or rows is None:
            return parameters
        learned = parameters[name]
        table = torch.cat([learned, (rows * decay).expand(len(learned), *rows.shape[1:])], dim=1)
        return {**parameters, name: table}


def best_part(lengths: npt.NDArray[np.int64], most: int, padded: Callable[[int], int]) -> int:
    """The size of parts at which batches take least: padded tokens, and the launching of each part's kernels.

    `lengths` are those of some steps' items (steps, seeds, items), the longest first; `most` items fit into a part.
    """
    n_steps, n_seeds, batch = lengths.shape

    def cost(size: int) -> float:
        starts = range(0, batch, size)
        widths = sum(padded(int(np.max(step[:, start : start + size]))) for step in lengths for start in starts)
        return float(n_seeds * size * widths + LAUNCHED * n_steps * len(starts))

    sizes = [min(most, -(-int(batch) // n)) for n in (1, 2, 4)]
    return min(sizes, key=cost)


def item_losses(recipe: Recipe, logits: torch.Tensor, labels: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The loss of each item: cross-entropy, summed over words for token tasks; squared error for regression.

    For questions it is the mean of two, of the token at which the answer begins and of the one at which it ends, each
    among all tokens of the window.
    """
    if recipe.task == "question":
        scores = logits.masked_fill(mask[..., None] == 0, -torch.inf)
        first, last = (F.cross_entropy(scores[..., i], labels[..., i], reduction="none") for i in (0, 1))
        return (first + last) / 2
    if recipe.task == "regression":
        return (logits.squeeze(-1) - labels).square()
    if recipe.task != "tokens":
        return F.cross_entropy(logits, labels, reduction="none")
    flat = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none", ignore_index=IGNORED)
    return flat.view(labels.shape).sum(1)
