"""The settings of the study and its two presets: what is trained, on what, with which seeds, and what is looked at."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from goldproof.builders.annotation.features import FEATURES
from goldproof.builders.annotation.features import LANGUAGES as ANNOTATED
from goldproof.builders.entailment.categories import Membership
from goldproof.jobs.names import named
from goldproof.models.endpoint import Calls
from goldproof.studies.own import has_own, own_rules
from goldproof.studies.rules import are_distinct, check_settings
from goldproof.studies.shared import (
    PAPER_RECIPE,
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

LANGUAGES = ("en", "ru", "fr", "de", "sv")
DATA = Data(corpus="published", languages=("en", "fr", "de", "sv"))


@named("stability.Extra")
@dataclass(frozen=True)
class Extra:
    """Extra training data: a corpus of the catalog, or a file of your own; how many rows of it, for which languages.

    `amounts` are added to the training data of `languages`, `amounts_everywhere` to that of every language. Larger
    amounts include the smaller ones; `seed` says which rows come first. `language` is that of the extra data.
    """

    corpus: str = "glue/mnli"
    split: str = "train"
    language: str = "en"
    amounts: tuple[int, ...] = ()
    languages: tuple[str, ...] = ("en",)
    amounts_everywhere: tuple[int, ...] = ()
    seed: int = 0

    def amounts_for(self, language: str) -> tuple[int, ...]:
        """The amounts that are added to the training data of a language, in rising order."""
        mine = self.amounts if language in self.languages else ()
        return tuple(sorted({*mine, *self.amounts_everywhere}))


@named("stability.Presence")
@dataclass(frozen=True)
class Presence:
    """Controlled subsets: `amount` extra rows, of which the given percentages contain the feature, for each feature.

    `amount` is null for the largest that the available extra rows allow for all shares of all features. `annotated` are
    the corpora in which the rules count every feature: the training data of languages, and `extra`.
    """

    features: tuple[str, ...] = ()
    percent: tuple[int, ...] = (25, 50, 75)
    amount: int | None = None
    languages: tuple[str, ...] = ("en",)
    annotated: tuple[str, ...] = ()


@named("stability.Attribution")
@dataclass(frozen=True)
class AttributionRuns:
    """Runs that vary the seeds of initialisation, data order and dropout separately, so that variance can be
    attributed.

    With k levels, "latin" makes k² runs (a Latin square) and "factorial" k³; 0 levels make none.
    """

    levels: int = 3
    design: Literal["latin", "factorial"] = "latin"
    languages: tuple[str, ...] = ("en",)


@named("stability.Thresholds")
@dataclass(frozen=True)
class Thresholds:
    """The size from which a change counts: a higher MCC, a smaller deviation, and a higher MCC in every language."""

    higher: float = 0.1
    steadier: float = 0.05
    everywhere: float = 0.2


@named("stability.Toy")
@dataclass(frozen=True)
class Toy:
    """Sizes of the generated data: training and validation pairs, pairs of each category, rows of extra data."""

    n_train: int = 200
    n_validation: int = 60
    n_pairs: int = 12
    n_extra: int = 400


@named("stability.Config")
@dataclass(frozen=True)
class Config:
    """Settings of the stability study.

    `model` is a folder, the name of a downloaded model, or "fake" (trained at 1,000 times the learning rate), as
    [NAME=]FOLDER, or a list of these, which are judged in turn. A language model is asked and not trained: see
    `prompts`. `data.corpus` is "published" (the catalog's corpora) or "generated"; `data.train` and `data.test` are
    files of your own, whose `tags` are the categories and whose score is `metric` (by default accuracy, of words span
    F1, of numbers Pearson's correlation). `data.most_train` takes that many first rows, or, from your own files, that
    many drawn by their texts. `select` says which evaluation point counts: the one with the best validation accuracy,
    or the last. `membership` says which rows belong to a category: with "split" all that have the tag, with "exact"
    those that have no other tag of the same group. `smallest` is the smallest number of rows for a category to be
    tested against chance.
    """

    model: Models = "bert-base-multilingual-cased"
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    data: Data = field(default=DATA, metadata=without("hub", own="train"))
    columns: ColumnChoice = field(default_factory=ColumnChoice)
    metric: str = ""
    recipe: Recipe = field(default=PAPER_RECIPE, metadata=without("task"))
    select: Literal["best", "last"] = "best"
    membership: Membership = "split"
    level: float = 0.95
    smallest: int = 10
    extra: Extra = Extra()
    presence: Presence = Presence()
    attribution: AttributionRuns = AttributionRuns()
    thresholds: Thresholds = Thresholds()
    toy: Toy = Toy()
    prompts: Prompts = field(default=Prompts(), metadata=without("languages"))
    endpoint: Calls = field(default_factory=Calls)

    def __post_init__(self) -> None:
        """Refuse settings that make no sense."""
        check_settings(self, _rules(self))


def _rules(c: Config) -> list[tuple[str, bool, str]]:
    languages = c.data.languages
    is_own = has_own(c)
    known = "at least one, none twice" if is_own else f"at least one of {', '.join(LANGUAGES)}, none twice"
    among = f"among the languages of the study ({', '.join(languages)})"
    return [
        *group_rules(c),
        *model_rules(c.model),
        *prompt_rules(c.prompts),
        *call_rules(c.endpoint, c.model, c.prompts),
        ("data.corpus", c.data.corpus in ("published", "generated"), "published or generated"),
        (
            "data.languages",
            are_distinct(languages) and (is_own or set(languages) <= set(LANGUAGES)) and bool(languages),
            known,
        ),
        ("seeds", bool(c.seeds) and are_distinct(c.seeds), "at least one whole number, none twice"),
        ("level", 0 < c.level < 1, "above 0 and below 1"),
        ("smallest", c.smallest >= 1, "a whole number of at least 1"),
        ("data.most_train", is_limit(c.data.most_train, 2), "a whole number of at least 2, or null for all"),
        *(
            (f"extra.{name}", are_distinct(values) and all(n >= 1 for n in values), "whole numbers above 0, none twice")
            for name in ("amounts", "amounts_everywhere")
            for values in [getattr(c.extra, name)]
        ),
        *own_rules(c),
        ("metric", is_own or not c.metric, "empty if 'data.train' is empty: the published corpora are scored by MCC"),
        ("extra.amounts", not is_own or not c.extra.amounts, "left out with data of your own"),
        ("extra.amounts_everywhere", not is_own or not c.extra.amounts_everywhere, "left out with data of your own"),
        ("presence.features", not is_own or not c.presence.features, "left out with data of your own"),
        ("extra.languages", is_own or not c.extra.amounts or set(c.extra.languages) <= set(languages), among),
        (
            "presence.percent",
            are_distinct(c.presence.percent) and all(0 <= p <= 100 for p in c.presence.percent),
            "whole numbers from 0 to 100, none twice",
        ),
        ("presence.features", set(c.presence.features) <= set(FEATURES), f"among {', '.join(FEATURES)}"),
        ("presence.amount", is_limit(c.presence.amount), "a whole number of at least 1, or null for the most there is"),
        (
            "presence.annotated",
            set(c.presence.annotated) <= {*ANNOTATED, "extra"} and are_distinct(c.presence.annotated),
            f"among {', '.join(ANNOTATED)} and extra, none twice",
        ),
        ("presence.annotated", not is_own or not c.presence.annotated, "left out with data of your own"),
        ("presence.languages", not c.presence.features or set(c.presence.languages) <= set(languages), among),
        (
            "attribution.levels",
            c.attribution.levels == 0 or c.attribution.levels >= 3,
            "0 (none) or at least 3; with fewer there is nothing to compare with",
        ),
        (
            "attribution.languages",
            is_own or not c.attribution.levels or set(c.attribution.languages) <= set(languages),
            among,
        ),
    ]


PAPER = Config(
    data=replace(DATA, languages=LANGUAGES),
    membership="exact",
    attribution=AttributionRuns(levels=0),
    extra=Extra(
        amounts=(1_000, 5_000, 10_000, 50_000, 100_000, 200_000, 250_000, 374_000),
        languages=("en", "ru"),
        amounts_everywhere=(374_000,),
    ),
    presence=Presence(
        features=("Conjunction", "Negation", "Anaphora/Coreference", "Disjunction"),
        amount=10_000,
        languages=("en", "ru"),
        annotated=("en", "ru", "extra"),
    ),
)
TINY = Config(
    model="fake",
    seeds=(0, 1, 2),
    data=Data(corpus="generated", languages=("en", "fr")),
    recipe=Recipe(
        task="pair", epochs=3, batch=8, learning_rate=1e-4, clip=1.0, dropout=0.1, max_length=64, evaluations=2
    ),
    extra=Extra(amounts=(64,)),
    attribution=AttributionRuns(levels=0),
    toy=Toy(n_train=96, n_validation=32, n_pairs=4, n_extra=100),
)
