"""The settings: tasks, languages, models, sizes, and which experiments to run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from goldproof.builders.logic.build import PRESETS, find_task
from goldproof.builders.logic.grammar import FOLDER
from goldproof.errors import UsageError
from goldproof.jobs.names import named
from goldproof.models.endpoint import Calls
from goldproof.models.scratch import Scratch
from goldproof.studies.own import has_own, own_rules
from goldproof.studies.rules import are_distinct, check_settings
from goldproof.studies.shared import (
    ColumnChoice,
    Data,
    Models,
    Prompts,
    call_rules,
    each_model,
    group_rules,
    parse_folder,
    prompt_rules,
    without,
)
from goldproof.training.recipe import Recipe

DEMO = Path(__file__).parent / "demo.toml"
RECURRENT = ("rnn", "gru", "lstm", "birnn", "bigru", "bilstm")
CHAINS = "chains"
"""The control: it follows names from sentence to sentence, and is in no count of who infers."""

MODELS = ("forest", CHAINS, *RECURRENT, "small")
DATA = Data(corpus="closed2", languages=("en", "pt"))
RECURRENT_RECIPE = Recipe(epochs=5.0, learning_rate=2e-3, max_length=256, evaluations=5)
SMALL_RECIPE = replace(RECURRENT_RECIPE, epochs=10.0, batch=64, learning_rate=1e-3, warmup=0.1)
ENCODER_RECIPE = replace(RECURRENT_RECIPE, epochs=3.0, learning_rate=3e-5, warmup=0.1)
ASKING = Prompts(examples=4)
UNTAKEN = ("task", "steps", "evaluate_at", "early_stopping")
CONTROLS = ("noise", "premise", "hypothesis")
OWN_TASK = "own:"
"""Before the name of the user's own data where a task stands; no task of ours begins so."""

TASKS = ("negation", "coordination", "quantifiers", "description", "comparison", "counting", "mixed")


@named("logic.CorpusSizes")
@dataclass(frozen=True)
class CorpusSizes:
    """How many pairs, and the seed of the draw."""

    train: int = 10_000
    validation: int = 1_000
    test: int = 1_000
    seed: int = 0


@named("logic.Recipes")
@dataclass(frozen=True)
class Recipes:
    """How to train each kind of model: recurrent networks, the small transformer, and encoders."""

    recurrent: Recipe = field(default=RECURRENT_RECIPE, metadata=without(*UNTAKEN))
    small: Recipe = field(default=SMALL_RECIPE, metadata=without(*UNTAKEN))
    encoder: Recipe = field(default=ENCODER_RECIPE, metadata=without(*UNTAKEN))


@named("logic.Cells")
@dataclass(frozen=True)
class Cells:
    """The shape of the recurrent networks; `vectors` is a file of word vectors (see `goldproof.models.Recurrent`)."""

    hidden: int = 64
    n_layers: int = 1
    dimension: int = 64
    dropout: float = 0.0
    word_dropout: float = 0.2
    vectors: str = ""
    frozen: bool = False


@named("logic.Search")
@dataclass(frozen=True)
class Search:
    """Random search: the number of trials for each task, language and model except forest and small; 0 for none.

    Each range is the paper's, lowest and highest. The paper's rate and dropout of recurrent networks are [0, 1]; here
    the rate is drawn on a logarithmic scale, and both stay within what can be trained. The best trial on validation is
    used.
    """

    trials: int = 0
    seed: int = 0
    hidden: tuple[int, int] = (10, 500)
    dimension: tuple[int, int] = (10, 500)
    n_layers: tuple[int, int] = (1, 6)
    dropout: tuple[float, float] = (0.0, 0.9)
    learning_rate: tuple[float, float] = (1e-4, 1.0)
    batch: tuple[int, int] = (32, 128)
    encoder_learning_rate: tuple[float, float] = (2e-5, 5e-5)
    encoder_batch: tuple[int, int] = (16, 32)
    encoder_epochs: tuple[int, int] = (3, 4)


