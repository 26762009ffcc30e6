"""How fast this machine trains and answers: a few steps of the real recipe on rows of the real data, timed.

Seconds never enter a key or a result: they only choose what is asked.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from goldproof.claiming.data import ClaimData
from goldproof.claiming.plan import recipe_of
from goldproof.claiming.settings import Config
from goldproof.models.examples import Examples, examples_from_table
from goldproof.models.named import find_model
from goldproof.studies.shared import parse_folder
from goldproof.training.finetune import Hooks, finetune
from goldproof.training.outcome import Progress
from goldproof.training.recipe import Seeds

STEPS = 6
ANSWERED = 48


@dataclass(frozen=True, slots=True)
class Rates:
    """Seconds: to load the model, for a step of training, and to answer an item."""

    load: float
    step: float
    item: float

    def form(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


def measure_rates(config: Config, data: ClaimData) -> Rates:
    """Train a few steps on rows drawn from the training data, and answer a few items."""
    from dataclasses import replace

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


def _drawn(data: ClaimData, part: str, most: int) -> Examples:
    rows = data.parts[part].data
    chosen = np.sort(np.random.default_rng(0).permutation(len(rows))[:most])
    return examples_from_table(rows.take(chosen).table, regression=data.kind == "regression")
