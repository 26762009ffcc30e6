"""The note in the store that keeps the plan of a request, the seconds that were spent on it, and how it ended.

By it a run that was stopped goes on with its plan and with the time that was left, and one that is asked for again
gives the same page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from goldproof.claiming.planner import ClaimsPlan
from goldproof.claiming.settings import Config
from goldproof.claiming.stages import Omission, Stage, StagePart
from goldproof.claiming.timing import Rates
from goldproof.errors import GoldproofError
from goldproof.jobs import Store
from goldproof.jobs.key import canonical, digest
from goldproof.studies.campaign import stored_config

FORMAT = 2
SAVED_EVERY = 5.0  # seconds between notes of the time that was spent


class Book:
    """The note of one request; `now` is the clock."""

    def __init__(self, store: Store, asked: Config, minutes: float, now: Callable[[], float]) -> None:
        self.store, self.asked, self.minutes, self.now = store, asked, minutes, now
        request = {"format": FORMAT, "config": canonical(asked), "minutes": float(minutes)}
        self.name = f"claims/{digest(request)[:12]}.json"
        form = next((each for each in store.notes("claims") if _is_of(each, self.name)), None)
        self.plan: ClaimsPlan | None = None
        self.ended: Config | None = None
        self.audit: float | None = None
        self.before = 0.0
        if form is not None:
            with suppress(GoldproofError, KeyError, TypeError, ValueError):  # of another version: planned anew
                self._read(form)
        self.begun = self.saved = now()

    def _read(self, form: Mapping[str, Any]) -> None:
        plan = _read_plan(form["plan"])
        ended = None if form["ended"] is None else stored_config("claims", form["ended"])
        self.plan, self.ended, self.audit, self.before = plan, ended, form["audit"], float(form["spent"])

    def spent(self) -> float:
        """The seconds that were spent on this request, in this run and in those before."""
        return self.before + self.now() - self.begun

    def room(self) -> float:
        """The seconds that are left."""
        return self.minutes * 60 - self.spent()

    def keep(self, plan: ClaimsPlan) -> None:
        """Keep the plan."""
        self.plan = plan
        self.save()

    def end(self, config: Config) -> None:
        """Keep what was asked in the end."""
        self.ended = config
        self.save()

    def save(self, often: bool = True) -> None:
        """Note the time, at most now and then unless `often`."""
        now = self.now()
        if self.plan is None or (not often and now - self.saved < SAVED_EVERY):
            return
        self.saved = now
        ended = None if self.ended is None else canonical(self.ended)
        form = {"name": self.name, "spent": self.spent(), "plan": _plan_form(self.plan), "audit": self.audit}
        self.store.note(self.name, {**form, "ended": ended})


def _is_of(form: Any, name: str) -> bool:
    return isinstance(form, dict) and form.get("name") == name and isinstance(form.get("plan"), dict)


def _plan_form(plan: ClaimsPlan) -> dict[str, Any]:
    return {
        "minutes": plan.minutes,
        "rates": plan.rates.form(),
        "audit": plan.audit,
        "page": plan.page,
        "first": list(plan.first),
        "stages": [_stage_form(each) for each in plan.stages],
        "left_out": [asdict(each) for each in plan.left_out],
    }


def _stage_form(stage: Stage) -> dict[str, Any]:
    parts = [{"seconds": part.seconds, "config": canonical(part.config)} for part in stage.parts]
    rest = {"paced": stage.paced, "weight": stage.weight, "least": stage.least, "added": stage.added}
    return {"name": stage.name, "unit": stage.unit, **rest, "parts": parts}


def _read_plan(form: Mapping[str, Any]) -> ClaimsPlan:
    stages = tuple(_read_stage(each) for each in form["stages"])
    left = tuple(Omission(**each) for each in form["left_out"])
    rates = Rates(**form["rates"])
    minutes, audit, page = (float(form[name]) for name in ("minutes", "audit", "page"))
    return ClaimsPlan(stages, left, minutes, rates, audit, page, tuple(form.get("first", ())))


def _read_stage(form: Mapping[str, Any]) -> Stage:
    parts = tuple(StagePart(stored_config("claims", each["config"]), float(each["seconds"])) for each in form["parts"])
    return Stage(
        form["name"], parts, form["unit"], form["paced"], form["weight"], form["least"], form.get("added", False)
    )
