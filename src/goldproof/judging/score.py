"""Score: what may be claimed from predictions of one model or several: each score with its interval, and its limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from goldproof.data.answers import Answers
from goldproof.data.arrange import Arranging, answers_in, read_answers
from goldproof.data.in_memory import is_paths
from goldproof.data.load import Source
from goldproof.data.predictions import Reading
from goldproof.errors import UsageError
from goldproof.judging.aggregates import TASK, aggregates_in, score_aggregates
from goldproof.judging.calibration import Calibration, calibrate
from goldproof.judging.checkpoints.agreement import Agreement, Trajectory, agreement_of, last_steps, trajectories
from goldproof.judging.metric_numbers import score_text
from goldproof.judging.metrics import choose_metric, count_spans, mean_score, metric_of, run_scores, with_others
from goldproof.judging.missing import NO_ANSWER, settle
from goldproof.judging.tags import TagScore, score_tags
from goldproof.measures.measurement import Measurement, measurement_table
from goldproof.report.numbers import count
from goldproof.statistics.arrays import Array
from goldproof.statistics.changes import seed_churn
from goldproof.statistics.components import VarianceComponents
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.power import detectable_paired, detectable_unpaired
from goldproof.statistics.runs import runs_components
from goldproof.statistics.stability import correlation_interval

if TYPE_CHECKING:
    import pyarrow as pa

    from goldproof.report.summary import Report


@dataclass(frozen=True, slots=True)
class Settings:
    """How to judge: the main metric, level, clustering of items, smallest tag that is tested, and the random seed.

    `missing` says what a prediction that is not there means: "wrong" (the default; not for numbers), "leave-out" or
    "refuse". `by_row` takes row numbers for ids, where the rows of all runs and files stand in the same order.
    """

    metric: str | None = None
    level: float = 0.95
    cluster: str = "auto"
    common: bool = False
    smallest_tag: int = 10
    seed: int = 0
    missing: str | None = None
    by_row: bool = False


@dataclass(frozen=True, slots=True)
class SetScore:
    """The scores of one set, how far its runs differ, and the smallest difference that its items could show."""

    where: Mapping[str, str]
    n_items: int
    run_names: tuple[str, ...]
    estimates: Mapping[str, Estimate]
    run_scores: Array
    floor: float
    detectable: float
    components: VarianceComponents | None = None
    churn: float | None = None
    correlation: Estimate | None = None
    calibration: Calibration | None = None
    answers: Answers | None = None

    def name(self) -> str:
        """Where it was read, in words."""
        return " ".join(self.where.values()) or "all"


@dataclass(frozen=True, slots=True, repr=False)
class Scores:
    """What was found: by set (model, dataset, language, split), by tag, over steps; `notes` states the limits."""

    metric: str
    task: str
    sets: Sequence[SetScore]
    tags: Sequence[TagScore]
    agreement: Sequence[Agreement]
    trajectories: Sequence[Trajectory]
    notes: Sequence[str]
    settings: Settings
    provenance: Mapping[str, str] = field(default_factory=dict)

    def measurements(self) -> list[Measurement]:
        """Every score as one long list."""
        found = [
            Measurement(name, estimate, {**score.where, "tag": ""})
            for score in self.sets
            for name, estimate in score.estimates.items()
        ]
        found += [Measurement(self.metric, tag.estimate, {**tag.where, "tag": tag.tag}) for tag in self.tags]
        return found

    def to_arrow(self) -> pa.Table:
        """Every score as an Arrow table."""
        return measurement_table(self.measurements())

    def to_pandas(self) -> Any:
        """Every score as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def report(self) -> Report:
        """The report, for rendering."""
        if self.task == TASK:
            from goldproof.judging.aggregate_report import score_report
        else:
            from goldproof.judging.score_report import score_report

        return score_report(self)

    def __repr__(self) -> str:
        """A line for each set; everything is in `to_pandas()`."""
        lines = []
        for score in self.sets:
            numbers = score_text(score.estimates[self.metric], self.metric)
            runs = f", runs: {len(score.run_names)}" if score.run_names else ""
            lines.append(f"{score.name()}: {self.metric} {numbers} on {count(score.n_items)} items{runs}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()


def score(
    source: Source,
    *,
    columns: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> Scores:
    """Score predictions: a path or several, a data frame, an Arrow table, rows, (y_true, y_pred), Answers; or printed
    scores.

    Rows of one run need no id: their numbers stand in for it, and the notes say so. Several files are
    several models unless their rows say so. Files too large for memory are counted as they stream; the analyses that
    need single items are then left out, and the notes say so.
    """
    from goldproof.judging.streaming import is_large, score_stream

    settings = settings or Settings()
    if printed := aggregates_in(source):
        return score_aggregates(printed, columns, settings)
    if not answers_in(source) and is_paths(source) and is_large(source):
        return score_stream(source, columns, settings)
    reading = Reading(columns or {}, missing=settings.missing, row_ids="always" if settings.by_row else "alone")
    read = read_answers(source, reading, Arranging(settings.cluster, settings.common, settings.by_row))
    settled = [settle([answers], read.missing) for answers in read.answers]
    notes = [*read.notes, *dict.fromkeys(note for _, said in settled for note in said)]
    return score_answers([each for several, _ in settled for each in several], notes, settings, {"files": read.files})


def score_answers(
    several: Sequence[Answers], notes: Sequence[str], settings: Settings, provenance: Mapping[str, str]
) -> Scores:
    """Score answers of which none is missing: of each set those of its last step, and all over the steps."""
    if not several:
        raise UsageError("there is nothing to score: no predictions were given")
    task = several[0].task
    name = choose_metric(task, settings.metric)
    counted = [count_spans(answers) for answers in several]
    final = last_steps(counted)
    scored = [_score_set(answers, name, settings) for answers in final]
    tags = [tag for answers in final for tag in score_tags(answers, name, settings)]
    limits = [*notes, *_limits(final, name), *_step_notes(counted, final)]
    paths = trajectories(counted, name)
    return Scores(name, task, scored, tags, agreement_of(paths, settings.level), paths, limits, settings, provenance)


def _score_set(answers: Answers, main: str, settings: Settings) -> SetScore:
    estimates = {name: mean_score(answers, name, settings.level) for name in with_others(answers.task, main)}
    several = len(answers.runs) > 1
    return SetScore(
        where=answers.where,
        n_items=answers.n_items,
        run_names=answers.run_names,
        answers=answers,
        estimates=estimates,
        run_scores=run_scores(answers, main),
        floor=_floor(answers),
        detectable=_detectable(answers),
        components=_components(answers, main) if several else None,
        churn=seed_churn(answers.runs) if several and answers.task == "classification" else None,
        correlation=_run_correlation(answers, main, settings) if several else None,
        calibration=calibrate(answers) if answers.probabilities is not None else None,
    )


def _floor(answers: Answers) -> float:
    """The accuracy of always giving the most frequent label."""
    return float(np.bincount(answers.gold).max() / answers.n_items) if answers.task == "classification" else math.nan


def _components(answers: Answers, main: str) -> VarianceComponents | None:
    """Where the variance of the score lies; Spearman's has no parts, as it is no function of sums over items."""
    if main == "spearman":
        return None
    return runs_components(metric_of(answers, main), answers.gold, answers.runs)


def _detectable(answers: Answers) -> float:
    """The smallest difference of accuracy that a rival on these items would show with 80 % power.

    With several runs the share of items on which two runs differ in correctness stands for what a rival would differ
    in; with one run nothing is known of that, and the bound is the one for different items.
    """
    if answers.task != "classification":
        return float("nan")
    right = answers.runs == answers.gold
    n_clusters = answers.n_items if answers.clusters is None else len(np.unique(answers.clusters))
    if len(right) > 1 and (discordance := _discordance(right)) > 0:
        return detectable_paired(n_clusters, discordance)
    return detectable_unpaired(n_clusters, float(np.clip(right.mean(), 0.01, 0.99)))


def _discordance(right: Array) -> float:
    """The mean share of items on which exactly one of two runs is right."""
    share, n_runs = right.mean(axis=0), len(right)
    return float((2 * share * (1 - share)).mean() * n_runs / (n_runs - 1))


def _run_correlation(answers: Answers, main: str, settings: Settings) -> Estimate | None:
    """The mean correlation between the runs' scores by tag, where there are enough tags."""
    from goldproof.judging.tags import tag_run_table

    table = tag_run_table(answers, main, settings.smallest_tag)
    return correlation_interval(table, settings.level) if len(table) >= 3 else None


def _limits(several: Sequence[Answers], metric: str) -> list[str]:
    """What this data cannot show, said plainly."""
    notes = []
    single = [answers.name() for answers in several if len(answers.runs) == 1]
    if single:
        notes.append(f"One run only ({_few(single)}): the intervals are over items, and say nothing of another seed.")
    for answers in several:
        if answers.task != "classification":
            continue
        never = [
            label
            for code, label in enumerate(answers.labels)
            if (answers.gold == code).any() and not (answers.runs == code).any()
        ]
        if never:
            notes.append(f"{answers.name()}: the label {_few(never)} is never predicted; its F1 counts as 0.")
        unheard = [
            label
            for code, label in enumerate(answers.labels)
            if label != NO_ANSWER and (answers.runs == code).any() and not (answers.gold == code).any()
        ]
        if unheard:
            notes.append(f"{answers.name()}: the label {_few(unheard)} is predicted but is never gold.")
        if len(np.unique(answers.gold)) == 1 and metric == "mcc":
            notes.append(f"{answers.name()}: gold has one class only, so MCC is 0 by convention.")
    return notes + _repeated_texts(several)


def _repeated_texts(several: Sequence[Answers]) -> list[str]:
    for answers in several:
        texts = (answers.texts or {}).get("text")
        if texts and answers.clusters is None and len(set(texts)) < 0.9 * len(texts):
            return [
                f"{len(texts)} items have only {len(set(texts))} different texts: items that share a text are not "
                "independent. --cluster text makes the inference over texts."
            ]
    return []


def _step_notes(several: Sequence[Answers], final: Sequence[Answers]) -> list[str]:
    return ["Scores are those of each run's last step."] if len(final) < len(several) else []


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
