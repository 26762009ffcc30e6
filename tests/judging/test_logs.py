"""Logs are scored and compared as answers are, with what they say of themselves."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from goldproof.errors import UsageError
from goldproof.judging.baselines import compare_with_baseline
from goldproof.judging.compare import compare
from goldproof.judging.compare_answer import compare_answer
from goldproof.judging.rank import RankSettings, rank
from goldproof.judging.score import Settings, score
from goldproof.judging.subsets import Subset

N = 60


def write_lm_eval(
    folder: Path, model: str, rights: dict[str, np.ndarray], *, shots: int = 0, prompt: str = "p"
) -> Path:
    """A folder as lm-evaluation-harness writes it: samples of each task and one file of results."""
    folder.mkdir(parents=True)
    date = "2026-01-21T03-44-18.458309"
    for task, right in rights.items():
        lines = [
            {
                "doc_id": i,
                "doc": {"question": f"question {i}"},
                "target": "yes",
                "arguments": {"gen_args_0": {"arg_0": f"question {i}", "arg_1": {}}},
                "resps": [["yes"]],
                "filtered_resps": ["yes"],
                "filter": "none",
                "metrics": ["exact_match"],
                "doc_hash": f"{task}-{i:064d}",
                "prompt_hash": f"{prompt}{i}",
                "target_hash": "t",
                "exact_match": float(value),
            }
            for i, value in enumerate(right)
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"samples_{task}_{date}.jsonl").write_text(text)
    results = {
        "results": {
            task: {"alias": task, "exact_match,none": float(right.mean()), "exact_match_stderr,none": "N/A"}
            for task, right in rights.items()
        },
        "configs": {task: {"task": task, "num_fewshot": shots} for task in rights},
        "versions": dict.fromkeys(rights, 1.0),
        "n-shot": dict.fromkeys(rights, shots),
        "higher_is_better": {task: {"exact_match": True} for task in rights},
        "n-samples": {task: {"original": N, "effective": N} for task in rights},
        "config": {"model": "hf", "model_args": f"pretrained={model}", "limit": None},
        "model_name": model,
        "lm_eval_version": "0.4.13",
    }
    (folder / f"results_{date}.json").write_text(json.dumps(results))
    return folder


def rights(seed: int, p: float, n_tasks: int = 2) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {f"task{t}": (rng.random(N) < p).astype(float) for t in range(n_tasks)}


def test_every_task_of_a_folder_is_scored_with_what_the_harness_printed(tmp_path) -> None:
    found = score(write_lm_eval(tmp_path / "a", "m", right := rights(0, 0.7)))
    by_task = {each.where["dataset"]: each.estimates["score"].value for each in found.sets}
    assert by_task == pytest.approx({task: values.mean() for task, values in right.items()})
    assert found.notes[0] == (
        "task0, task1: the score is exact_match as lm-evaluation-harness 0.4.13 wrote it, and its printed mean "
        "equals ours."
    )


def test_a_folder_is_compared_with_a_folder_task_by_task_and_over_all(tmp_path) -> None:
    a, b = rights(1, 0.5), rights(2, 0.8)
    found = compare(write_lm_eval(tmp_path / "a", "m/a", a), write_lm_eval(tmp_path / "b", "m/b", b))
    assert found.names == ("m/a", "m/b")
    assert [each.where for each in found.sets] == [{"dataset": "task0"}, {"dataset": "task1"}]
    for each in found.sets:
        gap = b[each.where["dataset"]] - a[each.where["dataset"]]
        assert each.difference.value == pytest.approx(gap.mean())
        assert each.p_value == pytest.approx(stats.chi2.sf((gap.sum() ** 2) / np.abs(gap).sum(), 1))
        assert each.together is not None
        assert each.together.high - each.together.low > each.difference.high - each.difference.low
    whole = np.concatenate([b[task] - a[task] for task in a])
    assert found.overall.difference.value == pytest.approx(whole.mean())


def test_other_prompts_and_other_numbers_of_examples_are_said_first(tmp_path) -> None:
    one = write_lm_eval(tmp_path / "a", "a", rights(3, 0.5))
    other = write_lm_eval(tmp_path / "b", "b", rights(4, 0.5), shots=5, prompt="q")
    found = compare(one, other)
    under = "task0, task1: A and B were evaluated under different conditions: "
    assert found.notes[:2] == [
        f"{under}different numbers of examples in the prompt: 0 and 5.",
        f"{under}different prompts for 60 of the 60 items they share.",
    ]
    assert compare_answer(found).notes == found.notes[:2]


def test_against_a_baseline_it_is_said_whose_conditions_differ(tmp_path) -> None:
    base, same, other = (
        write_lm_eval(tmp_path / name, name, rights(seed, 0.5, 1), shots=shots)
        for seed, (name, shots) in enumerate((("a", 0), ("b", 0), ("c", 5)))
    )
    found = compare_with_baseline(base, [same, other])
    (note,) = [note for note in found.notes if "different conditions" in note]
    assert note.startswith(
        "B is c: task0: A and B were evaluated under different conditions: different numbers of examples"
    )


def test_a_board_says_that_conditions_differ(tmp_path) -> None:
    folders = [
        write_lm_eval(tmp_path / name, name, rights(seed, 0.5), shots=shots)
        for seed, (name, shots) in enumerate((("a", 0), ("b", 5), ("c", 5)))
    ]
    said = rank(folders, ranking=RankSettings(draws=200)).caution
    assert said == (
        "Not all models were evaluated under the same conditions as a (how many were not): different numbers of "
        "examples in the prompt (2); goldproof check says which."
    )
    assert rank(folders[1:], ranking=RankSettings(draws=200)).caution == ""


def test_two_logs_of_one_model_are_told_apart_by_their_folders(tmp_path) -> None:
    folders = [write_lm_eval(tmp_path / name, "m", rights(seed, 0.6, 1)) for seed, name in enumerate(("x", "y"))]
    assert [each.where["model"] for each in score(folders).sets] == ["m (x)", "m (y)"]


def test_two_logs_of_one_model_in_one_folder_are_told_apart_by_their_files(tmp_path) -> None:
    for number, seed in ((1, 5), (2, 6)):
        rows = "".join(f"{i},m,{value}\n" for i, value in enumerate(rights(seed, 0.6, 1)["task0"]))
        (tmp_path / f"2026_{number}.csv").write_text(f"id,model,score\n{rows}")
    found = score(tmp_path)
    assert [each.where["model"] for each in found.sets] == ["m (1)", "m (2)"]
    assert len(rank(tmp_path, ranking=RankSettings(draws=200)).models) == 2
    a, b = sorted(tmp_path.iterdir())
    assert compare(a, b).names == ("m (1)", "m (2)")


def test_items_that_go_together_can_be_said(tmp_path) -> None:
    log = write_lm_eval(tmp_path / "a", "m", rights(0, 0.7, 1))
    samples = next(log.glob("samples*"))
    samples.write_text(samples.read_text().replace('"question 1"', '"question 0"'))
    plain, by_text = (
        score(log, settings=Settings(cluster=name)).sets[0].estimates["score"] for name in ("none", "text")
    )
    assert "59 clusters" in by_text.method
    assert "clusters" not in plain.method
    with pytest.raises(
        UsageError, match="--cluster pair does not fit logs; allowed: auto, none, and text where the log"
    ):
        score(log, settings=Settings(cluster="pair"))
    with pytest.raises(UsageError, match="--by-row is for files of predictions"):
        score(log, settings=Settings(by_row=True))
    with pytest.raises(UsageError, match=r"--column names columns of tables, and .* is a log of a harness"):
        score(samples, columns={"id": "doc_id"})


def test_a_part_of_the_items_of_a_log(tmp_path) -> None:
    right = rights(0, 0.7, 1)
    log = write_lm_eval(tmp_path / "a", "m", right)
    ids = tuple(f"task0-{i:064d}" for i in range(20))
    part, rest = score(log, subset=Subset("first", ids)).parts
    assert (part.n, rest.n) == (20, N - 20)
    assert part.estimate.value == pytest.approx(right["task0"][:20].mean())


def test_an_item_that_lacks_some_of_its_repeats_takes_part_in_a_board(tmp_path) -> None:
    path = tmp_path / "a.csv"
    rows = [f"{i},{model},{r},{'' if (i, r) == (0, 1) else (i + r + k) % 2}" for k, model in enumerate("ab")
            for i in range(20) for r in (1, 2)]  # fmt: skip
    path.write_text("id,model,repeat,score\n" + "\n".join(rows) + "\n")
    board = rank(path, ranking=RankSettings(draws=200))
    assert board.cells.n_items == 20
    assert board.answered.tolist() == [1.0, 1.0]


def test_logs_and_predictions_are_not_judged_together(tmp_path) -> None:
    log = write_lm_eval(tmp_path / "a", "m", rights(0, 0.7, 1))
    table = tmp_path / "p.csv"
    table.write_text("id,gold,prediction\n1,a,a\n2,b,a\n")
    with pytest.raises(UsageError) as error:
        score([log, table])
    assert str(error.value) == (
        f"logs and files of predictions cannot be judged together: {log} is a log, {table} is not; give one kind only"
    )
    with pytest.raises(UsageError) as error:
        compare(log, table)
    assert str(error.value) == (
        "a log cannot be compared with predictions; give logs of both sides, or predictions of both"
    )


def test_a_metric_that_the_log_lacks_is_refused_with_those_it_has(tmp_path) -> None:
    log = write_lm_eval(tmp_path / "a", "m", rights(0, 0.7, 1))
    with pytest.raises(UsageError, match="exact_match"):
        score(log, settings=Settings(metric="bleu"))
