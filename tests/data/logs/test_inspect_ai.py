"""Logs of Inspect, written by inspect_ai 0.3.285 (the model answers by rule), and published ones."""
# ruff: noqa: E501 - a whole message stands on one line, as the user sees it

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

from goldproof.data.logs.archive import Archive
from goldproof.data.logs.log import LogChoice
from goldproof.data.logs.reading import is_log, read_logs
from goldproof.errors import DataError, UsageError

FILES = Path(__file__).parent / "files" / "inspect"


def repack(source: Path, target: Path, changes: dict[str, object]) -> Path:
    """The archive with other members, packed by a method that Python's own writer knows."""
    with Archive.open(source) as archive, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for name in sorted(archive.names):
            if name in changes and changes[name] is None:
                continue
            data = archive.read(name).decode() if name not in changes else json.dumps(changes[name])
            made.writestr(name, data)
    return target


def member(source: Path, name: str):
    with Archive.open(source) as archive:
        return json.loads(archive.read(name))


@pytest.mark.parametrize(
    ("name", "scorer", "metric"),
    [
        ("epochs.eval", None, "accuracy"),
        ("epochs.eval", "partly", "mean"),
        ("errors.eval", None, "accuracy"),
        ("reducers.eval", None, "accuracy"),
        ("judged.eval", "judge.style", "mean"),
        ("judged.eval", "right", "accuracy"),
        ("judged.eval", "second.style", "mean"),
        ("chunked.eval", "right", "accuracy"),
        ("document.json", None, "accuracy"),
    ],
)
def test_the_log_s_own_numbers_are_the_means(name: str, scorer: str | None, metric: str) -> None:
    (log,) = read_logs(FILES / name, LogChoice(filter=scorer))

    assert log.metric == metric
    assert log.printed is not None
    assert log.mean() == pytest.approx(log.printed, abs=1e-9)


def test_what_is_said_of_an_evaluation() -> None:
    (log,) = read_logs(FILES / "epochs.eval", LogChoice(cluster="passage", category="kind"))

    assert (log.harness, log.model, log.task) == ("Inspect 0.3.285", "mockllm/model", "epochs")
    assert (log.metric, log.filter, log.others) == ("accuracy", "match", ("mean/partly",))
    assert (log.answers.run_names, log.answers.run_kind) == (("1", "2"), "repeat")
    assert log.answers.ids.tolist() == ["q0", "q1", "q2", "q3", "q4", "q5"]
    assert log.answers.clusters.tolist() == [0, 0, 0, 1, 1, 1]
    assert log.answers.tags == (("even",), ("odd",)) * 3
    assert log.answers.texts["text"][:2] == ["0+0=?", "1+1=?"]
    assert log.left_out == {}


def test_what_was_not_scored_is_counted() -> None:
    (log,) = read_logs(FILES / "epochs.eval", LogChoice(filter="partly"))
    assert log.left_out == {"unscored": 2}
    assert np.isnan(log.answers.runs[:, 2]).all()

    (log,) = read_logs(FILES / "errors.eval")
    assert log.left_out == {"error": 2}
    assert log.answers.missing().tolist() == [[False, True, False, False], [False, False, False, True]]


def test_epochs_that_were_joined_otherwise_are_noted() -> None:
    (log,) = read_logs(FILES / "reducers.eval")

    assert log.answers.n_runs == 3
    assert [note.split(", ")[1] for note in log.notes] == [
        "with epochs combined by pass_at_2.",
        "with epochs combined by max.",
    ]


def test_a_range_that_is_not_told_is_noted_unless_it_is_given() -> None:
    (log,) = read_logs(FILES / "judged.eval")
    assert (log.answers.bounds.low, log.answers.bounds.high) == (0, 4)
    assert log.notes == (
        "The log does not give the lowest and highest possible score; 0 and 4 were assumed, which include all scores "
        "seen.",
    )

    (log,) = read_logs(FILES / "judged.eval", LogChoice(bounds=(1, 5)))
    assert (log.answers.bounds.low, log.answers.bounds.high, log.notes) == (1, 5, ())
    assert log.conditions.limit == 4


def test_two_scores_with_one_name_are_refused_with_both_named() -> None:
    path = FILES / "judged.eval"
    with pytest.raises(UsageError) as caught:
        read_logs(path, LogChoice(filter="style"))
    assert str(caught.value) == f"{path}: 2 scores are named 'style': judge.style, second.style; name one of these"

    with pytest.raises(UsageError) as caught:
        read_logs(path, LogChoice(filter="match"))
    assert str(caught.value) == f"{path}: there is no scorer 'match'; the log has judge.style, right, second.style"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "died.eval",
            "the evaluation has the status 'started': it is still running, or it died; 3 samples of 5 are written; "
            "--log unfinished=yes reads those",
        ),
        (
            "failed.eval",
            "the evaluation has the status 'error': it ended before all samples were done; 4 samples of 5 are written; --log unfinished=yes reads those",
        ),
    ],
)
def test_an_evaluation_that_did_not_end_is_read_only_when_that_is_asked_for(name: str, message: str) -> None:
    path = FILES / name
    with pytest.raises(DataError) as caught:
        read_logs(path)
    assert str(caught.value) == f"{path}: {message}"

    (log,) = read_logs(path, LogChoice(unfinished=True))
    assert log.left_out["not written"] == 5 - log.answers.n_items
    assert log.notes[-1].endswith("only what was written is read, as requested.")


