"""What fits into a number of minutes: stages in the order of their worth, each of which asks for more than the last.

Prices come from measured rates and are rounded up; what does not fit is left out, with its price. A plan of which some
stages are done is made in the same way for the time that is left: what is done costs nothing any more, and it may be
done again on more rows or with more tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from goldproof.claiming.asked_planner import TooLittleTimeError, asked_worth, extend_asked, plan_asked
from goldproof.claiming.data import ClaimData
from goldproof.claiming.plan import layer_config, removed, sides, source_seeds
from goldproof.claiming.prices import Prices
from goldproof.claiming.settings import Config
from goldproof.claiming.stages import Omission, Stage, StagePart, minutes_text
from goldproof.claiming.timing import Rates
from goldproof.errors import UsageError
from goldproof.studies.asked import is_asked

FEWEST_ROWS = 200
FEWEST_TRAININGS = 3
WORTHWHILE = 1.5  # times as many rows, for which all that was learned from fewer is learned again
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

    `audit` are the seconds of the audit, which comes first, `page` those of the page at the end. `first` names the
    stages of the plan that this one extends.
    """

    stages: tuple[Stage, ...]
    left_out: tuple[Omission, ...]
    minutes: float
    rates: Rates
    audit: float = 0.0
    page: float = PAGE
    first: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """What is expected in all, the page included."""
        return self.audit + sum(stage.seconds for stage in self.stages) + self.page

    def lines(self) -> list[str]:
        """The plan as people read it, before work starts."""
        said = [f"{stage.name}: about {minutes_text(stage.seconds)}" for stage in self.stages]
        minutes = f"{self.minutes:g} {'minute' if self.minutes == 1 else 'minutes'}"
        return [
            f"Planned for {minutes}: about {minutes_text(self.seconds)} in all. Work ends within the "
            f"given minutes; writing the page then takes about {minutes_text(self.page)}.",
            *([f"the audit: about {minutes_text(self.audit)}"] if self.audit else []),
            *said,
            *(f"left out: {each.sentence()}" for each in self.left_out),
        ]

    def extends(self, old: ClaimsPlan) -> ClaimsPlan:
        """The same as an extension of another plan, or of that which the other one extends."""
        first = old.first or tuple(stage.name for stage in old.stages)
        stages = tuple(replace(each, added=each.name not in first) for each in self.stages)
        return replace(self, stages=stages, first=first)

    def added(self) -> list[str]:
        """What was not in the plan at first, as people read it."""
        return [f"{stage.title}: about {minutes_text(stage.seconds)}." for stage in self.stages if stage.added]


def make_plan(asked: Config, data: ClaimData, rates: Rates, budget: Budget, done: Sequence[Stage] = ()) -> ClaimsPlan:
    """The stages that fit, in the order of their worth; an error where not even one small training does.

    Those that are done come first, and what follows is planned from there for the time that is left.
    """
    prices = Prices(asked, data, rates)
    audit = prices.audit() if budget.audit is None else 0.0
    page = PAGE + (prices.audit() if budget.audit is None else budget.audit)
    room = (budget.minutes * 60 - budget.spent) * SHARE - page - audit
    if is_asked(asked):
        if done:
            return _extended(extend_asked(asked, data, rates, room, page - PAGE, done), prices, budget)
        chosen = _asked_stages(prices, room, budget, page + audit)
        return ClaimsPlan(*chosen, budget.minutes, rates, audit, page)
    if done:
        return _extended(_extend(prices, room, page - PAGE, done), prices, budget)
    bare = replace(asked, seeds=asked.seeds[:1], reference="", one_side=0, levels=0, layers=False)
    base, left = _sized(bare, prices, room, budget, page + audit)
    n_first = min(FEWEST_TRAININGS, len(asked.seeds)) if _fits(base, prices, room) else 1
    said = f"{n_first} training{'s' if n_first > 1 else ''}{_elsewhere(base, data)}"
    first = _grown(said, n_first, prices.training(base), lambda k: replace(base, seeds=asked.seeds[:k]))
    stages, more = _filled([first], first.config, prices, room - first.seconds)
    return ClaimsPlan(tuple(stages), (*left, *more), budget.minutes, rates, audit, page)


