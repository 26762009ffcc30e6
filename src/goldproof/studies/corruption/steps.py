"""The data as jobs: training rows chosen, every text tagged once, every class removed from those taggings, and counts.

Tagging needs a tagger's packages; all that follows from it needs none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from goldproof.builders.corruption.removal import Corruption
from goldproof.builders.corruption.texts import ControlGap, CorruptionTally, control_gap, corrupt_dataset
from goldproof.builders.tagging import read_table, tag_to_table
from goldproof.builders.tagging.own_classes import tag_by_labels, tag_by_list
from goldproof.builders.tagging.registry import TaggerName
from goldproof.builders.tagging.tagged import Tagging, make_table
from goldproof.data.corpora.steps import check_digest
from goldproof.data.dataset import Dataset
from goldproof.data.formats.files import check_file, describe_file
from goldproof.draws import draw_bytes
from goldproof.errors import DataError
from goldproof.extras import Need
from goldproof.jobs import Job, location, step
from goldproof.jobs.names import named
from goldproof.jobs.plan import all_jobs
from goldproof.measures.cues import (
    NRC,
    Polarity,
    load_nrc,
    load_opinion_lexicon,
    load_ppdb,
    load_vader,
    paraphrase_cues,
    polarity_cues,
    read_paraphrases,
    read_polarity,
    word_list,
)
from goldproof.statistics.arrays import Array
from goldproof.studies.corruption import toy

SALT = "goldproof.corruption"
CUES = {"paraphrases": "mwa_ppdb", "opinion": "opinion_lexicon", "vader": "vader_lexicon"}
"""The lists of NLTK's data in which cues are looked up."""


@named("corruption.WordFile")
@dataclass(frozen=True, slots=True)
class WordFile:
    """A lexicon or a list of paraphrases of the user's own, identified by its SHA-256."""

    sha256: str
    path: str = location(default="")


def word_file(path: str) -> WordFile:
    """The file as a job takes it."""
    return WordFile(describe_file(check_file(path)).sha256, path)


def list_needs(name: str | WordFile) -> tuple[Need, ...]:
    """What a list of words needs to be read: the package with NRC's, NLTK's data, or nothing for a file."""
    if isinstance(name, WordFile) or name == "none":
        return ()
    return (NRC,) if name == "nrc" else (word_list(CUES[name]),)


@step(version=1, name="goldproof.corruption.sample")
def sample(data: Dataset, most: int) -> Dataset:
    """At most so many rows, drawn by their ids, in their order."""
    ids = data.table.column("id").to_pylist()
    if len(ids) <= most:
        return data
    drawn = sorted(
        range(len(ids)), key=lambda row: draw_bytes(SALT, ids[row], n_bytes=32, method="sha256", between=" ")
    )
    return data.take(np.sort(drawn[:most]))


def _tagger_needs(arguments: Mapping[str, Any]) -> tuple[Need, ...]:
    return TaggerName(arguments["tagger"], arguments["language"]).requires


def _cue_needs(arguments: Mapping[str, Any]) -> tuple[Need, ...]:
    """A list of words, unless the texts are generated, which have their own."""
    data = arguments["data"]
    behind = all_jobs([data]) if isinstance(data, Job) else ()
    made = any(job.step is toy.generate for job in behind)
    return () if made else list_needs(arguments.get("lexicon", "paraphrases"))


@step(version=1, name="goldproof.corruption.tag", requires=_tagger_needs)
def tag(data: Dataset, language: str, tagger: str) -> pa.Table:
    """The taggings of the distinct texts of a dataset."""
    texts = [text for text in [*data.texts, *data.pairs] if text is not None]
    return tag_to_table(texts, TaggerName(tagger, language))


@step(version=1, name="goldproof.corruption.tag_by_list")
def tag_listed(data: Dataset, words: dict[str, str]) -> pa.Table:
    """The taggings of the distinct texts by a list of words with their classes."""
    texts = list(dict.fromkeys(text for text in [*data.texts, *data.pairs] if text is not None))
    return make_table(texts, [tag_by_list(text, words) for text in texts])


