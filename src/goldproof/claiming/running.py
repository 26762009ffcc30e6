"""`goldproof.claims`: plan what fits into the minutes, run it stage by stage, and write the page with its evidence.

What is in the store is kept; a run that was stopped goes on with its plan and with the time that was left. A stage that
would not end in time is cut short, and what of it is finished is used. It never prints: what happens is told to a
function.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goldproof.claiming import files
from goldproof.claiming.book import Book
from goldproof.claiming.data import ClaimData, find_data
from goldproof.claiming.evidence import evidence_text
from goldproof.claiming.plan import settled
from goldproof.claiming.planner import Budget, ClaimsPlan, make_plan
from goldproof.claiming.settings import Config
from goldproof.claiming.timing import Rates, measure_rates
from goldproof.claiming.work import ClaimsNews, Listener, Work
from goldproof.errors import UsageError
from goldproof.extras import require
from goldproof.jobs import Runner, Store
from goldproof.jobs.store import find_store
from goldproof.models.endpoint import is_endpoint
from goldproof.report.summary import Report
from goldproof.report.write import make_folder
from goldproof.runners.named import closing, make_runner, runner_needs
from goldproof.studies import find_study
from goldproof.studies.campaign import Campaign
from goldproof.studies.settings import Choice, make_config
from goldproof.studies.shared import parse_folder

StudyData = str | os.PathLike[str]


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
    text = {"prompts.answer": "text"} if is_endpoint(parse_folder(os.fspath(model)).folder) else {}
    return {
        "model": os.fspath(model),
        **text,
        **{key: os.fspath(path) for key, path in paths.items() if path is not None},
        "tests": tuple(f"{code}={os.fspath(path)}" for code, path in tests.items()),
        "data.languages": () if language is None else (language,),
        "data.name": name,
    }


@dataclass(frozen=True, slots=True)
class Timing:
    """By which clock a run is timed, in seconds, and what measures how fast this machine is."""

    now: Callable[[], float] = time.monotonic
    measure: Callable[[Config, ClaimData, Store], Rates] = measure_rates


def run_claims(
    choice: Choice,
    minutes: float,
    store: Store,
    *,
    runner: str | Runner = "serial",
    out: str | Path | None = None,
    progress: Listener | None = None,
    timing: Timing | None = None,
) -> ClaimsPage:
    """Plan, run and write."""
    if not minutes > 0:
        raise UsageError(f"--minutes must be above 0; got {minutes:g}")
    tell, timing = progress or (lambda _: None), timing or Timing()
    asked: Config = make_config(find_study("claims"), choice)
    data = find_data(asked)
    asked = settled(asked, data)
    campaign = Campaign("claims", asked, store)
    require(*campaign.lacking(), *(runner_needs(runner) if isinstance(runner, str) else ()))
    campaign.check_models()
    if out is not None:
        make_folder(Path(out))
    store.open()
    tell(ClaimsNews(lines=tuple(data.notes)))
    book = Book(store, asked, minutes, timing.now)
    plan = book.plan or _planned(book, data, timing, tell)
    tell(ClaimsNews(lines=tuple(plan.lines()), planned=plan.seconds))
    with _place(runner) as place:
        config = _finished(book) or Work(book, data, place, tell).run()
        tell(ClaimsNews(at="the page", left=0.0, planned=plan.seconds))
        report = Campaign("claims", config, store).report(place)
    written: tuple[Path, ...] = ()
    if out is not None:
        evidence = evidence_text(report, config, find_data(config), store)  # of the data that were used, not of all
        written = tuple(files.write_page(report, Path(out), evidence))
    return ClaimsPage(report, config, book.plan or plan, written)


@contextmanager
def _place(runner: str | Runner) -> Iterator[Runner]:
    """The runner of a name, closed at the end; one that was opened elsewhere stays open."""
    if not isinstance(runner, str):
        yield runner
        return
    with closing(make_runner(runner)) as place:
        yield place


def _planned(book: Book, data: ClaimData, timing: Timing, tell: Listener) -> ClaimsPlan:
    tell(ClaimsNews(lines=("A short calibration: how fast does this machine train and answer?",), at="calibration"))
    rates = timing.measure(book.asked, data, book.store)
    plan = make_plan(book.asked, data, rates, Budget(book.minutes, book.spent()))
    book.keep(plan)
    return plan


def _finished(book: Book) -> Config | None:
    """What was asked in the end, where this very request came to its end before and all of it is still there."""
    done = book.ended is not None and not Campaign("claims", book.ended, book.store).plan().absent
    return book.ended if done else None
