"""Aggregates: an accuracy as it is printed, with its number of items and nothing else, judged as far as that goes.

A share of items that are right has an interval over items, and two of them a difference as if on different items.
Seeds, categories, clusters and pairing need single items and are not dealt with; the notes say so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from goldproof.errors import UsageError
from goldproof.judging.scope import scope_of_score
from goldproof.judging.verdict import Design, Sample, judge
from goldproof.statistics.comparison import Comparison, inner_level
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import normal_quantile, wilson
from goldproof.statistics.power import detectable_paired, detectable_unpaired
from goldproof.statistics.proportions import two_proportion_test, unpaired_proportions

if TYPE_CHECKING:
    from goldproof.judging.compare import Judgement
    from goldproof.judging.gate import Margins
    from goldproof.judging.score import Scores, SetScore, Settings

TASK = "aggregate"
ABOUT = "these two systems, on items like these; printed scores say nothing about another training"
_SLACK = Fraction(1, 10**10)  # a float that was computed is off by this much at most
_EXAMPLE = 0.1  # a share of items that only one of two systems has right, to show what pairing would do


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An accuracy as printed, and of how many items: 87.3 of 872.

    Above 1 it is in percent; up to 1 it is a share, unless it is text that ends in %. The printed digits count, so give
    text where the last one is 0: Aggregate("87.30", 872).

    >>> Aggregate(87.3, 872).right_items()
    RightItems(fewest=761.0, most=761.0, fits=True)
    """

    value: float | str
    n: int
    name: str = ""

    def __post_init__(self) -> None:
        """Refuse what is no accuracy, or cannot be distinguished from another one."""
        if not hasattr(self.n, "__index__") or self.n < 1:
            raise UsageError(f"the number of items must be a whole number of at least 1; got {self.n!r}")
        number = self._number()
        if not 0 <= number <= 100:
            raise UsageError(
                f"an accuracy lies between 0 and 100 percent, or as a share between 0 and 1; got {self.text}"
            )
        if number == 1 and not self.text.endswith("%"):
            raise UsageError(f"{self.text} may be 1 percent or a share of 1, which is all items; write 1% or 100")

    @property
    def text(self) -> str:
        """The value as it was given."""
        return str(self.value).strip()

    @property
    def is_share(self) -> bool:
        """Whether the value is taken as a share and not as percent; 0 is the same either way."""
        return 0 < self._number() < 1 and not self.text.endswith("%")

    @property
    def share(self) -> float:
        """The share of items that are right: as a count gives it where one alone prints so, else as printed."""
        right = self.right_items()
        return right.fewest / self.n if right.fewest == right.most else float(self._number() / self._whole())

    def right_items(self) -> RightItems:
        """How many right items print so."""
        number, whole = self._number(), self._whole()
        last = Decimal(self.text.removesuffix("%")).as_tuple().exponent
        assert isinstance(last, int)
        half = Fraction(10) ** min(last, 0) / 2 + _SLACK * whole
        fewest = max(0, math.ceil((number - half) * self.n / whole))
        most = min(self.n, math.floor((number + half) * self.n / whole))
        if fewest > most:
            between = float(number * self.n / whole)
            return RightItems(between, between, fits=False)
        return RightItems(float(fewest), float(most))

    def printed(self, right: float) -> str:
        """What so many right items would be printed as, with as many digits."""
        digits = len(self.text.removesuffix("%").partition(".")[2])
        return f"{right / self.n * self._whole():.{digits}f}"

    def label(self) -> str:
        """What it is called: its name, else itself."""
        return self.name or f"{self.text} of {self.n:,}"

    def _number(self) -> Fraction:
        try:
            return Fraction(Decimal(self.text.removesuffix("%")))
        except (InvalidOperation, ValueError, OverflowError):
            raise UsageError(
                f"an accuracy is a number in percent, such as 87.3, or a share, such as 0.873; got {self.text!r}"
            ) from None

    def _whole(self) -> int:
        """What all items would be printed as."""
        return 1 if self.is_share else 100


