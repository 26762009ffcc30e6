"""Work as values: jobs, their keys, the store of what they return, the scheduler. Knows nothing of language."""

from goldproof.jobs.job import Job, Resources, Step, location, registered_steps, step
from goldproof.jobs.names import named
from goldproof.jobs.outcome import Outcome
from goldproof.jobs.plan import Plan, make_plan
from goldproof.jobs.results import Results
from goldproof.jobs.runner import Runner
from goldproof.jobs.schedule import run_jobs
from goldproof.jobs.scratch import scratch_folder
from goldproof.jobs.store import Store

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
    "named",
    "registered_steps",
    "run_jobs",
    "scratch_folder",
    "step",
]
