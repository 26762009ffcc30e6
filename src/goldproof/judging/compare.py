"""Compare: is B better than A, worse, tied, or undecided? On the same items, with what each answer rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from goldproof.data.answers import Answers
from goldproof.data.arrange import Arranging, read_answers
from goldproof.data.columns import AS_LABELS, PredictionTask, resolve_missing
from goldproof.data.load import Source, model_names
from goldproof.data.predictions import Reading, RowIds
from goldproof.errors import DataError, UsageError
from goldproof.judging.aggregates import Aggregate, compare_aggregates
from goldproof.judging.checkpoints.agreement import last_steps
from goldproof.judging.differences import (
    Difference,
    Judging,
    collapsed_runs,
    compare_pair,
    comparison_limits,
    differences_of,
    tag_differences,
)
from goldproof.judging.gate import GateOutcome, Margins, outcome_of
from goldproof.judging.metrics import choose_metric_of, countable, is_of_numbers
from goldproof.judging.missing import label_union, recode, settle
from goldproof.judging.score import Settings
from goldproof.measures.measurement import Measurement, measurement_table

if TYPE_CHECKING:
    import pyarrow as pa

    from goldproof.report.summary import Report


@dataclass(frozen=True, slots=True, repr=False)
class Judgement:
    """What the comparison of B with A comes to: over all, by set, by tag; `notes` states the limits.

    Those of them that must be known before anything else are `cautions` too: what was not the same for A and B. It is
    paired, on the same items, unless only printed scores were given.
    """

    names: tuple[str, str]
    metric: str
    overall: Difference
    sets: Sequence[Difference]
    tags: Sequence[Difference]
    notes: Sequence[str]
    margins: Margins
    answers: Sequence[tuple[Answers, Answers]] = field(default=(), repr=False)
    paired: bool = True
    cautions: Sequence[str] = ()

    @property
    def outcome(self) -> GateOutcome | None:
        """What the gate says; None where none was set. It judges the overall difference."""
        return outcome_of(self.overall.difference, self.margins) if self.margins.is_asked else None

    @property
    def passes(self) -> bool:
        """Whether B passes the gate, if there is one."""
        return self.outcome in (None, "passed")

    def rows(self) -> list[Difference]:
        """Every difference: over all, by set, by category."""
        sets = [each for each in self.sets if each.where]  # a set without a name is all there is
        return [self.overall, *sets, *self.tags]

    def where_keys(self) -> list[str]:
        """What tells the differences apart: language, dataset, tag."""
        return list(dict.fromkeys(key for row in self.rows() for key in row.where))

    def to_arrow(self) -> pa.Table:
        """Every difference as an Arrow table."""
        name = f"{self.metric}: B − A"
        return measurement_table([Measurement(name, row.difference, row.where) for row in self.rows()])

    def to_pandas(self) -> Any:
        """Every difference as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def report(self) -> Report:
        """The report, for rendering."""
        if self.paired:
            from goldproof.judging.compare_report import compare_report
        else:
            from goldproof.judging.aggregate_report import compare_report

        return compare_report(self)

    def __repr__(self) -> str:
        """The verdict; everything is in `to_pandas()`."""
        return self.overall.verdict.text

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()


def compare(
    a: Source | Aggregate,
    b: Source | Aggregate,
    *,
    columns: Mapping[str, str] | None = None,
    settings: Settings | None = None,
    margins: Margins | None = None,
) -> Judgement:
    """Compare the predictions or logs of B with those of A on the same items, or two printed scores as if on
    different ones.
    """
    from goldproof.judging.logs import compare_logs, logs_among, with_columns

    settings, margins = settings or Settings(), margins or Margins()
    if isinstance(a, Aggregate) and isinstance(b, Aggregate):
        return compare_aggregates(a, b, columns, settings, margins)
    if isinstance(a, Aggregate) or isinstance(b, Aggregate):
        raise UsageError(
            "a printed score cannot be compared with predictions; give the predictions of both, or a printed score "
            "of both"
        )
    logs_a, logs_b = logs_among(a, columns), logs_among(b, columns)
    if logs_a and logs_b:
        return compare_logs(logs_a, logs_b, with_columns(settings, columns), margins)
    if logs_a or logs_b:
        raise UsageError("a log cannot be compared with predictions; give logs of both sides, or predictions of both")
    notes: list[str] = []
    one, other = (_load(source, columns, settings, notes) for source in (a, b))
    judgement = compare_answers(one, other, _names((a, b), (one, other)), settings, margins)
    return replace(judgement, notes=[*dict.fromkeys(notes), *judgement.notes])


