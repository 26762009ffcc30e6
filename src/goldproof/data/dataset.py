"""`Dataset`: a named Arrow table with one schema, and where it came from. It does not read published formats.

One row is one item. `tags` are strings `group:tag` (`logic:Negation`, `genre:fiction`): one flat list holds any number
of tag groups and of tags in each, survives Parquet, JSON and pandas unchanged, and needs no schema of its own.
A regression target stands in `score`; `label` is always a string, so that "1", 1 and 1.0 cannot be three classes. A
question has its passage as `pair` and the right `answers` with the character at which each begins; one that has none
has an empty list.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from goldproof.errors import DataError, UsageError
from goldproof.jobs.names import named

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("split", pa.string(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("pair", pa.string()),
        pa.field("label", pa.string()),
        pa.field("score", pa.float64()),
        pa.field("tokens", pa.list_(pa.string())),
        pa.field("token_labels", pa.list_(pa.string())),
        pa.field("language", pa.string(), nullable=False),
        pa.field("tags", pa.list_(pa.string()), nullable=False),
        pa.field("answers", pa.list_(pa.struct([("start", pa.int64()), ("text", pa.string())]))),
    ]
)
_LATER = ("answers",)  # columns that tables which were stored before do not have
UNKNOWN_LANGUAGE = "und"  # ISO 639 for "undetermined"
_METADATA_KEY = b"goldproof"


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """An answer to a question, and the character of the passage at which it begins."""

    start: int
    text: str


@named("data.SourceFile")
@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that was read: its base name and the SHA-256 of its bytes. Where it lay is not part of what it is."""

    name: str
    sha256: str


@named("data.Provenance")
@dataclass(frozen=True, slots=True)
class Provenance:
    """Where data came from."""

    corpus: str
    files: tuple[SourceFile, ...] = ()
    source: str | None = None
    revision: str | None = None
    licence: str | None = None
    citation: str | None = None

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Provenance:
        """The provenance that `dataclasses.asdict` turned into plain values."""
        files = tuple(SourceFile(**file) for file in value["files"])
        return cls(**{**value, "files": files})


