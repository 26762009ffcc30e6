"""Spans in IOB2-tagged sentences, and span F1's counts.

Convention of the CoNLL-2000 scorer: an I- tag without a span of its own type just before it is malformed and
*begins* a span (`malformed="begin"`); with `malformed="drop"` it is ignored. A predicted span is a hit when start,
end and type are those of a gold span. Only B-, I- and O are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from goldproof.errors import UsageError
from goldproof.statistics.arrays import Array, FloatArray, IntArray


def find_spans(tags: Sequence[str], malformed: str = "begin") -> set[tuple[int, int, str]]:
    """The spans of one sentence as (start, end, type), end not included.

    >>> sorted(find_spans(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"]))
    [(0, 2, 'PER'), (3, 4, 'LOC'), (4, 5, 'LOC')]
    >>> sorted(find_spans(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"], malformed="drop"))
    [(0, 2, 'PER'), (4, 5, 'LOC')]
    """
    if malformed not in ("begin", "drop"):
        raise UsageError(f"malformed must be 'begin' or 'drop'; got {malformed!r}")
    spans: set[tuple[int, int, str]] = set()
    start, kind = 0, ""
    for place, tag in enumerate([*tags, "O"]):
        prefix, _, name = tag.partition("-")
        if tag != "O" and (prefix not in ("B", "I") or not name):
            raise UsageError(f"a tag must be O, B-TYPE or I-TYPE; got {tag!r} at position {place}")
        if prefix == "I" and name == kind:
            continue
        if kind:
            spans.add((start, place, kind))
        begins = prefix == "B" or (prefix == "I" and malformed == "begin")
        start, kind = (place, name) if begins else (0, "")
    return spans


def span_counts(
    gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], malformed: str = "begin"
) -> FloatArray:
    """Hits, gold spans and predicted spans of each sentence: sentences × 3.

    >>> span_counts([["B-PER", "O"]], [["B-PER", "B-LOC"]])
    array([[1., 1., 2.]])
    """
    if len(gold) != len(predicted):
        raise UsageError(f"gold and predicted must have the same sentences; got {len(gold)} and {len(predicted)}")
    rows = []
    for number, (truth, guess) in enumerate(zip(gold, predicted, strict=True)):
        if len(truth) != len(guess):
            raise UsageError(f"sentence {number} has {len(truth)} gold tags and {len(guess)} predicted tags")
        gold_spans, predicted_spans = find_spans(truth, malformed), find_spans(guess, malformed)
        rows.append((len(gold_spans & predicted_spans), len(gold_spans), len(predicted_spans)))
    return np.array(rows, dtype=float).reshape(-1, 3)


def span_f1(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], malformed: str = "begin") -> float:
    """Micro-averaged span F1: 2·hits / (gold spans + predicted spans), 0 where there is no span at all.

    >>> round(span_f1([["B-PER", "O"]], [["B-PER", "B-LOC"]]), 4)
    0.6667
    """
    hits, in_gold, in_predicted = span_counts(gold, predicted, malformed).sum(0)
    return float(2 * hits / (in_gold + in_predicted)) if in_gold + in_predicted else 0.0


def coded_span_counts(gold: IntArray, predicted: IntArray, lengths: IntArray, tags: Sequence[str]) -> FloatArray:
    """`span_counts` of many runs at once: sentences × 3, with the axes of `predicted` but the last in front.

    All words stand one after the other: `gold` has one code of `tags` for each, `predicted` too (runs or checkpoints
    in front); `lengths` says how many words each sentence has. A malformed I- begins a span.

    >>> tags = ["B-PER", "I-PER", "O"]
    >>> coded_span_counts(np.array([0, 1, 2]), np.array([[0, 1, 2], [0, 2, 0]]), np.array([2, 1]), tags)[:, 0]
    array([[1., 1., 1.],
           [0., 1., 1.]])
    """
    for tag in tags:
        find_spans([tag])  # refuses what is no tag
    starts = np.zeros(len(gold), bool)
    starts[np.cumsum(lengths)[:-1][np.asarray(lengths[1:]) > 0]] = True
    starts[:1] = True
    truth, guess = (_coded_spans(codes, starts, tags) for codes in (gold, predicted))
    hits = (truth.begins & guess.begins & (truth.kinds == guess.kinds) & (truth.ends == guess.ends)).astype(float)
    parts = [hits, np.broadcast_to(truth.begins, hits.shape), guess.begins]
    edges = np.concatenate([[0], np.cumsum(lengths)])
    sums = [np.concatenate([np.zeros((*hits.shape[:-1], 1)), part.cumsum(-1)], -1) for part in parts]
    return np.stack([total[..., edges[1:]] - total[..., edges[:-1]] for total in sums], axis=-1)


@dataclass(frozen=True, slots=True)
class _CodedSpans:
    """For each word: whether a span begins there, of what type, and where such a span ends."""

    begins: Array
    kinds: IntArray
    ends: IntArray


def _coded_spans(codes: IntArray, starts: Array, tags: Sequence[str]) -> _CodedSpans:
    types = sorted({tag.partition("-")[2] for tag in tags})
    kinds = np.array([types.index(tag.partition("-")[2]) for tag in tags])[codes]
    inside = np.array([tag.startswith("I-") for tag in tags])[codes]
    outside = np.array([tag == "O" for tag in tags])[codes]
    n_words = codes.shape[-1]
    before = np.concatenate([np.full((*codes.shape[:-1], 1), -1), np.where(outside, -1, kinds)[..., :-1]], -1)
    goes_on = inside & (before == kinds) & ~starts
    stops = np.where(goes_on, n_words, np.arange(n_words))  # the words at which a span that came before has ended
    after = np.concatenate([stops[..., 1:], np.full((*codes.shape[:-1], 1), n_words)], -1)
    ends = np.minimum.accumulate(after[..., ::-1], axis=-1)[..., ::-1]
    return _CodedSpans(~outside & ~goes_on, kinds, ends)
