"""Printed scores: Wilson and Newcombe as statsmodels has them, counts that print so, and what is refused."""

from __future__ import annotations

import json
import math
import re
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint, proportions_ztest

import goldproof
from goldproof import Aggregate, Margins, Settings
from goldproof.errors import UsageError
from goldproof.statistics import two_proportion_test, unpaired_proportions, wilson


def test_the_interval_is_wilsons():
    scores = goldproof.score(Aggregate(87.3, 872))
    found = scores.sets[0].estimates["accuracy"]
    assert found == wilson(761, 872)
    assert (found.low, found.high) == pytest.approx(proportion_confint(761, 872, method="wilson"))
    assert repr(scores) == "all: accuracy 87.3 % [84.9, 89.3] on 872 items"
    assert scores.to_arrow().to_pylist() == [
        {"tag": "", "metric": "accuracy", "value": 761 / 872, "low": found.low, "high": found.high}
        | {"n": 872, "method": "Wilson"}
    ]


def test_the_difference_is_newcombes_and_p_the_z_tests():
    judgement = goldproof.compare(Aggregate(80.2, 872), Aggregate(88.1, 1000))
    found = judgement.overall
    assert found.difference.value == pytest.approx(0.881 - 699 / 872)
    low, high = confint_proportions_2indep(881, 1000, 699, 872, method="newcomb", compare="diff")
    assert (found.difference.low, found.difference.high) == pytest.approx((low, high), abs=1e-9)
    assert found.difference.low == unpaired_proportions(881, 1000, 699, 872).low
    assert found.p_value == pytest.approx(proportions_ztest([881, 699], [1000, 872])[1])
    assert found.verdict.kind == "better"
    assert repr(judgement) == "B is better by 7.9 points [4.6, 11.3]"
    assert not judgement.paired


def right(value, n):
    found = Aggregate(value, n).right_items()
    return found.fewest, found.most, found.fits


@pytest.mark.parametrize(
    ("value", "n", "expected"),
    [
        (87.3, 872, (761, 761, True)),
        ("87.3", 872, (761, 761, True)),
        ("87.27", 872, (761, 761, True)),
        (0.873, 872, (761, 761, True)),
        ("87.3%", 872, (761, 761, True)),
        ("0.8%", 1000, (8, 8, True)),
        (87.3, 10_000, (8725, 8735, True)),
        ("87.30", 10_000, (8730, 8730, True)),
        (100 * 761 / 872, 872, (761, 761, True)),
        (np.float64(761 / 872), np.int64(872), (761, 761, True)),
        (0, 50, (0, 0, True)),
        ("0.0", 50, (0, 0, True)),
        (100, 50, (50, 50, True)),
        ("100", 1000, (995, 1000, True)),
        ("100.0", 1000, (1000, 1000, True)),
        (87.34, 872, (pytest.approx(761.6048), pytest.approx(761.6048), False)),
    ],
)
def test_which_numbers_of_right_items_print_so(value, n, expected):
    assert right(value, n) == expected


@given(st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.integers(0, 3))
def test_what_was_printed_is_found_again(counts, digits):
    count, n = counts
    printed = str((Decimal(100) * count / n).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))
    if Decimal(printed) <= 1:
        printed += "%"  # else it would be a share
    given = Aggregate(printed, n)
    found = given.right_items()
    assert found.fits
    assert found.fewest <= count <= found.most
    estimate = goldproof.score(given).sets[0].estimates["accuracy"]
    exact = wilson(count, n)
    assert estimate.low <= exact.low
    assert estimate.high >= exact.high


def test_the_interval_and_the_difference_hold_for_every_number_that_prints_so():
    a, b = Aggregate("87", 300), Aggregate("93", 300)
    found = goldproof.compare(a, b).overall
    for count_a in range(260, 263):
        for count_b in range(278, 281):
            exact = unpaired_proportions(count_b, 300, count_a, 300)
            assert found.difference.low <= exact.low
            assert found.difference.high >= exact.high
            assert found.p_value >= two_proportion_test(count_b, 300, count_a, 300)
    assert found.a.method == "Wilson, and rounding"
    assert goldproof.compare(Aggregate("87", 300), Aggregate("88", 172)).overall.p_value < 1
    assert goldproof.compare(Aggregate("87", 300), Aggregate("87", 172)).overall.p_value == 1


LIMITS = [
    "The interval is over items, as if each had been drawn on its own: it says nothing about another seed, about "
    "categories or about single items. If items come in groups, such as several questions about one text, it is too "
    "narrow.",
    "It holds only if the score is the share of items that are right, and for no other metric.",
]