def test_samples_are_opened_where_there_are_no_summaries(tmp_path: Path) -> None:
    """A log in chunks has a small file for each sample; without summaries the scores stand there."""
    for name in ("chunked.eval", "errors.eval"):
        with Archive.open(FILES / name) as archive:
            gone = {each: None for each in archive.names if "summaries" in each}
        (whole,) = read_logs(FILES / name)
        (log,) = read_logs(repack(FILES / name, tmp_path / name, gone))
        assert log.answers.ids.tolist() == sorted(whole.answers.ids)
        assert log.mean() == pytest.approx(whole.printed, abs=1e-9)
        assert log.left_out == whole.left_out


def test_samples_that_were_marked_as_invalid_are_left_out(tmp_path: Path) -> None:
    source = FILES / "errors.eval"
    header = {**member(source, "header.json"), "invalidated": True}
    sample = {**member(source, "samples/q0_epoch_1.json"), "invalidation": {"author": "a", "reason": "b"}}
    changes = {"header.json": header, "samples/q0_epoch_1.json": sample}
    (log,) = read_logs(repack(source, tmp_path / "a.eval", changes))

    assert log.left_out == {"marked as invalid": 1, "error": 2}


def test_values_as_inspect_turns_them_into_numbers(tmp_path: Path) -> None:
    source = FILES / "epochs.eval"
    values = ["C", "I", "P", "N", True, "yes", "No", "0.25", 0.5, "fine", [1], None]
    rows = [
        {"id": number, "epoch": 1, "input": "", "target": "", "scores": {"match": {"value": value}}}
        for number, value in enumerate(values)
    ]
    (log,) = read_logs(repack(source, tmp_path / "a.eval", {"summaries.json": rows}))

    assert np.array_equal(log.answers.runs[0], [1, 0, 0.5, 0, 1, 1, 0, 0.25, 0.5, *[np.nan] * 3], equal_nan=True)
    assert log.left_out == {"the score is no number": 2, "not scored by this scorer": 1}
    assert log.notes[-1].startswith("The log's own accuracy is ")


def test_a_log_without_samples_says_so(tmp_path: Path) -> None:
    document = json.loads((FILES / "document.json").read_text("utf-8"))
    del document["samples"]
    path = tmp_path / "header.json"
    path.write_text(json.dumps(document), "utf-8")

    with pytest.raises(DataError) as caught:
        read_logs(path)
    assert (
        str(caught.value)
        == f"{path}: a log of Inspect without samples, so there is no score for each item; run it with --log-samples, and give the log itself, not its header"
    )


def test_archives_that_are_not_whole(tmp_path: Path) -> None:
    whole = (FILES / "errors.eval").read_bytes()
    path = tmp_path / "cut.eval"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError) as caught:
        read_logs(path)
    assert str(caught.value) == (
        f"{path}: not a complete zip archive: its directory, at the end of the file, cannot be read; the "
        "file was cut off or is still being written"
    )

    with Archive.open(FILES / "errors.eval") as archive:
        place = archive.zip.getinfo("summaries.json").header_offset
    broken = bytearray(whole)
    broken[place + 60 : place + 70] = b"\0" * 10
    path.write_bytes(bytes(broken))
    with pytest.raises(DataError) as caught:
        read_logs(path)
    assert str(caught.value).startswith(f"{path}: the member 'summaries.json' cannot be read: ")


def test_an_archive_that_is_no_log(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("a.txt", "a")

    assert not is_log(path)
    with pytest.raises(DataError) as caught:
        read_logs(path)
    assert str(caught.value).startswith(
        f"{path}: not a log that can be read: it looks like a zip archive that is not a log of Inspect; logs that "
        "can be read: "
    )


def test_a_member_that_unpacks_to_far_more_than_it_should(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from goldproof.data.formats import limits

    path = tmp_path / "a.eval"
    shutil.copy(FILES / "errors.eval", path)
    monkeypatch.setattr(limits, "UNPACKED_FREELY", 100)
    monkeypatch.setattr(limits, "MOST_TIMES", 0.01)
    with pytest.raises(DataError) as caught:
        read_logs(path)
    assert " unpack to " in str(caught.value)


def test_published_logs(published: Path) -> None:
    folder = published / "logs" / "inspect"
    logs = read_logs(folder)

    assert len(logs) == 4
    assert [log.mean() for log in logs] == pytest.approx([log.printed for log in logs], abs=1e-9)
    assert len(logs[0].notes) == 1  # the one that has no samples


def test_answers_that_were_cut_off_and_settings_are_told() -> None:
    (log,) = read_logs(FILES / "cut.eval")
    assert log.conditions.n_truncated == 1  # one of six stopped at the most tokens
    assert log.conditions.settings == {"version of the task": "0", "dataset": "sums", "temperature": "0.7"}
    assert log.mean() == pytest.approx(log.printed, abs=1e-9)
