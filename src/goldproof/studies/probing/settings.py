"""The settings of the study and its two presets: which models, tasks and probes, and what is looked at beyond them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from goldproof.data.corpora.catalog import catalog
from goldproof.data.formats.files import looking
from goldproof.errors import UsageError
from goldproof.jobs.names import named
from goldproof.measures.neurons import GRID
from goldproof.measures.probes import L2
from goldproof.models.fake import Fake
from goldproof.models.named import find_added, find_transformer
from goldproof.models.readout import Readout
from goldproof.models.source import BIN
from goldproof.studies.own import has_own, own_rules
from goldproof.studies.probing.published import HUB_NAMES, SUITES, TOKENIZERS, paper_tasks
from goldproof.studies.rules import are_distinct, check_settings
from goldproof.studies.shared import (
    PAPER_RECIPE,
    ColumnChoice,
    Data,
    Models,
    each_model,
    group_rules,
    is_limit,
    parse_folder,
    without,
)
from goldproof.training.recipe import Recipe

KINDS = ("logistic", "mlp")
COARSE_RECIPE = replace(PAPER_RECIPE, evaluations=1)
DATA = Data(corpus="xprobe", languages=("ru", "en"))
READOUT = Readout()
MEASURES = ("debiased", "plain", "maxcorr", "procrustes")


@named("probing.Splits")
@dataclass(frozen=True)
class Splits:
    """How splits are made if the corpus has no usable ones, and how many validation and test items a task may have.

    `held_out` is the share of the training items used for validation if there is no validation split. If more than half
    of the test texts also occur in training, `leaks` says whether the texts are split again or refused.
    """

    most_validation: int | None = None
    most_test: int | None = None
    held_out: float = 0.1
    seed: int = 0
    leaks: Literal["split", "refuse"] = "split"


@named("probing.ProbeChoice")
@dataclass(frozen=True)
class ProbeChoice:
    """The probes: `logistic` and `mlp`; the L2 values to choose from; the seeds of the mlp."""

    kinds: tuple[str, ...] = ("logistic",)
    l2: tuple[float, ...] = L2
    seeds: tuple[int, ...] = (0,)


@named("probing.Baselines")
@dataclass(frozen=True)
class Baselines:
    """What is probed besides the models: length, TF-IDF of characters, of the pieces of `tokenizers` (tokenizer.json
    files or folders), and `vectors`, files of word vectors as LANGUAGE=FILE. The majority class is always shown.
    """

    length: bool = True
    characters: bool = True
    tokenizers: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()
    most_features: int = 150_000


@named("probing.NeuronChoice")
@dataclass(frozen=True)
class NeuronChoice:
    """The elastic-net grid, the share of top neurons, the number of random sets for the ablation, and the seeds of the
    samples of training items (`sample` items each) over which the overlap of top sets is measured.
    """

    run: bool = True
    l1: tuple[float, ...] = GRID
    l2: tuple[float, ...] = GRID
    share: float = 0.2
    by: Literal["count", "mass"] = "count"
    n_random: int = 20
    seeds: tuple[int, ...] = (0, 1)
    sample: float = 0.8


@named("probing.SimilarityChoice")
@dataclass(frozen=True)
class SimilarityChoice:
    """Which measures to use, on how many test sentences of each task that all languages share, and how many random
    pairings of sentences show what chance gives: `n_permutations` for debiased CKA, `n_costly` for maxcorr and
    Procrustes.
    """

    measures: tuple[str, ...] = ("debiased", "plain", "maxcorr")
    n: int = 1000
    n_permutations: int = 100
    n_costly: int = 20
    seed: int = 0


@named("probing.Coarse")
@dataclass(frozen=True)
class Coarse:
    """Coarse probing of one encoder before and after fine-tuning on entailment with each seed; without seeds it is left
    out.

    `model` is one of the study's models, as written in `model`, or "small" (a small transformer trained from scratch).
    The recipe and the corpora are those of the study `stability`.
    """

    model: str = ""
    languages: tuple[str, ...] = ("en",)
    seeds: tuple[int, ...] = ()
    most_train: int | None = None
    recipe: Recipe = field(default=COARSE_RECIPE, metadata=without("task"))


@named("probing.Config")
@dataclass(frozen=True)
class Config:
    """Settings of the probing study.

    `model` is one or a list of [NAME=]FOLDER[@LANGUAGE+…]: a folder, the name of a downloaded model or "fake"; the
    languages are those it is probed in, all unless given; "random:" before the folder draws every weight anew. With
    `twins`, every model is compared with its random twin. `data.corpus` is a suite of the catalog (xprobe, rusenteval,
    senteval), "paper" (RuSentEval for ru, SentEval for en), "generated", or a folder with a file or folder for each
    task; `tasks` are all of it unless given, each as TASK or TASK@LANGUAGE. `data.train` and `data.test` are files of
    your own with a text and a label in each row; `tasks` then names the columns of labels if there are several.
    `embeddings` says whether the embedding layer counts as layer 0. Tasks with more than `most_classes` classes are
    probed, and nothing more.
    """

    model: Models = ()
    twins: bool = True
    tasks: tuple[str, ...] = ()
    data: Data = field(default=DATA, metadata=without("hub", own="train"))
    columns: ColumnChoice = field(default_factory=ColumnChoice)
    splits: Splits = Splits()
    readout: Readout = READOUT
    embeddings: bool = True
    probe: ProbeChoice = ProbeChoice()
    baselines: Baselines = Baselines()
    selectivity: bool = True
    description_length: bool = True
    neurons: NeuronChoice = NeuronChoice()
    similarity: SimilarityChoice = SimilarityChoice()
    coarse: Coarse = Coarse()
    most_classes: int = 50
    level: float = 0.95

    def __post_init__(self) -> None:
        """Refuse settings that make no sense."""
        check_settings(self, _rules(self))


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model as the user named it."""

    title: str
    folder: str
    is_random: bool = False
    languages: tuple[str, ...] = ()


