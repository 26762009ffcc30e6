"""Files as jobs: told by their content, and refused when that changed after planning."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldproof.data.corpora import steps
from goldproof.data.formats.files import describe_file
from goldproof.errors import DataError
from goldproof.studies.own.parts import OwnPart, read_own

ROWS = '{"text": "It rains.", "label": "no", "language": "en", "split": "dev"}\n'


def make(kind: str, path: Path) -> object:
    """The step's value for the file as it was when this is called, read when the result is called."""
    digest = describe_file(path).sha256
    if kind == "columns":
        part = OwnPart(digest, (("text", "text"), ("label", "label")), (), "en", split="validation", path=str(path))
        return lambda: read_own(part)
    if kind == "file":
        return lambda: steps.read_file(steps.OwnFile(digest, "en", str(path)))
    if kind == "part":
        return lambda: steps.read_file_part(steps.FilePart(digest, "en", "validation", str(path)))
    return lambda: steps.read_published_files(steps.PublishedFiles("own", "en", ("",), (digest,), (str(path),)))


@pytest.mark.parametrize("kind", ["columns", "file", "part", "published"])
def test_a_file_that_changed_after_planning_is_refused(kind, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(ROWS, "utf-8")
    read = make(kind, path)
    assert read().texts == ["It rains."]
    path.write_text(ROWS.replace("rains", "snows"), "utf-8")
    with pytest.raises(DataError) as caught:
        read()
    assert str(caught.value) == f"{path}: the file changed after the jobs were planned; run the command again"
    path.unlink()
    with pytest.raises(DataError) as caught:
        read()
    assert str(caught.value) == f"{path}: there is no such file"


def test_where_a_file_lies_is_not_its_identity(tmp_path):
    jobs = []
    for name in ("here.jsonl", "there.jsonl"):
        (tmp_path / name).write_text(ROWS, "utf-8")
        jobs.append(steps.file_job(tmp_path / name, language="en"))
    assert jobs[0] == jobs[1]
    assert jobs[0] != steps.file_job(tmp_path / "here.jsonl", language="de")
