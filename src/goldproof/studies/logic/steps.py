"""The data: a proved corpus, its splits, what experiments change in them, and certificates of leaks."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from goldproof.builders.logic.build import CorpusRecipe, build_corpus, grammar_preset
from goldproof.builders.logic.grammar import load_grammar
from goldproof.builders.logic.pairs import CONTRADICTION, LABELS
from goldproof.builders.logic.write import to_dataset
from goldproof.data.dataset import Dataset, concat
from goldproof.jobs import Job, step
from goldproof.jobs.names import named
from goldproof.measures.leaks import Certificate, certify, known_contradiction, pairs_of, recast, split_premises
from goldproof.measures.shallow import words
from goldproof.models.transformer import CUTTING, Transformer, split_pieces

MANY_NAMES, FEW_NAMES, LINKED = "clcd", "clcd-few", "closed2"


@named("logic.Source")
@dataclass(frozen=True, slots=True)
class LogicSource:
    """Which corpus: language, task, numbers of pairs, seed, preset, and whether test shares the names of training."""

    language: str
    task: str
    n_train: int
    n_validation: int
    n_test: int
    seed: int
    preset: str
    shared_names: bool


@named("logic.CorpusFigures")
@dataclass(frozen=True, slots=True)
class LogicCorpusFigures:
    """What Table 1 says of a corpus; lengths are characters of both texts."""

    vocabulary: int
    shared: int
    mean_length: float
    max_length: int


@named("logic.Pieces")
@dataclass(frozen=True, slots=True)
class Pieces:
    """How a tokenizer cuts words: mean pieces of a name and of another word, share of names left whole, a sample."""

    names: float
    others: float
    whole: float
    sample: str


@step(version=1, name="goldproof.logic.build")
def build(source: LogicSource) -> Dataset:
    """The corpus with the splits train, validation and test; validation has the names of training, never of test.

    Under the key of the preset `clcd` lie the few names that it had when this step was first run: `clcd-few` now.
    """
    return _build(replace(source, preset=FEW_NAMES if source.preset == MANY_NAMES else source.preset))


@step(version=2, name="goldproof.logic.build_many")
def build_many(source: LogicSource) -> Dataset:
    """The same of presets that changed since: `clcd`, with as many names as the published files, and `closed2`."""
    return _build(source)


def build_job(source: LogicSource) -> Job[Dataset]:
    """The job that builds a corpus; those of presets that did not change keep their keys."""
    if source.preset in (MANY_NAMES, LINKED):
        return build_many.job(source)
    return build.job(replace(source, preset=MANY_NAMES) if source.preset == FEW_NAMES else source)


def _build(source: LogicSource) -> Dataset:
    n_train = source.n_train + source.n_validation
    recipe = CorpusRecipe(source.language, source.task, n_train, source.n_test, source.seed, source.preset)
    data = to_dataset(build_corpus(replace(recipe, shared_names=source.shared_names)))
    train = data.select(split="train")
    kept = balanced_rows(train, source.n_train)
    rest = np.setdiff1d(np.arange(len(train)), kept)
    held = train.take(rest).with_column("split", ["validation"] * len(rest))
    return concat(data.name, [train.take(kept), held, data.select(split="test")])


@step(version=1, name="goldproof.logic.part")
def part(data: Dataset, split: str, fraction: float = 1.0, control: str = "", seed: int = 0) -> Dataset:
    """A split, or the first share of it, both labels equally often, as a control leaves it.

    noise: labels dealt at random; premise, hypothesis: the other text is taken away.
    """
    chosen = data.select(split=split)
    if fraction < 1:
        chosen = chosen.take(balanced_rows(chosen, max(2, 2 * round(len(chosen) * fraction / 2))))
    if control == "noise" and split != "test":
        labels = np.random.default_rng([seed, len(chosen)]).permutation(chosen.table.column("label").to_pylist())
        return chosen.with_column("label", [str(label) for label in labels])
    if control == "hypothesis":
        chosen = chosen.with_column("text", chosen.pairs)
    return chosen.with_column("pair", [None] * len(chosen)) if control in ("premise", "hypothesis") else chosen


@step(version=3, name="goldproof.logic.certificate")
def certificate(data: Dataset, language: str) -> Certificate:
    """What the shortcuts that are tried reach on a corpus whose test names are new."""
    train, test = (pairs_of(data.select(split=split)) for split in ("train", "test"))
    grammar = load_grammar(language)
    return certify(train, test, 0, (grammar.names("train"), grammar.names("test")))


@step(version=3, name="goldproof.logic.nli_certificate")
def nli_certificate(data: Dataset) -> Certificate:
    """The same for any NLI corpus, recast as balanced contradiction detection; 30 % of the premises are for testing."""
    rng = np.random.default_rng(0)
    labels = sorted({str(label) for label in data.table.column("label").to_pylist()})
    return certify(*split_premises(recast(pairs_of(data, known_contradiction(labels) or CONTRADICTION), rng), rng))


@step(version=2, name="goldproof.logic.figures")
def figures(data: Dataset) -> LogicCorpusFigures:
    """Vocabulary, words that train and test share, and lengths over train and test.

    A word is what stands between two spaces, with its comma, as the paper counts: so its 28 numbers come out of its
    files exactly.
    """
    found, lengths = [], []
    for split in ("train", "test"):
        chosen = data.select(split=split)
        texts = [f"{a} {b}" for a, b in zip(chosen.texts, chosen.pairs, strict=True)]
        found.append({word for text in texts for word in text.split(" ")})
        lengths += [len(text) for text in texts]
    return LogicCorpusFigures(len(found[0] | found[1]), len(found[0] & found[1]), float(np.mean(lengths)), max(lengths))


@step(version=2, name="goldproof.logic.pieces", requires=(CUTTING,))
def count_pieces(model: Transformer, corpora: list[Dataset], language: str, preset: str) -> Pieces:
    """Pieces for each name and each other word of the corpora, and the first test pair in pieces."""
    first = corpora[0].select(split="test").take([0])
    grammar = load_grammar(language, grammar_preset(preset))
    names = sorted(grammar.names("train") | grammar.names("test"))
    in_names = {part for name in names for part in words(name)}
    found = {word for data in corpora for text in (*data.texts, *data.pairs) for word in re.findall(r"\w+", text or "")}
    others = sorted(word for word in found if word.casefold() not in in_names)
    cut = split_pieces(model, [*names, *others, f"{first.texts[0]} || {first.pairs[0]}"])
    of_names, of_others = cut[: len(names)], cut[len(names) : -1]
    return Pieces(
        names=float(np.mean([len(each) for each in of_names])),
        others=float(np.mean([len(each) for each in of_others])),
        whole=float(np.mean([len(each) == 1 for each in of_names])),
        sample=" ".join(cut[-1]),
    )


def balanced_rows(data: Dataset, n: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The first n/2 rows of each label, in order."""
    labels = np.array(data.table.column("label").to_pylist())
    return np.sort(np.concatenate([np.flatnonzero(labels == label)[: n // 2] for label in LABELS]))
