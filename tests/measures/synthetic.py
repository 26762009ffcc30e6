"""Features with a planted signal, for tests of probes."""

from __future__ import annotations

import numpy as np

from goldproof.measures.layers import Layers, array_layers
from goldproof.measures.probe_task import ProbeTask, probe_task


def splits(n: int) -> list[str]:
    """Six tenths train, two validate, two test."""
    return ["train"] * (n * 6 // 10) + ["validation"] * (n * 2 // 10) + ["test"] * (n - n * 8 // 10)


def planted(n: int, strengths: list[float], d: int = 12, k: int = 3, seed: int = 0) -> tuple[Layers, ProbeTask]:
    """One layer for each strength: the first k features carry the class that strongly, the others are noise."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, k, n)
    x = rng.normal(size=(n, len(strengths), d)).astype(np.float32)
    for layer, strength in enumerate(strengths):
        x[:, layer, :k] += strength * np.eye(k)[codes]
    return array_layers(x), probe_task([str(code) for code in codes], splits(n))
