"""The one container holds every kind of answers, keeps its parts together, and refuses parts that do not fit."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

import goldproof
from goldproof.data.answers import Answers, Bounds, RunKind, span_answers
from goldproof.data.arrange import arrange
from goldproof.data.predictions import read_predictions
from goldproof.errors import DataError, UsageError

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
    "tags": Answers(
        *({}, None, "tagging", ("B-X", "O"), IDS, lists([["O"], ["B-X"], ["O"]])[0]),
        lists([["O"], None, ["O"]]),
        ("1",),
    ),
    "spans": Answers(
        *({"language": "de"}, 2, "spans", (), IDS, np.array([0, 1, 2])),
        span_answers(np.array([[0, 1, -1]]), np.array([[1, 1, -1]])),
        ("1",),
    ),
    "scores": Answers(
        *(
            {"dataset": "gsm", "language": "en"},
            None,
            "score",
            (),
            IDS,
            np.zeros(3),
            np.array([[4.0, np.nan, 10.0]] * 2),
            ("0", "1"),
        ),
        run_kind="repeat",
        bounds=Bounds(0, 10, more_is_better=False),
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
    assert (some.bounds, some.step, some.labels) == (answers.bounds, answers.step, answers.labels)
    texts = answers.texts
    assert some.texts == (None if texts is None else {"text": [texts["text"][2], texts["text"][1]]})


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_keeps_its_parts_together_when_runs_are_taken_and_joined(kind):
    answers = KINDS[kind]
    last = answers.only_runs([answers.n_runs - 1])
    assert last.run_names == answers.run_names[-1:]
    assert (last.missing() == answers.missing()[-1:]).all()
    assert answers.absent is None or last.reasons_missing() == {"refused": 1}
    assert answers.only_runs(()).runs.shape == (0, 3)
    both = answers.with_runs_of(last)
    assert both.run_names == (*answers.run_names, *last.run_names)
    assert (both.missing() == np.concatenate([answers.missing(), last.missing()])).all()
    assert (both.gold is answers.gold, both.probabilities, both.absent) == (True, None, None)


@pytest.mark.parametrize("kind", get_args(RunKind))
def test_a_run_is_a_seed_a_prompt_examples_a_repeat_or_a_step(kind):
    answers = replace(KINDS["probabilities"], run_kind=kind)
    assert (answers.take(np.array([0])).run_kind, answers.only_runs([0]).run_kind) == (kind, kind)


def test_checkpoints_are_answers_that_differ_in_their_step():
    steps = [replace(KINDS["codes"], step=step, runs=np.array([[0, 1, step % 2]])) for step in (3, 1, 2)]
    found = goldproof.score(steps)
    assert [path.steps.tolist() for path in found.trajectories] == [[1, 2, 3]]
    assert found.sets[0].answers is not None
    assert found.sets[0].answers.step == 3


def test_missing_answers_are_counted_by_reason():
    assert KINDS["codes"].reasons_missing() == {"no answer": 1}
    assert KINDS["tags"].reasons_missing() == {"no answer": 1}
    assert KINDS["spans"].reasons_missing() == {"no answer": 1}
    assert KINDS["probabilities"].reasons_missing() == {}
    assert KINDS["scores"].reasons_missing() == {"time ran out": 1, "refused": 1}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"gold": np.array([0, 1])},
            "answers of 1 runs to 3 items must have that shape; got gold 2, run names 1",
        ),
        (
            {"run_names": ("1", "2")},
            "answers of 1 runs to 3 items must have that shape; got run names 2",
        ),
        (
            {"task": "ranking"},
            "answers are classification, regression, tagging, spans, score; got 'ranking'",
        ),
        (
            {"task": "spans"},
            "make answers that are spans with span_answers(found, given); got int64",
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


def test_answers_are_scored_and_compared_as_the_rows_that_they_were_read_from():
    rows = [
        {
            "id": i,
            "gold": "xy"[i % 2],
            "prediction": "xy"[(i + (i % 5 == r)) % 2],
            "run": r,
            "language": "en",
            "tags": ["t"],
        }
        for r in (0, 1)
        for i in range(40)
    ]
    predictions = goldproof.read_predictions(rows)
    answers, _ = arrange(predictions)
    assert goldproof.score(answers).to_arrow().equals(goldproof.score(predictions).to_arrow())
    better = replace(answers[0], runs=np.stack([answers[0].gold] * 2))
    found = goldproof.compare(answers[0], better)
    assert (found.overall.verdict.kind, found.overall.b.value) == ("better", 1.0)


def test_tags_and_their_spans_have_the_same_score():
    gold = [["B-X", "O"], ["O", "O"], ["B-X", "B-X"]]
    given = [["B-X", "B-X"], ["O", "O"], ["O", "B-X"]]
    tags = Answers({}, None, "tagging", (), IDS, lists(gold)[0], lists(given), ("1",))
    spans = Answers(
        {},
        None,
        "spans",
        (),
        IDS,
        np.array([1, 0, 2]),
        span_answers(np.array([[1, 0, 1]]), np.array([[2, 0, 1]])),
        ("1",),
    )
    one, other = (goldproof.score(each).sets[0].estimates["span_f1"] for each in (tags, spans))
    assert one == other
    assert one.value == pytest.approx(2 * 2 / (3 + 3))


def test_missing_spans_are_wrong_left_out_or_refused():
    wrong, out = (goldproof.score(KINDS["spans"], settings=goldproof.Settings(missing=m)) for m in (None, "leave-out"))
    assert wrong.sets[0].estimates["span_f1"].value == pytest.approx(2 * 1 / (3 + 2))
    assert out.sets[0].n_items == 2
    with pytest.raises(DataError) as caught:
        goldproof.score(KINDS["spans"], settings=goldproof.Settings(missing="refuse"))
    assert str(caught.value) == "1 predictions are missing; --missing says what they mean"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            [KINDS["codes"], KINDS["numbers"]],
            "only answers of one kind can be judged together; got classification, regression",
        ),
        (
            [KINDS["codes"], "file.csv"],
            "answers and other predictions cannot be judged together; give one kind only",
        ),
    ],
)
def test_answers_that_cannot_be_judged_are_refused(source, message):
    with pytest.raises(UsageError) as caught:
        goldproof.score(source)
    assert str(caught.value) == message
