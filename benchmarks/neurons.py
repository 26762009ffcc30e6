"""The elastic net behind the neurons on real activations: how near its optimum it is at the default settings.

    python benchmarks/neurons.py --model FOLDER --task FOLDER/va.txt [--items 3000] [--saga 300] [--out FILE.json]

The file has a text, a tab and a label in each line. All layers of the encoder lie side by side. The whole grid is
solved at the default settings in single precision, and each pair (λ₁, λ₂) asked for goes on alone, as if validation
had chosen it in `rank_neurons`. The same problem is solved again in double precision to a relative KKT residual of
1e-4 or for `--longest` iterations, and by scikit-learn's SAGA with `--saga` epochs (0: not at all). Residuals and
objectives are computed in double precision here, apart from the solvers: a residual of 0 is the optimum, whoever
found it. Overlap is the share of the double-precision solution's top neurons (20 % of all, none without weight) that
are also ours, or SAGA's.
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
import time
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from goldproof.measures.activations import open_reader, read_activations
from goldproof.measures.designs import DenseDesign
from goldproof.measures.elastic_net import NetSolver, Penalty, solve_elastic_net
from goldproof.measures.layers import Layers, array_layers
from goldproof.measures.neurons import GRID, NeuronSettings, order_neurons, rank_neurons
from goldproof.measures.probe_task import ProbeTask, probe_task
from goldproof.models.readout import Readout
from goldproof.models.transformer import transformer

SHARE = 0.2


def read_task(model: str, file: Path, n: int, device: str) -> tuple[Layers, ProbeTask]:
    """Activations of n lines drawn at random; two thirds train, a sixth validates, a sixth tests."""
    lines = [line.rstrip("\n").split("\t")[:2] for line in file.read_text(encoding="utf-8").splitlines()]
    chosen = np.random.default_rng(0).permutation(len(lines))[:n]
    texts, labels = zip(*(lines[row] for row in chosen), strict=True)
    reader = open_reader(transformer(model), Readout(), device=device)
    with tempfile.TemporaryDirectory() as folder:
        found = read_activations(reader, list(texts), Path(folder))
        layers = array_layers(np.stack([found.layer(index) for index in range(found.n_layers)], axis=1))
    splits = ["train"] * (n * 4 // 6) + ["validation"] * (n // 6)
    return layers, probe_task(list(labels), [*splits, *["test"] * (n - len(splits))])


def features_of(layers: Layers, task: ProbeTask) -> tuple[np.ndarray, np.ndarray]:
    """Standardised training features of all layers side by side, in double precision, and the classes."""
    x = np.concatenate([layers.layer(i, task.train) for i in range(layers.n_layers)], axis=1).astype(np.float64)
    scale = x.std(0)
    return (x - x.mean(0)) / np.where(scale > 1e-6, scale, 1), task.codes[task.train]


def look(x: np.ndarray, codes: np.ndarray, weights: np.ndarray, bias: np.ndarray, penalty: Penalty) -> dict[str, Any]:
    """The objective, the KKT residual relative to λ₁, and the number of neurons with weight, in double precision.

    Weights are features × classes; one column is the log-odds of the second of two classes.
    """
    logits = x @ weights + bias
    logits = np.c_[np.zeros(len(x)), logits] if logits.shape[1] == 1 else logits
    shifted = logits - logits.max(1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    wrong = (np.exp(log_p) - np.eye(logits.shape[1])[codes])[:, -weights.shape[1] :]
    gradient = x.T @ wrong / len(x) + penalty.l2 * weights
    inside = np.maximum(np.abs(gradient) - penalty.l1, 0)
    away = np.where(weights != 0, np.abs(gradient + penalty.l1 * np.sign(weights)), inside)
    loss = -log_p[np.arange(len(x)), codes].mean()
    return {
        "objective": float(loss + penalty.l1 * np.abs(weights).sum() + penalty.l2 / 2 * (weights**2).sum()),
        "residual": float(max(away.max(), np.abs(wrong.mean(0)).max()) / penalty.l1),
        "neurons": int((weights != 0).any(1).sum()),
    }


def top_of(weights: np.ndarray) -> set[int]:
    """The first fifth of the neurons in their order, none without weight."""
    ordering, _ = order_neurons(weights)
    return {int(k) for k in ordering[: max(1, round(SHARE * len(ordering)))] if np.abs(weights[k]).max() > 0}


def saga(x: np.ndarray, codes: np.ndarray, penalty: Penalty, epochs: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Weights and bias of scikit-learn's solver, and seconds; it starts at 0 and ends at tol 1e-6 or after so many."""
    total, started = penalty.l1 + penalty.l2, time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(
            l1_ratio=penalty.l1 / total, C=1 / (total * len(x)), solver="saga", tol=1e-6, max_iter=epochs
        ).fit(x, codes)
    return model.coef_.T, model.intercept_, time.perf_counter() - started


