"""What of a language model fits into a number of minutes: prompts first, then the other sets, then examples.

Prices are questions at the measured pace. An endpoint's money is not planned with: its budget is never passed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from goldproof.claiming.data import ClaimData
from goldproof.claiming.plan import (
    EXAMPLES,
    asked_sets,
    further_name,
    of_reference,
    one_draw,
    removed,
    with_examples,
)
from goldproof.claiming.settings import Config
from goldproof.claiming.stages import Omission, Stage, StagePart
from goldproof.claiming.timing import Rates
from goldproof.jobs import Job
from goldproof.studies.asked import ask_jobs, runs_of

FEWEST_PROMPTS = 3  # from which other prompts can be spoken of
FEWEST_ITEMS = 50
WANTED_PROMPTS = 6  # of three the interval over prompts is more than twice as wide as of six
ENOUGH_ITEMS = 300  # that many are given up for more prompts only above this
WORTHWHILE = 1.5  # times as many items, for which all that was asked about fewer is asked again
PROMPTS = "prompts"


class TooLittleTimeError(Exception):
    """Not even a few prompts about a few items fit; they take so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"{seconds:.0f} seconds")
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class AskedPrices:
    """The seconds of asking, at these rates."""

    config: Config
    data: ClaimData
    rates: Rates

    @property
    def n_prompts(self) -> int:
        """How many prompts there are to be asked."""
        return len(runs_of(self.config, asked_sets(self.config, self.data)["test"]))

    @property
    def n_draws(self) -> int:
        """How often each is asked about an item."""
        return len(runs_of(self.config, asked_sets(self.config, self.data)["test"])[0])

    def items(self, config: Config, n: int) -> int:
        """How many of so many items are asked about."""
        return min(n, config.prompts.most_items or n)

    def prompt(self, config: Config) -> float:
        """One prompt about the test items."""
        return self.n_draws * self.items(config, len(self.data.parts["test"].data)) * self.rates.item

    def elsewhere(self, config: Config) -> float:
        """One prompt about the tests in other languages."""
        return sum(self.items(config, len(part.data)) for part in self.data.further.values()) * self.rates.item

    def removals(self, config: Config) -> float:
        """One prompt about the test items without words, and their controls."""
        n = self.items(config, len(self.data.parts["test"].data))
        return len(removed(self.config, self.data)) * n * self.rates.item

    def examples(self, config: Config) -> float:
        """One prompt with each draw of examples."""
        n = self.items(config, len(self.data.parts["test"].data))
        return self.config.levels * n * self.rates.item * self.rates.dearer

    def whole(self, config: Config) -> float:
        """One prompt with all that these settings ask."""
        seconds = self.prompt(config) + (self.prompt(config) / self.n_draws if config.reference else 0.0)
        seconds += self.elsewhere(config) if config.tests else 0.0
        seconds += self.removals(config) if config.classes else 0.0
        return seconds + (self.examples(config) if config.levels else 0.0)

    def n_asked(self, config: Config) -> int:
        """How many prompts these settings ask."""
        most = None if config.prompts.formats else config.prompts.most
        return min(self.n_prompts, most or self.n_prompts)

    def n_items(self, config: Config) -> int:
        """About how many test items these settings ask."""
        return self.items(config, len(self.data.parts["test"].data))

    def about(self, config: Config, n: int) -> Config:
        """The same about so many test items."""
        most = self.config.prompts.most_items if n >= self.n_items(self.config) else n
        return replace(config, prompts=replace(config.prompts, most_items=most))

    def weight(self, config: Config) -> float:
        """How much dearer a question of these settings is than one without examples."""
        plain = replace(self, rates=replace(self.rates, dearer=1.0))
        return self.whole(config) / max(plain.whole(config), 1e-9)


