"""The jobs that ask a language model: every prompt with every draw of examples, or every seed of sampling, about a set.

Every prompt meets the same draws, so that prompts × draws × items are crossed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from goldproof.builders.prompts.examples import Shots
from goldproof.builders.prompts.library import LANGUAGES, built_in, read_prompts
from goldproof.builders.prompts.prompt import Prompt
from goldproof.builders.prompts.variation import vary
from goldproof.data.dataset import Dataset
from goldproof.draws import draw
from goldproof.errors import UsageError
from goldproof.jobs import Job, step
from goldproof.models.asking import ask
from goldproof.models.endpoint import Endpoint, endpoint, estimate_calls, is_endpoint
from goldproof.models.language_model import LanguageModel, language_model, speaks
from goldproof.models.protocols import Sampling
from goldproof.models.replies import Replies
from goldproof.studies.own import OwnData
from goldproof.studies.shared import Prompts, each_model, only_model, parse_folder

FEWEST_PROMPTS = 2


@dataclass(frozen=True, slots=True)
class AskedSet:
    """What is asked about: items in a language, of a kind, with their labels, and where examples come from."""

    name: str
    language: str
    kind: str
    labels: tuple[str, ...]
    items: Job[Dataset]
    train: Job[Dataset]


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


def own_sets(config: Any, own: OwnData) -> list[AskedSet]:
    """The user's own data, a set for each language."""
    return [
        AskedSet(
            own.name,
            language,
            own.kind,
            own.classes,
            some_items(config, own.job(language, "test")),
            own.job(language, "train"),
        )
        for language in own.languages
    ]


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


def prompts_of(config: Any, asked: AskedSet) -> list[Prompt]:
    """The prompts for a set, bound to its labels: as they are written, then in each format."""
    settings: Prompts = config.prompts
    if settings.file:
        found = read_prompts(settings.file)
    else:
        found = built_in(settings.task or asked.kind, prompt_language(settings, asked.language))
    names = dict(pair.split("=", 1) for pair in settings.labels)
    plain = found.bind(asked.labels, names)[: settings.most]
    if len(plain) < FEWEST_PROMPTS:
        raise UsageError(f"{settings.file}: a comparison needs at least {FEWEST_PROMPTS} prompts; got {len(plain)}")
    return [*plain, *(vary(prompt, seed) for seed in settings.formats for prompt in plain)]


def prompt_language(settings: Prompts, language: str) -> str:
    """The language that built-in prompts are in: the one that is set, else that of the data where there are any."""
    return settings.language or (language if language in LANGUAGES else "en")


def runs_of(config: Any, asked: AskedSet) -> list[list[AskedRun]]:
    """Every prompt (rows) with every draw of examples and every seed of sampling."""
    others = list(product(_shots(config.prompts), _samplings(config.prompts)))
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
    train = asked.train if config.prompts.examples else None
    return [
        [ask.job(model, asked.items, train, run.prompt, run.shots, run.sampling) for run in runs]
        for runs in runs_of(config, asked)
    ]


def call_notes(config: Any, own: OwnData) -> Iterator[str]:
    """How much an endpoint is asked at most, and what it costs, before anything is sent."""
    if not is_endpoint(only_model(config.model).folder):
        return
    for asked in own_sets(config, own):
        runs = runs_of(config, asked)
        data = own.sets[asked.language, "test"].data
        share = min(1.0, (config.prompts.most_items or len(data)) / len(data))
        items = list(zip(data.texts, data.pairs, strict=True))
        once = sum(len(row[0].prompt.question(text, pair)) for row in runs for text, pair in items)
        train = own.sets[asked.language, "train"].data
        shots = config.prompts.examples * sum(map(len, train.texts)) // max(1, len(train)) * len(items) * len(runs)
        n = round(share * len(runs) * len(runs[0]) * len(items))
        found = estimate_calls(
            round(share * (once + shots) * len(runs[0])), n, config.prompts.most_tokens, config.endpoint
        )
        price = f", {found.price:.4g} at endpoint.price" if found.price else ""
        yield (
            f"{asked.name} ({asked.language}): at most {n:,} requests, about {found.n_tokens_in:,} tokens in and up "
            f"to {found.n_tokens_out:,} out{price}; questions answered before are not asked again."
        )


def asked_notes(config: Any, asked: AskedSet) -> Iterator[str]:
    """What is to be said before work starts: how often the model is asked, and labels that stand for themselves."""
    runs = runs_of(config, asked)
    each = f"{len(runs[0])} draws of {config.prompts.examples} examples" if config.prompts.examples else "no examples"
    yield f"{asked.name} ({asked.language}): the model is asked and not trained, with {len(runs)} prompts and {each}."
    plain = [label for label, word in runs[0][0].prompt.labels if label == word]
    if plain and all(label.isdigit() for label in plain):
        yield (
            f"The labels {', '.join(plain)} are used as they are in every prompt, which tells a model little: say "
            f"what they mean with prompts.labels={plain[0]}=NAME,…"
        )
