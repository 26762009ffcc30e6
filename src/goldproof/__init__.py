"""Goldproof tells how much of an NLU score is gold.

Importing this package is light: neither torch nor ray is loaded, and each public name is imported when first used.

    import goldproof
    goldproof.compare("a.jsonl", "b.jsonl")
    goldproof.run("demo", preset="tiny")

Lists of their own have `goldproof.statistics`, `goldproof.report` (a report of one's own), `goldproof.training`,
`goldproof.models`, `goldproof.measures`, `goldproof.jobs`, `goldproof.builders.tagging` and each study.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from goldproof import lazy
from goldproof.version import __version__ as __version__

if TYPE_CHECKING:
    from goldproof.builders.corruption.removal import Corruption
    from goldproof.builders.corruption.texts import corrupt_dataset, corrupt_texts
    from goldproof.builders.tagging import choose_tagger
    from goldproof.claiming.running import ClaimsPage, claims
    from goldproof.claiming.verify import Verification, verify
    from goldproof.data.checking.checks import check
    from goldproof.data.corpora.catalog import load
    from goldproof.data.dataset import Dataset, concat, read_dataset
    from goldproof.data.predictions import Predictions, iter_prediction_batches, read_predictions
    from goldproof.data.readers import iter_batches, read
    from goldproof.errors import GoldproofError, JobFailedError
    from goldproof.jobs import Job, Outcome, Results, Store, named, run_jobs, step
    from goldproof.judging.aggregates import Aggregate
    from goldproof.judging.audit.audit import Audit, audit
    from goldproof.judging.audit.settings import AuditSettings, LightThresholds
    from goldproof.judging.compare import Judgement, compare
    from goldproof.judging.gate import Margins
    from goldproof.judging.rank import Leaderboard, RankSettings, rank
    from goldproof.judging.score import Scores, Settings, score
    from goldproof.measures.measurement import Measurement
    from goldproof.models.transformer import transformer
    from goldproof.report.summary import Report
    from goldproof.report.write import load_summary, write_report
    from goldproof.runners.pool import PoolRunner
    from goldproof.runners.ray import RayRunner
    from goldproof.runners.serial import SerialRunner
    from goldproof.statistics.estimate import Estimate
    from goldproof.studies.running import run

__all__ = [
    "Aggregate",
    "Audit",
    "AuditSettings",
    "ClaimsPage",
    "Corruption",
    "Dataset",
    "Estimate",
    "GoldproofError",
    "Job",
    "JobFailedError",
    "Judgement",
    "Leaderboard",
    "LightThresholds",
    "Margins",
    "Measurement",
    "Outcome",
    "PoolRunner",
    "Predictions",
    "RankSettings",
    "RayRunner",
    "Report",
    "Results",
    "Scores",
    "SerialRunner",
    "Settings",
    "Store",
    "Verification",
    "audit",
    "check",
    "choose_tagger",
    "claims",
    "compare",
    "concat",
    "corrupt_dataset",
    "corrupt_texts",
    "iter_batches",
    "iter_prediction_batches",
    "load",
    "load_summary",
    "named",
    "rank",
    "read",
    "read_dataset",
    "read_predictions",
    "run",
    "run_jobs",
    "score",
    "step",
    "transformer",
    "verify",
    "write_report",
]

_HOMES = {
    "goldproof.claiming.running": ("ClaimsPage", "claims"),
    "goldproof.claiming.verify": ("Verification", "verify"),
    "goldproof.data.corpora.catalog": ("load",),
    "goldproof.data.checking.checks": ("check",),
    "goldproof.builders.corruption.texts": ("corrupt_dataset", "corrupt_texts"),
    "goldproof.builders.corruption.removal": ("Corruption",),
    "goldproof.data.dataset": ("Dataset", "concat", "read_dataset"),
    "goldproof.data.predictions": ("Predictions", "iter_prediction_batches", "read_predictions"),
    "goldproof.data.readers": ("iter_batches", "read"),
    "goldproof.builders.tagging": ("choose_tagger",),
    "goldproof.errors": ("GoldproofError", "JobFailedError"),
    "goldproof.jobs": ("Job", "Outcome", "Results", "Store", "named", "run_jobs", "step"),
    "goldproof.judging.aggregates": ("Aggregate",),
    "goldproof.judging.audit.audit": ("Audit", "audit"),
    "goldproof.judging.audit.settings": ("AuditSettings", "LightThresholds"),
    "goldproof.judging.compare": ("Judgement", "compare"),
    "goldproof.judging.gate": ("Margins",),
    "goldproof.judging.rank": ("Leaderboard", "RankSettings", "rank"),
    "goldproof.judging.score": ("Scores", "Settings", "score"),
    "goldproof.measures.measurement": ("Measurement",),
    "goldproof.models.transformer": ("transformer",),
    "goldproof.report.summary": ("Report",),
    "goldproof.report.write": ("load_summary", "write_report"),
    "goldproof.runners.pool": ("PoolRunner",),
    "goldproof.runners.ray": ("RayRunner",),
    "goldproof.runners.serial": ("SerialRunner",),
    "goldproof.statistics.estimate": ("Estimate",),
    "goldproof.studies.running": ("run",),
}


_PACKAGES = (  # that have public lists of their own, beside the studies
    "goldproof.builders.tagging",
    "goldproof.data.formats",
    "goldproof.errors",
    "goldproof.jobs",
    "goldproof.measures",
    "goldproof.models",
    "goldproof.report",
    "goldproof.statistics",
    "goldproof.training",
)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    return lazy.find(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return sorted(__all__)
