"""`goldproof.claims`: plan what fits into the minutes, run it stage by stage, and write the page with its evidence.

What is in the store is kept; a run that was stopped goes on with its plan and with the time that was left. It never
prints: what happens is told to a function.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from goldproof.claiming import files
from goldproof.claiming.data import ClaimData, find_data
from goldproof.claiming.evidence import evidence_text
from goldproof.claiming.planner import ClaimsPlan, Omission, Stage, make_plan
from goldproof.claiming.settings import Config
from goldproof.claiming.timing import Rates, measure_rates
from goldproof.errors import JobFailedError, UsageError
from goldproof.extras import require
from goldproof.jobs import Outcome, Runner, Store
from goldproof.jobs.key import canonical, digest
from goldproof.jobs.store import find_store
from goldproof.report.summary import Report
from goldproof.report.write import make_folder
from goldproof.runners.named import closing, make_runner, runner_needs
from goldproof.studies import find_study
from goldproof.studies.campaign import Campaign, stored_config
from goldproof.studies.settings import Choice, make_config

SAVED_EVERY = 5.0  # seconds between notes of the time that was spent

StudyData = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class ClaimsNews:
    """What a run tells: lines to show, the job that came to an end, and how many seconds of how many are left."""

    lines: tuple[str, ...] = ()
    outcome: Outcome | None = None
    at: str = ""
    left: float = 0.0
    planned: float = 0.0


Listener = Callable[[ClaimsNews], None]


@dataclass(frozen=True, slots=True, repr=False)
class ClaimsPage:
    """The page and the plan that it is from, the settings that were run, and the files that were written."""

    report: Report
    config: Config
    plan: ClaimsPlan
    files: tuple[Path, ...] = field(default=())

    def __repr__(self) -> str:
        """The claim and the lights, a line for each sentence."""
        return repr(self.report)

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


def claims(  # noqa: PLR0913 - the one way in: each is given by its name, and few have to be
    model: StudyData,
    train: StudyData,
    test: StudyData,
    *,
    tests: Mapping[str, StudyData] | None = None,
    validation: StudyData | None = None,
    language: str | None = None,
    name: str = "",
    reference: StudyData | None = None,
    minutes: float = 15.0,
    settings: Mapping[str, Any] | None = None,
    store: str | Path | Store | None = None,
    runner: str | Runner = "serial",
    out: str | Path | None = None,
    progress: Listener | None = None,
) -> ClaimsPage:
    """What may be claimed of a model on data, within a number of minutes.

    `model` is a folder or the name of a downloaded model, as [NAME=]FOLDER; `train`, `validation` and `test` are files
    of your own, `tests` further test files by language. `reference` is a model trained alike, to be compared with it.
    `settings` are those of the page by dotted key ({"recipe.epochs": 3}). `out` is a folder for the page, its full
    reports and `evidence.json`. Run it again after it was stopped, and it goes on.
    """
    given = request_settings(model, train, test, tests or {}, validation, language, name, reference)
    choice = Choice(settings={**given, **(settings or {})})
    return run_claims(choice, minutes, find_store(store), runner=runner, out=out, progress=progress)


def request_settings(  # noqa: PLR0913 - what a request consists of
    model: StudyData,
    train: StudyData,
    test: StudyData,
    tests: Mapping[str, StudyData],
    validation: StudyData | None,
    language: str | None,
    name: str,
    reference: StudyData | None,
) -> dict[str, Any]:
    """The settings of the page, by dotted key, that a request comes to."""
    paths = {"data.train": train, "data.test": test, "data.validation": validation, "reference": reference}
    return {
        "model": os.fspath(model),
        **{key: os.fspath(path) for key, path in paths.items() if path is not None},
        "tests": tuple(f"{code}={os.fspath(path)}" for code, path in tests.items()),
        "data.languages": () if language is None else (language,),
        "data.name": name,
    }


def run_claims(
    choice: Choice,
    minutes: float,
    store: Store,
    *,
    runner: str | Runner = "serial",
    out: str | Path | None = None,
    progress: Listener | None = None,
) -> ClaimsPage:
    """Plan, run and write."""
    if not minutes > 0:
        raise UsageError(f"--minutes must be above 0; got {minutes:g}")
    tell = progress or (lambda _: None)
    asked: Config = make_config(find_study("claims"), choice)
    data = find_data(asked)
    campaign = Campaign("claims", asked, store)
    require(*campaign.lacking(), *(runner_needs(runner) if isinstance(runner, str) else ()))
    campaign.check_models()
    if out is not None:
        make_folder(Path(out))
    store.open()
    tell(ClaimsNews(lines=tuple(data.notes)))
    book = _Book(store, asked, minutes)
    plan = book.plan or _planned(asked, data, minutes, book, tell)
    tell(ClaimsNews(lines=tuple(plan.lines()), planned=plan.seconds))
    with _place(runner) as place:
        config, left = _run_stages(plan, book, store, place, tell)
        config = replace(config, left_out=tuple(each.sentence() for each in left))
        tell(ClaimsNews(at="the page", left=0.0, planned=plan.seconds))
        report = Campaign("claims", config, store).report(place)
    written = (
        () if out is None else tuple(files.write_page(report, Path(out), evidence_text(report, config, data, store)))
    )
    return ClaimsPage(report, config, plan, written)


@contextmanager
def _place(runner: str | Runner) -> Iterator[Runner]:
    """The runner of a name, closed at the end; one that was opened elsewhere stays open."""
    if not isinstance(runner, str):
        yield runner
        return
    with closing(make_runner(runner)) as place:
        yield place


def _planned(asked: Config, data: ClaimData, minutes: float, book: _Book, tell: Listener) -> ClaimsPlan:
    tell(ClaimsNews(lines=("A short calibration: how fast does this machine train and answer?",), at="calibration"))
    plan = make_plan(asked, data, measure_rates(asked, data), minutes)
    book.keep(plan)
    return plan


def _run_stages(
    plan: ClaimsPlan, book: _Book, store: Store, runner: Runner, tell: Listener
) -> tuple[Config, list[Omission]]:
    """Run the stages while there is time; what was run, and what was left out in the end.

    Each stage asks for all that those before it do, so that the first that would not end in time is the last.
    """
    left, config = list(plan.left_out), plan.stages[0].config
    pace = 1.0  # how much longer a planned second takes, by what was run so far
    for place, stage in enumerate(plan.stages):
        room = plan.minutes * 60 - book.spent()
        if place and pace * stage.seconds > room and _is_absent(stage, store):
            rest = plan.stages[place:]
            left += [Omission(f"{each.name[0].upper()}{each.name[1:]}", pace * each.seconds) for each in rest]
            break
        begun, ahead = time.monotonic(), sum(each.seconds for each in plan.stages[place:])
        _run_stage(stage, store, runner, tell, (pace * ahead, plan.seconds), book)
        config, taken = stage.config, time.monotonic() - begun
        if taken > 1 and place == 0:
            pace = max(pace, taken / max(stage.seconds, 1.0))
    book.save()
    return config, left


def _is_absent(stage: Stage, store: Store) -> bool:
    return bool(Campaign("claims", stage.config, store).plan().absent)


def _run_stage(
    stage: Stage, store: Store, runner: Runner, tell: Listener, ahead: tuple[float, float], book: _Book
) -> None:
    campaign = Campaign("claims", stage.config, store)
    begun, (left, planned) = time.monotonic(), ahead
    tell(ClaimsNews(at=stage.name, left=left, planned=planned))
    failed: list[Outcome] = []
    for outcome in campaign.run(runner):
        book.save(often=False)
        if outcome.status == "failed":
            failed.append(outcome)
        still = max(0.0, left - (time.monotonic() - begun))
        tell(ClaimsNews(outcome=outcome, at=stage.name, left=still, planned=planned))
    if failed:
        first = failed[0]
        raise JobFailedError(
            f"the job {first.description} [{first.key[:12]}] failed: {first.error}; finished work is kept in the store "
            f"{store.where}: mend the cause and run the same again",
            key=first.key,
        )


class _Book:
    """The note in the store that keeps the plan of a request and the seconds that were spent on it."""

    def __init__(self, store: Store, asked: Config, minutes: float) -> None:
        self.store, self.asked, self.minutes = store, asked, minutes
        self.name = f"claims/{digest({'config': canonical(asked), 'minutes': float(minutes)})[:12]}.json"
        form = next((each for each in store.notes("claims") if _is_of(each, self.name)), None)
        self.before = float(form["spent"]) if form else 0.0
        self.plan = _read_plan(form["plan"]) if form else None
        self.begun = self.saved = time.monotonic()

    def spent(self) -> float:
        """The seconds that were spent on this request, in this run and in those before."""
        return self.before + time.monotonic() - self.begun

    def keep(self, plan: ClaimsPlan) -> None:
        """Keep the plan."""
        self.plan = plan
        self.save()

    def save(self, often: bool = True) -> None:
        """Note the time, at most now and then unless `often`."""
        now = time.monotonic()
        if self.plan is None or (not often and now - self.saved < SAVED_EVERY):
            return
        self.saved = now
        self.store.note(self.name, {"name": self.name, "spent": self.spent(), "plan": _plan_form(self.plan)})


def _is_of(form: Any, name: str) -> bool:
    return isinstance(form, dict) and form.get("name") == name and isinstance(form.get("plan"), dict)


def _plan_form(plan: ClaimsPlan) -> dict[str, Any]:
    return {
        "minutes": plan.minutes,
        "rates": plan.rates.form(),
        "stages": [
            {"name": each.name, "seconds": each.seconds, "config": canonical(each.config)} for each in plan.stages
        ],
        "left_out": [{"name": each.name, "seconds": each.seconds, "reason": each.reason} for each in plan.left_out],
    }


def _read_plan(form: Mapping[str, Any]) -> ClaimsPlan:
    stages = tuple(
        Stage(each["name"], stored_config("claims", each["config"]), float(each["seconds"])) for each in form["stages"]
    )
    left = tuple(Omission(each["name"], each["seconds"], each["reason"]) for each in form["left_out"])
    return ClaimsPlan(stages, left, float(form["minutes"]), Rates(**form["rates"]))
