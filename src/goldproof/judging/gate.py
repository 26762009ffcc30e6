"""The gate: whether B may pass, by what was asked: not credibly worse, shown to be no worse, or shown to be better.

Three outcomes, since "not shown to be worse" is no proof: with few items everything passes the plain gate, so the
smallest drop that it could see is always told.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from goldproof.errors import UsageError
from goldproof.statistics.estimate import Estimate

Require = Literal["not-worse", "better"]
GateOutcome = Literal["passed", "failed", "undecided"]


@dataclass(frozen=True, slots=True)
class Margins:
    """Differences that matter: below `tie` two models are as good as each other; at `gate` B is refused.

    `require` asks for a proof: "not-worse", that B is not worse by `gate`; "better", that it is better.
    """

    tie: float = 0.02
    gate: float | None = None
    require: Require | None = None

    def __post_init__(self) -> None:
        """Refuse what makes no sense, with the option's name."""
        if not 0 < self.tie < math.inf:
            raise UsageError(f"--margin must be above 0; got {100 * self.tie:g}")
        if self.gate is not None and not 0 <= self.gate < math.inf:
            raise UsageError(f"--gate must be at least 0; got {100 * self.gate:g}")
        if self.require is not None and self.require not in get_args(Require):
            raise UsageError(f"--require must be {' or '.join(get_args(Require))}; got {self.require!r}")
        if self.require == "not-worse" and not self.gate:
            raise UsageError(
                "--require not-worse needs --gate above 0, the number of points that still counts as not worse; got "
                f"{'none' if self.gate is None else '0'}"
            )

    @property
    def is_asked(self) -> bool:
        """Whether there is a gate at all."""
        return self.gate is not None or self.require is not None


def outcome_of(difference: Estimate, margins: Margins) -> GateOutcome:
    """What the gate says of B − A.

    >>> gate = Margins(gate=0.02)
    >>> outcome_of(Estimate(-0.05, -0.07, -0.03, "t", 900), gate)
    'failed'
    >>> outcome_of(Estimate(-0.15, -0.4, 0.1, "t", 20), Margins(gate=0.02, require="not-worse"))
    'undecided'
    """
    low, high = difference.low, difference.high
    if not (math.isfinite(low) and math.isfinite(high)):
        return "undecided"
    if margins.require == "better":
        return "passed" if low > 0 else "failed" if high <= 0 else "undecided"
    gate = margins.gate or 0.0
    if high < -gate:
        return "failed"
    return "passed" if margins.require is None or low > -gate else "undecided"


def drop_seen(detectable: float, margins: Margins) -> float:
    """The smallest true drop that the gate would see, as credibly worse, with 80 % power."""
    return (margins.gate or 0.0) + detectable
