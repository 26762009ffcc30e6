"""What every file format gives before its columns are given a meaning: batches of raw columns that know their lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from goldproof.errors import DataError


@dataclass(frozen=True, slots=True)
class RawBatch:
    """Some rows with the columns of the file, and the line (or, in a Parquet file, the row) on which row i stands.

    `rows` are their numbers in the batch that they were taken from, where some were left out.
    """

    columns: pa.RecordBatch
    first_row: int
    path: str | Path
    line_of: Callable[[int], int] | None = None
    rows: Sequence[int] | None = None

    def take(self, rows: Sequence[int]) -> RawBatch:
        """Some of the rows, which still know where they stand."""
        kept = [self.rows[row] for row in rows] if self.rows is not None else list(rows)
        return replace(self, columns=self.columns.take(pa.array(rows, pa.int64())), rows=kept)

    def error(self, row: int, message: str) -> DataError:
        """A `DataError` that names the file and the line of row `row` of this batch."""
        row = row if self.rows is None else self.rows[row]
        if self.line_of is None:
            return DataError(f"row {self.first_row + row}: {message}", path=self.path)
        return DataError(message, path=self.path, line=self.line_of(row))


def inner_names(file: RawFile) -> tuple[str, ...]:
    """The fields inside the columns of a file that has mappings in them, as they are named."""
    return tuple(getattr(file, "inner_names", ()))


class RawFile(Protocol):
    """A file with named columns that can be read batch by batch."""

    @property
    def column_names(self) -> tuple[str, ...]:
        """The columns found, in order."""
        ...

    def iter_batches(self, wanted: Sequence[str]) -> Iterator[RawBatch]:
        """Batches with the wanted columns only."""
        ...
