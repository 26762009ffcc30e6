"""The items' scores of logs as one long table, which every reader of tables knows and which is read back as a log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from goldproof.data.logs.log import Log
from goldproof.errors import StoreError, UsageError
from goldproof.jobs.files import written_aside


def tidy_table(logs: Sequence[Log]) -> pa.Table:
    """A row for each run and item: id, score (null where there is none), run, model, dataset, metric, and more.

    Where the runs are the same system asked again, their column is called `repeat`.
    """
    parts = [_part(log, run) for log in logs for run in range(log.answers.n_runs)]
    return pa.concat_tables(parts, promote_options="default")


def write_tidy(logs: Sequence[Log], path: Path) -> None:
    """Write the table as Parquet."""
    if any(log.answers.bounds is not None and log.answers.bounds.of_means for log in logs):
        raise UsageError("results of MTEB have a score for each draw of training examples, not for each item")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_aside(path) as file:
            pq.write_table(tidy_table(logs), file)
    except OSError as error:
        raise StoreError(f"the scores cannot be written to {path}: {error.strerror or error}") from error


def _part(log: Log, run: int) -> pa.Table:
    answers = log.answers
    n = answers.n_items
    columns: dict[str, pa.Array] = {
        "id": pa.array([str(item) for item in answers.ids], pa.string()),
        "score": pa.array(answers.runs[run], pa.float64(), from_pandas=True),
        "repeat" if answers.run_kind == "repeat" else "run": pa.array([answers.run_names[run]] * n, pa.string()),
        "model": pa.array([log.model] * n, pa.string()),
        "dataset": pa.array([log.task] * n, pa.string()),
        "metric": pa.array([log.metric] * n, pa.string()),
    }
    if "language" in answers.where:
        columns["language"] = pa.array([answers.where["language"]] * n, pa.string())
    if answers.clusters is not None:
        columns["cluster"] = pa.array([str(code) for code in answers.clusters], pa.string())
    if answers.tags is not None:
        columns |= _kinds(answers.tags)
    if answers.texts is not None and "text" in answers.texts:
        columns["text"] = pa.array(list(answers.texts["text"]), pa.string())
    return pa.table(columns)


def _kinds(tags: Sequence[tuple[str, ...]]) -> dict[str, pa.Array]:
    """The items' categories in columns that readers of tables know, where there are no more than two of each item."""
    most = max((len(each) for each in tags), default=0)
    if most > 2:
        return {"tags": pa.array([list(each) for each in tags], pa.list_(pa.string()))}
    names = ("category", "task")[:most]
    return {
        name: pa.array([each[place] if len(each) > place else None for each in tags], pa.string())
        for place, name in enumerate(names)
    }
