"""A small study on generated text: how far a score moves with the seed and the size of the data.

It needs no model, data or network, and shows what every study has: jobs, progress, resuming, a report.
"""

from assay.studies.demo.plan import PAPER, TINY, Config, jobs
from assay.studies.demo.report import report

__all__ = ["PAPER", "TINY", "Config", "jobs", "report"]
