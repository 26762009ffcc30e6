"""The jobs: each language's encoder fine-tuned with each seed, on its own data alone and with extra data.

Every training is judged on the diagnostics of its language at every epoch, and on the validation data, by which the
epoch is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from goldproof.builders.annotation.features import annotate_features, annotation_needs
from goldproof.data.corpora.steps import corpus_job, file_job
from goldproof.data.dataset import Dataset
from goldproof.extras import Need
from goldproof.jobs import Job
from goldproof.models.named import find_model
from goldproof.studies.stability.data import CorpusFigures, categorise, extend, figures, prepare_diagnostics
from goldproof.studies.stability.data import prepare_entailment as prepare
from goldproof.studies.stability.generated import generate_diagnostics, generate_entailment
from goldproof.studies.stability.presence import control
from goldproof.studies.stability.settings import Config
from goldproof.training.finetune import TRAINING
from goldproof.training.job import train
from goldproof.training.outcome import TrainingOutcome
from goldproof.training.recipe import Recipe, Seeds

FAKE_RATE = 1000


@dataclass(frozen=True, slots=True)
class Condition:
    """What a language's encoder was trained on: its own data, with so many extra rows, of which a share has a feature.

    >>> Condition("en", 10_000, "Negation", 25).name()
    'en + 10,000, 25 % Negation'
    """

    language: str
    amount: int = 0
    feature: str = ""
    percent: int = 0

    def name(self) -> str:
        """In words."""
        more = f" + {self.amount:,}" if self.amount else ""
        return f"{self.language}{more}" + (f", {self.percent} % {self.feature}" if self.feature else "")


def jobs(config: Config) -> list[Job[Any]]:
    """Every job whose value the report needs."""
    wanted: list[Job[Any]] = [figures_job(config, language) for language in config.languages]
    wanted += [diagnostics_job(config, language) for language in config.languages]
    wanted += [validation_job(config, language) for language in config.languages]
    for condition in conditions(config):
        wanted += [training_job(config, condition, seeds) for seeds in seeds_of(config)]
    for language in attributed(config):
        wanted += [training_job(config, Condition(language), seeds) for seeds in attribution_seeds(config)]
    if config.presence.features:
        wanted += [annotation_job(config), extra_job(config)]
    return list(dict.fromkeys(wanted))


def requires(config: Config) -> tuple[Need, ...]:
    """The extras that the jobs need, told before any data is looked at."""
    return (TRAINING, *(annotation_needs(config.extra.language) if config.presence.features else ()))


def conditions(config: Config) -> list[Condition]:
    """Everything that is trained with every seed: base, extra amounts, controlled subsets."""
    found = [Condition(language) for language in config.languages]
    for language in config.languages:
        found += [Condition(language, amount) for amount in config.extra.amounts_for(language)]
    presence = config.presence
    if presence.features:
        found += [Condition(language, presence.amount) for language in presence.languages]
        choices = product(presence.languages, presence.features, presence.percent)
        found += [Condition(language, presence.amount, feature, percent) for language, feature, percent in choices]
    return list(dict.fromkeys(found))


def seeds_of(config: Config) -> list[Seeds]:
    """The paper's seeds: one for initialisation, order and dropout together."""
    return [Seeds.all(seed) for seed in config.seeds]


def attributed(config: Config) -> tuple[str, ...]:
    """The languages whose variance is attributed."""
    return config.attribution.languages if config.attribution.levels else ()


def attribution_seeds(config: Config) -> list[Seeds]:
    """Runs that vary the three seeds apart: a Latin square (i, j, i + j), or all combinations.

    >>> [str(seeds) for seeds in attribution_seeds(Config())][1]
    'seeds init 0, order 1, dropout 1'
    """
    k = config.attribution.levels
    if config.attribution.design == "latin":
        return [Seeds(i, j, (i + j) % k) for i, j in product(range(k), repeat=2)]
    return [Seeds(*levels) for levels in product(range(k), repeat=3)]


def training_job(config: Config, condition: Condition, seeds: Seeds) -> Job[TrainingOutcome]:
    """The job that trains one seed under a condition."""
    sets = {
        "validation": validation_job(config, condition.language),
        "diagnostics": _diagnostics(config, condition.language),
    }
    return train.job(find_model(config.model), train_data(config, condition), sets, _recipe(config), seeds)


def train_data(config: Config, condition: Condition) -> Job[Dataset]:
    """The training data of a condition."""
    language, amount = condition.language, condition.amount
    base = prepare.job(entailment_job(config, language, "train"), f"train ({language})", config.n_train)
    if not amount:
        return base
    extra = extra_job(config)
    if condition.feature:
        extra = control.job(extra, annotation_job(config), condition.feature, condition.percent, amount)
    return extend.job(base, extra, amount, config.extra.seed)


def validation_job(config: Config, language: str) -> Job[Dataset]:
    """The validation data of a language, with two labels."""
    return prepare.job(entailment_job(config, language, "validation"), f"validation ({language})")


def diagnostics_job(config: Config, language: str) -> Job[Dataset]:
    """The diagnostics of a language whose tags are the categories that each row belongs to."""
    return categorise.job(_diagnostics(config, language), language, config.membership)


def figures_job(config: Config, language: str) -> Job[CorpusFigures]:
    """The figures of a language's corpus, as in Table 1."""
    splits = ("train", "validation") if config.corpus == "generated" else ("train", "validation", "test")
    return figures.job({split: entailment_job(config, language, split) for split in splits})


def extra_job(config: Config) -> Job[Dataset]:
    """The extra data, with two labels."""
    extra = config.extra
    if config.corpus == "generated":
        raw = generate_entailment.job(extra.language, config.toy.n_extra, seed=3, three_way=True)
    elif Path(extra.corpus).suffix and Path(extra.corpus).exists():
        raw = file_job(extra.corpus, language=extra.language)
    else:
        raw = corpus_job(extra.corpus, language=extra.language, split=extra.split, root=config.root or None)
    return prepare.job(raw, f"extra data ({extra.corpus})")


def annotation_job(config: Config) -> Job[list[list[str]]]:
    """The features of each row of the extra data."""
    return annotate_features.job(extra_job(config), config.extra.language)


def entailment_job(config: Config, language: str, split: str) -> Job[Dataset]:
    """A split of a language's entailment corpus as it was published."""
    if config.corpus == "generated":
        n = config.toy.n_train if split == "train" else config.toy.n_validation
        return generate_entailment.job(language, n, seed=1 if split == "train" else 2)
    name = "rte" if language == "en" else "terra"
    return corpus_job(name, language=language, split=split, root=config.root or None)


def _diagnostics(config: Config, language: str) -> Job[Dataset]:
    first = config.languages[0]
    reference = None if language == first else _raw_diagnostics(config, first)
    return prepare_diagnostics.job(_raw_diagnostics(config, language), language, reference, first)


def _raw_diagnostics(config: Config, language: str) -> Job[Dataset]:
    if config.corpus == "generated":
        return generate_diagnostics.job(language, config.toy.n_pairs, seed=0)
    name = "lidirus" if language == "ru" else "diagnostics"
    return corpus_job(name, language=language, root=config.root or None)


def _recipe(config: Config) -> Recipe:
    """The recipe; the fake model is a bag of hashed words, which a rate meant for an encoder would not move."""
    if config.model != "fake":
        return config.recipe
    return replace(config.recipe, learning_rate=FAKE_RATE * config.recipe.learning_rate)
