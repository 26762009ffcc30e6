"""A probing task: a label for each item, and which items train, validate and test. It holds no features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldproof.draws import draw_fraction
from goldproof.errors import DataError, UsageError
from goldproof.statistics.arrays import IntArray

SPLITS = ("train", "validation", "test")


@dataclass(frozen=True, slots=True, eq=False)
class ProbeTask:
    """Class numbers of all items, the names of the classes, and the rows of each split."""

    classes: tuple[str, ...]
    codes: IntArray
    train: IntArray
    validation: IntArray
    test: IntArray

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.classes)

    def rows(self, split: str) -> IntArray:
        """The rows of a split."""
        found: IntArray = getattr(self, split)
        return found


def probe_task(labels: Sequence[str], splits: Sequence[str]) -> ProbeTask:
    """A task from one label and one split (train, validation or test) for each item.

    >>> task = probe_task(["a", "b", "a", "b"], ["train", "train", "validation", "test"])
    >>> task.classes, task.train.tolist()
    (('a', 'b'), [0, 1])
    """
    if len(labels) != len(splits):
        raise UsageError(f"each item needs a label and a split; got {len(labels)} labels and {len(splits)} splits")
    unknown = sorted(set(splits) - set(SPLITS))
    if unknown:
        raise UsageError(f"a split is one of {', '.join(SPLITS)}; got {unknown[0]!r}")
    rows = {name: [row for row, split in enumerate(splits) if split == name] for name in SPLITS}
    for name in SPLITS:
        if len(rows[name]) == 0:
            raise DataError(f"the split {name} is empty; a probe needs items in {', '.join(SPLITS)}")
    classes = tuple(sorted({labels[row] for row in rows["train"]}))
    if len(classes) < 2:
        raise DataError(f"all {len(rows['train'])} training items have the label {classes[0]!r}; a probe needs two")
    codes = {name: code for code, name in enumerate(classes)}
    for name in ("validation", "test"):
        for row in rows[name]:
            if labels[row] not in codes:
                raise DataError(
                    f"item {row} of {name} has the label {labels[row]!r}, which no training item has; "
                    f"training items have: {_listed(classes)}"
                )
    numbers = np.array([codes.get(label, -1) for label in labels], np.int64)
    return ProbeTask(classes, numbers, *(np.array(rows[name], np.int64) for name in SPLITS))


def hold_out(texts: Sequence[str], labels: Sequence[str], share: float, seed: int = 0) -> npt.NDArray[np.bool_]:
    """Which items to hold out for validation: the share of each class with the lowest hash of (seed, text).

    The choice hangs on texts alone, so order plays no part and equal texts stay together.

    >>> hold_out(["a", "b", "c", "d"], ["x", "x", "y", "y"], 0.5).sum().item()
    2
    """
    if not 0 < share < 1:
        raise UsageError(f"the share to hold out must be above 0 and below 1; got {share}")
    hashes = np.array([draw_fraction(seed, "hold out", text) for text in texts])
    chosen = np.zeros(len(texts), bool)
    for label, count in Counter(labels).items():
        rows = np.array([row for row, found in enumerate(labels) if found == label])
        limit = np.sort(hashes[rows])[min(count - 1, round(share * count))]
        chosen[rows] = hashes[rows] < limit
    return chosen


def majority_accuracy(task: ProbeTask) -> float:
    """Accuracy on test of always giving the class that is most frequent in training.

    >>> majority_accuracy(probe_task(["a", "a", "b", "b", "a", "b"], ["train"] * 3 + ["validation", "test", "test"]))
    0.5
    """
    most = int(np.bincount(task.codes[task.train]).argmax())
    return float((task.codes[task.test] == most).mean())


def _listed(classes: tuple[str, ...]) -> str:
    shown = ", ".join(map(repr, classes[:10]))
    return shown if len(classes) <= 10 else f"{shown} and {len(classes) - 10} more"
