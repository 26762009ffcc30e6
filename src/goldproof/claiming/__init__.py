"""What may be claimed of a model on data: one page over the audit, the trainings and what they answer elsewhere.

It has the shape of a study (Config, jobs, report), so that it runs, resumes and is kept as studies are; `running` plans
what fits into a number of minutes, and `evidence` writes down what every claim rests on.
"""

from __future__ import annotations

from goldproof.claiming.plan import jobs, notes, requires
from goldproof.claiming.settings import PAPER, TINY, Config
from goldproof.jobs import Results
from goldproof.report.summary import Report

__all__ = ["PAPER", "TINY", "Config", "jobs", "notes", "report", "requires"]


def report(config: Config, results: Results) -> Report:
    """What may be claimed; drawing libraries are loaded only here."""
    from goldproof.claiming.page import make_page

    return make_page(config, results)
