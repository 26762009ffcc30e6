"""Runs made by hand for the tests of the stability study: diagnostics and outcomes with given predictions."""

from __future__ import annotations

import numpy as np

from goldproof.builders.entailment.steps import categorise, prepare_diagnostics
from goldproof.builders.entailment.toy import generate_diagnostics
from goldproof.studies.stability.gather import LABELS, make_answers
from goldproof.studies.stability.plan import Condition
from goldproof.training.outcome import ExecutionFacts, TrainingOutcome
from goldproof.training.recipe import Seeds

CLASSES = ("entailment", "not_entailment")


def toy_diagnostics(n_pairs=12):
    raw = generate_diagnostics("en", n_pairs, seed=0)
    return categorise(prepare_diagnostics(raw, "en", None, "en"), "en", "split")


def outcome(answers, seed=0):
    """An outcome whose only evaluation point answers so (class names)."""
    logits = np.array([[[float(name == answer) for name in CLASSES] for answer in answers]], np.float32)
    conduct = ExecutionFacts("cpu", 1, 4, 0, (), None, False)
    ids = tuple(str(i) for i in range(len(answers)))
    empty = np.zeros(0, np.float32)
    return TrainingOutcome(
        Seeds.all(seed), CLASSES, (1,), {"diagnostics": logits}, {"diagnostics": ids}, empty, empty, {}, None, conduct
    )


def answers_of(data, runs):
    """The answers of runs given as lists of class names."""
    outcomes = [outcome(run, seed) for seed, run in enumerate(runs)]
    return make_answers(Condition("en"), data, outcomes, [0] * len(runs))


def gold_of(data):
    return data.table["label"].to_pylist()


def noisy_runs(data, n_runs, share, seed=0):
    """Runs that answer rightly with this share."""
    rng = np.random.default_rng(seed)
    other = {LABELS[0]: LABELS[1], LABELS[1]: LABELS[0]}
    return [[g if rng.random() < share else other[g] for g in gold_of(data)] for _ in range(n_runs)]
