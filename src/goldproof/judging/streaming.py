"""Streaming: files too large for memory, counted batch by batch into confusion tables.

Memory is bounded by one batch and by the number of sets, runs, tags and labels. What needs single items (inference
over runs × items, clusters, flips, churn) is left out, and said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldproof.data.arrange import WHERE
from goldproof.data.formats.added import open_added
from goldproof.data.formats.files import check_file, iter_blocks, suffix_of
from goldproof.data.load import Files, file_list, model_names
from goldproof.data.predictions import iter_prediction_batches
from goldproof.errors import DataError, UsageError
from goldproof.judging.metrics import choose_metric, with_others
from goldproof.judging.missing import NO_ANSWER, label_union
from goldproof.statistics.arrays import Array
from goldproof.statistics.chance import chance_band
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import mean_interval, table_interval
from goldproof.statistics.metrics import Metric, metric
from goldproof.statistics.power import detectable_unpaired

if TYPE_CHECKING:
    from goldproof.judging.score import Scores, SetScore, Settings
    from goldproof.judging.tags import TagScore

LARGEST_IN_MEMORY = 1_000_000
_KEYS = (*WHERE, "run", "step")


@dataclass(slots=True)
class Tally:
    """Counts of (gold, prediction) for each set, run and step, whole and by tag ("" is the whole)."""

    counts: Counter[tuple[Any, ...]] = field(default_factory=Counter)
    labels: set[str] = field(default_factory=set)
    n_rows: int = 0
    n_missing: int = 0

    def add(self, batch: pa.RecordBatch, model: str | None) -> None:
        """Count one batch of predictions."""
        table = pa.Table.from_batches([batch])
        self.n_rows += table.num_rows
        if absent := table.column("prediction").null_count:
            self.n_missing += absent
            filled = pc.fill_null(table.column("prediction"), NO_ANSWER)
            table = table.set_column(table.schema.get_field_index("prediction"), "prediction", filled)
        whole = table.append_column("tag", pa.array([""] * table.num_rows, pa.string()))
        parts = [whole]
        if "tags" in table.column_names:
            column = table.column("tags").combine_chunks()
            rows = pc.list_parent_indices(column)
            parts.append(table.take(rows).append_column("tag", pc.list_flatten(column).cast(pa.string())))
        for part in parts:
            self._count(part, model)

    def _count(self, table: pa.Table, model: str | None) -> None:
        names = [name for name in _KEYS if name in table.column_names]
        keys = [*names, "tag", "gold", "prediction"]
        counted = table.select(keys).group_by(keys, use_threads=False).aggregate([([], "count_all")])
        for row in counted.to_pylist():
            where = tuple(str(row[name]) if row.get(name) is not None else None for name in WHERE)
            where = (model, *where[1:]) if where[0] is None else where
            key = (where, str(row.get("run") or ""), row.get("step"), row["tag"], row["gold"], row["prediction"])
            self.counts[key] += row["count_all"]
            self.labels |= {row["gold"], row["prediction"]}


def is_large(source: Files) -> bool:
    """Whether the files hold more rows than are kept in memory."""
    return sum(_count_rows(path) for path in file_list(source)) > LARGEST_IN_MEMORY


def score_stream(source: Files, columns: Mapping[str, str] | None, settings: Settings) -> Scores:
    """Score files of any size from confusion tables alone."""
    from goldproof.judging.score import Scores

    paths = file_list(source)
    names = model_names(paths) if len(paths) > 1 else [None]
    tally = Tally()
    for path, model in zip(paths, names, strict=True):
        for batch in iter_prediction_batches(path, columns, missing=settings.missing, without=("text", "pair")):
            if not pa.types.is_string(batch.schema.field("gold").type):
                raise DataError("only classification can be scored as it streams; split the file", path=path)
            tally.add(batch, model)
    notes = _missing_notes(tally, settings)
    if settings.cluster not in ("auto", "none"):
        raise UsageError(f"--cluster {settings.cluster} needs single items, and these {tally.n_rows} rows are streamed")
    name = choose_metric("classification", settings.metric)
    labels = label_union(tally.labels)
    tables = _tables(tally, labels)
    unscored = int(labels[-1:] == (NO_ANSWER,))
    metrics = {each: metric(each, max(2, len(labels)), unscored) for each in with_others("classification", name)}
    scored = [_set_score(where, runs, metrics, settings) for (where, tag), runs in tables.items() if tag == ""]
    tags = _tag_scores(tables, metrics[name], settings)
    notes = [
        *notes,
        f"{tally.n_rows} rows were counted as they streamed: intervals are over items for one run and over runs for "
        "several (items fixed); clusters, flips, churn and repeated ids were not looked at.",
    ]
    return Scores(
        name, "classification", scored, tags, [], [], notes, settings, {"files": ", ".join(p.name for p in paths)}
    )


def _missing_notes(tally: Tally, settings: Settings) -> list[str]:
    if not tally.n_missing:
        return []
    if settings.missing == "leave-out":
        raise UsageError(
            f"--missing leave-out needs single items, and these {tally.n_rows} rows are streamed; allowed: wrong, "
            "refuse"
        )
    return [f"{tally.n_missing:,} of {tally.n_rows:,} predictions are missing and count as wrong."]


def _tables(tally: Tally, labels: Sequence[str]) -> dict[tuple[Any, str], dict[str, Array]]:
    """Confusion tables by (set, tag) and run, of each run's last step."""
    code = {label: i for i, label in enumerate(labels)}
    last: dict[tuple[Any, str], int] = {}
    for where, run, step, *_ in tally.counts:
        last[where, run] = max(last.get((where, run), -1), -1 if step is None else step)
    tables: dict[tuple[Any, str], dict[str, Array]] = {}
    for (where, run, step, tag, gold, prediction), count in sorted(tally.counts.items(), key=repr):
        if (-1 if step is None else step) == last[where, run]:
            table = tables.setdefault((where, tag), {}).setdefault(run, np.zeros((len(labels), len(labels))))
            table[code[gold], code[prediction]] += count
    return tables