def compare_answers(
    a: Sequence[Answers], b: Sequence[Answers], names: tuple[str, str], settings: Settings, margins: Margins
) -> Judgement:
    """Compare the answers of one model with those of another, set by set and over all; each set has one step."""
    pairs, notes = _pair([_without_model(each) for each in a], [_without_model(each) for each in b], settings)
    metric = choose_metric_of(pairs[0][0], settings.metric)
    if metric == "spearman":
        raise UsageError("the metric 'spearman' cannot be compared; allowed: pearson")
    margins = _on_scale(margins, pairs)
    judging = Judging(metric, settings, margins)
    sets = differences_of([compare_pair(pair, judging) for pair in pairs], judging)
    overall = sets[0]
    if len(sets) > 1:
        overall = replace(differences_of([compare_pair(pool_pairs(pairs), judging)], judging)[0], where={})
    tags = tag_differences(pairs, judging)
    limits = [*notes, *collapsed_runs(pairs), *comparison_limits(pairs, overall, judging)]
    return Judgement(names, metric, overall, sets, tags, limits, margins, pairs)


def _on_scale(margins: Margins, pairs: Sequence[tuple[Answers, Answers]]) -> Margins:
    """The margins on the scale of scores per item: a point is a hundredth of their range."""
    bounds = {side.bounds for pair in pairs for side in pair if side.bounds is not None}
    if not bounds:
        return margins
    if len(bounds) > 1:
        raise DataError(
            "scores of different ranges cannot be compared: "
            + ", ".join(sorted(f"{each.low:g} to {each.high:g}" for each in bounds))
        )
    (scale,) = bounds
    if not scale.more_is_better:
        raise UsageError(
            "for these scores lower is better, but a comparison says which system has more; give 1 − score"
        )
    width = scale.high - scale.low
    return replace(margins, tie=margins.tie * width, gate=None if margins.gate is None else margins.gate * width)


def _load(source: Source, columns: Mapping[str, str] | None, settings: Settings, notes: list[str]) -> list[Answers]:
    row_ids: RowIds = "always" if settings.by_row else "never"
    reading = Reading(columns or {}, missing=settings.missing, row_ids=row_ids, numbers=is_of_numbers(settings.metric))
    read = read_answers(source, reading, Arranging(settings.cluster, settings.common, settings.by_row))
    notes += [note for note in read.notes if note == AS_LABELS]
    found = last_steps(read.answers)
    models = sorted({answers.where.get("model", "") for answers in found})
    if len(models) > 1:
        raise UsageError(f"each side of a comparison is one model; this one holds {len(models)}: {', '.join(models)}")
    return found


def _names(sources: tuple[Source, Source], sides: Sequence[Sequence[Answers]]) -> tuple[str, str]:
    """The models' names where the rows give two, else the files', else A and B."""
    models = [side[0].where.get("model", "") for side in sides]
    if all(models) and models[0] != models[1]:
        return models[0], models[1]
    paths = [Path(source) for source in sources if isinstance(source, str | Path)]
    if len(paths) == 2 and paths[0].resolve() != paths[1].resolve():
        first, second = model_names(paths)  # a folder tells two files of one name apart
        return first, second
    a, b = (
        Path(source).stem if isinstance(source, str | Path) else letter
        for source, letter in zip(sources, "AB", strict=True)
    )
    return (a, b) if a != b else ("A", "B")


def _without_model(answers: Answers) -> Answers:
    return replace(answers, where={key: value for key, value in answers.where.items() if key != "model"})


def _pair(a: list[Answers], b: list[Answers], settings: Settings) -> tuple[list[tuple[Answers, Answers]], list[str]]:
    """The sets of both sides that belong together, on the same items in the same order."""
    by_set = {tuple(sorted(each.where.items())): each for each in b}
    both = [(each, by_set[key]) for each in a if (key := tuple(sorted(each.where.items()))) in by_set]
    if not both and len(a) == len(b) == 1:
        both = [(a[0], b[0])]
    if not both:
        raise DataError(
            f"A and B have no set in common: A has {', '.join(each.name() for each in a)}; B has "
            f"{', '.join(each.name() for each in b)}"
        )
    notes: list[str] = []
    in_both = {id(each) for pair in both for each in pair}
    alone = [each.name() for each in (*a, *b) if id(each) not in in_both]
    if alone:
        notes.append(f"On one side only, so left out: {', '.join(alone)}.")
    return [_align(one, other, settings, notes) for one, other in both], notes


