"""Several systems against one baseline on the same items: which are better, which worse, all verdicts together.

Each is compared with the baseline as `compare` does, and all are adjusted at once (single-step max-T with the
correlation that sharing items and a baseline gives), so that the chance of any false verdict is that of one comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from goldproof.data.load import Source
from goldproof.errors import UsageError
from goldproof.judging.compare import Judgement, compare, pool_pairs
from goldproof.judging.differences import Difference, Judging, compare_pair, differences_of
from goldproof.judging.gate import GateOutcome, Margins, outcome_of
from goldproof.judging.score import Settings
from goldproof.measures.measurement import Measurement, measurement_table
from goldproof.statistics.estimate import Estimate

if TYPE_CHECKING:
    import pyarrow as pa

    from goldproof.report.summary import Report


@dataclass(frozen=True, slots=True, repr=False)
class SeveralCompared:
    """Several systems against one: a difference for each, in the order given, whose `together` hold at once."""

    baseline: str
    names: tuple[str, ...]
    metric: str
    differences: Sequence[Difference]
    margins: Margins
    notes: Sequence[str] = field(default=())

    @property
    def outcome(self) -> GateOutcome | None:
        """What the gate says of all: failed where one fails, passed where all pass; None where none was set."""
        if not self.margins.is_asked:
            return None
        found = {outcome_of(together(each), self.margins) for each in self.differences}
        return "failed" if "failed" in found else "undecided" if "undecided" in found else "passed"

    def to_arrow(self) -> pa.Table:
        """Every difference as an Arrow table, with the interval that holds for all at once."""
        named = zip(self.names, self.differences, strict=True)
        name = f"{self.metric}: model − {self.baseline}"
        return measurement_table([Measurement(name, together(each), {"model": model}) for model, each in named])

    def to_pandas(self) -> Any:
        """The same as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def report(self) -> Report:
        """The report, for rendering."""
        from goldproof.judging.baselines_report import baselines_report

        return baselines_report(self)

    def __repr__(self) -> str:
        """The verdicts, a line each; everything is in `to_pandas()`."""
        return "\n".join(verdict_text(self, number) for number in range(len(self.names)))

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()


def compare_with_baseline(
    baseline: Source,
    others: Sequence[Source],
    *,
    columns: Mapping[str, str] | None = None,
    settings: Settings | None = None,
    margins: Margins | None = None,
) -> SeveralCompared:
    """Compare each of several systems with one baseline, on the items that it shares with it."""
    if len(others) < 2:
        raise UsageError(
            f"--baseline needs at least two systems to compare with it; got {len(others)}. To compare just A and B, "
            "leave --baseline out"
        )
    settings = settings or Settings()
    found = [compare(baseline, each, columns=columns, settings=settings, margins=margins) for each in others]
    metrics = sorted({each.metric for each in found})
    if len(metrics) > 1:
        raise UsageError(f"all systems must share one metric; these have {', '.join(metrics)}")
    judging = Judging(metrics[0], settings, found[0].margins)
    names = _names(found)
    compared = [
        replace(compare_pair(pool_pairs(each.answers), judging), where={"model": name})
        for each, name in zip(found, names, strict=True)
    ]
    notes = [
        f"B is {name}: {note}" if note in each.cautions else note
        for each, name in zip(found, names, strict=True)
        for note in each.notes
        if not note.startswith("Decide beforehand how many more")
    ]
    base = found[0].names[0]
    differences = differences_of(compared, judging)
    return SeveralCompared(base, names, metrics[0], differences, judging.margins, list(dict.fromkeys(notes)))


def together(difference: Difference) -> Estimate:
    """The difference with the interval that holds for all at once."""
    return difference.together or difference.difference


def verdict_text(found: SeveralCompared, number: int) -> str:
    """The verdict on one system, with its own name and the baseline's."""
    name = found.names[number]
    text = found.differences[number].verdict.text
    return text.replace("B − A", f"{name} − {found.baseline}", 1).replace("B is", f"{name} is", 1)


def _names(found: Sequence[Judgement]) -> tuple[str, ...]:
    """What the systems are called; two of one name are distinguished by their number."""
    names = [each.names[1] for each in found]
    return tuple(f"{name} ({number})" if names.count(name) > 1 else name for number, name in enumerate(names, start=1))
