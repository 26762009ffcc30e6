"""Logistic probes on sparse features, such as TF-IDF: all L2 values at once. Features are not standardised."""

from __future__ import annotations

from typing import Any

import numpy as np

from goldproof.errors import UsageError
from goldproof.extras import require
from goldproof.measures.designs import sparse_design
from goldproof.measures.logistic import likeliest, solve_in_parts
from goldproof.measures.probe_task import ProbeTask
from goldproof.measures.probes import PROBING, ProbeGrid, Probes, ProbeSettings
from goldproof.statistics.arrays import IntArray


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
    import torch

    settings = settings or ProbeSettings()
    if settings.kind != "logistic":
        raise UsageError(f"sparse features are probed by logistic regression; got kind {settings.kind!r}")
    matrix = features.tocsr()
    codes = torch.from_numpy(task.codes[task.train]).to(device)
    train = sparse_design(matrix[task.train], device)
    theta = solve_in_parts(train, codes, task.n_classes, settings.l2, settings.solver)
    found: dict[str, IntArray] = {}
    for split in ("validation", "test"):
        best = likeliest(sparse_design(matrix[task.rows(split)], device).forward(theta))
        found[split] = best.transpose(1, 2)[:, :, None].cpu().numpy().astype(np.int64)
    return ProbeGrid(settings, found, {split: task.codes[task.rows(split)] for split in found}).chosen()
