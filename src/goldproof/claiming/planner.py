"""What fits into a number of minutes: stages in the order of their worth, each of which asks for more than the last.

Prices come from measured rates and are rounded up; what does not fit is left out, with its price.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from goldproof.claiming.data import ClaimData
from goldproof.claiming.plan import layer_config, removed, sides, source_seeds
from goldproof.claiming.settings import Config
from goldproof.claiming.timing import Rates
from goldproof.errors import UsageError

FEWEST_ROWS = 200
FEWEST_TRAININGS = 3
PAGE = 20.0  # seconds to draw the page and its reports
SHARE = 0.9  # of the time that is planned with; the rest is for what prices miss
CALIBRATION = 15.0


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of the work: what it asks, the settings with it and all before it, and its seconds."""

    name: str
    config: Config
    seconds: float


@dataclass(frozen=True, slots=True)
class Omission:
    """What was not asked, and what it would take; without seconds, why it cannot be."""

    name: str
    seconds: float | None = None
    reason: str = ""

    def sentence(self) -> str:
        """In words."""
        if self.seconds is None:
            return f"{self.name}: {self.reason}"
        return f"{self.name}: about {minutes_text(self.seconds)} more."


@dataclass(frozen=True, slots=True)
class ClaimsPlan:
    """The stages in order, what is left out, the minutes that were given and the rates that prices rest on."""

    stages: tuple[Stage, ...]
    left_out: tuple[Omission, ...]
    minutes: float
    rates: Rates

    @property
    def seconds(self) -> float:
        """What all stages are expected to take, the page included."""
        return sum(stage.seconds for stage in self.stages) + PAGE

    def lines(self) -> list[str]:
        """The plan as people read it, before work starts."""
        said = [f"{stage.name}: about {minutes_text(stage.seconds)}" for stage in self.stages]
        return [f"Planned for {self.minutes:g} minutes: about {minutes_text(self.seconds)} in all.", *said] + [
            f"left out: {each.sentence()}" for each in self.left_out
        ]


def minutes_text(seconds: float) -> str:
    """A time in minutes, or seconds where it is short.

    >>> minutes_text(40), minutes_text(400)
    ('40 seconds', '7 minutes')
    """
    if seconds < 90:
        return f"{max(1, round(seconds))} seconds"
    return f"{round(seconds / 60)} minutes"


@dataclass(frozen=True, slots=True)
class Prices:
    """The seconds of each part of the work on these data, at these rates."""

    config: Config
    data: ClaimData
    rates: Rates

    def audit(self) -> float:
        """The audit of the data, by their rows."""
        n = sum(len(part.data) for part in self.data.parts.values())
        return 4.0 + 0.004 * n * (2 if self.data.kind == "pair" else 1)

    def training(self, config: Config) -> float:
        """One training with all that it is asked."""
        n_train = len(self.data.parts["train"].data)
        rows = min(config.data.most_train or n_train, n_train)
        test = len(self.data.parts["test"].data)
        asked = len(self.data.parts["validation"].data) + test * (1 + len(removed(config, self.data)))
        asked += sum(len(part.data) for part in self.data.further.values() if config.tests)
        return self._one(rows, asked)

    def plain(self, config: Config) -> float:
        """One training that answers validation and test alone."""
        n_train = len(self.data.parts["train"].data)
        asked = len(self.data.parts["validation"].data) + len(self.data.parts["test"].data)
        return self._one(min(config.data.most_train or n_train, n_train), asked)

    def _one(self, rows: int, asked: int) -> float:
        recipe = self.config.recipe
        points = len(recipe.points(rows))
        return self.rates.load + recipe.n_steps(rows) * self.rates.step + points * asked * self.rates.item

    def layers(self, config: Config) -> float:
        """The study of layers: every row read by the model and its random twin, and a probe for each layer."""
        read = sum(min(len(part.data), config.most_probed or len(part.data)) for part in self.data.parts.values())
        return 2 * (self.rates.load + read * self.rates.item) + 26 * (0.6 + read * 0.0008)


