"""Many texts and whole datasets after corruption, from one tagging of each text. Files are dealt with elsewhere."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from goldproof.builders.corruption.removal import Corruption, corrupt
from goldproof.builders.tagging.registry import TaggerName
from goldproof.builders.tagging.tagged import Tagging
from goldproof.data.dataset import Dataset
from goldproof.data.parallel import chunks, map_in_order
from goldproof.errors import UsageError
from goldproof.jobs.names import named

_CHUNK = 2000


@named("data.Tally")
@dataclass(frozen=True, slots=True)
class CorruptionTally:
    """What corruption did: texts seen, changed and emptied (no letter or digit left), tokens seen and touched."""

    n_texts: int = 0
    n_changed: int = 0
    n_emptied: int = 0
    n_tokens: int = 0
    n_touched: int = 0

    def __add__(self, other: CorruptionTally) -> CorruptionTally:
        """Both counts together."""
        return CorruptionTally(
            self.n_texts + other.n_texts,
            self.n_changed + other.n_changed,
            self.n_emptied + other.n_emptied,
            self.n_tokens + other.n_tokens,
            self.n_touched + other.n_touched,
        )


@dataclass(frozen=True, slots=True)
class CorruptedTexts:
    """Texts after one corruption, in order, with their count."""

    texts: list[str]
    tally: CorruptionTally


def corrupt_texts(
    texts: Iterable[str], corruptions: Sequence[Corruption], tagger: TaggerName, *, workers: int = 1
) -> list[CorruptedTexts]:
    """The texts after each of several corruptions; every text is tagged once for all of them.

    The preset `paper` needs the tagger `nltk-3.5`; taggings of any tagger do for the others.
    """
    check_tagger(tagger, corruptions)
    tagger.load()  # what is not installed is said here and now, not by a worker
    found = [CorruptedTexts([], CorruptionTally()) for _ in corruptions]
    chunk_function = functools.partial(corrupt_chunk, tagger, tuple(corruptions))
    for results in map_in_order(chunk_function, chunks(texts, _CHUNK), workers):
        for i, more in enumerate(results):
            found[i].texts.extend(more.texts)
            found[i] = CorruptedTexts(found[i].texts, found[i].tally + more.tally)
    return found


def corrupt_chunk(tagger: TaggerName, corruptions: Sequence[Corruption], texts: Sequence[str]) -> list[CorruptedTexts]:
    """The texts of one chunk after each corruption; a text that stands twice is tagged once."""
    distinct = list(dict.fromkeys(texts))
    taggings = dict(zip(distinct, tagger.load().tag(distinct), strict=True))
    return [apply_corruption(texts, taggings, corruption) for corruption in corruptions]


def apply_corruption(
    texts: Sequence[str],
    taggings: Mapping[str, Tagging],
    corruption: Corruption,
    identities: Sequence[str] | None = None,
) -> CorruptedTexts:
    """The texts after one corruption, from taggings that are there already."""
    results = []
    for i, text in enumerate(texts):
        results.append(corrupt(text, taggings[text], corruption, None if identities is None else identities[i]))
    tally = CorruptionTally(
        n_texts=len(results),
        n_changed=sum(result.text != text for result, text in zip(results, texts, strict=True)),
        n_emptied=sum(result.emptied for result in results),
        n_tokens=sum(result.n_tokens for result in results),
        n_touched=sum(result.n_touched for result in results),
    )
    return CorruptedTexts([result.text for result in results], tally)


def corrupt_dataset(
    dataset: Dataset, taggings: Mapping[str, Tagging], corruption: Corruption
) -> tuple[Dataset, dict[str, CorruptionTally]]:
    """The dataset with its texts (and pairs) corrupted, rows and labels as they were, and a count for each column."""
    tallies = {}
    for name in ("text", "pair"):
        texts = dataset.table.column(name).to_pylist()
        present = [text for text in texts if text is not None]
        if not present:
            continue
        done = apply_corruption(present, taggings, corruption)
        rest = iter(done.texts)
        dataset = dataset.with_column(name, [None if text is None else next(rest) for text in texts])
        tallies[name] = done.tally
    return dataset, tallies


def check_tagger(tagger: TaggerName, corruptions: Iterable[Corruption]) -> None:
    """Refuse a tagger whose tokens a preset cannot use."""
    for corruption in corruptions:
        if corruption.tagger not in (None, tagger.backend):
            raise UsageError(
                f"the preset {corruption.preset!r} needs the tagger {corruption.tagger!r} and English texts; "
                f"got the tagger {tagger.backend!r} for the language {tagger.language!r}"
            )
