"""The report of `score`: the answer first, then scores, runs, tags, checkpoints, and the items that flip."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np

from goldproof.data.answers import Answers
from goldproof.judging.calibration import Calibration
from goldproof.judging.checkpoints.agreement import Agreement
from goldproof.judging.confusion_report import label_items
from goldproof.judging.metric_numbers import difference_format, score_format, shown, unit
from goldproof.judging.metrics import title_of
from goldproof.judging.scope import AGAIN
from goldproof.judging.score import Scores, SetScore
from goldproof.judging.score_answer import (
    CHANCE,
    lower_name,
    metric_column,
    run_estimates,
    runs_in_sight,
    score_answer,
    score_figure,
    score_findings,
    score_question,
)
from goldproof.judging.subsets import PartScore, bias_sentence
from goldproof.judging.tags import UNTESTED, TagScore
from goldproof.report.charts import Caption, curves, dots, heat_map
from goldproof.report.fields import Field, Heading, known_fields, make_table
from goldproof.report.numbers import count, estimate_text, extremes, format_number, percent, points
from goldproof.report.overview import MOST_ROWS
from goldproof.report.summary import (
    Cell,
    Column,
    Example,
    ExampleList,
    Figure,
    Item,
    Missing,
    Report,
    Section,
    Text,
)
from goldproof.statistics.arrays import Array
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import mean_interval

MOST_EXAMPLES = 2000
MOST_LABELS = 6  # of which a part's shares are shown
SET_TITLES = {"model": "Model", "dataset": "Dataset", "language": "Language", "split": "Split"}


def score_report(scores: Scores) -> Report:
    """The report of what was scored."""
    sections = [Section("Scores", _score_items(scores))]
    for title, items in (
        (f"Would {_another(scores)} change it?", _run_items(scores)),
        ("On subsets of the items", _part_items(scores)),
        ("By category", _tag_items(scores)),
        ("Which labels are confused?", label_items(scores)),
        ("Does development predict test?", _agreement_items(scores)),
        ("Do the probabilities mean what they say?", _calibration_items(scores)),
        ("Items", _example_items(scores)),
        ("Limits", [Text(note) for note in scores.notes]),
    ):
        if items:
            sections.append(Section(title, items))
    answer = replace(score_answer(scores), figure=score_figure(scores))
    return Report("score", score_question(scores), score_findings(scores), sections, scores.provenance, answer)


class OfSet(Protocol):
    """What was found on one set: with a model, on a dataset, in a language."""

    @property
    def where(self) -> Mapping[str, str]:
        """The set, by what tells it from others."""


def set_fields(things: Sequence[OfSet]) -> list[Field[OfSet]]:
    """A field for each part of a set's name that occurs."""
    occurring = [key for key in SET_TITLES if any(key in thing.where for thing in things)]
    return [Field(Column(key, SET_TITLES[key]), partial(_part_of_name, key)) for key in occurring]


def telling_fields(sets: Sequence[OfSet]) -> list[Field[OfSet]]:
    """A field for each part of a set's name that tells one set from another; none where there is one set only."""
    parts = [key for key in SET_TITLES if len({each.where.get(key) for each in sets}) > 1]
    return [Field(Column(key, SET_TITLES[key]), partial(_part_of_name, key)) for key in parts]


def _part_of_name(key: str, thing: OfSet) -> Cell:
    return thing.where.get(key)


def _detectable(difference: float) -> Cell:
    if math.isfinite(difference):
        return difference
    return Missing("no possible difference" if math.isinf(difference) else "not known")


def _floor(each: SetScore) -> Cell:
    return each.floor if math.isfinite(each.floor) else Missing("no floor for this task")


def _score_of(metric: str, each: SetScore) -> Cell:
    return each.estimates.get(metric)


FLOOR = Column("floor", "Majority", 1, "%", "accuracy of always answering the most frequent label")


