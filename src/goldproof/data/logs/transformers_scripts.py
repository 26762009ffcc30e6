"""What the example scripts and the Trainer of transformers write: aggregates, or predictions without what is right.

None of it has a score for each item, nor what one could be made of; the errors say what is missing, and how to get it.
"""

from __future__ import annotations

from pathlib import Path

from goldproof.data.formats.files import BOM
from goldproof.errors import DataError

KEYS = (
    frozenset({"log_history", "global_step"}),
    frozenset({"eval_loss", "eval_runtime"}),
    frozenset({"predict_loss", "predict_runtime"}),
    frozenset({"train_loss", "train_runtime"}),
)
_HEADER = b"index\tprediction"


def is_predictions(head: bytes) -> bool:
    """Whether a file begins as `predict_results.txt` does."""
    first = head.removeprefix(BOM).split(b"\n", 1)[0]
    return first.rstrip(b"\r") == _HEADER


def no_gold(path: Path) -> DataError:
    """The error of such a file."""
    with path.open("rb") as stream:
        predictions = is_predictions(stream.read(64))
    if predictions:
        return DataError(
            "predictions of a transformers script, without the right answers: a table with the columns id, gold and "
            "prediction is needed; give PredictionOutput of Trainer.predict to goldproof.score, or join the labels",
            path=path,
        )
    return DataError(
        "numbers from a transformers Trainer for all items together (a loss, times, metrics): there is no score for "
        "each item; give PredictionOutput of Trainer.predict to goldproof.score, or a table with the columns id, "
        "gold and prediction",
        path=path,
    )