def worth(config: Config, asked: Config, data: ClaimData) -> tuple[float, ...]:
    """What settings ask for, in the order of its worth: of two plans the better one has more of what comes first."""
    if is_asked(asked):
        return asked_worth(config, asked, data)
    return (
        min(FEWEST_TRAININGS, len(config.seeds)),
        Prices(asked, data, Rates(0.0, 0.0, 0.0)).rows(config),
        len(config.tests),
        len(removed(config, data)),
        config.one_side,
        _references(config),
        config.layers,
        len(config.seeds),
        config.levels,
    )


def _filled(stages: Sequence[Stage], first: Config, prices: Prices, room: float) -> tuple[list[Stage], list[Omission]]:
    """The stages with all that may follow these trainings and fits, and what does not fit."""
    asked, found, left = prices.config, list(stages), []
    for stage in _further_stages(asked, first, prices):
        offered = stage if stage.seconds <= room else _fewer_trainings(asked, first, stage, prices, room)
        if offered is not None:
            found.append(_after(found[-1].config, offered))
            room -= offered.seconds
        if offered is None:
            left.append(Omission(stage.title, stage.seconds))
        elif offered is not stage:
            n, seconds = len(stage.parts) - len(offered.parts), stage.seconds - offered.seconds
            left.append(Omission(f"{n} more training{'s' if n > 1 else ''}", seconds))
    return found, left


def _fewer_trainings(asked: Config, first: Config, stage: Stage, prices: Prices, room: float) -> Stage | None:
    """As many of the further trainings as fit, where that makes three or more."""
    before, n = len(first.seeds), int(room / prices.training(first))
    if len(stage.config.seeds) == before or n <= 0 or before + n < FEWEST_TRAININGS:
        return None
    return _more_trainings(asked, first, n, prices)


def _extended(found: tuple[list[Stage], list[Omission], float], prices: Prices, budget: Budget) -> ClaimsPlan:
    """The plan of what is done and of what follows; the audit and the page take longer of more rows."""
    stages, left, growth = found
    audit = budget.audit or 0.0
    rest = PAGE + audit * growth
    return ClaimsPlan(tuple(stages), tuple(left), budget.minutes, prices.rates, audit, rest)


def _extend(
    prices: Prices, room: float, audit: float, done: Sequence[Stage]
) -> tuple[list[Stage], list[Omission], float]:
    """What follows the stages that are done: the trainings that are worth most, then all else that fits."""
    asked, data, current = prices.config, prices.data, done[-1].config
    known = worth(current, asked, data)
    wanted = next(
        (
            each
            for each in _better(asked, current, prices)
            if prices.more(current, each, audit) <= room and worth(each, asked, data) > known
        ),
        current,
    )
    stages = list(done)
    if wanted is not current:
        stage = _trained_more(asked, current, wanted, prices, audit)
        stages.append(stage)
        room -= stage.seconds
    found, left = _filled(stages, wanted, prices, room)
    return found, [*_not_trained(asked, wanted, prices, audit), *left], prices.growth(current, wanted)


def _better(asked: Config, current: Config, prices: Prices) -> Iterator[Config]:
    """The trainings that could be made in place of these, or beside them, the most worth first."""
    classes = asked.classes if removed(asked, prices.data) else current.classes
    most, rows = prices.rows(asked), [prices.rows(current)]
    while rows[-1] < most:
        rows.append(min(most, int(rows[-1] / 0.9) + 1))
    n = len(current.seeds)
    for n_seeds in dict.fromkeys([max(n, min(FEWEST_TRAININGS, len(asked.seeds))), n]):
        for n_rows in reversed(rows):
            if rows[0] < n_rows < min(most, WORTHWHILE * rows[0]):
                continue
            kept = {rows[0]: current.data.most_train, most: asked.data.most_train}.get(n_rows, n_rows)
            more = replace(current, seeds=asked.seeds[:n_seeds], data=replace(asked.data, most_train=kept))
            yield replace(more, tests=asked.tests, classes=classes)
            yield replace(more, tests=asked.tests)
            yield more


