"""The jobs: the audit of the data, the trainings, and what each is asked beside the test items.

One training answers everything: its validation and test items, the test items without words of a class and without as
many random ones, and the tests in other languages, at every evaluation point. Further trainings tell the sources of
chance apart, see one text of each pair alone, or are those of a reference model. A language model is asked in place of
that: every prompt about the test items, and with its first draw of examples about the other sets.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from goldproof.builders.corruption.removal import Corruption
from goldproof.builders.tagging import TaggerName, choose_tagger
from goldproof.claiming.data import ClaimData, find_data
from goldproof.claiming.settings import Config
from goldproof.claiming.steps import SIDES, audit_data, one_side
from goldproof.data.dataset import Dataset
from goldproof.errors import GoldproofError
from goldproof.extras import Need, lacking, missing_error
from goldproof.jobs import Job
from goldproof.judging.audit.settings import AuditSettings
from goldproof.models.language_model import ASKING
from goldproof.models.named import find_model
from goldproof.studies.asked import AskedSet, ask_jobs, asked_notes, is_asked, some_items
from goldproof.studies.corruption import steps, toy
from goldproof.studies.own import has_own
from goldproof.studies.probing import settings as probing_settings
from goldproof.studies.probing.plan import jobs as probing_jobs
from goldproof.studies.shared import Data, parse_folder, recipe_for
from goldproof.training.finetune import TRAINING
from goldproof.training.job import train
from goldproof.training.outcome import TrainingOutcome
from goldproof.training.recipe import Recipe, Seeds

RemovalKind = Literal["remove", "random"]
FAKE_RATE = 1000
EXAMPLES = 4  # before a question, where examples are drawn beside prompts without any


@dataclass(frozen=True, slots=True)
class Removed:
    """Test texts without the words of a class, or without as many random words.

    >>> Removed("NOUN", "random").name()
    'without NOUN (random)'
    """

    words: str
    kind: RemovalKind = "remove"

    def name(self) -> str:
        """The name of the evaluation set."""
        return f"without {self.words}" + (" (random)" if self.kind == "random" else "")


def jobs(config: Config) -> list[Job[Any]]:
    """Every job whose value the page needs."""
    data = find_data(config)
    if is_asked(config):
        return list(dict.fromkeys([audit_job(config, data), *asked_jobs(config, data)]))
    wanted: list[Job[Any]] = [audit_job(config, data), data.parts["validation"].job, data.parts["test"].job]
    wanted += [part.job for part in data.further.values()]
    wanted += training_jobs(config, data)
    wanted += source_jobs(config, data)
    wanted += [job for side in sides(config, data) for job in side_jobs(config, data, side)]
    wanted += reference_jobs(config, data)
    wanted += layer_jobs(config, data)
    return list(dict.fromkeys(wanted))


def notes(config: Config) -> tuple[str, ...]:
    """What is said of the user's own data before work starts."""
    data = find_data(config)
    if not has_own(config):
        return ()
    return (*data.notes, *(asked_notes(config, asked_sets(config, data)["test"]) if is_asked(config) else ()))


def requires(config: Config) -> tuple[Need, ...]:
    """The extras that the jobs need, told before any data is looked at."""
    return (ASKING if is_asked(config) else TRAINING,)


def audit_job(config: Config, data: ClaimData) -> Job[dict[str, Any]]:
    """The audit of the data: of the rows that are trained on, so that a bag of words learns from the same."""
    return audit_data.job(audited(config, data), data.name, config.level, config.thresholds.of_audit(), config.labels)


def audited(config: Config, data: ClaimData) -> dict[str, Job[Dataset]]:
    """What is audited: the rows as they are, of a test that is asked about in part those that are."""
    jobs = data.jobs()
    return {**jobs, "test": some_items(config, jobs["test"])} if is_asked(config) else jobs


def audit_settings(config: Config, data: ClaimData) -> AuditSettings:
    """The settings of that audit."""
    thresholds = config.thresholds.of_audit()
    return AuditSettings(name=data.name, level=config.level, labels=config.labels, thresholds=thresholds)


