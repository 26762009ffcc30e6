"""Score: what may be claimed from predictions of one model or several: each score with its interval, and its limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from goldproof.data.answers import Answers
from goldproof.data.arrange import Arranging, answers_in, read_answers
from goldproof.data.in_memory import is_paths
from goldproof.data.load import Source
from goldproof.data.logs.log import LogChoice
from goldproof.data.predictions import Reading, RowIds
from goldproof.errors import UsageError
from goldproof.judging.aggregates import TASK, aggregates_in, score_aggregates
from goldproof.judging.calibration import Calibration, calibrate
from goldproof.judging.checkpoints.agreement import Agreement, Trajectory, agreement_of, last_steps, trajectories
from goldproof.judging.collapse import collapse_notes, collapse_of, without_collapsed
from goldproof.judging.confusions import LabelFindings
from goldproof.judging.metric_numbers import score_text
from goldproof.judging.metrics import (
    averaged,
    choose_metric_of,
    countable,
    is_of_numbers,
    mean_score,
    metric_of,
    run_scores,
    with_others,
)
from goldproof.judging.missing import NO_ANSWER, settle
from goldproof.judging.scope import scope_of_answers
from goldproof.judging.subsets import PartScore, Subset, score_parts
from goldproof.judging.tags import TagScore, score_tags
from goldproof.measures.measurement import Measurement, measurement_table
from goldproof.report.numbers import count
from goldproof.statistics.arrays import Array, group_codes
from goldproof.statistics.changes import seed_churn
from goldproof.statistics.clusters import cluster_warning
from goldproof.statistics.collapse import Collapse
from goldproof.statistics.comparison import Scope, of_variance
from goldproof.statistics.components import VarianceComponents
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.planning import rival_variance, smallest_difference
from goldproof.statistics.runs import runs_components, summarise_runs
from goldproof.statistics.stability import correlation_interval

if TYPE_CHECKING:
    import pyarrow as pa

    from goldproof.report.summary import Report


@dataclass(frozen=True, slots=True)
class Settings:
    """How to judge: the main metric, level, clustering of items, smallest tag that is tested, and the random seed.

    `missing` says what a prediction that is not there means: "wrong" (the default; not for numbers), "leave-out" or
    "refuse". `by_row` takes row numbers for ids, where the rows of all runs and files stand in the same order. For
    `compare`: `seed_sd` is a known standard deviation of the score over trainings (0: nothing to train again), `looks`
    at how many stages of collecting runs or items somebody looks. With `keep_collapsed` runs that give one answer to
    everything are named and stay in the score: a prompt that does not work is one of the prompts. `logs` says what of
    logs of evaluation harnesses is read, where they hold several tasks, metrics or filters.
    """

    metric: str | None = None
    level: float = 0.95
    cluster: str = "auto"
    common: bool = False
    smallest_tag: int = 10
    seed: int = 0
    missing: str | None = None
    by_row: bool = False
    seed_sd: float | None = None
    looks: int = 1
    keep_collapsed: bool = False
    logs: LogChoice = field(default_factory=LogChoice)

    def __post_init__(self) -> None:
        """Refuse what makes no sense, with the option's name."""
        if self.seed_sd is not None and not 0 <= self.seed_sd < math.inf:
            raise UsageError(f"--seed-sd must be a number of at least 0; got {100 * self.seed_sd:g}")
        if self.looks < 1:
            raise UsageError(f"--looks must be at least 1; got {self.looks}")

    @property
    def look_level(self) -> float:
        """The level of each of several looks, so that all together err no more often than one would (Bonferroni)."""
        return 1 - (1 - self.level) / self.looks