def _score_fields(scores: Scores) -> list[Field[SetScore]]:
    fields: list[Field[SetScore]] = [
        *set_fields(scores.sets),
        Field(Column("n", "Items"), lambda each: each.n_items),
        Field(Column("runs", "Runs"), lambda each: len(each.run_names)),
        *(Field(metric_column(name), partial(_score_of, name)) for name in scores.sets[0].estimates),
    ]
    if scores.task == "classification":
        fields.append(Field(FLOOR, _floor))
    if any(each.collapse is not None and each.collapse.n for each in scores.sets):
        rate = Column("collapse", "Collapsed runs", 1, "%", "rate of runs that give one answer to nearly all items")
        fields.append(Field(rate, lambda each: None if each.collapse is None else each.collapse.rate))
    size = difference_format(scores.metric)
    note = "smallest difference from a rival that would show (80 % power)"
    least = Column("detectable", "Detectable", size.digits, size.unit, note)
    return [*fields, Field(least, lambda each: _detectable(each.detectable))]


def _score_items(scores: Scores) -> list[Item]:
    heading = Heading("scores", _scores_title(scores))
    items: list[Item] = [make_table(heading, _score_fields(scores), scores.sets)]
    if MOST_ROWS < len(scores.sets) <= 60:
        shown: list[dict[str, Cell]] = [
            {"set": each.name(), scores.metric: each.estimates[scores.metric]} for each in scores.sets
        ]
        named = [(each.name(), each.estimates[scores.metric]) for each in scores.sets]
        caption = Caption("scores-figure", f"{title_of(scores.metric)}: {_extremes(scores, named)}")
        items.append(dots(shown, Column("set", "Set"), metric_column(scores.metric), caption=caption))
    return items


def _scores_title(scores: Scores) -> str:
    if len(scores.sets) == 1:
        first, column = scores.sets[0], metric_column(scores.metric)
        estimate = first.estimates[scores.metric]
        said = estimate_text(estimate, column.digits, column.unit)
        return f"{column.title} is {said} on {count(first.n_items)} items"
    values = [each.estimates[scores.metric].value for each in scores.sets]
    form = score_format(scores.metric)
    low, high = (format_number(value, form.digits, form.unit) for value in (min(values), max(values)))
    return f"{title_of(scores.metric)} ranges from {low} to {f'{high} {form.unit}'.rstrip()} over {len(values)} sets"


def _extremes(scores: Scores, named: Sequence[tuple[str, Estimate | float]]) -> str:
    column = metric_column(scores.metric)
    return extremes(named, column.digits, column.unit)


def _another(scores: Scores) -> str:
    """What another run is, where the answers say it."""
    kinds = {each.answers.run_kind for each in scores.sets if each.answers is not None and each.answers.n_runs > 1}
    named = {"repeat": "asking again", "seed": "another seed"}
    return next((named.get(kind, f"another {AGAIN[kind]}") for kind in sorted(kinds)), "another seed")


def _run_items(scores: Scores) -> list[Item]:
    several = [each for each in scores.sets if each.is_scored_by_run]
    if not several:
        return []
    widest = max(several, key=lambda each: float(np.ptp(each.run_scores)))
    moved = f"{shown(float(np.ptp(widest.run_scores)), scores.metric)}{unit(scores.metric)}"
    alone = {"another seed": "The seed alone", "asking again": "Asking again"}.get(another := _another(scores), another)
    heading = Heading("runs", f"{alone[0].upper()}{alone[1:]} moves {lower_name(scores.metric)} by up to {moved}")
    table = make_table(heading, known_fields(_run_fields(scores.metric, several), several), several)
    if runs_in_sight(scores):
        return [table]
    points: list[dict[str, Cell]] = [
        {"set": each.name(), "run": f"run {name}", scores.metric: value}
        for each in several[:40]
        for name, value in zip(each.run_names, run_estimates(each, scores), strict=True)
    ]
    return [table, _run_figure(points, scores, several)]


def _run_figure(points: Sequence[Mapping[str, Cell]], scores: Scores, several: Sequence[SetScore]) -> Figure:
    """Each run with its interval over items; the axis holds what needs no text too, so that it shows what matters."""
    metric = scores.metric
    named = [(f"{row['set']}, {row['run']}" if len(several) > 1 else str(row["run"]), row[metric]) for row in points]
    known = [(name, value) for name, value in named if isinstance(value, float | Estimate)]
    across, column = Column("run", "Run"), metric_column(metric)
    if len(several) > 1:
        caption = Caption("runs-figure", f"{title_of(metric)} of each run: {_extremes(scores, known)}")
        return heat_map(points, across, Column("set", "Set"), column, caption=caption, centre=None)
    floor = several[0].floor if metric == "accuracy" and scores.task == "classification" else math.nan
    level = CHANCE.get(metric, floor)
    note = "Dashed: chance." if metric in CHANCE else "Dashed: the most frequent label alone."
    caption = Caption("runs-figure", f"{title_of(metric)} of each run: {_extremes(scores, known)}")
    if math.isnan(level):
        return dots(points, across, column, caption=caption)
    return dots(points, across, column, caption=replace(caption, note=note), rule=level)