def evaluation_jobs(config: Config, data: ClaimData) -> dict[str, Job[Dataset]]:
    """Everything that each training answers, by the name of the set."""
    test = data.parts["test"].job
    sets = {"validation": data.parts["validation"].job, "test": test}
    sets |= {further_name(language): part.job for language, part in data.further.items()}
    for each in removed(config, data):
        corruption = Corruption((each.words,), each.kind, "offsets", 0)
        sets[each.name()] = steps.corrupt.job(test, tagging_job(config, data, test), corruption)
    return sets


def asked_sets(config: Config, data: ClaimData) -> dict[str, AskedSet]:
    """What a language model is asked about, by the name of the set: the test items, those in other languages, and the
    test items without the words of a class.
    """
    test, train = some_items(config, data.parts["test"].job), data.parts["train"].job
    items = {"test": (data.language, test)}
    items |= {further_name(code): (code, some_items(config, part.job)) for code, part in data.further.items()}
    for each in removed(config, data):
        corruption = Corruption((each.words,), each.kind, "offsets", 0)
        tagged = tagging_job(config, data, test)
        items[each.name()] = (data.language, steps.corrupt.job(test, tagged, corruption))
    return {
        name: AskedSet(data.name, language, data.kind, data.classes, job, train)
        for name, (language, job) in items.items()
    }


def asked_jobs(config: Config, data: ClaimData) -> list[Job[Any]]:
    """Every prompt with every draw about the test items, and with its first draw about the other sets."""
    wanted: list[Job[Any]] = []
    for name, asked in asked_sets(config, data).items():
        each = config if name == "test" else one_draw(config)
        wanted += [asked.items, *(job for row in ask_jobs(each, asked) for job in row)]
    main = asked_sets(config, data)["test"]
    for other in (with_examples(config), of_reference(config)):
        wanted += [] if other is None else [job for row in ask_jobs(other, main) for job in row]
    return wanted


def one_draw(config: Config) -> Config:
    """The same with the first draw of examples and the first sample alone."""
    prompts = config.prompts
    return replace(config, prompts=replace(prompts, draws=prompts.draws[:1], samples=prompts.samples[:1]))


def with_examples(config: Config) -> Config | None:
    """The same prompts with examples before the questions, in so many draws; None where they have some anyway."""
    if not config.levels or config.prompts.examples:
        return None
    prompts = replace(config.prompts, examples=EXAMPLES, draws=tuple(range(config.levels)))
    return replace(config, prompts=replace(prompts, samples=prompts.samples[:1]), levels=0)


def of_reference(config: Config) -> Config | None:
    """The same prompts asked of the reference model; None without one."""
    return replace(one_draw(config), model=config.reference, reference="") if config.reference else None


def further_name(language: str) -> str:
    """The name of the evaluation set of a test in another language."""
    return f"test {language}"


def removed(config: Config, data: ClaimData) -> list[Removed]:
    """Every removal, and beside it its control."""
    if why_not_removed(config, data):
        return []
    kinds: tuple[RemovalKind, ...] = ("remove", "random")
    return [Removed(words, kind) for words in config.classes for kind in kinds]


def tagger_of(config: Config, language: str) -> TaggerName:
    """The tagger of the test texts; an error where the language has none."""
    return choose_tagger(language, config.tagger or None)


def why_not_removed(config: Config, data: ClaimData) -> str:
    """Why no words can be removed; empty where they can."""
    if not data.has_classes:
        return "words can be removed only from texts with one class each"
    if not has_own(config) or not config.classes:
        return ""
    return _why_no_tagger(config.tagger, data.language) if config.untagged is None else config.untagged


def settled(config: Config, data: ClaimData) -> Config:
    """The same with what depends on this machine written down: elsewhere, a page is what it was here."""
    return replace(config, untagged=why_not_removed(config, data) if data.has_classes else "")


@lru_cache(maxsize=16)
def _why_no_tagger(tagger: str, language: str) -> str:
    """Why texts of a language cannot be tagged; kept, since loading a tagger takes a while.

    It is loaded, as a tagger whose package is there may still lack its data.
    """
    try:
        chosen = choose_tagger(language, tagger or None)
        if found := lacking(chosen.requires):
            return str(missing_error(found))
        chosen.load()
    except GoldproofError as error:
        return str(error)
    return ""


