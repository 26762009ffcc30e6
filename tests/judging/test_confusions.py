"""Which labels are taken for which: as scikit-learn counts them, for few and many labels, held and streamed."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support
from tests.judging.files import write_jsonl

import goldproof
from goldproof.judging import streaming
from goldproof.judging.confusions import MOST_CONFUSIONS, label_findings
from goldproof.report.summary import Table


def rows(n_labels: int, n_items: int, runs: int, seed: int = 0) -> list[dict[str, object]]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, n_labels, n_items)
    return [
        {"id": i, "run": run, "gold": f"l{gold[i]}", "prediction": f"l{gold[i] if right else other}"}
        for run in range(runs)
        for i, (right, other) in enumerate(
            zip(rng.random(n_items) < 0.6, rng.integers(0, n_labels, n_items), strict=True)
        )
    ]


@pytest.mark.parametrize(("n_labels", "runs"), [(3, 1), (3, 4), (60, 1), (60, 3), (3000, 2)])
def test_every_label_has_the_scores_that_scikit_learn_gives(n_labels, runs):
    data = rows(n_labels, 900, runs)
    answers = goldproof.score(data).sets[0].answers
    found = label_findings(answers)
    gold, given = [row["gold"] for row in data], [row["prediction"] for row in data]
    labels = [one.label for one in found.labels]
    assert labels == sorted({*gold, *given})
    precision, recall, f1, n = precision_recall_fscore_support(gold, given, labels=labels, zero_division=0)
    for i, one in enumerate(found.labels):
        assert one.n_items == n[i] / runs
        assert (one.recall.value if one.recall else 0) == pytest.approx(recall[i])
        assert (one.precision or 0) == pytest.approx(precision[i])
        assert one.f1 == pytest.approx(f1[i])
    pairs = Counter((g, p) for g, p in zip(gold, given, strict=True) if g != p)
    assert [one.n for one in found.confusions] == [n for _, n in pairs.most_common(MOST_CONFUSIONS)]
    for one in found.confusions:
        assert one.n == pairs[one.gold, one.predicted]
        assert one.rate.value == pytest.approx(one.n / Counter(gold)[one.gold])


@pytest.mark.parametrize(("n_labels", "runs"), [(3, 1), (3, 4), (60, 1), (60, 3)])
def test_what_streams_gives_the_same(n_labels, runs, tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", [{**row, "tags": ["x"]} for row in rows(n_labels, 900, runs)])
    held = goldproof.score(path)
    counted = streaming.score_stream(path, None, goldproof.Settings())
    for name, estimate in held.sets[0].estimates.items():
        assert counted.sets[0].estimates[name].value == pytest.approx(estimate.value)
    np.testing.assert_allclose(counted.sets[0].run_scores, held.sets[0].run_scores)
    np.testing.assert_allclose(counted.tags[0].run_scores, held.tags[0].run_scores)
    ours, theirs = label_findings(held.sets[0].answers), counted.sets[0].labels
    assert [(one.gold, one.predicted, one.n) for one in ours.confusions] == [
        (one.gold, one.predicted, one.n) for one in theirs.confusions
    ]
    for a, b in zip([*ours.labels], [*theirs.labels], strict=True):
        assert (a.label, a.n_items, a.precision, a.f1) == (b.label, b.n_items, b.precision, b.f1)
        assert a.recall.value == pytest.approx(b.recall.value)
        if runs == 1:
            assert (a.recall.low, a.recall.high) == pytest.approx((b.recall.low, b.recall.high))


def table(scores, name) -> Table:
    items = [item for section in scores.report().sections for item in section.items]
    return next(item for item in items if isinstance(item, Table) and item.name == name)


def test_the_report_shows_the_worst_and_all_labels():
    """Gold a is taken for b by half of its 8 answers, for c by one; nothing else is confused."""
    guesses = {"a": "bbbbcaaa", "b": "bb", "c": "cc"}
    data = [
        {"id": f"{gold}{i}", "gold": gold, "prediction": given}
        for gold, several in guesses.items()
        for i, given in enumerate(several)
    ]
    scores = goldproof.score(data)
    worst, labels = table(scores, "confusions"), table(scores, "labels")
    assert worst.title == "The most frequent confusion: “a” is taken for “b” in 50.0 % of its answers"
    assert [(row["gold"], row["predicted"], row["n"], row["rate"].value) for row in worst.rows] == [
        ("a", "b", 4, 0.5),
        ("a", "c", 1, 0.125),
    ]
    assert labels.title == "F1 ranges from 50.0 % for “b” to 80.0 % for “c”"
    assert [row["label"] for row in labels.rows] == ["a", "b", "c"]


def test_labels_that_are_never_gold_or_never_given_say_so():
    data = [{"id": i, "gold": "ab"[i % 2], "prediction": "ac"[i % 2]} for i in range(40)]
    shown = {row["label"]: row for row in table(goldproof.score(data), "labels").rows}
    assert shown["c"]["recall"].reason == "never gold"
    assert shown["b"]["precision"].reason == "never predicted"
    assert (shown["b"]["f1"], shown["c"]["f1"], shown["a"]["f1"]) == (0.0, 0.0, 1.0)


def test_missing_answers_are_confusions_and_no_label():
    data = [{"id": i, "gold": "ab"[i % 2], "prediction": None if i < 10 else "ab"[i % 2]} for i in range(40)]
    scores = goldproof.score(data)
    assert [row["predicted"] for row in table(scores, "confusions").rows] == ["(no answer)"] * 2
    assert [row["label"] for row in table(scores, "labels").rows] == ["a", "b"]


def test_of_many_labels_the_lowest_come_first():
    labels = table(goldproof.score(rows(60, 900, 1)), "labels")
    found = [row["f1"] for row in labels.rows]
    assert (len(found), found) == (60, sorted(found))
    assert labels.note == "Lowest F1 first."


def test_numbers_with_a_point_are_said_to_be_labels_also_where_they_stream(tmp_path):
    data = [{"id": i, "gold": float(i % 2), "prediction": float(i % 3 == 0)} for i in range(60)]
    path = write_jsonl(tmp_path / "a.jsonl", data)
    counted = streaming.score_stream(path, None, goldproof.Settings())
    assert counted.notes[0] == goldproof.score(path).notes[0]
    assert "treated as labels" in counted.notes[0]
    with pytest.raises(goldproof.GoldproofError) as caught:
        streaming.score_stream(path, None, goldproof.Settings(metric="pearson"))
    assert str(caught.value) == f"{path}: only classification can be scored as it streams; split the file"
