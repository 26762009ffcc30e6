"""The jobs: each language's encoder fine-tuned with each seed, on its own data alone and with extra data.

Every training is judged on the diagnostics of its language at every epoch, and on the validation data, by which the
epoch is chosen. Below the jobs stand the steps that add extra rows, choose subsets of which an exact share
holds a feature, and count what a corpus has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from goldproof.builders.annotation.features import annotate_features, annotation_needs
from goldproof.builders.entailment import corpora
from goldproof.builders.entailment.corpora import Corpora
from goldproof.builders.entailment.steps import prepare_entailment
from goldproof.builders.entailment.toy import generate_entailment
from goldproof.data.checking.duplicates import count_words
from goldproof.data.corpora.steps import corpus_job, file_job
from goldproof.data.dataset import Dataset, concat
from goldproof.data.formats.files import looking
from goldproof.errors import UsageError
from goldproof.extras import Need
from goldproof.jobs import Job, step
from goldproof.jobs.names import named
from goldproof.jobs.pace import same_rows
from goldproof.judging.metrics import choose_metric
from goldproof.models.language_model import ASKING
from goldproof.models.named import find_model
from goldproof.studies.asked import AskedSet, is_asked, own_sets, set_jobs, some_items
from goldproof.studies.in_turn import in_turn
from goldproof.studies.own import OwnData, Wants, find_own, has_own
from goldproof.studies.own.trained import ANSWERS
from goldproof.studies.shared import only_model, recipe_for
from goldproof.studies.stability.settings import Config
from goldproof.training.finetune import TRAINING
from goldproof.training.job import train
from goldproof.training.outcome import TrainingOutcome
from goldproof.training.recipe import Recipe, Seeds

FAKE_RATE = 1000
MOST = -1
"""The amount of a condition with as many extra rows as every share of every chosen feature allows."""


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
        more = (
            " + the most that all shares allow" if self.amount == MOST else f" + {self.amount:,}" if self.amount else ""
        )
        return f"{self.language}{more}" + (f", {self.percent} % {self.feature}" if self.feature else "")


def jobs(config: Config) -> list[Job[Any]]:
    """Every job whose value the report needs, for one model after the other."""
    return [job for one in in_turn(config) for job in _jobs(one)]


def _jobs(config: Config) -> list[Job[Any]]:
    if is_asked(config):
        return asked_jobs(config)
    if has_own(config):
        return own_jobs(config)
    wanted: list[Job[Any]] = [figures_job(config, language) for language in config.data.languages]
    wanted += [diagnostics_job(config, language) for language in config.data.languages]
    wanted += [validation_job(config, language) for language in config.data.languages]
    for condition in conditions(config):
        wanted += [training_job(config, condition, seeds) for seeds in seeds_of(config)]
    for language in attributed(config):
        wanted += [training_job(config, Condition(language), seeds) for seeds in attribution_seeds(config)]
    wanted += presence_jobs(config)
    wanted += [job for corpus in config.presence.annotated for job in rates_jobs(config, corpus)]
    return list(dict.fromkeys(wanted))


def presence_jobs(config: Config) -> list[Job[Any]]:
    """The trainings on controlled subsets, and the features that the rules find; none where no feature was chosen."""
    if not config.presence.features:
        return []
    cells = [training_job(config, each, seeds) for each in presence_conditions(config) for seeds in seeds_of(config)]
    return [*cells, annotation_job(config), extra_job(config), *([] if config.presence.amount else [most_job(config)])]


def rates_jobs(config: Config, corpus: str) -> list[Job[Any]]:
    """The features that the rules find in a corpus, and its rows: a language's training data, or the extra data."""
    return [*rates_of(config, corpus)]


def rates_of(config: Config, corpus: str) -> tuple[Job[Dataset], Job[list[list[str]]]]:
    """The rows of a corpus and their features."""
    if corpus == "extra":
        return extra_job(config), annotation_job(config)
    rows = corpora.train_job(corpora_of(config), corpus, config.data.most_train)
    return rows, annotate_features.job(rows, corpus)


