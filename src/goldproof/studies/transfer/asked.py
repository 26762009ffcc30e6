"""What a language model is asked: texts in each language, with prompts in each language; nothing is trained.

Every text language meets every prompt language, so that what the one costs is told from what the other does.
"""

from __future__ import annotations

from dataclasses import replace

from goldproof.builders.prompts.library import LANGUAGES
from goldproof.data.dataset import Dataset
from goldproof.errors import DataError, UsageError
from goldproof.jobs import Job
from goldproof.studies.asked import AskedSet, check_examples, some_items
from goldproof.studies.own import PLACE, has_own
from goldproof.studies.transfer.parts import class_names, corpus_name, limited, own_data, part_of, splits_of
from goldproof.studies.transfer.settings import Config
from goldproof.studies.transfer.toy import GENERATED, TOPICS

KINDS = ("text", "pair")


def text_languages(config: Config) -> tuple[str, ...]:
    """The languages of the texts, the source first."""
    return (config.source, *config.data.languages)


def prompt_languages(config: Config) -> tuple[str, ...]:
    """The languages of the prompts: those that are set, else those of the texts that have built-in prompts, or English.

    The first is the one that the others are compared with: the source's where it is among them.
    """
    prompts = config.prompts
    if prompts.file and PLACE not in prompts.file:
        return ("",)
    found = prompts.languages or tuple(each for each in text_languages(config) if each in LANGUAGES) or ("en",)
    return tuple(sorted(found, key=lambda language: language != config.source))


def asked_sets(config: Config) -> list[AskedSet]:
    """Every text language (in order) with every prompt language; the Config is a settled one."""
    if config.task not in KINDS:
        raise UsageError(
            f"a language model is asked about texts or pairs with a class each; the setting 'task' must be "
            f"{' or '.join(KINDS)}, or the model is fine-tuned with prompts.use=never; got {config.task!r}"
        )
    labels = _labels(config)
    for text in text_languages(config) if has_own(config) else ():
        if "test" in splits_of(config, text):
            check_examples(config, own_data(config), text)
    return [
        AskedSet(
            corpus_name(config),
            text,
            config.task,
            labels,
            some_items(config, limited(config, part_of(config, text, "test"))),
            _examples(config, text),
            replace(config.prompts, language=prompt, file=config.prompts.file.replace(PLACE, prompt)),
            f"prompts in {prompt}" if prompt else "",
            f"prompts in {prompt}, texts in {text}" if prompt else "",
        )
        for text in text_languages(config)
        for prompt in prompt_languages(config)
        if "test" in splits_of(config, text)
    ]


def examples_language(config: Config, text: str) -> str:
    """The language of the examples before texts in a language: its own where it has training rows, else the source."""
    return text if "train" in splits_of(config, text) else config.source


def _examples(config: Config, text: str) -> Job[Dataset]:
    language = examples_language(config, text)
    if config.prompts.examples and "train" not in splits_of(config, language):
        raise DataError(
            f"{corpus_name(config)!r} has no training rows in {text!r} or {config.source!r} to draw examples from; "
            "ask without any (prompts.examples=0)"
        )
    return part_of(config, language, "train" if "train" in splits_of(config, language) else "test")


def _labels(config: Config) -> tuple[str, ...]:
    if has_own(config):
        return own_data(config).classes
    return tuple(sorted(TOPICS)) if config.data.corpus == GENERATED else class_names(config)
