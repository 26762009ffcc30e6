"""What fits into a number of minutes: stages in the order of their worth, each of which asks for more than the last.

Prices come from measured rates and are rounded up; what does not fit is left out, with its price.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from goldproof.claiming.asked_planner import TooLittleTimeError, plan_asked
from goldproof.claiming.data import ClaimData
from goldproof.claiming.plan import layer_config, removed, sides, source_seeds
from goldproof.claiming.settings import Config
from goldproof.claiming.stages import Omission, Stage, StagePart, minutes_text
from goldproof.claiming.timing import Rates
from goldproof.errors import UsageError
from goldproof.studies.asked import is_asked

FEWEST_ROWS = 200
FEWEST_TRAININGS = 3
PAGE = 15.0  # seconds to draw the page and its reports, beside the audit's, which is computed anew
SHARE = 0.9  # of the time that is planned with; the rest is for what prices miss
TRAININGS = "trainings"


@dataclass(frozen=True, slots=True)
class Budget:
    """The time that is given and what of it is gone: `spent` seconds of so many minutes.

    `audit` are the seconds that the audit took, None where it is still to be run.
    """

    minutes: float
    spent: float = 0.0
    audit: float | None = None


@dataclass(frozen=True, slots=True)
class ClaimsPlan:
    """The stages in order, what is left out, the minutes that were given and the rates that prices rest on.

    `audit` are the seconds of the audit, which comes first, `page` those of the page at the end.
    """

    stages: tuple[Stage, ...]
    left_out: tuple[Omission, ...]
    minutes: float
    rates: Rates
    audit: float = 0.0
    page: float = PAGE

    @property
    def seconds(self) -> float:
        """What is expected in all, the page included."""
        return self.audit + sum(stage.seconds for stage in self.stages) + self.page

    def lines(self) -> list[str]:
        """The plan as people read it, before work starts."""
        said = [f"{stage.name}: about {minutes_text(stage.seconds)}" for stage in self.stages]
        return [
            f"Planned for {self.minutes:g} minutes: about {minutes_text(self.seconds)} in all. Work ends within the "
            f"given minutes; writing the page then takes about {minutes_text(self.page)}.",
            *([f"the audit: about {minutes_text(self.audit)}"] if self.audit else []),
            *said,
            *(f"left out: {each.sentence()}" for each in self.left_out),
        ]


@dataclass(frozen=True, slots=True)
class Prices:
    """The seconds of each part of the work on these data, at these rates."""

    config: Config
    data: ClaimData
    rates: Rates

    def audit(self) -> float:
        """The audit of the data, by their rows; to look for wrong labels it learns each class several times."""
        n = sum(len(part.data) for part in self.data.parts.values())
        labels = 0.004 * n * len(self.data.classes) if self.config.labels else 0.0
        return 4.0 + 0.004 * n * (2 if self.data.kind == "pair" else 1) + labels

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


def make_plan(asked: Config, data: ClaimData, rates: Rates, budget: Budget) -> ClaimsPlan:
    """The stages that fit, in the order of their worth; an error where not even one small training does."""
    prices = Prices(asked, data, rates)
    audit = prices.audit() if budget.audit is None else 0.0
    page = PAGE + (prices.audit() if budget.audit is None else budget.audit)
    room = (budget.minutes * 60 - budget.spent) * SHARE - page - audit
    if is_asked(asked):
        chosen = _asked_stages(prices, room, budget, page + audit)
        return ClaimsPlan(*chosen, budget.minutes, rates, audit, page)
    bare = replace(asked, seeds=asked.seeds[:1], reference="", one_side=0, levels=0, layers=False)
    base, left = _sized(bare, prices, room, budget, page + audit)
    n_first = min(FEWEST_TRAININGS, len(asked.seeds)) if _fits(base, prices, room) else 1
    said = f"{n_first} training{'s' if n_first > 1 else ''}{_elsewhere(base, data)}"
    first = _grown(said, n_first, prices.training(base), lambda k: replace(base, seeds=asked.seeds[:k]))
    room -= first.seconds
    stages = [first]
    for stage in _further_stages(asked, first.config, prices):
        if stage.seconds <= room:
            stages.append(_after(stages[-1].config, stage))
            room -= stage.seconds
        else:
            left.append(Omission(stage.title, stage.seconds))
    return ClaimsPlan(tuple(stages), tuple(left), budget.minutes, rates, audit, page)


def _asked_stages(
    prices: Prices, room: float, budget: Budget, fixed: float
) -> tuple[tuple[Stage, ...], tuple[Omission, ...]]:
    try:
        stages, left = plan_asked(prices.config, prices.data, prices.rates, room)
    except TooLittleTimeError as error:
        needed = ((error.seconds + fixed) / SHARE + budget.spent) / 60
        raise UsageError(
            f"--minutes {budget.minutes:g} is too short here: a few prompts on a few items, the audit and the page "
            f"take about {needed:.1f} minutes"
        ) from None
    return tuple(stages), tuple(left)


def _grown(name: str, n: int, seconds: float, config_of: Callable[[int], Config], unit: str = TRAININGS) -> Stage:
    """A stage of n parts that take as long as each other."""
    return Stage(name, tuple(StagePart(config_of(k), k * seconds) for k in range(1, n + 1)), unit)


def _after(before: Config, stage: Stage) -> Stage:
    """The stage with all that was asked before it."""
    return replace(stage, parts=tuple(replace(each, config=_joined(before, each.config)) for each in stage.parts))


def _fits(config: Config, prices: Prices, room: float) -> bool:
    return min(FEWEST_TRAININGS, len(prices.config.seeds)) * prices.training(config) <= room


def _sized(config: Config, prices: Prices, room: float, budget: Budget, fixed: float) -> tuple[Config, list[Omission]]:
    """The Config that the time allows: first without removed words, then other languages, then with fewer rows."""
    n, left = min(FEWEST_TRAININGS, len(prices.config.seeds)), []
    for name, tried in (
        ("Words removed from the test texts", replace(config, classes=())),
        ("Tests in other languages", replace(config, classes=(), tests=())),
    ):
        if _fits(config, prices, room):
            break
        if (tried.classes, tried.tests) != (config.classes, config.tests):
            more = n * (prices.training(config) - prices.training(tried))
            left += [Omission(name, more)] if more else []
            config = tried
    if prices.training(config) <= room:
        return config, left
    fewer, omission = _fewer_rows(config, prices, room, budget, fixed)
    return fewer, [*left, omission]


def _fewer_rows(config: Config, prices: Prices, room: float, budget: Budget, fixed: float) -> tuple[Config, Omission]:
    n = len(prices.data.parts["train"].data)
    rows = n
    while rows > FEWEST_ROWS:
        rows = max(FEWEST_ROWS, int(rows * 0.9))
        fewer = replace(config, data=replace(config.data, most_train=rows))
        if prices.training(fewer) <= room:
            return fewer, Omission(f"Trained on {rows:,} of {n:,} rows; all of them", prices.training(config))
    least = prices.training(replace(config, data=replace(config.data, most_train=min(FEWEST_ROWS, n))))
    needed = ((least + fixed) / SHARE + budget.spent) / 60
    raise UsageError(
        f"--minutes {budget.minutes:g} is too short here: one training on {min(FEWEST_ROWS, n):,} rows, the audit and "
        f"the page take about {needed:.1f} minutes"
    )


def _elsewhere(config: Config, data: ClaimData) -> str:
    n = len(data.further)
    said = [f"in {n} other {'language' if n == 1 else 'languages'}"] if n and config.tests else []
    said += [f"without {', '.join(config.classes)}"] if removed(config, data) else []
    return f", also tested {' and '.join(said)}" if said else ""


def _further_stages(asked: Config, first: Config, prices: Prices) -> Sequence[Stage]:
    """What may follow, each with the settings that it adds and its seconds."""
    data, found, plain = prices.data, [], prices.plain(first)
    if sides(asked, data):
        n = min(asked.one_side, len(first.seeds))
        name = f"each text alone ({2 * n} trainings)"
        found.append(_grown(name, n, 2 * plain, lambda k: replace(first, one_side=k), "pairs of trainings"))
    if asked.reference:
        n = min(asked.references, len(first.seeds))
        name = f"the reference model ({n} training{'s' if n > 1 else ''})"
        found.append(_grown(name, n, plain, lambda k: replace(first, reference=asked.reference, references=k)))
    if layer_config(asked, data) is not None:
        part = StagePart(replace(first, layers=True), prices.layers(asked))
        found.append(Stage("what the layers know", (part,), paced=False))
    extra, before = len(asked.seeds) - len(first.seeds), len(first.seeds)
    if extra > 0:
        name = f"{extra} more training{'s' if extra > 1 else ''}"
        more = lambda k: replace(first, seeds=asked.seeds[: before + k])  # noqa: E731
        found.append(_grown(name, extra, prices.training(first), more))
    if asked.levels:
        n = len(source_seeds(asked))
        part = StagePart(replace(first, levels=asked.levels), n * plain)
        found.append(Stage(f"initialisation, data order and dropout varied separately ({n} trainings)", (part,)))
    return found


def _joined(before: Config, more: Config) -> Config:
    """The settings that ask for both."""
    return replace(
        before,
        seeds=max(before.seeds, more.seeds, key=len),
        one_side=before.one_side or more.one_side,
        reference=before.reference or more.reference,
        references=more.references if more.reference else before.references,
        layers=before.layers or more.layers,
        levels=before.levels or more.levels,
    )
