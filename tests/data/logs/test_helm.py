"""Run folders of HELM: one written by crfm-helm 0.5.16, one with what a small run has not, and a published one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from goldproof.data.logs.log import LogChoice
from goldproof.data.logs.reading import is_log, read_logs
from goldproof.errors import DataError, UsageError

FILES = Path(__file__).parent / "files" / "helm"
CHANGED = {"name": "misspellings", "robustness": True, "fairness": False, "computed_on": "perturbed"}


def stat(name: str, values: list[float], **more: object) -> dict:
    total = sum(values)
    found = {"name": {"name": name, "split": "test", **more}, "count": len(values), "sum": total}
    found["sum_squared"] = sum(value**2 for value in values)
    return found | ({"mean": total / len(values)} if values else {})


@pytest.mark.parametrize("metric", ["exact_match", "num_prompt_tokens", "inference_runtime", "max_prob"])
def test_helm_s_own_numbers_are_the_means(metric: str) -> None:
    (log,) = read_logs(FILES, LogChoice(metric=metric))

    assert (log.model, log.task, log.filter) == ("simple/model1", "simple_mcqa", "test")
    assert log.answers.runs.shape == (2, 2)
    assert log.printed is not None
    assert log.mean() == pytest.approx(log.printed, abs=1e-9)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two draws of examples, three items, one of them changed as well, and one without a value."""
    folder = tmp_path / "qa:subject=a,model=org_small"
    folder.mkdir()
    scores = {
        ("id1", 0): [1.0],
        ("id2", 0): [0.0],
        ("id3", 0): [1.0],
        ("id1", 1): [1.0],
        ("id2", 1): [1.0],
        ("id3", 1): [],
    }
    entries = [
        {
            "instance_id": item,
            "train_trial_index": trial,
            "stats": [stat("num_references", [4]), stat("f1_score", values), stat("exact_match", values)],
        }
        for (item, trial), values in scores.items()
    ]
    changed = {"instance_id": "id1", "train_trial_index": 0, "perturbation": CHANGED}
    entries.append({**changed, "stats": [stat("exact_match", [0.0], perturbation=CHANGED)]})
    entries.append({"instance_id": "id1", "train_trial_index": 0, "stats": [stat("finish_reason_length", [1.0])]})
    adapter = {"method": "generation", "model": "org/small", "max_train_instances": 5, "max_eval_instances": 3}
    spec = {
        "name": "qa:subject=a,model=org_small",
        "scenario_spec": {"class_name": "a", "args": {}},
        "adapter_spec": adapter,
        "metric_specs": [{"class_name": "b", "args": {"names": ["exact_match", "f1_score"]}}],
    }
    states = [
        {
            "instance": {
                "id": item,
                "split": "test",
                "input": {"text": f"Question {item}"},
                "extra_data": {"page": item < "id3"},
            },
            "train_trial_index": trial,
            "request": {"prompt": f"{trial} {item}"},
            "result": {"success": True},
        }
        for item, trial in scores
    ]
    means = [stat("exact_match", [5 / 6]), stat("exact_match", [0.0], perturbation=CHANGED)]
    files = {"per_instance_stats": entries, "run_spec": spec, "stats": means}
    files["scenario_state"] = {"adapter_spec": adapter, "request_states": states}
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content), "utf-8")
    return folder


def test_a_run_folder(run: Path) -> None:
    (log,) = read_logs(run)

    assert (log.harness, log.model, log.task) == ("HELM", "org/small", "qa:subject=a")
    assert (log.metric, log.filter) == ("exact_match", "test")
    assert log.others[:2] == ("exact_match/test/misspellings/perturbed", "f1_score/test")
    assert (log.answers.run_kind, log.answers.run_names) == ("examples", ("0", "1"))
    assert np.array_equal(log.answers.runs, [[1, 0, 1], [1, 1, np.nan]], equal_nan=True)
    assert log.left_out == {"no value": 1}
    assert log.mean() == pytest.approx(log.printed, abs=1e-9)
    assert (log.conditions.n_shots, log.conditions.limit, log.conditions.n_truncated) == (5, None, 1)
    assert log.answers.texts == {"text": ["Question id1", "Question id2", "Question id3"]}
    assert len(set(log.conditions.prompts)) == 3


def test_any_file_of_the_folder_gives_the_run(run: Path) -> None:
    for file in run.iterdir():
        assert is_log(file)
        assert [log.task for log in read_logs(file)] == ["qa:subject=a"]
    assert len(read_logs(run.parent)) == 1


def test_items_that_were_changed_are_read_when_asked_for(run: Path) -> None:
    (log,) = read_logs(run, LogChoice(filter="test/misspellings/perturbed"))
    assert (log.answers.n_items, log.mean(), log.printed) == (1, 0.0, 0.0)

    (log,) = read_logs(run, LogChoice(cluster="page"))
    assert log.answers.clusters.tolist() == [0, 0, 1]
    with pytest.raises(UsageError) as caught:
        read_logs(run / "stats.json", LogChoice(metric="bleu"))
    assert str(caught.value) == (
        f"{run / 'per_instance_stats.json'}: there is no metric 'bleu'; the log has exact_match, f1_score, "
        "num_references, finish_reason_length"
    )


def test_a_folder_without_scores_of_items_says_what_is_missing(run: Path) -> None:
    (run / "per_instance_stats.json").unlink()
    with pytest.raises(DataError) as caught:
        read_logs(run)
    assert str(caught.value) == (
        f"{run}: files of a HELM run, but without per_instance_stats.json, which has the score of each item"
    )


@pytest.mark.parametrize(
    ("metric", "split"),
    [("exact_match", "test"), ("quasi_exact_match", "test"), ("exact_match", "valid"), ("num_prompt_tokens", "test")],
)
def test_a_published_run(published: Path, metric: str, split: str) -> None:
    (folder,) = (published / "logs" / "helm").iterdir()
    (log,) = read_logs(folder, LogChoice(metric=metric, filter=split))

    assert (log.model, log.task) == ("openai/gpt2", "mmlu:subject=philosophy,method=multiple_choice_joint")
    assert log.mean() == pytest.approx(log.printed, abs=1e-9)
