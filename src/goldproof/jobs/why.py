"""Why a job would run: what the store holds of it, or how it differs from the nearest job that the store does hold."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Literal

from goldproof.jobs.job import Job
from goldproof.jobs.key import dumps
from goldproof.jobs.store import Store


@dataclass(frozen=True, slots=True)
class DifferingArgument:
    """An argument in which a job differs from one that was run; `because` explains a job among the arguments."""

    argument: str
    before: str
    after: str
    because: tuple[DifferingArgument, ...] = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """Where a job stands: kept, failed (and why), changed (and in what), or new to this store."""

    key: str
    description: str
    status: Literal["kept", "failed", "changed", "new"]
    text: str
    changes: tuple[DifferingArgument, ...] = ()


class JobExplainer:
    """Explains jobs against one reading of the store's records."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._by_step: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._by_key: dict[str, dict[str, Any]] = {}
        for record in store.records():
            self._by_step[record["step"]].append(record)
            self._by_key[record["key"]] = record

    def explain(self, job: Job[Any]) -> Reason:
        """Where this job stands, and why it would run if it would."""
        if job.key in self._by_key:
            how = self._by_key[job.key]["circumstances"]
            text = f"its value is in the store: made {how['created']} on {how['host']} in {how['seconds']:.2f} s"
            return Reason(job.key, job.describe(), "kept", text)
        changes = self._changes(job)
        failure = self._store.failure(job.key)
        if failure is not None:
            return Reason(job.key, job.describe(), "failed", f"its last try failed: {failure['error']}", changes)
        if not self._by_step[job.step.name]:
            return Reason(job.key, job.describe(), "new", "no job of this step is in the store")
        return Reason(job.key, job.describe(), "changed", "it differs from the nearest job in the store", changes)

    def _changes(self, job: Job[Any]) -> tuple[DifferingArgument, ...]:
        """How the job differs from the nearest record of its step."""
        candidates = [self._differences(job, record) for record in self._by_step[job.step.name]]
        return min(candidates, key=len, default=())

    def _differences(self, job: Job[Any], record: dict[str, Any]) -> tuple[DifferingArgument, ...]:
        changes = []
        if record["version"] != job.step.settings.version:
            changes.append(DifferingArgument("step version", str(record["version"]), str(job.step.settings.version)))
        before, after = _leaves(record["arguments"]), _leaves(job.form)
        needs = {need.key: need for need in job.needs}
        for name in sorted(before.keys() | after.keys()):
            if before.get(name) != after.get(name):
                need = needs.get((after.get(name) or "").removeprefix("job "))
                because = self._changes(need) if need is not None else ()
                changes.append(DifferingArgument(name, before.get(name, "absent"), after.get(name, "absent"), because))
        return tuple(changes)


def _leaves(form: Any, prefix: str = "") -> dict[str, str]:
    """A canonical form as dotted names and plain texts."""
    if isinstance(form, dict) and "$job" in form:
        return {prefix: f"job {form['$job']}"}
    if isinstance(form, dict) and form and "$float" not in form:
        leaves = {}
        for name, item in form.items():
            if name != "$type":
                leaves.update(_leaves(item, f"{prefix}.{name}" if prefix else name))
        return leaves
    if isinstance(form, list) and any(isinstance(item, dict) for item in form):
        leaves = {}
        for i, item in enumerate(form):
            leaves.update(_leaves(item, f"{prefix}[{i}]"))
        return leaves
    return {prefix: dumps(form)}
