"""How a number reads: the one formatter of reports, verdicts and the terminal, so that it looks the same everywhere.

Shares and differences of shares are fractions until here: the units "%" and "points" print them times 100. It knows
neither tables nor metrics.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from goldproof.statistics.estimate import Estimate

MISSING = "–"
MINUS = "−"
SCALED_UNITS = ("%", "points")
PROBABILITY = "p-value"
MOST_FURTHER_DIGITS = 3


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """How the numbers of one kind are printed: their digits and their unit, as `format_number` takes them."""

    digits: int | None = None
    unit: str = ""


PERCENT = NumberFormat(1, "%")
POINTS = NumberFormat(1, "points")


def format_number(value: float, digits: int | None = None, unit: str = "") -> str:
    """Print a number with its digits, a true minus sign and no negative zero; "%" and "points" print it times 100.

    A "p-value" that would be printed as zeros is printed as less than its last digit: no p is 0.

    >>> format_number(-0.0004, 3), format_number(-0.25, 2), format_number(0.6339, 1, "%"), format_number(12345)
    ('0.000', '−0.25', '63.4', '12,345')
    >>> format_number(0.00002, 3, "p-value"), format_number(0.042, 3, "p-value")
    ('<0.001', '0.042')
    """
    if unit in SCALED_UNITS:
        value = float(value) * 100
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if digits is None and isinstance(value, int):
        text = f"{value:,}" if abs(value) >= 10_000 else str(value)
    else:
        text = f"{value:.{default_digits(unit) if digits is None else digits}f}"
    if not any(character in "123456789" for character in text):
        text = f"<{text[:-1]}1" if unit == PROBABILITY else text.lstrip("-")
    return text.replace("-", MINUS)


def default_digits(unit: str) -> int:
    """The digits of a number for which none were asked: one for percentages and points, else three."""
    return 1 if unit in SCALED_UNITS else 3


def format_interval(estimate: Estimate, digits: int | None = None, unit: str = "") -> str:
    """Print [low, high], with a digit less than the value where the value has three: the third is noise.

    An interval whose ends would be printed alike gets up to three more digits, since it has a width; where both ends
    are the same number, they are printed as such.

    >>> format_interval(Estimate(0.6339, 0.5142, 0.7311, "bootstrap", 33), 3)
    '[0.51, 0.73]'
    >>> format_interval(Estimate(0.9996, 0.9972, 1.002, "runs", 872), 0, "%")
    '[99.7, 100.2]'
    >>> format_interval(Estimate(0.5, float("nan"), float("nan"), "one run only", 33), 3)
    ''
    """
    if math.isnan(estimate.low) or math.isnan(estimate.high):
        return ""
    shown = default_digits(unit) if digits is None else digits
    shown = shown - 1 if shown >= 3 else shown
    for more in range(shown, shown + MOST_FURTHER_DIGITS + 1):
        low, high = format_number(estimate.low, more, unit), format_number(estimate.high, more, unit)
        if low != high:
            return f"[{low}, {high}]"
    low, high = (format_number(end, shown, unit) for end in (estimate.low, estimate.high))
    return f"[{low}, {high}]"


def digits_of_value(estimate: Estimate, digits: int | None = None, unit: str = "") -> int | None:
    """The digits of an estimate's value: those asked for, or those of its interval where that needs more.

    >>> digits_of_value(Estimate(0.9996, 0.9972, 1.002, "runs", 872), 0, "%")
    1
    """
    interval = format_interval(estimate, digits, unit)
    shown = default_digits(unit) if digits is None else digits
    of_ends = max((len(end.partition(".")[2]) for end in interval.strip("[]").split(", ")), default=0)
    return of_ends if of_ends > shown else digits


def in_words(estimate: Estimate, digits: int | None = None, unit: str = "") -> str:
    """The value of an estimate with its unit, to stand in a sentence.

    >>> in_words(Estimate(0.664, 0.39, 0.92, "bootstrap", 30), 0, "%"), in_words(Estimate(-0.1, -1, 1, "t", 3), 2)
    ('66 %', '−0.10')
    """
    text = format_number(float(estimate.value), digits, unit)
    return f"{text} {unit}" if unit else text


def estimate_text(estimate: Estimate, digits: int | None = None, unit: str = "") -> str:
    """An estimate with its unit and, where it has one, its interval.

    >>> estimate_text(Estimate(0.873, 0.849, 0.893, "Wilson", 872), 1, "%")
    '87.3 % [84.9, 89.3]'
    >>> estimate_text(Estimate(-0.1, -0.31, 0.12, "bootstrap", 80), 3)
    '−0.100 [−0.31, 0.12]'
    >>> estimate_text(Estimate(0.9996, 0.9972, 1.002, "runs", 872), 0, "%")
    '100.0 % [99.7, 100.2]'
    """
    if math.isnan(estimate.value):
        return f"{MISSING} {unit}".rstrip()
    shown = digits_of_value(estimate, digits, unit)
    return f"{in_words(estimate, shown, unit)} {format_interval(estimate, digits, unit)}".rstrip()


def estimate_or_reason(estimate: Estimate, digits: int | None = None, unit: str = "") -> str:
    """The same for a line that has no footnotes: what is missing is said in brackets.

    >>> estimate_or_reason(Estimate(0.5, float("nan"), float("nan"), "one run only", 33), 1, "%")
    '50.0 % (one run only)'
    """
    if math.isnan(estimate.value):
        return f"not defined ({estimate.method})"
    text = estimate_text(estimate, digits, unit)
    return text if format_interval(estimate) else f"{text} ({estimate.method})"


def extremes(named: Sequence[tuple[str, Estimate | float]], digits: int | None = None, unit: str = "") -> str:
    """Which of several scores is highest and which is lowest, in words.

    >>> extremes([("fr", 0.5), ("en", 0.75), ("de", 0.25)], 0, "%")
    'en is highest (75 %), de lowest (25 %)'
    >>> extremes([("fr", 0.5), ("en", 0.5)], 0, "%")
    'all have 50 %'
    """
    known = [(name, float(value.value if isinstance(value, Estimate) else value)) for name, value in named]
    known = [(name, value) for name, value in known if math.isfinite(value)]
    if not known:
        return "no score is known"
    after = f" {unit}" if unit else ""
    shown = {pair: f"{format_number(pair[1], digits, unit)}{after}" for pair in known}
    top, bottom = max(known, key=lambda pair: pair[1]), min(known, key=lambda pair: pair[1])
    if len(known) == 1:
        return f"{top[0]} has {shown[top]}"
    if shown[top] == shown[bottom]:
        return f"all have {shown[top]}"
    return f"{top[0]} is highest ({shown[top]}), {bottom[0]} lowest ({shown[bottom]})"


def signed_number(value: float, digits: int | None = None, unit: str = "") -> str:
    """A difference with its sign, which 0 has too; what is printed as 0 is no negative zero.

    >>> signed_number(0.019, 1, "points"), signed_number(-0.019, 3), signed_number(0.0, 1), signed_number(-0.04, 1)
    ('+1.9', '−0.019', '+0.0', '+0.0')
    """
    shown = 100 * value if unit in SCALED_UNITS else value
    text = f"{shown:+.{default_digits(unit) if digits is None else digits}f}"
    return (text if any(digit in "123456789" for digit in text) else text.replace("-", "+")).replace("-", MINUS)


def percent(share: float, digits: int = 1) -> str:
    """A share in percent.

    >>> percent(0.1234), percent(0.5, 0)
    ('12.3 %', '50 %')
    """
    return f"{format_number(float(share), digits, '%')} %"


def points(difference: float, digits: int = 1) -> str:
    """A difference of shares in points.

    >>> points(0.045), points(-0.02)
    ('4.5 points', '−2.0 points')
    """
    return f"{format_number(float(difference), digits, 'points')} points"


def count(n: int) -> str:
    """How many, in a sentence; a cell of a table has no comma below 10,000.

    >>> count(872), count(12345)
    ('872', '12,345')
    """
    return f"{n:,}"


def p_text(p_value: float) -> str:
    """A p-value in words of a sentence.

    >>> p_text(0.0312), p_text(5.02e-09)
    ('p = 0.0312', 'p < 0.0001')
    """
    return "p < 0.0001" if p_value < 1e-4 else f"p = {p_value:.3g}"