def _run_fields(metric: str, several: Sequence[SetScore]) -> list[Field[SetScore]]:
    score, distance = metric_column(metric), difference_format(metric)
    churn = Column("churn", "Churn", 1, "%", "share of items whose prediction differs between two runs")
    note = "mean correlation between the runs' scores by category"
    is_repeated = any(each.answers is not None and each.answers.run_kind == "repeat" for each in several)
    said, whence = ("Sampling", "answers that differ when asked again") if is_repeated else ("Seed", "the seed")
    return [
        *set_fields(several),
        Field(Column("runs", "Runs"), lambda each: len(each.run_names)),
        Field(
            Column("sd", "SD over runs", distance.digits, distance.unit),
            lambda each: float(each.run_scores.std(ddof=1)),
        ),
        Field(replace(score, key="low", title="Lowest"), lambda each: float(each.run_scores.min())),
        Field(replace(score, key="high", title="Highest"), lambda each: float(each.run_scores.max())),
        Field(
            Column("seed", f"{said} share", 0, "%", f"share of the mean score's variance that comes from {whence}"),
            _sampling_share if is_repeated else _seed_share,
        ),
        Field(churn, lambda each: each.churn),
        Field(Column("correlation", "Run correlation", 3, "", note), lambda each: each.correlation),
    ]


def _seed_share(each: SetScore) -> Cell:
    parts = each.components
    if parts is None:
        return None
    n_runs, n_items = len(each.run_names), each.n_items
    seed = max(parts.seed, 0.0) / n_runs
    rest = max(parts.item, 0.0) / n_items + max(parts.interaction, 0.0) / (n_items * n_runs)
    return seed / (seed + rest) if seed + rest > 0 else Missing("the runs do not vary")


def _sampling_share(each: SetScore) -> Cell:
    share = each.sampling_share
    return Missing("the answers do not vary") if share is not None and math.isnan(share) else share


def _tag_items(scores: Scores) -> list[Item]:
    if not scores.tags:
        return []
    counts = {
        verdict: sum(tag.verdict == verdict for tag in scores.tags) for verdict in ("above chance", "below chance")
    }
    tested = sum(tag.verdict not in UNTESTED for tag in scores.tags)
    title = f"Of {tested} categories that could be tested, {counts['above chance']} are above chance and "
    title += f"{counts['below chance']} below"
    if not tested:
        n = len(scores.tags)
        title = f"None of the {n} categories could be tested" if n > 1 else "The one category could not be tested"
    return [make_table(Heading("categories", title), _tag_fields(scores), scores.tags), *_tag_figure(scores)]


def _tag_fields(scores: Scores) -> list[Field[TagScore]]:
    column = metric_column(scores.metric)
    chance = replace(
        column,
        key="chance",
        title="By chance",
        note=("mean and range of predictions that know nothing about the gold labels"),
    )
    p_value = Column("p", "p", 3, "p-value", "two-sided, adjusted over the categories (Benjamini-Hochberg)")
    return [
        *telling_fields(scores.sets),
        Field(Column("tag", "Category"), lambda tag: tag.tag),
        Field(Column("n", "Items"), lambda tag: tag.estimate.n),
        Field(column, lambda tag: tag.estimate),
        Field(chance, lambda tag: tag.chance if tag.chance is not None else Missing(tag.verdict)),
        Field(p_value, lambda tag: tag.adjusted if math.isfinite(tag.adjusted) else Missing(tag.verdict)),
        *_one_label_fields(scores),
        Field(Column("verdict", "Verdict"), lambda tag: tag.verdict),
    ]


