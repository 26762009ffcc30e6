"""Tagging each distinct text once, in this process or in several, and as a job whose table a store keeps."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from goldproof.builders.tagging.registry import TaggerName, choose_tagger
from goldproof.builders.tagging.tagged import SCHEMA, Tagging, make_table, read_table
from goldproof.data.parallel import chunks, map_in_order
from goldproof.extras import Need
from goldproof.jobs import Resources, step

_CHUNK = 1000
_WORKERS = 2


def tag(
    texts: Iterable[str], language: str = "en", tagger: str | None = None, *, workers: int = 1
) -> dict[str, Tagging]:
    """The tagging of each distinct text."""
    return read_table(tag_to_table(texts, choose_tagger(language, tagger), workers=workers))


def tag_to_table(texts: Iterable[str], tagger: TaggerName, *, workers: int = 1) -> pa.Table:
    """The distinct texts in order of appearance with their taggings, as one table."""
    tagger.load()  # what is not installed is said here and now, not by a worker
    tables = map_in_order(functools.partial(_tag_chunk, tagger), chunks(dict.fromkeys(texts), _CHUNK), workers)
    return pa.concat_tables([SCHEMA.empty_table(), *tables])


def _needs(arguments: Mapping[str, Any]) -> tuple[Need, ...]:
    return choose_tagger(arguments["language"], arguments["tagger"]).requires


@step(version=1, name="goldproof.tag_texts", resources=Resources(cpus=_WORKERS), requires=_needs)
def tag_texts(
    texts: pa.Table | list[str],
    language: str = "en",
    tagger: str | None = None,
    columns: tuple[str, ...] = ("text", "pair"),
) -> pa.Table:
    """The taggings of the distinct texts in these columns of a table (or of a list), for all corruptions to share."""
    if isinstance(texts, pa.Table):
        present = [name for name in columns if name in texts.column_names]
        texts = [text for name in present for text in texts.column(name).to_pylist() if text is not None]
    workers = _WORKERS if len(texts) > 4 * _CHUNK else 1
    return tag_to_table(texts, choose_tagger(language, tagger), workers=workers)


def _tag_chunk(tagger: TaggerName, texts: Sequence[str]) -> pa.Table:
    return make_table(texts, tagger.load().tag(texts))
