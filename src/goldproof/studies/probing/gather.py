"""Every value that the report shows, by its label: from the store, or from a file of kept answers.

What probes answered is kept as Answers (layers × items), everything else as facts. Models, corpora and texts are not
needed to render the report again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from goldproof.data.answers import Answers
from goldproof.errors import UsageError
from goldproof.jobs import Results
from goldproof.studies.kept import KeptAnswers
from goldproof.studies.kept_values import pack, unpack
from goldproof.studies.own import has_own
from goldproof.studies.probing.coarse import CoarseTasks
from goldproof.studies.probing.plan import Arm, ProbingCell, arms, label_of, labelled
from goldproof.studies.probing.published import SUITES
from goldproof.studies.probing.settings import Config
from goldproof.studies.probing.steps import Likeness, Probed
from goldproof.studies.probing.tasks import Facts, settle, tasks_of

DIGITS = 5  # of similarities, of which the page shows two


@dataclass(frozen=True, slots=True, eq=False)
class ProbingValues:
    """Values and keys of jobs by label (see `goldproof.studies.probing.plan.labelled`), the arms without their models,
    and the tasks by language.
    """

    arms: tuple[Arm, ...]
    tasks: tuple[tuple[str, str], ...]
    values: Mapping[str, Any]
    keys: Mapping[str, str]

    @property
    def cells(self) -> list[ProbingCell]:
        """Every arm on every task in its languages."""
        return [
            ProbingCell(arm, language, task)
            for arm in self.arms
            for language, task in self.tasks
            if language in arm.languages
        ]


def gather(config: Config, results: Results) -> ProbingValues:
    """The values of all jobs of settled settings."""
    config = settle(config)
    jobs = labelled(config)
    return ProbingValues(
        tuple(replace(arm, model=None) for arm in arms(config)),
        tuple((language, task) for language in config.data.languages for task in tasks_of(config, language)),
        {label: _bare(results[job]) for label, job in jobs.items()},
        {label: job.key for label, job in jobs.items()},
    )


def _bare(value: Any) -> Any:
    """A value without what the page does not show."""
    if isinstance(value, CoarseTasks):
        return replace(value, texts=(), pairs=())
    if isinstance(value, Likeness):
        tables, p_value, chance = map(_rounded, (value.tables, value.p_value, value.chance))
        return replace(value, tables=tables, p_value=p_value, chance=chance)
    return value


def _rounded(tables: dict[str, Any]) -> dict[str, Any]:
    return {name: np.round(np.asarray(table, np.float64), DIGITS) for name, table in tables.items()}


def keep_gathered(config: Config, gathered: ProbingValues) -> KeptAnswers:
    """What was gathered as answers and facts."""
    if has_own(config) or config.data.corpus not in (*SUITES, "paper", "generated"):
        raise UsageError(
            "answers on data of your own can be kept only with `goldproof score`, from a file of predictions"
        )
    probes = {label: value for label, value in gathered.values.items() if isinstance(value, Probed)}
    rest = {label: value for label, value in gathered.values.items() if label not in probes}
    facts = {
        "arms": [[arm.title, arm.kind, list(arm.languages), arm.twin_of, arm.paper] for arm in gathered.arms],
        "tasks": [list(place) for place in gathered.tasks],
        "keys": dict(gathered.keys),
        "values": pack(rest),
        "probes": {label: _probe_facts(probed) for label, probed in probes.items()},
    }
    return KeptAnswers({label: _answers(label, probed, gathered) for label, probed in probes.items()}, facts)


def _probe_facts(probed: Probed) -> dict[str, Any]:
    return {
        "layers": list(probed.layers),
        "l2": probed.l2.tolist(),
        "validation": probed.validation.tolist(),
        "n_cut": probed.n_cut,
    }


def _answers(label: str, probed: Probed, gathered: ProbingValues) -> Answers:
    """What the probes of every layer and seed answered."""
    _, kind, title, language, task = label.split("/")
    facts: Facts = gathered.values[label_of("facts", language, task)]
    names = tuple(facts.parts["overall"].labels)
    n_seeds = probed.predicted.shape[1]
    probes = [f", probe {seed}" if n_seeds > 1 else "" for seed in range(n_seeds)]
    return Answers(
        where={"language": language, "task": task, "model": title, "probe": kind},
        step=None,
        task="classification",
        labels=names if len(names) == facts.n_classes else tuple(map(str, range(facts.n_classes))),
        ids=np.array([str(row) for row in range(len(probed.gold))], object),
        gold=probed.gold.astype(np.int64),
        runs=probed.predicted.reshape(-1, len(probed.gold)).astype(np.int64),
        run_names=tuple(f"layer {layer}{probe}" for layer in probed.layers for probe in probes),
    )


def gathered_from(kept: KeptAnswers) -> ProbingValues:
    """What was kept, as it was gathered."""
    facts = kept.facts
    values = unpack(facts["values"])
    values |= {label: _probed(each, facts["probes"][label]) for label, each in kept.answers.items()}
    keys: dict[str, str] = facts["keys"]
    return ProbingValues(
        tuple(Arm(title, kind, None, tuple(languages), *more) for title, kind, languages, *more in facts["arms"]),
        tuple((language, task) for language, task in facts["tasks"]),
        {label: values[label] for label in keys},
        keys,
    )


def _probed(answers: Answers, facts: Mapping[str, Any]) -> Probed:
    layers = tuple(facts["layers"])
    predicted = answers.runs.reshape(len(layers), -1, answers.n_items)
    l2, validation = (np.array(facts[name], np.float64) for name in ("l2", "validation"))
    return Probed(layers, l2, validation, predicted, answers.gold, facts["n_cut"])
