"""The settings: tasks, languages, models, sizes, and which experiments to run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from goldproof.builders.logic.build import PRESETS, find_task
from goldproof.builders.logic.grammar import FOLDER
from goldproof.errors import UsageError
from goldproof.jobs.names import named
from goldproof.models.scratch import Scratch
from goldproof.studies.rules import are_distinct, check_settings
from goldproof.training.recipe import Precision

DEMO = Path(__file__).parent / "demo.toml"
RECURRENT = ("rnn", "gru", "lstm", "birnn", "bigru", "bilstm")
MODELS = ("forest", *RECURRENT, "small")
CONTROLS = ("noise", "premise", "hypothesis")
TASKS = ("negation", "coordination", "quantifiers", "description", "comparison", "counting", "mixed")


@named("logic.Corpus")
@dataclass(frozen=True)
class Corpus:
    """How many pairs, the seed of the draw, and the preset: closed (no leaks) or clcd (as published; en and pt)."""

    train: int = 10_000
    validation: int = 1_000
    test: int = 1_000
    seed: int = 0
    preset: str = "closed"


@named("logic.Training")
@dataclass(frozen=True)
class Training:
    """How to train one kind of model."""

    epochs: float
    batch: int
    learning_rate: float
    max_length: int = 256
    warmup: float = 0.0
    evaluations: int = 5
    precision: Precision = "float32"


@named("logic.Cells")
@dataclass(frozen=True)
class Cells:
    """What the recurrent networks are like; `vectors` is a file of word vectors (see `goldproof.models.Recurrent`)."""

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
    """Random search: so many trials for each task, language and model but forest and small; 0 for none.

    Each range is the paper's, lowest and highest. Rate and dropout of recurrent networks are [0, 1] there; here the
    rate is drawn on the logarithm, and both stay within what can be trained. The best trial on validation is used.
    """

    trials: int = 0
    seed: int = 0
    hidden: tuple[int, int] = (10, 500)
    dimension: tuple[int, int] = (10, 500)
    n_layers: tuple[int, int] = (1, 6)
    dropout: tuple[float, float] = (0.0, 0.9)
    rate: tuple[float, float] = (1e-4, 1.0)
    batch: tuple[int, int] = (32, 128)
    encoder_rate: tuple[float, float] = (2e-5, 5e-5)
    encoder_batch: tuple[int, int] = (16, 32)
    encoder_epochs: tuple[int, int] = (3, 4)


@named("logic.Experiments")
@dataclass(frozen=True)
class Experiments:
    """Which experiments.

    (i) `fractions` of the training data; (ii) `overlap`: test with the names of training; (iii) `source`: train on
    that language, test on all (`source_only`: train on no other), and `others`, further encoders beside `model`;
    (iv) `controls` (noise, premise, hypothesis) for the models in `controlled`; (v) `nli`: corpora of the catalog, as
    name or name:split, recast as balanced contradiction detection, found under `root`. `beside`: another preset, to
    train and test on as well. `certificates`: what rules without understanding reach on each corpus.
    """

    fractions: tuple[float, ...] = (1.0,)
    overlap: bool = False
    source: str = ""
    source_only: bool = False
    others: tuple[str, ...] = ()
    controls: tuple[str, ...] = CONTROLS
    controlled: tuple[str, ...] = ("forest", "encoder")
    nli: tuple[str, ...] = ()
    root: str = ""
    beside: str = ""
    certificates: bool = True


@named("logic.Config")
@dataclass(frozen=True)
class Config:
    """Settings; `model` is the folder of an encoder, empty for none."""

    tasks: tuple[str, ...] = TASKS
    languages: tuple[str, ...] = ("en", "pt")
    models: tuple[str, ...] = ("forest", "gru", "small")
    model: str = ""
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    corpus: Corpus = field(default_factory=Corpus)
    cells: Cells = field(default_factory=Cells)
    recurrent: Training = field(default_factory=lambda: Training(5, 32, 2e-3))
    small_network: Scratch = field(default_factory=Scratch)
    small: Training = field(default_factory=lambda: Training(10, 64, 1e-3, warmup=0.1))
    encoder: Training = field(default_factory=lambda: Training(3, 32, 3e-5, warmup=0.1))
    search: Search = field(default_factory=Search)
    experiments: Experiments = field(default_factory=Experiments)

    def __post_init__(self) -> None:
        """Refuse settings that make no sense."""
        for task in self.tasks:
            find_task(task)
        known = sorted(path.stem for path in FOLDER.glob("*.toml"))
        plans = self.experiments
        _check_names("languages", self.languages, known)
        _check_names("models", self.models, MODELS)
        _check_names("experiments.controls", plans.controls, CONTROLS)
        _check_names("experiments.controlled", plans.controlled, (*MODELS, "encoder"))
        check_settings(self, _rules(self))
        _check_titles(self)
        _check_ranges(self.search)
        for name in ("train", "validation", "test"):
            n = getattr(self.corpus, name)
            if n < 20 or n % 2:
                raise UsageError(f"the setting 'corpus.{name}' must be an even number of at least 20; got {n}")


def _rules(c: Config) -> Iterator[tuple[str, bool, str]]:
    plans = c.experiments
    yield "tasks", _are_distinct_tasks(c.tasks), "at least one task, none twice"
    yield "languages", bool(c.languages), "at least one language"
    yield "models", bool(c.models or c.model), "at least one model, or 'model' a folder"
    yield "seeds", are_distinct(c.seeds) and bool(c.seeds), "at least one seed, none twice"
    yield "corpus.preset", c.corpus.preset in PRESETS, " or ".join(PRESETS)
    yield "experiments.fractions", _are_shares(plans.fractions), "shares up to 1, 1 among them"
    yield "experiments.source", plans.source in ("", *c.languages), "empty or one of 'languages'"
    yield "experiments.beside", plans.beside in _others(c.corpus.preset), "empty or another preset"
    yield "search.trials", c.search.trials >= 0, "0 or more"
    without_source = bool(plans.source) or not plans.source_only
    yield "experiments.source_only", without_source, "false where 'experiments.source' is empty"
    yield "experiments.others", not plans.others or bool(c.model), "empty where 'model' is"


def _are_distinct_tasks(tasks: Sequence[str]) -> bool:
    """Whether there are tasks, each once, by name or number."""
    return len({find_task(task) for task in tasks}) == len(tasks) > 0


def _check_titles(c: Config) -> None:
    """Each model must be called differently in the report, where a folder goes by its last part."""
    encoders = tuple(filter(None, [c.model, *c.experiments.others]))
    if not are_distinct([Path(model).name for model in (*c.models, *encoders)]):
        raise UsageError(
            "the setting 'model' must be with 'experiments.others' folders of different names, none that of one of "
            f"'models'; got {encoders!r}"
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


PAPER = Config(
    models=("forest", "rnn", "gru", "lstm"),
    model="bert-base-uncased",
    corpus=Corpus(preset="clcd"),
    search=Search(trials=10),
    experiments=Experiments(
        fractions=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0), overlap=True, controlled=("encoder",)
    ),
)
TINY = Config(
    tasks=("description",),
    languages=("en", "pt"),
    models=("forest", "gru"),
    seeds=(0, 1),
    corpus=Corpus(train=100, validation=40, test=60),
    recurrent=Training(1, 32, 1e-3, evaluations=1),
    search=Search(trials=2, hidden=(8, 16), dimension=(8, 16), n_layers=(1, 2), rate=(1e-3, 1e-2), batch=(32, 32)),
    experiments=Experiments(fractions=(0.5, 1.0), overlap=True, source="en", beside="clcd"),
)
