"""From trainings to what can be said: Answers on every set, the score, and each difference that a claim rests on.

Nothing is drawn or worded here. Trainings that collapsed are named by the score and are in no difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from goldproof.claiming.asked_scores import Asked, find_asked
from goldproof.claiming.data import ClaimData, find_data
from goldproof.claiming.item_clusters import item_clusters
from goldproof.claiming.plan import (
    Removed,
    audit_job,
    evaluation_jobs,
    further_name,
    reference_jobs,
    removed,
    side_jobs,
    sides,
    source_jobs,
    source_seeds,
    training_jobs,
)
from goldproof.claiming.settings import Config, title_of_model
from goldproof.data.answers import Answers
from goldproof.data.dataset import Dataset
from goldproof.jobs import Job, Results
from goldproof.judging.checkpoints.analysis import MIN_POINTS, Transfer, analyse
from goldproof.judging.checkpoints.experiment import Experiment, experiment_of
from goldproof.judging.checkpoints.luck import Loss, loss_against
from goldproof.judging.checkpoints.sets import EvaluationSet, make_set
from goldproof.judging.collapse import collapse_of, take_runs
from goldproof.judging.metrics import choose_metric_of, metric_of, run_scores
from goldproof.judging.score import Scores, SetScore, Settings, score_answers
from goldproof.judging.subsets import PartScore, score_parts, subset_of
from goldproof.report.numbers import count
from goldproof.statistics.arrays import Array, IntArray
from goldproof.statistics.attribution import Attribution, attribute_variance
from goldproof.statistics.collapse import Collapse
from goldproof.statistics.comparison import Comparison, compare_runs
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.multiplicity import holm
from goldproof.studies.asked import is_asked
from goldproof.studies.own.trained import Trained, chosen_point, trained_answers
from goldproof.studies.shared import parse_folder
from goldproof.training.outcome import TrainingOutcome

SOURCES = ("initialisation", "data order", "dropout")
WORDS = "bag of words"
FEWEST = 3  # trainings from which another one can be spoken of


@dataclass(frozen=True, slots=True)
class WordCost:
    """What removing the words of a class costs, what as many random words cost, and the class's cost beyond that.

    `p_value` is that of the last, adjusted over the classes (Holm).
    """

    words: str
    change: Comparison
    control: Comparison
    beyond: Comparison
    p_value: float


@dataclass(frozen=True, slots=True)
class OneSide:
    """The score of trainings that saw one text of each pair alone, and what they lack to those that saw both."""

    side: str
    scores: Scores
    gap: Comparison


@dataclass(frozen=True, slots=True)
class Rival:
    """Another system on the same items: its score, and the model's score less it."""

    name: str
    score: Estimate
    difference: Comparison
    n_items: int


