"""Windows: a question with a stretch of its passage, as many as the passage needs; and the answer read off all of them.

A passage longer than the model is cut into windows that overlap by a quarter, each behind the question. In training a
window that does not hold the answer points at its first token; an answer is read off the windows of its item together.
It loads no torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldproof.data.dataset import AnswerSpan
from goldproof.errors import DataError
from goldproof.models.examples import Examples

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]
MOST_TOKENS = 30
"""The longest answer that is looked for, in tokens."""
NOWHERE = -1.0


@dataclass(frozen=True, slots=True)
class Windows:
    """Of each window the item that it belongs to, and of each of its tokens where it stands in the passage.

    `places` has a row (first character, end) for each token, −1 for one that is not of the passage.
    """

    owners: Ints
    places: tuple[Ints, ...]
    n_items: int


@dataclass(frozen=True, slots=True)
class CutItems:
    """Token ids and types of all windows, what they are windows of, and how many questions were cut."""

    ids: tuple[Ints, ...]
    types: tuple[Ints, ...] | None
    windows: Windows
    n_truncated: int


def cut_windows(tokenizer: Any, examples: Examples, limit: int | None, has_types: bool) -> CutItems:
    """The windows of every item, by a fast tokenizer of transformers."""
    if not examples.n:
        return CutItems((), () if has_types else None, Windows(np.zeros(0, np.int32), (), 0), 0)
    n_special = int(tokenizer.num_special_tokens_to_add(pair=True))
    questions, n_truncated = _short_questions(tokenizer, examples.texts, limit, n_special)
    cutting = {} if limit is None else {"truncation": "only_second", "max_length": limit, "stride": limit // 4}
    coded = tokenizer(
        questions,
        list(examples.pairs or ()),
        return_overflowing_tokens=limit is not None,
        return_offsets_mapping=True,
        return_token_type_ids=has_types,
        verbose=False,
        **cutting,
    )
    n_windows = len(coded["input_ids"])
    owners = coded["overflow_to_sample_mapping"] if limit is not None else range(n_windows)
    places = tuple(_places(coded["offset_mapping"][i], coded.sequence_ids(i)) for i in range(n_windows))
    return CutItems(
        tuple(np.asarray(entry, np.int32) for entry in coded["input_ids"]),
        tuple(np.asarray(entry, np.int32) for entry in coded["token_type_ids"]) if has_types else None,
        Windows(np.asarray(list(owners), np.int32), places, examples.n),
        n_truncated,
    )


def _short_questions(
    tokenizer: Any, questions: Sequence[str], limit: int | None, n_special: int
) -> tuple[list[str], int]:
    """The questions, cut where one takes more than half a window; and how many were."""
    if limit is None:
        return list(questions), 0
    most = max(1, limit // 2 - n_special)
    ends = tokenizer(list(questions), add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    cut = [
        text if len(offsets) <= most else text[: offsets[most - 1][1]]
        for text, offsets in zip(questions, ends["offset_mapping"], strict=True)
    ]
    return cut, sum(a != b for a, b in zip(cut, questions, strict=True))


def _places(offsets: Sequence[tuple[int, int]], sequence: Sequence[int | None]) -> Ints:
    found = np.full((len(offsets), 2), -1, np.int32)
    for token, (place, side) in enumerate(zip(offsets, sequence, strict=True)):
        if side == 1 and place[1] > place[0]:
            found[token] = place
    return found


def check_answers(examples: Examples, name: str) -> None:
    """Raise where an answer does not stand where it is said to."""
    for item, passage, answers in zip(examples.ids, examples.pairs or (), examples.answers or (), strict=True):
        for answer in answers:
            found = passage[answer.start : answer.start + len(answer.text)]
            if found != answer.text or not answer.text:
                raise DataError(
                    f"item {item!r} of the {name} data: the answer {answer.text!r} is not at character "
                    f"{answer.start} of its passage; found {found!r} there"
                )


def window_labels(windows: Windows, answers: Sequence[Sequence[AnswerSpan]]) -> npt.NDArray[np.int64]:
    """First and last token of each window's answer (windows × 2): the first gold; 0 and 0 where it is not there."""
    labels = np.zeros((len(windows.owners), 2), np.int64)
    for row, (owner, places) in enumerate(zip(windows.owners, windows.places, strict=True)):
        if answers[owner]:
            labels[row] = _tokens_of(places, answers[owner][0])
    return labels


def _tokens_of(places: Ints, answer: AnswerSpan) -> tuple[int, int]:
    end = answer.start + len(answer.text)
    inside = np.flatnonzero(places[:, 0] >= 0)
    if not len(inside) or places[inside[0], 0] > answer.start or places[inside[-1], 1] < end:
        return 0, 0
    first = inside[np.flatnonzero(places[inside, 1] > answer.start)[0]]
    last = inside[np.flatnonzero(places[inside, 0] < end)[-1]]
    return (int(first), int(last)) if first <= last else (0, 0)


def read_answers(logits: Sequence[Floats], windows: Windows, *, may_be_absent: bool) -> Floats:
    """The answer to each item: first character, end, and log-probability (items × 3), from the windows' logits.

    The best span of any window, of at most 30 tokens, by the sum of its logits; its probability is among all
    beginnings and all ends of the item's windows. With `may_be_absent` there is no answer (−1, −1) where every window's
    first token scores higher than the best span of all.
    """
    of_item: dict[int, list[int]] = {}
    for window, owner in enumerate(windows.owners.tolist()):
        of_item.setdefault(owner, []).append(window)
    found = np.full((windows.n_items, 3), NOWHERE, np.float32)
    for item, own in of_item.items():
        best = max((_best_span(logits[w], windows.places[w]) for w in own), key=lambda span: span[0])
        none = min(float(logits[w][0].sum()) for w in own)
        every = np.concatenate([_readable(logits[w], windows.places[w]) for w in own]).astype(np.float64)
        top = every.max(axis=0)
        total = float((top + np.log(np.exp(every - top).sum(axis=0))).sum())
        absent = not np.isfinite(best[0]) or (may_be_absent and none > best[0])
        found[item] = (NOWHERE, NOWHERE, none - total) if absent else (best[1], best[2], best[0] - total)
    return found


def _readable(logits: Floats, places: Ints) -> Floats:
    """The logits of the tokens that may begin or end an answer, the first token among them."""
    kept = places[:, 0] >= 0
    kept[0] = True
    return np.asarray(logits[: len(places)][kept])


def _best_span(logits: Floats, places: Ints) -> tuple[float, int, int]:
    """The score of the best span of a window, and where it begins and ends in the passage."""
    inside = np.flatnonzero(places[:, 0] >= 0)
    if not len(inside):
        return -np.inf, -1, -1
    starts, ends = logits[inside, 0].astype(np.float64), logits[inside, 1].astype(np.float64)
    best = (-np.inf, 0, 0)
    for length in range(min(MOST_TOKENS, len(inside))):
        scores = starts[: len(inside) - length] + ends[length:]
        at = int(scores.argmax())
        if scores[at] > best[0]:
            best = (float(scores[at]), at, at + length)
    score, first, last = best
    return score, int(places[inside[first], 0]), int(places[inside[last], 1])
