"""`goldproof status`: what is in the store, what would run again, and which argument changed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from goldproof.cli import options
from goldproof.errors import GoldproofError, UsageError

if TYPE_CHECKING:
    from goldproof.jobs import Job
    from goldproof.jobs.why import DifferingArgument, JobExplainer, Reason
    from goldproof.studies.campaign import Campaign

Overview = tuple[dict[str, Any], list[str]]  # as JSON, and as lines


def status(  # noqa: PLR0913 - one parameter per option
    study: Annotated[
        str | None, typer.Argument(help=("A study; without one, all that were run with this store."))
    ] = None,
    preset: options.Preset = "default",
    config: options.ConfigFile = None,
    pairs: options.SettingPairs = None,
    store: options.StoreFolder = None,
    why: Annotated[
        str | None, typer.Option("--why", metavar="KEY", help=("Explain one job, given the start of its key."))
    ] = None,
    watching: Annotated[bool, typer.Option("--watch", help="Show what is running now, until it ends.")] = False,
    as_json: options.AsJson = False,
) -> int:
    """Show what the store holds for a study, what would run again, and why."""
    from goldproof.jobs.why import JobExplainer
    from goldproof.studies.campaign import lost_studies, noted_campaigns

    place = options.existing_store(store)
    if watching:
        from goldproof.cli.watch import watch

        return watch(place, study, as_json)
    if study is not None:
        campaigns = [options.choose_campaign(study, preset, config, pairs, store)]
        lost: list[Overview] = []
    else:
        campaigns, lost = _plannable(noted_campaigns(place))
        lost += [_lost(name, error) for name, error in lost_studies(place).items()]
    explainer = JobExplainer(place)
    if why is not None:
        reasons = [explainer.explain(job) for job in _matching(why, campaigns)]
        return _show([dataclasses.asdict(reason) for reason in reasons], _reason_lines(reasons), as_json)
    overviews = [*(_overview(campaign, explainer) for campaign in campaigns), *lost]
    return _show([form for form, _ in overviews], [line for _, lines in overviews for line in lines], as_json)


def _plannable(noted: list[Campaign]) -> tuple[list[Campaign], list[Overview]]:
    """The campaigns that can be planned, and an overview of those that cannot: their model or data was moved, say."""
    campaigns, lost = [], []
    for campaign in noted:
        try:
            campaign.everything()
            campaigns.append(campaign)
        except GoldproofError as error:
            lost.append(_lost(campaign.study, str(error)))
    return campaigns, lost


def _lost(study: str, error: str) -> Overview:
    return {"study": study, "error": error}, [f"{study}: an earlier run cannot be looked up: {error}"]


def _overview(campaign: Campaign, explainer: JobExplainer) -> Overview:
    """Counts of a campaign, its failures, and the reason of the first absent job of each step."""
    everything, absent = campaign.everything(), campaign.plan().absent
    failed = [job for job in absent if campaign.store.failure(job.key)]
    first = {job.step.name: job for job in reversed(absent)}
    shown = [*failed, *(job for job in first.values() if job not in failed)]
    reasons = [explainer.explain(job) for job in shown]
    present = sum(campaign.store.has(job.key) for job in everything)
    form = {
        "study": campaign.study,
        "jobs": len(everything),
        "present": present,
        "to_run": len(absent),
        "failed": len(failed),
        "reasons": [dataclasses.asdict(reason) for reason in reasons],
    }
    counts = f"{present} of {len(everything)} jobs in the store, {len(absent)} to run, {len(failed)} failed"
    rest = len(absent) - len(shown)
    more = (
        [f"  and {rest} more of the same steps (`goldproof run {campaign.study} --dry-run` counts them)"]
        if rest
        else []
    )
    return form, [f"{campaign.study}: {counts}", *_reason_lines(reasons), *more]


def _matching(prefix: str, campaigns: list[Campaign]) -> list[Job[Any]]:
    jobs = {job.key: job for campaign in campaigns for job in campaign.everything() if job.key.startswith(prefix)}
    if not jobs:
        raise UsageError(
            f"no job of these studies has a key that starts with {prefix!r}; `goldproof run STUDY --dry-run --json` "
            "lists keys"
        )
    return list(jobs.values())


def _reason_lines(reasons: Iterable[Reason]) -> list[str]:
    lines = []
    for reason in reasons:
        lines.append(f"  {reason.key[:12]}  {reason.description}: {reason.status}: {reason.text}")
        lines += _change_lines(reason.changes, "      ")
    return lines


def _change_lines(changes: Iterable[DifferingArgument], indent: str) -> list[str]:
    lines = []
    for change in changes:
        lines.append(f"{indent}{change.argument}: {_short(change.before)} -> {_short(change.after)}")
        lines += _change_lines(change.because, indent + "    because ")
    return lines


def _short(value: str) -> str:
    """A job's key or a long value, cut to what tells it apart."""
    most = 16 if value.startswith("job ") else 76
    return value[:most]


def _show(forms: list[dict[str, Any]], lines: list[str], as_json: bool) -> int:
    if as_json:
        options.print_json(forms)
    else:
        typer.echo("\n".join(lines) or "no study has been run with this store")
    return 0
