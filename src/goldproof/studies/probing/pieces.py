"""The experiments of the study, each with the tables and figures of the paper that it makes, and settings without it.

Tasks come first, so that what is said of a model or a baseline later is about that alone.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from goldproof.jobs import Job
from goldproof.studies.experiments import StudyExperiment
from goldproof.studies.own import has_own
from goldproof.studies.probing.plan import jobs, labelled
from goldproof.studies.probing.published import canonical_name, title_of
from goldproof.studies.probing.settings import Baselines, Coarse, Config, parse_model
from goldproof.studies.probing.tasks import settle, tasks_of
from goldproof.studies.shared import each_model

CURVES = {
    "bigram_shift": "Figure 1",
    "obj_number": "Figure 4",
    "sentence_length": "Figure 5",
    "subj_number": "Figure 6",
    "tree_depth": "Figure 7",
    "past_present": "Figure 8",
    "word_content": "Figure 9",
}
NEURONS = ("Figure 2", *(f"Figure {n}" for n in range(10, 15)))
TABLES = {"ru": ("Table 3", "Table 5"), "en": ("Table 4", "Table 6")}
BASELINES = tuple(f"Table {n}" for n in range(7, 11))
MAPS = {"en": "Figure 3", "ru": "Figure 15"}


def experiments(config: Config) -> tuple[StudyExperiment, ...]:
    """Each task in each language, each model, each baseline, similarity, and coarse probing in each language."""
    if has_own(config):
        return (StudyExperiment("your data", (), lambda: jobs(config)),)
    found = [_task(config, language, task) for language in config.data.languages for task in tasks_of(config, language)]
    found += [_model(config, text) for text in each_model(config.model)]
    found += _baselines(config)
    if config.similarity.measures and each_model(config.model):
        found.append(_similarity(config))
    found += [_coarse(config, language) for language in (config.coarse.languages if config.coarse.seeds else ())]
    return tuple(found)


def _jobs(config: Config, *what: str) -> list[Job[Any]]:
    """The jobs whose labels begin so, each once."""
    found = labelled(settle(config)).items()
    return list(dict.fromkeys(job for label, job in found if label.partition("/")[0] in what))


def _alone(config: Config) -> Config:
    """The settings with nothing but the tasks."""
    nothing = Baselines(length=False, characters=False, most_features=config.baselines.most_features)
    similarity = replace(config.similarity, measures=())
    return replace(config, model=(), baselines=nothing, similarity=similarity, coarse=Coarse())


def _task(config: Config, language: str, task: str) -> StudyExperiment:
    def make() -> list[Job[Any]]:
        one = replace(_alone(config), tasks=(f"{task}@{language}",), data=replace(config.data, languages=(language,)))
        return _jobs(one, "facts")

    figure = CURVES.get(canonical_name(task))
    shared = ("Table 1", figure, "Table 11") if figure else ()
    places = (*TABLES.get(language, ()), *shared)
    title = f"the task {title_of(task)} in {language}"
    return StudyExperiment(title, places, make, partial(_without_task, config, language, task))


def _without_task(config: Config, language: str, task: str) -> Config:
    """The settings without a task in a language; an error where it is the only one."""
    left = {
        code: [each for each in tasks_of(config, code) if (code, each) != (language, task)]
        for code in config.data.languages
    }
    languages = tuple(code for code in config.data.languages if left[code])
    models = tuple(text for text in each_model(config.model) if _languages(text, languages))
    return replace(
        config,
        tasks=tuple(f"{each}@{code}" for code in languages for each in left[code]),
        data=replace(config.data, languages=languages),
        model=tuple(_in_languages(text, languages) for text in models),
        baselines=replace(
            config.baselines,
            vectors=tuple(text for text in config.baselines.vectors if text.partition("=")[0] in languages),
        ),
    )


def _languages(text: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """The languages in which a model would be probed."""
    named = parse_model(text).languages
    return tuple(code for code in languages if code in named) if named else languages


def _in_languages(text: str, languages: tuple[str, ...]) -> str:
    """The model as it was given, in no other languages."""
    named = parse_model(text).languages
    return f"{text.rpartition('@')[0]}@{'+'.join(_languages(text, languages))}" if named else text


def _model(config: Config, text: str) -> StudyExperiment:
    def make() -> list[Job[Any]]:
        one = replace(_alone(config), model=(text,))
        return _jobs(one, "probe", "tests", "selectivity", "code", "neurons")

    def without() -> Config:
        coarse = Coarse() if config.coarse.model and _is_tuned(config, text) else config.coarse
        rest = tuple(each for each in each_model(config.model) if each != text)
        return replace(config, model=rest, coarse=coarse)

    places = ("Table 1", "Table 3", "Table 4", "Table 5", "Table 6", *CURVES.values(), *NEURONS)
    return StudyExperiment(f"the model {parse_model(text).title}", places, make, without)


def _is_tuned(config: Config, text: str) -> bool:
    return parse_model(config.coarse.model).title == parse_model(text).title


def _baselines(config: Config) -> list[StudyExperiment]:
    chosen = config.baselines
    found = []
    if chosen.length:
        found.append(_baseline(config, "length", {"length": True}, {"length": False}))
    if chosen.characters:
        found.append(_baseline(config, "TF-IDF of characters", {"characters": True}, {"characters": False}))
    for name, title in (("tokenizers", "TF-IDF of the pieces of"), ("vectors", "word vectors")):
        given: tuple[str, ...] = getattr(chosen, name)
        for text in given:
            rest = tuple(each for each in given if each != text)
            found.append(_baseline(config, f"{title} {text}", {name: (text,)}, {name: rest}))
    return found


def _baseline(config: Config, name: str, alone: dict[str, Any], rest: dict[str, Any]) -> StudyExperiment:
    def make() -> list[Job[Any]]:
        one = _alone(config)
        return _jobs(replace(one, baselines=replace(one.baselines, **alone)), "probe", "tests")

    places = () if name == "length" else BASELINES
    return StudyExperiment(name, places, make, lambda: replace(config, baselines=replace(config.baselines, **rest)))


def _similarity(config: Config) -> StudyExperiment:
    places = tuple(MAPS[code] for code in config.data.languages if code in MAPS)
    return StudyExperiment(
        "similarity of the models",
        places,
        lambda: _jobs(replace(_alone(config), model=config.model, similarity=config.similarity), "similarity"),
        lambda: replace(config, similarity=replace(config.similarity, measures=())),
    )


def _coarse(config: Config, language: str) -> StudyExperiment:
    coarse = config.coarse

    def without() -> Config:
        rest = tuple(each for each in coarse.languages if each != language)
        return replace(config, coarse=replace(coarse, languages=rest) if rest else Coarse())

    def make() -> list[Job[Any]]:
        tuned = tuple(text for text in each_model(config.model) if _is_tuned(config, text))
        return _jobs(replace(_alone(config), model=tuned, coarse=replace(coarse, languages=(language,))), "coarse")

    return StudyExperiment(f"coarse probing in {language} (Figures 16 to 18 of the stability paper)", (), make, without)
