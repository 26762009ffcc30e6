"""The one container holds every kind of answers, keeps its parts together, and refuses parts that do not fit."""

from __future__ import annotations

import numpy as np
import pytest

import goldproof
from goldproof.data.answers import Answers, Bounds
from goldproof.data.predictions import read_predictions
from goldproof.errors import DataError
from goldproof.judging.arrange import arrange

IDS = np.array(["a", "b", "c"], object)


def lists(*rows):
    cells = np.empty((len(rows), len(rows[0])), object)
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            cells[i, j] = value
    return cells


KINDS = {
    "codes": Answers({}, None, "classification", ("x", "y"), IDS, np.array([0, 1, 1]), np.array([[0, 1, -1]]), ("1",)),
    "probabilities": Answers(
        *({"model": "m"}, 3, "classification", ("x", "y"), IDS, np.array([0, 1, 1])),
        np.array([[0, 1, 1], [1, 1, 1]]),
        ("p1", "p2"),
        probabilities=np.full((2, 3, 2), 0.5),
        run_kind="prompt",
    ),
    "numbers": Answers(
        {}, None, "regression", (), IDS, np.array([0.1, 0.2, 0.3]), np.array([[0.1, np.nan, 0.4]]), ("1",)
    ),
    "spans": Answers(
        *({}, None, "tagging", ("B-X", "O"), IDS, lists([["O"], ["B-X"], ["O"]])[0]),
        lists([["O"], None, ["O"]]),
        ("1",),
    ),
    "scores": Answers(
        *({"dataset": "gsm"}, None, "score", (), IDS, np.zeros(3), np.array([[4.0, np.nan, 10.0]] * 2), ("0", "1")),
        run_kind="repeat",
        bounds=Bounds(0, 10),
        weights=np.array([1.0, 2.0, 1.0]),
        clusters=np.array([0, 0, 1]),
        tags=(("t",), (), ("t", "u")),
        texts={"text": ["one", "two", "three"]},
        absent=np.array([[0, 1, 0], [0, 2, 0]]),
        reasons=("time ran out", "refused"),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_keeps_its_parts_together_when_items_are_taken(kind):
    answers = KINDS[kind]
    some = answers.take(np.array([2, 1]))
    assert list(some.ids) == ["c", "b"]
    assert some.runs.shape == (answers.n_runs, 2)
    assert (some.missing() == answers.missing()[:, [2, 1]]).all()
    for name in ("clusters", "weights"):
        part = getattr(answers, name)
        assert part is None or list(getattr(some, name)) == list(part[[2, 1]])
    assert (some.tags, some.where, some.run_kind) == (
        None if answers.tags is None else (answers.tags[2], answers.tags[1]),
        answers.where,
        answers.run_kind,
    )
    assert answers.probabilities is None or some.probabilities.shape == (2, 2, 2)


def test_missing_answers_are_counted_by_reason():
    assert KINDS["codes"].reasons_missing() == {"no answer": 1}
    assert KINDS["spans"].reasons_missing() == {"no answer": 1}
    assert KINDS["probabilities"].reasons_missing() == {}
    assert KINDS["scores"].reasons_missing() == {"time ran out": 1, "refused": 1}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"gold": np.array([0, 1])},
            "answers of 1 runs to 3 items need as many of each; got gold 2, run names 1",
        ),
        (
            {"run_names": ("1", "2")},
            "answers of 1 runs to 3 items need as many of each; got run names 2",
        ),
        (
            {"task": "ranking"},
            "answers are classification, regression, tagging, score; got 'ranking'",
        ),
        (
            {"task": "score"},
            "answers that are scores need bounds: the lowest and the highest score an item can have",
        ),
        (
            {"task": "score", "bounds": Bounds(0, 1), "runs": np.array([[0.5, 2.0, 0.0]])},
            "a score lies outside its bounds: allowed are 0 to 1; got 0 to 2",
        ),
    ],
)
def test_parts_that_do_not_fit_are_refused(change, message):
    given = {
        "where": {},
        "step": None,
        "task": "classification",
        "labels": ("x", "y"),
        "ids": IDS,
        "gold": np.array([0, 1, 1]),
        "runs": np.array([[0, 1, 1]], float) if change.get("task") == "score" else np.array([[0, 1, 1]]),
        "run_names": ("1",),
    }
    with pytest.raises(DataError) as caught:
        Answers(**{**given, **change})
    assert str(caught.value) == message


def test_a_file_and_a_table_give_the_same_answers(tmp_path):
    rows = [{"id": i, "gold": "xy"[i % 2], "prediction": "xy"[i % 3 == 0], "run": r} for r in (0, 1) for i in range(6)]
    frame = goldproof.read_predictions(rows)
    path = tmp_path / "p.csv"
    path.write_text("id,gold,prediction,run\n" + "".join(f"{','.join(map(str, row.values()))}\n" for row in rows))
    (one,), (other,) = (arrange(predictions)[0] for predictions in (frame, read_predictions(path)))
    assert (one.runs == other.runs).all()
    assert (one.gold == other.gold).all()
    assert (one.run_names, one.labels, one.run_kind) == (other.run_names, other.labels, "seed")
