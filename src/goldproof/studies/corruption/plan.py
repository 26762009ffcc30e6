"""The jobs: each distinct training set is trained on once per seed, and asked about every test set that it is needed
for.

A cell is a task, the classes removed, and which data they are removed from. Corrupt-test cells need no training of
their own: the baseline answers them. Corrupt-train and corrupt-both share one training.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from goldproof.builders.corruption.texts import ControlGap, CorruptionTally
from goldproof.data.corpora.hub import LOADING
from goldproof.extras import Need
from goldproof.jobs import Job
from goldproof.measures.cloze import ClozeGuess, ask_masked
from goldproof.models.language_model import ASKING
from goldproof.models.named import OWN, find_added, find_model
from goldproof.models.source import find_source
from goldproof.studies.asked import AskedSet, ask_jobs, check_examples, is_asked, runs_of
from goldproof.studies.corruption import steps, toy
from goldproof.studies.corruption.settings import (
    DEFAULT,
    SAME,
    TINY,
    Config,
    classes_of,
    has_own_classes,
    is_word_file,
    own_recipe,
    seeds_of,
    tagger_of,
)
from goldproof.studies.corruption.tasks import (
    ORIGINAL,
    CorruptionTask,
    Removing,
    Split,
    Version,
    corruption_of,
    data_job,
    find_tasks,
    own_data,
    settle,
    tagging_job,
)
from goldproof.studies.in_turn import in_turn
from goldproof.studies.own import has_own, own_name
from goldproof.studies.shared import each_model, only_model, recipe_for
from goldproof.training.finetune import TRAINING
from goldproof.training.job import train
from goldproof.training.outcome import TrainingOutcome
from goldproof.training.recipe import Recipe, Seeds

SPLITS: tuple[Split, ...] = ("train", "test")


@dataclass(frozen=True, slots=True)
class CorruptionCell:
    """One cell of the study: a task, the classes removed (NOUN, ADJ+NOUN), and from which data: train, test or both."""

    task: CorruptionTask
    removed: str
    setting: str

    def trained_on(self, kind: Removing = "remove") -> Version:
        """The training texts."""
        return ORIGINAL if self.setting == "test" else Version(self.removed, kind)

    def tested_on(self, kind: Removing = "remove") -> Version:
        """The test texts."""
        return ORIGINAL if self.setting == "train" else Version(self.removed, kind)


def jobs(config: Config) -> list[Job[Any]]:
    """Every training, the texts it was tested on, what was counted, and what is asked about the reasons, for one model
    after the other.
    """
    return [job for one in in_turn(settle(config)) for job in _jobs(one)]


def _jobs(config: Config) -> list[Job[Any]]:
    wanted: list[Job[Any]] = []
    for task in find_tasks(config):
        if is_asked(config):
            wanted += [job for asked in asked_sets(config, task).values() for job in asked_keys(config, asked)]
        for version in [] if is_asked(config) else trained_versions(config):
            wanted += training_jobs(config, task, version)
        wanted += [data_job(config, task, "train"), data_job(config, task, "test")]
        if set(config.settings) - {"train"}:
            wanted += [data_job(config, task, "test", Version(name)) for name in cue_classes(config, task)]
        wanted += [count_job(config, task, "train"), count_job(config, task, "test")]
        wanted += [job for split in SPLITS if (job := gap_job(config, task, split)) is not None]
        wanted += [job for name in cue_classes(config, task) for job in cue_jobs(config, task, name).values()]
        wanted += cloze_jobs(config, task).values()
    return wanted


def requires(config: Config) -> tuple[Need, ...]:
    """The extras that the jobs need, told before any data is looked at; generated tasks bring their words with them."""
    named = () if has_own(config) and config.tasks in (DEFAULT.tasks, TINY.tasks) else config.tasks
    published = {name for name in named if name not in toy.TASKS}
    real = published | ({own_name(config.data)} if has_own(config) else set())
    running = ASKING if is_asked(config) else TRAINING
    needs = [
        running,
        *(tagger_of(config).requires if real and not has_own_classes(config) else ()),
    ]
    if published and config.data.hub:
        needs.append(LOADING)
    if "test" in config.settings and real & set(config.why.paraphrases) and not config.why.ppdb:
        needs += steps.list_needs("paraphrases")
    if "test" in config.settings and real & set(config.why.polarity) and not is_word_file(config.why.lexicon):
        needs += steps.list_needs(config.why.lexicon)
    return tuple(needs)


def outline(config: Config) -> str:
    """What the study comes to in numbers.

    >>> from goldproof.studies.corruption.settings import PAPER
    >>> outline(PAPER)
    '192 cells and 8 baselines from 72 trainings (1 seed)'
    """
    config = settle(config)
    if is_asked(config):
        return _outline_asked(config)
    tasks, n_models, n_seeds = find_tasks(config), len(each_model(config.model)), len(config.seeds)
    n_tasks = len(tasks) * n_models
    n_cells = n_tasks * len(config.classes) * len(config.settings)
    of_tasks = [len(seeds_of(config, task.name)) for task in tasks]
    n_trainings = n_models * len(trained_versions(config)) * sum(of_tasks)
    controls = f", {n_cells} cells of the random control" if config.control == "random" else ""
    baselines, seeds = (f"{n} {name}{'s' if n > 1 else ''}" for n, name in ((n_tasks, "baseline"), (n_seeds, "seed")))
    if len({*of_tasks}) > 1:
        seeds = f"{min(of_tasks)} to {max(of_tasks)} seeds, by task"
    models = f", {n_models} models" if n_models > 1 else ""
    return f"{n_cells} cells and {baselines}{controls} from {n_trainings} trainings ({seeds}{models})"


def _outline_asked(config: Config) -> str:
    """The same of a language model, which is asked and not trained."""
    n_cells = len(config.classes) * len(each_model(config.model))
    (asked,) = [asked_sets(one, task)[ORIGINAL] for one in in_turn(config)[:1] for task in find_tasks(one)]
    controls = " with their random controls" if config.control == "random" else ""
    one = in_turn(config)[0]
    return (
        f"{n_cells} {'cells' if n_cells > 1 else 'cell'}{controls}, each asked with {len(runs_of(one, asked))} prompts"
    )


def cells(config: Config, task: CorruptionTask) -> list[CorruptionCell]:
    """The cells of a task."""
    return [CorruptionCell(task, name, setting) for name in config.classes for setting in config.settings]


def corrupted_versions(config: Config) -> list[Version]:
    """Every removal, and beside it its control."""
    kinds: tuple[Removing, ...] = ("remove", "random") if config.control == "random" else ("remove",)
    return [Version(name, kind) for name in config.classes for kind in kinds]


def trained_versions(config: Config) -> list[Version]:
    """The training sets of each task; corrupted ones only where a setting asks for them."""
    return [ORIGINAL, *(corrupted_versions(config) if set(config.settings) - {"test"} else [])]


def tested_versions(config: Config, task: CorruptionTask, trained: Version) -> list[Version]:
    """The test sets that a training is asked about: the original one, and those that some cell or cue needs."""
    if trained == ORIGINAL:
        needed = corrupted_versions(config) if "test" in config.settings else []
        needed += [Version(name) for name in cue_classes(config, task) if name not in config.classes]
    else:
        needed = [trained] if "both" in config.settings else []
    return [ORIGINAL, *needed]


def asked_sets(config: Config, task: CorruptionTask) -> dict[Version, AskedSet]:
    """What a language model is asked about: the test texts as they are, and each version of them."""
    own = own_data(config)
    check_examples(config, own, own.languages[0])
    train = data_job(config, task, "train")
    return {
        version: AskedSet(
            task.title,
            own.languages[0],
            own.kind,
            own.classes,
            data_job(config, task, "test", version),
            train,
        )
        for version in tested_versions(config, task, ORIGINAL)
    }


def asked_keys(config: Config, asked: AskedSet) -> list[Job[Any]]:
    """The jobs that ask about a set, one for each prompt, and the set."""
    return [asked.items, *(row[0] for row in ask_jobs(config, asked))]


def training_jobs(config: Config, task: CorruptionTask, trained: Version = ORIGINAL) -> list[Job[TrainingOutcome]]:
    """The trainings on one version of the training set, one for each seed."""
    rows = data_job(config, task, "train", trained)
    sets = {str(version): data_job(config, task, "test", version) for version in tested_versions(config, task, trained)}
    model, recipe = find_model(only_model(config.model).folder), make_recipe(config, task)
    return [train.job(model, rows, sets, recipe, Seeds.all(seed)) for seed in seeds_of(config, task.name)]


def make_recipe(config: Config, task: CorruptionTask) -> Recipe:
    """How a task is trained: as all are, but for what it has of its own."""
    return recipe_for(replace(config.recipe, **own_recipe(config, task.name).parts), task.kind)


def count_job(config: Config, task: CorruptionTask, split: Split) -> Job[list[CorruptionTally]]:
    """What each removal does to the texts of a split, in the order of the classes."""
    corruptions = tuple(corruption_of(config, Version(name), task) for name in config.classes)
    return steps.count.job(data_job(config, task, split), tagging_job(config, task, split), corruptions)


def gap_job(config: Config, task: CorruptionTask, split: Split) -> Job[list[ControlGap]] | None:
    """How near the random control comes to each class in a split, in the order of the classes; None without it."""
    if config.control == "none":
        return None
    controls = tuple(corruption_of(config, Version(name, "random"), task) for name in config.classes)
    return steps.measure_control.job(data_job(config, task, split), tagging_job(config, task, split), controls)


def cue_jobs(config: Config, task: CorruptionTask, removed: str) -> dict[str, Job[Any]]:
    """Which items of the corrupted test set still hold a cue, by the kind of cue."""
    if "test" not in config.settings:
        return {}
    tested, found = data_job(config, task, "test", Version(removed)), {}
    if task.name in config.why.paraphrases:
        ppdb = config.why.ppdb
        found["paraphrase"] = (
            steps.find_own_paraphrases.job(tested, steps.word_file(ppdb))
            if ppdb
            else steps.find_paraphrases.job(tested)
        )
    if task.name in config.why.polarity and config.why.lexicon != "none":
        found["polarity"] = steps.find_polarity.job(tested, lexicon_of(config))
    return found


def lexicon_of(config: Config) -> str | steps.WordFile:
    """The list of polar words, as a job takes it: a name, or a file."""
    name = config.why.lexicon
    return steps.word_file(name) if is_word_file(name) else name


def cue_classes(config: Config, task: CorruptionTask) -> tuple[str, ...]:
    """The classes without which cues are looked for in a task: those that are removed, and those named for cues."""
    further = config.why.classes if task.name in (*config.why.paraphrases, *config.why.polarity) else ()
    return tuple(dict.fromkeys((*config.classes, *further))) if "test" in config.settings else config.classes


def masked_model(config: Config) -> str:
    """The folder of the masked language model: the one named, or the model itself; empty for none."""
    if config.why.masked_model != SAME:
        return config.why.masked_model
    folder = only_model(config.model).folder
    return "" if folder in OWN or find_added(folder, "load") is not None else folder


def cloze_jobs(config: Config, task: CorruptionTask) -> dict[str, Job[list[ClozeGuess]]]:
    """The masked language model's guesses of the first removed word, by class; none where no such model is given."""
    masked = masked_model(config)
    if not masked or task.name not in config.why.cloze:
        return {}
    source = find_source(masked)
    rows, taggings = data_job(config, task, "test"), tagging_job(config, task, "test")
    preset = config.removal.preset
    return {name: ask_masked.job(source, rows, taggings, classes_of(name), preset) for name in config.why.cloze_classes}