@dataclass(frozen=True, slots=True)
class RightItems:
    """The fewest and the most right items that print as a value; where no number does, what the value comes to."""

    fewest: float
    most: float
    fits: bool = True


def aggregates_in(source: object) -> tuple[Aggregate, ...]:
    """The printed scores that a source consists of; none where it is files or predictions."""
    if isinstance(source, Aggregate):
        return (source,)
    if not isinstance(source, Sequence) or isinstance(source, str):
        return ()
    found = tuple(each for each in source if isinstance(each, Aggregate))
    if found and len(found) < len(source):
        raise UsageError("printed scores and files of predictions cannot be scored together; give one kind only")
    return found


def score_aggregates(given: Sequence[Aggregate], columns: Mapping[str, str] | None, settings: Settings) -> Scores:
    """What may be claimed from accuracies of which no more is known."""
    from goldproof.judging.score import Scores

    _check(columns, settings)
    labels = _labels(given)
    scored = [
        _score(each, {"model": label} if len(given) > 1 else {}, settings)
        for each, label in zip(given, labels, strict=True)
    ]
    notes = [*_limits(), *(note for each in given for note in _reading(each))]
    provenance = {"given": ", ".join(f"{each.text} of {each.n:,} items" for each in given)}
    return Scores("accuracy", TASK, scored, (), (), (), notes, settings, provenance)


def compare_aggregates(
    a: Aggregate, b: Aggregate, columns: Mapping[str, str] | None, settings: Settings, margins: Margins
) -> Judgement:
    """Compare two accuracies of which no more is known, as if they were of different items."""
    from goldproof.judging.compare import Judgement
    from goldproof.judging.differences import Difference

    _check(columns, settings)
    result = _compare(a, b, settings.level)
    design = Design(about=ABOUT, samples=(_sample(a), _sample(b)))
    verdict = judge(result, design, margins.tie, "accuracy")
    found = Difference(
        where={},
        a=_estimate(a, settings.level),
        b=_estimate(b, settings.level),
        difference=result.difference,
        p_value=result.p_value,
        verdict=verdict,
        adjusted=result.p_value,
    )
    one, other = _labels((a, b))
    names = (one, other) if a.label() != b.label() else ("A", "B")
    notes = [_pairing(a, b), *_limits(), *_reading(a), *(_reading(b) if b != a else [])]
    return Judgement(names, "accuracy", found, [found], (), notes, margins, paired=False)


def _check(columns: Mapping[str, str] | None, settings: Settings) -> None:
    """Refuse what needs single items."""
    if settings.metric not in (None, "accuracy"):
        raise UsageError(
            f"a printed {settings.metric!r} cannot be judged from the number of items: unlike accuracy, how far it "
            "would move depends on which items are right; give each item's answer, as a file with id, gold and "
            "prediction"
        )
    if settings.cluster not in ("auto", "none") or settings.common or columns:
        raise UsageError(
            "cluster, common and columns concern single items, and a printed score says nothing about those; give "
            "each item's answer, as a file with id, gold and prediction"
        )


def _score(given: Aggregate, where: Mapping[str, str], settings: Settings) -> SetScore:
    from goldproof.judging.score import SetScore

    return SetScore(
        where=where,
        n_items=given.n,
        run_names=(),
        estimates={"accuracy": _estimate(given, settings.level)},
        run_scores=np.array([]),
        floor=math.nan,
        detectable=detectable_unpaired(given.n, _smoothed(given), settings.level),
        about=scope_of_score(1)[1],
    )


def _labels(given: Sequence[Aggregate]) -> list[str]:
    """What each is called, numbered where two are called the same."""
    labels = [each.label() for each in given]
    return [f"{label} ({i})" if labels.count(label) > 1 else label for i, label in enumerate(labels, 1)]