@named("data.Dataset")
@dataclass(frozen=True, slots=True, repr=False)
class Dataset:
    """A name, a table of `SCHEMA` and its provenance; checked when it is made.

    >>> data = Dataset.from_rows("toy", [{"text": "A cat sat.", "label": "yes"}, {"text": "It slept.", "label": "no"}])
    >>> len(data), data.splits, data.labels
    (2, ('all',), ('no', 'yes'))
    >>> data.select(label="yes").texts
    ['A cat sat.']
    >>> data
    <Dataset 'toy': 2 rows; splits all; languages und; labels no, yes>
    """

    name: str
    table: pa.Table
    provenance: Provenance

    def __post_init__(self) -> None:
        if self.table.schema != SCHEMA:
            object.__setattr__(self, "table", conform(self.table, self.name))
        validate(self.table, self.name)

    def __repr__(self) -> str:
        """What a reader at a prompt wants to know; the table itself is `table`."""
        parts = {"splits": self.splits, "languages": self.languages, "labels": self.labels}
        said = [
            f"{name} {', '.join(map(str, values[:9]))}{' …' * (len(values) > 9)}"
            for name, values in parts.items()
            if values
        ]
        return f"<Dataset {self.name!r}: {'; '.join([f'{len(self):,} rows', *said])}>"

    @classmethod
    def from_rows(
        cls, name: str, rows: Iterable[Mapping[str, Any]], *, split: str = "all", language: str = UNKNOWN_LANGUAGE
    ) -> Dataset:
        """A dataset of plain mappings; absent ids are row numbers, `split` and `language` fill what rows leave out."""
        filled = [
            {"id": str(number), "split": split, "language": language, "tags": [], **row}
            for number, row in enumerate(rows)
        ]
        unknown = sorted({key for row in filled for key in row} - set(SCHEMA.names))
        if unknown:
            raise UsageError(f"a dataset has no column {unknown[0]!r}; its columns: {', '.join(SCHEMA.names)}")
        columns = {field.name: [row.get(field.name) for row in filled] for field in SCHEMA}
        try:
            arrays = [pa.array(columns[field.name], field.type) for field in SCHEMA]
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise DataError(f"the rows of {name!r} do not fit the columns of a dataset: {error}") from None
        return cls(name, pa.Table.from_arrays(arrays, schema=SCHEMA), Provenance(corpus=name))

    @classmethod
    def from_pandas(cls, name: str, frame: pd.DataFrame) -> Dataset:
        """A dataset of a pandas frame whose columns have the names of the schema; those left out are filled."""
        records = frame.astype(object).where(frame.notna(), None).to_dict("records")
        return cls.from_rows(name, [{str(key): _plain(key, item) for key, item in row.items()} for row in records])

    def to_pandas(self) -> pd.DataFrame:
        """The table as a pandas frame."""
        return self.table.to_pandas()

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for batch in self.table.to_batches(max_chunksize=4096):
            yield from batch.to_pylist()

    @property
    def texts(self) -> list[str]:
        """The texts in order."""
        return list(self.table.column("text").to_pylist())

    @property
    def pairs(self) -> list[str | None]:
        """The second texts in order."""
        return list(self.table.column("pair").to_pylist())

    @property
    def answers(self) -> list[tuple[AnswerSpan, ...]]:
        """The right answers to each question; none where it has none."""
        cells = self.table.column("answers").to_pylist()
        return [tuple(AnswerSpan(**answer) for answer in cell or ()) for cell in cells]

    @property
    def has_questions(self) -> bool:
        """Whether the rows are questions with the passages that answer them."""
        column = self.table.column("answers")
        return bool(len(column)) and column.null_count == 0

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits in order of appearance."""
        return tuple(pc.unique(self.table.column("split")).to_pylist())

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages in order of appearance."""
        return tuple(pc.unique(self.table.column("language")).to_pylist())

    @property
    def labels(self) -> tuple[str, ...]:
        """The distinct labels, sorted; for token tagging, the distinct labels of tokens."""
        column = self.table.column("label")
        if column.null_count == len(column):
            column = pc.list_flatten(self.table.column("token_labels"))
        return tuple(sorted(label for label in pc.unique(column).to_pylist() if label is not None))

    def select(self, **values: str) -> Dataset:
        """The rows whose columns equal the values: `select(split="test", language="de")`."""
        mask = np.ones(len(self), dtype=bool)
        for column, value in values.items():
            if column not in SCHEMA.names or not pa.types.is_string(SCHEMA.field(column).type):
                allowed = ", ".join(field.name for field in SCHEMA if pa.types.is_string(field.type))
                raise UsageError(f"select knows the columns {allowed}; got {column!r}")
            mask &= np.asarray(pc.fill_null(pc.equal(self.table.column(column), value), False))
        return replace(self, table=self.table.filter(pa.array(mask)))

    def take(self, rows: Sequence[int] | npt.NDArray[np.integer[Any]]) -> Dataset:
        """The rows at these positions, in this order."""
        return replace(self, table=self.table.take(pa.array(np.asarray(rows, dtype=np.int64))))

    def with_column(self, name: str, values: Sequence[Any]) -> Dataset:
        """The same rows with other values in one column.

        >>> Dataset.from_rows("toy", [{"text": "a"}, {"text": "b"}]).with_column("label", ["x", "y"]).labels
        ('x', 'y')
        """
        place, field = SCHEMA.get_field_index(name), SCHEMA.field(name)
        return replace(self, table=self.table.set_column(place, field, pa.array(values, field.type)))

    def tag_members(self, group: str, *, exact: bool = False) -> dict[str, npt.NDArray[np.bool_]]:
        """For each tag of a group, which rows have it; with `exact`, only rows that have no other tag of the group.

        >>> both, one = ["logic:Negation", "logic:Disjunction"], ["logic:Negation"]
        >>> data = Dataset.from_rows("toy", [{"text": "a", "tags": both}, {"text": "b", "tags": one}])
        >>> {tag: rows.tolist() for tag, rows in data.tag_members("logic").items()}
        {'Disjunction': [True, False], 'Negation': [True, True]}
        >>> {tag: rows.tolist() for tag, rows in data.tag_members("logic", exact=True).items()}
        {'Disjunction': [False, False], 'Negation': [False, True]}
        """
        prefix = f"{group}:"
        tags_of_rows = [
            [tag.removeprefix(prefix) for tag in tags if tag.startswith(prefix)]
            for tags in self.table.column("tags").to_pylist()
        ]
        members = {tag: np.zeros(len(self), dtype=bool) for tag in sorted({t for tags in tags_of_rows for t in tags})}
        for row, tags in enumerate(tags_of_rows):
            for tag in tags:
                members[tag][row] = not exact or len(tags) == 1
        return members

    def write_parquet(self, path: str | Path) -> None:
        """Write the table with name and provenance in its metadata; `read_dataset` brings it back."""
        header = json.dumps({"name": self.name, "provenance": asdict(self.provenance)}, ensure_ascii=False)
        pq.write_table(self.table.replace_schema_metadata({_METADATA_KEY: header.encode()}), path)


