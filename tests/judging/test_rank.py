"""Boards from files, tables and Answers: who may be first, what cannot be asked, and what is refused."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from goldproof.data.answers import Answers, Bounds
from goldproof.errors import DataError, GoldproofError, UsageError
from goldproof.judging.baselines import compare_with_baseline
from goldproof.judging.rank import Leaderboard, RankSettings, rank
from goldproof.judging.rank_words import headline, plan_text, rank_answer
from goldproof.judging.score import Settings
from goldproof.report.write import write_report

N = 200
FEW = RankSettings(draws=500)


def answers(model: str, scores: np.ndarray, ids: Sequence[str] | None = None, **where: str) -> Answers:
    runs = np.atleast_2d(np.asarray(scores, float))
    names = np.array(ids if ids is not None else [f"i{k}" for k in range(runs.shape[1])], object)
    gold = np.zeros(len(names))
    run_names = tuple(str(k) for k in range(len(runs)))
    place = {"model": model, **where}
    return Answers(place, None, "score", (), names, gold, runs, run_names, bounds=Bounds())


def draw(strength: float, seed: int, n: int = N) -> np.ndarray:
    ease = np.random.default_rng(99).normal(size=n)
    return (strength + ease + np.random.default_rng(seed).normal(size=n) > 0).astype(float)


@pytest.fixture(scope="module")
def three() -> list[Answers]:
    return [answers("good", draw(1.2, 1)), answers("fair", draw(0.0, 2)), answers("same", draw(0.0, 3))]


def test_who_may_be_first(three: list[Answers]) -> None:
    board = rank(three, ranking=FEW)
    assert board.models[0] == "good"
    assert board.first == ["good"]
    assert board.rankings[0].high.tolist() == [1, 3, 3]
    assert headline(board) == "good is first on items like these."
    assert board.unasked == "There is only one task, so nothing can be said about other tasks like it."
    assert board.groups[0].letters(3) == ["a", "b", "b"]


def test_the_score_of_a_model_is_its_mean_with_wilsons_interval(three: list[Answers]) -> None:
    board = rank(three, ranking=FEW)
    right = three[0].runs[0]
    assert board.scores[0].value == pytest.approx(right.mean())
    assert board.scores[0].low == pytest.approx(0.80, abs=0.1)
    assert board.scores[0].low < right.mean() < board.scores[0].high


def test_two_equal_models_are_not_told_apart_and_it_is_said_what_would() -> None:
    board = rank([answers("a", draw(0.0, 1)), answers("b", draw(0.02, 2))], ranking=FEW)
    assert len(board.first) == 2
    said = plan_text(board.plan, "score", of_tasks=False)
    assert said.startswith(
        f"To distinguish the first two, {board.models[0]} and {board.models[1]}, if they differ by 2"
    )
    assert board.plan.more is not None
    assert board.plan.more.items is not None
    assert board.plan.more.items > N


def tasks(n_tasks: int, gap: float, n: int = 20) -> list[Answers]:
    rng = np.random.default_rng(0)
    return [
        answers(model, (rng.random(n) < 0.5 + shift).astype(float), dataset=f"t{task}")
        for task in range(n_tasks)
        for model, shift in (("a", gap), ("b", 0.0), ("c", -gap))
    ]


def test_both_questions_are_asked_where_there_are_tasks() -> None:
    board = rank(tasks(10, 0.35), ranking=FEW)
    assert [each.question for each in board.rankings] == ["these tasks", "tasks like these"]
    assert board.rankings[1].method == "step-down max-T over 3 pairs, all 1024 sign flips of 10 tasks"
    assert board.first == ["a"]
    assert [each.name for each in board.aggregates] == [
        "mean over tasks",
        "mean rank",
        "win rate",
        "Borda",
        "item wins",
    ]
    assert board.aggregates[0].agreement.reversed_pairs == 0


def test_with_few_tasks_nothing_is_said_of_tasks_like_these() -> None:
    board = rank(tasks(5, 0.45), ranking=FEW)
    assert board.rankings[1].n_shown == 0
    assert "With 5 tasks, no models can be distinguished over tasks like these: that takes at least 6." in board.notes


def test_one_score_a_task_leaves_only_tasks_like_these() -> None:
    board = rank(tasks(8, 0.4, n=1), ranking=FEW)
    assert [each.question for each in board.rankings] == ["tasks like these"]
    assert board.unasked == (
        "There is one score per task, so its variation over items is unknown: only the question about tasks like "
        "these can be answered."
    )


def test_weights_change_the_score(tmp_path: Path) -> None:
    path = write_long(tmp_path / "board.csv", {"a": (1.0, 0.0), "b": (0.0, 1.0)})
    even = rank(path, ranking=FEW)
    assert [score.value for score in even.scores] == [0.5, 0.5]
    heavy = rank(path, ranking=RankSettings({"t1": 3.0}, draws=500))
    assert heavy.models == ("b", "a")
    assert [score.value for score in heavy.scores] == [0.75, 0.25]


def write_long(path: Path, shares: dict[str, tuple[float, float]]) -> Path:
    with path.open("w") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "model", "task", "category", "score"])
        for model, of_tasks in shares.items():
            for task, share in enumerate(of_tasks):
                rows.writerows([f"{task}-{i}", model, f"t{task}", f"c{task}", share] for i in range(6))
    return path


def test_a_table_has_its_tasks_and_categories_in_columns(tmp_path: Path) -> None:
    board = rank(write_long(tmp_path / "board.csv", {"a": (1.0, 0.0), "b": (0.0, 1.0)}), ranking=FEW)
    assert [(task.name, task.category) for task in board.cells.tasks] == [("t0", "c0"), ("t1", "c1")]
    assert [(part.kind, part.name) for part in board.parts] == [("category", "c0"), ("category", "c1")]
    one = rank(tmp_path / "board.csv", ranking=RankSettings(category="c1", draws=500))
    assert one.models == ("b", "a")


def test_an_empty_cell_of_a_table_is_not_wrong(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    lines = [f"i{i},{int(i % 2)},{'' if i == 0 else int(i % 2)}" for i in range(20)]
    path.write_text("id,one,two\n" + "\n".join(lines) + "\n")
    board = rank(path, ranking=FEW)
    assert board.answered[board.models.index("two")] == pytest.approx(0.95)
    assert board.rankings[0].difference[0, 1] == 0
    counted = rank(path, settings=Settings(missing="wrong"), ranking=FEW)
    assert counted.answered.tolist() == [1, 1]


def test_other_trainings_widen_the_places() -> None:
    rng = np.random.default_rng(0)
    shifts = rng.normal(0, 0.5, (4, 3))
    sides = [
        answers(f"m{k}", np.stack([draw(0.3 + shift, 10 * k + r) for r, shift in enumerate(shifts[k])]))
        for k in range(4)
    ]
    fixed, again = (rank(sides, settings=Settings(seed_sd=seed_sd), ranking=FEW) for seed_sd in (0.0, None))
    assert again.cells.board.run_variance is not None
    assert (again.cells.board.run_variance > 0).any()
    assert again.scores[0].high - again.scores[0].low > fixed.scores[0].high - fixed.scores[0].low
    assert headline(again).endswith("on items like these, with other trainings.")


def test_the_report_holds_board_places_and_matrix(three: list[Answers], tmp_path: Path) -> None:
    paths = {path.name for path in write_report(rank(three, ranking=FEW).report(), tmp_path)}
    assert {"report.html", "board.csv", "board.tex", "pairs.svg", "first-places.svg", "summary.json"} <= paths
    tex = (tmp_path / "tables" / "board.tex").read_text()
    assert "Groups" in tex
    page = (tmp_path / "report.html").read_text()
    assert "Which places on this leaderboard are real?" in page


def test_a_model_on_half_of_the_items_has_no_place(three: list[Answers]) -> None:
    half = answers("half", draw(3.0, 9)[: N // 2], [f"i{k}" for k in range(N // 2)])
    board = rank([*three, half], ranking=FEW)
    assert "half" not in board.models
    assert [(each.model, each.answered) for each in board.unplaced] == [("half", 0.5)]
    assert rank_answer(board).notes[-1] == "Answered too little of the leaderboard to have a place: half (50 %)."


def test_equal_scores_for_all_may_all_be_first() -> None:
    board = rank([answers(name, np.ones(30)) for name in "abc"], ranking=FEW)
    assert len(board.first) == 3
    assert headline(board) == "Any of the 3 models may be first on items like these."
    assert "All models have the same score." in board.notes


@pytest.mark.parametrize(
    ("sides", "error", "message"),
    [
        (
            [answers("a", np.ones(5))],
            UsageError,
            "a ranking needs at least 2 models; got 'a'; give a log for each, or a column 'model'",
        ),
        (
            [answers("a", np.ones(5)), answers("b", np.ones(5), ["x1", "x2", "x3", "x4", "x5"])],
            DataError,
            "no two models share enough of the leaderboard to be compared: both must have answered at least 80% of "
            "its items; the most here is 0% ('a' and 'b'). Give answers to the same items, or rank on the items they "
            "all share (--common)",
        ),
        (
            [answers("a", np.ones(5)), answers("b", np.zeros(5)), answers("a", np.zeros(5))],
            DataError,
            "two models are called 'a', or one has answers twice; each model needs a name of its own, and several "
            "runs of one model a run number",
        ),
        (
            [answers("a", np.ones(1)), answers("b", np.zeros(1))],
            DataError,
            "the leaderboard has one item; nothing can be said about the order",
        ),
    ],
)
def test_what_cannot_be_ranked_is_refused(sides: list[Answers], error: type[GoldproofError], message: str) -> None:
    with pytest.raises(error) as raised:
        rank(sides, ranking=FEW)
    assert str(raised.value) == message


def test_a_metric_that_is_no_mean_over_items_is_refused() -> None:
    gold, labels = np.array([0, 1, 0, 1]), ("no", "yes")
    sides = [
        Answers({"model": m}, None, "classification", labels, np.arange(4), gold, np.array([[0, 1, 1, 1]]), ("1",))
        for m in "ab"
    ]
    with pytest.raises(UsageError) as raised:
        rank(sides, settings=Settings(metric="mcc"), ranking=FEW)
    assert str(raised.value) == (
        "the metric 'mcc' cannot be ranked, because it is not the mean of a score per item; allowed: accuracy, and "
        "of scores per item their mean, pass@K and pass^K"
    )
    assert rank(sides, ranking=FEW).cells.metric == "accuracy"


def test_settings_that_make_no_sense_are_refused(three: list[Answers]) -> None:
    for settings, message in (
        ({"tasks": "files"}, "--tasks is one of auto, sets, tags; got 'files'"),
        ({"weigh": "words"}, "--weigh is one of tasks, categories, items; got 'words'"),
        ({"weights": {"x": 1.0}}, "there is no task 'x' to weigh; tasks: all items"),
        ({"category": "x"}, "there is no category 'x'; the leaderboard has none"),
    ):
        with pytest.raises(UsageError) as raised:
            rank(three, ranking=RankSettings(**settings))  # type: ignore[arg-type]
        assert str(raised.value) == message


def test_complete_keeps_whole_models_and_common_shared_items(three: list[Answers]) -> None:
    less = answers("less", draw(0.5, 8)[:190], [f"i{k}" for k in range(190)])
    complete: Leaderboard = rank([*three, less], ranking=RankSettings(complete=True, draws=500))
    assert set(complete.models) == {"good", "fair", "same"}
    common = rank([*three, less], settings=Settings(common=True), ranking=FEW)
    assert common.cells.n_items == 190
    assert "190 of 200 items were answered by all models; the others are left out." in common.notes


def test_several_against_a_baseline_hold_together(three: list[Answers]) -> None:
    better, same = three[0], three[2]
    found = compare_with_baseline(three[1], [better, same])
    assert [each.verdict.kind for each in found.differences] == ["better", "undecided"]
    assert all(each.adjusted >= each.p_value for each in found.differences)
    alone, together = found.differences[0].difference, found.differences[0].together
    assert together is not None
    assert together.high - together.low > alone.high - alone.low


def test_a_baseline_needs_two_systems(three: list[Answers]) -> None:
    with pytest.raises(UsageError) as raised:
        compare_with_baseline(three[0], [three[1]])
    assert str(raised.value) == (
        "--baseline needs at least two systems to compare with it; got 1. To compare just A and B, leave --baseline out"
    )