def _set_score(
    where: tuple[str | None, ...], runs: dict[str, Array], metrics: Mapping[str, Metric], settings: Settings
) -> SetScore:
    from goldproof.judging.score import SetScore

    first = next(iter(runs.values()))
    n_items = int(first.sum())
    accuracy = float(np.trace(first) / n_items)
    return SetScore(
        where=_where(where),
        n_items=n_items,
        run_names=tuple(runs),
        estimates={name: _estimate(runs, each, settings.level) for name, each in metrics.items()},
        run_scores=np.array([_value(table, next(iter(metrics.values()))) for table in runs.values()]),
        floor=float(first.sum(axis=1).max() / n_items),
        detectable=detectable_unpaired(n_items, float(np.clip(accuracy, 0.01, 0.99))),
    )


def _estimate(runs: dict[str, Array], measure: Metric, level: float) -> Estimate:
    tables = list(runs.values())
    if len(tables) == 1:
        return table_interval(measure, tables[0], level)
    over = mean_interval(np.array([_value(table, measure) for table in tables]), level)
    return Estimate(over.value, over.low, over.high, "t over runs, items fixed", int(tables[0].sum()), level)


def _value(table: Array, measure: Metric) -> float:
    return float(measure.score(table.ravel()))


def _tag_scores(tables: dict[tuple[Any, str], dict[str, Array]], measure: Metric, settings: Settings) -> list[TagScore]:
    from goldproof.judging.tags import TagScore, TagVerdict, decide

    rng = np.random.default_rng(settings.seed)
    scores: list[TagScore] = []
    for (key, tag), runs in tables.items():
        if not tag:
            continue
        estimate = _estimate(runs, measure, settings.level)
        values = np.array([_value(table, measure) for table in runs.values()])
        first = next(iter(runs.values()))
        where, nan = _where(key), float("nan")
        if len(runs) > 1 or first.sum() < settings.smallest_tag:
            limit: TagVerdict = "not tested" if len(runs) > 1 else "too few items"
            scores.append(TagScore(where, tag, estimate, values, None, nan, nan, limit))
            continue
        chance = chance_band(measure, first, rng, level=settings.level)
        scores.append(TagScore(where, tag, estimate, values, chance.band, chance.p_value, nan, "not tested"))
    return decide(scores, settings.level)


def _where(key: tuple[str | None, ...]) -> dict[str, str]:
    return {name: value for name, value in zip(WHERE, key, strict=True) if value is not None}


def _count_rows(path: Path) -> int:
    """The rows of a Parquet file or of one that a plugin reads, or the lines of any other."""
    check_file(path)
    if suffix_of(path) == ".parquet":
        import pyarrow.parquet as pq

        try:
            return int(pq.ParquetFile(path).metadata.num_rows)
        except (pa.ArrowException, OSError, MemoryError):
            return 0  # the reader will say what is wrong with it
    if path.stat().st_size < 2 * LARGEST_IN_MEMORY:
        return 0
    added = open_added(path)
    if added is not None:
        return sum(batch.columns.num_rows for batch in added.iter_batches(added.column_names[:1]))
    return sum(block.count(b"\n") for block in iter_blocks(path))
