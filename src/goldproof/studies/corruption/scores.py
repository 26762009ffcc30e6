"""The scores: what each training of a task answered, each cell against the baseline and against its random control.

Differences are paired on the test items. Corrupt-test cells and the baseline are the same trainings, so their seeds are
paired too; other trainings are independent runs. p-values are adjusted by Holm over the cells of a task. Trainings that
collapsed are in no score. One that works and gives one answer to a corrupted test set is no collapsed training: it is
what the corruption did, and stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from scipy.special import softmax

from goldproof.data.answers import Answers
from goldproof.data.dataset import Dataset
from goldproof.jobs import Results
from goldproof.judging.collapse import collapse_of, without_collapsed
from goldproof.judging.metrics import mean_score
from goldproof.judging.missing import settle as settle_missing
from goldproof.measures.information import UsableInformation, pointwise_information
from goldproof.statistics.arrays import Array
from goldproof.statistics.collapse import Collapse
from goldproof.statistics.comparison import Comparison, compare_runs
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.metrics import Metric, metric
from goldproof.statistics.multiplicity import holm
from goldproof.statistics.runs import runs_interval
from goldproof.studies.asked import asked_answers, is_asked
from goldproof.studies.beside import Beside, beside, is_model
from goldproof.studies.corruption import published
from goldproof.studies.corruption.plan import (
    CorruptionCell,
    asked_sets,
    cells,
    make_recipe,
    tested_versions,
    trained_versions,
    training_jobs,
)
from goldproof.studies.corruption.settings import PAPER, Config, seeds_of
from goldproof.studies.corruption.tasks import ORIGINAL, CorruptionTask, Removing, Version, data_job
from goldproof.studies.shared import only_model
from goldproof.training.selection import label_codes

CellVerdict = Literal["survives", "drops", "collapsed", "underpowered", "no baseline"]
VERDICTS: tuple[CellVerdict, ...] = get_args(CellVerdict)
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class TaskAnswers:
    """What the trainings of one task answered: the seeds' Answers for each version trained on and tested on.

    `prior` are the shares of the classes in the training data, `keys` the trainings' jobs, `shares` the mean
    probabilities over the trainings that work, items × classes, where they were taken already.
    """

    task: CorruptionTask
    n_train: int
    prior: Array
    answers: Mapping[tuple[Version, Version], Answers]
    truncated: int
    keys: Mapping[Version, tuple[str, ...]]
    shares: Mapping[tuple[Version, Version], Array] = field(default_factory=dict)

    @property
    def original(self) -> Answers:
        """Nothing removed, neither in training nor in testing."""
        return self.answers[ORIGINAL, ORIGINAL]

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes; none in a regression."""
        return self.original.labels

    @property
    def gold(self) -> Array:
        """Class numbers, or numbers in a regression."""
        return self.original.gold

    def collapse(self, trained: Version) -> Collapse | None:
        """Which trainings on a version collapsed, by what they answer to the test set that is corrupted alike.

        Where that was not asked, by the first that was.
        """
        asked = [tested for version, tested in self.answers if version == trained]
        return collapse_of(self.answers[trained, trained if trained in asked else asked[0]])

    def working(self, trained: Version, tested: Version) -> Answers:
        """The answers of the trainings that did not collapse; of all of them where all did."""
        return without_collapsed(self.answers[trained, tested], self.collapse(trained))

    @property
    def metric(self) -> Metric:
        """The task's main metric."""
        return metric(self.task.metric, max(2, len(self.classes)))


@dataclass(frozen=True, slots=True)
class Baseline:
    """A task without corruption: its score, GLUE's second score, and what answers without looking would score.

    `majority` always gives the training data's most frequent class, `constant` the one answer that scores best.
    """

    score: Estimate
    second: Estimate | None
    majority: float
    constant: float

    @property
    def above_floor(self) -> bool:
        """Whether there is a score above the best constant answer, which corruption could take away."""
        return bool(self.score.low > self.constant)


