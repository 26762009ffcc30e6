"""The report of `compare`: the answer, the differences by set and category, and the items that changed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from goldproof.data.answers import Answers
from goldproof.judging.compare import Judgement
from goldproof.judging.compare_answer import (
    compare_answer,
    compare_figure,
    compare_findings,
    compare_question,
    difference_claim,
    drawn_difference,
    set_name,
)
from goldproof.judging.differences import Difference
from goldproof.judging.metric_numbers import difference_format
from goldproof.judging.metrics import title_of
from goldproof.judging.score_answer import metric_column
from goldproof.judging.score_report import MOST_EXAMPLES, set_fields, telling_fields
from goldproof.report.charts import Caption, dots
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.numbers import count, extremes
from goldproof.report.overview import MOST_ROWS
from goldproof.report.summary import (
    Cell,
    Column,
    Example,
    ExampleList,
    Item,
    Missing,
    Plain,
    Report,
    Section,
    Text,
)


def compare_report(judgement: Judgement) -> Report:
    """The report of a comparison."""
    sections = [Section("The difference", _difference_items(judgement))]
    if judgement.tags:
        sections.append(Section("By category", _tag_items(judgement)))
    examples = _example_items(judgement)
    if examples:
        sections.append(Section("Items that changed", examples))
    if judgement.notes:
        sections.append(Section("Limits", [Text(note) for note in judgement.notes]))
    provenance: dict[str, Plain] = {
        "A": judgement.names[0],
        "B": judgement.names[1],
        "tie margin": judgement.margins.tie,
    }
    answer = replace(compare_answer(judgement), figure=compare_figure(judgement))
    return Report("compare", compare_question(judgement), compare_findings(judgement), sections, provenance, answer)


def _difference_items(judgement: Judgement) -> list[Item]:
    shown = [*judgement.sets]
    if len(judgement.sets) > 1:
        shown.append(replace(judgement.overall, where={**judgement.overall.where, "language": "all"}))
    fields: list[Field[Difference]] = [*set_fields(judgement.sets), *_fields(judgement, len(judgement.sets) > 1)]
    note = TOGETHER if len(judgement.sets) > 1 else ""
    title = f"{title_of(judgement.metric)}: {difference_claim(judgement).text.removesuffix('.')}"
    heading = Heading("difference", title, note)
    items: list[Item] = [make_table(heading, fields, shown)]
    if len(judgement.sets) >= MOST_ROWS:
        kinds = [d.verdict.kind for d in judgement.sets]
        n, b = len(kinds) - kinds.count("unknown"), judgement.names[1]
        title = f"{b} is shown to be better in {kinds.count('better')} of {n} sets, worse in {kinds.count('worse')}"
        items.append(_figure("difference", title, [(set_name(d), d) for d in judgement.sets], judgement))
    return items


def _tag_items(judgement: Judgement) -> list[Item]:
    fields: list[Field[Difference]] = [
        *telling_fields(judgement.sets),
        Field(Column("tag", "Category"), lambda d: d.where["tag"]),
        *_fields(judgement, together=True),
    ]
    clear = sum(d.verdict.kind in ("better", "worse") for d in judgement.tags)
    tested = sum(d.verdict.kind != "unknown" for d in judgement.tags)
    a, b = judgement.names
    title = f"{b} and {a} are shown to differ in {clear} of {tested} categories that could be tested"
    note = TOGETHER
    named = [(set_name(d), d) for d in judgement.tags]
    column = metric_column(judgement.metric)
    unit = "points" if column.unit else ""
    most = f"{b} − {a} by category: {extremes([(name, d.difference) for name, d in named], column.digits, unit)}"
    table = make_table(Heading("categories", title, note), fields, judgement.tags)
    return [table, _figure("categories", most, named, judgement)]


TOGETHER = (
    "Verdicts rest on the intervals and p-values that hold for all rows at once (single-step max-T); those of each "
    "row alone are shown beside them."
)


def _fields(judgement: Judgement, together: bool) -> list[Field[Difference]]:
    """What is shown of a difference: alone, and where there are several, what holds for all of them together."""
    score, size = metric_column(judgement.metric), difference_format(judgement.metric)
    a, b = judgement.names
    fields: list[Field[Difference]] = [
        Field(Column("n", "Items"), lambda d: d.difference.n),
        Field(replace(score, key="a", title=a), lambda d: d.a),
        Field(replace(score, key="b", title=b), lambda d: d.b),
        Field(Column("difference", f"{b} − {a}", size.digits, size.unit), lambda d: d.difference),
        Field(Column("p", "p", 4, "p-value", "two-sided test of no difference"), _p_value),
    ]
    if together:
        note = "interval that holds for all rows at once"
        fields += [
            Field(Column("together", f"{b} − {a}, together", size.digits, size.unit, note), lambda d: d.together),
            Field(Column("adjusted", "p, together", 4, "p-value", "adjusted over the rows"), _adjusted),
        ]
    if any(d.flips is not None for d in judgement.sets):
        mended = Column("mended", "Mended", note=f"wrong in {a}, right in {b}")
        broken = Column("broken", "Broken", note=f"right in {a}, wrong in {b}")
        fields.append(Field(mended, lambda d: d.flips.only_b if d.flips is not None else None))
        fields.append(Field(broken, lambda d: d.flips.only_a if d.flips is not None else None))
    if any(d.churn is not None for d in judgement.rows()):
        fields.append(Field(Column("churn", "Churn", 1, "%", "answers that differ"), lambda d: d.churn))
    return [
        *fields,
        Field(Column("verdict", "Verdict"), lambda d: d.verdict.kind),
    ]


def _p_value(d: Difference) -> Cell:
    return d.p_value if math.isfinite(d.p_value) else Missing(d.difference.method)


def _adjusted(d: Difference) -> Cell:
    return d.adjusted if math.isfinite(d.adjusted) else Missing(d.difference.method)


def _figure(key: str, title: str, named: Sequence[tuple[str, Difference]], judgement: Judgement) -> Item:
    column = metric_column(judgement.metric)
    a, b = judgement.names
    value = replace(column, key="difference", title=f"{b} − {a}", unit="points" if column.unit else "")
    rows: list[dict[str, Cell]] = [{"set": name, "difference": drawn_difference(d)} for name, d in named]
    return dots(rows, Column("set", "Set"), value, caption=Caption(f"{key}-figure", title), rule=0.0)


def _example_items(judgement: Judgement) -> list[Item]:
    pairs = [pair for pair in judgement.answers if pair[0].task == "classification"][:4]
    return [_changed(a, b, judgement, f"items-{i}") for i, (a, b) in enumerate(pairs)]


def _changed(a: Answers, b: Answers, judgement: Judgement, name: str) -> ExampleList:
    """Items whose answer differs between the first runs of A and B, those that B breaks first."""
    first, second = a.runs[0], b.runs[0]
    changed = np.flatnonzero(first != second)
    broken = (first[changed] == a.gold[changed]).astype(int)
    order = changed[np.argsort(-broken, kind="stable")][:MOST_EXAMPLES]
    texts = {key: list(values) for key, values in (a.texts or {}).items()}
    items = [
        Example(
            id=str(a.ids[i]),
            texts=[str(values[i] or "") for values in texts.values()],
            gold=a.labels[a.gold[i]],
            predictions=[a.labels[first[i]], a.labels[second[i]]],
            tags=("broken" if first[i] == a.gold[i] else "mended" if second[i] == a.gold[i] else "wrong twice",),
        )
        for i in order
    ]
    title = f"The answers to {count(len(changed))} of {count(a.n_items)} items differ"
    title = f"{a.name()}: {title}" if a.where else title
    note = "" if len(changed) <= MOST_EXAMPLES else f"The first {count(MOST_EXAMPLES)}, newly wrong ones first."
    return ExampleList(name, title, [key.capitalize() for key in texts], list(judgement.names), items, note)
