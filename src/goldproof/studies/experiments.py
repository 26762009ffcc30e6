"""Experiments: the parts of a study, by name and by their place in its paper; and which of them can be run here.

A study may show `experiments(config) -> tuple[StudyExperiment, ...]`: together they are its jobs. What one of them
needs and is not at hand (a language, a corpus, a model) is found when its jobs are made; it is then named, and the rest
can be run without it (`--skip-missing`). A study that shows none is one experiment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from goldproof.errors import DataError, MissingExtraError, ModelError, UsageError
from goldproof.extras import lacking, missing_error
from goldproof.jobs import Job
from goldproof.jobs.plan import make_plan

NOT_AT_HAND = (DataError, ModelError, UsageError, MissingExtraError)
"""What making the jobs of an experiment raises where something that it needs is not there."""


@dataclass(frozen=True, slots=True)
class StudyExperiment:
    """One experiment: its name, the tables and figures of the paper that it makes, its jobs, the settings without it.

    `jobs` are made when they are asked for. `without` gives the Config that leaves this experiment out and nothing
    else, or is an error where nothing would be left. `command` stands where another study runs it: that command.
    """

    name: str
    places: tuple[str, ...]
    jobs: Callable[[], Sequence[Job[Any]]] = tuple
    without: Callable[[], Any] | None = None
    command: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An experiment that cannot be run here, and why."""

    name: str
    places: tuple[str, ...]
    reason: str

    def __str__(self) -> str:
        """In one line.

        >>> str(LeftOut("Russian", ("Table 3", "Figure 8"), "there is no file"))
        'Russian (Table 3, Figure 8): there is no file'
        """
        where = f" ({', '.join(self.places)})" if self.places else ""
        return f"{self.name}{where}: {self.reason}"


@dataclass(frozen=True, slots=True)
class AtHand:
    """The Config of what can be run here, and the experiments that it leaves out."""

    config: Any
    left_out: tuple[LeftOut, ...]


def experiments_of(study: Any, config: Any) -> tuple[StudyExperiment, ...]:
    """The experiments of a study; all its jobs as one where it names none."""
    say = getattr(study, "experiments", None)
    if say is not None:
        return tuple(say(config))
    return (StudyExperiment("the study", (), lambda: study.jobs(config)),)


def find_at_hand(study: Any, config: Any, has: Callable[[str], bool] | None = None) -> AtHand:
    """What of a study can be run here; an error where nothing can.

    With `has`, which says whether the value of a key is stored, an experiment is also left out where what is absent
    needs an optional package that is not installed.
    """
    left_out: list[LeftOut] = []
    passed: set[str] = set()
    while (found := _first_absent(study, config, passed, has)) is not None:
        experiment, error = found
        left_out.append(LeftOut(experiment.name, experiment.places, str(error)))
        try:
            rest = experiment.without() if experiment.without is not None else None
        except UsageError:  # nothing would be left
            rest = None
        if rest is None:
            others = experiments_of(study, config) if experiment.without is None else ()
            raise _nothing_left(left_out, error, others) from None
        config = rest
    return AtHand(config, tuple(left_out))


def _nothing_left(left_out: Sequence[LeftOut], error: Exception, others: Sequence[StudyExperiment]) -> Exception:
    """The error where nothing of a study can be run: it names every experiment, unless one reason stands for all, and
    those of the others that have a command of their own.
    """
    commands = [str(LeftOut(each.name, each.places, each.command)) for each in others if each.command]
    names: dict[str, list[str]] = {}
    for each in left_out:
        names.setdefault(each.reason, []).append(each.name)
    if len(names) == 1 and not commands:
        return error
    said = "; ".join(f"{', '.join(those)}: {reason}" for reason, those in names.items())
    more = f". Experiments with a command of their own: {'; '.join(commands)}" if commands else ""
    return DataError(f"nothing of this study can be run here. Not at hand: {said}{more}")


def _first_absent(
    study: Any, config: Any, passed: set[str], has: Callable[[str], bool] | None
) -> tuple[StudyExperiment, Exception] | None:
    """The first experiment whose jobs cannot be made, with the error; those that can are put among the passed."""
    for experiment in experiments_of(study, config):
        if experiment.name in passed or experiment.command:
            continue
        try:
            jobs = experiment.jobs()
            absent = make_plan(jobs, has).absent if has is not None else ()
            if needs := lacking(need for job in absent for need in job.requires()):
                raise missing_error(needs)
        except NOT_AT_HAND as error:
            return experiment, error
        passed.add(experiment.name)
    return None


def not_at_hand(study: Any, config: Any, error: Exception) -> Exception:
    """The error to show for one that making a study's jobs raised: where the rest can run, it names all that is absent.

    The same error comes back where nothing could run, or where the study is of one piece.
    """
    if getattr(study, "experiments", None) is None:
        return error
    try:
        found = find_at_hand(study, config)
    except NOT_AT_HAND as nothing:
        return nothing
    if not found.left_out:
        return error
    n = len(found.left_out)
    named = "; ".join(map(str, found.left_out))
    what = "this experiment is" if n == 1 else f"{n} experiments are"
    return DataError(f"{what} not at hand: {named}. --skip-missing (in Python skip_missing=True) runs the rest")
