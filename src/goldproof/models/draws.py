"""Initial values from a seed and a name alone: no global generator is read or changed. Imports torch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from goldproof.draws import draw


def seed_of(*parts: object) -> int:
    """A 63-bit number that depends on every part.

    >>> seed_of("weights", 3) == seed_of("weights", 3) != seed_of("weights", 4)
    True
    """
    return draw(*parts) >> 1


def draw_normal(seed: int, name: str, like: torch.Tensor, std: float) -> torch.Tensor:
    """Normal numbers for a matrix; zeros for a bias; ones for any other vector (the scale of a normalisation)."""
    if like.ndim < 2:
        return torch.zeros_like(like) if name.endswith("bias") else torch.ones_like(like)
    generator = torch.Generator().manual_seed(seed_of("init", seed, name))
    return torch.empty(like.shape, dtype=torch.float32).normal_(0.0, std, generator=generator)


def draw_uniform(seed: int, name: str, shape: tuple[int, ...], bound: float) -> torch.Tensor:
    """Uniform numbers between -bound and bound."""
    generator = torch.Generator().manual_seed(seed_of("init", seed, name))
    return torch.empty(shape, dtype=torch.float32).uniform_(-bound, bound, generator=generator)


@contextmanager
def seeded(*parts: object) -> Iterator[None]:
    """Within the block torch's global generator starts from these parts; afterwards it is as it was before."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed_of(*parts))
        yield