@named("logic.Experiments")
@dataclass(frozen=True)
class Experiments:
    """Which experiments.

    (i) `fractions` of the training data; (ii) `overlap`: test with the names of training; (iii) `source`: train on that
    language, test on all (`source_only`: train on no other); (iv) `controls` (noise, premise, hypothesis) for the
    models in `controlled`; (v) `nli`: corpora of the catalog, as name[:split][@language], or files, as FILE[@language],
    recast as balanced contradiction detection. `beside`: another preset to train and test on as well. `certificates`:
    what rules without understanding score on each corpus.
    """

    fractions: tuple[float, ...] = (1.0,)
    overlap: bool = False
    source: str = ""
    source_only: bool = False
    controls: tuple[str, ...] = CONTROLS
    controlled: tuple[str, ...] = ("forest", "encoder")
    nli: tuple[str, ...] = ()
    beside: str = ""
    certificates: bool = True


@named("logic.Config")
@dataclass(frozen=True)
class Config:
    """Settings of the logic study.

    `model` is the folder of an encoder as [NAME=]FOLDER, or a list of these, in addition to the `learners`, which are
    trained from scratch. `data.corpus` is the preset: closed2 (no known leaks), closed (rules that count words fail),
    clcd (as published; en and pt) or clcd-few (the same with few names). Of the learners, `chains` is a control that
    follows names from sentence to sentence: if it learns a task, the task can be learned from these pairs. The corpora
    of `experiments.nli` are expected under `data.root`. `data.train` and `data.test` are pairs of your own in any
    language, used instead of `tasks`: they are recast as contradiction detection with both classes equally frequent. A
    language model is asked and not trained (see `prompts`): without examples, with `prompts.examples`, and under the
    `experiments.controls`, of which noise deals the labels of examples at random; `learners` are left out then.
    `contradiction` is the label of contradictions there; contradiction, contradicts and, beside positive and neutral,
    negative are known.
    """

    tasks: tuple[str, ...] = TASKS
    learners: tuple[str, ...] = ("forest", CHAINS, "gru", "small")
    model: Models = ""
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    data: Data = field(default=DATA, metadata=without("hub", "most_train", own="train"))
    columns: ColumnChoice = field(default_factory=ColumnChoice)
    contradiction: str = ""
    sizes: CorpusSizes = field(default_factory=CorpusSizes)
    cells: Cells = field(default_factory=Cells)
    small_network: Scratch = field(default_factory=Scratch)
    recipe: Recipes = field(default_factory=Recipes)
    search: Search = field(default_factory=Search)
    experiments: Experiments = field(default_factory=Experiments)
    prompts: Prompts = field(default=ASKING, metadata=without("languages"))
    endpoint: Calls = field(default_factory=Calls)

    def __post_init__(self) -> None:
        """Refuse settings that make no sense."""
        for task in self.tasks:
            if not task.startswith(OWN_TASK):
                find_task(task)
        known = sorted(path.stem for path in FOLDER.glob("*.toml"))
        plans = self.experiments
        if not has_own(self):
            _check_names("data.languages", self.data.languages, known)
        _check_names("learners", self.learners, MODELS)
        _check_names("experiments.controls", plans.controls, CONTROLS)
        _check_names("experiments.controlled", plans.controlled, (*MODELS, "encoder"))
        check_settings(self, _rules(self))
        _check_titles(self)
        _check_ranges(self.search)
        for name in ("train", "validation", "test"):
            n = getattr(self.sizes, name)
            if (n < 20 or n % 2) and not has_own(self):
                raise UsageError(f"the setting 'sizes.{name}' must be an even number of at least 20; got {n}")


