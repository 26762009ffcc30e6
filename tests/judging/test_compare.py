"""`compare`: the verdict follows from the interval, p-values are statsmodels', and unlike things are refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import mcnemar as reference
from tests.judging.files import BEFOREHAND, noisy_rows, several_runs, write_jsonl

import goldproof
from goldproof.data.predictions import read_predictions
from goldproof.errors import DataError, UsageError
from goldproof.judging.verdict import Design, judge
from goldproof.statistics.comparison import Comparison
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.runs import MeanVariance, RunPart


def files(tmp_path, a, b):
    return write_jsonl(tmp_path / "a.jsonl", a), write_jsonl(tmp_path / "b.jsonl", b)


def test_the_xnli_systems_have_statsmodels_p(published):
    folder = published / "predictions" / "xnli"
    a, b = folder / "mt5base" / "test-en_7676.json", folder / "mlpp" / "test-en_7872.json"
    tables = [goldproof.read_predictions(file).table for file in (a, b)]
    gold, first, second = (
        np.array(c.to_pylist()) for c in (tables[0]["gold"], tables[0]["prediction"], tables[1]["prediction"])
    )
    right = [first == gold, second == gold]
    table = [[int((x & y).sum()) for y in (right[1], ~right[1])] for x in (right[0], ~right[0])]
    found = goldproof.compare(a, b, settings=goldproof.Settings(cluster="none"))
    assert found.overall.mcnemar == pytest.approx(reference(table, exact=True).pvalue)
    assert found.overall.p_value == pytest.approx(reference(table, exact=False, correction=False).pvalue)
    assert (found.overall.flips.only_a, found.overall.flips.only_b) == (table[0][1], table[1][0])
    assert found.overall.verdict.kind == "better"
    assert found.names == ("CL-mt5base", "CL-mlpp15out1sum")


def test_swapping_the_sides_swaps_the_verdict(tmp_path):
    a, b = files(tmp_path, noisy_rows(600, 0.6, 1), noisy_rows(600, 0.8, 2))
    there, back = goldproof.compare(a, b), goldproof.compare(b, a)
    assert there.overall.verdict.kind == "better"
    assert back.overall.verdict.kind == "worse"
    assert there.overall.difference.value == pytest.approx(-back.overall.difference.value)
    assert there.overall.p_value == pytest.approx(back.overall.p_value)


def test_the_same_predictions_are_tied(tmp_path):
    a, b = files(tmp_path, noisy_rows(600, 0.8, 1), noisy_rows(600, 0.8, 1))
    found = goldproof.compare(a, b)
    assert found.overall.verdict.kind == "tied"
    assert found.overall.churn == 0


def test_several_runs_and_seed_churn(tmp_path):
    a, b = files(tmp_path, several_runs(500, 0.7, range(4)), several_runs(500, 0.85, range(10, 14)))
    found = goldproof.compare(a, b).overall
    assert found.verdict.kind == "better"
    assert found.flips is None
    assert found.seed_churn == pytest.approx((2 * 0.7 * 0.3 + 2 * 0.85 * 0.15) / 2, abs=0.03)
    assert "runs" in found.difference.method


def test_runs_are_counted_in_the_order_of_the_sides(tmp_path):
    a = write_jsonl(tmp_path / "a.jsonl", several_runs(200, 0.7, range(3)))
    b = write_jsonl(tmp_path / "b.jsonl", noisy_rows(200, 0.7, 9))
    method = goldproof.compare(a, b).overall.difference.method
    assert method.startswith("A 3 and B 1 runs × 200 items or clusters, ")


def test_languages_are_judged_each_and_together(tmp_path):
    sides = []
    for accuracy, seed in ((0.7, 1), (0.8, 5)):
        rows = []
        for k, language in enumerate(("de", "en")):
            rows += noisy_rows(400, accuracy, seed + k, language=language)
        sides.append(rows)
    found = goldproof.compare(*files(tmp_path, *sides))
    assert [each.where for each in found.sets] == [{"language": "de"}, {"language": "en"}]
    assert found.overall.difference.n == 800
    assert "400 clusters" in found.overall.difference.method  # the same id in two languages is one item
    assert all(each.adjusted >= each.p_value for each in found.sets)


def test_tags_are_compared_with_adjusted_p(tmp_path):
    a, b = noisy_rows(300, 0.7, 1), noisy_rows(300, 0.9, 2)
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        x["tags"] = y["tags"] = [f"t{i % 3}"] if i else ["alone"]
    tags = goldproof.compare(*files(tmp_path, a, b)).tags
    assert [tag.where["tag"] for tag in tags] == ["t0", "t1", "t2"]  # a tag of one item is not tested


def test_what_a_prompt_shows_is_short(tmp_path):
    a, b = files(tmp_path, noisy_rows(900, 0.9, 1), noisy_rows(900, 0.7, 2))
    found = goldproof.compare(a, b)
    assert repr(found) == str(found) == found.overall.verdict.text
    scores = goldproof.score(a)
    estimate = scores.sets[0].estimates["accuracy"]
    numbers = f"{100 * estimate.value:.1f} % [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"
    assert repr(scores) == f"all: accuracy {numbers} on 900 items, runs: 1"
    assert repr(read_predictions(a)).startswith(
        "<Predictions: 900 rows of classification; columns id, gold, prediction"
    )


def test_the_gate(tmp_path):
    a, b = files(tmp_path, noisy_rows(2000, 0.8, 1), noisy_rows(2000, 0.7, 2))
    assert not goldproof.compare(a, b, margins=goldproof.Margins(gate=0.005)).passes
    assert goldproof.compare(a, b, margins=goldproof.Margins(gate=0.2)).passes
    assert goldproof.compare(b, a, margins=goldproof.Margins(gate=0.0)).passes


ERRORS = [
    (
        noisy_rows(30, 0.7, 1),
        noisy_rows(28, 0.7, 1),
        "the ids of A and B do not match (all): A has 30 items and B 28; 28 are in both (not in both: '28', '29'); "
        "--common compares on these",
    ),
    (
        noisy_rows(30, 0.7, 1),
        [{**row, "id": "x" + row["id"]} for row in noisy_rows(30, 0.7, 1)],
        "the ids of A and B do not match (all): A has 30 items and B 30; 0 are in both (not in both: '0', '1', '10')",
    ),
    (
        noisy_rows(30, 0.7, 1),
        [{**row, "gold": "yes"} for row in noisy_rows(30, 0.7, 1)],
        "the gold of 13 items differs between A and B (all; for example id '10': 'no' in A and 'yes' in B); only "
        "answers to the same questions can be compared",
    ),
    (
        noisy_rows(30, 0.7, 1, language="en") + noisy_rows(30, 0.7, 1, language="ru"),
        noisy_rows(30, 0.7, 1, language="fr"),
        "A and B have no set in common: A has en, ru; B has fr",
    ),
    (
        noisy_rows(30, 0.7, 1),
        [{"id": str(i), "gold": i + 0.5, "prediction": i + 0.25} for i in range(30)],
        (
            "A holds answers of the kind classification and B of the kind regression; only answers of one kind can "
            "be compared"
        ),
    ),
    (
        noisy_rows(30, 0.7, 1, model="m1") + noisy_rows(30, 0.7, 2, model="m2"),
        noisy_rows(30, 0.7, 1),
        "each side of a comparison is one model; this one holds 2: m1, m2",
    ),
]


@pytest.mark.parametrize(("a", "b", "message"), ERRORS)
def test_what_cannot_be_compared(tmp_path, a, b, message):
    with pytest.raises((DataError, UsageError)) as caught:
        goldproof.compare(*files(tmp_path, a, b))
    assert str(caught.value) == message


def test_common_items_are_compared_and_said(tmp_path):
    a, b = files(tmp_path, noisy_rows(30, 0.7, 1), noisy_rows(28, 0.7, 1))
    found = goldproof.compare(a, b, settings=goldproof.Settings(common=True))
    assert found.overall.difference.n == 28
    assert found.notes == ["all: A has 30 items and B 28; 28 are in both; those are compared.", BEFOREHAND]


def verdict(value, low, high, error, n=1000, metric="accuracy", margin=0.02, n_runs=1, variance=None):
    inner = (value - 0.84 * (value - low), value + 0.84 * (high - value))
    comparison = Comparison(Estimate(value, low, high, "t", n), 0.5, error, math.inf, inner, variance=variance, limit=1)
    return judge(comparison, Design(n_runs), margin, metric).text


def test_the_words_of_a_verdict():
    assert verdict(0.019, 0.006, 0.032, 0.0066) == "B is better by 1.9 points [0.6, 3.2]"
    assert verdict(-0.019, -0.032, -0.006, 0.0066) == "B is worse by 1.9 points [0.6, 3.2]"
    assert verdict(0.1, 0.02, 0.18, 0.04, metric="mcc") == "B is better by 0.100 [0.020, 0.180]"
    assert verdict(0.001, -0.0137, 0.0157, 0.0075) == (
        "tied: B − A is +0.1 points [−1.4, +1.6], within ±2.0; a difference of 2.1 would have shown with 80 % power"
    )
    assert verdict(0.012, -0.011, 0.035, 0.0117, n=1000) == (
        "undecided: B − A is +1.2 points [−1.1, +3.5]; it would take about 1,700 more items to show a difference of "
        "2.0 points with 80 % power"
    )
    assert verdict(0.0, math.nan, math.nan, 0.1) == "no verdict: t"


def test_where_seeds_are_what_is_lacking_the_verdict_says_runs():
    """Items leave too little room beside what runs add; with 3 runs a side their spread is not known to a number."""
    few = MeanVariance((RunPart(2e-4, 0.0, 3), RunPart(2e-4, 0.0, 3)), 2e-5, 999, "items")
    text = verdict(0.012, -0.05, 0.08, 0.02, n_runs=3, variance=few)
    assert text.endswith(
        "it would take more runs, not more items: 18 to 150 more runs a side (few runs say little about their "
        "spread) to show a difference of 2.0 points with 80 % power"
    )
    many = MeanVariance((RunPart(2e-4, 0.0, 10), RunPart(2e-4, 0.0, 10)), 2e-5, 999, "items")
    text = verdict(0.012, -0.05, 0.08, 0.02, n_runs=10, variance=many)
    assert "about 140 more runs a side to show a difference of 2.0 points with 80 % power" in text


@pytest.mark.slow
def test_false_positives_of_compare_are_five_percent(tmp_path):
    """Two models of the same accuracy, 1,000 times: the verdict is better or worse in 4 to 6 % of cases."""
    wrong = 0
    for seed in range(1000):
        a, b = files(tmp_path, noisy_rows(300, 0.75, 2 * seed), noisy_rows(300, 0.75, 2 * seed + 1))
        wrong += goldproof.compare(a, b).overall.verdict.kind in ("better", "worse")
    assert 35 <= wrong <= 68


def test_two_files_of_one_name_are_told_apart_by_their_folders(tmp_path):
    rows = [{"id": str(i), "gold": "yes" if i % 2 else "no", "prediction": "yes"} for i in range(20)]
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        write_jsonl(tmp_path / folder / "test.jsonl", rows)
    found = goldproof.compare(tmp_path / "old" / "test.jsonl", tmp_path / "new" / "test.jsonl")
    assert found.names == ("old/test", "new/test")