def _one_label_fields(scores: Scores) -> list[Field[TagScore]]:
    """What categories of one gold label are compared with, where there are any."""
    if all(tag.one_label is None for tag in scores.tags):
        return []
    there = "how often the model gives that label to items with another gold label"
    more = "rate of the category's label in the category minus its rate elsewhere"
    return [
        Field(Column("label", "Gold label"), lambda tag: None if tag.one_label is None else tag.one_label.label),
        Field(
            Column("elsewhere", "Label given elsewhere", 1, "%", there),
            lambda tag: None if tag.one_label is None else tag.one_label.elsewhere,
        ),
        Field(
            Column("above_elsewhere", "Beyond that", 1, "points", more),
            lambda tag: None if tag.one_label is None else tag.one_label.difference,
        ),
        Field(
            Column("guessing", "By guessing", 1, "%", "1/k of k labels"),
            lambda tag: None if tag.one_label is None else tag.one_label.guessing,
        ),
    ]


def _tag_figure(scores: Scores) -> list[Item]:
    column = metric_column(scores.metric)
    sets = list(dict.fromkeys(" ".join(tag.where.values()) for tag in scores.tags))
    rows: list[dict[str, Cell]] = [
        {
            "set": " ".join(tag.where.values()) or "all",
            "tag": tag.tag,
            scores.metric: tag.estimate,
            "chance": tag.verdict not in ("above chance", "below chance"),
        }
        for tag in scores.tags
    ]
    named = [
        (f"{tag.tag} ({' '.join(tag.where.values())})" if len(sets) > 1 else tag.tag, tag.estimate)
        for tag in scores.tags
    ]
    title = f"{title_of(scores.metric)} by category: {_extremes(scores, named)}"
    caption = Caption("categories-figure", title)
    if len(sets) == 1:
        rule = 0.0 if scores.metric in ("mcc", "pearson") else None
        return [dots(rows, Column("tag", "Category"), column, caption=caption, rule=rule)]
    centre = 0.0 if scores.metric in ("mcc", "pearson") else None
    figure = heat_map(
        rows, Column("set", "Set"), Column("tag", "Category"), column, caption=caption, centre=centre, chance="chance"
    )
    return [figure]


def _part_items(scores: Scores) -> list[Item]:
    """The score on a named part and on the rest, with what makes the two hard to compare."""
    if not scores.parts:
        return []
    labels = list(dict.fromkeys(label for part in scores.parts for label in part.labels))
    fields: list[Field[PartScore]] = [
        *set_fields(scores.parts),
        Field(Column("part", "Part"), lambda part: part.part),
        Field(Column("n", "Items"), lambda part: part.n),
        Field(metric_column(scores.metric), lambda part: part.estimate),
        *(
            Field(Column(f"label_{at}", label, 1, "%"), partial(_label_share, label))
            for at, label in enumerate(labels if len(labels) <= MOST_LABELS else ())
        ),
        Field(
            Column(
                "alike", "At equal balance", 1, "%", "accuracy if labels were as frequent as in both parts combined"
            ),
            lambda part: part.alike if math.isfinite(part.alike) else Missing("a label occurs in one part only"),
        ),
        Field(FLOOR, lambda part: part.floor if math.isfinite(part.floor) else Missing("no floor for this task")),
        Field(
            Column("wrong", "Wrong labels", 1, "%", "estimated by the audit"),
            lambda part: part.wrong if part.wrong is not None else Missing("not estimated"),
        ),
    ]
    first = scores.parts[0]
    form = score_format(scores.metric)
    said = estimate_text(first.estimate, form.digits, form.unit)
    title = f"{title_of(scores.metric)} on the part “{first.part}” is {said}"
    return [make_table(Heading("parts", title, bias_sentence(first.bias)), fields, scores.parts)]


def _label_share(label: str, part: PartScore) -> Cell:
    return part.labels.get(label, 0.0)


def _agreement_items(scores: Scores) -> list[Item]:
    if not scores.agreement:
        return []
    worst = min(scores.agreement, key=lambda found: found.estimate.value)
    title = f"Development and test scores move the same way in at least {percent(worst.estimate.value, 0)} of pairs"
    heading = Heading("agreement", title, "Pairs within a run whose test score differs by ≥ 0.5 points.")
    return [make_table(heading, _agreement_fields(scores), scores.agreement), *_trajectory_figure(scores)]