def n_requests(config: Config, data: ClaimData, is_wanted: Callable[[Job[Any]], bool]) -> int:
    """How many questions the wanted jobs of these settings ask: each prompt with each draw about each item."""

    def n_items(name: str) -> int:
        language = name.removeprefix(further_name(""))
        part = data.further[language] if language != name else data.parts["test"]
        return min(len(part.data), config.prompts.most_items or len(part.data))

    sets, main = asked_sets(config, data), asked_sets(config, data)["test"]
    asked = [(config if name == "test" else one_draw(config), each, name) for name, each in sets.items()]
    asked += [(other, main, "test") for other in (with_examples(config), of_reference(config)) if other is not None]
    return sum(n_items(name) * is_wanted(job) for each, of, name in asked for row in ask_jobs(each, of) for job in row)


def plan_asked(asked: Config, data: ClaimData, rates: Rates, room: float) -> tuple[list[Stage], list[Omission]]:
    """The stages that fit, and what was left out; an error where not even a few prompts about a few items do."""
    prices = AskedPrices(asked, data, rates)
    bare = replace(asked, tests=(), classes=(), levels=0, reference="")
    base, n, left = _sized(bare, prices, room - rates.load)
    first = [StagePart(_most(base, k), rates.load + k * prices.prompt(base)) for k in range(2, n + 1)]
    stages = [Stage(f"{n} prompts{_about(base, data)}", tuple(first), PROMPTS, least=2)]
    stages, more = _filled(stages, n, prices, room - stages[0].seconds)
    return stages, [*left, *more]


def _filled(stages: Sequence[Stage], n: int, prices: AskedPrices, room: float) -> tuple[list[Stage], list[Omission]]:
    """The stages with all that may follow so many prompts and fits, and what does not fit."""
    found, left = list(stages), []
    for stage in _further(prices.config, found[-1].config, n, prices):
        if stage.seconds <= room:
            before = found[-1].config
            parts = tuple(replace(part, config=_joined(before, part.config)) for part in stage.parts)
            found.append(replace(stage, parts=parts))
            room -= stage.seconds
        else:
            left.append(Omission(stage.title, stage.seconds))
    return found, left


def asked_worth(config: Config, asked: Config, data: ClaimData) -> tuple[float, ...]:
    """What settings ask of a language model, in the order of its worth."""
    prices = AskedPrices(asked, data, Rates(0.0, 0.0, 0.0))
    n = prices.n_asked(config)
    sets = (bool(config.reference), len(config.tests), len(removed(config, data)), config.levels)
    return (min(n, WANTED_PROMPTS), prices.n_items(config), n, *sets)


def extend_asked(
    asked: Config, data: ClaimData, rates: Rates, room: float, audit: float, done: Sequence[Stage]
) -> tuple[list[Stage], list[Omission], float]:
    """What follows the stages that are done, what is left out, and how many times as many items are audited."""
    prices, current = AskedPrices(asked, data, rates), done[-1].config
    stages = list(done)
    stage = _asked_more(current, prices, room - rates.load, audit)
    if stage is not None:
        stages.append(stage)
        room -= stage.seconds
    config = stages[-1].config
    n, items, total = prices.n_asked(config), prices.n_items(config), prices.n_items(asked)
    left = []
    if items < total:
        said = f"Asked about {items:,} of {total:,} items; all of them"
        left.append(Omission(said, n * prices.whole(prices.about(config, total))))
    left += _more_prompts(prices.n_prompts - n, prices.whole(config))
    found, more = _filled(stages, n, prices, room)
    return found, [*left, *more], items / prices.n_items(current)


def _asked_more(current: Config, prices: AskedPrices, room: float, audit: float) -> Stage | None:
    """More prompts where there are few, else more items, else more prompts; None where none fit."""
    load, each, before = prices.rates.load, prices.whole(current), prices.n_asked(current)
    n = min(prices.n_prompts - before, int(room / each))
    parts = tuple(StagePart(_most(current, before + k), load + k * each) for k in range(1, n + 1))
    name, weight = f"{n} more {'prompt' if n == 1 else 'prompts'}", prices.weight(current)
    more = Stage(name, parts, PROMPTS, weight=weight) if parts else None
    if before < WANTED_PROMPTS <= before + n:
        return more
    items, total = prices.n_items(current), prices.n_items(prices.config)
    again = before * prices.whole(prices.about(current, total)) + 2 * audit * total / items
    fit = min(total, int(total * room / again))
    if fit > items and fit >= min(total, WORTHWHILE * items):
        wider, seconds = prices.about(current, fit), load + again * fit / total
        return Stage(f"{before} prompts{_about(wider, prices.data)}", (StagePart(wider, seconds),), weight=weight)
    return more