def tagging_job(config: Config, data: ClaimData, test: Job[Dataset]) -> Job[object]:
    """The job that tags the test texts."""
    if not has_own(config):
        return toy.tag_generated.job(test)
    tagger = tagger_of(config, data.language)
    return steps.tag.job(test, tagger.language, tagger.backend)


def recipe_of(config: Config, data: ClaimData, model: str) -> Recipe:
    """The recipe; the fake model is a bag of hashed words, which a rate meant for an encoder would not move."""
    recipe = recipe_for(config.recipe, data.kind)
    is_slow = parse_folder(model).folder == "fake" and recipe.learning_rate < 1e-3
    return replace(recipe, learning_rate=FAKE_RATE * recipe.learning_rate) if is_slow else recipe


def _training(
    config: Config, data: ClaimData, model: str, seeds: Seeds, sets: dict[str, Job[Dataset]]
) -> Job[TrainingOutcome]:
    recipe = recipe_of(config, data, model)
    return train.job(find_model(parse_folder(model).folder), data.parts["train"].job, sets, recipe, seeds)


def training_jobs(config: Config, data: ClaimData) -> list[Job[TrainingOutcome]]:
    """The trainings, one for each seed."""
    sets = evaluation_jobs(config, data)
    return [_training(config, data, str(config.model), Seeds.all(seed), sets) for seed in config.seeds]


def source_seeds(config: Config) -> list[Seeds]:
    """Seeds that vary initialisation, order and dropout apart: a Latin square (i, j, i + j)."""
    k = config.levels
    return [Seeds(i, j, (i + j) % k) for i in range(k) for j in range(k)]


def source_jobs(config: Config, data: ClaimData) -> list[Job[TrainingOutcome]]:
    """The trainings that tell the sources of chance apart."""
    sets = {split: data.parts[split].job for split in ("validation", "test")}
    return [_training(config, data, str(config.model), seeds, sets) for seeds in source_seeds(config)]


def sides(config: Config, data: ClaimData) -> tuple[str, ...]:
    """Which texts of a pair are shown alone."""
    return SIDES if data.kind == "pair" and config.one_side else ()


def side_jobs(config: Config, data: ClaimData, side: str) -> list[Job[TrainingOutcome]]:
    """The trainings that see one text of each pair alone."""
    parts = {split: one_side.job(data.parts[split].job, side) for split in ("train", "validation", "test")}
    recipe = replace(recipe_of(config, data, str(config.model)), task="text")
    model = find_model(parse_folder(str(config.model)).folder)
    sets = {split: parts[split] for split in ("validation", "test")}
    return [train.job(model, parts["train"], sets, recipe, Seeds.all(seed)) for seed in config.seeds[: config.one_side]]


def reference_jobs(config: Config, data: ClaimData) -> list[Job[TrainingOutcome]]:
    """The trainings of the reference model."""
    if not config.reference:
        return []
    sets = {split: data.parts[split].job for split in ("validation", "test")}
    seeds = config.seeds[: config.references]
    return [_training(config, data, config.reference, Seeds.all(seed), sets) for seed in seeds]


def layer_config(config: Config, data: ClaimData) -> probing_settings.Config | None:
    """The settings of the study of layers; None where it is not asked, or cannot be of these data."""
    folder = parse_folder(str(config.model)).folder
    is_of_texts = data.kind == "text"  # pairs are not probed
    if not config.layers or not has_own(config) or not is_of_texts or folder == "fake" or is_asked(config):
        return None
    base = probing_settings.Config()
    chosen = Data(
        corpus=base.data.corpus,
        name=config.data.name,
        train=config.data.train,
        validation=config.data.validation,
        test=config.data.test,
        languages=config.data.languages or base.data.languages,
        most_train=config.most_probed,
    )
    return replace(
        base,
        model=str(config.model),
        data=chosen,
        columns=config.columns,
        selectivity=False,
        description_length=False,
        neurons=replace(base.neurons, run=False),
        similarity=replace(base.similarity, measures=()),
        baselines=replace(base.baselines, characters=False, length=False),
        level=config.level,
    )


def layer_jobs(config: Config, data: ClaimData) -> list[Job[Any]]:
    """The jobs of the study of layers."""
    made = layer_config(config, data)
    return [] if made is None else list(probing_jobs(made))
