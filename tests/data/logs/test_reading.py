"""Files that are no log, folders of several, and text that means harm."""
# ruff: noqa: E501 - a whole message stands on one line, as the user sees it

from __future__ import annotations

import gzip
import json
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

from goldproof.data.logs.log import LogChoice
from goldproof.data.logs.reading import is_log, read_logs
from goldproof.errors import DataError, UsageError
from goldproof.judging.score import score

FILES = Path(__file__).parent / "files"
READ = "logs of lm-evaluation-harness (samples and results), Inspect (.eval, .json), HELM (run folders), MTEB, lighteval (details), OpenAI evals, promptfoo and Every Eval Ever, and tables with the columns id and score, or with an id and a column of numbers for each model"
LINE = json.loads(
    (FILES / "lm_eval" / "samples_choice_2026-11-16T18-36-18.496569.jsonl").read_text("utf-8").splitlines()[0]
)


@pytest.mark.parametrize(
    ("name", "content", "looks_like"),
    [
        ("a.json", b'{"a": {"b": 1}, "c": 2}', "JSON with the keys a, c"),
        ("a.json", b"[1, 2]", "JSON without an object"),
        ("a.json", b'{"apiVersion": 1, "spec": {}}', "JSON with the keys apiVersion, spec"),
        ("a.csv", b"text,label\na,b\n", "a table with the columns text, label"),
        ("a.md", b"# Results\n", "text that is neither JSON nor, by its name, a table"),
        ("a.bin", b"\x00\x01\x02", "a binary file"),
        ("a.parquet", b"PAR1 and then nothing", "an incomplete Parquet file"),
    ],
)
def test_a_file_that_is_no_log_says_what_it_looks_like(
    tmp_path: Path, name: str, content: bytes, looks_like: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)

    assert not is_log(path)
    with pytest.raises(DataError) as caught:
        read_logs(path)
    assert str(caught.value) == (
        f"{path}: not a log that can be read: it looks like {looks_like}; logs that can be read: {READ}"
    )


def test_files_are_found_by_what_they_hold(tmp_path: Path) -> None:
    for number, source in enumerate(["inspect/epochs.eval", "openai_evals/log.jsonl", "promptfoo/results.json"]):
        path = Path(shutil.copy(FILES / source, tmp_path / f"{number}.dat"))
        assert is_log(path)
        assert read_logs(path)[0].mean() == read_logs(FILES / source)[0].mean()


def test_a_packed_log_and_one_whose_first_line_is_long(tmp_path: Path) -> None:
    row = {**LINE, "doc": {"question": "long " * 50_000}}
    path = tmp_path / "samples_a_2026-01-01T00-00-00.000000.jsonl.gz"
    path.write_bytes(gzip.compress((json.dumps(row) + "\n").encode()))

    (log,) = read_logs(path)
    assert (log.task, log.answers.n_items) == ("a", 1)


def test_what_is_not_there(tmp_path: Path) -> None:
    assert not is_log(tmp_path / "a.eval")
    with pytest.raises(DataError) as caught:
        read_logs(tmp_path / "a.eval")
    assert str(caught.value) == f"{tmp_path / 'a.eval'}: there is no such file"
    with pytest.raises(DataError) as caught:
        read_logs(tmp_path)
    assert str(caught.value) == f"{tmp_path}: the folder holds no log that can be read; logs that can be read: {READ}"
    (tmp_path / "a.jsonl").touch()
    with pytest.raises(DataError) as caught:
        read_logs(tmp_path / "a.jsonl")
    assert str(caught.value) == f"{tmp_path / 'a.jsonl'}: the file is empty"


def test_a_folder_of_several_harnesses(tmp_path: Path) -> None:
    shutil.copy(FILES / "inspect" / "epochs.eval", tmp_path)
    shutil.copy(FILES / "inspect" / "died.eval", tmp_path)
    shutil.copytree(FILES / "mteb", tmp_path / "mteb")
    (tmp_path / "notes.csv").write_text("id,score\n1,1\n", "utf-8")  # what somebody made of the logs
    (tmp_path / ".hidden.csv").write_text("id,score\n1,1\n", "utf-8")
    logs = read_logs(tmp_path)

    assert sorted(log.task for log in logs) == ["Banking77Classification", "ColourClassification", "epochs"]
    assert all(
        any(note.startswith(f"Not read: {tmp_path / 'died.eval'}: the evaluation has") for note in log.notes)
        for log in logs
    )
    assert [log.task for log in read_logs(tmp_path, LogChoice(task="epochs"))] == ["epochs"]
    with pytest.raises(UsageError) as caught:
        read_logs(tmp_path, LogChoice(task="sums"))
    assert (
        str(caught.value)
        == f"{tmp_path / 'died.eval'}: there is no task 'sums'; the log has died; nor is it in 3 other logs there"
    )


def lm_eval(folder: Path, *lines: str) -> Path:
    path = folder / "samples_a_2026-01-01T00-00-00.000000.jsonl"
    path.write_text("".join(line + "\n" for line in lines), "utf-8")
    return path


