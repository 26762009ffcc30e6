"""Writing a corpus: a file for each split (JSON Lines, CSV, Parquet) and where it came from, the same bytes always."""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from goldproof.builders.logic.build import CorpusRecipe, LogicCorpus
from goldproof.builders.logic.grammar import FOLDER
from goldproof.builders.logic.pairs import Pair
from goldproof.data.dataset import Dataset, Provenance
from goldproof.errors import UsageError
from goldproof.version import __version__

FORMATS = ("jsonl", "csv", "parquet")


def to_dataset(corpus: LogicCorpus) -> Dataset:
    """The corpus as a dataset; task, template, relation and n are tags."""
    rows = [
        {
            "id": pair.id,
            "split": split,
            "text": pair.premise,
            "pair": pair.hypothesis,
            "label": pair.label,
            "language": Path(corpus.recipe.language).stem,
            "tags": [f"{key}:{getattr(pair, key)}" for key in ("task", "template", "relation", "n")],
        }
        for split, pairs in (("train", corpus.train), ("test", corpus.test))
        for pair in pairs
    ]
    data = Dataset.from_rows(f"logic-{corpus.recipe.task}", rows)
    return Dataset(
        data.name, data.table, Provenance(corpus="goldproof logic", source=json.dumps(asdict(corpus.recipe)))
    )


def write_corpus(corpus: LogicCorpus, folder: Path, form: str = "jsonl") -> list[Path]:
    """Write train, test and provenance.json into a folder, which is made; gives the paths."""
    if form not in FORMATS:
        raise UsageError(f"there is no format {form!r}; allowed: {', '.join(FORMATS)}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for split, pairs in (("train", corpus.train), ("test", corpus.test)):
            paths.append(folder / f"{split}.{form}")
            with paths[-1].open("wb") as file:
                file.writelines(_encoded(pairs, form))
        paths.append(folder / "provenance.json")
        paths[-1].write_text(dump_json(describe(corpus.recipe, paths[:-1])), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"the corpus cannot be written to {folder}: {error.strerror or error}") from None
    return paths


def encode_pairs(pairs: Sequence[Pair], form: str) -> bytes:
    """The pairs as the bytes of a file."""
    return b"".join(_encoded(pairs, form))


def _encoded(pairs: Sequence[Pair], form: str) -> Iterator[bytes]:
    """The bytes of a file, line by line where it has lines, so that a large corpus is not in memory twice."""
    names = [field.name for field in fields(Pair)]
    rows = ([getattr(pair, name) for name in names] for pair in pairs)
    if form == "jsonl":
        for row in rows:
            yield f"{json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False)}\n".encode()
    elif form == "csv":
        for row in itertools.chain([names], rows):
            text = io.StringIO(newline="")
            csv.writer(text, lineterminator="\n").writerow(row)
            yield text.getvalue().encode()
    else:
        columns = {name: [getattr(pair, name) for pair in pairs] for name in names}
        sink = pa.BufferOutputStream()
        pq.write_table(pa.table(columns), sink)
        yield bytes(sink.getvalue())


def describe(recipe: CorpusRecipe, paths: Sequence[Path]) -> dict[str, Any]:
    """Where a corpus came from: the recipe, the grammar's digest and the files' digests."""
    grammar = Path(recipe.language) if recipe.language.endswith(".toml") else FOLDER / f"{recipe.language}.toml"
    return {
        "corpus": "goldproof logic",
        "goldproof": __version__,
        "recipe": asdict(recipe),
        "grammar_sha256": hashlib.sha256(grammar.read_bytes()).hexdigest(),
        "files": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths},
    }


def dump_json(value: Any) -> str:
    """A value as JSON for people to read, the same every time."""
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
