"""Streaming: files too large for memory, counted batch by batch into pairs of labels.

Memory is bounded by one batch and by the pairs of labels that occur in each set, run and tag. What needs single items
(inference over runs × items, clusters, flips, churn) is left out, and said.
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
from goldproof.data.predictions import Reading, stream_predictions
from goldproof.errors import DataError, UsageError
from goldproof.judging.confusions import PairCounts, counted_findings
from goldproof.judging.metrics import choose_metric, is_of_numbers, with_others
from goldproof.judging.missing import NO_ANSWER, label_union
from goldproof.judging.scope import scope_of_score
from goldproof.statistics.arrays import FloatArray
from goldproof.statistics.chance import chance_band
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import mean_interval, table_interval
from goldproof.statistics.many_labels import LabelSums
from goldproof.statistics.metrics import Metric, among, metric
from goldproof.statistics.power import detectable_unpaired

if TYPE_CHECKING:
    from goldproof.judging.score import Scores, SetScore, Settings
    from goldproof.judging.tags import TagScore

LARGEST_IN_MEMORY = 1_000_000
_KEYS = (*WHERE, "run", "step")


@dataclass(slots=True)
class Tally:
    """CountsByPlace of (gold, prediction) for each set, run and step, whole and by tag ("" is the whole)."""

    counts: Counter[tuple[Any, ...]] = field(default_factory=Counter)
    labels: set[str] = field(default_factory=set)
    n_rows: int = 0
    n_missing: int = 0
    notes: list[str] = field(default_factory=list)

    def read(self, path: Path, model: str | None, reading: Reading) -> None:
        """Count the rows of a file."""
        streamed = stream_predictions(path, reading)
        self.notes += streamed.notes
        for batch in streamed.batches:
            if not pa.types.is_string(batch.schema.field("gold").type):
                raise DataError("only classification can be scored as it streams; split the file", path=path)
            self.add(batch, model)

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
    """Score files of any size from counts of pairs of labels alone."""
    from goldproof.judging.score import Scores

    paths = file_list(source)
    names = model_names(paths) if len(paths) > 1 else [None]
    tally = Tally()
    reading = Reading(
        columns or {},
        missing=settings.missing,
        row_ids="alone",
        without=("text", "pair"),
        numbers=is_of_numbers(settings.metric),
    )
    for path, model in zip(paths, names, strict=True):
        tally.read(path, model, reading)
    notes = [*dict.fromkeys(tally.notes), *_missing_notes(tally, settings)]
    if settings.cluster not in ("auto", "none"):
        raise UsageError(f"--cluster {settings.cluster} needs single items, and these {tally.n_rows} rows are streamed")
    name = choose_metric("classification", settings.metric)
    labels = label_union(tally.labels)
    counts = _counts(tally, labels)
    measures = Measures(labels, tuple(with_others("classification", name)))
    scored = [_set_score(where, runs, measures, settings) for (where, tag), runs in counts.items() if tag == ""]
    tags = _tag_scores(counts, measures, settings)
    notes = [
        *notes,
        f"{tally.n_rows} rows were counted while streaming: intervals are over items for one run and over runs for "
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


CountsByPlace = dict[tuple[Any, str], dict[str, PairCounts]]
"""Pairs of labels by (set, tag) and run, of each run's last step."""


def _counts(tally: Tally, labels: Sequence[str]) -> CountsByPlace:
    code = {label: i for i, label in enumerate(labels)}
    last: dict[tuple[Any, str], int] = {}
    for where, run, step, *_ in tally.counts:
        last[where, run] = max(last.get((where, run), -1), -1 if step is None else step)
    cells: dict[tuple[Any, str], dict[str, list[tuple[int, int]]]] = {}
    for (where, run, step, tag, gold, prediction), n in sorted(tally.counts.items(), key=repr):
        if (-1 if step is None else step) == last[where, run]:
            pairs = cells.setdefault((where, tag), {}).setdefault(run, [])
            pairs.append((code[gold] * len(labels) + code[prediction], n))
    return {
        key: {run: PairCounts.of_list(pairs, len(labels)) for run, pairs in runs.items()} for key, runs in cells.items()
    }