@dataclass(frozen=True)
class Evidence:
    """All that was found. What was not asked, or cannot be, is None or empty."""

    config: Config
    data: ClaimData
    audit: dict[str, Any]
    tests: Mapping[str, Answers]
    keys: tuple[str, ...]
    sources: Attribution | None
    alone: tuple[OneSide, ...]
    reference: Answers | None
    course: EvaluationSet | None
    points: IntArray
    experiment: Experiment | None
    asked: Asked | None = None

    @property
    def run_kind(self) -> str:
        """What a run is: a training or, of a language model that is asked, a prompt."""
        return "training" if self.asked is None else "prompt"

    def runs(self, n: int) -> str:
        """So many of them, in words."""
        return f"{count(n)} {self.run_kind}{'' if n == 1 else 's'}"

    @property
    def test(self) -> Answers:
        """What all trainings answered to the test items."""
        return self.tests["test"]

    @cached_property
    def metric(self) -> str:
        """The score: accuracy, span F1, or a correlation."""
        return choose_metric_of(self.test, None)

    @cached_property
    def collapse(self) -> Collapse | None:
        """Which trainings gave one answer to everything, or which prompts got one."""
        answers = self.test if self.asked is None else self.asked.first_draws
        return collapse_of(answers, self.config.level)

    @cached_property
    def kept_runs(self) -> IntArray:
        """The trainings that are judged: those that did not collapse, of fewer than three the first alone.

        Two trainings say next to nothing about a third. Of prompts all are judged, also those that do not work.
        """
        if self.asked is not None:
            return np.arange(self.test.n_runs if self.is_recipe else self.asked.plain.n_draws)
        found = np.arange(self.test.n_runs) if self.collapse is None else self.collapse.kept
        return np.asarray(found if len(found) >= FEWEST else found[:1], np.int64)

    @cached_property
    def working(self) -> Answers:
        """The answers of the trainings that are judged."""
        return self.kept(self.test)

    @cached_property
    def scores(self) -> Scores:
        """The score of the test items, with categories and what the probabilities are worth."""
        return self._scored([self.working])

    @cached_property
    def languages(self) -> Scores | None:
        """The scores on the tests in other languages; None where there are none."""
        several = [self.kept(self.tests[further_name(language)]) for language in self.data.further]
        return self._scored(several) if several else None

    @property
    def estimate(self) -> Estimate:
        """The score over trainings, or prompts, and items."""
        return self.scores.sets[0].estimates[self.metric]

    @property
    def is_recipe(self) -> bool:
        """Whether the score is about further trainings, or prompts, too."""
        if self.asked is not None:
            return self.asked.plain.n_prompts >= FEWEST
        return self.scores.sets[0].scope == "recipes"

    @cached_property
    def per_training(self) -> Array:
        """The score of each training that did not collapse, or of each prompt."""
        if self.asked is not None:
            return self.asked.plain.by_prompt if self.is_recipe else self.asked.plain.by_prompt[:1]
        return np.asarray(run_scores(self.working, self.metric), float)

    @cached_property
    def choice(self) -> Loss | None:
        """What choosing the checkpoint on validation loses against the best one in hindsight; None with one checkpoint.

        Its random numbers are always the same.
        """
        if self.course is None or len(self.course.checkpoints) < 2 or self.test.n_runs < 2 or self.collapse_all:
            return None
        return loss_against(self.course, self.points, np.random.default_rng(0), self.config.level)

    @property
    def collapse_all(self) -> bool:
        """Whether all trainings gave one answer to everything, so that nothing can be found."""
        return self.collapse is not None and self.collapse.is_whole

    @cached_property
    def transfer(self) -> Transfer | None:
        """The choice of checkpoint in all languages; None where there are no further ones, or few checkpoints."""
        if self.experiment is None or self.collapse_all or len(self.experiment.steps) < MIN_POINTS:
            return None
        return analyse(self.experiment)

    def kept(self, answers: Answers) -> Answers:
        """The answers on any set of the trainings that are judged; of prompts each has a run there."""
        if self.asked is not None and answers is not self.test:
            return answers if self.is_recipe else take_runs(answers, np.arange(1))
        return take_runs(answers, self.kept_runs) if len(self.kept_runs) < answers.n_runs else answers

    @property
    def once(self) -> Answers:
        """The answers to the test items by those runs that answered the other sets too."""
        return self.working if self.asked is None else self.kept(self.asked.first_draws)

    def _scored(self, several: Sequence[Answers]) -> Scores:
        is_asked = self.asked is not None
        settings = Settings(
            metric=self.metric,
            level=self.config.level,
            smallest_tag=self.config.smallest,
            keep_collapsed=is_asked,
        )
        found = score_answers(several, (), settings, {})
        return replace(found, sets=[self._over_prompts(each) for each in found.sets]) if is_asked else found

    def _over_prompts(self, each: SetScore) -> SetScore:
        """The score for other prompts, draws and items in the place of one over runs."""
        assert self.asked is not None
        if not self.is_recipe:
            return replace(each, scope="systems")
        language = each.where["language"]
        name = "test" if language == self.data.language else further_name(language)
        return replace(each, estimates={**each.estimates, self.metric: self.asked.tests[name].mean})

    @cached_property
    def removals(self) -> tuple[WordCost, ...]:
        """What each class of words carries beyond as many random words."""
        classes = [each.words for each in removed(self.config, self.data) if each.kind == "remove"]
        found = [self._removal(words) for words in classes]
        p_values = np.array([each.p_value if np.isfinite(each.p_value) else 1.0 for each in found])
        adjusted = holm(p_values) if found else np.zeros(0)
        return tuple(replace(each, p_value=float(p)) for each, p in zip(found, adjusted, strict=True))

    def _removal(self, words: str) -> WordCost:
        sets = {kind: self.kept(self.tests[Removed(words, kind).name()]) for kind in ("remove", "random")}
        change, control = (self._paired(each, self.once) for each in sets.values())
        beyond = self._paired(sets["remove"], sets["random"])
        return WordCost(words, change, control, beyond, beyond.p_value)

    def _paired(self, a: Answers, b: Answers) -> Comparison:
        metric = metric_of(b, self.metric)
        return compare_runs(metric, b.gold, a.runs, b.runs, b.clusters, same_seeds=True, level=self.config.level)

    @cached_property
    def parts(self) -> tuple[PartScore, ...]:
        """The score on the items that are hard for cues and on the others; none where the audit did not divide them."""
        hard = self.audit["hard"]
        if "reason" in hard or not hard["ids"]:
            return ()
        return tuple(score_parts([self.working], self.metric, subset_of("hard", hard), self.config.level))

    @cached_property
    def rivals(self) -> tuple[Rival, ...]:
        """The bag of words of the audit, and the reference model, on the same items."""
        found = []
        if self.words is not None:
            found.append(self._rival(WORDS, *self.words))
        if self.reference is not None:
            title = parse_folder(self.config.reference).title
            found.append(self._rival(title, self.kept(self.reference), self.once, same=self.asked is not None))
        return tuple(found)

    @cached_property
    def words(self) -> tuple[Answers, Answers] | None:
        """What the audit's bag of words answered, and the model on the same items; None where there is no such bag.

        It has nothing to train again: each of its runs is the same.
        """
        given = self.audit["words"]
        if not given:
            return None
        place = {str(identity): row for row, identity in enumerate(self.working.ids)}
        guessed = [(str(name), label) for name, label in zip(given["ids"], given["labels"], strict=True)]
        own = self.working.take(np.array([place[name] for name, _ in guessed]))
        codes = np.array([own.labels.index(label) for _, label in guessed])
        return replace(own, runs=np.repeat(codes[None], own.n_runs, axis=0), probabilities=None), own

    def _rival(self, name: str, rival: Answers, own: Answers, same: bool = False) -> Rival:
        level, measure = self.config.level, metric_of(own, self.metric)
        found = compare_runs(measure, own.gold, own.runs, rival.runs, own.clusters, same_seeds=same, level=level)
        settings = Settings(metric=self.metric, level=level, keep_collapsed=same)
        score = score_answers([rival], (), settings, {}).sets[0]
        return Rival(name, score.estimates[self.metric], found, own.n_items)

    def words_ahead(self, level: float) -> Estimate:
        """By how much the bag of words is ahead of the model (below 0: behind), at a level."""
        assert self.words is not None
        rival, own = self.words
        measure = metric_of(own, self.metric)
        return compare_runs(measure, own.gold, rival.runs, own.runs, own.clusters, level=level).difference