@step(version=1, name="goldproof.corruption.tag_by_column")
def tag_labelled(data: Dataset) -> pa.Table:
    """The taggings of the distinct texts by the class that the data give to each word."""
    columns = (data.table.column(name).to_pylist() for name in ("id", "text", "tokens", "token_labels"))
    found: dict[str, Tagging] = {}
    for identity, text, tokens, labels in zip(*columns, strict=True):
        try:
            found.setdefault(text, tag_by_labels(text, tokens, labels or ()))
        except DataError as error:
            raise DataError(f"{data.name}, item {identity!r}: {error}") from None
    return make_table(list(found), list(found.values()))


@step(version=1, name="goldproof.corruption.corrupt")
def corrupt(data: Dataset, taggings: pa.Table, corruption: Corruption) -> Dataset:
    """The dataset after one corruption; labels and rows stay, also those whose text is emptied."""
    return corrupt_dataset(data, read_table(taggings), corruption)[0]


@step(version=1, name="goldproof.corruption.count")
def count(data: Dataset, taggings: pa.Table, corruptions: tuple[Corruption, ...]) -> list[CorruptionTally]:
    """What each corruption does to the texts: how many are changed or emptied, how many tokens go."""
    known = read_table(taggings)
    counted = [corrupt_dataset(data, known, corruption)[1] for corruption in corruptions]
    return [sum(tallies.values(), CorruptionTally()) for tallies in counted]


@step(version=1, name="goldproof.corruption.measure_control")
def measure_control(data: Dataset, taggings: pa.Table, controls: tuple[Corruption, ...]) -> list[ControlGap]:
    """How near each random control comes to its class in every text."""
    known = read_table(taggings)
    return [control_gap(data, known, control) for control in controls]


@step(version=1, name="goldproof.corruption.find_paraphrases", requires=_cue_needs)
def find_paraphrases(data: Dataset) -> Array:
    """Whether each pair of texts holds a lexical paraphrase."""
    return paraphrase_cues(data.texts, _second_texts(data), toy.PARAPHRASES if _is_generated(data) else load_ppdb())


@step(version=1, name="goldproof.corruption.find_own_paraphrases")
def find_own_paraphrases(data: Dataset, pairs: WordFile) -> Array:
    """The same by a list of the user's own."""
    check_digest(pairs.path, pairs.sha256)
    return paraphrase_cues(data.texts, _second_texts(data), read_paraphrases(pairs.path))


def _second_texts(data: Dataset) -> list[str]:
    pairs = [pair for pair in data.pairs if pair is not None]
    if len(pairs) != len(data):
        raise DataError(f"{data.name!r} has no pairs of texts in which to look for paraphrases")
    return pairs


@step(version=2, name="goldproof.corruption.find_polarity", requires=_cue_needs)
def find_polarity(data: Dataset, lexicon: str | WordFile) -> Array:
    """Whether each text holds a word of its gold polarity."""
    strange = sorted({str(label) for label in data.table.column("label").to_pylist()} - {"positive", "negative"})
    if strange:
        raise DataError(
            f"{data.name!r} has the label {strange[0]!r}; polar words are looked for in texts labelled positive or "
            "negative (setting why.polarity)"
        )
    return polarity_cues(data.texts, data.table.column("label").to_pylist(), load_lexicon(data, lexicon))


def load_lexicon(data: Dataset, lexicon: str | WordFile) -> Polarity:
    """The list of polar words of this name, or of a file; generated data has its own."""
    if _is_generated(data):
        return toy.POLARITY
    if isinstance(lexicon, WordFile):
        check_digest(lexicon.path, lexicon.sha256)
        return read_polarity(lexicon.path)
    return {"vader": load_vader, "nrc": load_nrc}.get(lexicon, load_opinion_lexicon)()


def _is_generated(data: Dataset) -> bool:
    return data.name in toy.TASKS