def parse_model(text: str) -> ModelName:
    """The parts of [NAME=][random:]FOLDER[@LANGUAGE+…].

    >>> parse_model("M-BERT=models/mbert@ru+en")
    ModelName(title='M-BERT', folder='models/mbert', is_random=False, languages=('ru', 'en'))
    >>> parse_model("random:models/mbert").title
    'mbert (random weights)'
    """
    given = parse_folder(text)
    folder, _, languages = given.folder.partition("@")
    is_random = folder.startswith("random:")
    folder = folder.removeprefix("random:")
    title = given.name or Path(folder.removeprefix(BIN)).name + (" (random weights)" if is_random else "")
    return ModelName(title, folder, is_random, tuple(filter(None, languages.split("+"))))


def _rules(c: Config) -> list[tuple[str, bool, str]]:
    named = [parse_model(text) for text in each_model(c.model)]
    vectors = [text.partition("=")[0] for text in c.baselines.vectors]
    shared = f"among the languages of the study ({', '.join(c.data.languages)})"
    tuned = parse_model(c.coarse.model).title in {model.title for model in named}
    return [
        ("model", all(model.folder for model in named), "folders, each as FOLDER or NAME=FOLDER"),
        ("model", are_distinct(tuple(model.title for model in named)), "models with different names; use NAME=FOLDER"),
        (
            "model",
            has_own(c) or all(set(model.languages) <= set(c.data.languages) for model in named),
            f"probed in languages {shared}",
        ),
        *group_rules(c),
        *own_rules(c),
        (
            "data.languages",
            bool(c.data.languages) and are_distinct(c.data.languages),
            "at least one language, none twice",
        ),
        ("tasks", are_distinct(c.tasks) and _are_known(c), f"different tasks out of {', '.join(_known_tasks(c))}"),
        ("data.corpus", _is_corpus(c.data.corpus), f"one of {', '.join(SUITES)}, paper, generated, or a folder"),
        ("data.most_train", is_limit(c.data.most_train, 20), "a whole number of at least 20, or null for all"),
        (
            "splits.most_validation",
            is_limit(c.splits.most_validation, 20),
            "a whole number of at least 20, or null for all",
        ),
        ("splits.most_test", is_limit(c.splits.most_test, 20), "a whole number of at least 20, or null for all"),
        ("splits.held_out", 0 < c.splits.held_out < 1, "above 0 and below 1"),
        ("probe.kinds", bool(c.probe.kinds) and set(c.probe.kinds) <= set(KINDS), f"out of {', '.join(KINDS)}"),
        ("probe.l2", bool(c.probe.l2) and min(c.probe.l2) > 0, "at least one number, all above 0"),
        ("probe.seeds", bool(c.probe.seeds) and are_distinct(c.probe.seeds), "at least one whole number, none twice"),
        (
            "baselines.vectors",
            has_own(c) or set(vectors) <= set(c.data.languages),
            f"LANGUAGE=FILE with a language {shared}",
        ),
        ("baselines.most_features", c.baselines.most_features >= 1, "at least 1"),
        ("neurons.share", 0 < c.neurons.share <= 1, "above 0 and at most 1"),
        ("neurons.sample", 0 < c.neurons.sample <= 1, "above 0 and at most 1"),
        ("neurons.n_random", c.neurons.n_random >= 1, "at least 1"),
        ("similarity.measures", set(c.similarity.measures) <= set(MEASURES), f"out of {', '.join(MEASURES)}"),
        ("similarity.n", c.similarity.n >= 10, "at least 10"),
        ("similarity.n_permutations", c.similarity.n_permutations >= 1, "at least 1"),
        ("similarity.n_costly", c.similarity.n_costly >= 1, "at least 1"),
        ("most_classes", c.most_classes >= 2, "at least 2"),
        ("level", 0 < c.level < 1, "above 0 and below 1"),
        ("coarse.model", not c.coarse.seeds or c.coarse.model == "small" or tuned, "'small' or one of 'model'"),
        ("coarse.model", not c.coarse.seeds or not _is_fake(c.coarse.model), "a model that keeps its weights"),
        (
            "coarse.languages",
            set(c.coarse.languages) <= {"en", "ru", "fr", "de"},
            "among en, ru, fr, de: only these can be annotated",
        ),
        ("coarse.seeds", are_distinct(c.coarse.seeds), "whole numbers, none twice"),
    ]


