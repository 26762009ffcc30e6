"""Calibration: do the probabilities mean what they say? Brier score and expected calibration error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldproof.data.answers import Answers
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import mean_interval

N_BINS = 15


@dataclass(frozen=True, slots=True)
class Calibration:
    """Brier score with its interval over items, expected calibration error, mean confidence."""

    brier: Estimate
    error: float
    confidence: float


def calibrate(answers: Answers) -> Calibration:
    """Calibration of answers with probabilities (runs × items × labels), runs pooled.

    Brier score: mean over items of Σ_k (p_k − y_k)² (Brier 1950), averaged over runs first. Expected calibration
    error: mean gap between confidence and accuracy over 15 bins of equal width, weighted by size (Guo et al. 2017).
    """
    assert answers.probabilities is not None
    truth = np.eye(answers.probabilities.shape[-1])[answers.gold]
    squares = ((answers.probabilities - truth) ** 2).sum(axis=-1)
    confidence = answers.probabilities.max(axis=-1).ravel()
    right = (answers.probabilities.argmax(axis=-1) == answers.gold).ravel()
    bins = np.minimum((confidence * N_BINS).astype(int), N_BINS - 1)
    gaps = np.bincount(bins, weights=right - confidence, minlength=N_BINS)
    error = float(np.abs(gaps).sum() / len(confidence))
    return Calibration(mean_interval(squares.mean(axis=0)), error, float(confidence.mean()))