@pytest.mark.parametrize(
    ("value", "n", "note"),
    [
        (0.873, 872, "0.873 is taken as a share, which is 87.3 %; for less than one percent write 0.873%."),
        (
            87.34,
            872,
            "No number of right items out of 872 gives 87.34: 761 give 87.27 and 762 give 87.39. Perhaps the metric "
            "is not accuracy, the number of items is wrong, or this is a mean over runs.",
        ),
        (
            87.3,
            10_000,
            "From 8,725 to 8,735 right items out of 10,000 print as 87.3; the interval covers all of these numbers.",
        ),
    ],
)
def test_how_it_was_read_is_said(value, n, note):
    assert goldproof.score(Aggregate(value, n)).notes == [*LIMITS, note]


def test_where_no_number_fits_the_interval_is_still_there():
    found = goldproof.score(Aggregate(87.34, 872)).sets[0].estimates["accuracy"]
    assert found == wilson(0.8734 * 872, 872)


PAIRING = (
    "A and B are compared as if they had answered different items, because two numbers do not say which items each "
    "got right. With both systems' answers to the same items the comparison is paired and usually sharper; how much "
    "sharper depends on the share of items that only one of them gets right"
)


def test_what_pairing_would_do_is_said_as_far_as_it_can_be_known():
    judgement = goldproof.compare(Aggregate(87.3, 872), Aggregate(88.1, 872))
    assert judgement.notes == [
        f"{PAIRING}: were it 10 %, a difference of 3.0 points would show (80 % power).",
        *LIMITS,
    ]
    assert repr(judgement) == (
        "undecided: B − A is +0.8 points [−2.3, +3.9]; it would take about 3,500 more items on each side to show a "
        "difference of 2.0 points with 80 % power"
    )
    for other in (Aggregate(60.0, 872), Aggregate(88.1, 1000)):  # 10 % cannot be, or the items are not the same
        assert goldproof.compare(Aggregate(87.3, 872), other).notes[0] == f"{PAIRING}."


def test_the_items_that_are_said_to_be_needed_would_do():
    """With so many more, a difference of 2 points is 2.8 standard errors: 80 % power at 95 %."""
    verdict = goldproof.compare(Aggregate(87.3, 872), Aggregate(88.1, 500)).overall.verdict.text
    more = int(re.search(r"about ([\d,]+) more items on each side", verdict)[1].replace(",", ""))
    variances = [share * (1 - share) / (n + more) for share, n in ((0.873, 872), (0.881, 500))]
    assert (1.96 + 0.8416) * math.sqrt(sum(variances)) == pytest.approx(0.02, rel=0.02)


def test_few_items_that_are_all_right_are_not_tied():
    judgement = goldproof.compare(Aggregate(100, 10), Aggregate(100, 10))
    assert (judgement.overall.verdict.kind, judgement.names) == ("undecided", ("A", "B"))
    many = goldproof.compare(Aggregate("87.30", 100_000), Aggregate("87.30", 100_000))
    assert many.overall.verdict.kind == "tied"


def test_the_gate():
    worse = goldproof.compare(Aggregate(87.3, 872), Aggregate(80.2, 872), margins=Margins(gate=0.01))
    assert not worse.passes
    assert goldproof.compare(Aggregate(87.3, 872), Aggregate(86.9, 872), margins=Margins(gate=0.01)).passes
    assert worse.report().verdict[0] == "The gate of 1 points is not passed."


def test_the_reports_say_it_first_and_draw_the_intervals(tmp_path):
    report = goldproof.score([Aggregate(87.3, 872, "ours"), Aggregate(90.2, 500)]).report()
    assert str(report).splitlines() == [
        "How far does the accuracy hold in each of 2 sets?",
        "Accuracy ranges from 87.3 % [84.9, 89.3] (ours) to 90.2 % [87.3, 92.5] (90.2 of 500); each interval is for "
        "this system on items like these.",
        (
            "- A rival known only by its score must differ from ours by about 4.5 points for the difference to show "
            "(80 % power)."
        ),
        "- A rival known only by its score must differ from 90.2 of 500 by about 5.3 points for the difference to "
        "show (80 % power).",
    ]
    (table,), figure = report.sections[0].items, report.answer.figure
    assert [row["model"] for row in table.rows] == ["ours", "90.2 of 500"]
    assert [row["accuracy"] for row in table.rows] == [wilson(761, 872), wilson(451, 500)]
    drawn = [(row["accuracy_low"], row["accuracy_high"]) for row in figure.rows]
    assert drawn == [(e.low, e.high) for e in (wilson(761, 872), wilson(451, 500))]
    assert report.provenance == {"given": "87.3 of 872 items, 90.2 of 500 items"}
    judgement = goldproof.compare(Aggregate(87.3, 872, "old"), Aggregate(95.2, 872, "new"))
    assert str(judgement.report()).splitlines() == [
        "Is new better than old?",
        "Yes, for these two systems: new is better than old by 7.9 points [5.3, 10.6] in accuracy, on items like "
        "these.",
        "- new is better than old by 7.9 points [5.3, 10.6] (p < 0.0001).",
    ]
    assert judgement.report().sections[0].items[0].title == "new is better than old"
    files = goldproof.write_report(judgement.report(), tmp_path / "report")
    assert (tmp_path / "report" / "figures" / "scores-figure.svg") in files
    assert repr(goldproof.load_summary(tmp_path / "report" / "summary.json")) == repr(judgement.report())


