"""Items packed as arrays: token ids with only the rows of the embedding that are used, labels, weights, order, padding.

`prepare` turns examples into plain numpy arrays once; nothing here draws at random but through `randomness`. It does
not move anything to a device.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from goldproof.models.examples import Examples
from goldproof.models.protocols import Network, Tokenized
from goldproof.models.windows import Windows, window_labels
from goldproof.training.randomness import item_hashes
from goldproof.training.recipe import Recipe

Ints = npt.NDArray[np.int32]
IGNORED = -100
_SMALL_PAD = 64  # rows up to a padding id as small as this keep their place, since some models compare ids with it


@dataclass(frozen=True, slots=True)
class PackedItems:
    """Items as padded arrays: shape (items, longest) for ids and types.

    `labels` has shape (items,), or (items, longest) for token tasks; `weights` says how much each item counts in the
    mean loss. `hashes` has a number for each item's id, from which dropout is drawn. `starts` holds each word's first
    token for token tasks.
    """

    items: tuple[str, ...]
    ids: Ints
    types: Ints | None
    lengths: Ints
    labels: npt.NDArray[Any] | None
    weights: npt.NDArray[np.float32]
    hashes: Ints
    starts: tuple[Ints, ...] | None


@dataclass(frozen=True, slots=True)
class UsedRows:
    """Which rows of the embedding are used: those of the training items first (they learn), then those of evaluation
    alone.

    Rows that no training item uses get no gradient: AdamW only shrinks them by its weight decay, which is applied
    when they are looked at.
    """

    learned: npt.NDArray[np.int64]
    fixed: npt.NDArray[np.int64]
    pad: int


@dataclass(frozen=True, slots=True)
class PreparedItems:
    """All items of a training, ready for a device.

    Of questions each window is an item to train on; `windows` are those of evaluation, `bounds` count its questions.
    `may_be_absent` says whether some question of the training data has no answer.
    """

    train: PackedItems
    evaluate: PackedItems
    bounds: Mapping[str, tuple[int, int]]
    n_truncated: Mapping[str, int]
    used_rows: UsedRows | None
    windows: Windows | None = None
    may_be_absent: bool = False


def prepare(
    network: Network,
    train: Examples,
    evaluate: Mapping[str, Examples],
    recipe: Recipe,
    classes: Sequence[str],
    active_rows_only: bool,
) -> PreparedItems:
    """Tokenize everything, find the rows in use and pack; the evaluation sets follow each other in one array."""
    tokens = network.tokenize(_for_task(train, recipe), recipe.max_length)
    sets = {name: network.tokenize(_for_task(items, recipe), recipe.max_length) for name, items in evaluate.items()}
    together = _join(list(sets.values()), network.has_types, recipe.task == "tokens")
    used_rows = _used_rows(tokens, together, network.pad_id) if active_rows_only and network.embedding else None
    if used_rows is not None:
        tokens, together = _renumber(tokens, used_rows), _renumber(together, used_rows)
    pad = network.pad_id if used_rows is None else used_rows.pad
    edges = np.cumsum([0, *(items.n for items in evaluate.values())])
    bounds = {name: (int(edges[i]), int(edges[i + 1])) for i, name in enumerate(evaluate)}
    ids = [item for items in evaluate.values() for item in items.ids]
    return PreparedItems(
        pack(tokens, entry_ids(train.ids, tokens), pad, label_array(train, tokens, recipe, classes)),
        pack(together, entry_ids(ids, together), pad, None),
        bounds,
        {"train": tokens.n_truncated, **{name: found.n_truncated for name, found in sets.items()}},
        used_rows,
        together.windows,
        may_be_absent(train),
    )


def may_be_absent(train: Examples) -> bool:
    """Whether some question of the training data has no answer, so that others may have none."""
    return train.answers is not None and any(not answers for answers in train.answers)


def entry_ids(ids: Sequence[str], tokens: Tokenized) -> list[str]:
    """The id of each entry: that of its item, with a number for the second window and those after it."""
    if tokens.windows is None:
        return list(ids)
    seen: Counter[int] = Counter()
    found = []
    for owner in tokens.windows.owners.tolist():
        found.append(f"{ids[owner]}\n{seen[owner]}" if seen[owner] else ids[owner])
        seen[owner] += 1
    return found


def label_array(examples: Examples, tokens: Tokenized, recipe: Recipe, classes: Sequence[str]) -> npt.NDArray[Any]:
    """Labels as numbers; for token tasks one for each token, at the first token of each word."""
    if recipe.task == "regression":
        return np.asarray(examples.labels, np.float32)
    if recipe.task == "question":
        assert tokens.windows is not None and examples.answers is not None
        return window_labels(tokens.windows, examples.answers)
    index = {name: i for i, name in enumerate(classes)}
    if recipe.task != "tokens":
        return np.array([index[str(label)] for label in examples.labels or ()], np.int64)
    assert tokens.starts is not None and examples.word_labels is not None
    labels = np.full((examples.n, max((len(i) for i in tokens.ids), default=1)), IGNORED, np.int64)
    for row, (starts, names) in enumerate(zip(tokens.starts, examples.word_labels, strict=True)):
        for start, name in zip(starts, names, strict=True):
            if start >= 0:
                labels[row, start] = index[name]
    return labels


def pack(tokens: Tokenized, ids: Sequence[str], pad: int, labels: npt.NDArray[Any] | None) -> PackedItems:
    """Ragged token ids as one padded array."""
    lengths = np.array([len(entry) for entry in tokens.ids], np.int32)
    width = int(lengths.max(initial=1))
    n_counted = np.ones(len(lengths))
    if tokens.starts is not None and labels is not None:
        n_counted = (labels != IGNORED).sum(1).astype(float)
    return PackedItems(
        tuple(ids),
        _padded(tokens.ids, width, pad),
        None if tokens.types is None else _padded(tokens.types, width, 0),
        lengths,
        labels,
        n_counted.astype(np.float32),
        item_hashes(ids),
        tokens.starts,
    )


def length_batches(lengths: Ints, most_tokens: int) -> list[npt.NDArray[np.int64]]:
    """Items sorted by length, longest first, in batches of at most so many padded tokens."""
    order = np.argsort(-lengths, kind="stable")
    batches, start = [], 0
    while start < len(order):
        size = max(1, most_tokens // max(1, int(lengths[order[start]])))
        batches.append(order[start : start + size])
        start += size
    return batches


def _for_task(examples: Examples, recipe: Recipe) -> Examples:
    """The examples with nothing that the task does not look at."""
    if recipe.task == "tokens":
        return examples
    answers = examples.answers if recipe.task == "question" else None
    return Examples(examples.ids, examples.texts, examples.pairs, answers=answers)


def _used_rows(train: Tokenized, evaluate: Tokenized, pad: int) -> UsedRows:
    kept = np.arange(pad + 1) if pad < _SMALL_PAD else np.array([pad])
    learned = np.unique(np.concatenate([kept, *train.ids]))
    fixed = np.setdiff1d(np.concatenate([kept, *evaluate.ids]), learned)
    return UsedRows(learned.astype(np.int64), fixed.astype(np.int64), int(np.searchsorted(learned, pad)))


def _renumber(tokens: Tokenized, used_rows: UsedRows) -> Tokenized:
    rows = np.concatenate([used_rows.learned, used_rows.fixed])
    order = np.argsort(rows)
    ids = tuple(order[np.searchsorted(rows, entry, sorter=order)].astype(np.int32) for entry in tokens.ids)
    return replace(tokens, ids=ids)


def _join(parts: Sequence[Tokenized], has_types: bool, has_starts: bool) -> Tokenized:
    return Tokenized(
        tuple(entry for part in parts for entry in part.ids),
        tuple(entry for part in parts for entry in part.types or ()) if has_types else None,
        tuple(entry for part in parts for entry in part.starts or ()) if has_starts else None,
        sum(part.n_truncated for part in parts),
        _join_windows([part.windows for part in parts if part.windows is not None]),
    )


def _join_windows(parts: Sequence[Windows]) -> Windows | None:
    """The windows of several sets as those of one, whose items follow each other."""
    if not parts:
        return None
    before = np.cumsum([0, *(part.n_items for part in parts)])
    owners = [part.owners + first for part, first in zip(parts, before, strict=False)]
    places = tuple(each for part in parts for each in part.places)
    return Windows(np.concatenate(owners).astype(np.int32), places, int(before[-1]))


def _padded(entries: Sequence[Ints], width: int, fill: int) -> Ints:
    array = np.full((len(entries), width), fill, np.int32)
    for row, entry in enumerate(entries):
        array[row, : len(entry)] = entry
    return array
