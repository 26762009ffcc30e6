"""Goldproof tells how much of an NLU score is gold.

Importing this package is light: neither torch nor ray is loaded, and each public name is imported when first used.

    import goldproof
    goldproof.compare("a.jsonl", "b.jsonl")
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from goldproof.version import __version__ as __version__

if TYPE_CHECKING:
    from goldproof.data.catalog import load
    from goldproof.data.checks import check
    from goldproof.data.dataset import Dataset
    from goldproof.data.predictions import Predictions, read_predictions
    from goldproof.data.readers import read
    from goldproof.errors import GoldproofError
    from goldproof.jobs import Job, Results, Store, named, run_jobs, step
    from goldproof.judging.compare import Judgement, Margins, compare
    from goldproof.judging.score import Scores, Settings, score
    from goldproof.measures.measurement import Measurement
    from goldproof.report.summary import Report
    from goldproof.report.write import write_report
    from goldproof.statistics.estimate import Estimate

__all__ = [
    "Dataset",
    "Estimate",
    "GoldproofError",
    "Job",
    "Judgement",
    "Margins",
    "Measurement",
    "Predictions",
    "Report",
    "Results",
    "Scores",
    "Settings",
    "Store",
    "check",
    "compare",
    "load",
    "named",
    "read",
    "read_predictions",
    "run_jobs",
    "score",
    "step",
    "write_report",
]

_HOMES = {
    "goldproof.data.catalog": ("load",),
    "goldproof.data.checks": ("check",),
    "goldproof.data.dataset": ("Dataset",),
    "goldproof.data.predictions": ("Predictions", "read_predictions"),
    "goldproof.data.readers": ("read",),
    "goldproof.errors": ("GoldproofError",),
    "goldproof.jobs": ("Job", "Results", "Store", "named", "run_jobs", "step"),
    "goldproof.judging.compare": ("Judgement", "Margins", "compare"),
    "goldproof.judging.score": ("Scores", "Settings", "score"),
    "goldproof.measures.measurement": ("Measurement",),
    "goldproof.report.summary": ("Report",),
    "goldproof.report.write": ("write_report",),
    "goldproof.statistics.estimate": ("Estimate",),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module 'goldproof' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
