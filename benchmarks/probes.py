"""Logistic probes of all layers and L2 values at once, against scikit-learn and a plain loop in SentEval's manner.

    python benchmarks/probes.py --out results.json               (100k × 768, 13 layers, 5 L2 values, 2 and 6 classes)
    python benchmarks/probes.py --device cuda --out results.json

Ours reads half-precision features from mapped files, standardises, solves all 65 problems and predicts; the peers get
features that are ready. scikit-learn (L-BFGS, on the CPU) and the plain loop (one linear layer, Adam, minibatches of
64, early stopping, one fit for each layer and L2 value, on the device) are timed on a sample of fits and scaled up.
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from goldproof.measures.layers import Layers
from goldproof.measures.probe_task import ProbeTask, probe_task
from goldproof.measures.probes import L2, ProbeGrid, fit_grid


class MappedLayers:
    """Half-precision features in one mapped file for each layer."""

    def __init__(self, files: list[Path], n: int, d: int) -> None:
        self.maps = [np.memmap(file, np.float16, "r", shape=(n, d)) for file in files]
        self.n_items, self.n_layers, self.n_features = n, len(files), d

    def layer(self, index: int, rows: np.ndarray | None = None) -> np.ndarray:
        found = self.maps[index] if rows is None else self.maps[index][rows]
        return np.asarray(found, np.float32)


def make_data(
    folder: Path, n: int, d: int, n_layers: int, n_classes: int, device: str
) -> tuple[MappedLayers, ProbeTask]:
    """Correlated features with a falling spectrum; 40 directions carry the class, best in the middle layers."""
    generator = torch.Generator(device).manual_seed(n_classes)
    hidden = torch.randn(n, 40, generator=generator, device=device)
    scores = hidden @ torch.randn(40, n_classes, generator=generator, device=device)
    codes = (scores + 2 * torch.randn(n, n_classes, generator=generator, device=device)).argmax(1).cpu().numpy()
    files = []
    for layer in range(n_layers):
        strength = 0.3 + 0.7 * np.sin(np.pi * (layer + 1) / (n_layers + 1))
        spectrum = torch.arange(1, d + 1, device=device) ** -0.5
        mix = torch.randn(d, d, generator=generator, device=device) * spectrum[:, None]
        carry = torch.randn(40, d, generator=generator, device=device) * strength / 8
        files.append(folder / f"{n_classes}-{layer}.f16")
        mapped = np.memmap(files[-1], np.float16, "w+", shape=(n, d))
        for part in torch.arange(n, device=device).split(20_000):
            noise = torch.randn(len(part), d, generator=generator, device=device) @ mix
            found = hidden[part] @ carry + noise + 0.3
            mapped[int(part[0]) : int(part[-1]) + 1] = found.half().cpu().numpy()
        mapped.flush()
    n_train = n * 10 // 12
    splits = ["train"] * n_train + ["validation"] * ((n - n_train) // 2)
    splits += ["test"] * (n - len(splits))
    return MappedLayers(files, n, d), probe_task([str(code) for code in codes], splits)


def time_ours(layers: Layers, task: ProbeTask, device: str) -> tuple[float, ProbeGrid]:
    started = time.perf_counter()
    grid = fit_grid(layers, task, device=device)
    if device != "cpu":
        torch.cuda.synchronize()
    return time.perf_counter() - started, grid


def standardised(layers: Layers, task: ProbeTask, layer: int) -> np.ndarray:
    x = layers.layer(layer)
    mean, scale = x[task.train].mean(0), x[task.train].std(0)
    return (x - mean) / scale


def fit_sklearn(x: np.ndarray, task: ProbeTask, l2: float) -> tuple[float, float]:
    """Seconds and accuracy on test."""
    train, codes = np.ascontiguousarray(x[task.train]), task.codes[task.train]
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(C=1 / (l2 * len(train)), max_iter=500).fit(train, codes)
    seconds = time.perf_counter() - started
    return seconds, float(model.score(x[task.test], task.codes[task.test]))


def fit_plain(x: np.ndarray, task: ProbeTask, l2: float, device: str, most_rounds: int) -> tuple[float, float]:
    """Seconds and accuracy on test of one linear layer: rounds of 4 epochs, until 5 rounds bring nothing better."""
    torch.manual_seed(0)
    features = torch.from_numpy(x).to(device)
    codes = torch.from_numpy(task.codes).to(device)
    rows = {name: torch.from_numpy(task.rows(name)).to(device) for name in ("train", "validation", "test")}
    train, gold = features[rows["train"]], codes[rows["train"]]
    started = time.perf_counter()
    model = torch.nn.Linear(x.shape[1], task.n_classes).to(device)
    adam = torch.optim.Adam(model.parameters(), weight_decay=l2)
    best, best_state, patience = -1.0, None, 0
    for _ in range(most_rounds):
        for _ in range(4):
            for chosen in torch.randperm(len(gold), device=device).split(64):
                adam.zero_grad()
                torch.nn.functional.cross_entropy(model(train[chosen]), gold[chosen]).backward()
                adam.step()
        with torch.no_grad():
            right = model(features[rows["validation"]]).argmax(1) == codes[rows["validation"]]
        if float(right.float().mean()) > best:
            best, patience = float(right.float().mean()), 0
            best_state = {name: value.clone() for name, value in model.state_dict().items()}
        elif patience >= 5:
            break
        else:
            patience += 1
    seconds = time.perf_counter() - started
    assert best_state is not None
    model.load_state_dict(best_state)
    with torch.no_grad():
        right = model(features[rows["test"]]).argmax(1) == codes[rows["test"]]
    return seconds, float(right.float().mean())


def measure(options: argparse.Namespace, n_classes: int, folder: Path) -> dict[str, Any]:
    n, d, n_layers = (6000, 64, 3) if options.quick else (options.items * 12 // 10, 768, 13)
    layers, task = make_data(folder, n, d, n_layers, n_classes, options.device)
    n_fits = n_layers * len(L2)
    time_ours(MappedLayers([Path(m.filename) for m in layers.maps[:1]], n, d), task, options.device)  # warms up
    ours, grid = time_ours(layers, task, options.device)
    accuracy = grid.accuracy("test")[:, :, 0]
    print(f"\n{len(task.train)} × {d}, {n_layers} layers × {len(L2)} L2 values, {n_classes} classes, {options.device}")
    print(f"goldproof: {ours:.1f} s for {n_fits} fits; accuracies {accuracy.min():.3f} to {accuracy.max():.3f}")
    result: dict[str, Any] = {"n_classes": n_classes, "n_fits": n_fits, "ours_s": ours}
    middle = standardised(layers, task, n_layers // 2)
    for name, sample in (("scikit-learn", (0, 2, 4)), ("plain loop", (1, 3) if options.plain_rounds else ())):
        times, gaps = [], []
        for place in sample:
            if name == "scikit-learn":
                seconds, score = fit_sklearn(middle, task, L2[place])
            else:
                seconds, score = fit_plain(middle, task, L2[place], options.device, options.plain_rounds)
            times.append(seconds)
            gaps.append(100 * (accuracy[n_layers // 2, place] - score))
        if not times:
            continue
        whole = float(np.mean(times)) * n_fits
        print(
            f"{name}: {whole:.0f} s ({len(times)} fits of one layer timed, {', '.join(f'{t:.1f}' for t in times)} s, "
            f"scaled up to {n_fits}); ratio {whole / ours:.0f} ×; accuracy ours − theirs, points: "
            + ", ".join(f"{gap:+.2f}" for gap in gaps)
        )
        result[name] = {"sample_s": times, "whole_s": whole, "ratio": whole / ours, "accuracy_gap_points": gaps}
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--items", type=int, default=100_000, help="training items")
    parser.add_argument("--classes", default="2,6")
    parser.add_argument(
        "--plain-rounds", type=int, default=50, help="most rounds of 4 epochs of the plain loop; 0: skip it"
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=Path, help="where to write the numbers as JSON")
    options = parser.parse_args()
    where = torch.cuda.get_device_name() if options.device == "cuda" else f"{torch.get_num_threads()} threads"
    results: dict[str, Any] = {"machine": f"{platform.processor()}, {where}, torch {torch.__version__}", "runs": []}
    print(results["machine"])
    for n_classes in map(int, options.classes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            results["runs"].append(measure(options, n_classes, Path(folder)))
        if options.out:
            options.out.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
