"""`--value 87.3 --n 872`: printed scores in the place of files of predictions, for `score` and `compare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldproof.errors import UsageError

if TYPE_CHECKING:
    from goldproof.judging.aggregates import Aggregate

Values = Annotated[
    list[str] | None,
    typer.Option(
        "--value",
        metavar="SCORE",
        help="Instead of files: an accuracy as printed, in percent (87.3) or as a share (0.873).",
    ),
]
Counts = Annotated[
    list[int] | None, typer.Option("--n", metavar="N", help="The number of items behind it, one for each --value.")
]


def printed_scores(values: list[str] | None, counts: list[int] | None, beside: Mapping[str, bool]) -> list[Aggregate]:
    """The scores of --value and --n; none where neither is given. `beside` says what else was, which cannot be."""
    from goldproof.judging.aggregates import Aggregate

    given, sizes = values or [], counts or []
    if not given and not sizes:
        return []
    others = [name for name, was_given in beside.items() if was_given]
    if others:
        raise UsageError(
            f"--value and --n give a printed score instead of files and do not go with {', '.join(others)}"
        )
    if len(given) != len(sizes):
        raise UsageError(
            f"each --value needs its --n, the number of items behind it; got {len(given)} --value and {len(sizes)} --n"
        )
    return [Aggregate(value, n) for value, n in zip(given, sizes, strict=True)]


def two_sides(files: Sequence[Path | None], printed: Sequence[Aggregate]) -> tuple[Path | Aggregate, Path | Aggregate]:
    """What is compared: two files, or two printed scores."""
    sides: list[Path | Aggregate] = [*(file for file in files if file is not None), *printed]
    if len(sides) != 2:
        raise UsageError(
            "compare takes two files of predictions, or two printed scores (--value 87.3 --n 872 --value 88.1 "
            f"--n 872); got {len(sides)}"
        )
    return sides[0], sides[1]