def find_evidence(config: Config, results: Results) -> Evidence:
    """Everything, from the values of the jobs."""
    data = find_data(config)
    if is_asked(config):
        return _asked_evidence(config, data, results)
    held = results[data.parts["validation"].job]
    jobs = training_jobs(config, data)
    trained = _trained(data, results, jobs, held)
    rows = {name: _rows(data, results, name, job) for name, job in evaluation_jobs(config, data).items()}
    tests = {name: _answers(config, data, trained, each, name) for name, each in rows.items() if name != "validation"}
    keys = tuple(job.key for job in jobs)
    courses = _courses(config, data, trained, rows)
    return Evidence(
        config,
        data,
        results[audit_job(config, data)],
        tests,
        keys,
        _sources(config, data, results, held),
        tuple(_alone(config, data, results, side, tests["test"]) for side in sides(config, data)),
        _reference(config, data, results, held),
        _course(config, data, courses),
        np.array(trained.points, np.int64),
        experiment_of(courses, data.language) if data.further and data.kind != "regression" else None,
    )


def _asked_evidence(config: Config, data: ClaimData, results: Results) -> Evidence:
    """Everything of a language model that was asked."""
    asked = find_asked(config, data, results)
    tests = {name: each.answers for name, each in asked.tests.items()}
    audit, none = results[audit_job(config, data)], np.zeros(0, np.int64)
    return Evidence(config, data, audit, tests, asked.keys, None, (), asked.reference, None, none, None, asked)


