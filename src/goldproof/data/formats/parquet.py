"""Parquet files as raw batches, of bounded size whatever the file unpacks to.

A few kilobytes of Parquet may stand for gigabytes: a dictionary holds a long text once and says that each row has it.
So what a row group would unpack to is looked up before it is read, and what was read is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from goldproof.data.formats import limits
from goldproof.data.formats.raw import RawBatch
from goldproof.data.nested import array_at, column_of, structs_inside
from goldproof.errors import DataError

_ROWS = 1 << 16
_BATCH_BYTES = 64 << 20  # of a column in a batch, where a dictionary holds long texts
_DAMAGED = (pa.ArrowException, OSError, MemoryError, OverflowError)  # what Arrow raises on bytes that are no Parquet


@dataclass(frozen=True, slots=True)
class ParquetRows:
    """The rows of a Parquet file."""

    path: Path
    column_names: tuple[str, ...]
    inner_names: tuple[str, ...] = ()

    @classmethod
    def open(cls, path: Path) -> ParquetRows:
        """Read the names of the columns from the footer."""
        try:
            schema = pq.read_schema(path)
            names = tuple(schema.names)
        except (*_DAMAGED, UnicodeDecodeError):
            raise DataError("not a complete Parquet file: its footer cannot be read", path=path) from None
        repeated = next((name for name in names if names.count(name) > 1), None)
        if repeated is not None:
            raise DataError(f"two columns are named {repeated!r}; rename one of them", path=path)
        return cls(path, names, structs_inside(schema))

    def iter_batches(self, wanted: Sequence[str]) -> Iterator[RawBatch]:
        """Batches with the wanted columns only, with large and dictionary types made plain."""
        first_row = 0
        starts = {name: column_of(name, self.column_names) or name for name in wanted}
        for batch in iter_record_batches(self.path, list(dict.fromkeys(starts.values()))):
            arrays = []
            for name, start in starts.items():
                try:
                    arrays.append(plain_column(array_at(batch.column(start), name, start, self.path)))
                except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
                    raise DataError(f"{name!r} cannot be read: {str(error).splitlines()[0]}", path=self.path) from None
            yield RawBatch(pa.RecordBatch.from_arrays(arrays, names=list(wanted)), first_row, self.path)
            first_row += batch.num_rows


def iter_record_batches(path: Path, columns: Sequence[str], most_rows: int = _ROWS) -> Iterator[pa.RecordBatch]:
    """The rows of some columns as they are stored, checked, in batches of bounded memory."""
    first_row, n_bytes = 0, 0
    try:
        with pq.ParquetFile(path) as file:
            _check_size(file.metadata, columns, path)
            for group in range(file.num_row_groups):
                n_rows = min(most_rows, _rows_at_once(file, path, group, columns))
                for batch in file.iter_batches(batch_size=n_rows, row_groups=[group], columns=list(columns)):
                    n_bytes += sum(_unpacked_bytes(column) for column in batch.columns)
                    limits.check_unpacked(n_bytes, path)
                    _check_batch(batch, first_row, path)
                    yield batch
                    first_row += batch.num_rows
    except _DAMAGED as error:
        reason = str(error).splitlines()[0] if str(error) else "it needs more memory than there is"
        raise DataError(f"not a complete Parquet file: {reason} (after row {first_row})", path=path) from None


def _check_size(metadata: pq.FileMetaData, columns: Sequence[str], path: Path) -> None:
    """Refuse a file whose footer says that it unpacks to too much; a value that is stored as none takes a byte."""
    found = [chunk for group in range(metadata.num_row_groups) for chunk in _chunks(metadata, group, columns)]
    limits.check_unpacked(sum(max(chunk.total_uncompressed_size, chunk.num_values) for chunk in found), path)


def _chunks(metadata: pq.FileMetaData, group: int, columns: Sequence[str]) -> list[pq.ColumnChunkMetaData]:
    """What the footer says of the columns in a row group; a column of lists has a chunk for what is within."""
    row_group = metadata.row_group(group)
    found = (row_group.column(number) for number in range(row_group.num_columns))
    starts = tuple(f"{name}." for name in columns)
    return [chunk for chunk in found if chunk.path_in_schema in columns or chunk.path_in_schema.startswith(starts)]


def _rows_at_once(file: pq.ParquetFile, path: Path, group: int, columns: Sequence[str]) -> int:
    """How many rows fit into a batch if each had the longest text of the row group's dictionary."""
    n_group = file.metadata.row_group(group).num_rows
    fewest: int = max(n_group, 1)
    for chunk in _chunks(file.metadata, group, columns):
        n_stored = chunk.total_uncompressed_size
        if not chunk.has_dictionary_page or chunk.physical_type != "BYTE_ARRAY":
            continue
        if n_stored * chunk.num_values <= _BATCH_BYTES:  # not even if all that is stored were one text
            continue
        per_row = max(1, chunk.num_values // max(n_group, 1))
        longest = _longest(path, group, chunk.path_in_schema)
        fewest = min(fewest, _BATCH_BYTES // max(1, longest * per_row))
    return max(1, fewest)


def _longest(path: Path, group: int, column: str) -> int:
    """The bytes of the longest text in a dictionary, which Arrow gives whole with the first row."""
    with pq.ParquetFile(path, read_dictionary=[column]) as file:
        batch = next(file.iter_batches(batch_size=1, row_groups=[group], columns=[column]), None)
    values = None if batch is None else batch.column(0)
    while values is not None and pa.types.is_nested(values.type):
        values = values.field(0) if pa.types.is_struct(values.type) else values.values
    if values is None or not pa.types.is_dictionary(values.type):
        return 0
    return int(pc.max(pc.binary_length(values.dictionary)).as_py() or 0)


def _unpacked_bytes(column: pa.Array) -> int:
    """The bytes of a column, with each text written out where it is stored as a number of a dictionary."""
    kind = column.type
    if not pa.types.is_dictionary(kind) or pa.types.is_primitive(kind.value_type):
        return int(column.nbytes)
    if not (pa.types.is_string(kind.value_type) or pa.types.is_large_string(kind.value_type)):
        return int(column.nbytes)
    return int(pc.sum(pc.take(pc.binary_length(column.dictionary), column.indices)).as_py() or 0)


def _check_batch(batch: pa.RecordBatch, first_row: int, path: Path) -> None:
    """Refuse texts that are not UTF-8 or too long: Arrow lets both through."""
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            column.validate(full=True)
        except pa.ArrowInvalid as error:
            said = str(error).splitlines()[0]
            reason = "a text that is not UTF-8; save it as UTF-8" if "UTF8" in said else said
            message = f"the column {name!r} holds {reason}"
            raise DataError(f"{message} (in rows {first_row} to {first_row + len(column) - 1})", path=path) from None
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            lengths = pc.utf8_length(column) if column.nbytes > limits.MOST_CELL else None
            if lengths is not None and (pc.max(lengths).as_py() or 0) > limits.MOST_CELL:
                row = first_row + int(pc.index(pc.greater(lengths, limits.MOST_CELL), True).as_py())
                raise DataError(f"row {row}: {name!r}: {limits.long_cell()}", path=path)


def plain_column(column: pa.Array) -> pa.Array:
    """The column with large, dictionary and small numeric types made plain, as the other formats give them."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_large_string(column.type) or pa.types.is_string_view(column.type):
        return column.cast(pa.string())
    if pa.types.is_integer(column.type):
        return column.cast(pa.int64())
    if pa.types.is_floating(column.type):
        return column.cast(pa.float64())
    if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        return _plain_list(column)
    return column


def _plain_list(column: pa.Array) -> pa.Array:
    value_type = column.type.value_type
    if pa.types.is_floating(value_type) or pa.types.is_integer(value_type):
        return column.cast(pa.list_(pa.float64()))
    if pa.types.is_string(value_type) or pa.types.is_large_string(value_type):
        return column.cast(pa.list_(pa.string()))
    return column
