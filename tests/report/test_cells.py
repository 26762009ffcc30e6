"""How numbers read, and what the formatter refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldproof.errors import UsageError
from goldproof.report.cells import mark_best, method_lines, view
from goldproof.report.numbers import estimate_text, format_interval, format_number
from goldproof.report.summary import Column, Marked, Missing, Table
from goldproof.statistics.estimate import Estimate

NAN = math.nan


@pytest.mark.parametrize(
    ("value", "digits", "unit", "text"),
    [
        (0.6339, 3, "", "0.634"),
        (-0.6339, 2, "", "−0.63"),
        (-0.001, 2, "", "0.00"),
        (0.0, None, "", "0.000"),
        (1104, None, "", "1104"),
        (12345, None, "", "12,345"),
        (-12345, None, "", "−12,345"),
        (0.5, None, "%", "50.0"),
        (1, None, "%", "100.0"),
        (-0.019, 2, "points", "−1.90"),
        (3.25, 1, "s", "3.2"),
        (math.inf, 3, "", "∞"),
        (-math.inf, 3, "", "−∞"),
    ],
)
def test_numbers(value, digits, unit, text):
    assert format_number(value, digits, unit) == text


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_a_shown_number_is_the_number_rounded(value, digits):
    shown = float(format_number(value, digits).replace("−", "-"))
    assert shown == pytest.approx(value, abs=0.5 * 10**-digits * (1 + 1e-9) + 1e-9)
    assert "-" not in format_number(value, digits)


def test_intervals_have_a_digit_less_than_three():
    estimate = Estimate(0.6339, 0.5142, 0.7311, "m", 33)
    assert [format_interval(estimate, digits) for digits in (1, 2, 3, 4)] == [
        "[0.5, 0.7]",
        "[0.51, 0.73]",
        "[0.51, 0.73]",
        "[0.514, 0.731]",
    ]
    assert format_interval(estimate, None, "%") == "[51.4, 73.1]"


@pytest.mark.parametrize(
    ("ends", "digits", "unit", "text", "interval"),
    [
        ((1.0, 0.9968, 1.0032), 0, "%", "100.0", "[99.7, 100.3]"),
        ((0.9979, 0.9961, 0.9989), 0, "%", "99.8", "[99.6, 99.9]"),  # 100 would lie outside
        ((0.0043, 0.0031, 0.0049), 0, "points", "0.4", "[0.3, 0.5]"),
        ((0.66, 0.39, 0.92), 0, "%", "66", "[39, 92]"),
        ((1.0, 1.0, 1.0), 0, "%", "100", "[100, 100]"),  # it has no width
        ((0.5, 0.5, 0.5 + 1e-12), 1, "%", "50.0", "[50.0, 50.0]"),  # nor has what rounding left
        ((0.1236, 0.1233, 0.1238), 3, "", "0.124", "[0.123, 0.124]"),
    ],
)
def test_an_interval_that_has_a_width_shows_it(ends, digits, unit, text, interval):
    value, low, high = ends
    estimate = Estimate(value, low, high, "runs", 872)
    assert format_interval(estimate, digits, unit) == interval
    shown = view(estimate, Column("left", "Left", digits, unit))
    assert (shown.text, shown.interval) == (text, interval)
    assert estimate_text(estimate, digits, unit) == f"{text} {unit} ".replace("  ", " ") + interval


def test_what_is_missing_says_why():
    column = Column("mcc", "MCC", 3)
    for cell, reason in [
        (NAN, "not defined"),
        (Missing("3 items only"), "3 items only"),
        (Estimate(NAN, NAN, NAN, "one class only", 3), "one class only"),
        (None, ""),
    ]:
        shown = view(cell, column)
        assert (shown.text, shown.interval, shown.number, shown.reason) == ("–", "", None, reason)
    half = view(Estimate(0.5, NAN, NAN, "one run only", 3), column)
    assert (half.plain, half.reason) == ("0.500", "no interval: one run only")


def test_numpy_scalars_read_like_numbers():
    column = Column("x", "X", 2)
    assert view(np.float32(0.25), column).text == "0.25"
    assert view(np.int64(7), Column("n", "N")).text == "7"
    assert view(np.bool_(True), column).text == "yes"


def test_a_cell_that_is_no_value_is_refused():
    with pytest.raises(UsageError) as error:
        view([1, 2], Column("x", "X"))  # type: ignore[arg-type]
    assert str(error.value) == (
        "column 'x': a cell is a text, a number, yes or no, an Estimate, Missing, Marked or None; got list"
    )


def test_best_is_marked_with_its_ties_and_keeps_footnotes():
    rows = [{"x": 3.0}, {"x": Marked(1.0, note="n")}, {"x": None}, {"x": 1.0}]
    assert [row["x"] for row in mark_best(rows, "x", tied=[0, 1], largest=False)] == [
        Marked(3.0, tied=True),
        Marked(1.0, best=True, note="n"),
        None,
        Marked(1.0, best=True),
    ]
    assert mark_best([{"x": None}], "x") == [{"x": None}]


def test_methods_are_said_once():
    rows = [{"x": Estimate(0.5, 0.4, 0.6, "Wilson", n)} for n in (30, 90)] + [{"x": Estimate(1, NAN, NAN, "why", 1)}]
    table = Table("t", "T", [Column("x", "Accuracy"), Column("y", "Y")], rows)
    assert method_lines(table) == ["Accuracy: 95 % interval, Wilson, n = 30 to 90"]
    same = [{"a": rows[0]["x"], "b": rows[0]["x"], "c": rows[1]["x"]}]
    columns = [Column(key, key.upper()) for key in "abc"]
    assert method_lines(Table("t", "T", columns, same)) == [
        "A, B: 95 % interval, Wilson, n = 30",
        "C: 95 % interval, Wilson, n = 90",
    ]
    many = [{str(i): rows[0]["x"] for i in range(5)}]
    columns = [Column(str(i), str(i)) for i in range(5)]
    assert method_lines(Table("t", "T", columns, many)) == ["All intervals: 95 % interval, Wilson, n = 30"]