WANTS = Wants("stability", ("text", "pair", "tokens", "regression"), tags=True)


def own_data(config: Config) -> OwnData:
    """The user's own data."""
    return find_own(config, WANTS)


ASKED = Wants("stability", ("text", "pair"), validation=False, tags=True)
"""What a language model can be asked about."""


def asked_jobs(config: Config) -> list[Job[Any]]:
    """The jobs that ask a language model about every set, and the sets."""
    return set_jobs(config, asked_sets(config))


def asked_sets(config: Config) -> list[AskedSet]:
    """What a language model is asked about: data of the user's own, or the diagnostics of each language."""
    if has_own(config):
        return own_sets(config, find_own(config, ASKED))
    name = "generated pairs" if config.data.corpus == "generated" else "diagnostics"
    return [
        AskedSet(
            name,
            language,
            "pair",
            ENTAILMENT,
            some_items(config, corpora.categories_job(corpora_of(config), language, config.membership)),
            corpora.train_job(corpora_of(config), language, config.data.most_train),
        )
        for language in config.data.languages
    ]


def asked_metric(config: Config) -> str:
    """The score of a language model: MCC on the diagnostics, else that of the user's own data."""
    return own_metric(config, find_own(config, ASKED)) if has_own(config) else "mcc"


ENTAILMENT = ("entailment", "not_entailment")


def own_metric(config: Config, own: OwnData) -> str:
    """The score of the user's own data: the one that is set, else the first of their kind; an error names those."""
    return choose_metric(ANSWERS[own.kind], config.metric or None)


def own_jobs(config: Config) -> list[Job[Any]]:
    """The jobs on the user's own data: each seed in each language, and the runs that vary the three seeds apart."""
    own = own_data(config)
    own_metric(config, own)  # what cannot be scored is said now
    wanted: list[Job[Any]] = []
    for language in own.languages:
        wanted += [own.job(language, "validation"), own.job(language, "test")]
        wanted += [own_training_job(config, own, language, seeds) for seeds in seeds_of(config)]
    for language in own_attributed(config, own):
        wanted += [own_training_job(config, own, language, seeds) for seeds in attribution_seeds(config)]
    return list(dict.fromkeys(wanted))


def own_attributed(config: Config, own: OwnData) -> tuple[str, ...]:
    """The languages of one's own whose variance is attributed: those named, else the first."""
    named_languages = tuple(language for language in attributed(config) if language in own.languages)
    return named_languages or (own.languages[:1] if config.attribution.levels else ())


def own_training_job(config: Config, own: OwnData, language: str, seeds: Seeds) -> Job[TrainingOutcome]:
    """The job that trains one seed on the user's own data in a language."""
    sets = {split: own.job(language, split) for split in ("validation", "test")}
    model, recipe = find_model(only_model(config.model).folder), recipe_for(_recipe(config), own.kind)
    return train.job(model, own.job(language, "train"), sets, recipe, seeds)


def requires(config: Config) -> tuple[Need, ...]:
    """The extras that the jobs need, told before any data is looked at."""
    if is_asked(config):
        return (ASKING,)
    presence, extra = config.presence, config.extra.language
    languages = [extra] if presence.features else []
    languages += [extra if corpus == "extra" else corpus for corpus in presence.annotated]
    return (TRAINING, *(need for language in dict.fromkeys(languages) for need in annotation_needs(language)))


def conditions(config: Config) -> list[Condition]:
    """Everything that is trained with every seed: base, extra amounts, controlled subsets."""
    found = [Condition(language) for language in config.data.languages]
    for language in config.data.languages:
        found += [Condition(language, amount) for amount in config.extra.amounts_for(language)]
    return list(dict.fromkeys([*found, *presence_conditions(config)]))


