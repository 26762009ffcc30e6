"""A perceptron with one hidden layer for every layer, L2 value and seed at once: stacked parameters, one Adam.

All of them see the same minibatches, so that a product with the features serves every L2 value and seed. A seed
draws the initial weights and the dropout masks; layers and L2 values share these, which makes their differences less
noisy, and a probe alone is the same as one among many. It does not choose L2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldproof.errors import UsageError
from goldproof.jobs.names import named
from goldproof.measures.inputs import Inputs

if TYPE_CHECKING:
    from torch import Tensor

_CHUNK = 4096


@named("measures.MlpSettings")
@dataclass(frozen=True, slots=True)
class MlpSettings:
    """The perceptron and its training: sigmoid units, dropout on them, Adam; `patience` in epochs without a better
    accuracy on validation.
    """

    hidden: int = 250
    dropout: float = 0.2
    learning_rate: float = 1e-3
    batch: int = 256
    max_epochs: int = 50
    patience: int = 5

    def __post_init__(self) -> None:
        if not 0 <= self.dropout < 1:
            raise UsageError(f"dropout must be at least 0 and below 1; got {self.dropout}")
        for name in ("hidden", "batch", "max_epochs", "patience"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1; got {getattr(self, name)}")


@dataclass(frozen=True, slots=True, eq=False)
class Perceptrons:
    """Parameters of all probes, problems being (L2 value, seed) pairs.

    Shapes: `w1` (layers, features, problems · hidden), `b1` (layers, problems · hidden), `w2` (layers, problems,
    hidden, classes), `b2` (layers, problems, classes). `epochs` is the best epoch of each, from 1.
    """

    w1: Tensor
    b1: Tensor
    w2: Tensor
    b2: Tensor
    n_seeds: int
    epochs: Tensor

    def logits(self, x: Inputs) -> Tensor:
        """Logits of shape (layers, items, L2 values, seeds, classes)."""
        found = _forward((self.w1, self.b1, self.w2, self.b2), x)
        return found.reshape(*found.shape[:2], -1, self.n_seeds, found.shape[3])


def fit_mlp(
    train: tuple[Inputs, Tensor],
    validation: tuple[Inputs, Tensor],
    n_classes: int,
    l2: Sequence[float],
    seeds: Sequence[int],
    settings: MlpSettings,
) -> Perceptrons:
    """Fit all probes; `train` and `validation` are features and class numbers (items,)."""
    import torch

    x, codes = train
    state = _Training(x, n_classes, l2, seeds, settings)
    order = torch.Generator().manual_seed(0)
    best, score = [p.clone() for p in state.parameters], state.penalty.new_full((x.shape[0], state.n_problems), -1.0)
    epochs = score.new_zeros(score.shape)
    for epoch in range(1, settings.max_epochs + 1):
        for rows in torch.split(torch.randperm(len(codes), generator=order), settings.batch):
            rows = rows.to(x.device)
            state.step(x.take(rows), codes[rows])
        found = _accuracy(state.parameters, *validation)
        better = (found > score) & (epoch - epochs <= settings.patience)
        score, epochs = found.where(better, score), epochs.masked_fill(better, epoch)
        best = [_where(better, new, old, i) for i, (new, old) in enumerate(zip(state.parameters, best, strict=True))]
        if not (epoch - epochs < settings.patience).any():
            break
    return Perceptrons(best[0], best[1], best[2], best[3], len(seeds), epochs)


class _Training:
    """Parameters, Adam's moments and the generators of dropout."""

    def __init__(
        self, x: Inputs, n_classes: int, l2: Sequence[float], seeds: Sequence[int], settings: MlpSettings
    ) -> None:
        import torch

        self.settings, self.n_seeds, self.n_problems = settings, len(seeds), len(l2) * len(seeds)
        draws = [_draw(seed, x.shape[2], settings.hidden, n_classes) for seed in seeds]
        self.parameters = [_spread(parts, x.shape[0], len(l2), x.device) for parts in zip(*draws, strict=True)]
        self.parameters[0] = self.parameters[0].permute(0, 2, 1, 3).flatten(2).contiguous()
        self.parameters[1] = self.parameters[1].flatten(1)
        self.penalty = torch.tensor(list(l2), device=x.device).repeat_interleave(len(seeds))
        self.moments = [(torch.zeros_like(p), torch.zeros_like(p)) for p in self.parameters]
        self.n_steps = 0
        self.generators = [torch.Generator(x.device).manual_seed(1_000_003 * seed + 1) for seed in seeds]

    def step(self, x: Inputs, codes: Tensor) -> None:
        """One step of Adam with L2 in the gradient, each problem with its own."""
        self.n_steps += 1
        for i, (p, g, (m, v)) in enumerate(zip(self.parameters, self._gradients(x, codes), self.moments, strict=True)):
            g = g + p * self._penalty_like(p, i) if i in (0, 2) else g
            m.lerp_(g, 0.1)
            v.mul_(0.999).addcmul_(g, g, value=0.001)
            rate = self.settings.learning_rate / (1 - 0.9**self.n_steps)
            p.addcdiv_(m, (v / (1 - 0.999**self.n_steps)).sqrt_().add_(1e-8), value=-rate)

    def _gradients(self, x: Inputs, codes: Tensor) -> list[Tensor]:
        """The gradient of the mean loss by each parameter; that of the first weights is the features' own affair."""
        import torch

        w1, *others = self.parameters
        leaves = [part.detach().requires_grad_() for part in (x.times(w1), *others)]
        logits = _above(leaves[0], leaves[1:], self._mask(x.shape[1]))
        targets = codes[None, :, None].expand(logits.shape[:3])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 2), targets.flatten(), reduction="sum")
        product, *found = torch.autograd.grad(loss / x.shape[1], leaves)
        return [x.back(product), *found]

    def _mask(self, n: int) -> Tensor | None:
        """Dropout masks of shape (items, L2 values = 1, seeds, hidden), scaled."""
        import torch

        if self.settings.dropout == 0:
            return None
        size = (n, self.settings.hidden)
        draws = [torch.rand(size, generator=g, device=g.device) for g in self.generators]
        kept = 1 - self.settings.dropout
        return (torch.stack(draws, dim=1) < kept).float().div_(kept)[:, None]

    def _penalty_like(self, parameter: Tensor, i: int) -> Tensor:
        if i == 0:
            return self.penalty.repeat_interleave(self.settings.hidden)
        return self.penalty[None, :, None, None].expand(parameter.shape[0], -1, 1, 1)


