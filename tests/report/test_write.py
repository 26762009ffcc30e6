"""A report on disk: which files there are, that they are the same bytes in another process, and that they read back."""

from __future__ import annotations

import dataclasses
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.report.sample import sample_report
from tests.report.small import small_report, small_table

from goldproof.errors import DataError, StoreError, UsageError
from goldproof.report.charts import Caption, dots
from goldproof.report.html import html_page
from goldproof.report.summary import Column, Missing, Report, Section, Table, Text
from goldproof.report.summary_json import report_json
from goldproof.report.write import load_summary, write_report
from goldproof.statistics.estimate import Estimate

ROOT = Path(__file__).resolve().parents[2]
DIGESTS = """
import hashlib, sys
from pathlib import Path
from goldproof.report.write import write_report
from tests.report.sample import sample_report
for path in write_report(sample_report(50), sys.argv[1]):
    print(path.relative_to(sys.argv[1]), hashlib.sha256(path.read_bytes()).hexdigest())
"""


def digests_in_another_process(folder, hash_seed):
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-c", DIGESTS, str(folder)]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def test_two_processes_write_the_same_bytes(tmp_path):
    first = digests_in_another_process(tmp_path / "a", "1")
    assert len(first.splitlines()) == 25
    assert digests_in_another_process(tmp_path / "b", "2") == first


def test_the_second_page_of_a_process_has_the_same_bytes():
    assert html_page(sample_report(20)) == html_page(sample_report(20))


def test_the_files_and_nothing_else(tmp_path):
    figure = dots([{"tag": "a", "x": 1.0}], "tag", "x", caption=Caption("dots", "Dots"))
    report = dataclasses.replace(small_report(), sections=(*small_report().sections, Section("More", (figure,))))
    paths = write_report(report, tmp_path)
    names = {path.relative_to(tmp_path).as_posix() for path in paths}
    assert names == {
        "report.html",
        "report.md",
        "summary.json",
        "findings.tex",
        "tables/models.csv",
        "tables/models.tex",
        "tables/items.csv",
        "tables/dots.csv",
        "figures/dots.svg",
        "figures/dots.pdf",
    }
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()} == names
    assert [path.name for path in write_report(report, tmp_path / "one", ["md"])] == ["report.md"]


def test_summary_reads_back(tmp_path):
    for report in (small_report(), sample_report(30)):
        (path,) = write_report(report, tmp_path, ["json"])
        assert report_json(load_summary(path)) == report_json(report)


def test_plain_values_and_estimates_read_back_as_they_were(tmp_path):
    rows = (
        {"a": 1, "b": 1.0, "c": math.inf, "d": None, "e": True, "f": Missing("why"), "g": "\ud800 lone"},
        {"a": Estimate(0.5, -math.inf, math.inf, "m", 3, 0.9)},
    )
    table = Table("t", "T", tuple(Column(key, key) for key in rows[0]), rows)
    report = Report("r", "R", ("v",), (Section("s", (table, Text("x"))),), {"k": 1})
    (path,) = write_report(report, tmp_path, ["json"])
    again = load_summary(path)
    assert again == report
    assert [type(value) for value in again.sections[0].items[0].rows[0].values()] == [
        int,
        float,
        float,
        type(None),
        bool,
        Missing,
        str,
    ]
    assert "NaN" not in path.read_text(encoding="utf-8")


def test_nan_is_written_out_and_read_back(tmp_path):
    report = Report("r", "R", (), (Section("s", (Table("t", "T", (Column("a", "A"),), ({"a": math.nan},)),)),))
    (path,) = write_report(report, tmp_path, ["json"])
    assert '"number": "nan"' in path.read_text(encoding="utf-8")
    assert math.isnan(load_summary(path).sections[0].items[0].rows[0]["a"])


def test_what_is_no_summary_is_refused(tmp_path):
    path = tmp_path / "summary.json"
    other = 'not a summary that this version reads; allowed: "product": "goldproof", "format": 2 or 3'
    for text, message in [
        ('{\n"a": }', f"{path}, line 2: not JSON: Expecting value"),
        ("[]", f"{path}: {other}; got None, None"),
        ('{"product": "goldproof", "format": 4}', f"{path}: {other}; got 'goldproof', 4"),
        (
            '{"format": "assay report 1", "name": "r"}',
            f"{path}: this summary was written by Assay, Goldproof's former name; write it again with Goldproof (the "
            "file is left as it is)",
        ),
        ('{"product": "goldproof", "format": 2}', f"{path}: the summary is incomplete or altered: KeyError: 'name'"),
    ]:
        path.write_text(text, encoding="utf-8")
        with pytest.raises(DataError) as error:
            load_summary(path)
        assert str(error.value) == message
    with pytest.raises(DataError) as error:
        load_summary(tmp_path / "none.json")
    how = "there is no such file; `goldproof score FILE --out FOLDER` writes FOLDER/summary.json"
    assert str(error.value) == f"{tmp_path / 'none.json'}: {how}"
    with pytest.raises(DataError) as error:
        load_summary(tmp_path)
    assert str(error.value).startswith(f"{tmp_path}: the summary cannot be read: ")


def test_wrong_formats_and_names_are_refused(tmp_path):
    with pytest.raises(UsageError) as error:
        write_report(small_report(), tmp_path, ["docx"])
    assert str(error.value) == ("the report format 'docx' is not known; allowed: html, md, json, csv, tex, svg, pdf")
    for names, message in [
        (
            ["../x"],
            (
                "the name of a table, figure or list of examples is made of letters, digits, '-' and '_' and starts "
                "with a letter or digit; got '../x'"
            ),
        ),
        (["x", "X"], "two items of the report have the name 'X'; each needs its own"),
    ]:
        tables = tuple(dataclasses.replace(small_table(), name=name) for name in names)
        with pytest.raises(UsageError) as error:
            write_report(Report("r", "R", (), (Section("s", tables),)), tmp_path)
        assert str(error.value) == message
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StoreError) as error:
        write_report(small_report(), tmp_path / "file", ["md"])
    assert str(error.value) == (
        f"the report cannot be written to {tmp_path / 'file' / 'report.md'}: a file stands where its folder should be; "
        "give another folder"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_summary_types_load_neither_altair_nor_jinja():
    heavy = "{'altair', 'jinja2', 'numpy', 'vl_convert'}"
    code = f"import sys, goldproof.report.summary, goldproof.report.cells; print(sorted({heavy} & set(sys.modules)))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    found = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    assert found.stdout == "[]\n"
