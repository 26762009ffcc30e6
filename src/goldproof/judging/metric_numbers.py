"""How scores of a metric, their differences and margins are printed, in sentences and on a terminal as in tables."""

from __future__ import annotations

from goldproof.judging.metrics import is_share
from goldproof.report.numbers import PERCENT, POINTS, NumberFormat, estimate_or_reason, format_number, signed_number
from goldproof.statistics.estimate import Estimate

_CORRELATION = NumberFormat(3)


def score_format(metric: str) -> NumberFormat:
    """Percent for scores that are shares, three digits for correlations."""
    return PERCENT if is_share(metric) else _CORRELATION


def difference_format(metric: str) -> NumberFormat:
    """Points for differences of shares, three digits for those of correlations."""
    return POINTS if is_share(metric) else _CORRELATION


def score_text(estimate: Estimate, metric: str) -> str:
    """A score with its interval; what it lacks is said in brackets.

    >>> score_text(Estimate(0.873, 0.849, 0.893, "Wilson", 872), "accuracy")
    '87.3 % [84.9, 89.3]'
    """
    form = score_format(metric)
    return estimate_or_reason(estimate, form.digits, form.unit)


def margin_text(margin: float, metric: str) -> str:
    """A margin that a person set, with no more digits than it was given.

    >>> margin_text(0.005, "accuracy"), margin_text(0.02, "mcc")
    ('0.5 points', '0.02')
    """
    return f"{100 * margin:g} points" if is_share(metric) else f"{margin:g}"


def unit(metric: str) -> str:
    """The unit of differences as it follows a number: points for shares, nothing for correlations."""
    return f" {difference_format(metric).unit}".rstrip()


def shown(value: float, metric: str) -> str:
    """A difference as a person reads it: points of 100 for shares, three digits for correlations."""
    form = difference_format(metric)
    return format_number(value, form.digits, form.unit)


def signed(value: float, metric: str) -> str:
    """The same with its sign."""
    form = difference_format(metric)
    return signed_number(value, form.digits, form.unit)