@dataclass(frozen=True, slots=True)
class SetScore:
    """The scores of one set, how far its runs differ, and the smallest difference that its items could show.

    `scope` says what the score is about, `about` says it in words. Runs that collapsed are counted in `collapse` and
    in no other number. `labels` stands where the answers were counted and not kept.
    """

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
    collapse: Collapse | None = None
    scope: Scope = "systems"
    about: str = ""
    labels: LabelFindings | None = None

    def name(self) -> str:
        """Where it was read, in words."""
        return " ".join(self.where.values()) or "all"

    @property
    def is_scored_by_run(self) -> bool:
        """Whether there are several runs with a score each; a chance over attempts is of all runs together."""
        return len(self.run_names) > 1 and len(self.run_scores) > 1

    @property
    def sampling_share(self) -> float | None:
        """Of the mean's variance the part that is answers drawn anew; the rest is which items were asked.

        None where the system was not asked several times; not a number where its answers do not vary.
        """
        parts = self.components
        if parts is None or self.answers is None or self.answers.run_kind != "repeat":
            return None
        anew = (max(parts.seed, 0.0) * self.n_items + max(parts.interaction, 0.0)) / (self.n_items * parts.n_runs)
        items = max(parts.item, 0.0) / self.n_items
        return anew / (anew + items) if anew + items > 0 else math.nan


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
    parts: Sequence[PartScore] = ()

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
    subset: Subset | None = None,
) -> Scores:
    """Score predictions: a path or several, a data frame, an Arrow table, rows, (y_true, y_pred), Answers; logs of
    evaluation harnesses; or printed scores.

    Rows of one run need no id: their numbers stand in for it, and the notes say so. Several files are
    several models unless their rows say so. Files too large for memory are counted as they stream; the analyses that
    need single items are then left out, and the notes say so. `subset` names items, such as those that an audit found
    hard: the score is then shown on them and on the rest too.
    """
    from goldproof.judging.logs import logs_among, score_logs, with_columns
    from goldproof.judging.streaming import is_large, score_stream

    settings = settings or Settings()
    if logs := logs_among(source, columns):
        return score_logs(logs, with_columns(settings, columns), subset)
    if subset is not None and (
        aggregates_in(source) or (is_paths(source) and not answers_in(source) and is_large(source))
    ):
        raise UsageError("--subset needs single items in memory; printed scores and very large files have none")
    if printed := aggregates_in(source):
        return score_aggregates(printed, columns, settings)
    if not answers_in(source) and is_paths(source) and is_large(source):
        return score_stream(source, columns, settings)
    row_ids: RowIds = "always" if settings.by_row else "alone"
    reading = Reading(columns or {}, missing=settings.missing, row_ids=row_ids, numbers=is_of_numbers(settings.metric))
    read = read_answers(source, reading, Arranging(settings.cluster, settings.common, settings.by_row))
    settled = [settle([answers], read.missing) for answers in read.answers]
    notes = [*read.notes, *dict.fromkeys(note for _, said in settled for note in said)]
    several = [each for answers, _ in settled for each in answers]
    scores = score_answers(several, notes, settings, {"files": read.files})
    if subset is None:
        return scores
    final = last_steps([countable(answers) for answers in several])
    return replace(scores, parts=score_parts(final, scores.metric, subset, settings.level))


def score_answers(
    several: Sequence[Answers], notes: Sequence[str], settings: Settings, provenance: Mapping[str, str]
) -> Scores:
    """Score answers of which none is missing: of each set those of its last step, and all over the steps."""
    if not several:
        raise UsageError("there is nothing to score: no predictions were given")
    task = several[0].task
    name = choose_metric_of(several[0], settings.metric)
    counted = [countable(answers) for answers in several]
    final = last_steps(counted)
    collapses = [collapse_of(answers, settings.level) for answers in final]
    kept = (
        final if settings.keep_collapsed else [without_collapsed(*pair) for pair in zip(final, collapses, strict=True)]
    )
    scored = [
        replace(_score_set(answers, name, settings), collapse=collapse)
        for answers, collapse in zip(kept, collapses, strict=True)
    ]
    tags = [tag for answers in kept for tag in score_tags(answers, name, settings)]
    collapsed = [
        note
        for answers, collapse in zip(final, collapses, strict=True)
        for note in collapse_notes(answers, collapse, answers.name() if len(final) > 1 else "")
        if not settings.keep_collapsed
    ]
    limits = [*notes, *collapsed, *_limits(kept, name), *_step_notes(counted, final)]
    paths = trajectories(counted, name)
    return Scores(name, task, scored, tags, agreement_of(paths, settings.level), paths, limits, settings, provenance)


def _score_set(answers: Answers, main: str, settings: Settings) -> SetScore:
    estimates = {name: mean_score(answers, name, settings.level) for name in with_others(answers.task, main)}
    several = len(answers.runs) > 1
    scope, about = scope_of_answers(answers)
    return SetScore(
        where=answers.where,
        n_items=answers.n_items,
        run_names=answers.run_names,
        answers=answers,
        estimates=estimates,
        run_scores=run_scores(answers, main),
        floor=_floor(answers),
        detectable=detectable_of(answers, main, settings.level),
        components=_components(answers, main) if several else None,
        churn=seed_churn(answers.runs) if several and answers.task == "classification" else None,
        correlation=_run_correlation(answers, main, settings) if several else None,
        calibration=calibrate(answers, settings.level) if answers.probabilities is not None else None,
        scope=scope,
        about=about,
    )