def _rules(c: Config) -> Iterator[tuple[str, bool, str]]:
    plans = c.experiments
    yield "tasks", _are_distinct_tasks(c.tasks), "at least one task, none twice"
    yield from group_rules(c)
    yield "model", all(parse_folder(text).folder for text in each_model(c.model)), "FOLDER or NAME=FOLDER, each"
    yield from prompt_rules(c.prompts)
    yield from call_rules(c.endpoint, c.model, c.prompts)
    yield "model", c.prompts.use != "always" or bool(each_model(c.model)), "given where 'prompts.use' is always"
    yield "data.languages", bool(c.data.languages), "at least one language"
    yield "learners", bool(c.learners or each_model(c.model)), "at least one learner, or 'model' a folder"
    yield "seeds", are_distinct(c.seeds) and bool(c.seeds), "at least one seed, none twice"
    yield "data.corpus", c.data.corpus in PRESETS, " or ".join(PRESETS)
    yield "experiments.fractions", _are_shares(plans.fractions), "shares up to 1, including 1"
    is_source = plans.source in ("", *c.data.languages) or has_own(c)
    yield "experiments.source", is_source, "empty or one of 'data.languages'"
    yield "contradiction", has_own(c) or not c.contradiction, "empty if 'data.train' is empty"
    yield from own_rules(c)
    yield "experiments.beside", plans.beside in _others(c.data.corpus), "empty or another preset"
    yield "search.trials", c.search.trials >= 0, "0 or more"
    without_source = bool(plans.source) or not plans.source_only
    yield "experiments.source_only", without_source, "false if 'experiments.source' is empty"


def _are_distinct_tasks(tasks: Sequence[str]) -> bool:
    """Whether there are tasks, each once, by name or number."""
    return len({task if task.startswith(OWN_TASK) else find_task(task) for task in tasks}) == len(tasks) > 0


def _check_titles(c: Config) -> None:
    """Each model must be called differently in the report, where a folder without a name goes by its last part."""
    encoders = each_model(c.model)
    if not are_distinct([*c.learners, *(parse_folder(model).title for model in encoders)]):
        raise UsageError(
            "the models in the setting 'model' need different names, none of them used in 'learners'; use "
            f"NAME=FOLDER; got {encoders!r}"
        )


def _check_names(setting: str, names: Sequence[str], allowed: Sequence[str]) -> None:
    for i, name in enumerate(names):
        if name not in allowed or name in names[:i]:
            raise UsageError(f"the setting {setting!r} may name each of {', '.join(allowed)} once; got {name!r}")


def _others(preset: str) -> tuple[str, ...]:
    return ("", *(other for other in PRESETS if other != preset))


def _check_ranges(search: Search) -> None:
    for each in fields(search):
        value = getattr(search, each.name)
        if not isinstance(value, tuple):
            continue
        is_right = value[0] <= value[1] and (0 <= value[0] <= value[1] < 1 if each.name == "dropout" else value[0] > 0)
        if not is_right:
            allowed = "0 or more, below 1" if each.name == "dropout" else "above 0"
            raise UsageError(f"the setting 'search.{each.name}' must be lowest and highest, {allowed}; got {value!r}")


def _are_shares(values: Sequence[Any]) -> bool:
    return 1.0 in values and all(0 < value <= 1 for value in values) and are_distinct(values)


def task_title(task: str) -> str:
    """A task with its number; the user's own data by their name.

    >>> task_title("counting"), task_title("1"), task_title("own:Mundart")
    ('6 counting', '1 negation', 'Mundart')
    """
    if task.startswith(OWN_TASK):
        return task.removeprefix(OWN_TASK)
    found = find_task(task)
    return f"{found.number} {found.value}"


PAPER = Config(
    learners=("forest", *RECURRENT),
    model=("bert-base-uncased", "bert-base-multilingual-uncased", "bert-base-chinese"),
    data=replace(DATA, corpus="clcd"),
    search=Search(trials=10),
    experiments=Experiments(
        fractions=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
        overlap=True,
        controlled=("encoder",),
        nli=("snli:train", "glue/mnli:train", "dialognli:train"),
    ),
)
TINY = Config(
    tasks=("description",),
    learners=("forest", "gru"),
    seeds=(0, 1),
    sizes=CorpusSizes(train=100, validation=40, test=60),
    recipe=Recipes(recurrent=replace(RECURRENT_RECIPE, epochs=1.0, learning_rate=1e-3, evaluations=1)),
    search=Search(
        trials=2, hidden=(8, 16), dimension=(8, 16), n_layers=(1, 2), learning_rate=(1e-3, 1e-2), batch=(32, 32)
    ),
    experiments=Experiments(fractions=(0.5, 1.0), overlap=True, source="en", beside="clcd"),
)
