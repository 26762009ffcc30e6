"""Measurement: one number that was read off, with its interval and where it was read; many make one long table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from goldproof.statistics.estimate import Estimate

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Measurement:
    """A metric's estimate at a place: {"model": …, "layer": 7, "seed": 3}."""

    metric: str
    estimate: Estimate
    where: Mapping[str, str | int]


def measurement_table(measurements: Sequence[Measurement]) -> pa.Table:
    """One row per measurement: its place, metric, value, low, high, n and method.

    >>> rows = [Measurement("accuracy", Estimate(0.5, 0.4, 0.6, "Wilson", 100), {"language": "en"})]
    >>> measurement_table(rows).to_pylist()[0]["language"]
    'en'
    """
    import pyarrow as pa

    places = list(dict.fromkeys(name for m in measurements for name in m.where))
    columns: dict[str, list[Any]] = {name: [m.where.get(name) for m in measurements] for name in places}
    columns["metric"] = [m.metric for m in measurements]
    for name in ("value", "low", "high", "n", "method"):
        columns[name] = [getattr(m.estimate, name) for m in measurements]
    return pa.table(columns)
