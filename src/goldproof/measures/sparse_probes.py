"""Probes on sparse features, such as TF-IDF: as many L2 values at once as fit in memory. Features are not standardised.

A perceptron sees rows of length 20, as standardised features have, since Adam's steps are of one size whatever the
scale. Of no more than 4,096 training items it sees what these span: the first weights of a penalised perceptron never
leave that space, and there are far fewer dimensions than n-grams.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from goldproof.extras import require
from goldproof.measures.designs import sparse_design
from goldproof.measures.inputs import DenseInputs, Inputs, SparseInputs
from goldproof.measures.logistic import likeliest, solve_in_parts
from goldproof.measures.mlp import fit_mlp
from goldproof.measures.probe_task import ProbeTask
from goldproof.measures.probes import DEVICE_BYTES, PROBING, ProbeGrid, Probes, ProbeSettings
from goldproof.statistics.arrays import IntArray

if TYPE_CHECKING:
    from torch import Tensor

HELD_OUT = ("validation", "test")
COPIES = 6
ROW_LENGTH = 20.0
MOST_SPANNED = 4096
SMALLEST = 1e-6  # of the largest eigenvalue: what lies below is noise of single precision


def fit_sparse_probes(
    features: Any, task: ProbeTask, settings: ProbeSettings | None = None, *, device: str = "cpu"
) -> Probes:
    """The best probe on a scipy sparse matrix (items × features), as one layer.

    >>> from goldproof.measures.probe_task import probe_task
    >>> from goldproof.models.ngrams import ngrams, tfidf_features
    >>> texts = ["it rains", "it snows"] * 20
    >>> task = probe_task(["wet", "cold"] * 20, ["train"] * 20 + ["validation"] * 10 + ["test"] * 10)
    >>> float(fit_sparse_probes(tfidf_features(ngrams(), texts[:20], texts), task).test_accuracy[0, 0])
    1.0
    """
    require(PROBING)
    settings = settings or ProbeSettings()
    fit = _logistic_answers if settings.kind == "logistic" else _mlp_answers
    answers = fit(features.tocsr(), task, settings, device)
    return ProbeGrid(settings, answers, {split: task.codes[task.rows(split)] for split in answers}).chosen()


def _logistic_answers(matrix: Any, task: ProbeTask, settings: ProbeSettings, device: str) -> dict[str, IntArray]:
    """Answers of shape (1, L2 values, 1, items) on validation and test."""
    import torch

    codes = torch.from_numpy(task.codes[task.train]).to(device)
    train = sparse_design(matrix[task.train], device)
    theta = solve_in_parts(train, codes, task.n_classes, settings.l2, settings.solver)
    found: dict[str, IntArray] = {}
    for split in HELD_OUT:
        best = likeliest(sparse_design(matrix[task.rows(split)], device).forward(theta))
        found[split] = best.transpose(1, 2)[:, :, None].cpu().numpy().astype(np.int64)
    return found


def _mlp_answers(matrix: Any, task: ProbeTask, settings: ProbeSettings, device: str) -> dict[str, IntArray]:
    """Answers of shape (1, L2 values, seeds, items) on validation and test."""
    import torch

    parts = _inputs({split: matrix[task.rows(split)] for split in ("train", *HELD_OUT)}, device)
    codes = {split: torch.from_numpy(task.codes[task.rows(split)]).to(device) for split in parts}
    train, validation = ((parts[split], codes[split]) for split in ("train", "validation"))
    found: dict[str, list[IntArray]] = {split: [] for split in HELD_OUT}
    for l2 in _in_parts(settings, parts["train"].shape[2], device):
        fitted = fit_mlp(train, validation, task.n_classes, l2, settings.seeds, settings.mlp)
        for split, each in found.items():
            each.append(fitted.logits(parts[split]).argmax(-1).movedim(1, 3).cpu().numpy().astype(np.int64))
    return {split: np.concatenate(each, axis=1) for split, each in found.items()}


def _inputs(parts: dict[str, Any], device: str) -> dict[str, Inputs]:
    """What a perceptron sees of the rows of each split."""
    train = parts["train"]
    n_items, n_features = train.shape
    length = np.sqrt(train.multiply(train).sum() / n_items)
    scale = np.float32(ROW_LENGTH / max(float(length), 1e-12))
    if n_items > min(MOST_SPANNED, n_features):
        return {split: SparseInputs(rows * scale, device) for split, rows in parts.items()}
    return {split: DenseInputs(x * float(scale)) for split, x in in_span(parts, device).items()}


def in_span(parts: Mapping[str, Any], device: str = "cpu") -> dict[str, Tensor]:
    """The rows of each split in the space that the rows of "train" span, (1, items, training items): products of rows
    with training rows are what they were.

    With K the products of training rows, these become the symmetric root of K, and others their products times its
    inverse, so that no choice of axes plays a part.
    """
    import torch

    train = parts["train"]
    products = {split: torch.from_numpy((rows @ train.T).toarray()).double() for split, rows in parts.items()}
    values, vectors = torch.linalg.eigh(products["train"].to(device))
    kept = values > SMALLEST * values[-1]
    inverse = (vectors[:, kept] / values[kept].sqrt()) @ vectors[:, kept].T
    return {split: (rows.to(device) @ inverse).float()[None] for split, rows in products.items()}


def _in_parts(settings: ProbeSettings, n_features: int, device: str) -> list[tuple[float, ...]]:
    """The L2 values in parts whose first weights, their gradient, moments and best copy fit in memory."""
    columns = len(settings.seeds) * settings.mlp.hidden
    at_once = max(1, DEVICE_BYTES[device.partition(":")[0]] // (4 * COPIES * n_features * columns))
    return [settings.l2[start : start + at_once] for start in range(0, len(settings.l2), at_once)]