def _agreement_fields(scores: Scores) -> list[Field[Agreement]]:
    share = Column(
        "agreement",
        "Agreement",
        1,
        "%",
        "pairs of checkpoints in which development and test scores move the same way",
    )
    null = Column("null", "By chance", 1, "%", "range for development scores unrelated to test, equally autocorrelated")
    return [
        *set_fields(scores.agreement),
        Field(Column("development", "Development set"), _development),
        Field(Column("runs", "Runs"), lambda found: found.n_runs),
        Field(Column("steps", "Checkpoints"), lambda found: found.n_steps),
        Field(share, lambda found: found.estimate),
        Field(null, lambda found: found.null),
    ]


def _development(found: Agreement) -> str:
    return " ".join(part for key, part in found.development.items() if key != "model")


def _trajectory_figure(scores: Scores) -> list[Item]:
    rows: list[dict[str, Cell]] = [
        {"set": " ".join(path.where.values()) or "all", "step": int(step), scores.metric: _over_runs(column)}
        for path in scores.trajectories
        for step, column in zip(path.steps, path.scores.T, strict=True)
    ]
    caption = Caption("trajectories", f"{title_of(scores.metric)} over training, mean of the runs")
    return [
        curves(rows, Column("step", "Step"), metric_column(scores.metric), series=Column("set", "Set"), caption=caption)
    ]


def _over_runs(scores: Array) -> Cell:
    return mean_interval(scores) if len(scores) > 1 else float(scores[0])


def _calibration_items(scores: Scores) -> list[Item]:
    known = [Calibrated(each.where, each.calibration) for each in scores.sets if each.calibration is not None]
    if not known:
        return []
    brier = "mean squared distance between probabilities and truth; 0 is best"
    error = Column("error", "Calibration error", 1, "%", "mean gap between confidence and accuracy, 15 bins")
    fields: list[Field[Calibrated]] = [
        *set_fields(known),
        Field(Column("brier", "Brier score", 3, "", brier), lambda each: each.calibration.brier),
        Field(error, lambda each: each.calibration.error),
        Field(Column("confidence", "Mean confidence", 1, "%"), lambda each: each.calibration.confidence),
        Field(
            Column("excess", "Beyond accuracy", 1, "points", "mean confidence minus accuracy"),
            lambda each: each.calibration.excess,
        ),
    ]
    worst = max(float(each.calibration.error) for each in known)
    return [make_table(Heading("calibration", f"Confidence is off by up to {points(worst)} on average"), fields, known)]


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What the probabilities of one set are worth."""

    where: Mapping[str, str]
    calibration: Calibration


def _example_items(scores: Scores) -> list[Item]:
    found: list[Item] = []
    for number, answers in enumerate(s.answers for s in scores.sets if s.answers is not None):
        if answers.task == "classification" and len(answers.runs) > 1:
            found.append(flip_examples(answers, f"items-{number}"))
    return found[:4]


def flip_examples(answers: Answers, name: str) -> ExampleList:
    """The items of a set to read, those that flip between runs first."""
    flipping = (answers.runs != answers.runs[0]).any(axis=0)
    order = np.argsort(~flipping, kind="stable")[:MOST_EXAMPLES]
    texts = {key: list(values) for key, values in (answers.texts or {}).items()}
    items = [
        Example(
            id=str(answers.ids[i]),
            texts=[str(values[i] or "") for values in texts.values()],
            gold=answers.labels[answers.gold[i]],
            predictions=[answers.labels[code] for code in answers.runs[:, i]],
            tags=answers.tags[i] if answers.tags is not None else (),
        )
        for i in order
    ]
    flips = f"{count(int(flipping.sum()))} of {count(answers.n_items)} items ({percent(float(flipping.mean()))})"
    title = f"{answers.name()}: {flips} flip between runs" if answers.where else f"{flips} flip between runs"
    note = f"The first {count(MOST_EXAMPLES)} items, flipping ones first." if answers.n_items > MOST_EXAMPLES else ""
    return ExampleList(
        name, title, [key.capitalize() for key in texts], [f"run {run}" for run in answers.run_names], items, note
    )
