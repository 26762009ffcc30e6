"""Several logs of one place: those that can be read, each with a note on those that cannot. It reads nothing itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from goldproof.data.logs.choosing import ANOTHER_TASK
from goldproof.data.logs.log import Log
from goldproof.errors import DataError, UsageError


def gather(readings: Iterable[Callable[[], list[Log]]]) -> list[Log]:
    """The logs of all readings; where none succeeds, the error of the first.

    A log of another task than the one that was asked for is passed over; that a log cannot be read, or has not the
    metric or filter that was asked for, is noted.
    """
    found: list[Log] = []
    refused: list[DataError | UsageError] = []
    for reading in readings:
        try:
            found += reading()
        except (DataError, UsageError) as error:
            refused.append(error)
    if not found and refused:
        raise _joined(refused)
    notes = tuple(f"Not read: {error}" for error in refused if ANOTHER_TASK not in str(error))
    return [replace(log, notes=(*log.notes, *notes)) for log in found]


def _joined(refused: list[DataError | UsageError]) -> DataError | UsageError:
    """The first error; where what was asked for is in none of several logs, that is said."""
    first, n_more = refused[0], len(refused) - 1
    if not n_more or any(isinstance(error, DataError) for error in refused):
        return first
    return UsageError(f"{first}; nor is it in {'another log' if n_more == 1 else f'{n_more} other logs'} there")
