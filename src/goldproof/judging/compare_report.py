"""The report of `compare`: the verdict, the differences by set and category, and the items that changed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from goldproof.data.answers import Answers
from goldproof.judging.compare import Judgement
from goldproof.judging.differences import Difference
from goldproof.judging.gate import drop_seen
from goldproof.judging.metric_numbers import difference_format, margin_text, shown, unit
from goldproof.judging.metrics import title_of
from goldproof.judging.score_report import MOST_EXAMPLES, metric_column, set_fields
from goldproof.report.charts import Caption, dots
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.numbers import count, extremes, p_text, percent
from goldproof.report.summary import (
    Cell,
    Claim,
    Column,
    Example,
    ExampleList,
    Item,
    Missing,
    Plain,
    Report,
    Section,
    Standing,
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
    return Report(
        "compare", f"{judgement.names[1]} against {judgement.names[0]}", _verdict(judgement), sections, provenance
    )


def _verdict(judgement: Judgement) -> list[str | Claim]:
    overall = judgement.overall
    column = metric_column(judgement.metric)
    points = "points" if column.unit else ""
    standing: Standing = "shown" if overall.verdict.kind in ("better", "worse", "tied") else "undecided"
    sentence = f"{overall.verdict.text[0].upper()}{overall.verdict.text[1:]}"
    names = "" if judgement.names == ("A", "B") else f" (A is {judgement.names[0]}, B is {judgement.names[1]})"
    lines: list[str | Claim] = [
        Claim(f"{sentence}{names}.", standing, overall.difference, digits=column.digits, unit=points),
        f"This is about {overall.verdict.about}.",
    ]
    if overall.flips is not None and overall.mcnemar is not None:
        mended, broken = count(overall.flips.only_b), count(overall.flips.only_a)
        lines.append(
            f"B mends {mended} items that A had wrong, and breaks {broken} that A had right "
            f"(exact McNemar {p_text(overall.mcnemar)})."
        )
    if overall.churn is not None:
        beside = f"; another seed alone changes {percent(overall.seed_churn)}" if overall.seed_churn is not None else ""
        lines.append(f"{percent(overall.churn)} of the answers change{beside}.")
    if judgement.margins.is_asked:
        said = gate_text(judgement)
        lines.insert(0, f"{said[0].upper()}{said[1:]}.")
    return lines


def gate_text(judgement: Judgement) -> str:
    """What the gate says, and what it could have seen."""
    margins, metric = judgement.margins, judgement.metric
    asked = {None: "", "not-worse": ", not worse required", "better": ", better required"}[margins.require]
    gate = "gate" if margins.gate is None else f"gate of {margin_text(margins.gate, metric)}"
    drop = drop_seen(judgement.overall.verdict.detectable, margins)
    seen = "no possible drop" if not drop <= 2 else f"a drop of {shown(drop, metric)}{unit(metric)} or more"
    over = " of the overall difference" if len(judgement.sets) > 1 else ""
    said = {"passed": "passed", "failed": "NOT passed", "undecided": "undecided, neither shown"}
    return f"{gate}{asked}: {said[judgement.outcome or 'passed']}; it would see {seen}{over} (80 % power)"


def _difference_items(judgement: Judgement) -> list[Item]:
    shown = [*judgement.sets]
    if len(judgement.sets) > 1:
        shown.append(replace(judgement.overall, where={**judgement.overall.where, "language": "all"}))
    fields: list[Field[Difference]] = [*set_fields(judgement.sets), *_fields(judgement, len(judgement.sets) > 1)]
    note = TOGETHER if len(judgement.sets) > 1 else ""
    heading = Heading("difference", f"{title_of(judgement.metric)}: {judgement.overall.verdict.text}", note)
    items: list[Item] = [make_table(heading, fields, shown)]
    if len(judgement.sets) > 1:
        kinds = [d.verdict.kind for d in judgement.sets]
        title = f"B is shown better in {kinds.count('better')} of {len(kinds)} sets, worse in {kinds.count('worse')}"
        items.append(_figure("difference", title, [(_name(d), d) for d in judgement.sets], judgement))
    return items


def _tag_items(judgement: Judgement) -> list[Item]:
    fields: list[Field[Difference]] = [
        *set_fields(judgement.tags),
        Field(Column("tag", "Category"), lambda d: d.where["tag"]),
        *_fields(judgement, together=True),
    ]
    clear = sum(d.verdict.kind in ("better", "worse") for d in judgement.tags)
    title = f"A and B are shown to differ in {clear} of {len(judgement.tags)} categories"
    note = TOGETHER
    named = [(f"{_name(d)} {d.where['tag']}".removeprefix("all "), d) for d in judgement.tags]
    column = metric_column(judgement.metric)
    unit = "points" if column.unit else ""
    most = f"B − A by category: {extremes([(name, d.difference) for name, d in named], column.digits, unit)}"
    table = make_table(Heading("categories", title, note), fields, judgement.tags)
    return [table, _figure("categories", most, named, judgement)]


TOGETHER = (
    "Verdicts are those of the intervals and p-values that hold for all rows at once (single-step max-T); those of "
    "each row alone stand beside."
)


def _fields(judgement: Judgement, together: bool) -> list[Field[Difference]]:
    """What is shown of a difference: alone, and where there are several, what holds for all of them together."""
    score, size = metric_column(judgement.metric), difference_format(judgement.metric)
    fields: list[Field[Difference]] = [
        Field(Column("n", "Items"), lambda d: d.difference.n),
        Field(replace(score, key="a", title="A"), lambda d: d.a),
        Field(replace(score, key="b", title="B"), lambda d: d.b),
        Field(Column("difference", "B − A", size.digits, size.unit), lambda d: d.difference),
        Field(Column("p", "p", 4, "p-value", "two-sided, for no difference"), _p_value),
    ]
    if together:
        note = "interval that holds for all rows at once"
        fields += [
            Field(Column("together", "B − A, together", size.digits, size.unit, note), lambda d: d.together),
            Field(Column("adjusted", "p, together", 4, "p-value", "adjusted over the rows"), _adjusted),
        ]
    if any(d.flips is not None for d in judgement.sets):
        mended = Column("mended", "Mended", note="wrong in A, right in B")
        broken = Column("broken", "Broken", note="right in A, wrong in B")
        fields.append(Field(mended, lambda d: d.flips.only_b if d.flips is not None else None))
        fields.append(Field(broken, lambda d: d.flips.only_a if d.flips is not None else None))
    return [
        *fields,
        Field(Column("churn", "Churn", 1, "%", "answers that differ"), lambda d: d.churn),
        Field(Column("verdict", "Verdict"), lambda d: d.verdict.kind),
    ]


def _p_value(d: Difference) -> Cell:
    return d.p_value if math.isfinite(d.p_value) else Missing(d.difference.method)


def _adjusted(d: Difference) -> Cell:
    return d.adjusted if math.isfinite(d.adjusted) else Missing(d.difference.method)


def _name(d: Difference) -> str:
    return " ".join(value for key, value in d.where.items() if key != "tag") or "all"


def _figure(key: str, title: str, named: Sequence[tuple[str, Difference]], judgement: Judgement) -> Item:
    column = metric_column(judgement.metric)
    value = replace(column, key="difference", title="B − A", unit="points" if column.unit else "")
    rows: list[dict[str, Cell]] = [{"set": name, "difference": d.difference} for name, d in named]
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
    title = f"{a.name()}: {count(len(changed))} of {count(a.n_items)} answers differ"
    note = "" if len(changed) <= MOST_EXAMPLES else f"The first {count(MOST_EXAMPLES)}, broken ones first."
    return ExampleList(name, title, [key.capitalize() for key in texts], list(judgement.names), items, note)
