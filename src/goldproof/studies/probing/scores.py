"""What the jobs gave, put together for the report: probes with bands and ties, and twins side by side.

`beside` says whether the paper's numbers may stand beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from goldproof.measures.layer_tests import LayerTests, adjust_over_tasks, two_sided_neighbours
from goldproof.report.names import placed
from goldproof.statistics.comparison import Comparison, compare, compare_runs
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.metrics import metric
from goldproof.statistics.multiplicity import holm
from goldproof.studies.beside import Beside, beside
from goldproof.studies.own import has_own
from goldproof.studies.probing.gather import ProbingValues
from goldproof.studies.probing.plan import Arm, ProbingCell, label_of
from goldproof.studies.probing.published import PAPER_SUITES, title_of
from goldproof.studies.probing.settings import Config
from goldproof.studies.probing.steps import Probed
from goldproof.studies.probing.tasks import Facts

ACCURACY = metric("accuracy")
TOO_MANY = "the task has too many classes for this (setting most_classes)"
THIRDS = ("lower", "middle", "upper")


@dataclass(frozen=True, slots=True, eq=False)
class LayerScores:
    """A cell's probes of one kind, what its layers show, the accuracy of the majority class, and its job."""

    cell: ProbingCell
    kind: str
    probed: Probed
    tests: LayerTests
    majority: float
    key: str

    @property
    def best(self) -> Estimate:
        """The best layer's accuracy on test, with the band that holds for all layers together."""
        return self.tests.bands[self.tests.best]

    @property
    def on_validation(self) -> float:
        """Accuracy on validation at the layer that is best there."""
        return float(self.probed.validation[self.probed.chosen].mean())

    @property
    def best_layer(self) -> int:
        """The number of the best layer."""
        return self.probed.layers[self.tests.best]

    @property
    def tied(self) -> str:
        """The layers that cannot be distinguished from the best."""
        return ranges(self.probed.layers[place] for place in self.tests.tied)

    @property
    def above_majority(self) -> bool:
        """Whether the best layer's whole band lies above the majority class."""
        return self.best.low > self.majority

    @property
    def is_collapsed(self) -> bool:
        """Whether the probes of all layers and seeds give one answer to nearly everything."""
        return bool(self.probed.collapsed.all())

    @property
    def third(self) -> str:
        """The third of the layers that holds all tied with the best; empty if they lie in several."""
        found = {3 * place // len(self.probed.layers) for place in self.tests.tied}
        return THIRDS[found.pop()] if len(found) == 1 else ""

    @property
    def task(self) -> str:
        """The task's title and language."""
        return task_title(self.cell.task, self.cell.language)


@dataclass(frozen=True, slots=True)
class Twins:
    """A model against its random twin or a baseline, each at the layer that is best on validation; `p_value` is
    Holm's.
    """

    model: LayerScores
    twin: LayerScores
    difference: Estimate
    p_value: float

    def is_better(self, level: float) -> bool:
        """Whether the model is shown to be better."""
        return self.p_value < 1 - level and self.difference.value > 0


class ProbingFindings:
    """What was gathered for a configuration, looked up once."""

    def __init__(self, config: Config, gathered: ProbingValues) -> None:
        self.config, self.gathered = config, gathered
        self.arms: list[Arm] = list(gathered.arms)
        self.tasks = list(gathered.tasks)
        self.facts: dict[tuple[str, str], Facts] = {place: self.value("facts", *place) for place in self.tasks}
        self.scored: dict[tuple[str, str, str, str], LayerScores] = {}
        for cell in gathered.cells:
            for kind in config.probe.kinds:
                self._score(cell, kind)

    def _score(self, cell: ProbingCell, kind: str) -> None:
        probed, tests = (self.value(what, kind, *cell.where) for what in ("probe", "tests"))
        if probed is None or tests is None:
            return
        majority = self.facts[cell.language, cell.task].majority
        self.scored[kind, cell.arm.title, cell.language, cell.task] = LayerScores(
            cell, kind, probed, tests, majority, self.key("probe", kind, *cell.where)
        )

    def value(self, what: str, *where: str) -> Any:
        """What a job gave, by its label."""
        return self.gathered.values[label_of(what, *where)]

    def key(self, what: str, *where: str) -> str:
        """The key of a job, by its label."""
        return self.gathered.keys[label_of(what, *where)]

    def has(self, what: str, *where: str) -> bool:
        """Whether there is such a job."""
        return label_of(what, *where) in self.gathered.values

    def is_papers(self, language: str) -> bool:
        """Whether the tasks of a language are the paper's, so that its figures may stand beside ours."""
        suite = PAPER_SUITES.get(language)
        return suite is not None and self.config.data.corpus in ("paper", suite) and not has_own(self.config)

    @property
    def beside(self) -> Beside:
        """Whether the paper's numbers may stand beside those of its own models and baselines; its probes were trained
        for a few epochs, ours are solved.
        """
        same_corpus = any(map(self.is_papers, self.config.data.languages))
        whole = self.config.data.most_train is None and self.config.splits.most_test is None
        return beside(same_corpus=same_corpus, same_model=True, same_size=whole, same_training=False)

    def of(self, kind: str, arm: Arm) -> list[LayerScores]:
        """An arm's scores with a kind of probe."""
        return [each for each in self.scored.values() if each.kind == kind and each.cell.arm.title == arm.title]

    @property
    def models(self) -> list[Arm]:
        """Models and their twins."""
        return [arm for arm in self.arms if arm.kind == "model"]

    @property
    def baselines(self) -> list[Arm]:
        """What stands beside the models."""
        return [arm for arm in self.arms if arm.kind == "baseline"]

    @property
    def own(self) -> list[Arm]:
        """The models without their twins."""
        return [arm for arm in self.models if not arm.twin_of]

    @cached_property
    def twins(self) -> list[Twins]:
        """Every model beside its twin, with the first kind of probe; Holm's adjustment over all of them."""
        kind = self.config.probe.kinds[0]
        pairs = []
        for arm in self.models:
            for twin in self.of(kind, arm) if arm.twin_of else ():
                model = self.scored[kind, arm.twin_of, twin.cell.language, twin.cell.task]
                pairs.append((model, twin, _compare(model, twin, self.config.level)))
        return _adjusted(pairs)

    def over_baselines(self, kind: str) -> dict[tuple[str, str], Twins]:
        """For each language and task the best model against the best baseline, both chosen on validation; Holm's
        adjustment over all of them.
        """
        pairs = []
        for place in self.tasks:
            sides = []
            for arms_of in (self.own, self.baselines):
                keys = ((kind, arm.title, *place) for arm in arms_of)
                sides.append([self.scored[key] for key in keys if key in self.scored])
            if all(sides):
                model, baseline = (max(side, key=lambda each: each.on_validation) for side in sides)
                pairs.append((model, baseline, _compare(model, baseline, self.config.level)))
        return {(each.model.cell.language, each.model.cell.task): each for each in _adjusted(pairs)}

    @cached_property
    def neighbours(self) -> dict[tuple[str, str, str], tuple[float, ...]]:
        """For each model, language and task the two-sided p-values of neighbouring layers, Holm's over all tasks of the
        model.
        """
        kind = self.config.probe.kinds[0]
        found = {}
        for arm in self.own:
            every = self.of(kind, arm)
            adjusted = adjust_over_tasks(
                {
                    f"{s.cell.language}/{s.cell.task}": two_sided_neighbours(s.probed.correct, s.tests.neighbours)
                    for s in every
                }
            )
            for each in every:
                place = (arm.title, each.cell.language, each.cell.task)
                found[place] = adjusted[f"{each.cell.language}/{each.cell.task}"]
        return found

    def moves(self, scored: LayerScores) -> tuple[str, str]:
        """The steps between neighbouring layers at which accuracy rises, and falls, by more than chance."""
        p_values = self.neighbours[scored.cell.arm.title, scored.cell.language, scored.cell.task]
        steps: dict[bool, list[str]] = {True: [], False: []}
        for place, ((low, high), p) in enumerate(zip(pairwise(scored.probed.layers), p_values, strict=True)):
            gain = scored.tests.bands[place + 1].value - scored.tests.bands[place].value
            if p < 1 - self.config.level:
                steps[gain > 0].append(f"{low}→{high}")
        return ", ".join(steps[True]) or "none", ", ".join(steps[False]) or "none"


def _adjusted(pairs: Sequence[tuple[LayerScores, LayerScores, Comparison]]) -> list[Twins]:
    adjusted = holm(np.array([found.p_value for *_, found in pairs])) if pairs else np.zeros(0)
    return [Twins(a, b, c.difference, float(p)) for (a, b, c), p in zip(pairs, adjusted, strict=True)]


def _compare(model: LayerScores, twin: LayerScores, level: float) -> Comparison:
    """At the layers that are best on validation, with the seeds whose probe collapsed on neither side, or with all."""
    kept = np.logical_and(*(~each.probed.collapsed[each.probed.chosen] for each in (model, twin)))
    kept = kept if kept.any() else ~kept
    sides = [each.probed.correct[each.probed.chosen][kept].astype(np.int64) for each in (model, twin)]
    ones = np.ones(sides[0].shape[1], np.int64)
    if len(sides[0]) == 1:
        return compare(ACCURACY, ones, sides[0][0], sides[1][0], level=level)
    return compare_runs(ACCURACY, ones, sides[0], sides[1], same_seeds=True, level=level)


def task_title(task: str, language: str) -> str:
    """A task as the paper calls it, and the language.

    >>> task_title("ngram_shift", "ru")
    'NShift (ru)'
    """
    return placed(title_of(task), language)


def ranges(numbers: Iterable[int]) -> str:
    """Whole numbers as ranges.

    >>> ranges([3, 5, 6, 7])
    '3, 5–7'
    """
    groups: list[list[int]] = []
    for number in sorted(numbers):
        if groups and number == groups[-1][-1] + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    return ", ".join(f"{group[0]}–{group[-1]}" if len(group) > 1 else str(group[0]) for group in groups)
