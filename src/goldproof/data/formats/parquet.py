"""Parquet files as raw batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from goldproof.data.formats.raw import RawBatch
from goldproof.data.nested import array_at, column_of
from goldproof.errors import DataError

_ROWS = 1 << 16


@dataclass(frozen=True, slots=True)
class ParquetRows:
    """The rows of a Parquet file."""

    path: Path
    column_names: tuple[str, ...]

    @classmethod
    def open(cls, path: Path) -> ParquetRows:
        """Read the names of the columns from the footer."""
        try:
            return cls(path, tuple(pq.read_schema(path).names))
        except (pa.ArrowInvalid, OSError):
            raise DataError("not a whole Parquet file: its footer cannot be read", path=path) from None

    def iter_batches(self, wanted: Sequence[str]) -> Iterator[RawBatch]:
        """Batches with the wanted columns only, with large and dictionary types made plain."""
        first_row = 0
        starts = {name: column_of(name, self.column_names) or name for name in wanted}
        read = list(dict.fromkeys(starts.values()))
        try:
            for batch in pq.ParquetFile(self.path).iter_batches(batch_size=_ROWS, columns=read):
                arrays = [
                    plain_column(array_at(batch.column(start), name, start, self.path))
                    for name, start in starts.items()
                ]
                yield RawBatch(pa.RecordBatch.from_arrays(arrays, names=list(wanted)), first_row, self.path)
                first_row += batch.num_rows
        except (pa.ArrowInvalid, OSError) as error:
            message = f"not a whole Parquet file: {str(error).splitlines()[0]} (after row {first_row})"
            raise DataError(message, path=self.path) from None


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
