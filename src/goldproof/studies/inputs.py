"""A model and data as settings: where a study takes them, and how many.

It reads the Config's fields only; whether a model or a file is fit for the study is for the study to say.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, get_origin, get_type_hints

from goldproof.data.corpora.catalog import catalog
from goldproof.errors import UsageError
from goldproof.studies import ENTRIES, find_study
from goldproof.studies.shared import own_data_setting

ModelInput = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
DataInput = str | os.PathLike[str] | Mapping[str, str | os.PathLike[str]]
_NAMES_OF_DATA = ("corpus", "nli", "root", "tasks")


def input_settings(study: str, model: ModelInput | None = None, data: DataInput | None = None) -> dict[str, Any]:
    """The settings of a study that a model and data of one's own come to, by dotted key.

    >>> input_settings("probing", model="my-encoder")
    {'model': 'my-encoder'}
    """
    chosen: dict[str, Any] = {}
    if data is not None:
        chosen |= _data_settings(study, data)
    if model is not None:
        chosen |= _model_settings(study, model)
    return chosen


def _model_settings(study: str, model: ModelInput) -> dict[str, Any]:
    config = find_study(study).Config
    setting = _model_setting(config)
    if setting is None:
        raise UsageError(f"the study {study!r} takes no model; studies that do: {_takers(_model_setting)}")
    given = [model] if isinstance(model, str | os.PathLike) else list(model)
    names = tuple(os.fspath(each) for each in given)
    kind = get_type_hints(config)[setting]
    if kind is not str and (len(names) != 1 or get_origin(kind) is tuple):
        return {setting: names}
    if len(names) != 1:
        raise UsageError(f"the study {study!r} takes one model, as its setting {setting!r}; got {len(names)}")
    return {setting: names[0]}


def _model_setting(config: Any) -> str | None:
    """Where a study has its model."""
    return "model" if "model" in [field.name for field in dataclasses.fields(config)] else None


def _data_settings(study: str, data: DataInput) -> dict[str, Any]:
    config = find_study(study).Config
    setting = own_data_setting(config)
    if setting is None:
        raise UsageError(f"{_why_no_data(study, config)}; studies that take data: {_takers(own_data_setting)}")
    if isinstance(data, Mapping):
        if setting != "data.train":
            raise UsageError(
                f"the study {study!r} takes data as one file, folder or name, as its setting {setting!r}; got a map "
                f"with the keys {', '.join(map(repr, data))}"
            )
        files = ("train", "validation", "test")
        keys = {name: f"data.{name}" if name in files else f"columns.{name}" for name in data}
        return {"tasks": (), **{keys[name]: os.fspath(value) for name, value in data.items()}}
    name = os.fspath(data)
    if setting == "data.train":
        is_named = name in catalog() or name.partition("/")[0] in catalog()
        return {"tasks": (name,)} if is_named else {"tasks": (), setting: name}
    return {setting: name}


def _why_no_data(study: str, config: Any) -> str:
    named = [key for key in _keys(config()) if key.rpartition(".")[2] in _NAMES_OF_DATA]
    if not named:
        return f"the study {study!r} takes no data: it makes its own"
    return f"the study {study!r} takes no data this way; its settings that name data: {', '.join(named)}"


def _keys(config: Any, prefix: str = "") -> Iterator[str]:
    """The dotted key of each setting."""
    for field in dataclasses.fields(config):
        value = getattr(config, field.name)
        if dataclasses.is_dataclass(value):
            yield from _keys(value, f"{prefix}{field.name}.")
        else:
            yield prefix + field.name


def _takers(setting_of: Callable[[Any], str | None]) -> str:
    """The studies that have such a setting, with what each calls it."""
    found = {entry.name: setting_of(find_study(entry.name).Config) for entry in ENTRIES}
    return ", ".join(f"{name} ({setting!r})" for name, setting in found.items() if setting)
