"""Several logs of one place: those that can be read, each with a note on those that cannot. It reads nothing itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from goldproof.data.logs.log import Log
from goldproof.errors import DataError, UsageError


def gather(readings: Iterable[Callable[[], list[Log]]]) -> list[Log]:
    """The logs of all readings; where none succeeds, the error of the first.

    A task, metric or filter that was asked for need not be in each log; that a log itself cannot be read is noted.
    """
    found: list[Log] = []
    refused: list[DataError | UsageError] = []
    for reading in readings:
        try:
            found += reading()
        except (DataError, UsageError) as error:
            refused.append(error)
    if not found and refused:
        raise refused[0]
    notes = tuple(f"Not read: {error}" for error in refused if isinstance(error, DataError))
    return [replace(log, notes=(*log.notes, *notes)) for log in found]