def presence_conditions(config: Config) -> list[Condition]:
    """The controlled subsets, and beside them as many extra rows as they come."""
    presence = config.presence
    if not presence.features:
        return []
    amount = presence.amount or MOST
    found = [Condition(language, amount) for language in presence.languages]
    choices = product(presence.languages, presence.features, presence.percent)
    return found + [Condition(language, amount, feature, percent) for language, feature, percent in choices]


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
        "diagnostics": corpora.diagnostics_job(corpora_of(config), condition.language),
    }
    return train.job(
        find_model(only_model(config.model).folder), train_data(config, condition), sets, _recipe(config), seeds
    )


def train_data(config: Config, condition: Condition) -> Job[Dataset]:
    """The training data of a condition."""
    language, amount = condition.language, condition.amount
    base = corpora.train_job(corpora_of(config), language, config.data.most_train)
    if not amount:
        return base
    extra = extra_job(config)
    n: int | Job[int] = most_job(config) if amount == MOST else amount
    if condition.feature:
        extra = control.job(extra, annotation_job(config), condition.feature, condition.percent, n)
    return extend.job(base, extra, n, config.extra.seed)


def most_job(config: Config) -> Job[int]:
    """The most extra rows that every share of every chosen feature allows."""
    presence = config.presence
    return most_rows.job(annotation_job(config), presence.features, presence.percent)


def validation_job(config: Config, language: str) -> Job[Dataset]:
    """The validation data of a language, with two labels."""
    return corpora.validation_job(corpora_of(config), language)


def diagnostics_job(config: Config, language: str) -> Job[Dataset]:
    """The diagnostics of a language whose tags are the categories that each row belongs to."""
    return corpora.categories_job(corpora_of(config), language, config.membership)


def figures_job(config: Config, language: str) -> Job[CorpusFigures]:
    """The figures of a language's corpus, as in Table 1."""
    splits = ("train", "validation") if config.data.corpus == "generated" else ("train", "validation", "test")
    return figures.job({split: corpora.entailment_job(corpora_of(config), language, split) for split in splits})


@looking()
def extra_job(config: Config) -> Job[Dataset]:
    """The extra data, with two labels."""
    extra = config.extra
    if config.data.corpus == "generated":
        raw = generate_entailment.job(extra.language, config.toy.n_extra, seed=3, three_way=True)
    elif Path(extra.corpus).suffix and Path(extra.corpus).exists():
        raw = file_job(extra.corpus, language=extra.language)
    else:
        raw = corpus_job(extra.corpus, language=extra.language, split=extra.split, root=config.data.root or None)
    return prepare_entailment.job(raw, f"extra data ({extra.corpus})")


def annotation_job(config: Config) -> Job[list[list[str]]]:
    """The features of each row of the extra data."""
    return annotate_features.job(extra_job(config), config.extra.language)


def corpora_of(config: Config) -> Corpora:
    """Where the data of a configuration come from."""
    toy = config.toy
    return Corpora(
        config.data.languages[0],
        config.data.root,
        config.data.corpus == "generated",
        toy.n_train,
        toy.n_validation,
        toy.n_pairs,
    )


def _recipe(config: Config) -> Recipe:
    """The recipe; the fake model is a bag of hashed words, which a rate meant for an encoder would not move."""
    if only_model(config.model).folder != "fake":
        return config.recipe
    return replace(config.recipe, learning_rate=FAKE_RATE * config.recipe.learning_rate)


@named("stability.CorpusFigures")
@dataclass(frozen=True, slots=True)
class CorpusFigures:
    """Rows by split, different words, and words a sample, as in Table 1 of the paper."""

    rows: dict[str, int]
    vocabulary: int
    words: float


def _extended(arguments: Mapping[str, Any]) -> float | None:
    base, amount = same_rows("base")(arguments), same_rows("amount")(arguments)
    return None if base is None or amount is None else base + amount


@step(version=1, name="goldproof.stability.extend", size=_extended, paced_by=())
def extend(base: Dataset, extra: Dataset, amount: int, seed: int) -> Dataset:
    """The base with so many rows of the extra data; a larger amount with the same seed holds the smaller one."""
    return add_rows(base, extra, shuffled(extra, seed)[:amount], amount)


