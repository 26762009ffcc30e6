"""What is kept of a training: its answers on every evaluation set at every checkpoint, without the logits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldproof.data.dataset import Dataset
from goldproof.jobs import step
from goldproof.jobs.names import named
from goldproof.statistics.arrays import Array
from goldproof.training.outcome import TrainingOutcome

OUTSIDE = "O"


@named("transfer.SetCourse")
@dataclass(frozen=True, slots=True)
class StoredSet:
    """One evaluation set of one run, as `condense` stores it; `scores` makes Answers of it.

    Classification: `gold` and `averaged` have a class number for each item, `answers` for each checkpoint and item.
    Tagging: `answers` and `averaged` have hits, gold spans and predicted spans of each sentence, `gold` is all 0.
    Questions: `answers` and `averaged_weights` have whether each answer is exactly right and its F1, `gold` is all 0,
    and `averaged` is empty, as spans have no mean. `averaged` are the answers of the mean log-probabilities over all
    checkpoints; `confidence` is the mean log-probability of the choices at each checkpoint. `clusters` are numbers of
    items that share their first text, or their passage. `averaged_weights` are the answers of the checkpoints' mean
    weights, in the form of `averaged` (of questions in that of `answers`); None where the training did not average
    them.
    """

    ids: tuple[str, ...]
    gold: Array
    answers: Array
    averaged: Array
    confidence: Array
    clusters: Array | None
    averaged_weights: Array | None = None


@named("transfer.Course")
@dataclass(frozen=True, slots=True)
class StoredRun:
    """One run, as `condense` stores it: the steps of its checkpoints, the classes, and every evaluation set by name.

    `truncated` counts the items that were cut to the longest input, by set, "train" among them.
    """

    points: tuple[int, ...]
    classes: tuple[str, ...]
    sets: dict[str, StoredSet]
    stopped_at: int | None
    truncated: dict[str, int]


@step(version=2, name="goldproof.transfer.condense")
def condense(outcome: TrainingOutcome, evaluate: dict[str, Dataset]) -> StoredRun:
    """The answers of a training on every evaluation set at every checkpoint."""
    sets = {}
    for name, data in evaluate.items():
        logits = outcome.at(name)
        tagging = data.table.column("token_labels").null_count < len(data)
        mean_weights = None if outcome.averaged is None else outcome.averaged[name]
        keep = _answered if data.has_questions else _tagged if tagging else _classified
        sets[name] = keep(outcome, data, logits, mean_weights)
    return StoredRun(outcome.points, outcome.classes, sets, outcome.stopped_at, dict(outcome.truncated))


def _classified(outcome: TrainingOutcome, data: Dataset, logits: Array, mean_weights: Array | None) -> StoredSet:
    logs = _log_probabilities(logits)
    index = {name: code for code, name in enumerate(outcome.classes)}
    gold = np.array([index[label] for label in data.table.column("label").to_pylist()])
    texts = data.texts
    clusters = np.unique(np.array(texts, object), return_inverse=True)[1] if len(set(texts)) < len(texts) else None
    return StoredSet(
        tuple(data.table.column("id").to_pylist()),
        gold.astype(np.int16),
        logs.argmax(axis=-1).astype(np.int16),
        logs.mean(axis=0).argmax(axis=-1).astype(np.int16),
        logs.max(axis=-1).mean(axis=-1).astype(np.float32),
        None if clusters is None else clusters.astype(np.int32),
        None if mean_weights is None else mean_weights.argmax(axis=-1).astype(np.int16),
    )


def _answered(outcome: TrainingOutcome, data: Dataset, logits: Array, mean_weights: Array | None) -> StoredSet:
    from goldproof.measures.short_answers import match_answer
    from goldproof.training.selection import answer_texts

    passages = [pair or "" for pair in data.pairs]
    golds = [[gold.text for gold in answers] for answers in data.answers]
    languages = data.table.column("language").to_pylist()

    def match(found: Array) -> Array:
        """Exact match and F1 of each item."""
        given = zip(answer_texts(found, passages), golds, languages, strict=True)
        matches = [match_answer(text, right, language) for text, right, language in given]
        return np.array([(each.exact, each.f1) for each in matches], np.float32)

    return StoredSet(
        tuple(data.table.column("id").to_pylist()),
        np.zeros(len(data), np.int16),
        np.stack([match(found) for found in logits]),
        np.zeros(0, np.float32),
        np.asarray(logits[..., 2].mean(axis=-1), np.float32),
        np.unique(np.array(passages, object), return_inverse=True)[1].astype(np.int32),
        None if mean_weights is None else match(mean_weights),
    )


def _tagged(outcome: TrainingOutcome, data: Dataset, logits: Array, mean_weights: Array | None) -> StoredSet:
    from goldproof.statistics.spans import coded_span_counts

    index = {name: code for code, name in enumerate(outcome.classes)}
    words = data.table.column("token_labels").to_pylist()
    lengths = np.array([len(sentence) for sentence in words])
    gold = np.array([index[tag] for sentence in words for tag in sentence])
    known = ~np.isnan(logits).any(axis=-1)  # words beyond the longest length have no logits: nothing is found there
    logs = _log_probabilities(np.nan_to_num(logits))
    outside = index.get(OUTSIDE, 0)
    answers = np.where(known, logs.argmax(axis=-1), outside)
    averaged = np.where(known.all(axis=0), logs.mean(axis=0).argmax(axis=-1), outside)

    def count(codes: Array) -> Array:
        return coded_span_counts(gold, codes, lengths, outcome.classes).astype(np.int16)

    confidence = (logs.max(axis=-1) * known).sum(axis=-1) / np.maximum(known.sum(axis=-1), 1)
    ids = tuple(data.table.column("id").to_pylist())
    return StoredSet(
        ids,
        np.zeros(len(ids), np.int16),
        count(answers),
        count(averaged),
        confidence.astype(np.float32),
        None,
        None
        if mean_weights is None
        else count(np.where(known.all(axis=0), np.nan_to_num(mean_weights).argmax(-1), outside)),
    )


def _log_probabilities(logits: Array) -> Array:
    from scipy.special import log_softmax

    return np.asarray(log_softmax(np.asarray(logits, np.float64), axis=-1))