def _estimate(given: Aggregate, level: float) -> Estimate:
    """Wilson's interval, over every number of right items that prints so."""
    right = given.right_items()
    low, high = (wilson(count, given.n, level) for count in (right.fewest, right.most))
    method = low.method if right.fewest == right.most else f"{low.method}, and rounding"
    return Estimate(given.share, low.low, high.high, method, given.n, level)


def _compare(a: Aggregate, b: Aggregate, level: float) -> Comparison:
    """B − A by Newcombe's interval and the pooled z test, over every number of right items that prints so."""
    in_a, in_b = a.right_items(), b.right_items()
    value = b.share - a.share
    (low, high), inner = (
        (
            unpaired_proportions(in_b.fewest, b.n, in_a.most, a.n, each).low,
            unpaired_proportions(in_b.most, b.n, in_a.fewest, a.n, each).high,
        )
        for each in (level, inner_level(level))
    )
    if in_b.fewest / b.n > in_a.most / a.n:
        p_value = two_proportion_test(in_b.fewest, b.n, in_a.most, a.n)
    elif in_b.most / b.n < in_a.fewest / a.n:
        p_value = two_proportion_test(in_b.most, b.n, in_a.fewest, a.n)
    else:
        p_value = 1.0  # both may have the same share
    difference = Estimate(value, low, high, "Newcombe, unpaired", a.n + b.n, level)
    # From the interval and not from p(1 − p), which is 0 where all items are right.
    error = max(value - low, high - value) / normal_quantile(level)
    return Comparison(difference, p_value, error, math.inf, inner, limit=1.0)


def _sample(given: Aggregate) -> Sample:
    share = _smoothed(given)
    return Sample(given.n, share * (1 - share))


def _smoothed(given: Aggregate) -> float:
    """The share with two items more of each kind (Agresti & Coull 1998), so that no variance is 0: for planning."""
    return (given.share * given.n + 2) / (given.n + 4)


def _limits() -> list[str]:
    return [
        "The interval is over items, as if each had been drawn on its own: it says nothing about another seed, about "
        "categories or about single items. If items come in groups, such as several questions about one text, it is "
        "too narrow.",
        "It holds only if the score is the share of items that are right, and for no other metric.",
    ]


def _reading(given: Aggregate) -> list[str]:
    """How a printed value was read: as a share, and as how many right items."""
    notes = []
    if given.is_share:
        percent = f"{100 * float(given.text):.10g}"
        notes.append(
            f"{given.text} is taken as a share, which is {percent} %; for less than one percent write {given.text}%."
        )
    right = given.right_items()
    if not right.fits:
        below, above = math.floor(right.fewest), math.ceil(right.fewest)
        notes.append(
            f"No number of right items out of {given.n:,} gives {given.text}: {below:,} give {given.printed(below)} "
            f"and {above:,} give {given.printed(above)}. Perhaps the metric is not accuracy, the number of items is "
            "wrong, or this is a mean over runs."
        )
    elif right.fewest < right.most:
        notes.append(
            f"From {right.fewest:,.0f} to {right.most:,.0f} right items out of {given.n:,} print as {given.text}; "
            "the interval covers all of these numbers."
        )
    return notes


def _pairing(a: Aggregate, b: Aggregate) -> str:
    """What the answers to single items would add, as far as it can be known."""
    text = (
        "A and B are compared as if they had answered different items, because two numbers do not say which items "
        "each got right. With both systems' answers to the same items the comparison is paired and usually sharper; "
        "how much sharper depends on the share of items that only one of them gets right"
    )
    if a.n != b.n or not abs(a.share - b.share) <= _EXAMPLE <= min(a.share + b.share, 2 - a.share - b.share):
        return f"{text}."
    shown = detectable_paired(a.n, _EXAMPLE)
    if math.isinf(shown):
        return f"{text}."
    return f"{text}: were it {100 * _EXAMPLE:.0f} %, a difference of {100 * shown:.1f} points would show (80 % power)."
