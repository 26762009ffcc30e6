"""Run a study: what is in the store is kept, the rest runs, the report is made. `goldproof.run` and the command alike.

It never prints: what becomes of each job is told to a function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldproof.data.answers_file import write_answers
from goldproof.errors import JobFailedError, UsageError
from goldproof.extras import require
from goldproof.jobs import Outcome, Runner, Store
from goldproof.jobs.store import find_store
from goldproof.report.summary import Report
from goldproof.report.write import make_folder, write_report
from goldproof.runners.named import closing, make_runner, runner_needs
from goldproof.studies.campaign import Campaign
from goldproof.studies.inputs import DataInput, ModelInput, input_settings
from goldproof.studies.settings import Choice

OutcomeListener = Callable[[Outcome], None]


@dataclass(frozen=True, slots=True)
class Finished:
    """What came of a campaign: the outcome of each job, and the report with its files, unless a job failed."""

    outcomes: Sequence[Outcome]
    report: Report | None = None
    files: Sequence[Path] = ()

    @property
    def failed(self) -> list[Outcome]:
        """The jobs that failed."""
        return [outcome for outcome in self.outcomes if outcome.status == "failed"]


def run(  # noqa: PLR0913 - the one way in: each is given by its name, and none has to be
    study: str,
    preset: str = "default",
    settings: Mapping[str, Any] | None = None,
    *,
    model: ModelInput | None = None,
    data: DataInput | None = None,
    store: str | Path | Store | None = None,
    runner: str | Runner = "serial",
    workers: int | None = None,
    progress: OutcomeListener | None = None,
    out: str | Path | None = None,
    skip_missing: bool = False,
) -> Report:
    """Run a study, or go on with one, and give its report; what is in the store is not computed again.

    `settings` are the study's, by dotted keys ({"recipe.epochs": 3}) or as maps in maps, over those of the preset
    (default, paper or tiny); they win over `model` and `data`, which are put where the study has its own. `model` is a
    folder or the name of a downloaded model, as [NAME=]FOLDER, or a list of these; `data` is a file of one's own whose
    column `split` tells its rows apart, the name of a corpus, or {"train": FILE, "test": FILE} with, where they are
    needed, "validation", "name", "languages" and the columns ("text", "label", "language" and so on). `store` is where
    results are kept: else GOLDPROOF_STORE, else ./goldproof-store. `runner` is serial, pool or ray, with so many
    `workers`, or a runner, which stays open.
    `progress` is told of each job. `out` is a folder for the report's files. A job that fails is a JobFailedError.
    With `skip_missing` the experiments that cannot be run here (for want of a language, a corpus, a model) are left
    out, and the report says so.

    A pool starts Python anew for each worker: a script that asks for it does so under `if __name__ == "__main__":`.
    """
    inputs = input_settings(study, model, data)
    campaign = Campaign.choose(study, Choice(preset, settings={**inputs, **_checked(settings)}), find_store(store))
    if skip_missing:
        campaign = campaign.skip_missing()
    require(*campaign.lacking(), *(runner_needs(runner) if isinstance(runner, str) else ()))
    if out is not None:
        make_folder(Path(out))  # now, not after hours of work
    with _open_runner(runner, workers) as place:
        finished = carry_out(campaign, place, out, progress or _say_nothing)
    if finished.report is None:
        raise _failure(finished, campaign.store)
    return finished.report


def carry_out(
    campaign: Campaign, runner: Runner, out: str | Path | None = None, progress: OutcomeListener | None = None
) -> Finished:
    """Run what a campaign lacks, telling `progress` of each job, then make the report and write it, if to a folder.

    A value that turns out damaged while the report is made is computed again, and told as well. Where a job failed
    there is no report.
    """
    outcomes: list[Outcome] = []
    told = progress or _say_nothing

    def tell(outcome: Outcome) -> None:
        outcomes.append(outcome)
        told(outcome)

    for outcome in campaign.run(runner):
        tell(outcome)
    if any(outcome.status in ("failed", "skipped") for outcome in outcomes):
        return Finished(outcomes)
    report = campaign.report(runner, tell)
    return Finished(
        outcomes, report, () if out is None else (*write_report(report, out), *_write_answers(campaign, out))
    )


def _write_answers(campaign: Campaign, out: str | Path) -> list[Path]:
    """The answers behind a report, beside it, where the study gives them."""
    answers = campaign.answers()
    if not answers:
        return []
    path = Path(out) / "answers.parquet"
    write_answers(answers, path)
    return [path]


def _say_nothing(_: Outcome) -> None:
    pass


def _checked(settings: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if settings is None or isinstance(settings, Mapping):
        return settings or {}
    raise UsageError(f"settings map keys such as 'recipe.epochs' to values; got {settings!r}")


@contextmanager
def _open_runner(runner: str | Runner, workers: int | None) -> Iterator[Runner]:
    """The runner of a name, closed at the end; one that was made elsewhere stays open."""
    if isinstance(runner, str):
        with closing(make_runner(runner, workers)) as place:
            yield place
        return
    if workers is not None:
        raise UsageError(f"workers go with the name of a runner; got workers={workers} and the runner {runner!r}")
    yield runner


def _failure(finished: Finished, store: Store) -> JobFailedError:
    first, *more = finished.failed
    n_skipped = sum(outcome.status == "skipped" for outcome in finished.outcomes)
    others = [f"{len(more)} more failed"] if more else []
    others += [f"{n_skipped} that depend on them did not run"] if n_skipped else []
    said = f" ({', '.join(others)})" if others else ""
    return JobFailedError(
        f"the job {first.description} [{first.key[:12]}] failed: {first.error}{said}; finished work is kept in the "
        f"store {store.where}: fix the cause and run the same command again",
        key=first.key,
    )
