"""The scores of a condition: accuracy over seeds and items, beside chance, and what its items are.

`with_paper` says whether the paper's numbers may stand beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from goldproof.builders.logic.build import grammar_preset
from goldproof.data.answers import Answers
from goldproof.data.dataset import Dataset
from goldproof.judging.collapse import collapse_of, without_collapsed
from goldproof.judging.metrics import mean_score
from goldproof.statistics.arrays import Array
from goldproof.statistics.chance_runs import runs_chance_band
from goldproof.statistics.collapse import Collapse
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.metrics import metric
from goldproof.statistics.multiplicity import benjamini_hochberg
from goldproof.studies.beside import beside, is_model
from goldproof.studies.logic import published
from goldproof.studies.logic.plan import LogicCondition, StoredAnswers
from goldproof.studies.logic.settings import OWN_TASK, Config
from goldproof.studies.own import has_own
from goldproof.studies.shared import parse_folder

ACCURACY = metric("accuracy")
DRAWS = 2_000


def with_paper(config: Config) -> bool:
    """Whether the paper's numbers may stand beside ours: only where the corpora are of its templates."""
    return grammar_preset(config.data.corpus) is not None and not has_own(config)


def unlike_paper(config: Config) -> tuple[str, ...]:
    """In what a run on the paper's templates differs from the paper's: numbers of pairs, or no random search."""
    same_size = (config.sizes.train, config.sizes.test) == (10_000, 1_000)
    stands, searched = with_paper(config), config.search.trials > 0
    return beside(same_corpus=stands, same_model=True, same_size=same_size, same_training=searched).differs


def paper_name(config: Config, model: str) -> str:
    """What the paper's numbers of a model are kept under; its recurrent networks read one way or both.

    An encoder that is none of the paper's has no name there, so that no number of another model stands beside it.
    """
    if model in config.learners:
        return model.removeprefix("bi")
    known = (published.ENGLISH,), (published.MULTILINGUAL, "bert-base-multilingual-cased"), (published.CHINESE,)
    return next((names[0] for names in known if is_model(model, *names)), "")


@dataclass(frozen=True, slots=True)
class ConditionAccuracy:
    """One condition on one test set: its answers, their accuracy, p against chance, and its job.

    Runs that collapsed are left out of the answers, unless all did; `collapse` says which of all runs they are. Tags of
    the answers say each item's template and n.
    """

    condition: LogicCondition
    answers: Answers
    accuracy: Estimate
    p_value: float
    truncated: int
    key: str
    collapse: Collapse | None = None

    @property
    def is_collapsed(self) -> bool:
        """Whether every run gives one answer to nearly all items: no evidence about inference, and in no finding."""
        return self.collapse is not None and self.collapse.is_whole

    @property
    def n_collapsed(self) -> int:
        """How many runs collapsed."""
        return 0 if self.collapse is None else self.collapse.n

    @property
    def n_trained(self) -> int:
        """How many runs there are, with those that collapsed."""
        return len(self.runs) if self.collapse is None else len(self.collapse.collapsed)

    @property
    def language(self) -> str:
        """The language of the test set."""
        return self.answers.where["language"]

    @property
    def gold(self) -> Array:
        """The true classes."""
        return self.answers.gold

    @property
    def runs(self) -> Array:
        """The classes that each run gives: runs × items."""
        return self.answers.runs

    @property
    def has_templates(self) -> bool:
        """Whether items are of templates: those of the user's own data are not."""
        return not self.condition.task.startswith(OWN_TASK)

    @property
    def templates(self) -> Array:
        """The template of each item."""
        return np.array(self._tagged("template"))

    @property
    def sizes(self) -> Array:
        """The n of each item."""
        return np.array([int(n) for n in self._tagged("n")])

    def within(self, items: Array, level: float = 0.95) -> Estimate:
        """The accuracy on some items."""
        return mean_score(self.answers.take(items), "accuracy", level)

    def _tagged(self, name: str) -> list[str]:
        tags = [dict(tag.split(":", 1) for tag in each) for each in self.answers.tags or ()]
        return [each[name] for each in tags]


def score_answers(condition: LogicCondition, every: Answers, cut: int, key: str) -> ConditionAccuracy:
    """The scores of a condition from the answers of all its runs; `cut` test items were too long."""
    collapse = collapse_of(every)
    answers = without_collapsed(every, collapse)
    rng = np.random.default_rng(0)
    chance = runs_chance_band(ACCURACY, answers.gold, answers.runs, rng, draws=DRAWS).p_value
    return ConditionAccuracy(condition, answers, mean_score(answers, "accuracy"), chance, cut, key, collapse)


def make_answers(stored: StoredAnswers, language: str, data: Dataset, seeds: Sequence[int]) -> Answers:
    """What is stored of one test language, with the gold and the tags of its items."""
    index = {name: code for code, name in enumerate(stored.classes)}
    return Answers(
        where={"language": language},
        step=None,
        task="classification",
        labels=stored.classes,
        ids=np.array(data.table.column("id").to_pylist(), object),
        gold=np.array([index[label] for label in data.table.column("label").to_pylist()]),
        runs=stored.runs[language].astype(np.int64),
        run_names=tuple(str(seed) for seed in seeds),
        tags=tuple(tuple(tags) for tags in data.table.column("tags").to_pylist()),
    )


def above_chance(scored: Sequence[ConditionAccuracy], level: float = 0.95) -> list[bool]:
    """Which scores are above chance: for these seeds, false discoveries controlled over all that are given, and for
    other seeds, by the interval. A score of which every run collapsed is not tested.
    """
    tested = [each for each in scored if not each.is_collapsed]
    adjusted = iter(benjamini_hochberg(np.array([each.p_value for each in tested])))
    return [not each.is_collapsed and bool(next(adjusted) < 1 - level and each.accuracy.low > 0.5) for each in scored]


def n_tested(scored: Sequence[ConditionAccuracy]) -> int:
    """How many scores are tested at all: those of which not every run collapsed."""
    return sum(not each.is_collapsed for each in scored)


def model_title(model: str) -> str:
    """A model's name; an encoder's is the one it was given, else that of its folder."""
    return parse_folder(model).title
