"""The work of a page under its clock: the audit, then each stage, until all is done or the time is over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from goldproof.claiming.book import Book
from goldproof.claiming.data import ClaimData, find_data
from goldproof.claiming.plan import audit_job
from goldproof.claiming.planner import Budget, ClaimsPlan, make_plan
from goldproof.claiming.settings import Config
from goldproof.claiming.stages import TIME, Omission, Stage, StageWatch, cut_short
from goldproof.errors import JobFailedError, UsageError
from goldproof.jobs import Job, Outcome, Runner, run_jobs
from goldproof.jobs.watch import ITEMS, STEPS, CutShortError, watched_by
from goldproof.models.endpoint import BUDGET
from goldproof.studies.campaign import Campaign

HEAVY = ("goldproof.train", "goldproof.ask")
LEAST = 0.001  # of a part of which all that takes long is there, but not all
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

    @property
    def plan(self) -> ClaimsPlan:
        """The plan as it is now."""
        assert self.book.plan is not None
        return self.book.plan

    def run(self) -> Config:
        """Run what the plan asks; what was asked in the end, with what was left out."""
        self._audit()
        config, left = self._stages()
        config = replace(config, left_out=tuple(each.sentence() for each in left))
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

    def _stages(self) -> tuple[Config, list[Omission]]:
        """Each stage asks for all that those before it do, so that the first that would not end in time is the last."""
        used: Config | None = None
        for place, stage in enumerate(self.plan.stages):
            lacking = self._lacking(stage)
            if lacking[-1] == 0:
                used = stage.config
                continue
            first = next(each for each in lacking if each > 0)
            is_late = self.pace * first > self.book.room() - self.plan.page
            if is_late and (used is not None or self._whole(stage, lacking) is not None):
                return self._rest(used, place, lacking)
            if not self._is_done(stage, lacking, is_first=used is None):
                if self.renewed is not None:
                    return self._anew()
                return self._rest(used, place, self._lacking(stage))
            used = stage.config
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
        return config, [*self.plan.left_out, first, *(Omission(each.title, self.pace * each.seconds) for each in after)]

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
        self.pace = 1.0
        self.book.keep(plan)
        lines = ("This machine has become slower than measured; the plan is made again.", *plan.lines())
        self.listener(ClaimsNews(lines=lines, planned=plan.seconds))
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
        rates = self.plan.rates
        slower = replace(rates, load=pace * rates.load, step=pace * rates.step, item=pace * rates.item)
        budget = Budget(self.book.minutes, self.book.spent(), self.book.audit or self.plan.audit)
        try:
            plan = make_plan(self.book.asked, self.data, slower, budget)
        except UsageError:
            return False
        if len(plan.stages[0].parts) <= n_fit:
            return False
        self.renewed = plan
        return True

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
