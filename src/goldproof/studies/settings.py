"""Settings: a study's Config from a preset, a TOML file, `key=value` pairs and values, checked here at the border.

Later ones win: preset, then file, then pairs, then values. Every error names the key, what is allowed and what was got.
"""

from __future__ import annotations

import copy
import dataclasses
import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from goldproof.data.formats import limits
from goldproof.data.formats.files import shortened
from goldproof.data.formats.strict_json import MANY_DIGITS
from goldproof.data.formats.strict_toml import load_toml
from goldproof.errors import UsageError
from goldproof.studies import Study
from goldproof.studies.shared import Models, refused
from goldproof.studies.spellings import check_spelling

MOST_SHOWN = 200  # characters of a value that an error shows
PRESETS = ("default", "paper", "tiny")
OF_THE_CORPUS = (
    "data.languages",
    "source",
    "experiments.source",
    "experiments.nli",
    "baselines.vectors",
    "extra",
    "presence",
    "coarse",
)
"""Settings of a preset, and groups of them, that fit its corpus and not the user's own data."""


@dataclasses.dataclass(frozen=True, slots=True)
class Choice:
    """What the user asked for: a preset, a file, and single settings as text or as values by (dotted) key."""

    preset: str = "default"
    file: Path | None = None
    pairs: Sequence[str] = ()
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def make_config(study: Study, choice: Choice) -> Any:
    """The study's Config for this choice."""
    preset = _plain(_preset(study, choice.preset))
    form = _changed(preset, choice, study)
    if choice.preset != "default" and _names_own(form):
        _leave_corpus(preset, _plain(study.Config()))
        form = _changed(preset, choice, study)
    return _validated(form, study)


def _changed(preset: Mapping[str, Any], choice: Choice, study: Study) -> dict[str, Any]:
    """The form of a preset with the changes of a choice."""
    form = copy.deepcopy(dict(preset))
    if choice.file is not None:
        _change(form, _read_toml(choice.file), study, f"{choice.file}: ")
    for pair in choice.pairs:
        _change(form, _parse_pair(pair, study.Config), study)
    for key, value in _leaves(choice.settings):
        _change(form, _nest(key, value), study)
    return form


def _names_own(form: Mapping[str, Any]) -> bool:
    data = form.get("data")
    return isinstance(data, Mapping) and bool(data.get("train"))


def _leave_corpus(preset: dict[str, Any], default: Mapping[str, Any]) -> None:
    """Put what a preset says of its corpus back to the default, as the user's own files take the corpus's place."""
    for key in OF_THE_CORPUS:
        group, _, name = key.rpartition(".")
        there, plain = (preset[group], default[group]) if group in preset else (preset, default)
        if name in there:
            there[name] = plain[name]


def read_config(study: Study, form: Mapping[str, Any]) -> Any:
    """The Config of a whole form, as a store's note has it; what it lacks is as by default."""
    made = _plain(study.Config())
    _change(made, form, study)
    return _validated(made, study)


def _validated(form: Mapping[str, Any], study: Study) -> Any:
    try:
        return TypeAdapter(study.Config).validate_python(form)
    except ValidationError as error:
        raise UsageError(_explain(error, study.Config)) from None


@dataclasses.dataclass(frozen=True, slots=True)
class _Place:
    """Where changes to a Config come from, which settings the study does not take, and in which group they are."""

    where: str
    refused: frozenset[str]
    prefix: str = ""

    def within(self, group: str) -> _Place:
        """The place of the settings of a group."""
        return dataclasses.replace(self, prefix=f"{self.prefix}{group}.")


def _change(form: dict[str, Any], changes: Mapping[str, Any], study: Study, where: str = "") -> None:
    """Put the changes into the form of a study's Config, under the names that its settings have today."""
    check_spelling(getattr(study, "__name__", "").removeprefix("goldproof.studies."), changes, where)
    _merge(form, changes, study.Config, _Place(where, refused(study.Config())))


def _preset(study: Study, name: str) -> Any:
    if name not in PRESETS:
        raise UsageError(f"there is no preset {name!r}; allowed: {', '.join(PRESETS)}")
    return {"default": study.Config(), "paper": study.PAPER, "tiny": study.TINY}[name]


def _plain(config: Any) -> dict[str, Any]:
    """The Config as a map, one level of maps per nested dataclass."""
    return {
        field.name: _plain(value) if dataclasses.is_dataclass(value := getattr(config, field.name)) else value
        for field in dataclasses.fields(config)
    }


