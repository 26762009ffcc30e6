"""Job: a step with its arguments, identified by a key. Making one runs nothing.

A step is a module-level function under `@step(version=1)`. Called as usual it just runs; `.job(...)` makes a Job, whose
arguments may be jobs themselves (also inside a list): the worker gets their values. Raise `version` when what the
function computes changes.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, ParamSpec, TypeVar, cast

from goldproof.errors import UsageError
from goldproof.extras import Need
from goldproof.jobs.key import NOT_IDENTITY, as_declared, canonical, digest

P = ParamSpec("P")
T = TypeVar("T")

Requires = tuple[Need, ...] | Callable[[Mapping[str, Any]], tuple[Need, ...]]
Size = Callable[[Mapping[str, Any]], float | None]

_registered: dict[str, Step[..., Any]] = {}


@dataclass(frozen=True, slots=True)
class Resources:
    """What one run of a step asks of a machine (GPUs where there are any); how it is met never enters a key."""

    cpus: float = 1
    gpus: float = 0
    memory_gb: float = 0


def location(**options: Any) -> Any:
    """A dataclass field that says where a thing lies: it travels with the job, but is no part of its key.

    >>> from dataclasses import dataclass
    >>> from goldproof.jobs.names import named
    >>> @named("docs.File")
    ... @dataclass(frozen=True)
    ... class File:
    ...     sha256: str
    ...     path: str = location(default="")
    >>> canonical(File("ab", "/here")) == canonical(File("ab", "/there"))
    True
    """
    return field(compare=False, metadata={NOT_IDENTITY: True}, **options)


class Step(Generic[P, T]):
    """A module-level function that jobs are made of, with its version and how it may be grouped."""

    def __init__(self, function: Callable[P, T], settings: StepSettings) -> None:
        if "<locals>" in function.__qualname__ or function.__name__ == "<lambda>":
            raise UsageError(
                f"{function.__qualname__} cannot be a step: a worker must be able to find it by name in its module"
            )
        functools.update_wrapper(self, function)
        self.function = function
        self.settings = settings
        self.name = settings.name or f"{function.__module__}.{function.__qualname__}"
        self.signature = inspect.signature(function)
        self._check_over()
        _registered[self.name] = self

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the function here and now, with no store."""
        return self.function(*args, **kwargs)

    def job(self, *args: Any, **kwargs: Any) -> Job[T]:
        """A Job of this step: arguments are bound to names and defaults filled in; any argument may be a Job."""
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise UsageError(f"step {self.name}: {error}; it takes {self.signature}") from None
        bound.apply_defaults()
        return Job(self, bound.arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        return _find_step, (self.function.__module__, self.function.__qualname__)

    def __repr__(self) -> str:
        return f"<step {self.name} version {self.settings.version}>"

    def _check_over(self) -> None:
        unknown = [name for name in self.settings.over if name not in self.signature.parameters]
        if unknown:
            raise UsageError(f"step {self.name}: over={unknown} names no argument; it takes {self.signature}")
        for parameter in self.signature.parameters.values():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise UsageError(f"step {self.name}: *{parameter.name} is not allowed; name every argument")


@dataclass(frozen=True, slots=True)
class StepSettings:
    """How a step was declared; see `step`."""

    version: int
    name: str | None = None
    together: Callable[[Sequence[Mapping[str, Any]]], Iterable[Any]] | None = None
    over: tuple[str, ...] = ()
    largest_group: int = 16
    resources: Resources = Resources()
    requires: Requires = ()
    size: Size | None = None
    samples: Callable[[Mapping[str, Any]], Sequence[Mapping[str, Any]]] | None = None
    paced_by: tuple[str, ...] = ("model",)


def step(version: int, **options: Any) -> Callable[[Callable[P, T]], Step[P, T]]:
    """Declare a module-level function as a step.

    `together` is a function that runs several jobs at once: it gets the arguments of each (a list of maps) and gives
    their values in the same order; an exception in place of a value fails that job alone. `over` names the arguments in
    which such jobs may differ, `largest_group` how many may run at once. `name` keeps the key when the function moves.
    `requires` are the extras that it needs, or a function that tells them from a job's arguments: no part of the key.
    Three more say what it costs (`jobs/pace.py`), no part of the key either: `size` is a function that says what its
    time grows with, from the arguments with the number of rows of each dataset in its place; `samples` gives the
    arguments of small jobs of the same kind and of different sizes, to be measured; `paced_by` names the arguments that
    set its pace.
    """
    settings = StepSettings(version=version, **options)
    if (settings.together is None) != (settings.over == ()):
        raise UsageError("a step has both together= and over=, or neither")

    def declare(function: Callable[P, T]) -> Step[P, T]:
        return Step(function, settings)

    return declare


class Job(Generic[T]):
    """A step with bound arguments; equal to another job when their keys are."""

    __slots__ = ("arguments", "form", "key", "needs", "step")

    def __init__(self, step: Step[..., T], arguments: Mapping[str, Any]) -> None:
        self.step = step
        self.arguments = arguments
        declared = step.signature.parameters
        self.form: dict[str, Any] = {
            name: canonical(as_declared(value, declared[name].annotation), f"step {step.name}: argument {name!r}")
            for name, value in arguments.items()
        }
        self.needs: tuple[Job[Any], ...] = tuple(dict.fromkeys(_jobs_in(arguments)))
        self.key = digest({"step": step.name, "version": step.settings.version, "arguments": self.form})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Job) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"<job {self.key[:12]} {self.describe()}>"

    def describe(self) -> str:
        """Step and plain arguments on one line, for people."""
        name = self.step.name.rpartition(".")[2]
        shown = []
        for argument, value in self.arguments.items():
            if isinstance(value, str | int | float) and value != "":
                shown.append(f"{argument}={value}")
            elif "__str__" in vars(type(value)):  # a value that says of itself what it is
                shown.append(str(value))
        return f"{name}({', '.join(shown)})"

    def requires(self) -> tuple[Need, ...]:
        """The extras that running it needs, apart from those of the jobs that it needs."""
        said = self.step.settings.requires
        return said(self.arguments) if callable(said) else said

    def group(self) -> str:
        """What jobs that may run together have in common; the job's own key where it runs alone."""
        settings = self.step.settings
        if not settings.over:
            return self.key
        rest = {name: form for name, form in self.form.items() if name not in settings.over}
        return digest({"step": self.step.name, "version": settings.version, "arguments": rest})


def registered_steps() -> dict[str, Step[..., Any]]:
    """Every step declared so far, by name, sorted."""
    return dict(sorted(_registered.items()))


def substitute(value: Any, values: Mapping[str, Any]) -> Any:
    """The argument with each job in it replaced by its value."""
    if isinstance(value, Job):
        return values[value.key]
    if isinstance(value, list | tuple):
        return type(value)(substitute(item, values) for item in value)
    if isinstance(value, dict):
        return {name: substitute(item, values) for name, item in value.items()}
    return value


def _jobs_in(value: Any) -> Iterator[Job[Any]]:
    if isinstance(value, Job):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _jobs_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _jobs_in(item)


def _find_step(module: str, qualname: str) -> Step[..., Any]:
    return cast("Step[..., Any]", functools.reduce(getattr, qualname.split("."), importlib.import_module(module)))