@dataclass(frozen=True, slots=True)
class Control:
    """The same cell with as many random words removed: its change, the class's change less it, and Holm's p of that."""

    delta: Comparison
    beyond: Comparison
    p_value: float


@dataclass(frozen=True, slots=True)
class OneAnswer:
    """How many of a cell's seeds give one answer to nearly all items, and how many of these are left out of its score
    as trainings that collapsed.
    """

    n: int
    of: int
    left_out: int = 0

    @property
    def is_most(self) -> bool:
        """Whether more than half of them do."""
        return 2 * self.n > self.of


@dataclass(frozen=True, slots=True)
class Judged:
    """A cell: its score, its change to the baseline with Holm's p, how many seeds give one answer, and the verdict.

    Where the verdict is that it collapsed, nothing is tested, and p is not a number.
    """

    cell: CorruptionCell
    score: Estimate
    delta: Comparison
    p_value: float
    one_answer: OneAnswer
    verdict: CellVerdict
    control: Control | None


def with_paper(config: Config, task: CorruptionTask) -> Beside:
    """Whether the paper's numbers of a task stand beside ours: for its corpus and its model.

    Its splits are those of the hub; files of one's own folder hold others of MRPC and SST-2, and any may be cut.
    """
    return beside(
        same_corpus=bool(task.paper_name),
        same_model=is_model(only_model(config.model).folder, published.MODEL),
        same_size=config.data.hub and config.data.most_train is None,
        same_training=make_recipe(config, task) == make_recipe(PAPER, task),
    )


def load_runs(config: Config, results: Results, task: CorruptionTask) -> TaskAnswers:
    """The answers of every training of a task, at the end of training."""
    if is_asked(config):
        return _load_asked(config, results, task)
    train, test = (results[data_job(config, task, split)] for split in ("train", "test"))
    answers, keys, truncated = {}, {}, 0
    classes: tuple[str, ...] = ()
    for trained in trained_versions(config):
        trainings = training_jobs(config, task, trained)
        outcomes = [results[job] for job in trainings]
        classes, keys[trained] = outcomes[0].classes, tuple(job.key for job in trainings)
        truncated += sum(n for name, n in outcomes[0].truncated.items() if name != "train")
        for tested in tested_versions(config, task, trained):
            logits = np.stack([outcome.at(str(tested))[-1] for outcome in outcomes]).astype(float)
            answers[trained, tested] = make_answers(task, classes, test, logits, seeds_of(config, task.name))
    learned = label_codes(classes, train.table.column(_gold_column(task)).to_pylist())
    prior = np.bincount(learned, minlength=len(classes)) / len(learned) if classes else np.zeros(0)
    return TaskAnswers(task, len(train), prior, answers, truncated, keys)


def _load_asked(config: Config, results: Results, task: CorruptionTask) -> TaskAnswers:
    """The answers of every prompt; an answer that names no label is wrong."""
    sets = asked_sets(config, task)
    found = {version: asked_answers(config, asked, results) for version, asked in sets.items()}
    settled, _ = settle_missing([each.answers for each in found.values()], "wrong")
    train = results[sets[ORIGINAL].train]
    labels = settled[0].labels
    learned = label_codes(labels, train.table.column("label").to_pylist())
    return TaskAnswers(
        task,
        len(train),
        np.bincount(learned, minlength=len(labels)) / len(train),
        {(ORIGINAL, version): each for version, each in zip(sets, settled, strict=True)},
        max(each.n_cut for each in found.values()),
        {ORIGINAL: tuple(key for each in found.values() for key in each.keys)},
    )


