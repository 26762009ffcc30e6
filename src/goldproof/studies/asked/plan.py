"""The jobs that ask a language model: every prompt with every draw of examples, or every seed of sampling, about a set.

Every prompt meets the same draws, so that prompts × draws × items are crossed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from goldproof.builders.prompts.examples import Shots
from goldproof.builders.prompts.library import LANGUAGES, PAIR_TASKS, built_in, read_prompts
from goldproof.builders.prompts.prompt import Prompt
from goldproof.builders.prompts.variation import vary
from goldproof.data.dataset import Dataset
from goldproof.draws import draw
from goldproof.errors import UsageError
from goldproof.jobs import Job, step
from goldproof.models.asking import ask
from goldproof.models.endpoint import Endpoint, endpoint, is_endpoint
from goldproof.models.language_model import LanguageModel, language_model, speaks
from goldproof.models.protocols import Sampling
from goldproof.models.replies import Replies
from goldproof.report.names import placed
from goldproof.studies.shared import Prompts, each_model, only_model, parse_folder

FEWEST_PROMPTS = 2


@dataclass(frozen=True, slots=True)
class AskedSet:
    """What is asked about: items in a language, of a kind, with their labels, and where examples come from.

    `how` says how, where a study asks about it in another way than its settings say: without examples, or in another
    language. `part` is what tells it from other sets of the same language, `called` its whole name in a report where
    that would not be clear.
    """

    name: str
    language: str
    kind: str
    labels: tuple[str, ...]
    items: Job[Dataset]
    train: Job[Dataset]
    how: Prompts | None = None
    part: str = ""
    called: str = ""

    @property
    def title(self) -> str:
        """What the set is called in a report, beside the others."""
        return self.called or (placed(self.part, self.language) if self.part else self.language)

    @property
    def has_pairs(self) -> bool:
        """Whether an item has two texts."""
        return self.kind in PAIR_TASKS


@dataclass(frozen=True, slots=True)
class AskedRun:
    """One prompt with one draw of examples and one seed of sampling."""

    prompt: Prompt
    shots: Shots
    sampling: Sampling | None

    @property
    def name(self) -> str:
        """What the run is called: its prompt, with its seeds where there are any."""
        seeds = [str(self.shots.seed)] if self.shots.n else []
        if self.sampling is not None and self.sampling.temperature:
            seeds.append(f"sample {self.sampling.seed}")
        return " / ".join([self.prompt.name, *seeds])


def is_asked(config: Any) -> bool:
    """Whether the models of a Config are asked and not trained; an error where some are and some are not."""
    if config.prompts.use != "auto":
        return bool(config.prompts.use == "always")
    found = [_speaks(parse_folder(text).folder) for text in each_model(config.model)]
    if any(found) and not all(found):
        raise UsageError(
            "some of the models in 'model' generate text and some do not; judge them separately, or use "
            "'prompts.use' to ask all of them (always) or fine-tune all of them (never)"
        )
    return any(found)


def _speaks(name: str) -> bool:
    return is_endpoint(name) or speaks(name)


def asked_model(config: Any) -> LanguageModel | Endpoint:
    """The language model, or the endpoint, of a Config that names one."""
    prompts, folder = config.prompts, only_model(config.model).folder
    if is_endpoint(folder):
        return endpoint(folder, config.endpoint)
    return language_model(folder, precision=prompts.precision, chat=prompts.chat)


def some_items(config: Any, items: Job[Dataset]) -> Job[Dataset]:
    """The items that are asked about: all, or so many of them."""
    most = config.prompts.most_items
    return items if most is None else sample_items.job(items, most)


@step(version=1, name="goldproof.asked.sample")
def sample_items(data: Dataset, most: int) -> Dataset:
    """So many items at most, drawn by their ids, in their order."""
    ids = data.table["id"].to_pylist()
    ranked = sorted(range(len(ids)), key=lambda row: draw("items that are asked about", ids[row]))
    return data.take(np.sort(np.array(ranked[:most], np.int64)))


def way_of(config: Any, asked: AskedSet) -> Prompts:
    """How a set is asked about: as the settings say, unless the study has a way of its own for it."""
    settings: Prompts = config.prompts
    return asked.how or settings


def prompts_of(config: Any, asked: AskedSet) -> list[Prompt]:
    """The prompts for a set, bound to its labels: as they are written, then in each format."""
    settings = way_of(config, asked)
    if settings.file:
        found = read_prompts(settings.file)
        found = replace(found, task=found.task or settings.task or asked.kind)
    else:
        found = built_in(settings.task or asked.kind, prompt_language(settings, asked.language))
    names = dict(pair.split("=", 1) for pair in settings.labels)
    plain = found.bind(asked.labels, names)[: settings.most]
    origin = settings.file or f"the built-in prompts for the task {settings.task or asked.kind!r}"
    _check_texts(plain, asked.has_pairs, origin)
    if settings.answer == "text":
        _check_case(plain, origin)
    if len(plain) < FEWEST_PROMPTS:
        raise UsageError(f"{origin}: a comparison needs at least {FEWEST_PROMPTS} prompts; got {len(plain)}")
    return [*plain, *(vary(prompt, seed) for seed in settings.formats for prompt in plain)]


def _check_texts(prompts: Sequence[Prompt], has_pairs: bool, origin: str) -> None:
    """Refuse prompts with a place for a second text where there is none, and those that leave a second text out."""
    wrong = next((prompt for prompt in prompts if ("{pair}" in prompt.template) != has_pairs), None)
    if wrong is None:
        return
    if has_pairs:
        raise UsageError(
            f"{origin}: the prompt {wrong.name!r} has no {{pair}}, so it would leave out the second text of each item; "
            "use prompts with {text} and {pair}"
        )
    raise UsageError(
        f"{origin}: the prompt {wrong.name!r} has a place for a second text ({{pair}}), and the data have one text in "
        "a row; name the column of the second one with 'columns.pair', or use prompts with {text} alone"
    )


def _check_case(prompts: Sequence[Prompt], origin: str) -> None:
    """Refuse words that differ in case or blanks alone where the label is read from text, which ignores both."""
    for prompt in prompts:
        if len({word.strip().casefold() for word in prompt.words}) < len(prompt.words):
            raise UsageError(
                f"{origin}: the prompt {prompt.name!r} must have words that differ in more than case where "
                f"'prompts.answer' is text; got {', '.join(map(repr, prompt.words))}"
            )


def prompt_language(settings: Prompts, language: str) -> str:
    """The language that built-in prompts are in: the one that is set, else that of the data where there are any."""
    return settings.language or (language if language in LANGUAGES else "en")


def runs_of(config: Any, asked: AskedSet) -> list[list[AskedRun]]:
    """Every prompt (rows) with every draw of examples and every seed of sampling."""
    way = way_of(config, asked)
    others = list(product(_shots(way), _samplings(way)))
    return [[AskedRun(prompt, shots, sampling) for shots, sampling in others] for prompt in prompts_of(config, asked)]


def _shots(settings: Prompts) -> list[Shots]:
    if not settings.examples:
        return [Shots()]
    return [Shots(settings.examples, seed, balanced=settings.balanced) for seed in settings.draws]


def _samplings(settings: Prompts) -> list[Sampling | None]:
    if settings.answer == "likelihood":
        return [None]
    seeds = settings.samples if settings.temperature else (0,)
    return [Sampling(settings.most_tokens, settings.temperature, seed) for seed in seeds]


def ask_jobs(config: Any, asked: AskedSet) -> list[list[Job[Replies]]]:
    """The jobs of all runs, prompts (rows) × draws."""
    model = asked_model(config)
    train = asked.train if way_of(config, asked).examples else None
    return [
        [ask.job(model, asked.items, train, run.prompt, run.shots, run.sampling) for run in runs]
        for runs in runs_of(config, asked)
    ]


def set_jobs(config: Any, sets: Sequence[AskedSet]) -> list[Job[Any]]:
    """The jobs that ask about every set, and the sets."""
    wanted: list[Job[Any]] = []
    for asked in sets:
        wanted += [asked.items, *(job for row in ask_jobs(config, asked) for job in row)]
    return list(dict.fromkeys(wanted))
