"""Settings that had another name before all studies spelt them alike: the old one gets an error that names the new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from goldproof.errors import UsageError

RENAMED: Mapping[str, Mapping[str, str]] = {
    "stability": {
        "corpus": "data.corpus",
        "languages": "data.languages",
        "n_train": "data.most_train",
        "root": "data.root",
    },
    "probing": {
        "coarse.n_train": "coarse.most_train",
        "corpus": "data.corpus",
        "languages": "data.languages",
        "models": "model",
        "root": "data.root",
        "sizes": "splits",
        "sizes.most_train": "data.most_train",
    },
    "logic": {
        "corpus": "data.corpus",
        "corpus.preset": "data.corpus",
        **{f"corpus.{name}": f"sizes.{name}" for name in ("train", "validation", "test", "seed")},
        "encoder": "recipe.encoder",
        "experiments.others": "model",
        "experiments.root": "data.root",
        "languages": "data.languages",
        "models": "learners",
        "recurrent": "recipe.recurrent",
        "search.encoder_rate": "search.encoder_learning_rate",
        "search.rate": "search.learning_rate",
        "small": "recipe.small",
    },
    "transfer": {
        "corpus": "data.corpus",
        "data.dev_share": "rows.dev_share",
        "data.most_evaluated": "rows.most_evaluated",
        "data.train_split": "rows.train_split",
        "targets": "data.languages",
        "training": "recipe",
        "training.patience": "patience",
    },
    "corruption": {
        "data.source": "data.hub",
        "own": "columns",
        "own.test": "data.test",
        "own.train": "data.train",
        "removal.language": "data.languages",
        "training": "recipe",
    },
}
"""By study, the old name of a setting, or of a group of them, and the new one."""


def check_spelling(study: str, settings: Mapping[str, Any], where: str = "") -> None:
    """Raise at a setting that is called otherwise now; settings are by name, in maps or with dots.

    >>> check_spelling("transfer", {"training": {"epochs": 3}})
    Traceback (most recent call last):
    goldproof.errors.UsageError: the setting 'training.epochs' is now called 'recipe.epochs'
    """
    renamed = RENAMED.get(study, {})
    for key in _keys(settings):
        group, rest = key, ""
        while group and group not in renamed:
            group, _, last = group.rpartition(".")
            rest = f".{last}{rest}"
        if group:
            raise UsageError(f"{where}the setting {key!r} is now called {renamed[group] + rest!r}")


def _keys(settings: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for key, value in settings.items():
        if isinstance(value, Mapping) and value:
            yield from _keys(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}"