def _courses(config: Config, data: ClaimData, trained: Trained, rows: Mapping[str, Dataset]) -> list[Answers]:
    """The answers at every checkpoint, on validation and on the tests in all languages."""
    asked = {name: each for name, each in rows.items() if not name.startswith("without ")}
    several = []
    for place, step in enumerate(trained.outcomes[0].points):
        at = replace(trained, points=[place for _ in trained.outcomes])
        for name, each in asked.items():
            answers = _answers(config, data, at, each, name)
            split = "dev" if name == "validation" else "test"
            several.append(replace(answers, step=step, where={**answers.where, "split": split}))
    return several


def _course(config: Config, data: ClaimData, several: Sequence[Answers]) -> EvaluationSet | None:
    """The test items in the language of training, at every checkpoint; None of numbers."""
    if data.kind == "regression":
        return None
    own = [each for each in several if each.where["language"] == data.language and each.where["split"] == "test"]
    return make_set(own, choose_metric_of(own[0], None))


def _rows(data: ClaimData, results: Results, name: str, job: Job[Dataset]) -> Dataset:
    """The rows of an evaluation set as they are: those without words have the labels and ids of the test."""
    return results[data.parts["test"].job] if name.startswith("without ") else results[job]


def _trained(data: ClaimData, results: Results, jobs: Sequence[Job[TrainingOutcome]], held: Dataset) -> Trained:
    outcomes = [results[job] for job in jobs]
    points = [chosen_point(data.kind, outcome, held) for outcome in outcomes]
    return Trained(outcomes, points, tuple(str(outcome.seeds) for outcome in outcomes))


def _answers(config: Config, data: ClaimData, trained: Trained, rows: Dataset, name: str) -> Answers:
    language = name.removeprefix("test ") if name.startswith("test ") else data.language
    where = {"model": title_of_model(config), "dataset": data.name, "language": language}
    found = trained_answers(data.kind, rows, trained, where, name, with_probabilities=True)
    return replace(found, clusters=item_clusters(rows))


def _sources(config: Config, data: ClaimData, results: Results, held: Dataset) -> Attribution | None:
    if not config.levels:
        return None
    trained = _trained(data, results, source_jobs(config, data), held)
    answers = _answers(config, data, trained, results[data.parts["test"].job], "test")
    scored = run_scores(answers, choose_metric_of(answers, None))
    if not np.isfinite(scored).all() or np.ptp(scored) == 0:
        return None
    levels = np.array([(each.init, each.order, each.dropout) for each in source_seeds(config)])
    return attribute_variance(scored, levels, SOURCES)


def _alone(config: Config, data: ClaimData, results: Results, side: str, both: Answers) -> OneSide:
    jobs = side_jobs(config, data, side)
    held = results[data.parts["validation"].job]
    trained = _trained(replace(data, kind="text"), results, jobs, held)
    answers = _answers(config, replace(data, kind="text"), trained, results[data.parts["test"].job], "test")
    metric, level = choose_metric_of(answers, None), config.level
    scores = score_answers([answers], (), Settings(metric=metric, level=level), {})
    whole = take_runs(both, np.arange(len(jobs)))
    gap = compare_runs(metric_of(both, metric), both.gold, whole.runs, answers.runs, both.clusters, level=level)
    return OneSide(side, scores, gap)


def _reference(config: Config, data: ClaimData, results: Results, held: Dataset) -> Answers | None:
    if not config.reference:
        return None
    trained = _trained(data, results, reference_jobs(config, data), held)
    found = _answers(config, data, trained, results[data.parts["test"].job], "test")
    return replace(found, where={**found.where, "model": parse_folder(config.reference).title})