def _merge(form: dict[str, Any], changes: Mapping[str, Any], kind: Any, place: _Place) -> None:
    """Put the changes into the form; a key that the Config does not have is an error."""
    for key, value in changes.items():
        if key not in form:
            names = [name for name in sorted(form) if place.prefix + name not in place.refused]
            close = difflib.get_close_matches(key, names, n=1)
            hint = f"did you mean {place.prefix + close[0]!r}? " if close else ""
            allowed = ", ".join(place.prefix + name for name in names)
            name = shortened(place.prefix + key, MOST_SHOWN)
            raise UsageError(f"{place.where}there is no setting {name!r}; {hint}allowed: {allowed}")
        if isinstance(form[key], dict) and isinstance(value, Mapping):
            _merge(form[key], value, _field_type(kind, key), place.within(key))
        else:
            wanted = _field_type(kind, key)
            may_lack = type(None) in get_args(wanted)
            form[key] = None if value == "null" and may_lack else _as_list(value, wanted)


def _as_list(value: Any, kind: Any) -> Any:
    """One text where several may be given as a list of it, or of its parts between commas, as on the command line."""
    several = get_origin(kind) in (tuple, list) and isinstance(value, str)
    item = next(iter(get_args(kind)), None) if several else None
    return _parse_value(value, kind) if item is str or get_origin(item) is Literal else value


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return load_toml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"there is no configuration file {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the configuration file {path} cannot be read: {error}") from None
    except ValueError as error:
        raise UsageError(f"the configuration file {path} is not TOML: {error}") from None


def _parse_pair(pair: str, kind: Any) -> dict[str, Any]:
    """`a.b=1` as {"a": {"b": 1}}: the value is read as TOML where it is, else as text; a list may use bare commas."""
    key, equals, text = pair.partition("=")
    if not equals or not key.strip():
        raise UsageError(f"--set takes key=value; got {pair!r}")
    parts = [part.strip() for part in key.split(".")]
    for part in parts:
        kind = _field_type(kind, part)
    try:
        return _nest(".".join(parts), _parse_value(text.strip(), kind))
    except ValueError as error:
        raise UsageError(f"--set {shortened(key.strip())}: {error}; got {shortened(text.strip())}") from None


def _nest(key: str, value: Any) -> dict[str, Any]:
    """`a.b` and a value as {"a": {"b": value}}."""
    for part in reversed(key.split(".")):
        value = {part: value}
    return dict(value)


def _leaves(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Each value by its dotted key; paths become text, arrays and ranges lists."""
    for key, value in settings.items():
        if not isinstance(key, str):
            raise UsageError(f"the name of a setting is a string such as 'recipe.epochs'; got {key!r}")
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            value = _plain(value)
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield prefix + key, _plain_value(value)


def _plain_value(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):  # an array, or a number out of one
        return value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_plain_value(each) for each in value]
    return value


def _parse_value(text: str, kind: Any) -> Any:
    if kind is str or (kind == Models and "," not in text and not text.startswith("[")):
        return text
    if kind == Models:
        kind = tuple[str, ...]
    if get_origin(kind) in (tuple, list) and not text.startswith("["):
        item = next(iter(get_args(kind)), str)
        return [_parse_value(part.strip(), item) for part in text.split(",") if part.strip()]
    try:
        return load_toml(f"value = {text}")["value"]
    except ValueError as error:
        if str(error) in (MANY_DIGITS, limits.deep_nesting()):
            raise
        return text


def _field_type(kind: Any, name: str) -> Any:
    """The type of a field, or str where there is no such field (the merge will say so)."""
    return get_type_hints(kind).get(name, str) if dataclasses.is_dataclass(kind) else str


def _explain(error: ValidationError, kind: Any) -> str:
    """What is wrong with each setting; one that may be of two kinds is named once."""
    found: dict[str, list[str]] = {}
    for problem in error.errors():
        key = _key(problem["loc"], kind)
        if key not in found:
            found[key] = [f"got {shortened(repr(problem['input']), MOST_SHOWN)}"]
        said = problem["msg"].replace("a valid tuple", "a list")
        found[key].insert(-1, said[0].lower() + said[1:])
    return "; ".join(f"setting {key!r}: {' or '.join(said)}, {got}" for key, (*said, got) in found.items())


def _key(place: Sequence[str | int], kind: Any) -> str:
    """The dotted key of a place in the Config, without the names of the kinds that a setting may be of."""
    parts = []
    for part in place:
        if isinstance(part, int):
            parts.append(str(part))
        elif dataclasses.is_dataclass(kind) and part in get_type_hints(kind):
            parts.append(part)
            kind = _field_type(kind, part)
    return ".".join(parts)