def _is_fake(model: str) -> bool:
    return parse_model(model).folder == "fake"


@looking()
def _is_corpus(corpus: str) -> bool:
    return corpus in (*SUITES, "paper", "generated") or Path(corpus).is_dir()


def _known_tasks(c: Config) -> tuple[str, ...]:
    if c.data.corpus == "paper":
        return tuple(dict.fromkeys(task for language in c.data.languages for task in paper_tasks(language)))
    return tuple(catalog()[c.data.corpus].parts) if c.data.corpus in SUITES else ()


def _are_known(c: Config) -> bool:
    known = () if has_own(c) else _known_tasks(c)
    return not known or {task.partition("@")[0] for task in c.tasks} <= set(known)


PAPER = Config(
    model=tuple(f"{name}={hub}" for name, hub in HUB_NAMES.items()),
    twins=False,
    data=replace(DATA, corpus="paper"),
    embeddings=False,
    probe=ProbeChoice(kinds=KINDS),
    baselines=Baselines(
        length=False,
        tokenizers=tuple(TOKENIZERS.values()),
        vectors=("en=cc.en.300.vec", "ru=ft_native_300_ru_wiki_lenta_nltk_wordpunct_tokenize.vec"),
    ),
    selectivity=False,
    description_length=False,
    neurons=NeuronChoice(n_random=1, seeds=()),
    similarity=SimilarityChoice(measures=("plain", "maxcorr")),
    coarse=Coarse(model="M-BERT=bert-base-multilingual-cased", languages=("en", "ru"), seeds=(0, 1, 2, 3, 4, 5)),
    most_classes=1000,
)
TINY = Config(
    model="fake",
    data=replace(DATA, corpus="generated", most_train=240),
    splits=Splits(most_test=200),
    probe=ProbeChoice(kinds=KINDS, l2=(1e-1, 1e-3)),
    baselines=Baselines(most_features=5000),
    neurons=NeuronChoice(l1=(1e-2, 1e-3), l2=(1e-2,), n_random=19),
    similarity=SimilarityChoice(n=100, n_permutations=20),
    coarse=Coarse(
        model="small",
        seeds=(0, 1),
        recipe=Recipe(task="pair", epochs=1, batch=16, learning_rate=1e-3, max_length=32, evaluations=1),
    ),
)


TWIN_BUCKETS = 8  # the fake model's twin confuses most words


def encoder_of(folder: str, is_random: bool = False) -> Any:
    """The model of a folder, or the same architecture with random weights."""
    if folder == "fake":
        return Fake(n_buckets=TWIN_BUCKETS) if is_random else Fake()
    added = find_added(folder, "encode")
    if added is None:
        return find_transformer(folder, random_weights=is_random)
    if is_random:
        raise UsageError(
            f"the model {folder!r} is a plugin's and cannot be given random weights; set twins=false, and name it "
            "without 'random:'"
        )
    return added
