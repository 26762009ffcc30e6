"""Controlled subsets: extra data of which an exact share holds a feature."""

from __future__ import annotations

import numpy as np

from goldproof.data.dataset import Dataset
from goldproof.errors import UsageError
from goldproof.jobs import step
from goldproof.studies.stability.data import shuffled


@step(version=1, name="goldproof.stability.control")
def control(data: Dataset, features: list[list[str]], feature: str, percent: int, amount: int) -> Dataset:
    """So many rows of the data, of which exactly `percent` % (rounded to a whole row) hold the feature.

    Rows are drawn in one order, so the rows with the feature at 25 % are among those at 50 %. An error says how many
    rows there are where they do not suffice.
    """
    holds = np.array([feature in row for row in features])
    wanted = {True: round(amount * percent / 100)}
    wanted[False] = amount - wanted[True]
    order = shuffled(data, 1)
    for with_feature, needed in wanted.items():
        pool = int((holds == with_feature).sum())
        if pool < needed:
            kind = "with" if with_feature else "without"
            raise UsageError(
                f"presence: {percent} % {feature} of {amount:,} rows needs {needed:,} rows {kind} the feature, but "
                f"{data.name!r} has only {pool:,}; ask for at most "
                f"{_most(holds, percent):,} rows (presence.amount)"
            )
    rows = np.sort(np.concatenate([order[holds[order] == kind][:needed] for kind, needed in wanted.items()]))
    return data.take(rows)


def _most(holds: np.ndarray, percent: int) -> int:
    """The largest amount for which both pools suffice."""
    n_with, share = int(holds.sum()), percent / 100
    limits = [n_with / share] if share > 0 else []
    limits += [(len(holds) - n_with) / (1 - share)] if share < 1 else []
    amount = int(min(limits)) + 1
    while amount and (round(amount * share) > n_with or amount - round(amount * share) > len(holds) - n_with):
        amount -= 1
    return amount
