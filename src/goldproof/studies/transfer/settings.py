"""The settings: corpus, languages, model, runs, checkpoints, and how to judge; and the two presets."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from goldproof.data.naming import SPLIT_WORDS
from goldproof.jobs.names import named
from goldproof.models.endpoint import Calls
from goldproof.studies.own import has_own, own_rules
from goldproof.studies.rules import are_distinct, check_settings
from goldproof.studies.shared import (
    WHEN,
    ColumnChoice,
    Data,
    Models,
    Prompts,
    call_rules,
    group_rules,
    is_limit,
    model_rules,
    prompt_rules,
    without,
)
from goldproof.studies.transfer.toy import GENERATED
from goldproof.training.recipe import Recipe

SIB200 = ("ar", "bg", "de", "el", "es", "fr", "hi", "it", "ja", "pt", "ru", "sv", "sw", "th", "tr", "ur", "vi", "zh")
DATA = Data(corpus="sib200", languages=SIB200)
RECIPE = Recipe(epochs=10.0, schedule="constant")


@named("transfer.Rows")
@dataclass(frozen=True)
class Rows:
    """Which rows: the split to train on, a share of it to hold out as development set, and the most to evaluate.

    `dev_share` is for corpora whose development set is their only labelled data: rows are held out of the training
    split in every language whose rows are translations of the source's. `most_evaluated` is null for all. `corpora` are
    the parts that come from another corpus than `data.corpus`, each as LANGUAGE=CORPUS or LANGUAGE/SPLIT=CORPUS; with
    CORPUS:SPLIT if that corpus has another name for the split.
    """

    train_split: str = "train"
    dev_share: float = 0.0
    most_evaluated: int | None = None
    corpora: tuple[str, ...] = ()


@named("transfer.Analysis")
@dataclass(frozen=True)
class Analysis:
    """How to judge.

    Pairs of checkpoints count if their test scores differ by `threshold`; a tie in dev counts as `ties`; pairs are
    within a run unless `across_runs`. A score may be off by `margin` through luck and still be claimed. `metric` is the
    task's own unless given (accuracy, mcc or macro_f1; for questions answer_f1 or exact_match).
    """

    metric: str = ""
    threshold: float = 0.005
    ties: float = 0.5
    across_runs: bool = False
    margin: float = 0.02


@named("transfer.Config")
@dataclass(frozen=True)
class Config:
    """Settings: corpus, languages, model, runs, and a checkpoint after every share of the steps or of the data.

    `model` is a folder or the name of a downloaded model, as [NAME=]FOLDER, or a list of these, which are judged in
    turn. `data.corpus` is a corpus of the catalog or a file; `data.languages` are the languages tested besides
    `source`. `data.train` and `data.test` are files of your own, with a column that gives the language of each row, or
    one file per language; their kind is then the `task` (`question`: a span of a passage answers it). A run ends after
    `patience` checkpoints without a better source dev score; null for never. With `average_weights` each run also keeps
    the mean of its checkpoints' weights, as one more model to choose. A language model is asked and not trained (see
    `prompts`): about texts in every language, with prompts in each of `prompts.languages`.
    """

    task: Literal["text", "pair", "tokens", "question"] = "text"
    source: str = "en"
    model: Models = "intfloat/multilingual-e5-small"
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
    every: float = 0.02
    of: Literal["steps", "data"] = "steps"
    average_weights: bool = False
    patience: int | None = None
    data: Data = field(default=DATA, metadata=without(own="train"))
    columns: ColumnChoice = field(default_factory=ColumnChoice)
    rows: Rows = field(default_factory=Rows)
    recipe: Recipe = field(default=RECIPE, metadata=without("task", "steps", *WHEN))
    analysis: Analysis = field(default_factory=Analysis)
    prompts: Prompts = field(default=Prompts(), metadata=without("language"))
    endpoint: Calls = field(default_factory=Calls)

    def __post_init__(self) -> None:
        """Refuse settings that make no sense."""
        check_settings(self, _rules(self))


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A part from another corpus: its language, its split (empty for all), the corpus, and what the split is there."""

    language: str
    split: str
    corpus: str
    called: str


