"""Work as values: jobs, their keys, the store of what they return, the scheduler. Knows nothing of language."""

from assay.jobs.job import Job, Resources, Step, location, registered_steps, step
from assay.jobs.outcome import Outcome
from assay.jobs.plan import Plan, make_plan
from assay.jobs.results import Results
from assay.jobs.runner import Runner
from assay.jobs.schedule import run_jobs
from assay.jobs.scratch import scratch_folder
from assay.jobs.store import Store

__all__ = [
    "Job",
    "Outcome",
    "Plan",
    "Resources",
    "Results",
    "Runner",
    "Step",
    "Store",
    "location",
    "make_plan",
    "registered_steps",
    "run_jobs",
    "scratch_folder",
    "step",
]