def _floor(answers: Answers) -> float:
    """The accuracy of always giving the most frequent label."""
    return float(np.bincount(answers.gold).max() / answers.n_items) if answers.task == "classification" else math.nan


def _components(answers: Answers, main: str) -> VarianceComponents | None:
    """Where the variance of the score lies; Spearman's has no parts, as it is no function of sums over items."""
    if main == "spearman":
        return None
    return runs_components(metric_of(answers, main), answers.gold, answers.runs)


def detectable_of(answers: Answers, main: str, level: float) -> float:
    """The smallest difference to a rival that these runs, items and clusters would show with 80 % power.

    The rival has as many runs that vary as much, and differs from this model item by item as two of its runs do. With
    one run nothing is known of that, and the rival is one on other items.
    """
    answers = averaged(countable(answers, main))
    if main == "spearman" or answers.n_items < 2 or (answers.bounds is not None and answers.bounds.of_means):
        return math.nan
    measure = metric_of(answers, main)
    codes = group_codes(answers.clusters, answers.n_items)
    if codes.max() < 1:
        return math.nan
    summary = summarise_runs(measure, measure.encode(answers.gold, answers.runs), codes)
    limit = measure.high - measure.low
    return smallest_difference(of_variance(rival_variance(summary, limit), 0.0, (answers.n_items, limit), "", level))


def is_beyond_churn(each: SetScore, metric: str) -> bool:
    """Whether a rival that differs in as many answers as two of the runs do can show no difference at all: one in
    accuracy is at most the share of answers that differ, and the smallest that would show is more.
    """
    if metric != "accuracy" or each.churn is None or not math.isfinite(each.detectable):
        return False
    return each.detectable > each.churn > 0


def _run_correlation(answers: Answers, main: str, settings: Settings) -> Estimate | None:
    """The mean correlation between the runs' scores by tag, where there are enough tags."""
    from goldproof.judging.tags import tag_run_table

    table = tag_run_table(answers, main, settings.smallest_tag)
    return correlation_interval(table, settings.level) if len(table) >= 3 else None


def _limits(several: Sequence[Answers], metric: str) -> list[str]:
    """What this data cannot show, said plainly."""
    notes = []
    single = [answers.name() for answers in several if answers.n_runs == 1 and answers.run_kind != "repeat"]
    if single:
        notes.append(f"One run only ({_few(single)}): the intervals are over items and say nothing about another seed.")
    warnings = {answers.name(): cluster_warning(answers.clusters) for answers in several}
    notes += [f"{name}: {warning}." for name, warning in warnings.items() if warning]
    for answers in several:
        if answers.task != "classification":
            continue
        never = [
            label
            for code, label in enumerate(answers.labels)
            if (answers.gold == code).any() and not (answers.runs == code).any()
        ]
        if never:
            is_never, its = ("is", "its") if len(never) == 1 else ("are", "their")
            notes.append(f"{answers.name()}: {_labels(never)} {is_never} never predicted; {its} F1 counts as 0.")
        unheard = [
            label
            for code, label in enumerate(answers.labels)
            if label != NO_ANSWER and (answers.runs == code).any() and not (answers.gold == code).any()
        ]
        if unheard:
            is_heard = "is" if len(unheard) == 1 else "are"
            notes.append(f"{answers.name()}: {_labels(unheard)} {is_heard} predicted but never gold.")
        if len(np.unique(answers.gold)) == 1 and metric == "mcc":
            notes.append(f"{answers.name()}: gold has only one class, so MCC is 0 by convention.")
    return notes + _repeated_texts(several)


def _repeated_texts(several: Sequence[Answers]) -> list[str]:
    for answers in several:
        texts = (answers.texts or {}).get("text")
        if texts and answers.clusters is None and len(set(texts)) < 0.9 * len(texts):
            return [
                f"{len(texts)} items have only {len(set(texts))} different texts: items that share a text are not "
                "independent. --cluster text treats texts as the sampling unit."
            ]
    return []


def _step_notes(several: Sequence[Answers], final: Sequence[Answers]) -> list[str]:
    return ["The scores are those of the last step of each run."] if len(final) < len(several) else []


def _labels(names: Sequence[str]) -> str:
    """Labels in a sentence, one or several.

    >>> _labels(["a"]), _labels(["a", "b", "c", "d", "e"])
    ("the label 'a'", "the labels 'a', 'b', 'c' and 2 more")
    """
    return f"the {'label' if len(names) == 1 else 'labels'} {_few(names)}"


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
