"""A model and data as settings: where a study takes them, and how many.

It reads the Config's fields only; whether a model or a file is fit for the study is for the study to say.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_origin, get_type_hints

from goldproof.data.corpora.catalog import catalog
from goldproof.data.formats.added import is_readable
from goldproof.errors import UsageError
from goldproof.studies import ENTRIES, find_study
from goldproof.studies.shared import own_data_setting

ModelInput = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
DataInput = str | os.PathLike[str] | Mapping[str, str | os.PathLike[str] | Sequence[str]]
_FILES = ("train", "validation", "test", "name", "languages")
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
    if own_data_setting(config) is None:
        raise UsageError(f"{_why_no_data(study, config)}; studies that take data: {_takers(own_data_setting)}")
    alone = {"tasks": ()} if study == "corruption" else {}
    if isinstance(data, Mapping):
        return {**alone, **{_key(name): _plain(name, value) for name, value in data.items()}}
    if not isinstance(data, str | os.PathLike):
        raise _no_file("data", data)
    name = os.fspath(data)
    if is_readable(Path(name)):
        return {**alone, "data.train": name}
    is_task = study == "corruption" and (name in catalog() or name.partition("/")[0] in catalog())
    if is_task:
        return {"tasks": (name,)}
    return {**alone, "data.train": name} if study == "corruption" else {"data.corpus": name}


def _key(name: str) -> str:
    """Where a part of the data belongs: to the files and what they are called, or to their columns."""
    return f"data.{name}" if name in _FILES else f"columns.{name}"


def _plain(name: str, value: Any) -> Any:
    """The value of a part of the data: a path or a name as text, or a list of names."""
    if isinstance(value, str | os.PathLike):
        return os.fspath(value)
    if name in _FILES[:3] or not isinstance(value, Sequence):
        raise _no_file(f"data[{name!r}]", value)
    return value


def _no_file(what: str, value: Any) -> UsageError:
    """The error of a table in memory, or of anything else that is no file."""
    kind = type(value).__name__
    return UsageError(
        f"a study reads its data from files, so that it can be resumed and run again; {what} is a {kind}: write it "
        "to a file (to_parquet, to_csv) and give the path"
    )


def _why_no_data(study: str, config: Any) -> str:
    named = [key for key in _keys(config()) if key.rpartition(".")[2] in _NAMES_OF_DATA]
    if not named:
        return f"the study {study!r} takes no data: it generates its own"
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
