"""Calibration: do the probabilities mean what they say? Brier score and expected calibration error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldproof.data.answers import Answers
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.runs import values_interval

N_BINS = 15


@dataclass(frozen=True, slots=True)
class Calibration:
    """Brier score, expected calibration error, mean confidence, and how far it lies above the accuracy.

    The calibration error has no interval: even of perfect probabilities it is above 0, the more so the fewer the items.
    """

    brier: Estimate
    error: float
    confidence: float
    excess: Estimate


def calibrate(answers: Answers, level: float = 0.95) -> Calibration:
    """Calibration of answers with probabilities (runs × items × labels), runs pooled.

    Brier score: mean over items of Σ_k (p_k − y_k)² (Brier 1950). Expected calibration error: mean gap between
    confidence and accuracy over 15 bins of equal width, weighted by size (Guo et al. 2017). Intervals are over new
    runs, items and clusters.
    """
    assert answers.probabilities is not None
    of_gold = np.take_along_axis(answers.probabilities, answers.gold[None, :, None], axis=-1)[..., 0]
    squares = (answers.probabilities**2).sum(axis=-1) - 2 * of_gold + 1
    confidence = answers.probabilities.max(axis=-1)
    right = answers.probabilities.argmax(axis=-1) == answers.gold
    bins = np.minimum((confidence * N_BINS).astype(int), N_BINS - 1).ravel()
    gaps = np.bincount(bins, weights=(right - confidence).ravel(), minlength=N_BINS)
    error = float(np.abs(gaps).sum() / confidence.size)
    brier, excess = (values_interval(each, answers.clusters, level) for each in (squares, confidence - right))
    return Calibration(brier, error, float(confidence.mean()), excess)