def make_plan(asked: Config, data: ClaimData, rates: Rates, minutes: float) -> ClaimsPlan:
    """The stages that fit, in the order of their worth; an error where not even one small training does."""
    prices = Prices(asked, data, rates)
    room = minutes * 60 * SHARE - PAGE - CALIBRATION - 2 * prices.audit()  # done once, and drawn once more
    left: list[Omission] = []
    bare = replace(asked, seeds=asked.seeds[:1], reference="", one_side=0, levels=0, layers=False)
    base, left = _sized(bare, prices, room, minutes, left)
    n_first = FEWEST_TRAININGS if _fits(base, prices, room) else 1
    first = replace(base, seeds=asked.seeds[:n_first])
    name = f"the audit, and {n_first} training{'s' if n_first > 1 else ''}{_elsewhere(first, data)}"
    seconds = 2 * prices.audit() + len(first.seeds) * prices.training(first)
    room -= len(first.seeds) * prices.training(first)
    stages = [Stage(name, first, seconds)]
    for more, config, price in _further_stages(asked, first, prices):
        if price <= room:
            stages.append(Stage(more, _joined(stages[-1].config, config), price))
            room -= price
        else:
            left.append(Omission(f"{more[0].upper()}{more[1:]}", price))
    return ClaimsPlan(tuple(stages), tuple(left), minutes, rates)


def _fits(config: Config, prices: Prices, room: float) -> bool:
    return min(FEWEST_TRAININGS, len(prices.config.seeds)) * prices.training(config) <= room


def _sized(
    config: Config, prices: Prices, room: float, minutes: float, left: list[Omission]
) -> tuple[Config, list[Omission]]:
    """The Config that the time allows: first without removed words, then other languages, then with fewer rows."""
    n = min(FEWEST_TRAININGS, len(prices.config.seeds))
    for name, tried in (
        ("Words removed from the test texts", replace(config, classes=())),
        ("Tests in other languages", replace(config, classes=(), tests=())),
    ):
        if _fits(config, prices, room):
            break
        if (tried.classes, tried.tests) != (config.classes, config.tests):
            left = [*left, Omission(name, n * (prices.training(config) - prices.training(tried)))]
            config = tried
    if prices.training(config) <= room:
        return config, left
    return _fewer_rows(config, prices, room, minutes, left)


def _fewer_rows(
    config: Config, prices: Prices, room: float, minutes: float, left: list[Omission]
) -> tuple[Config, list[Omission]]:
    n = len(prices.data.parts["train"].data)
    rows = n
    while rows > FEWEST_ROWS:
        rows = max(FEWEST_ROWS, int(rows * 0.9))
        fewer = replace(config, data=replace(config.data, most_train=rows))
        if prices.training(fewer) <= room:
            said = Omission(f"Trained on {rows:,} of {n:,} rows; all of them", prices.training(config))
            return fewer, [*left, said]
    least = prices.training(replace(config, data=replace(config.data, most_train=min(FEWEST_ROWS, n))))
    needed = (least + 2 * prices.audit() + PAGE + CALIBRATION) / SHARE / 60
    raise UsageError(
        f"--minutes {minutes:g} is too short here: one training on {min(FEWEST_ROWS, n):,} rows, the audit and the "
        f"page take about {needed:.1f} minutes"
    )


def _elsewhere(config: Config, data: ClaimData) -> str:
    said = [f"in {len(data.further)} other languages"] if data.further and config.tests else []
    said += [f"without {', '.join(config.classes)}"] if removed(config, data) else []
    return f", also tested {' and '.join(said)}" if said else ""


def _further_stages(asked: Config, first: Config, prices: Prices) -> Sequence[tuple[str, Config, float]]:
    """What may follow, each with the settings that it adds and its seconds."""
    data, found = prices.data, []
    if sides(asked, data):
        n = min(asked.one_side, len(first.seeds))
        price = 2 * n * prices.plain(first)
        found.append((f"each text alone ({2 * n} trainings)", replace(first, one_side=asked.one_side), price))
    if asked.reference:
        price = len(first.seeds) * prices.plain(first)
        found.append(
            (f"the reference model ({len(first.seeds)} trainings)", replace(first, reference=asked.reference), price)
        )
    if layer_config(asked, data) is not None:
        found.append(("what the layers know", replace(first, layers=True), prices.layers(asked)))
    extra = len(asked.seeds) - len(first.seeds)
    if extra > 0:
        price = extra * prices.training(first)
        found.append((f"{extra} more training{'s' if extra > 1 else ''}", replace(first, seeds=asked.seeds), price))
    if asked.levels:
        n = len(source_seeds(asked))
        price = n * prices.plain(first)
        found.append(
            (
                f"initialisation, data order and dropout told apart ({n} trainings)",
                replace(first, levels=asked.levels),
                price,
            )
        )
    return found


def _joined(before: Config, more: Config) -> Config:
    """The settings that ask for both."""
    return replace(
        before,
        seeds=max(before.seeds, more.seeds, key=len),
        one_side=before.one_side or more.one_side,
        reference=before.reference or more.reference,
        layers=before.layers or more.layers,
        levels=before.levels or more.levels,
    )
