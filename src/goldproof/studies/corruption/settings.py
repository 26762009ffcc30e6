"""The settings: tasks, word classes, which data are corrupted, seeds, controls, and how to train."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from goldproof.builders.corruption.removal import Corruption
from goldproof.builders.corruption.texts import check_tagger
from goldproof.builders.tagging import TaggerName, choose_tagger
from goldproof.builders.tagging.tagset import check_classes
from goldproof.data.corpora.catalog import find_corpus
from goldproof.errors import UsageError
from goldproof.jobs.names import named
from goldproof.models.endpoint import Calls
from goldproof.studies.corruption.published import CLASSES, SETTINGS
from goldproof.studies.corruption.toy import TASKS as GENERATED
from goldproof.studies.own import has_own, own_name, own_rules
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
from goldproof.training.recipe import Recipe

GLUE = ("glue/cola", "glue/mnli", "glue/mrpc", "glue/qnli", "glue/qqp", "glue/rte", "glue/sst2", "glue/stsb")
DATA = Data(languages=("en",))
RECIPE = Recipe()
LEXICONS = ("opinion", "vader", "nrc", "none")
SAME = "same"


@named("corruption.Removal")
@dataclass(frozen=True)
class Removal:
    """How words are removed: the tagger (that of the texts' language unless named) and the preset.

    `offsets` leaves the rest of the text as it was; `paper` joins tokens as the paper's tools did. `seed` is that of
    the control. For a language without a tagger, `words` is a file with a word, a tab and its class on each line, or
    `column` is the column of your own data with a class for each word, as a list or separated by spaces; `classes` are
    then those found there, unless named.
    """

    tagger: str = ""
    words: str = ""
    column: str = ""
    preset: str = "offsets"
    seed: int = 0


@named("corruption.Why")
@dataclass(frozen=True)
class Why:
    """Which reasons to look into.

    `paraphrases` and `polarity` name the tasks whose texts are searched for such cues. `lexicon` is the list of polar
    words: opinion, vader, nrc (the paper's) or a file; `ppdb` is a PPDB file, or one with two words per line, instead
    of the list in NLTK's data. `classes` are further classes without which cues are looked for, in test texts only.
    `masked_model` is the folder of a masked language model, `same` for the model itself, empty for none; it is asked
    for the first removed word of each text of the tasks in `cloze`, for the classes in `cloze_classes`.
    """

    paraphrases: tuple[str, ...] = ("glue/mrpc", "glue/qqp")
    polarity: tuple[str, ...] = ("glue/sst2",)
    lexicon: str = "opinion"
    ppdb: str = ""
    classes: tuple[str, ...] = ()
    masked_model: str = ""
    cloze: tuple[str, ...] = ("glue/mrpc",)
    cloze_classes: tuple[str, ...] = ("NOUN", "VERB")


@named("corruption.Config")
@dataclass(frozen=True)
class Config:
    """Settings of the corruption study.

    `tasks` are corpora of the catalog; `data.train` and `data.test` (or one file with a column `split`) are data of
    your own, used alone unless you name `tasks` too. `data.languages` is the one language of the texts. `classes` are
    removed one at a time; NOUN+ADJ removes two together. `settings` says which data are corrupted: train, test or both.
    The control `random` removes the same number of random words from each text. A score survives if its loss is shown
    to be smaller than `margin`. `model` is a folder or the name of a downloaded model, as [NAME=]FOLDER, or a list of
    these, judged in turn. `recipes` give single tasks their own settings, each as TASK KEY=VALUE ..., where a key is
    one of the recipe, or `seeds` for their number. A language model is asked about data of your own, of which only the
    test texts are corrupted; its runs are prompts, with the first of `prompts.draws`.
    """

    tasks: tuple[str, ...] = ("glue/cola", "glue/mrpc", "glue/rte", "glue/sst2", "glue/stsb")
    classes: tuple[str, ...] = CLASSES
    settings: tuple[str, ...] = SETTINGS
    control: Literal["random", "none"] = "random"
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6, 7)
    model: Models = "roberta-base"
    margin: float = 0.05
    level: float = 0.95
    data: Data = field(default=DATA, metadata=without("corpus", own="train"))
    columns: ColumnChoice = field(default_factory=ColumnChoice)
    removal: Removal = field(default_factory=Removal)
    recipe: Recipe = field(default=RECIPE, metadata=without("task", *WHEN))
    recipes: tuple[str, ...] = ()
    why: Why = field(default_factory=Why)
    prompts: Prompts = field(default=Prompts(), metadata=without("languages"))
    endpoint: Calls = field(default_factory=Calls)

    def __post_init__(self) -> None:
        """Refuse settings that make no sense."""
        for task in self.tasks:
            if task not in GENERATED:
                find_corpus(task)
        check_settings(self, [("data.languages", len(self.data.languages) == 1, "one language, that of the texts")])
        for name in (*(() if has_own_classes(self) else self.classes), *self.why.classes, *self.why.cloze_classes):
            check_classes(name.split("+"))
        check_settings(self, _rules(self))
        is_real = any(task not in GENERATED for task in (*self.tasks, *filter(None, [self.data.train])))
        if is_real and not has_own_classes(self):
            check_tagger(tagger_of(self), [Corruption(("NOUN",), preset=self.removal.preset)])


@dataclass(frozen=True, slots=True)
class OwnRecipe:
    """What a task has of its own: how many seeds, where that is said, and the parts of the recipe that differ."""

    task: str
    n_seeds: int | None
    parts: dict[str, Any]


def parse_own_recipe(text: str) -> OwnRecipe:
    """TASK KEY=VALUE ...

    >>> parse_own_recipe("glue/cola epochs=10 seeds=12")
    OwnRecipe(task='glue/cola', n_seeds=12, parts={'epochs': 10})
    """
    task, *pairs = text.split()
    parts: dict[str, Any] = {}
    taken = [each.name for each in fields(Recipe) if each.name not in ("task", *WHEN)]
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or key not in (*taken, "seeds"):
            raise UsageError(
                f"the setting 'recipes' takes TASK KEY=VALUE ..., a key being seeds, {', '.join(taken)}; got {text!r}"
            )
        parts[key] = _plain_value(value)
        if isinstance(parts[key], str) and key not in ("schedule", "precision"):
            raise UsageError(f"the setting 'recipes': {key} must be a number; got {text!r}")
    n_seeds = parts.pop("seeds", None)
    if n_seeds is not None and not (isinstance(n_seeds, int) and n_seeds >= 1):
        raise UsageError(f"the setting 'recipes': seeds must be a whole number of at least 1; got {text!r}")
    try:
        replace(RECIPE, **parts)
    except UsageError as error:
        raise UsageError(f"the setting 'recipes', {text!r}: {error}") from None
    return OwnRecipe(task, n_seeds, parts)


def _plain_value(text: str) -> Any:
    """A number, null, or a word."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return None if text == "null" else text


def own_recipe(config: Config, task: str) -> OwnRecipe:
    """What a task has of its own."""
    found = (own for text in config.recipes if (own := parse_own_recipe(text)).task == task)
    return next(found, OwnRecipe(task, None, {}))


def seeds_of(config: Config, task: str) -> tuple[int, ...]:
    """The seeds of a task: those of all tasks, or as many as it has of its own."""
    n = own_recipe(config, task).n_seeds
    return config.seeds if n is None else tuple(range(n))


def is_word_file(name: str) -> bool:
    """Whether a lexicon is a file and none of those that have a name."""
    return name not in LEXICONS


def has_own_classes(config: Config) -> bool:
    """Whether word classes are the user's own, out of a list of words or a column."""
    return bool(config.removal.words or config.removal.column)


def classes_of(name: str) -> tuple[str, ...]:
    """The word classes that a name stands for, sorted.

    >>> classes_of("NOUN+ADJ")
    ('ADJ', 'NOUN')
    """
    return tuple(sorted(set(name.split("+"))))


def tagger_of(config: Config) -> TaggerName:
    """The tagger of a configuration: the one named, else the preset's, else the language's own."""
    return _choose_tagger(config.removal, language_of(config))


def language_of(config: Config) -> str:
    """The language of the texts."""
    return config.data.languages[0]


@lru_cache(maxsize=16)
def _choose_tagger(removal: Removal, language: str) -> TaggerName:
    """Kept, since looking through the installed packages takes a while."""
    wanted = removal.tagger or Corruption(("NOUN",), preset=removal.preset).tagger
    try:
        return choose_tagger(language, wanted)
    except UsageError as error:
        raise UsageError(
            f"{error}. Without a tagger, give word classes of your own: a list of words (removal.words=FILE, each "
            "line a word, a tab and its class), or a column of your data with a class for each word "
            "(removal.column=NAME)"
        ) from None


def _rules(c: Config) -> Iterator[tuple[str, bool, str]]:
    removed = [classes_of(name) for name in c.classes]
    yield "tasks", are_distinct(c.tasks) and bool(c.tasks or c.data.train), "at least one task, none twice"
    yield "classes", are_distinct(removed) and bool(removed), "at least one word class, none twice"
    known = f"at least one of {', '.join(SETTINGS)}, none twice"
    yield "settings", are_distinct(c.settings) and {*c.settings} <= {*SETTINGS} and bool(c.settings), known
    yield "control", c.control in ("random", "none"), "random or none"
    yield "seeds", are_distinct(c.seeds) and bool(c.seeds), "at least one seed, none twice"
    yield "margin", 0 < c.margin < 1, "above 0 and below 1"
    yield "level", 0 < c.level < 1, "above 0 and below 1"
    name = own_name(c.data) if has_own(c) else ""
    yield "data.train", name not in c.tasks, "data whose name is not that of one of 'tasks'; name them in 'data.name'"
    yield "removal.words", not (c.removal.words and c.removal.column), "empty if 'removal.column' is given"
    yield "removal.tagger", not (has_own_classes(c) and c.removal.tagger), "empty if the classes are your own"
    yield "removal.column", has_own(c) or not c.removal.column, "empty without 'data.train'"
    yield from own_rules(c)
    yield "data.most_train", is_limit(c.data.most_train), "a whole number above 0, or null for all"
    yield from group_rules(c)
    yield from model_rules(c.model)
    yield from prompt_rules(c.prompts)
    yield from call_rules(c.endpoint, c.model, c.prompts)
    lexicon = c.why.lexicon
    known = f"one of {', '.join(LEXICONS)}, or an existing file"
    yield "why.lexicon", not is_word_file(lexicon) or Path(lexicon).is_file(), known
    yield "why.ppdb", not c.why.ppdb or Path(c.why.ppdb).is_file(), "an existing file, or empty for NLTK's list"
    named = [parse_own_recipe(text).task for text in c.recipes if text.split()]
    its = {*c.tasks, own_name(c.data) if has_own(c) else ""}
    yield "recipes", len(named) == len(c.recipes) and are_distinct(named), "one task per entry, none twice"
    yield "recipes", {*named} <= its, f"of tasks of the study ({', '.join(sorted(filter(None, its)))})"


DEFAULT = Config()
PAPER = Config(
    tasks=GLUE,
    control="none",
    seeds=(0,),
    data=replace(DATA, hub=True),
    removal=Removal(preset="paper"),
    why=Why(lexicon="nrc", classes=("NOUN+ADJ",), masked_model=SAME),
)
TINY = Config(
    tasks=GENERATED,
    classes=("ADJ", "NOUN", "ADJ+ADV"),
    seeds=(0, 1, 2),
    model="fake",
    recipe=replace(RECIPE, batch=16, learning_rate=0.15, max_length=32),
    why=Why(paraphrases=("generated/paraphrase",), polarity=("generated/sentiment",)),
)
