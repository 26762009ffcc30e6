"""Run a study's jobs from a JSON file of settings, with no report: for machines that have only what computing needs.

    python -m goldproof.studies.compute STUDY SETTINGS.json STORE [PREFIX]

With a prefix only jobs whose step's name begins with it are run, and what they need: `goldproof.corruption.` makes the
data of that study where its taggers are installed, so that the rest can run elsewhere.
Settings are the fields of the study's Config over the preset in "preset" (default, paper or tiny); pydantic, typer and
altair are not imported. Render the report elsewhere, from the store, with `goldproof report`.
"""

from __future__ import annotations

import dataclasses
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from goldproof.data.formats.strict_json import load_json
from goldproof.errors import GoldproofError, UsageError
from goldproof.extras import require
from goldproof.jobs import Store
from goldproof.jobs.interrupts import KEPT, ending_in_order
from goldproof.jobs.outcome import PASSING
from goldproof.jobs.plan import all_jobs, make_plan
from goldproof.jobs.runlog import logged
from goldproof.jobs.schedule import Schedule
from goldproof.runners.serial import SerialRunner
from goldproof.studies import find_study
from goldproof.studies.spellings import check_spelling


def compute(study: str, settings: Mapping[str, Any], store: Store, prefix: str = "") -> Counter[str]:
    """Run what is absent, say what failed, and count what became of the jobs; those of a prefix alone where given."""
    module = find_study(study)
    presets = {"default": module.Config(), "paper": module.PAPER, "tiny": module.TINY}
    preset = settings.get("preset", "default")
    if preset not in presets:
        raise UsageError(f"there is no preset {preset!r}; allowed: {', '.join(presets)}")
    changes = {name: value for name, value in settings.items() if name != "preset"}
    check_spelling(study, changes)
    config = _replaced(presets[preset], changes)
    jobs = module.jobs(config)
    if prefix:
        jobs = [job for job in all_jobs(jobs) if job.step.name.startswith(prefix)]
    require(*store.requires)
    require(*(need for job in make_plan(jobs, store.look()).absent for need in job.requires()))
    counts: Counter[str] = Counter()
    schedule = Schedule(jobs, store.open(), SerialRunner())
    for outcome in logged(schedule.run(), schedule.n_jobs, study, store):
        counts[outcome.status] += 1
        if outcome.status in ("failed", *PASSING):
            sys.stderr.write(f"{outcome.status}: {outcome.description}: {outcome.error}\n")
    return counts


def _replaced(config: Any, changes: Mapping[str, Any], prefix: str = "") -> Any:
    """The Config with these fields, lists as tuples, nested maps into nested dataclasses."""
    known = [field.name for field in dataclasses.fields(config)]
    values = {}
    for name, value in changes.items():
        if name not in known:
            allowed = ", ".join(prefix + each for each in sorted(known))
            raise UsageError(f"there is no setting {prefix + name!r}; allowed: {allowed}")
        before = getattr(config, name)
        if isinstance(value, Mapping) and dataclasses.is_dataclass(before):
            values[name] = _replaced(before, value, f"{prefix}{name}.")
        else:
            values[name] = tuple(value) if isinstance(value, list) else value
    return dataclasses.replace(config, **values)


def _read_settings(path: str) -> dict[str, Any]:
    try:
        settings = load_json(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"the settings {path} cannot be read: {error}") from None
    if not isinstance(settings, dict):
        raise UsageError(f"the settings {path} must be a JSON object; got {type(settings).__name__}")
    return settings


def main(arguments: list[str]) -> int:
    """The command."""
    if len(arguments) not in (3, 4):
        sys.stderr.write(f"{__doc__}\n")
        return 2
    start = time.perf_counter()
    with ending_in_order() as request:
        try:
            counts = compute(arguments[0], _read_settings(arguments[1]), Store(arguments[2]), *arguments[3:])
        except GoldproofError as error:
            sys.stderr.write(f"error: {error}\n")
            return error.exit_code
        except KeyboardInterrupt:
            sys.stderr.write(f"{KEPT}\n")
            return request.exit_code
    sys.stdout.write(f"{dict(counts)} in {time.perf_counter() - start:.1f} s\n")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