def read_dataset(path: str | Path) -> Dataset:
    """The dataset that `Dataset.write_parquet` wrote."""
    try:
        table = pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"not a readable Parquet file: {error}", path=path) from None
    metadata = table.schema.metadata or {}
    if _METADATA_KEY not in metadata:
        raise DataError("not written by Dataset.write_parquet; read it with goldproof.read", path=path)
    header = json.loads(metadata[_METADATA_KEY])
    table = table.replace_schema_metadata(None)
    return Dataset(header["name"], table, Provenance.from_json(header["provenance"]))


def concat(name: str, datasets: Sequence[Dataset]) -> Dataset:
    """The rows of several datasets in order; ids must stay unique within a language and split."""
    if not datasets:
        raise UsageError("concat needs at least one dataset")
    table = pa.concat_tables([data.table for data in datasets])
    files = tuple(dict.fromkeys(file for data in datasets for file in data.provenance.files))
    if len({replace(data.provenance, files=()) for data in datasets}) == 1:
        return Dataset(name, table, replace(datasets[0].provenance, files=files))
    return Dataset(name, table, Provenance(corpus=name, files=files))


def conform(table: pa.Table, name: str) -> pa.Table:
    """The table with the columns of the schema in its order, cast to its types."""
    for name in _LATER:
        if name not in table.column_names:
            table = table.append_column(name, pa.nulls(table.num_rows, SCHEMA.field(name).type))
    missing = [field.name for field in SCHEMA if field.name not in table.column_names]
    unknown = [column for column in table.column_names if column not in SCHEMA.names]
    if missing or unknown:
        got = ", ".join(table.column_names)
        raise DataError(f"the table of {name!r} needs the columns {', '.join(SCHEMA.names)}; got {got}")
    try:
        arrays = [table.column(field.name).cast(field.type) for field in SCHEMA]
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise DataError(f"the table of {name!r} does not fit the columns of a dataset: {error}") from None
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def validate(table: pa.Table, name: str) -> None:
    """Raise a `DataError` for a null where none may be, a score not finite, labels without tokens, an id twice."""
    for field in SCHEMA:
        column = table.column(field.name)
        if not field.nullable and column.null_count:
            row = _first(pc.is_null(column))
            raise DataError(f"{name}, row {row}: {field.name!r} is null, which only optional columns may be")
    scores = pc.fill_null(pc.is_finite(table.column("score")), True)
    if not pc.all(scores, min_count=0).as_py():
        row = _first(pc.invert(scores))
        raise DataError(
            f"{name}, row {row}: the score must be a finite number; got {table.column('score')[row].as_py()}"
        )
    _check_token_labels(table, name)
    repeated = find_repeated_id(table)
    if repeated is not None:
        language, split, identity = repeated
        raise DataError(f"{name}: the id {identity!r} occurs more than once in split {split!r}, language {language!r}")


def find_repeated_id(table: pa.Table) -> tuple[str, str, str] | None:
    """The first (language, split, id) that stands more than once, or None."""
    if len(pc.unique(table.column("id"))) == table.num_rows:
        return None
    keys = table.select(["language", "split", "id"])
    counts = keys.group_by(["language", "split", "id"], use_threads=False).aggregate([([], "count_all")])
    repeated = counts.filter(pc.greater(counts.column("count_all"), 1))
    if not repeated.num_rows:
        return None
    language, split, identity = (str(repeated.column(name)[0].as_py()) for name in ("language", "split", "id"))
    return language, split, identity


def count_labels(data: Dataset) -> Counter[str | None]:
    """How often each label stands in the data."""
    return Counter({row["values"]: row["counts"] for row in data.table.column("label").value_counts().to_pylist()})


def _check_token_labels(table: pa.Table, name: str) -> None:
    lengths = pc.list_value_length(table.column("tokens")), pc.list_value_length(table.column("token_labels"))
    differs = pc.fill_null(pc.not_equal(*lengths), False)
    if pc.any(differs, min_count=0).as_py():
        row = _first(differs)
        n_tokens, n_labels = (column[row].as_py() for column in lengths)
        raise DataError(f"{name}, row {row}: {n_tokens} tokens but {n_labels} token labels")


def _first(mask: pa.ChunkedArray) -> int:
    return int(np.flatnonzero(np.asarray(mask))[0])


def _plain(column: object, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return str(value) if column in ("id", "label") and value is not None else value