def _align(a: Answers, b: Answers, settings: Settings, notes: list[str]) -> tuple[Answers, Answers]:
    if a.task != b.task:
        raise DataError(
            f"A holds answers of the kind {a.task} and B of the kind {b.task}; only answers of one kind can be compared"
        )
    shared, in_a, in_b = np.intersect1d(a.ids, b.ids, return_indices=True)
    if len(shared) < max(len(a.ids), len(b.ids)):
        what = f"A has {len(a.ids)} items and B {len(b.ids)}; {len(shared)} are in both"
        lacking = np.setxor1d(a.ids, b.ids)[:3]
        if settings.by_row:
            raise DataError(
                f"matching by row needs the same number of rows in A and B ({a.name()}): A has {len(a.ids):,}, B has "
                f"{len(b.ids):,}"
            )
        if not settings.common or not len(shared):
            example = ", ".join(repr(str(i)) for i in lacking)
            advice = "; --common compares on these" if len(shared) else ""
            raise DataError(f"the ids of A and B do not match ({a.name()}): {what} (not in both: {example}){advice}")
        notes.append(f"{a.name()}: {what}; those are compared.")
    missing = resolve_missing(cast(PredictionTask, a.task), settings.missing)
    (a, b), said = settle([a.take(in_a), b.take(in_b)], missing, ("A", "B"))
    notes += said
    if settings.by_row:
        _check_texts(a, b)
    if a.task == "score":
        return countable(a), countable(b)
    a, b = _same_codes(a, b)
    differs = np.flatnonzero([x != y for x, y in zip(a.gold, b.gold, strict=True)])
    if len(differs):
        golds = " and ".join(f"{_gold_of(side, differs[0])!r} in {name}" for side, name in ((a, "A"), (b, "B")))
        items = "1 item" if len(differs) == 1 else f"{len(differs)} items"
        raise DataError(
            f"the gold of {items} differs between A and B ({a.name()}; for example id "
            f"{str(a.ids[differs[0]])!r}: {golds}); only answers to the same questions can be compared"
        )
    return countable(a), countable(b)


def _gold_of(answers: Answers, item: int) -> Any:
    """What is right for an item, as the file says it."""
    gold = answers.gold[item]
    return answers.labels[gold] if answers.task == "classification" else gold.item() if hasattr(gold, "item") else gold


def _check_texts(a: Answers, b: Answers) -> None:
    """Rows that are matched by their numbers must hold the same texts, where both sides have them."""
    for name in set(a.texts or {}) & set(b.texts or {}):
        pairs = zip((a.texts or {})[name], (b.texts or {})[name], strict=True)
        differs = [row for row, (one, other) in enumerate(pairs) if one != other]
        if differs:
            row = min(int(a.ids[i]) for i in differs) + 1
            raise DataError(
                f"matching by row needs the same texts, and {len(differs):,} of {a.n_items:,} differ in {name!r}, "
                f"first in row {row}; give both files in one order, or ids"
            )


def _same_codes(a: Answers, b: Answers) -> tuple[Answers, Answers]:
    """Both sides coded by the same labels."""
    if a.labels == b.labels or a.task != "classification":
        return a, b
    labels = label_union(a.labels, b.labels)
    return recode(a, labels), recode(b, labels)


def pool_pairs(pairs: Sequence[tuple[Answers, Answers]]) -> tuple[Answers, Answers]:
    """All sets as one; the same id in several sets is one cluster, since it is the same item in other words."""
    return _pooled([a for a, _ in pairs]), _pooled([b for _, b in pairs])


def _pooled(several: Sequence[Answers]) -> Answers:
    shortest = min(len(each.runs) for each in several)
    labels = [each.clusters if each.clusters is not None else each.ids for each in several]
    clusters = np.unique(np.array([str(x) for part in labels for x in part], object), return_inverse=True)[1]
    return replace(
        several[0],
        where={},
        labels=max((each.labels for each in several), key=len),
        ids=np.concatenate([each.ids for each in several]),
        gold=np.concatenate([each.gold for each in several]),
        runs=np.concatenate([each.runs[:shortest] for each in several], axis=1),
        run_names=several[0].run_names[:shortest],
        clusters=clusters,
        tags=None,
        texts=None,
        probabilities=None,
    )