def _draw(seed: int, n_features: int, hidden: int, n_classes: int) -> tuple[Tensor, ...]:
    """Uniform weights within ±1/√inputs, as torch's linear layers have, for one seed."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    shapes = (((n_features, hidden), n_features), ((hidden,), n_features))
    shapes += (((hidden, n_classes), hidden), ((n_classes,), hidden))  # type: ignore[assignment]
    return tuple((torch.rand(shape, generator=generator) * 2 - 1) / inputs**0.5 for shape, inputs in shapes)


def _spread(parts: Sequence[Tensor], n_layers: int, n_l2: int, device: object) -> Tensor:
    """One tensor for each seed becomes (layers, L2 values · seeds, …)."""
    import torch

    stacked = torch.stack(list(parts)).to(device)  # type: ignore[call-overload]
    repeated: Tensor = stacked.repeat(n_layers * n_l2, *[1] * (stacked.ndim - 1))
    return repeated.reshape(n_layers, -1, *stacked.shape[1:])


def _forward(parameters: Sequence[Tensor], x: Inputs) -> Tensor:
    """Logits of shape (layers, items, problems, classes)."""
    w1, *others = parameters
    return _above(x.times(w1), others, None)


def _above(product: Tensor, parameters: Sequence[Tensor], mask: Tensor | None) -> Tensor:
    """Logits from the product of features and first weights (layers, items, problems · hidden)."""
    b1, w2, b2 = parameters
    hidden = (product + b1[:, None]).sigmoid().reshape(*product.shape[:2], w2.shape[1], w2.shape[2])
    if mask is not None:
        hidden = (hidden.reshape(*hidden.shape[:2], -1, *mask.shape[2:]) * mask).reshape(hidden.shape)
    logits: Tensor = (hidden.transpose(1, 2) @ w2).transpose(1, 2) + b2[:, None]
    return logits


def _accuracy(parameters: Sequence[Tensor], x: Inputs, codes: Tensor) -> Tensor:
    """Accuracy of shape (layers, problems)."""
    total = parameters[2].new_zeros((x.shape[0], parameters[2].shape[1]))
    for start in range(0, len(codes), _CHUNK):
        part = slice(start, start + _CHUNK)
        total += (_forward(parameters, x.take(part)).argmax(-1) == codes[None, part, None]).sum(1)
    return total / len(codes)


def _where(better: Tensor, new: Tensor, old: Tensor, i: int) -> Tensor:
    """The new parameters of the problems that got better, the old ones of the others."""
    if i < 2:
        mask = better.repeat_interleave(new.shape[-1] // better.shape[1], dim=1)
        return new.where(mask[:, None] if i == 0 else mask, old)
    return new.where(better.reshape(*better.shape, *[1] * (new.ndim - 2)), old)
