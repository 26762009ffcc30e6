"""Similarity of all layers of five models at once, against a loop over pairs.

    python benchmarks/similarity.py --out results.json             (5 × 13 layers, n = 1000, 768 features)
    python benchmarks/similarity.py --device cuda --out results.json

The loop computes each ordered pair by the formula as it is printed: CKA from three products of features; debiased CKA
from two Gram matrices; maxcorr from `corrcoef` of both sides together. On the CPU it is numpy in single precision
(whose corrcoef works in double), on the GPU torch. It is timed on a sample of pairs and scaled up to all of them.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from goldproof.measures.similarity import cka, maxcorr, procrustes, representations


def pair_cka(x: Any, y: Any) -> float:
    x, y = x - x.mean(0), y - y.mean(0)
    return float(((y.T @ x) ** 2).sum() / ((x.T @ x) ** 2).sum() ** 0.5 / ((y.T @ y) ** 2).sum() ** 0.5)


def pair_debiased(x: Any, y: Any) -> float:
    k, l = x @ x.T, y @ y.T
    return float(hsic(k, l) / (hsic(k, k) * hsic(l, l)) ** 0.5)


def hsic(k: Any, l: Any) -> Any:
    """The unbiased estimator of Song et al. (2012)."""
    n = len(k)
    eye = np.eye(n, dtype=np.float32) if isinstance(k, np.ndarray) else torch.eye(n, device=k.device)
    k, l = k * (1 - eye), l * (1 - eye)
    rows_k, rows_l = k.sum(0), l.sum(0)
    total = (k * l).sum() + rows_k.sum() * rows_l.sum() / ((n - 1) * (n - 2)) - 2 / (n - 2) * (rows_k * rows_l).sum()
    return total / (n * (n - 3))


def pair_maxcorr(x: Any, y: Any) -> float:
    both = np.corrcoef(x.T, y.T) if isinstance(x, np.ndarray) else torch.corrcoef(torch.cat([x, y], dim=1).T)
    return float(abs(both[: x.shape[1], x.shape[1] :]).max(1)[0 if not isinstance(both, np.ndarray) else ...].mean())


def pair_procrustes(x: Any, y: Any) -> float:
    x, y = x - x.mean(0), y - y.mean(0)
    linear = np.linalg if isinstance(x, np.ndarray) else torch.linalg
    return float(linear.svd(x.T @ y, full_matrices=False)[1].sum() / ((x**2).sum() * (y**2).sum()) ** 0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--pairs", type=int, default=30, help="pairs on which the loop is timed")
    parser.add_argument("--procrustes", action="store_true", help="measure procrustes too")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=Path, help="where to write the numbers as JSON")
    options = parser.parse_args()
    n, d, n_places = (200, 64, 10) if options.quick else (1000, 768, 65)
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(n, 50))
    arrays = [
        (hidden @ rng.normal(size=(50, d)) / 7 + rng.normal(size=(n, d))).astype(np.float32) for _ in range(n_places)
    ]
    where = torch.cuda.get_device_name() if options.device == "cuda" else f"{torch.get_num_threads()} threads"
    results: dict[str, Any] = {"machine": f"{platform.processor()}, {where}, torch {torch.__version__}"}
    print(
        f"{results['machine']}\n{n_places} places, n = {n}, {d} features, {n_places**2} ordered pairs, {options.device}"
    )
    measures: dict[str, tuple[Callable[..., Any], Callable[..., float]]] = {
        "cka": (cka, pair_cka),
        "debiased cka": (lambda places: cka(places, debiased=True), pair_debiased),
        "maxcorr": (maxcorr, pair_maxcorr),
    }
    if options.procrustes:
        measures["procrustes"] = (procrustes, pair_procrustes)
    total = {"ours": 0.0, "loop": 0.0}
    for name, (all_at_once, one_pair) in measures.items():
        found = compare(arrays, all_at_once, one_pair, options)
        print(
            f"{name}: goldproof {found['ours_s']:.2f} s, loop {found['loop_s']:.1f} s ({options.pairs} pairs timed, "
            f"scaled up), ratio {found['ratio']:.0f} ×, largest gap {found['gap']:.1e}"
        )
        results[name] = found
        if name != "procrustes":
            total["ours"], total["loop"] = total["ours"] + found["ours_s"], total["loop"] + found["loop_s"]
    ratio = total["loop"] / total["ours"]
    results["together"] = {**total, "ratio": ratio}
    print(f"all but procrustes: goldproof {total['ours']:.2f} s, loop {total['loop']:.0f} s, ratio {ratio:.0f} ×")
    if options.out:
        options.out.write_text(json.dumps(results, indent=1))


def compare(
    arrays: list[np.ndarray],
    all_at_once: Callable[..., Any],
    one_pair: Callable[..., float],
    options: argparse.Namespace,
) -> dict[str, float]:
    def synchronize() -> None:
        if options.device == "cuda":
            torch.cuda.synchronize()

    all_at_once(representations([("a", arrays[0]), ("b", arrays[1])], device=options.device))  # warms up
    synchronize()
    started = time.perf_counter()
    whole = all_at_once(representations([(str(i), a) for i, a in enumerate(arrays)], device=options.device))
    synchronize()
    ours = time.perf_counter() - started
    sides: list[Any] = [torch.from_numpy(a).to(options.device) for a in arrays] if options.device == "cuda" else arrays
    rng = np.random.default_rng(1)
    chosen = [tuple(rng.integers(0, len(arrays), 2)) for _ in range(options.pairs)]
    one_pair(sides[0], sides[1])
    synchronize()
    started = time.perf_counter()
    found = [one_pair(sides[i], sides[j]) for i, j in chosen]
    loop = (time.perf_counter() - started) * len(arrays) ** 2 / len(chosen)
    gap = max(abs(value - whole[i, j]) for value, (i, j) in zip(found, chosen, strict=True))
    return {"ours_s": ours, "loop_s": loop, "ratio": loop / ours, "gap": float(gap), "pairs_timed": len(chosen)}


if __name__ == "__main__":
    main()
