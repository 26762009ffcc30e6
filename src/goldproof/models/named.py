"""The model behind a name in the settings: "fake", a plugin, a folder, or a downloaded hub name. It loads nothing.

    [project.entry-points."goldproof.models"]
    wide-bag = "my_package.models:wide_bag"

The entry point of a plugin is a function without arguments that gives the model's description: a frozen dataclass under
`@named`, so that it may stand in a job's key, with `digest` and `load` (`Trainable`) or `encode` (`Encoder`), or both.
"""

from __future__ import annotations

import dataclasses
import inspect
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from goldproof.errors import ModelError, UsageError
from goldproof.extras import lacking
from goldproof.jobs import Job
from goldproof.jobs.names import name_of
from goldproof.models.fake import Fake
from goldproof.models.protocols import RUNNING
from goldproof.models.source import BIN, ModelSource
from goldproof.models.transformer import Transformer, transformer
from goldproof.plugins import Group, describe

OWN = ("fake", "forest", "chains", "small", "rnn", "gru", "lstm", "birnn", "bigru", "bilstm")
"""Names of models and learners that mean something in the settings of some study."""

_NEEDS = {"load": "be fine-tuned", "encode": "be probed"}


def find_model(name: str) -> Any:
    """The model that a setting names, to be fine-tuned.

    >>> find_model("fake").name
    'fake'
    """
    if name == "fake":
        return Fake()
    added = find_added(name, "load")
    return added if added is not None else find_transformer(name)


def find_transformer(name: str, *, random_weights: bool = False) -> Any:
    """The encoder in a folder or of a hub name; the error where there is none names the models of plugins too."""
    allowed = name.startswith(BIN)
    try:
        return transformer(name.removeprefix(BIN), random_weights=random_weights, any_format=allowed)
    except ModelError as error:
        names = PLUGINS.names()
        if not names or _is_folder(name):
            raise
        raise ModelError(f"{error}, or name a model of a plugin: {', '.join(names)}") from None


def check_models(jobs: Iterable[Job[Any]]) -> None:
    """Raise where transformers cannot load the folder of a model that jobs are given; each is looked at once.

    What stands by itself as a source is a masked language model, which must have its head.
    """
    given = dict.fromkeys(
        value for job in jobs for value in job.arguments.values() if isinstance(value, Transformer | ModelSource)
    )
    if given and not lacking([RUNNING]):
        from goldproof.models.transformer_network import check_loads, load_masked

        for model in given:
            if isinstance(model, Transformer):
                check_loads(model)
            else:
                load_masked(model.folder)


def _is_folder(name: str) -> bool:
    return os.path.isdir(Path(name).expanduser())  # noqa: PTH112 - unlike Path.is_dir, False where it may not be looked at


def find_added(name: str, method: Literal["load", "encode"]) -> Any:
    """The model of a plugin that has this method; None where no plugin has the name, or a folder has it too."""
    if _is_folder(name):
        return None
    tried = PLUGINS.load(name)
    if tried is None:
        return None
    model = tried.thing()
    if not _has(model, method):
        raise UsageError(
            f"the model {name!r} of {tried.plugin.origin} cannot {_NEEDS[method]}: it has no method {method!r}"
        )
    return model


def _problem(make: Any) -> str:
    """What is wrong with a plugin's model, or nothing; the model is made, which loads nothing."""
    if not callable(make):
        return f"a function without arguments that gives the model is needed; got {type(make).__name__}"
    try:
        model = make()
    except Exception as error:  # noqa: BLE001 - a plugin's code may raise anything
        return f"making the model failed ({describe(error)})"
    if not dataclasses.is_dataclass(model) or isinstance(model, type):
        return f"the model must be a dataclass, which a job's key can hold; got {type(model).__name__}"
    try:
        name_of(type(model))
    except UsageError as error:
        return str(error)
    if not (_has(model, "load") or _has(model, "encode")):
        return f"the model {type(model).__name__} has neither 'load' (to be fine-tuned) nor 'encode' (to be probed)"
    needed = ("digest", "name") if _has(model, "encode") else ("digest",)
    absent = [name for name in needed if not _has(model, name)]
    return f"the model {type(model).__name__} has no {absent[0]!r}" if absent else ""


def _has(model: Any, name: str) -> bool:
    """Whether a model has an attribute; a property is not computed, as a digest may read gigabytes."""
    return inspect.getattr_static(model, name, None) is not None


PLUGINS = Group("models", OWN, _problem)
