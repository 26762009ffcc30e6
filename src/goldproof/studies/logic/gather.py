"""Every value that the report shows, by what it is of: from the store, or from a file of kept answers.

What models answered on each test set is kept as Answers, everything else (figures, certificates, pieces, searches) as
facts. Models, corpora and texts are not needed to render the report again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from goldproof.data.answers import Answers
from goldproof.errors import UsageError
from goldproof.jobs import Job, Results
from goldproof.jobs.names import named
from goldproof.measures.leaks import Certificate
from goldproof.models.recurrent import Recurrent
from goldproof.studies.kept import KeptAnswers
from goldproof.studies.kept_values import pack, unpack
from goldproof.studies.logic.own import settle
from goldproof.studies.logic.plan import (
    LogicCondition,
    answers_job,
    conditions,
    corpora,
    corpus_job_of,
    languages_trained,
    leak_job,
    model_names,
    nli_job,
    pieces_job,
    tokenizers,
    trial_jobs,
)
from goldproof.studies.logic.scores import ConditionAccuracy, make_answers, model_title, score_answers
from goldproof.studies.logic.search import Candidate, best_trial, candidates
from goldproof.studies.logic.settings import Config
from goldproof.studies.logic.steps import LogicCorpusFigures, figures
from goldproof.studies.own import has_own

_TEST_LANGUAGE = "tested on"


@named("logic.Chosen")
@dataclass(frozen=True, slots=True)
class ChosenSettings:
    """What a search chose: the best score on validation, how many trials failed, and the settings.

    The three of the network's shape are None where the encoder gives them.
    """

    score: float
    failed: int
    hidden: int | None
    dimension: int | None
    n_layers: int | None
    dropout: float | None
    learning_rate: float
    batch: int
    epochs: float


@dataclass(frozen=True, slots=True)
class LogicValues:
    """Answers by condition and language of the test set, and other values of jobs by label, each with its key."""

    answers: Mapping[str, Answers]
    cut: Mapping[str, int]
    values: Mapping[str, Any]
    keys: Mapping[str, str]

    def score(self, condition: LogicCondition, language: str = "") -> ConditionAccuracy:
        """The scores of a condition on the test set of a language, its own unless given."""
        label = label_of(condition, language or condition.language)
        return score_answers(condition, self.answers[label], self.cut[label], self.keys[label])

    def figures(self, task: str, language: str) -> tuple[LogicCorpusFigures, str]:
        """What Table 1 says of a corpus, with its key."""
        label = f"figures/{task}/{language}"
        return self.values[label], self.keys[label]

    def certificate(self, task: str, language: str, preset: str) -> tuple[Certificate, str]:
        """The certificate of a corpus, with its key."""
        label = f"leaks/{task}/{language}/{preset}"
        return self.values[label], self.keys[label]

    def recast(self, name: str) -> tuple[Certificate, str]:
        """The certificate of an NLI corpus, with its key."""
        return self.values[f"nli/{name}"], self.keys[f"nli/{name}"]

    def of_kind(self, kind: str) -> list[tuple[list[str], Any, str]]:
        """Every value of a kind (pieces, search): what it is of, the value and its key."""
        found = [(label.split("/")[1:], label) for label in self.values if label.startswith(f"{kind}/")]
        return [(place, self.values[label], self.keys[label]) for place, label in found]


def label_of(condition: LogicCondition, language: str) -> str:
    """What the answers of a condition are kept under; a model goes by its title, not by where its folder lies."""
    parts = [condition.task, condition.language, model_title(condition.model), f"{condition.fraction:g}"]
    parts += ["known names" if condition.shared_names else "new names", condition.control, condition.preset]
    return "/".join([*parts, f"{_TEST_LANGUAGE} {language}"])


def gather(config: Config, results: Results) -> LogicValues:
    """The values of all jobs of settled settings."""
    config = settle(config)
    answers: dict[str, Answers] = {}
    cut: dict[str, int] = {}
    keys: dict[str, str] = {}
    for condition, language in _tested(config):
        label, job = label_of(condition, language), answers_job(config, condition)
        corpus = corpus_job_of(config, condition.task, language, condition.shared_names, condition.preset)
        stored = results[job]
        answers[label] = make_answers(stored, language, results[corpus].select(split="test"), config.seeds)
        cut[label], keys[label] = stored.truncated.get(language, 0), job.key
    values: dict[str, Any] = {}
    for label, job in _other_jobs(config):
        values[label], keys[label] = results[job], job.key
    for label, chosen, key in _searches(config, results):
        values[label], keys[label] = chosen, key
    return LogicValues(answers, cut, values, keys)


def gather_asked(config: Config, results: Results) -> LogicValues:
    """What words give away in the corpora that a language model is asked about; its answers are kept by themselves."""
    values: dict[str, Any] = {}
    keys: dict[str, str] = {}
    for label, job in _other_jobs(config):
        values[label], keys[label] = results[job], job.key
    return LogicValues({}, {}, values, keys)


def _tested(config: Config) -> Iterator[tuple[LogicCondition, str]]:
    """Every condition with the language of each test set that the page shows."""
    for condition in conditions(config):
        yield condition, condition.language
    source = config.experiments.source
    if source:
        for task in config.tasks:
            for model in model_names(config):
                yield from ((LogicCondition(task, source, model), each) for each in config.data.languages)


def _other_jobs(config: Config) -> Iterator[tuple[str, Job[Any]]]:
    for task in config.tasks:
        for language in config.data.languages:
            yield f"figures/{task}/{language}", figures.job(corpus_job_of(config, task, language))
    if config.experiments.certificates:
        for task, language, preset in corpora(config):
            yield f"leaks/{task}/{language}/{preset}", leak_job(config, task, language, preset)
    for name in config.experiments.nli:
        yield f"nli/{name}", nli_job(config, name)
    for model in tokenizers(config):
        for language in config.data.languages:
            yield f"pieces/{model_title(model)}/{language}", pieces_job(config, model, language)


def _searches(config: Config, results: Results) -> Iterator[tuple[str, ChosenSettings, str]]:
    """What the search of each task, language and model chose."""
    for language in languages_trained(config):
        for task in config.tasks:
            for model in model_names(config):
                jobs = trial_jobs(config, LogicCondition(task, language, model))
                if jobs:
                    trials = [results[job] for job in jobs]
                    best = best_trial(trials)
                    failed = sum(bool(each.error) for each in trials)
                    chosen = _chosen(candidates(config, model)[best], trials[best].score, failed)
                    yield f"search/{task}/{language}/{model_title(model)}", chosen, jobs[best].key


def _chosen(candidate: Candidate, score: float, failed: int) -> ChosenSettings:
    recipe = candidate.recipe
    is_shaped = isinstance(candidate.model, Recurrent)
    hidden, dimension, n_layers, dropout = (
        getattr(candidate.model, name) if is_shaped else None for name in ("hidden", "dimension", "n_layers", "dropout")
    )
    return ChosenSettings(
        score, failed, hidden, dimension, n_layers, dropout, recipe.learning_rate, recipe.batch, recipe.epochs
    )


def keep_gathered(config: Config, gathered: LogicValues) -> KeptAnswers:
    """What was gathered as answers and facts."""
    refuse_own(config)
    return KeptAnswers(gathered.answers, keep_values(gathered))


def refuse_own(config: Config) -> None:
    """Refuse to keep answers on the user's own data."""
    if has_own(config):
        raise UsageError(
            "answers on data of your own can be kept only with `goldproof score`, from a file of predictions"
        )


def keep_values(gathered: LogicValues) -> dict[str, Any]:
    """What was gathered beside the answers, as facts."""
    return {"cut": dict(gathered.cut), "values": pack(dict(gathered.values)), "keys": dict(gathered.keys)}


def gathered_from(kept: KeptAnswers) -> LogicValues:
    """What was kept, as it was gathered."""
    return LogicValues(kept.answers, kept.facts["cut"], unpack(kept.facts["values"]), kept.facts["keys"])
