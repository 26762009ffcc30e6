"""The work of a page under its clock: the audit, then each stage, until all is done or the time is over.

The plan is made again where the pace turns out to be another: with less where this machine became slower, with more
where a plan that is worth more fits into the time that is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from goldproof.claiming.asked_planner import n_requests
from goldproof.claiming.book import Book
from goldproof.claiming.data import ClaimData, find_data
from goldproof.claiming.plan import audit_job
from goldproof.claiming.planner import Budget, ClaimsPlan, make_plan, worth
from goldproof.claiming.settings import Config
from goldproof.claiming.stages import TIME, Omission, Stage, StageWatch, cut_short, minutes_text
from goldproof.errors import JobFailedError, UsageError
from goldproof.jobs import Job, Outcome, Runner, run_jobs
from goldproof.jobs.watch import ITEMS, STEPS, CutShortError, watched_by
from goldproof.models.endpoint import BUDGET
from goldproof.studies.campaign import Campaign

HEAVY = ("goldproof.train", "goldproof.ask")
LEAST = 0.001  # of a part of which all that takes long is there, but not all
FASTER = "There is time for more than was planned; the plan is extended."
SLOWER = "This machine has become slower than measured; the plan is made again."
TOLD_EVERY = 1.0  # seconds between news of the time that is left


@dataclass(frozen=True, slots=True)
class ClaimsNews:
    """What a run tells: lines to show, the job that came to an end, and how many seconds of how many are left."""

    lines: tuple[str, ...] = ()
    outcome: Outcome | None = None
    at: str = ""
    left: float = 0.0
    planned: float = 0.0


Listener = Callable[[ClaimsNews], None]


class Work:
    """One request under way. `pace` is how many seconds a planned second took in the stage before."""

    def __init__(self, book: Book, data: ClaimData, runner: Runner, tell: Listener) -> None:
        self.book, self.data, self.runner, self.listener = book, data, runner, tell
        self.pace = 1.0
        self.told, self.at, self.begun = 0.0, "", ""
        self.why = TIME
        self.renewed: ClaimsPlan | None = None
        self.is_audited = False

    @property
    def plan(self) -> ClaimsPlan:
        """The plan as it is now."""
        assert self.book.plan is not None
        return self.book.plan

    def run(self) -> Config:
        """Run what the plan asks; what was asked in the end, with what was left out."""
        self._audit()
        config, left = self._stages()
        config = replace(config, left_out=tuple(each.sentence() for each in left), added=self._added(config))
        self.book.end(config)
        return config

    def _audit(self) -> None:
        """The audit, whose time says what the page will take, as it is drawn from the data once more.

        Where the plan trains on fewer rows, it is of these.
        """
        config = self.plan.stages[-1].config
        job: Job[Any] = audit_job(config, find_data(config))
        if self.book.store.has(job.key):
            return
        begun = self.book.now()
        self._news("the audit", self.plan.seconds)
        self._outcomes(run_jobs([job], self.book.store, self.runner))
        self.book.audit = self.book.now() - begun
        self.book.save()
        self.is_audited = True

    def _stages(self) -> tuple[Config, list[Omission]]:
        """Each stage asks for all that those before it do, so that the first that would not end in time is the last.

        Before each, and after the last, it is asked whether a plan that is worth more fits by now.
        """
        used: Config | None = None
        for place, stage in enumerate(self.plan.stages):
            lacking = self._lacking(stage)
            if lacking[-1] == 0:
                used = stage.config
                continue
            if self._extends(place):
                return self._anew()
            first = next(each for each in lacking if each > 0)
            is_late = self.pace * first > self.book.room() - self.plan.page
            if is_late and (used is not None or self._whole(stage, lacking) is not None):
                return self._rest(used, place, lacking)
            if not self._is_done(stage, lacking, is_first=used is None):
                if self.renewed is not None:
                    return self._anew()
                return self._rest(used, place, self._lacking(stage))
            used = stage.config
        if self._extends(len(self.plan.stages)):
            return self._anew()
        assert used is not None
        return used, list(self.plan.left_out)

    def _lacking(self, stage: Stage) -> tuple[float, ...]:
        """The planned seconds up to the end of each part that are not in the store, by the share of absent jobs."""
        found: list[float] = []
        before: set[str] = set()
        total, done = 0.0, 0.0
        for part in stage.parts:
            campaign = Campaign("claims", part.config, self.book.store)
            absent = {job.key for job in campaign.plan().absent} - before
            new = [job for job in campaign.jobs() if job.key not in before]
            heavy = [job.key for job in new if job.step.name in HEAVY]
            share = sum(key in absent for key in heavy) / len(heavy) if heavy else 1.0
            total += max(share, LEAST) * (part.seconds - done) if absent else 0.0
            done, before = part.seconds, before | {job.key for job in new} | absent
            found.append(total)
        return tuple(found)

    def _whole(self, stage: Stage, lacking: Sequence[float]) -> Config | None:
        """The settings of the last part of which all is there."""
        whole = [part.config for part, seconds in zip(stage.parts, lacking, strict=True) if seconds == 0]
        return whole[-1] if whole else None

    def _rest(self, used: Config | None, place: int, lacking: Sequence[float]) -> tuple[Config, list[Omission]]:
        """What can be used where a stage was not finished, and what was left out with its price at the pace so far."""
        stage, after = self.plan.stages[place], self.plan.stages[place + 1 :]
        config = self._whole(stage, lacking) or used
        if config is None:
            raise UsageError(self._nothing(stage))
        n_done = sum(seconds == 0 for seconds in lacking)
        begun = n_done or self.begun == stage.name
        price = self.pace * lacking[-1]
        first = cut_short(stage, n_done, price, self.why) if begun else Omission(stage.title, price)
        if used is not None and _rows(stage.config) != _rows(used):  # what the plan leaves out is told of other rows
            return used, [*([first] if begun else []), *self._planned(self.pace, self._done(place), 0.0).left_out]
        rest = [first, *(Omission(each.title, self.pace * each.seconds) for each in after)]
        if self.why != TIME:
            rest = self._in_requests(rest, place)
        return config, [*self.plan.left_out, *rest]

    def _in_requests(self, rest: Sequence[Omission], place: int) -> list[Omission]:
        """What is left from a stage on, where it is money that is lacking: in requests, each at what it adds."""
        store, before, found = self.book.store, 0, []
        for each, stage in zip(rest, self.plan.stages[place:], strict=True):
            total = n_requests(stage.config, self.data, lambda job: not store.has(job.key))
            found.append(replace(each, requests=total - before))
            before = total
        return found

    def _nothing(self, stage: Stage) -> str:
        """That not even the first part of the first stage was finished."""
        first = "the first" if stage.least == 1 else f"the first {stage.least}"
        was = "was" if stage.least == 1 else "were"
        which = "the training" if stage.n_units == 1 else f"{first} of the {stage.n_units} {stage.unit}"
        if self.why != TIME:
            return f"{self.why} before {which} {was} finished; what was answered is kept"
        is_smaller = stage.config.data.most_train is not None or stage.config.prompts.most_items is not None
        more = (
            "with more minutes the same command plans again"
            if is_smaller  # and asks for other jobs then
            else "what was begun is kept, and the same command with more minutes carries on from there"
        )
        return f"--minutes {self.plan.minutes:g} was too short: the time was up before {which} {was} finished; {more}"

    def _anew(self) -> tuple[Config, list[Omission]]:
        """Go on with the plan that was made for the pace of this machine."""
        assert self.renewed is not None
        plan, self.renewed = self.renewed, None
        lines = [SLOWER, *plan.lines()]
        if plan.first:
            had = {stage.name for stage in self.plan.stages}
            added = [stage for stage in plan.stages if stage.name not in had]
            more = [f"added: {stage.name}: about {minutes_text(stage.seconds)}" for stage in added]
            lines = [FASTER, *more, *(f"left out: {each.sentence()}" for each in plan.left_out)]
        self.pace = 1.0
        self.book.keep(plan)
        self.listener(ClaimsNews(lines=tuple(lines), planned=plan.seconds))
        self._audit()
        return self._stages()

    def _is_done(self, stage: Stage, lacking: tuple[float, ...], *, is_first: bool) -> bool:
        """Run a stage; False where it was cut short."""
        self.begun, begun, after = stage.name, self.book.now(), self._after(stage)
        rates = self.plan.rates
        watch = StageWatch(
            stage,
            lacking,
            {STEPS: rates.step, ITEMS: rates.item * stage.weight},
            self.book.room,
            lambda: self.book.now() - begun,
            self._replan if is_first else None,
            lambda left: self._news(stage.name, left + self.pace * after),
            is_bare=is_first and self._whole(stage, lacking) is None,
        )
        self._news(stage.name, self.pace * (lacking[-1] + after))
        try:
            with watched_by(watch.tell):
                outcomes = Campaign("claims", stage.config, self.book.store).run(self.runner)
                self._outcomes(outcomes)
        except CutShortError:
            self.runner.close(cancel=True)
            return False
        finally:
            self.pace = watch.pace or self.pace
            self.book.save()
        return True

    def _after(self, stage: Stage) -> float:
        place = self.plan.stages.index(stage)
        return sum(each.seconds for each in self.plan.stages[place + 1 :]) + self.plan.page

    def _replan(self, pace: float, n_fit: int) -> bool:
        """Whether more trainings fit if less is asked of each: then that is the plan."""
        return self._renew(pace, (), lambda plan: len(plan.stages[0].parts) > n_fit)

    def _extends(self, place: int) -> bool:
        """Whether, with so many stages done, a plan that is worth more fits by the pace so far: then it is the plan.

        Before the first is done, only the audit can have left time, and it is of the same rows.
        """
        if place == 0 and not self.is_audited:
            return False
        self.is_audited = False
        old, done, asked = self.plan.stages, self._done(place), self.book.asked

        def is_better(plan: ClaimsPlan) -> bool:
            first, last = plan.stages[0].config, plan.stages[-1].config
            is_of_these = bool(done) or _rows(first) == _rows(old[0].config)
            return is_of_these and worth(last, asked, self.data) > worth(old[-1].config, asked, self.data)

        if not self._renew(self.pace, done, is_better):
            return False
        assert self.renewed is not None
        self.renewed = self.renewed.extends(self.plan)
        return True

    def _renew(self, pace: float, done: Sequence[Stage], is_better: Callable[[ClaimsPlan], bool]) -> bool:
        """Make the plan again at another pace, for the time that is left; whether it is better, and then taken."""
        try:
            plan = self._planned(pace, done, self.book.room())
        except UsageError:
            return False
        self.renewed = plan if is_better(plan) else None
        return self.renewed is not None

    def _done(self, place: int) -> list[Stage]:
        """So many stages, as long as they are by the pace so far."""
        return [stage.paced_by(self.pace) for stage in self.plan.stages[:place]]

    def _planned(self, pace: float, done: Sequence[Stage], room: float) -> ClaimsPlan:
        """The plan at another pace, with so many seconds left."""
        rates, minutes = self.plan.rates, self.book.minutes
        paced = replace(rates, load=pace * rates.load, step=pace * rates.step, item=pace * rates.item)
        budget = Budget(minutes, minutes * 60 - room, self.book.audit or self.plan.audit)
        return make_plan(self.book.asked, self.data, paced, budget, done)

    def _added(self, config: Config) -> tuple[str, ...]:
        """What was added to the plan, as far as it is used."""
        known = worth(config, self.book.asked, self.data)
        used = [each for each in self.plan.stages if worth(each.config, self.book.asked, self.data) <= known]
        return tuple(replace(self.plan, stages=tuple(used)).added())

    def _outcomes(self, outcomes: Iterable[Outcome]) -> None:
        """Tell of each job; an error of the first that failed once the others are done.

        An endpoint that would cost more than may be spent ends the stage as the clock does.
        """
        failed: list[Outcome] = []
        for outcome in outcomes:
            self.book.save(often=False)
            failed += [outcome] if outcome.status == "failed" else []
            self.listener(ClaimsNews(outcome=outcome))
        if failed and all(each.error.startswith(BUDGET) for each in failed):
            self.why = "the budget was spent"
            raise CutShortError(self.why)
        if failed:
            first = failed[0]
            raise JobFailedError(
                f"the job {first.description} [{first.key[:12]}] failed: {first.error}; finished work is kept in the "
                f"store {self.book.store.where}: fix the cause and run the same command again",
                key=first.key,
            )

    def _news(self, at: str, left: float) -> None:
        """Say how much time is left, at most now and then while it is at one thing."""
        now = self.book.now()
        if at != self.at or now - self.told >= TOLD_EVERY:
            self.at = at
            self.told = now
            self.listener(ClaimsNews(at=at, left=left, planned=self.plan.seconds))


def _rows(config: Config) -> tuple[int | None, int | None]:
    """Of which rows the audit is."""
    return config.data.most_train, config.prompts.most_items