@step(version=1, name="goldproof.stability.figures")
def figures(sets: dict[str, Dataset]) -> CorpusFigures:
    """Rows of each split; vocabulary and words a sample over all of them."""
    texts = [text for data in sets.values() for text in (*data.texts, *(pair or "" for pair in data.pairs))]
    vocabulary, n_words = count_words(texts)
    n_rows = sum(len(data) for data in sets.values())
    return CorpusFigures({name: len(data) for name, data in sets.items()}, vocabulary, n_words / n_rows)


def add_rows(base: Dataset, extra: Dataset, rows: Sequence[int] | np.ndarray[Any, Any], amount: int) -> Dataset:
    """The base with these rows of the extra data; an error where there are fewer than the amount asked for."""
    if len(rows) < amount:
        raise UsageError(f"extra data: {amount:,} rows were asked for, but {extra.name!r} has only {len(rows):,}")
    chosen = extra.take(rows)
    # The extra rows keep their language, but their ids must not meet those of the base.
    marked = chosen.with_column("id", [f"extra-{i}" for i in chosen.table.column("id").to_pylist()])
    return concat(f"{base.name}+{amount}", [base, marked.with_column("split", ["train"] * amount)])


def shuffled(data: Dataset, seed: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The rows in an order that is a function of the seed alone."""
    return np.random.default_rng([seed, len(data)]).permutation(len(data))


@step(version=1, name="goldproof.stability.control", size=same_rows("amount"), paced_by=())
def control(data: Dataset, features: list[list[str]], feature: str, percent: int, amount: int) -> Dataset:
    """So many rows of the data, of which exactly `percent` % (rounded to a whole row) hold the feature.

    Rows are drawn in one order, so the rows with the feature at 25 % are among those at 50 %. An error says how many
    rows there are where they do not suffice.
    """
    holds = np.array([feature in row for row in features])
    wanted = {True: round(amount * percent / 100)}
    wanted[False] = amount - wanted[True]
    order = shuffled(data, 1)
    for with_feature, needed in wanted.items():
        pool = int((holds == with_feature).sum())
        if pool < needed:
            kind = "with" if with_feature else "without"
            raise UsageError(
                f"presence: {percent} % {feature} of {amount:,} rows needs {needed:,} rows {kind} the feature, but "
                f"{data.name!r} has only {pool:,}; ask for at most "
                f"{_most(holds, percent):,} rows (presence.amount)"
            )
    rows = np.sort(np.concatenate([order[holds[order] == kind][:needed] for kind, needed in wanted.items()]))
    return data.take(rows)


@step(version=1, name="goldproof.stability.most_rows", paced_by=())
def most_rows(features: list[list[str]], wanted: tuple[str, ...], percent: tuple[int, ...]) -> int:
    """The most rows of which each of these percentages can hold each wanted feature, given the features of every row.

    >>> most_rows([["Negation"], ["Negation"], [], [], [], []], ("Negation",), (25, 50))
    5
    """
    held = {name: np.array([name in row for row in features]) for name in wanted}
    amount = min((_most(holds, each) for holds in held.values() for each in percent), default=0)
    if amount < 1 or any(not holds.any() or holds.all() for holds in held.values()):
        rarest = min(held, key=lambda name: int(held[name].sum()))
        raise UsageError(
            f"presence: no subset has these shares ({', '.join(map(str, percent))} %) of every feature: "
            f"{rarest} is in {int(held[rarest].sum()):,} of {len(features):,} extra rows"
        )
    return amount


def _most(holds: np.ndarray, percent: int) -> int:
    """The largest amount for which both pools suffice."""
    n_with, share = int(holds.sum()), percent / 100
    limits = [n_with / share] if share > 0 else []
    limits += [(len(holds) - n_with) / (1 - share)] if share < 1 else []
    amount = int(min(limits)) + 1
    while amount and (round(amount * share) > n_with or amount - round(amount * share) > len(holds) - n_with):
        amount -= 1
    return amount
