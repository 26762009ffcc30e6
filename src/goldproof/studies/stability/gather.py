"""From trainings to answers: the chosen epoch of every run as runs × items, with the facts that the report shows.

Nothing is scored here. What is gathered can be kept in a file and rendered again without the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from goldproof.builders.annotation.features import count_features
from goldproof.data.answers import Answers
from goldproof.data.dataset import Dataset
from goldproof.jobs import Results
from goldproof.judging.score_report import flip_examples
from goldproof.studies.in_turn import in_turn
from goldproof.studies.kept import KeptAnswers, join_kept, with_texts_of
from goldproof.studies.shared import only_model
from goldproof.studies.stability.plan import (
    Condition,
    attributed,
    attribution_seeds,
    conditions,
    diagnostics_job,
    figures_job,
    most_job,
    rates_of,
    seeds_of,
    training_job,
    validation_job,
)
from goldproof.studies.stability.settings import Config
from goldproof.training.outcome import TrainingOutcome
from goldproof.training.recipe import Seeds
from goldproof.training.selection import best_point, last_point, score_points

LABELS = ("not_entailment", "entailment")


def gather(config: Config, results: Results) -> KeptAnswers:
    """The answers and facts of every model, each under its name."""
    return join_kept({f"{only_model(one.model).title}/": gather_one(one, results) for one in in_turn(config)})


def gather_one(config: Config, results: Results) -> KeptAnswers:
    """The answers and facts of the only model of these settings."""
    answers: dict[str, Answers] = {}
    facts: dict[str, Any] = {"corpora": _corpora(config, results)}
    planned = [(each.name(), each, seeds_of(config)) for each in conditions(config)]
    planned += [(apart(language), Condition(language), attribution_seeds(config)) for language in attributed(config)]
    for name, condition, seeds in planned:
        made, facts[f"runs of {name}"] = _runs(config, results, condition, seeds)
        # The page shows items of the plain conditions alone.
        shown = condition.name() == name == condition.language and made.n_runs > 1
        answers[name] = with_texts_of(made, [item.id for item in flip_examples(made, "x").items] if shown else [])
    if config.presence.features:
        most = None if config.presence.amount else results[most_job(config)]
        facts["presence amount"] = config.presence.amount or most
    wanted = (*config.presence.annotated, *(["extra"] if config.presence.features else []))
    facts["rates"] = {corpus: _rates(config, results, corpus) for corpus in dict.fromkeys(wanted)}
    return KeptAnswers(answers, facts)


def apart(language: str) -> str:
    """What the runs of a language are called that vary the three seeds apart."""
    return f"{language}, seeds apart"


def _corpora(config: Config, results: Results) -> dict[str, Any]:
    """The figures of each language's corpus, with the key of their job."""
    jobs = {language: figures_job(config, language) for language in config.data.languages}
    found = {language: results[job] for language, job in jobs.items()}
    return {
        language: {"rows": each.rows, "vocabulary": each.vocabulary, "words": each.words, "key": jobs[language].key}
        for language, each in found.items()
    }


def _rates(config: Config, results: Results, corpus: str) -> dict[str, Any]:
    """How many rows of a corpus show each feature."""
    rows, job = rates_of(config, corpus)
    data = results[rows]
    features: list[list[str]] = results[job]
    counts = {each.feature: each.n_shown for each in count_features(data, features)}
    return {"rows": len(data), "shown": counts, "key": job.key}


def _runs(
    config: Config, results: Results, condition: Condition, seeds: Sequence[Seeds]
) -> tuple[Answers, dict[str, Any]]:
    """What the runs of a condition answered, and of each its validation accuracy, point and key."""
    trainings = [training_job(config, condition, each) for each in seeds]
    outcomes = [results[job] for job in trainings]
    data = results[diagnostics_job(config, condition.language)]
    labels = [str(label) for label in results[validation_job(config, condition.language)].table["label"].to_pylist()]
    points = [choose_point(config, outcome, labels) for outcome in outcomes]
    accuracy = [float(score_points(o, "validation", labels)[p]) for o, p in zip(outcomes, points, strict=True)]
    facts = {"validation": accuracy, "points": points, "keys": [job.key for job in trainings]}
    return make_answers(condition, data, outcomes, points), facts


def choose_point(config: Config, outcome: TrainingOutcome, labels: Sequence[str]) -> int:
    """The evaluation point that counts."""
    return last_point(outcome) if config.select == "last" else best_point(outcome, "validation", labels)


def make_answers(
    condition: Condition, data: Dataset, outcomes: Sequence[TrainingOutcome], points: Sequence[int]
) -> Answers:
    """The chosen predictions on the diagnostics as runs × items, items clustered by mirrored twins."""
    texts, pairs = data.texts, [pair or "" for pair in data.pairs]
    twins = ["\x00".join(sorted(both)) for both in zip(texts, pairs, strict=True)]
    runs = [
        [LABELS.index(label) for label in outcome.predictions("diagnostics", point)]
        for outcome, point in zip(outcomes, points, strict=True)
    ]
    return Answers(
        where={"language": condition.language},
        step=None,
        task="classification",
        labels=LABELS,
        ids=np.array(data.table["id"].to_pylist(), object),
        gold=np.array([LABELS.index(label) for label in data.table["label"].to_pylist()]),
        runs=np.array(runs),
        run_names=tuple(run_name(outcome.seeds) for outcome in outcomes),
        clusters=np.unique(np.array(twins, object), return_inverse=True)[1],
        tags=tuple(tuple(tags) for tags in data.table["tags"].to_pylist()),
        texts={"premise": texts, "hypothesis": pairs},
    )


def run_name(seeds: Seeds) -> str:
    """A run by its seed, or by its three seeds where they differ."""
    alike = seeds.init == seeds.order == seeds.dropout
    return str(seeds.init) if alike else f"{seeds.init}/{seeds.order}/{seeds.dropout}"
