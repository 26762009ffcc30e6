"""What a language model is asked: every corpus without and with examples, and the controls, which take something away.

A cell is one corpus asked about in one way. Nothing is trained: what is learned is learned from the examples.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from goldproof.builders.logic.pairs import LABELS
from goldproof.data.dataset import Dataset
from goldproof.errors import UsageError
from goldproof.jobs import Job, step
from goldproof.studies.asked import AskedSet, is_asked, some_items
from goldproof.studies.logic import steps
from goldproof.studies.logic.settings import Config, Experiments, task_title
from goldproof.studies.own import has_own, own_name

KIND = "contradiction"
NOISE = "noise"
CONTROL_NAMES = {
    "premise": "premise only",
    "hypothesis": "hypothesis only",
    NOISE: "labels of examples dealt at random",
}


@dataclass(frozen=True, slots=True)
class AskedCell:
    """One corpus asked about in one way: how many examples, which control, and the preset where it is another."""

    task: str
    language: str
    examples: int = 0
    control: str = ""
    preset: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether nothing is taken away and the corpus is that of the settings."""
        return not self.control and not self.preset


def without_learners(config: Config) -> Config:
    """The Config of a model that is asked: the study's own learners are left out, what says how to train is refused."""
    if not is_asked(config):
        return config
    defaults, plans = Config(), config.experiments
    if config.learners not in (defaults.learners, ()):
        raise UsageError(
            "the setting 'learners' must be left out where 'model' is a language model that is asked; train them in a "
            f"run of their own, or fine-tune the model with prompts.use=never; got {config.learners!r}"
        )
    for name in ("fractions", "overlap", "source", "source_only"):
        if getattr(plans, name) != getattr(Experiments(), name):
            raise UsageError(
                f"the setting 'experiments.{name}' must be left out where 'model' is a language model that is asked: "
                "it says how to train"
            )
    return replace(config, learners=())


def asked_cells(config: Config) -> list[AskedCell]:
    """Every cell: the plain ones, those of the other preset, and the controls with as many examples as there are."""
    ways, plans = dict.fromkeys((0, config.prompts.examples)), config.experiments
    plain = [AskedCell(task, lang, n) for lang in config.data.languages for task in config.tasks for n in ways]
    most = [cell for cell in plain if cell.examples == config.prompts.examples]
    controls = [name for name in plans.controls if name != NOISE or config.prompts.examples]
    found = [*plain, *(replace(cell, control=name) for name in controls for cell in most)]
    return [*found, *(replace(cell, preset=plans.beside) for cell in plain if plans.beside)]


def cell_part(cell: AskedCell) -> str:
    """What tells a cell from others of the same language, in words.

    >>> cell_part(AskedCell("negation", "en", 4, "premise"))
    '1 negation, 4 examples, premise only'
    """
    examples = "no examples" if not cell.examples else f"{cell.examples} examples"
    return ", ".join(filter(None, (task_title(cell.task), cell.preset, examples, CONTROL_NAMES.get(cell.control, ""))))


def asked_set(config: Config, cell: AskedCell, corpus: Job[Dataset]) -> AskedSet:
    """What is asked about a corpus in a cell, and where its examples come from."""
    if has_own(config) and cell.examples > config.sizes.train:
        raise UsageError(
            f"the setting 'prompts.examples' must be at most {config.sizes.train:,}, the training pairs of "
            f"{own_name(config.data)}, half of them contradictions; got {cell.examples}"
        )
    train = steps.part.job(corpus, "train", 1.0, NOISE if cell.control == NOISE else "")
    items = some_items(config, steps.part.job(corpus, "test"))
    if cell.control in ("premise", "hypothesis"):
        train, items = (leave.job(data, cell.control) for data in (train, items))
    name = own_name(config.data) if has_own(config) else config.data.corpus
    how = replace(config.prompts, examples=cell.examples)
    return AskedSet(name, cell.language, KIND, LABELS, items, train, how, cell_part(cell))


@step(version=1, name="goldproof.logic.leave")
def leave(data: Dataset, text: str) -> Dataset:
    """The pairs with only the premise or only the hypothesis; the place of the other in a prompt stays empty."""
    blank = [""] * len(data)
    return data.with_column("pair", blank) if text == "premise" else data.with_column("text", blank)