WRONG_VALUES = [
    (("abc", 10), "an accuracy is a number in percent, such as 87.3, or a share, such as 0.873; got 'abc'"),
    (("nan", 10), "an accuracy is a number in percent, such as 87.3, or a share, such as 0.873; got 'nan'"),
    (("inf", 10), "an accuracy is a number in percent, such as 87.3, or a share, such as 0.873; got 'inf'"),
    (("", 10), "an accuracy is a number in percent, such as 87.3, or a share, such as 0.873; got ''"),
    ((100.1, 10), "an accuracy lies between 0 and 100 percent, or as a share between 0 and 1; got 100.1"),
    ((-0.5, 10), "an accuracy lies between 0 and 100 percent, or as a share between 0 and 1; got -0.5"),
    ((1, 10), "1 may be 1 percent or a share of 1, which is all items; write 1% or 100"),
    (("1.00", 10), "1.00 may be 1 percent or a share of 1, which is all items; write 1% or 100"),
    ((87.3, 0), "the number of items must be a whole number of at least 1; got 0"),
    ((87.3, -4), "the number of items must be a whole number of at least 1; got -4"),
    ((87.3, 872.0), "the number of items must be a whole number of at least 1; got 872.0"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG_VALUES, ids=[str(a) for a, _ in WRONG_VALUES])
def test_what_is_no_accuracy_is_refused(arguments, message):
    with pytest.raises(UsageError) as caught:
        Aggregate(*arguments)
    assert str(caught.value) == message


NEEDS_ITEMS = (
    "cluster, common and columns concern single items, and a printed score says nothing about those; give each "
    "item's answer, as a file with id, gold and prediction"
)
WRONG_USE = [
    (
        lambda: goldproof.score(Aggregate(87.3, 872), settings=Settings(metric="mcc")),
        "a printed 'mcc' cannot be judged from the number of items: unlike accuracy, how far it would move depends on "
        "which items are right; give each item's answer, as a file with id, gold and prediction",
    ),
    (
        lambda: goldproof.compare(Aggregate(1.5, 9), Aggregate(2, 9), settings=Settings(metric="macro_f1")),
        "a printed 'macro_f1' cannot be judged from the number of items: unlike accuracy, how far it would move "
        "depends on which items are right; give each item's answer, as a file with id, gold and prediction",
    ),
    (lambda: goldproof.score(Aggregate(87.3, 872), settings=Settings(cluster="text")), NEEDS_ITEMS),
    (lambda: goldproof.score(Aggregate(87.3, 872), settings=Settings(common=True)), NEEDS_ITEMS),
    (lambda: goldproof.score(Aggregate(87.3, 872), columns={"gold": "y"}), NEEDS_ITEMS),
    (
        lambda: goldproof.score([Aggregate(87.3, 872), "a.jsonl"]),
        "printed scores and files of predictions cannot be scored together; give one kind only",
    ),
    (
        lambda: goldproof.compare(Aggregate(87.3, 872), "a.jsonl"),
        "a printed score cannot be compared with predictions; give the predictions of both, or a printed score of both",
    ),
]


@pytest.mark.parametrize(("call", "message"), WRONG_USE)
def test_what_needs_single_items_is_refused(call, message):
    with pytest.raises(UsageError) as caught:
        call()
    assert str(caught.value) == message


def test_two_of_one_name_are_told_apart():
    scores = goldproof.score([Aggregate(87.3, 872), Aggregate(87.3, 872)])
    assert [one.name() for one in scores.sets] == ["87.3 of 872 (1)", "87.3 of 872 (2)"]


def test_the_numbers_of_the_report_are_plain_json(tmp_path):
    goldproof.write_report(goldproof.score(Aggregate(100, 5)).report(), tmp_path, formats=("json",))
    assert "NaN" not in (tmp_path / "summary.json").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