def make_answers(
    task: CorruptionTask, classes: tuple[str, ...], test: Dataset, logits: Array, seeds: Sequence[int]
) -> Answers:
    """The answers of the seeds to the test items, from logits (seeds × items × classes, or × 1 in a regression)."""
    regression = task.kind == "regression"
    return Answers(
        where={},
        step=None,
        task="regression" if regression else "classification",
        labels=classes,
        ids=np.array(test.table.column("id").to_pylist(), object),
        gold=label_codes(classes, test.table.column(_gold_column(task)).to_pylist()),
        runs=logits[..., 0] if regression else logits.argmax(-1),
        run_names=tuple(str(seed) for seed in seeds),
        probabilities=None if regression else softmax(logits, axis=-1),
    )


def _gold_column(task: CorruptionTask) -> str:
    return "score" if task.kind == "regression" else "label"


def find_baseline(config: Config, runs: TaskAnswers) -> Baseline:
    """The score without corruption beside the floors."""
    score = _score(config, runs, runs.working(ORIGINAL, ORIGINAL))
    majority = constant = 0.0
    if runs.task.metric == "accuracy":
        shares = np.bincount(runs.gold, minlength=len(runs.classes)) / len(runs.gold)
        majority, constant = float(shares[int(runs.prior.argmax())]), float(shares.max())
    return Baseline(score, _second(runs, config.level), majority, constant)


def _score(config: Config, runs: TaskAnswers, answers: Answers) -> Estimate:
    return runs_interval(runs.metric, answers.gold, answers.runs, level=config.level)


def _second(runs: TaskAnswers, level: float) -> Estimate | None:
    """F1 of the positive class, or Spearman's correlation, where GLUE gives it beside the main score."""
    original = runs.working(ORIGINAL, ORIGINAL)
    if runs.task.kind == "regression":
        return mean_score(original, "spearman", level)
    if runs.task.positive not in runs.classes:
        return None
    positive = runs.classes.index(runs.task.positive)
    gold, found = ((each == positive).astype(np.int64) for each in (runs.gold, original.runs))
    return runs_interval(metric("binary_f1"), gold, found, level=level)


def judge_task(config: Config, runs: TaskAnswers, baseline: Baseline) -> list[Judged]:
    """Every cell of a task."""
    wanted = cells(config, runs.task)
    scores = [_score(config, runs, _answers(runs, cell)) for cell in wanted]
    deltas = [_change(config, runs, _answers(runs, cell), cell) for cell in wanted]
    counts = [count_one_answer(runs, cell) for cell in wanted]
    lost = [count.is_most for count in counts]
    adjusted = _holm(deltas, lost)
    controls = _controls(config, runs, wanted, lost)
    judged = []
    for place, (cell, score, delta) in enumerate(zip(wanted, scores, deltas, strict=True)):
        p_value = adjusted[place]
        verdict = find_verdict(delta, p_value, config, is_constant=lost[place], has_baseline=baseline.above_floor)
        judged.append(Judged(cell, score, delta, p_value, counts[place], verdict, controls[place]))
    return judged


def find_verdict(
    delta: Comparison, p_value: float, config: Config, *, is_constant: bool, has_baseline: bool
) -> CellVerdict:
    """What a cell shows.

    No baseline: the original score is not above the best constant answer, so there is nothing to lose. Collapsed: most
    seeds give one answer. Survives: the interval leaves out a loss of the margin or more. Drops: the loss is
    significant after Holm. Underpowered: neither could be shown.
    """
    if not has_baseline:
        return "no baseline"
    if is_constant:
        return "collapsed"
    if delta.difference.low > -config.margin:
        return "survives"
    return "drops" if p_value < 1 - config.level and delta.difference.value < 0 else "underpowered"


