"""Which checkpoint: rules that choose evaluation points of a finished training from its stored predictions. No torch.

Every rule looks at a `TrainingOutcome` and at labels, and gives a position in its `points`. Scores are "higher is
better".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldproof.errors import UsageError
from goldproof.models.examples import Examples
from goldproof.models.protocols import Floats
from goldproof.training.outcome import TrainingOutcome
from goldproof.training.recipe import StoppingRule


def score_logits(rule: StoppingRule, logits: Floats, labels: npt.NDArray[Any]) -> float:
    """One score of logits of shape (items, outputs) against class numbers, or targets where there is one output.

    `loss` is minus the mean cross-entropy (or squared error), so that higher is better.

    >>> score_logits("accuracy", np.array([[2.0, 1.0], [0.0, 1.0]], np.float32), np.array([0, 0]))
    0.5
    """
    known = ~np.isnan(logits).any(axis=-1)  # words that were cut off count as wrong, but have no loss
    if rule == "loss":
        return -_mean_loss(logits[known], labels[known])
    predicted = np.where(known, np.argmax(np.nan_to_num(logits), axis=-1), -1)
    if rule == "accuracy":
        return float(np.mean(predicted == labels))
    if rule == "mcc":
        from sklearn.metrics import matthews_corrcoef

        return float(matthews_corrcoef(labels, predicted))
    raise UsageError(f"the rule must be accuracy, mcc or loss, or span_f1 of sentences; got {rule!r}")


def score_tagged(logits: Floats, codes: npt.NDArray[Any], lengths: Sequence[int], classes: Sequence[str]) -> float:
    """The span F1 of the logits of all words, one after the other, in sentences of these lengths.

    A word that was cut off, which has no logits, counts as outside any span.

    >>> logits = np.array([[3.0, 0, 0], [0, 3, 0], [0, 0, 3]], np.float32)
    >>> score_tagged(logits, np.array([0, 1, 2]), [2, 1], ("B-PER", "I-PER", "O"))
    1.0
    """
    from goldproof.statistics.spans import coded_span_counts

    known = ~np.isnan(logits).any(axis=-1)
    outside = classes.index("O") if "O" in classes else 0
    predicted = np.where(known, np.nan_to_num(logits).argmax(axis=-1), outside)
    hits, in_gold, given = coded_span_counts(codes, predicted, np.asarray(lengths), classes).sum(axis=0)
    return float(2 * hits / (in_gold + given)) if in_gold + given else 0.0


def score_answers(found: Floats, items: Examples) -> float:
    """The mean F1 of the answers that were read off the passages, as a training gives them (first character, end)."""
    from goldproof.measures.short_answers import match_answer

    matches = [
        match_answer(text, [gold.text for gold in golds]).f1
        for text, golds in zip(answer_texts(found, items.pairs or ()), items.answers or (), strict=True)
    ]
    return float(np.mean(matches))


def answer_texts(found: Floats, passages: Sequence[str]) -> list[str]:
    """What stands in each passage where the answer was found; nothing where it was found nowhere.

    >>> answer_texts(np.array([[3, 9, -0.1], [-1, -1, -2]], np.float32), ["in Denver.", "nowhere"])
    ['Denver', '']
    """
    return [
        passage[int(first) : int(end)].strip() if first >= 0 else ""
        for (first, end, _), passage in zip(found, passages, strict=True)
    ]


def score_points(
    outcome: TrainingOutcome, name: str, labels: Sequence[str] | Sequence[float], rule: StoppingRule = "accuracy"
) -> npt.NDArray[np.float64]:
    """The score of one evaluation set at every point."""
    codes = label_codes(outcome.classes, labels)
    return np.array([score_logits(rule, logits, codes) for logits in outcome.at(name)])


def best_point(
    outcome: TrainingOutcome, name: str, labels: Sequence[str] | Sequence[float], rule: StoppingRule = "accuracy"
) -> int:
    """The point with the highest score on a set; the earliest of equals."""
    return int(np.argmax(score_points(outcome, name, labels, rule)))


def best_point_by_confidence(
    outcome: TrainingOutcome, name: str, labels: Sequence[str], rule: StoppingRule = "accuracy"
) -> int:
    """The point with the highest score on a set; among equals the one with the highest mean log-probability of its
    own choice.
    """
    scores = score_points(outcome, name, labels, rule)
    confidence = _log_probabilities(outcome.at(name)).max(axis=-1).mean(axis=-1)
    return int(max(range(len(scores)), key=lambda i: (scores[i], confidence[i])))


def last_point(outcome: TrainingOutcome) -> int:
    """The end of training."""
    return len(outcome.points) - 1


def average_points(outcome: TrainingOutcome, name: str, last: int | None = None) -> Floats:
    """Mean log-probabilities over the last so many points (all unless given): checkpoints averaged."""
    logits = outcome.at(name)
    chosen = logits if last is None else logits[-last:]
    return np.asarray(_log_probabilities(chosen).mean(axis=0), np.float32)


@dataclass(frozen=True, slots=True)
class BestTraining:
    """One training chosen among several: its place in the list, its best point and the score there."""

    index: int
    point: int
    score: float


def best_outcome(
    outcomes: Sequence[TrainingOutcome], name: str, labels: Sequence[str], rule: StoppingRule = "accuracy"
) -> BestTraining:
    """The best training of a search by its best point on a set; the first of equals."""
    if not outcomes:
        raise UsageError("there is no outcome to choose from")
    points = [best_point(outcome, name, labels, rule) for outcome in outcomes]
    scores = [score_points(o, name, labels, rule)[point] for o, point in zip(outcomes, points, strict=True)]
    index = int(np.argmax(scores))
    return BestTraining(index, points[index], float(scores[index]))


def label_codes(classes: Sequence[str], labels: Sequence[str] | Sequence[float]) -> npt.NDArray[Any]:
    """Class numbers of labels; the labels themselves where there are no classes (regression)."""
    if not classes:
        return np.asarray(labels, np.float64)
    index = {name: i for i, name in enumerate(classes)}
    return np.array([index[str(label)] for label in labels], np.int64)


def _mean_loss(logits: Floats, labels: npt.NDArray[Any]) -> float:
    if logits.shape[-1] == 1:
        return float(np.mean((logits[:, 0].astype(np.float64) - labels) ** 2))
    return float(-np.mean(_log_probabilities(logits)[np.arange(len(labels)), labels]))


def _log_probabilities(logits: Floats) -> npt.NDArray[np.float64]:
    from scipy.special import log_softmax

    return np.asarray(log_softmax(logits.astype(np.float64), axis=-1))
