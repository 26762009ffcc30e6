"""Lanes: several trainings that differ only in their seeds, stacked in one tensor for each parameter. Imports torch.

A step gathers each lane's batch by its own order, runs the module over all lanes with `torch.func.vmap` (plainly
where there is one lane), and updates every lane. All that changes from step to step is read from tensors, so a step
can be captured.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F  # noqa: N812
from torch.func import vmap

from goldproof.models.protocols import Network
from goldproof.training.batching import IGNORED, Prepared
from goldproof.training.inference import Runtime, inputs_of, make_runtime, tensors_of
from goldproof.training.lane_linear import LaneLinear
from goldproof.training.optimizer import Clock, Moments, Tensors, clip_divisors, lane_norms
from goldproof.training.randomness import order_table, word
from goldproof.training.recipe import Execution, Recipe, Seeds
from goldproof.training.stateless import StatelessDropout, item_keys, step_key


@dataclass(eq=False)
class Board:
    """What all lanes share, on the device: module, items, learning rates."""

    network: Network
    prepared: Prepared
    recipe: Recipe
    how: Execution
    n_steps: int
    runtime: Runtime
    items: Tensors
    rates: torch.Tensor

    @property
    def device(self) -> torch.device:
        """Where everything is."""
        return self.runtime.device


def make_board(
    network: Network, prepared: Prepared, recipe: Recipe, how: Execution, n_steps: int, device: torch.device
) -> Board:
    """Move what lanes share to the device."""
    rates = torch.tensor([recipe.rate(step, n_steps) for step in range(n_steps)], dtype=torch.float32)
    if prepared.vocabulary is not None:
        network.move_padding(prepared.vocabulary.pad)
    return Board(
        network,
        prepared,
        recipe,
        how,
        n_steps,
        make_runtime(network.module, device, recipe.precision),
        tensors_of(prepared.train, device),
        rates.to(device),
    )


def initial_parameters(board: Board, seeds: Sequence[Seeds]) -> Tensors:
    """The parameters that every lane starts from, stacked; only those that a seed draws differ."""
    given = {name: tensor.detach() for name, tensor in board.network.module.named_parameters()}
    vocabulary, embedding = board.prepared.vocabulary, board.network.embedding
    drawn = [board.network.drawn(seed.init) for seed in seeds]
    stacked: Tensors = {}
    for name, tensor in given.items():
        of_lanes = [lane.get(name, tensor) for lane in drawn]
        rows = slice(None) if name != embedding or vocabulary is None else torch.from_numpy(vocabulary.learned)
        # What all lanes have in common goes to the device once.
        moved = {id(lane): lane[rows].to(board.device, torch.float32) for lane in of_lanes}
        stacked[name] = torch.stack([moved[id(lane)] for lane in of_lanes])
    return stacked


def fixed_rows(board: Board, seeds: Sequence[Seeds]) -> torch.Tensor | None:
    """The embedding rows that only evaluation uses: shape (lanes, rows, features), one lane where all have the same."""
    vocabulary, name = board.prepared.vocabulary, board.network.embedding
    if vocabulary is None or name is None or not len(vocabulary.fixed):
        return None
    tables = [board.network.drawn(seed.init).get(name) for seed in seeds]
    given = dict(board.network.module.named_parameters())[name].detach()
    of_lanes = [given if table is None else table for table in tables] if tables[0] is not None else [given]
    rows = torch.from_numpy(vocabulary.fixed)
    return torch.stack([table[rows] for table in of_lanes]).to(board.device)


class Lanes:
    """Several trainings in step with each other: their parameters, moments, orders and losses, on the device."""

    def __init__(self, board: Board, seeds: Sequence[Seeds], moments: Moments, n_done: int) -> None:
        recipe, device = board.recipe, board.device
        self.board = board
        self.seeds = tuple(seeds)
        self.moments = moments
        self.fixed_rows = fixed_rows(board, seeds)
        for tensor in moments.parameters.values():
            tensor.requires_grad_()
        self.n_done = n_done
        self.captured = False
        shape, items = (board.n_steps, len(seeds)), board.prepared.train.items
        orders = [order_table(seed.order, items, recipe.batch, board.n_steps) for seed in seeds]
        self._lengths = np.append(board.prepared.train.lengths, 0)  # -1, a place left empty, has length 0
        self.order = self._longest_first(np.stack(orders, axis=1))  # steps, lanes, items
        self.widths = self._widths()
        self._order = torch.from_numpy(self.order).to(device)
        self._words = torch.tensor([word("dropout", seed.dropout) for seed in seeds], dtype=torch.int32, device=device)
        self._step = torch.tensor([n_done], dtype=torch.int64, device=device)
        self._alive = torch.ones(len(seeds), dtype=torch.bool, device=device)
        self._frozen = torch.zeros((), dtype=torch.bool, device=device)
        self.losses = torch.full(shape, torch.nan, device=device)
        self.norms = torch.full(shape, torch.nan, device=device)
        self._compiled: Any = torch.compile(vmap(self._loss), dynamic=False) if board.how.compile else None
        self.micro_batch = board.how.first_micro_batch(self.order.shape[2], device.type, board.network.items_at_once)

    @property
    def n(self) -> int:
        """How many lanes there are."""
        return len(self.seeds)

    def _longest_first(self, order: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Every batch sorted by length: its mean loss is the same, and its parts need less padding."""
        return np.take_along_axis(order, np.argsort(-self._lengths[order], axis=2, kind="stable"), axis=2)

    def _widths(self) -> list[int]:
        """The padded length of every step: that of the longest item that any lane sees in it."""
        return [self._width(items) for items in self.order]

    def _width(self, items: npt.NDArray[np.int64]) -> int:
        """The padded length of some items; 0 where there is none."""
        longest, most = int(self._lengths[items].max()), int(self.board.prepared.train.ids.shape[1])
        return min(most, self.board.how.padded(longest, self.board.device.type))

    def step(self, width: int) -> None:
        """One training step of every lane, on items padded to `width`; the host waits for nothing."""
        index = self._order.index_select(0, self._step)[0]
        totals = self._weights(index).sum(1).clamp(min=1.0)
        losses, gradients = None, None
        for start in range(0, index.shape[1], self.micro_batch):
            chosen = slice(start, start + self.micro_batch)
            # In a graph everything is of one size; elsewhere each part is as wide as it needs to be.
            own = width if self.captured else self._width(self.order[self.n_done][:, chosen])
            part, found = self._gradients(index[:, chosen], totals, own or width)
            losses = part if losses is None else losses + part
            gradients = found if gradients is None else [a.add_(b) for a, b in zip(gradients, found, strict=True)]
        assert losses is not None and gradients is not None
        self._update(losses, gradients)

    def rehearse(self, width: int) -> None:
        """A step that changes nothing: what comes before a capture."""
        self._frozen.fill_(True)
        self.step(width)
        self._step.sub_(1)
        self._frozen.fill_(False)

    def _gradients(
        self, index: torch.Tensor, totals: torch.Tensor, width: int
    ) -> tuple[torch.Tensor, list[torch.Tensor]]:
        limit = self.board.how.most_tokens
        if limit is not None and index.numel() * width > limit:
            raise torch.OutOfMemoryError(f"{index.numel() * width} tokens in a pass, {limit} allowed")
        batch = self._batch(index, width)
        parameters = self.moments.parameters
        with self.board.runtime.autocast():
            losses = self._losses(parameters, batch, {"seed": self._words, "total": totals})
        found = torch.autograd.grad(losses.sum(), list(parameters.values()), allow_unused=True)
        pairs = zip(found, parameters.values(), strict=True)
        return losses.detach(), [torch.zeros_like(p) if g is None else g.contiguous() for g, p in pairs]

    def _losses(self, *parts: Tensors) -> torch.Tensor:
        """The loss of every lane; without vmap where there is one lane."""
        if self._compiled is not None:
            return self._compiled(*parts)  # type: ignore[no-any-return]
        if self.n > 1:
            return vmap(self._loss)(*parts)
        # Squeezed, not indexed with [0]: the gradient of an index is written into zeros first.
        return self._loss(*({name: t.squeeze(0) for name, t in part.items()} for part in parts))[None]

    def _loss(self, parameters: Tensors, batch: Tensors, lane: Tensors) -> torch.Tensor:
        """One lane's part of the mean loss of its batch."""
        key = step_key(lane["seed"], self._step[0])
        with StatelessDropout(key, item_keys(key, batch["words"]), self.board.recipe.dropout), self._linear():
            logits = self.board.runtime.forward(parameters, batch)
        return (item_losses(self.board.recipe, logits.float(), batch["labels"]) * batch["present"]).sum() / lane[
            "total"
        ]

    def _linear(self) -> AbstractContextManager[Any]:
        """Linear layers as lanes want them; compilers and autocast do better with torch's own."""
        wanted = self.n > 1 and not self.board.how.compile and self.board.recipe.precision != "bfloat16"
        return LaneLinear() if wanted else nullcontext()

    def _weights(self, index: torch.Tensor) -> torch.Tensor:
        return self.board.items["weights"][index.clamp(min=0)] * (index >= 0)

    def _batch(self, index: torch.Tensor, width: int) -> Tensors:
        """The items of every lane; places left empty repeat the first item and count for nothing."""
        items, safe = self.board.items, index.clamp(min=0)
        batch = inputs_of(items, safe, width)
        labels = items["labels"][:, :width] if items["labels"].ndim == 2 else items["labels"]
        return {**batch, "labels": labels[safe], "words": items["words"][safe], "present": (index >= 0).float()}

    @torch.no_grad()
    def _update(self, losses: torch.Tensor, gradients: list[torch.Tensor]) -> None:
        norms = lane_norms(gradients)
        self._alive.logical_and_(torch.isfinite(losses) & torch.isfinite(norms))
        skip = (~self._alive | self._frozen).float()
        clock = Clock((self._step[0] + 1).float(), self.board.rates[self._step][0])
        divisors = clip_divisors(norms, self.board.recipe.clip)
        named = dict(zip(self.moments.parameters, gradients, strict=True))
        self.losses.index_copy_(0, self._step, losses[None])
        self.norms.index_copy_(0, self._step, norms[None])
        self.moments.step(named, self.board.recipe, clock, divisors, skip)
        self._step.add_(1)

    def alive(self) -> list[bool]:
        """Which lanes have met nothing but finite numbers; waits for the device."""
        return list(self._alive.tolist())

    def select(self, lanes: Sequence[int], device: torch.device | None = None) -> Moments:
        """Copies of some lanes' parameters and moments."""
        with torch.no_grad():
            return self.moments.select(lanes, device or self.board.device)

    def with_fixed_rows(self, decay: float) -> Tensors:
        """The parameters with the embedding rows that no training item uses."""
        return self._joined(self.moments.parameters, self.fixed_rows, decay)

    def averaged(self, lane: int, decays: Sequence[float]) -> Tensors:
        """The mean parameters of one lane over the points that were summed, stacked alone.

        `decays` has a number for each of these points: what decay had made of the rows that no training item uses.
        """
        means = {name: total[lane : lane + 1] / len(decays) for name, total in self.moments.sums.items()}
        rows = self.fixed_rows
        own = rows if rows is None or len(rows) == 1 else rows[lane : lane + 1]
        return self._joined(means, own, sum(decays) / len(decays))

    def _joined(self, parameters: Tensors, rows: torch.Tensor | None, decay: float) -> Tensors:
        name = self.board.network.embedding
        if name is None or rows is None:
            return parameters
        learned = parameters[name]
        table = torch.cat([learned, (rows * decay).expand(len(learned), *rows.shape[1:])], dim=1)
        return {**parameters, name: table}


def item_losses(recipe: Recipe, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """The loss of each item: cross-entropy, summed over words for token tasks; squared error for regression."""
    if recipe.task == "regression":
        return (logits.squeeze(-1) - labels).square()
    if recipe.task != "tokens":
        return F.cross_entropy(logits, labels, reduction="none")
    flat = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none", ignore_index=IGNORED)
    return flat.view(labels.shape).sum(1)