def count_one_answer(runs: TaskAnswers, cell: CorruptionCell) -> OneAnswer:
    """How many seeds give one answer to nearly all items of a cell.

    Corrupt-test: of the trainings that worked on the original. Else: of all trainings on the corrupted texts, those
    that collapsed among them.
    """
    trained, tested = cell.trained_on(), cell.tested_on()
    collapse, there = runs.collapse(trained), collapse_of(runs.working(trained, tested))
    alike = 0 if there is None else there.n
    n_working = runs.working(trained, tested).n_runs
    left_out = runs.answers[trained, tested].n_runs - n_working
    if cell.setting == "test" or collapse is None:
        return OneAnswer(alike, n_working)
    return OneAnswer(alike + left_out, n_working + left_out, left_out)


def retained_share(judged: Judged, baseline: Baseline) -> Estimate | None:
    """Which share of the score above the best constant answer is left: 1 + Δ / (baseline − floor).

    The interval is that of Δ; the denominator counts as known. None where there is no score above the floor.
    """
    above, delta = baseline.score.value - baseline.constant, judged.delta.difference
    if not baseline.above_floor or not np.isfinite(delta.value) or judged.verdict == "collapsed":
        return None
    value, low, high = (1 + each / above for each in (delta.value, delta.low, delta.high))
    return Estimate(value, low, high, f"{delta.method}; baseline and floor as known", delta.n, delta.level)


def find_information(runs: TaskAnswers, trained: Version, tested: Version) -> UsableInformation | None:
    """The bits about each label; without input, the best a model can know is the share of each class in training."""
    if (trained, tested) not in runs.answers:
        return None
    shares = runs.shares.get((trained, tested))
    if shares is None:
        probabilities = runs.working(trained, tested).probabilities
        if probabilities is None:
            return None
        shares = probabilities.mean(axis=0)
    return pointwise_information(shares, runs.prior[None], runs.gold)


def is_right(runs: TaskAnswers, removed: str) -> Array:
    """Which items of the corrupted test set more than half of the baseline's seeds have right."""
    answers = runs.working(ORIGINAL, Version(removed)).runs
    return np.asarray((answers == runs.gold).mean(axis=0) > 0.5)


def _answers(runs: TaskAnswers, cell: CorruptionCell, kind: Removing = "remove") -> Answers:
    return runs.working(cell.trained_on(kind), cell.tested_on(kind))


def _change(config: Config, runs: TaskAnswers, answers: Answers, cell: CorruptionCell) -> Comparison:
    """The change to the baseline."""
    return _compare(config, runs, answers, runs.working(ORIGINAL, ORIGINAL), same=cell.setting == "test")


def _compare(config: Config, runs: TaskAnswers, a: Answers, b: Answers, *, same: bool) -> Comparison:
    """A − B, over seeds and items where there are several seeds."""
    return compare_runs(runs.metric, a.gold, a.runs, b.runs, same_seeds=same, level=config.level)


def _controls(
    config: Config, runs: TaskAnswers, wanted: Sequence[CorruptionCell], lost: Sequence[bool]
) -> list[Control | None]:
    if config.control == "none":
        return [None for _ in wanted]
    random = [_answers(runs, cell, "random") for cell in wanted]
    deltas = [_change(config, runs, answers, cell) for answers, cell in zip(random, wanted, strict=True)]
    beyond = [
        _compare(config, runs, _answers(runs, cell), answers, same=cell.setting == "test")
        for answers, cell in zip(random, wanted, strict=True)
    ]
    return [Control(d, b, p) for d, b, p in zip(deltas, beyond, _holm(beyond, lost), strict=True)]


def _holm(comparisons: Sequence[Comparison], lost: Sequence[bool]) -> list[float]:
    """Adjusted p-values; a comparison without one, or without any difference beyond rounding, counts as 1.

    Those of cells that collapsed are not tested, and are not numbers.
    """
    p_values = [
        c.p_value if np.isfinite(c.p_value) and abs(c.difference.value) > ROUNDING else 1.0
        for c, is_lost in zip(comparisons, lost, strict=True)
        if not is_lost
    ]
    adjusted = iter(holm(np.array(p_values)))
    return [float("nan") if is_lost else float(next(adjusted)) for is_lost in lost]