def measure(options: argparse.Namespace) -> dict[str, Any]:
    layers, task = read_task(options.model, options.task, options.items, options.device)
    x, codes = features_of(layers, task)
    print(f"{x.shape[0]} items × {x.shape[1]} neurons, {task.n_classes} classes, {options.device}", flush=True)
    design = DenseDesign(torch.from_numpy(x.astype(np.float32)).to(options.device)[None])
    classes = torch.from_numpy(codes).to(options.device)
    penalties = [Penalty(a, b) for a, b in product(GRID, GRID)]
    started = time.perf_counter()
    found = solve_elastic_net(design, classes, task.n_classes, penalties)
    seconds = time.perf_counter() - started
    done = int((found.residual <= NetSolver().tolerance).sum())
    print(f"grid of {len(penalties)}: {seconds:.1f} s, {done} converged within {NetSolver().max_iterations} iterations")
    result: dict[str, Any] = {"shape": x.shape, "classes": task.n_classes, "grid_s": seconds, "done": done, "pairs": []}
    started = time.perf_counter()
    ranked = rank_neurons(layers, task, device=options.device)
    result["ranked_s"] = time.perf_counter() - started
    chosen = f"({ranked.penalty.l1:g}, {ranked.penalty.l2:g})"
    print(
        f"rank_neurons: {result['ranked_s']:.1f} s; chosen {chosen}, validation {ranked.validation_accuracy:.3f}, "
        f"residual {ranked.residual:.4f}, {ranked.n_weights} neurons with weight",
        flush=True,
    )
    result["chosen"] = {"penalty": chosen, "residual": ranked.residual, "neurons": ranked.n_weights}
    wanted = [Penalty(*map(float, pair.split("/"))) for pair in options.pairs.split(",")]
    for penalty in wanted:
        place, started = penalties.index(penalty), time.perf_counter()
        ours = found.theta[0, :, place]
        if found.residual[0, place] > NetSolver().tolerance:
            solver = NetSolver(max_iterations=NeuronSettings().alone)
            start = found.theta[:, :, [place]]
            ours = solve_elastic_net(design, classes, task.n_classes, [penalty], solver, start).theta[0, :, 0]
        seconds = time.perf_counter() - started
        result["pairs"].append(compare(x, codes, penalty, ours.double().cpu().numpy(), seconds, options))
    return result


def compare(
    x: np.ndarray,
    codes: np.ndarray,
    penalty: Penalty,
    ours: np.ndarray,
    seconds: float,
    options: argparse.Namespace,
) -> dict[str, Any]:
    """Ours beside the optimum in double precision and scikit-learn's solution; `seconds` is what going on took."""
    design, classes = DenseDesign(torch.from_numpy(x).to(options.device)[None]), torch.from_numpy(codes)
    start = torch.from_numpy(ours).to(options.device)[None, :, None]
    long = NetSolver(1e-4, options.longest)
    n_classes = int(codes.max()) + 1
    best = solve_elastic_net(design, classes.to(options.device), n_classes, [penalty], long, start.clone())
    optimum = best.theta[0, :, 0].cpu().numpy()
    rows = {"ours": {**look(x, codes, ours[:-1], ours[-1], penalty), "seconds": seconds}}
    rows["double precision"] = look(x, codes, optimum[:-1], optimum[-1], penalty)
    rows["ours"]["overlap"] = len(top_of(ours[:-1]) & top_of(optimum[:-1])) / max(1, len(top_of(optimum[:-1])))
    if options.saga:
        weights, bias, taken = saga(x, codes, penalty, options.saga)
        rows["SAGA"] = {**look(x, codes, weights, bias, penalty), "seconds": taken}
        rows["SAGA"]["overlap"] = len(top_of(weights) & top_of(optimum[:-1])) / max(1, len(top_of(optimum[:-1])))
    print(f"(λ₁, λ₂) = ({penalty.l1:g}, {penalty.l2:g})")
    for name, row in rows.items():
        rest = f", top overlap {row['overlap']:.3f}" if "overlap" in row else ""
        rest += f", {row['seconds']:.0f} s" if "seconds" in row else ""
        rest = f"residual {row['residual']:.4f}, {row['neurons']} neurons{rest}"
        print(f"  {name}: objective {row['objective']:.6f}, {rest}", flush=True)
    return {"penalty": (penalty.l1, penalty.l2), **rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="folder of an encoder")
    parser.add_argument("--task", required=True, type=Path, help="file of text TAB label")
    parser.add_argument("--items", type=int, default=3000)
    parser.add_argument("--pairs", default="1e-2/1e-3,1e-3/1e-2,1e-3/1e-3,1e-4/1e-2", help="λ₁/λ₂ of the grid")
    parser.add_argument("--saga", type=int, default=300, help="most epochs of scikit-learn's solver; 0: skip it")
    parser.add_argument("--longest", type=int, default=10_000, help="most iterations in double precision")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--out", type=Path, help="where to write the numbers as JSON")
    options = parser.parse_args()
    where = torch.cuda.get_device_name() if options.device == "cuda" else f"{torch.get_num_threads()} threads"
    print(f"{platform.processor()}, {where}, torch {torch.__version__}")
    result = measure(options)
    if options.out:
        options.out.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