def _trained_more(asked: Config, current: Config, wanted: Config, prices: Prices, audit: float) -> Stage:
    """The stage that makes these trainings; of use only as a whole where those that are done have to be made again."""
    n, seconds = len(wanted.seeds), prices.more(current, wanted, audit)
    if replace(current, seeds=wanted.seeds) == wanted:
        stage = _more_trainings(asked, current, n - len(current.seeds), prices)
        return replace(stage, name=f"{stage.name}, {n} in all")
    rows = f" on {prices.rows(wanted):,} rows" if wanted.data != current.data else ""
    name = f"{n} training{'s' if n > 1 else ''}{rows}{_elsewhere(wanted, prices.data)}"
    return Stage(name, (StagePart(wanted, seconds),))


def _not_trained(asked: Config, config: Config, prices: Prices, audit: float) -> Iterator[Omission]:
    """What these trainings were not asked for, with the price of making them again."""
    whole = (
        ("Words removed from the test texts", replace(config, classes=asked.classes), removed),
        ("Tests in other languages", replace(config, tests=asked.tests), lambda each, _: each.tests),
    )
    for name, more, asks in whole:
        if len(asks(more, prices.data)) > len(asks(config, prices.data)):
            yield Omission(name, prices.more(config, more, audit))
    rows, most = prices.rows(config), prices.rows(asked)
    if rows < most:
        price = prices.more(config, replace(config, data=asked.data), audit)
        yield Omission(f"Trained on {rows:,} of {most:,} rows; all of them", price)


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
        had, n = first.one_side, min(asked.one_side, len(first.seeds)) - first.one_side
        name = f"each text alone ({2 * n} {_more(had)}trainings)"
        if n > 0:
            found.append(_grown(name, n, 2 * plain, lambda k: replace(first, one_side=had + k), "pairs of trainings"))
    if asked.reference:
        before, n = _references(first), min(asked.references, len(first.seeds)) - _references(first)
        name = f"the reference model ({n} {_more(before)}training{'s' if n > 1 else ''})"
        if n > 0:
            compared = replace(first, reference=asked.reference)
            found.append(_grown(name, n, plain, lambda k: replace(compared, references=before + k)))
    if layer_config(asked, data) is not None and not first.layers:
        part = StagePart(replace(first, layers=True), prices.layers(asked))
        found.append(Stage("what the layers know", (part,), paced=False))
    extra = len(asked.seeds) - len(first.seeds)
    if extra > 0:
        found.append(_more_trainings(asked, first, extra, prices))
    if asked.levels and not first.levels:
        n = len(source_seeds(asked))
        part = StagePart(replace(first, levels=asked.levels), n * plain)
        found.append(Stage(f"initialisation, data order and dropout varied separately ({n} trainings)", (part,)))
    return found


def _more_trainings(asked: Config, first: Config, n: int, prices: Prices) -> Stage:
    """So many trainings more, all else as it is."""
    before = len(first.seeds)
    name = f"{n} more training{'s' if n > 1 else ''}"
    return _grown(name, n, prices.training(first), lambda k: replace(first, seeds=asked.seeds[: before + k]))


def _more(before: int) -> str:
    return "more " if before else ""


def _references(config: Config) -> int:
    return config.references if config.reference else 0


def _joined(before: Config, more: Config) -> Config:
    """The settings that ask for both."""
    return replace(
        before,
        seeds=max(before.seeds, more.seeds, key=len),
        one_side=max(before.one_side, more.one_side),
        reference=before.reference or more.reference,
        references=max(_references(before), _references(more)) or before.references,
        layers=before.layers or more.layers,
        levels=before.levels or more.levels,
    )
