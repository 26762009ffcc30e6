"""How fast this machine trains and answers: a few steps of the real recipe on rows of the real data, timed.

Seconds never enter a key or a result: they only choose what is asked.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from goldproof.claiming.data import ClaimData
from goldproof.claiming.plan import asked_sets, recipe_of, with_examples
from goldproof.claiming.settings import Config
from goldproof.jobs import Store
from goldproof.jobs.cache import cache_at
from goldproof.models.asking import ask_model
from goldproof.models.endpoint import is_endpoint
from goldproof.models.examples import Examples, examples_from_table
from goldproof.models.named import find_model
from goldproof.studies.asked import is_asked, runs_of
from goldproof.studies.asked.plan import asked_model
from goldproof.studies.shared import parse_folder
from goldproof.training.finetune import Hooks, finetune
from goldproof.training.outcome import Progress
from goldproof.training.recipe import Seeds

STEPS = 6
ANSWERED = 48
ASKED = 16


@dataclass(frozen=True, slots=True)
class Rates:
    """Seconds: to load the model, for a step of training, and to answer an item.

    `dearer` is how many times as long a question with examples before it takes.
    """

    load: float
    step: float
    item: float
    dearer: float = 1.0

    def form(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


def measure_rates(config: Config, data: ClaimData, store: Store) -> Rates:
    """Train a few steps on rows drawn from the training data and answer a few items, or ask about a few."""
    if is_asked(config):
        with cache_at(store.cache):  # what an endpoint answers is not asked for again
            return _measure_asking(config, data)
    recipe = replace(recipe_of(config, data, str(config.model)), steps=STEPS, evaluations=1)
    train, asked = (_drawn(data, part, n) for part, n in (("train", STEPS * recipe.batch), ("test", ANSWERED)))
    times: list[float] = []

    def note(_: Progress) -> None:
        times.append(time.monotonic())

    begun = time.monotonic()
    model = find_model(parse_folder(str(config.model)).folder)
    finetune(model, train, {"test": asked}, recipe, Seeds.all(0), hooks=Hooks(progress=note))
    ended = time.monotonic()
    steps = np.diff(times)
    step = float(np.median(steps)) if len(steps) else ended - begun
    load = max(0.0, times[0] - begun - step) if times else 0.0
    return Rates(load, step, max(ended - times[-1], 0.0) / asked.n if times else 0.0)


def _measure_asking(config: Config, data: ClaimData) -> Rates:
    """Ask about a few items as they are, then with examples before them."""
    begun = time.monotonic()
    model = asked_model(config).open()
    train, asked = data.parts["train"].data, asked_sets(config, data)["test"]
    items = data.parts["test"].data
    items = items.take(np.arange(min(len(items), 2 * ASKED)))
    first, second = items.take(np.arange(0, len(items), 2)), items.take(np.arange(1, len(items), 2))
    run = runs_of(config, asked)[0][0]
    ask_model(model, first.take(np.arange(1)), train, run.prompt, run.shots, run.sampling)
    loaded = time.monotonic()
    ask_model(model, second, train, run.prompt, run.shots, run.sampling)
    item = (time.monotonic() - loaded) / len(second)
    more = with_examples(config)
    if more is None or is_endpoint(parse_folder(str(config.model)).folder):
        return Rates(loaded - begun, 0.0, item)
    shot, again = runs_of(more, asked)[0][0], time.monotonic()
    ask_model(model, first, train, shot.prompt, shot.shots, shot.sampling)
    dearer = (time.monotonic() - again) / len(first) / max(item, 1e-6)
    return Rates(loaded - begun, 0.0, item, max(1.0, dearer))


def _drawn(data: ClaimData, part: str, most: int) -> Examples:
    rows = data.parts[part].data
    chosen = np.sort(np.random.default_rng(0).permutation(len(rows))[:most])
    return examples_from_table(rows.take(chosen).table, regression=data.kind == "regression")
