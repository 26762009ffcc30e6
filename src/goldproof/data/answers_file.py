"""Answers as a file of predictions, which `goldproof score`, `compare` and `rank` read as they read anybody's.

One row for each run and item: id, gold, prediction (null where there is none), run, and what the set is of. Only
classes have such a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from goldproof.data.answers import Answers
from goldproof.errors import StoreError, UsageError
from goldproof.jobs.files import written_aside


def answers_table(several: Sequence[Answers]) -> pa.Table:
    """The rows of all sets.

    >>> answers = Answers({"language": "en"}, None, "classification", ("no", "yes"), np.array(["a", "b"]),
    ...                   np.array([0, 1]), np.array([[0, 1], [1, -1]]), ("1", "2"))
    >>> answers_table([answers]).column("prediction").to_pylist()
    ['no', 'yes', 'yes', None]
    """
    return pa.concat_tables([_rows(answers) for answers in several], promote_options="default")


def write_answers(several: Sequence[Answers], path: Path) -> None:
    """Write the rows as Parquet; a reader sees the old file or the new one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_aside(path) as file:
            pq.write_table(answers_table(several), file, compression="zstd")
    except OSError as error:
        raise StoreError(f"the answers cannot be written to {path}: {error.strerror or error}") from error


def _rows(answers: Answers) -> pa.Table:
    if answers.task != "classification":
        raise UsageError(
            f"only answers that are classes can be written as a file of predictions; these are {answers.task}"
        )
    labels = np.array([*answers.labels, None], object)
    n = answers.n_items * answers.n_runs
    columns = {
        "id": pa.array([str(item) for item in answers.ids] * answers.n_runs, pa.string()),
        "gold": pa.array(labels[answers.gold].tolist() * answers.n_runs, pa.string()),
        "prediction": pa.array(labels[answers.runs].ravel().tolist(), pa.string()),
        "run": pa.array(np.repeat(np.array(answers.run_names, object), answers.n_items).tolist(), pa.string()),
    }
    columns |= {name: pa.array([value] * n, pa.string()) for name, value in answers.where.items()}
    return pa.table(columns)
