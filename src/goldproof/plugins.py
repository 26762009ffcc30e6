"""Plugins: what installed packages add to Goldproof by entry points, found and loaded only when they are asked for.

The groups are `goldproof.studies`, `goldproof.readers`, `goldproof.models`, `goldproof.taggers` and
`goldproof.metrics`. This module finds plugins, loads them and says what is wrong with one; what a plugin of a group
must be is said by the `Group` of those who use it. A plugin that cannot be used never stands in the way of another.
"""

from __future__ import annotations

import functools
import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import Distribution, EntryPoint, distributions
from typing import Any

from goldproof.errors import PluginError

GROUPS = ("studies", "readers", "models", "taggers", "metrics")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry point of an installed package: group, name, what it points to, and the package's name and version.

    >>> Plugin("studies", "mine", "my_package.study", "my-package", "0.1").origin
    'my-package 0.1'
    """

    group: str
    name: str
    value: str
    distribution: str
    version: str

    @property
    def origin(self) -> str:
        """The package that it came with, and its version."""
        return f"{self.distribution} {self.version}"

    def error(self, reason: str) -> PluginError:
        """The error that says why this plugin cannot be used."""
        return PluginError(
            f"the plugin {self.name!r} of {self.origin} (entry point {self.value!r} of goldproof.{self.group}) cannot "
            f"be used: {reason}"
        )


@dataclass(frozen=True, slots=True)
class Tried:
    """A plugin after loading: what it gave, and the problem with it, empty where it can be used.

    Both are there only where a plugin is sound and another claims the same.
    """

    plugin: Plugin
    thing: Any
    problem: str


def strays() -> list[Tried]:
    """Entry points of groups that Goldproof does not have, whose authors must have meant another."""
    found = [plugin for plugin in _scan(tuple(sys.path)) if plugin.group not in GROUPS]
    known = ", ".join(f"goldproof.{group}" for group in GROUPS)
    return [Tried(plugin, None, f"there is no group goldproof.{plugin.group}; groups: {known}") for plugin in found]


def _claims_nothing(thing: Any) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Group:
    """The plugins of one group: which names are taken, and what is wrong with a thing that a plugin gave.

    `check` gives the problem in words, or nothing. `claims` gives what no two plugins may both have beside their
    name, as the suffixes of a reader.
    """

    name: str
    taken: tuple[str, ...]
    check: Callable[[Any], str]
    claims: Callable[[Any], tuple[str, ...]] = _claims_nothing

    def plugins(self) -> list[Plugin]:
        """All plugins of the group by name, usable or not; nothing is loaded."""
        return [plugin for plugin in _scan(tuple(sys.path)) if plugin.group == self.name]

    def names(self) -> list[str]:
        """The names under which one plugin can be asked for; nothing is loaded."""
        return [plugin.name for plugin in self.plugins() if not self._wrong_name(plugin)]

    def load(self, name: str) -> Tried | None:
        """The plugin of a name, loaded and found in order; None where there is none, an error where it is broken."""
        found = [plugin for plugin in self.plugins() if plugin.name == name and name not in self.taken]
        if not found:
            return None
        tried = self._try(found[0])
        if tried.problem:
            raise tried.plugin.error(tried.problem)
        return tried

    def survey(self) -> list[Tried]:
        """Every plugin of the group, loaded; none of them raises."""
        found = [self._try(plugin) for plugin in self.plugins()]
        claimed = Counter(claim for each in found if not each.problem for claim in self.claims(each.thing))
        return [self._without_rival(each, found) if claimed.total() > len(claimed) else each for each in found]

    def _try(self, plugin: Plugin) -> Tried:
        wrong = self._wrong_name(plugin)
        return Tried(plugin, None, wrong) if wrong else _tried(plugin, self.check)

    def _wrong_name(self, plugin: Plugin) -> str:
        if plugin.name in self.taken:
            return (
                f"{plugin.name!r} is the name of one of Goldproof's own {self.name}; give the entry point another name"
            )
        if not _NAME.fullmatch(plugin.name):
            return "a name has only letters, digits, '.', '_' and '-', and starts with a letter or digit"
        rivals = [other.origin for other in self.plugins() if other.name == plugin.name and other != plugin]
        return f"{rivals[0]} has a plugin of the same name; uninstall one of the two" if rivals else ""

    def _without_rival(self, tried: Tried, others: list[Tried]) -> Tried:
        for other in others:
            if tried.problem or other.problem or other is tried:
                continue
            for claim in self.claims(tried.thing):
                if claim in self.claims(other.thing):
                    rival = f"{other.plugin.name!r} of {other.plugin.origin}"
                    return Tried(tried.plugin, tried.thing, f"{rival} takes {claim} too; uninstall one of the two")
        return tried


@functools.cache
def _tried(plugin: Plugin, check: Callable[[Any], str]) -> Tried:
    """Load a plugin once in a process."""
    try:
        thing = EntryPoint(plugin.name, plugin.value, f"goldproof.{plugin.group}").load()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever its code does, others must go on
        return Tried(plugin, None, f"its import failed ({describe(error)})")
    problem = check(thing)
    return Tried(plugin, None if problem else thing, problem)


@functools.cache
def _scan(path: tuple[str, ...]) -> tuple[Plugin, ...]:
    """The plugins of the packages on this search path; of a package that is there twice, the first, as for imports."""
    found: dict[str, list[Plugin]] = {}
    for distribution in distributions(path=list(path)):
        points = _points(distribution)
        if points:
            name, version = str(distribution.metadata["Name"]), str(distribution.metadata["Version"])
            mine = [Plugin(p.group.removeprefix("goldproof."), p.name, p.value, name, version) for p in points]
            found.setdefault(re.sub(r"[-_.]+", "-", name).lower(), mine)
    everything = [plugin for plugins in found.values() for plugin in plugins]
    return tuple(sorted(everything, key=lambda plugin: (plugin.name, plugin.distribution)))


def _points(distribution: Distribution) -> list[EntryPoint]:
    """The entry points of a package in our groups; the files of packages that do not speak of us are not parsed."""
    if "goldproof." not in (distribution.read_text("entry_points.txt") or ""):
        return []
    try:
        return [point for point in distribution.entry_points if point.group.startswith("goldproof.")]
    except (TypeError, ValueError):  # no build tool writes such a file, and Python itself cannot read it
        return []


def describe(error: BaseException) -> str:
    """An exception in one line: its kind and the first line of what it says."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
