"""What is run one after the other: stages with their prices, and how a stage under way compares with its plan.

A stage that would not end in time is cut short at a safe place: what of it is finished is used, and the rest is named
with its price. No clock is read here but the one that is given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from goldproof.claiming.settings import Config
from goldproof.jobs.watch import SKIPPED, STEPS, CutShortError

JUDGED = 5.0  # planned seconds of a stage after which its pace is known, and at least
JUDGED_SHARE = 0.3  # of its first part, so that steps and answers have both been seen


@dataclass(frozen=True, slots=True)
class StagePart:
    """What may be used once so many seconds of a stage are done: the settings that ask for no more."""

    config: Config
    seconds: float


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of the work: what it asks, in parts of which each asks for more than the last.

    `unit` is what a part adds, in the plural; empty where the stage is of use only as a whole. `paced` says that its
    work tells how far it is, `weight` how much dearer an item is here than elsewhere, `least` how many units its first
    part has. `added` says that it was not in the plan at first.
    """

    name: str
    parts: tuple[StagePart, ...]
    unit: str = ""
    paced: bool = True
    weight: float = 1.0
    least: int = 1
    added: bool = False

    @property
    def n_units(self) -> int:
        """How many units all of it has."""
        return len(self.parts) + self.least - 1

    @property
    def config(self) -> Config:
        """The settings that ask for all of it, and for all before it."""
        return self.parts[-1].config

    @property
    def seconds(self) -> float:
        """What all of it takes."""
        return self.parts[-1].seconds

    def paced_by(self, pace: float) -> Stage:
        """The same, of which each planned second takes so many."""
        return replace(self, parts=tuple(replace(part, seconds=pace * part.seconds) for part in self.parts))

    @property
    def title(self) -> str:
        """Its name at the beginning of a sentence."""
        return f"{self.name[0].upper()}{self.name[1:]}"


@dataclass(frozen=True, slots=True)
class Omission:
    """What was not asked, and what it would take, in seconds or in requests to an endpoint; without both, why it
    cannot be.
    """

    name: str
    seconds: float | None = None
    reason: str = ""
    requests: int | None = None

    def sentence(self) -> str:
        """In words."""
        if self.requests is not None:
            n = f"{self.requests:,} {'request' if self.requests == 1 else 'requests'}"
            return f"{self.name}: {self.reason}at most {n} more."
        if self.seconds is None:
            return f"{self.name}: {self.reason}"
        return f"{self.name}: {self.reason}about {minutes_text(self.seconds)} more."


def minutes_text(seconds: float) -> str:
    """A time in minutes, or seconds where it is short.

    >>> minutes_text(40), minutes_text(400)
    ('40 seconds', '7 minutes')
    """
    if seconds < 90:
        return f"{max(1, round(seconds))} {'second' if round(seconds) <= 1 else 'seconds'}"
    return f"{round(seconds / 60)} minutes"


TIME = "the time was up"


def cut_short(stage: Stage, n_done: int, seconds: float, why: str = TIME) -> Omission:
    """What is said of a stage of which so many parts were finished when it was cut short."""
    if not stage.unit and why != TIME:
        return Omission(stage.title, seconds, f"begun, and stopped when {why}; what is left is ")
    if not stage.unit:
        return Omission(
            stage.title, seconds, ("begun, and stopped because it would not have ended in time; what is left is ")
        )
    n = n_done + stage.least - 1 if n_done else 0
    were = "was" if n == 1 else "were"
    done = f"{n} of {stage.n_units} {stage.unit} {were} finished when {why}; the others take "
    return Omission(stage.title, seconds, done)


@dataclass(slots=True)
class StageWatch:
    """Follows a stage while it runs, and cuts it short where nothing more of it can be finished in time.

    `lacking` are the planned seconds up to the end of each part that are not in the store yet. `second_of` says how
    many planned seconds one unit of work is. `room` gives the seconds that are left, `since` those since the stage
    began. `replan` is asked, while no part is finished, whether something else should be done in the time that is left:
    it is told the pace and how many parts would be finished. Where nothing at all could be used yet (`is_bare`, and no
    part finished) the stage goes on until its time is over: less than nothing is not to be lost.
    """

    stage: Stage
    lacking: tuple[float, ...]
    second_of: Mapping[str, float]
    room: Callable[[], float]
    since: Callable[[], float]
    replan: Callable[[float, int], bool] | None = None
    report: Callable[[float], None] | None = None
    is_bare: bool = False
    done: float = 0.0
    spared: float = 0.0
    together: float = 0.0
    considered: int = field(default=-1)

    def tell(self, kind: str, amount: float) -> None:
        """So much more was done; an error where the stage is to end."""
        if kind == SKIPPED:
            self.spared += amount * self.second_of.get(STEPS, 0.0)
        else:
            self.done += amount * self.second_of.get(kind, 0.0)
            self.together = max(self.together, amount if kind == STEPS else 0.0)
        if self.report is not None:
            self.report(self.left())
        self._judge()

    @property
    def pace(self) -> float | None:
        """How many seconds a planned second takes; None while too little was done to tell."""
        first = next((each for each in self.lacking if each > 0), 0.0)
        is_known = self.stage.paced and self.done >= max(JUDGED, JUDGED_SHARE * first - self.spared)
        return self.since() / self.done if is_known else None

    def left(self) -> float:
        """The seconds that the stage still takes, by its pace."""
        pace = self.pace
        return (1.0 if pace is None else pace) * self._ahead(self.lacking[-1])

    def _ahead(self, lacking: float) -> float:
        return max(0.0, lacking - self.spared - self.done)

    def _judge(self) -> None:
        room, pace = self.room(), self.pace
        if room <= 0:
            raise CutShortError("the time is up")
        if pace is None:
            return
        ends = self.lacking[-1:] if self.together > 1 else self.lacking  # trainings in one stack end together
        ahead = [pace * self._ahead(end) for end in ends if self._ahead(end) > 0]
        if not ahead or ahead[-1] <= room:
            return
        n_finished = len(ends) - len(ahead)
        n_fit = n_finished + sum(each <= room for each in ahead)
        if not n_finished and self.replan is not None and n_fit != self.considered:
            self.considered = n_fit
            if self.replan(pace, n_fit):
                raise CutShortError("the plan is made again")
        if n_fit == n_finished and (n_finished or not self.is_bare):
            raise CutShortError("nothing more can be finished in time")
