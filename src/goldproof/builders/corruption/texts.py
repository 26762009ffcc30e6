"""Many texts and whole datasets after corruption, from one tagging of each text. Files are dealt with elsewhere."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from goldproof.builders.corruption.pairs import TextPair, corrupt_pair
from goldproof.builders.corruption.removal import Corrupted, Corruption, corrupt
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
    return CorruptedTexts([result.text for result in results], _tally(texts, results))


def corrupt_dataset(
    dataset: Dataset, taggings: Mapping[str, Tagging], corruption: Corruption
) -> tuple[Dataset, dict[str, CorruptionTally]]:
    """The dataset with its texts (and pairs) corrupted, rows and labels as they were, and a count for each column."""
    if corruption.kind == "random-pairs" and any(pair is not None for pair in dataset.pairs):
        return _corrupt_pairs(dataset, taggings, corruption)
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


def _corrupt_pairs(
    dataset: Dataset, taggings: Mapping[str, Tagging], corruption: Corruption
) -> tuple[Dataset, dict[str, CorruptionTally]]:
    """Both texts of every pair at once; a row without a second text is corrupted by itself."""
    first: list[Corrupted] = []
    second: list[Corrupted | None] = []
    for text, pair in zip(dataset.texts, dataset.pairs, strict=True):
        both = _control_of([text] if pair is None else [text, pair], taggings, corruption)
        first.append(both[0])
        second.append(both[1] if len(both) > 1 else None)
    pairs = [(before, each) for before, each in zip(dataset.pairs, second, strict=True) if before is not None and each]
    tallies = {
        "text": _tally(dataset.texts, first),
        "pair": _tally([before for before, _ in pairs], [after for _, after in pairs]),
    }
    done = dataset.with_column("text", [each.text for each in first])
    return done.with_column("pair", [None if each is None else each.text for each in second]), tallies


def _tally(texts: Sequence[str], results: Sequence[Corrupted]) -> CorruptionTally:
    return CorruptionTally(
        n_texts=len(results),
        n_changed=sum(result.text != text for result, text in zip(results, texts, strict=True)),
        n_emptied=sum(result.emptied for result in results),
        n_tokens=sum(result.n_tokens for result in results),
        n_touched=sum(result.n_touched for result in results),
    )


@named("data.ControlGap")
@dataclass(frozen=True, slots=True)
class ControlGap:
    """How near a random control comes to its class: the words that the class took from all texts, the sum over texts of
    how many more or fewer the control took, and how many texts that concerns.
    """

    n_texts: int = 0
    n_class: int = 0
    n_apart: int = 0
    n_texts_apart: int = 0


def control_gap(data: Dataset, taggings: Mapping[str, Tagging], control: Corruption) -> ControlGap:
    """How near the control of a class, a random kind of corruption, comes to the class itself in every text."""
    wanted, taken = [], []
    for text, pair in zip(data.texts, data.pairs, strict=True):
        rows = [text] if pair is None else [text, pair]
        wanted += [sum(tag in control.classes for tag in taggings[each].tags) for each in rows]
        taken += [each.n_touched for each in _control_of(rows, taggings, control)]
    apart = [abs(a - b) for a, b in zip(wanted, taken, strict=True)]
    return ControlGap(len(wanted), sum(wanted), sum(apart), sum(map(bool, apart)))


def _control_of(rows: Sequence[str], taggings: Mapping[str, Tagging], control: Corruption) -> Sequence[Corrupted]:
    if len(rows) == 2 and control.kind == "random-pairs":
        return corrupt_pair(TextPair((rows[0], rows[1]), (taggings[rows[0]], taggings[rows[1]])), control)
    return [corrupt(text, taggings[text], control) for text in rows]


def check_tagger(tagger: TaggerName, corruptions: Iterable[Corruption]) -> None:
    """Refuse a tagger whose tokens a preset cannot use."""
    for corruption in corruptions:
        if corruption.tagger not in (None, tagger.backend):
            raise UsageError(
                f"the preset {corruption.preset!r} needs the tagger {corruption.tagger!r} and English texts; "
                f"got the tagger {tagger.backend!r} for the language {tagger.language!r}"
            )
