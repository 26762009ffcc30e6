"""What a language model answered, in the form that the page takes: prompts in the place of trainings.

A prompt that gets one answer to everything is a prompt that does not work, and counts. An answer that cannot be read
is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from goldproof.claiming.data import ClaimData
from goldproof.claiming.item_clusters import item_clusters
from goldproof.claiming.plan import asked_sets, further_name, of_reference, one_draw, with_examples
from goldproof.claiming.settings import Config
from goldproof.data.answers import Answers
from goldproof.jobs import Results
from goldproof.judging.collapse import take_runs
from goldproof.judging.metrics import choose_metric_of
from goldproof.judging.missing import settle
from goldproof.studies.asked import asked_answers
from goldproof.studies.asked.scores import PromptScores, score_prompts
from goldproof.studies.shared import Data, parse_folder
from goldproof.studies.stability import settings as stability_settings


@dataclass(frozen=True, slots=True)
class Asked:
    """What all prompts got: their scores on the test items, as they are and with examples before them, and their
    answers to every set, of which those beside the test items are of each prompt's first draw.
    """

    plain: PromptScores
    examples: PromptScores | None
    tests: Mapping[str, PromptScores]
    reference: Answers | None
    keys: tuple[str, ...]

    @property
    def first_draws(self) -> Answers:
        """What each prompt got with its first draw, as the other sets have it."""
        answers, n = self.plain.answers, self.plain.n_draws
        return answers if n == 1 else take_runs(answers, np.arange(0, answers.n_runs, n))


def find_asked(config: Config, data: ClaimData, results: Results) -> Asked:
    """What was asked, from the values of the jobs."""
    sets = asked_sets(config, data)
    groups = item_clusters(results[sets["test"].items])

    def scored(each: Config, name: str) -> PromptScores:
        is_further = name.startswith(further_name(""))
        own = item_clusters(results[sets[name].items]) if is_further else groups
        found = asked_answers(each, sets[name], results)
        found = replace(found, answers=replace(found.answers, clusters=own))
        metric = choose_metric_of(settle([found.answers], "wrong")[0][0], None)
        return score_prompts(study_config(each), found, metric)

    tests = {name: scored(config if name == "test" else one_draw(config), name) for name in sets}
    more, other = with_examples(config), of_reference(config)
    examples = None if more is None else scored(more, "test")
    reference = None if other is None else scored(other, "test").answers
    if reference is not None:
        reference = replace(reference, where={**reference.where, "model": parse_folder(config.reference).title})
    keys = [key for each in (*tests.values(), examples) if each is not None for key in each.facts.keys]
    return Asked(tests["test"], examples, tests, reference, tuple(dict.fromkeys(keys)))


def study_config(config: Config) -> stability_settings.Config:
    """The settings of the study of prompts on the same data, whose report stands beside the page."""
    base = stability_settings.Config()
    chosen = Data(
        corpus=base.data.corpus,
        name=config.data.name,
        train=config.data.train,
        validation=config.data.validation,
        test=config.data.test,
        languages=config.data.languages or base.data.languages,
        most_train=config.data.most_train,
    )
    return replace(
        base,
        model=str(config.model),
        data=chosen,
        columns=config.columns,
        prompts=config.prompts,
        endpoint=config.endpoint,
        level=config.level,
        smallest=config.smallest,
    )
