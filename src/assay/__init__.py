"""Assay tells how much of an NLU score is gold.

Importing this package is light: neither torch nor ray is loaded, and each public name is imported when first used.

    import assay
    assay.compare("a.jsonl", "b.jsonl")
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from assay.version import __version__ as __version__

if TYPE_CHECKING:
    from assay.data.catalog import load
    from assay.data.checks import check
    from assay.data.dataset import Dataset
    from assay.data.predictions import Predictions, read_predictions
    from assay.data.readers import read
    from assay.errors import AssayError
    from assay.jobs import Job, Results, Store, run_jobs, step
    from assay.judging.compare import Judgement, Margins, compare
    from assay.judging.score import Scores, Settings, score
    from assay.measures.measurement import Measurement
    from assay.report.summary import Report
    from assay.report.write import write_report
    from assay.statistics.estimate import Estimate

__all__ = [
    "AssayError",
    "Dataset",
    "Estimate",
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
    "read",
    "read_predictions",
    "run_jobs",
    "score",
    "step",
    "write_report",
]

_HOMES = {
    "assay.data.catalog": ("load",),
    "assay.data.checks": ("check",),
    "assay.data.dataset": ("Dataset",),
    "assay.data.predictions": ("Predictions", "read_predictions"),
    "assay.data.readers": ("read",),
    "assay.errors": ("AssayError",),
    "assay.jobs": ("Job", "Results", "Store", "run_jobs", "step"),
    "assay.judging.compare": ("Judgement", "Margins", "compare"),
    "assay.judging.score": ("Scores", "Settings", "score"),
    "assay.measures.measurement": ("Measurement",),
    "assay.report.summary": ("Report",),
    "assay.report.write": ("write_report",),
    "assay.statistics.estimate": ("Estimate",),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