def parse_elsewhere(text: str) -> Elsewhere | None:
    """LANGUAGE=CORPUS, LANGUAGE/SPLIT=CORPUS or LANGUAGE/SPLIT=CORPUS:SPLIT; None where it is none of them.

    >>> parse_elsewhere("en/train=glue/mnli:dev")
    Elsewhere(language='en', split='train', corpus='glue/mnli', called='validation')
    """
    part, equals, corpus = text.partition("=")
    language, slash, split = part.partition("/")
    split = SPLIT_WORDS.get(split, split)
    name, colon, called = corpus.partition(":")
    called = SPLIT_WORDS.get(called, called)
    is_whole = bool(equals and language and name) and split in (("train", "validation", "test") if slash else ("",))
    return Elsewhere(language, split, name, called) if is_whole and bool(called) == bool(colon) else None


def find_elsewhere(config: Config, language: str, split: str) -> tuple[str, str]:
    """The corpus that a part comes from, and what the split is called there; the setting that says most goes first."""
    found = [each for text in config.rows.corpora if (each := parse_elsewhere(text)) and each.language == language]
    for wanted in (split, ""):
        for each in found:
            if each.split == wanted:
                return each.corpus, each.called or split
    return config.data.corpus, split


def _rules(c: Config) -> list[tuple[str, bool, str]]:
    data, rows, analysis = c.data, c.rows, c.analysis
    return [
        *group_rules(c),
        *own_rules(c),
        *model_rules(c.model),
        *prompt_rules(c.prompts),
        *call_rules(c.endpoint, c.model, c.prompts),
        ("data.most_train", is_limit(data.most_train), "a whole number above 0, or null for all"),
        ("data.languages", bool(data.languages), "at least one language"),
        (
            "data.languages",
            has_own(c) or len({c.source, *data.languages}) == len(data.languages) + 1,
            "different languages, without the source",
        ),
        ("seeds", are_distinct(c.seeds) and bool(c.seeds), "at least one seed, none twice"),
        ("every", 0 < c.every <= 1 / 3, "a share above 0 and at most 1/3, so that there are at least 3 checkpoints"),
        ("task", c.task in ("text", "pair", "tokens", "question"), "text, pair, tokens or question"),
        ("of", c.of in ("steps", "data"), "steps or data"),
        ("rows.dev_share", 0 <= rows.dev_share < 1, "a share from 0 to below 1"),
        (
            "rows.corpora",
            all(parse_elsewhere(text) for text in rows.corpora),
            "parts as LANGUAGE=CORPUS, LANGUAGE/SPLIT=CORPUS or LANGUAGE/SPLIT=CORPUS:SPLIT, a split being train, "
            "validation or test",
        ),
        ("rows.corpora", not (rows.corpora and has_own(c)), "empty if the data are files of your own"),
        ("rows.most_evaluated", is_limit(rows.most_evaluated), "a whole number above 0, or null for all"),
        ("patience", is_limit(c.patience), "a number of checkpoints, or null for never"),
        ("analysis.margin", 0 < analysis.margin < 1, "a share above 0 and below 1"),
        ("analysis.ties", 0 <= analysis.ties <= 1, "from 0 to 1"),
        ("analysis.threshold", 0 <= analysis.threshold < 1, "from 0 to below 1"),
    ]


PAPER = Config(
    model="bert-base-multilingual-cased",
    of="data",
    patience=50,
    data=replace(DATA, corpus="mldoc", languages=("de", "es", "fr", "it", "ja", "ru", "zh")),
    recipe=replace(RECIPE, epochs=20.0, learning_rate=2e-6, max_length=256),
)
TINY = Config(
    source="xa",
    model="fake",
    seeds=(0, 1, 2, 3, 4),
    every=0.05,
    average_weights=True,
    data=Data(corpus=GENERATED, languages=("xb", "xc", "xd"), most_train=300),
    rows=Rows(most_evaluated=120),
    recipe=replace(RECIPE, epochs=4.0, batch=16, learning_rate=0.01),
)