@dataclass(frozen=True, slots=True)
class Measures:
    """The metrics of a set of labels, the main one first, for counts of pairs of them."""

    labels: tuple[str, ...]
    names: tuple[str, ...]

    def metric(self, name: str) -> Metric:
        """The metric of all labels."""
        unscored = int(self.labels[-1:] == (NO_ANSWER,))
        return metric(name, max(2, len(self.labels)), unscored)

    def value(self, counts: PairCounts, name: str) -> float:
        """The score of these counts."""
        measure, k = self.metric(name), len(self.labels)
        if measure.many is not None:
            sums = LabelSums(counts.hits(k), counts.of_gold(k), counts.of_predicted(k))
            return float(measure.score(sums.flat()))
        return float(measure.of_tables(counts.table(measure.n_classes)))

    def interval(self, runs: Mapping[str, PairCounts], name: str, level: float) -> Estimate:
        """The score of one run over items, or the mean of several over runs."""
        each = list(runs.values())
        if len(each) == 1:
            return table_interval(*self.with_table(each[0], name), level)
        over = mean_interval(np.array([self.value(counts, name) for counts in each]), level)
        return Estimate(over.value, over.low, over.high, "t over runs, items fixed", int(each[0].n.sum()), level)

    def with_table(self, counts: PairCounts, name: str) -> tuple[Metric, FloatArray]:
        """The metric and the table of these counts; where labels are many, of those that occur."""
        measure = self.metric(name)
        if measure.many is None:
            return measure, counts.table(measure.n_classes)
        labels = np.unique(np.concatenate([counts.gold, counts.predicted]))
        gold, predicted = (np.searchsorted(labels, part) for part in (counts.gold, counts.predicted))
        few = among(measure, labels)
        return few, PairCounts(gold, predicted, counts.n).table(few.n_classes)


def _set_score(
    where: tuple[str | None, ...], runs: Mapping[str, PairCounts], measures: Measures, settings: Settings
) -> SetScore:
    from goldproof.judging.score import SetScore

    first, k = next(iter(runs.values())), len(measures.labels)
    n_items = int(first.n.sum())
    accuracy = float(first.hits(k).sum() / n_items)
    scope, about = scope_of_score(len(runs))
    return SetScore(
        where=_where(where),
        n_items=n_items,
        run_names=tuple(runs),
        estimates={name: measures.interval(runs, name, settings.level) for name in measures.names},
        run_scores=np.array([measures.value(counts, measures.names[0]) for counts in runs.values()]),
        floor=float(first.of_gold(k).max() / n_items),
        detectable=detectable_unpaired(n_items, float(np.clip(accuracy, 0.01, 0.99))),
        labels=counted_findings(_where(where), measures.labels, list(runs.values()), settings.level),
        scope=scope,
        about=about,
    )


def _tag_scores(counts: CountsByPlace, measures: Measures, settings: Settings) -> list[TagScore]:
    from goldproof.judging.tags import TagScore, TagVerdict, decide

    rng, main = np.random.default_rng(settings.seed), measures.names[0]
    scores: list[TagScore] = []
    for (key, tag), runs in counts.items():
        if not tag:
            continue
        estimate = measures.interval(runs, main, settings.level)
        values = np.array([measures.value(of_run, main) for of_run in runs.values()])
        first = next(iter(runs.values()))
        where, nan = _where(key), float("nan")
        if len(runs) > 1 or first.n.sum() < settings.smallest_tag:
            limit: TagVerdict = "not tested" if len(runs) > 1 else "too few items"
            scores.append(TagScore(where, tag, estimate, values, None, nan, nan, limit))
            continue
        chance = chance_band(*measures.with_table(first, main), rng, level=settings.level)
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
