"""The whole tree of exceptions that Goldproof raises on purpose.

    GoldproofError              anything a user can do something about; the command line prints it without a traceback
    ├── UsageError          a wrong argument, setting or key of a configuration file
    ├── DataError           a file that is not what it should be: names the file and, where there is one, the line
    ├── ModelError          weights or a tokenizer that cannot be found, read or trusted
    ├── TrainingError       a training that cannot go on (a loss that is not finite, one class only)
    ├── JobFailedError      a job of a study that failed: names it and its error
    ├── MissingExtraError   optional packages that are not installed: gives the exact install line
    ├── PluginError         an installed plugin that cannot be used: names its package and entry point
    └── StoreError          a store that cannot be read or written (no permission, disk full)
        ├── DamagedValueError   a stored value whose bytes are not those that were written
        └── AbsentValueError    a value that was asked for and has not been computed

`exit_code` is what the command line returns, one of `ExitCode`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from pathlib import Path

__all__ = [
    "AbsentValueError",
    "DamagedValueError",
    "DataError",
    "ExitCode",
    "GoldproofError",
    "JobFailedError",
    "MissingExtraError",
    "ModelError",
    "PluginError",
    "StoreError",
    "TrainingError",
    "UsageError",
]


class ExitCode(IntEnum):
    """What the command line returns; a gate reads 1 as "no", so nothing else may be 1."""

    DONE = 0
    NO = 1  # the answer is no: credibly worse, a problem found with --strict, a stored value that is damaged
    WRONG_USE = 2  # a command, setting or file that is not what it should be
    UNDECIDED = 3  # neither shown, where a proof was required
    WORK_FAILED = 4  # a job, a training or the store
    OUR_FAULT = 70  # a fault of Goldproof's own
    INTERRUPTED = 130
    TERMINATED = 143


class GoldproofError(Exception):
    """Anything that went wrong and that the user can do something about."""

    exit_code = ExitCode.WRONG_USE


class UsageError(GoldproofError):
    """A wrong argument, setting or key of a configuration file."""


class DataError(GoldproofError):
    """A file whose content is not what it should be.

    >>> str(DataError("the label 'yes' is not known; allowed: no, maybe", path="a.jsonl", line=3))
    "a.jsonl, line 3: the label 'yes' is not known; allowed: no, maybe"
    """

    def __init__(self, message: str, *, path: str | Path | None = None, line: int | None = None) -> None:
        where = "" if path is None else f"{path}: " if line is None else f"{path}, line {line}: "
        super().__init__(where + message)
        self.path = path
        self.line = line


class ModelError(GoldproofError):
    """Weights or a tokenizer that cannot be found, read or trusted."""


class TrainingError(GoldproofError):
    """A training that cannot go on."""

    exit_code = ExitCode.WORK_FAILED


class JobFailedError(GoldproofError):
    """A job of a study that failed, and so there is no report; `key` is the job's."""

    exit_code = ExitCode.WORK_FAILED

    def __init__(self, message: str, *, key: str = "") -> None:
        super().__init__(message)
        self.key = key


class MissingExtraError(GoldproofError):
    """Optional packages that are not installed: for each extra, what needs it.

    >>> str(MissingExtraError({"ray": "the ray runner"}))
    "the ray runner needs an optional package: pip install 'goldproof[ray]'"
    >>> str(MissingExtraError({"models": "training a model", "english": "the tagger 'nltk'"}))
    "training a model and the tagger 'nltk' need optional packages: pip install 'goldproof[english,models]'"
    """

    def __init__(self, needs: Mapping[str, str]) -> None:
        *others, last = dict.fromkeys(needs.values())
        subject = f"{', '.join(others)} and {last} need" if others else f"{last} needs"
        packages = "an optional package" if len(needs) == 1 else "optional packages"
        super().__init__(f"{subject} {packages}: pip install 'goldproof[{','.join(sorted(needs))}]'")
        self.needs = dict(needs)

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[dict[str, str]]]:
        return type(self), (self.needs,)


class PluginError(GoldproofError):
    """A plugin that is installed and cannot be used."""


class StoreError(GoldproofError):
    """A store that cannot be read or written; `full` where it has no room."""

    exit_code = ExitCode.WORK_FAILED

    def __init__(self, message: str, *, full: bool = False) -> None:
        super().__init__(message)
        self.full = full


class DamagedValueError(StoreError):
    """A stored value whose bytes are not those that were written."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(f"the stored value of job {key[:12]} is damaged: {reason}")
        self.key = key
        self.reason = reason

    def __reduce__(self) -> tuple[type[DamagedValueError], tuple[str, str]]:
        return type(self), (self.key, self.reason)


class AbsentValueError(StoreError):
    """A value that was asked for and has not been computed."""