def _most(config: Config, n: int) -> Config:
    """The first so many prompts; with formats as many of the plain ones."""
    return replace(config, prompts=replace(config.prompts, most=n)) if not config.prompts.formats else config


def _sized(config: Config, prices: AskedPrices, room: float) -> tuple[Config, int, list[Omission]]:
    """With how many prompts, and about how many items, the time allows to ask.

    A few more prompts are worth more than the items beyond some hundreds.
    """
    n, each = prices.n_prompts, prices.prompt(config)
    total = prices.items(config, len(prices.data.parts["test"].data))
    fewest, wanted = (n, n) if config.prompts.formats else (min(n, FEWEST_PROMPTS), min(n, WANTED_PROMPTS))
    fit = min(n, int(room / each))
    if fit >= wanted:
        return config, fit, _more_prompts(n - fit, each)
    if int(total * room / (wanted * each)) >= ENOUGH_ITEMS:
        fewest = wanted
    elif fit >= fewest:
        return config, fit, _more_prompts(n - fit, each)
    items = int(total * room / (fewest * each))
    if items < min(FEWEST_ITEMS, total):
        raise TooLittleTimeError(fewest * each * min(FEWEST_ITEMS, total) / total + prices.rates.load)
    fewer = replace(config, prompts=replace(config.prompts, most_items=items))
    said = Omission(f"Asked about {items:,} of {total:,} items; all of them", fewest * each)
    return fewer, fewest, [said, *_more_prompts(n - fewest, each)]


def _more_prompts(n: int, seconds: float) -> list[Omission]:
    return [Omission(f"{n} more {'prompt' if n == 1 else 'prompts'}", n * seconds)] if n else []


def _about(config: Config, data: ClaimData) -> str:
    n, most = len(data.parts["test"].data), config.prompts.most_items
    return f" about {min(n, most or n):,} items"


def _further(asked: Config, first: Config, n: int, prices: AskedPrices) -> Iterator[Stage]:
    """What may follow, each with the settings that it adds."""
    data = prices.data
    if of_reference(asked) is not None and not first.reference:
        seconds = prices.rates.load + n * prices.prompt(one_draw(first)) / prices.n_draws
        yield Stage(
            f"the reference model ({n} prompts)", (StagePart(replace(first, reference=asked.reference), seconds),)
        )
    if data.further and not first.tests:
        seconds = n * prices.elsewhere(first)
        languages = "language" if len(data.further) == 1 else "languages"
        name = f"tests in {len(data.further)} other {languages}"
        yield Stage(name, (StagePart(replace(first, tests=asked.tests), seconds),))
    if removed(asked, data) and not first.classes:
        seconds = n * prices.removals(first)
        name = f"the test texts without {', '.join(asked.classes)}"
        yield Stage(name, (StagePart(replace(first, classes=asked.classes), seconds),))
    if with_examples(asked) is not None and not first.levels:
        seconds = n * prices.examples(first)
        name = f"{EXAMPLES} examples before each question, in {asked.levels} draws"
        yield Stage(name, (StagePart(replace(first, levels=asked.levels), seconds),), weight=prices.rates.dearer)


def _joined(before: Config, more: Config) -> Config:
    """The settings that ask for both."""
    return replace(
        before,
        tests=before.tests or more.tests,
        classes=before.classes or more.classes,
        levels=before.levels or more.levels,
        reference=before.reference or more.reference,
    )