DEEP = "[" * 3_000 + "]" * 3_000


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (json.dumps(LINE)[:-10], ", line 2: not JSON: Unterminated string starting at at character 1"),
        ('{"doc_id": 1, "acc": 1e999}', ", line 2: not JSON: the number 1e999 is too large"),
        ('{"doc_id": 1, "acc": 1, "acc": 0}', ", line 2: not JSON: the key 'acc' occurs twice in one object"),
        ('{"doc_id": 1, "acc": Infinity}', ", line 2: not JSON: Infinity is not a JSON number"),
        ('{"doc_id": 1, "acc": ' + "9" * 5_000 + "}", ", line 2: not JSON: a number has too many digits"),
        (f'{{"doc_id": 1, "doc": {DEEP}, "acc": 1}}', ", line 2: not JSON: nested more than 100 levels deep (goldproof.data.formats.limits.MOST_NESTING sets the limit)"),
        ("3", ", line 2: a JSON object is needed on each line"),
    ],
)  # fmt: skip
def test_lines_that_are_refused(tmp_path: Path, line: str, message: str) -> None:
    path = lm_eval(tmp_path, json.dumps(LINE), line)
    with pytest.raises(DataError) as caught:
        read_logs(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_names_cannot_steer_a_terminal_and_texts_stay_as_they_are(tmp_path: Path) -> None:
    bad = "\x1b]0;owned\x07<script>alert(1)</script>"
    shutil.copy(
        FILES / "lm_eval" / "results_2026-11-16T18-36-18.496569.json",
        tmp_path / "results_2026-01-01T00-00-00.000000.json",
    )
    results = json.loads((tmp_path / "results_2026-01-01T00-00-00.000000.json").read_text("utf-8")) | {
        "model_name": bad * 99
    }
    (tmp_path / "results_2026-01-01T00-00-00.000000.json").write_text(json.dumps(results), "utf-8")
    row = {**LINE, "metrics": [bad], bad: 1.0, "doc": {"question": bad}, "filter": bad}
    del row["acc"], row["acc_norm"]
    (log,) = read_logs(lm_eval(tmp_path, json.dumps(row), json.dumps({**row, "doc_id": 2, "doc_hash": "\ud800"})))

    assert (log.metric, log.filter) == ("]0;owned<script>alert(1)</script>",) * 2
    assert len(log.model) == 200
    assert log.model.isprintable()
    assert log.answers.texts["text"][0] == bad
    assert log.answers.ids.tolist() == [LINE["doc_hash"], "?"]


def test_documents_of_the_wrong_kind(tmp_path: Path) -> None:
    def refused(name: str, content: object) -> str:
        path = tmp_path / name
        path.write_text(json.dumps(content), "utf-8")
        with pytest.raises(DataError) as caught:
            read_logs(path)
        return str(caught.value).removeprefix(f"{path}: ").removeprefix(f"{path.parent}: ")

    assert (
        refused("a.json", {"status": "success", "eval": 3, "plan": 4, "samples": [{"id": 1, "scores": 2}]})
        == "no sample has a score; was the log scored? (inspect score)"
    )
    assert (
        refused("b.json", {"evalId": "a", "results": 3, "config": 4})
        == "results of promptfoo have a list results.results; this file has none"
    )
    assert (
        refused("c.json", {"evalId": "a", "results": {"results": [3]}, "config": 4}) == "result 0: an object is needed"
    )
    assert (
        refused(
            "d.json", {"task_name": "a", "scores": {"test": [{"scores_per_experiment": [3]}]}, "dataset_revision": 1}
        )
        == "'scores_per_experiment' must be a list of objects"
    )
    assert refused("per_instance_stats.json", [{"instance_id": 1, "stats": []}]).endswith("no item has a metric")


def test_a_deep_document_in_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("header.json", '{"eval": ' + DEEP + "}")
    with pytest.raises(DataError) as caught:
        read_logs(path)
    assert (
        str(caught.value)
        == f"{path}: header.json: not JSON: nested more than 100 levels deep (goldproof.data.formats.limits.MOST_NESTING sets the limit)"
    )


def test_every_cut_of_a_log_is_read_or_refused_in_words(tmp_path: Path) -> None:
    """No cut and no changed byte of a file gives another error than ours."""
    rng = np.random.default_rng(0)
    for source in (
        "inspect/judged.eval",
        "openai_evals/log.jsonl",
        "mteb/ColourClassification.json",
        "lighteval/choose.parquet",
    ):
        whole = (FILES / source).read_bytes()
        path = tmp_path / Path(source).name
        for _ in range(25):
            data = bytearray(whole[: int(rng.integers(1, len(whole) + 1))])
            for place in rng.integers(0, len(data), 3):
                data[place] = int(rng.integers(256))
            path.write_bytes(bytes(data))
            try:
                read_logs(path, LogChoice(unfinished=True))
            except (DataError, UsageError) as error:
                assert str(path) in str(error)


def test_a_damaged_log_in_a_folder_is_named_and_one_by_itself_says_why(tmp_path: Path) -> None:
    source = FILES / "inspect" / "epochs.eval"
    shutil.copy(source, tmp_path / "whole.eval")
    cut = tmp_path / "cut.eval"
    cut.write_bytes(source.read_bytes()[:9000])
    said = (
        f"{cut}: not a complete zip archive: its directory, at the end of the file, cannot be read; the file was cut "
        "off or is still being written"
    )
    (log,) = read_logs(tmp_path)
    assert log.notes[-1] == f"Not read: {said}"
    with pytest.raises(DataError) as caught:
        score(cut)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", '{"evaluation": {"x": 1}}', (
                "not a log that can be read: it looks like JSON with the keys evaluation; logs that can be read: "
            )),
        ("a.log", "hello", "not a log that can be read: it looks like text that is neither JSON nor, by its name, a table; "),
        ("a.csv", "id,acc\n1,0.5\n2,1\n", (
                "a table with an id, but with neither gold and predictions nor a column 'score'; if one of 'acc' is "
                "the score, use --column score=NAME"
            )),
        ("a", None, "the folder holds no log that can be read; logs that can be read: "),
    ],
)  # fmt: skip
def test_what_is_no_log_says_so_to_who_scores_it(tmp_path: Path, name: str, text: str | None, message: str) -> None:
    path = tmp_path / name
    path.mkdir() if text is None else path.write_text(text)
    with pytest.raises(DataError) as caught:
        score(path)
    assert str(caught.value).startswith(f"{path}: {message}")
