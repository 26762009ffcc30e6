"""Kept answers: a report rendered from its file is the report that was rendered from the store; shipped ones render."""

from __future__ import annotations

import re
import runpy
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from goldproof.cli import run_command
from goldproof.errors import DataError
from goldproof.jobs import Store
from goldproof.report.summary_json import report_json
from goldproof.runners.serial import SerialRunner
from goldproof.studies.campaign import Campaign, report_from
from goldproof.studies.kept import is_kept, plain_config, read_kept, write_kept
from goldproof.studies.stability.settings import TINY, AttributionRuns

ROOT = Path(__file__).resolve().parents[2]
ANSWERS, REPORTS = ROOT / "docs" / "validation" / "answers", ROOT / "docs" / "validation" / "reports"
SHIPPED = sorted(path for path in ANSWERS.glob("*.parquet") if is_kept(path))
MOST_BYTES = 3_000_000


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    data = replace(TINY.data, languages=("en",))
    config = replace(TINY, model=("one=fake", "fake"), seeds=(0, 1), data=data, attribution=AttributionRuns(levels=0))
    made = Campaign("stability", config, Store(tmp_path_factory.mktemp("kept") / "store"))
    assert {outcome.status for outcome in made.run(SerialRunner())} == {"done"}
    return made


@pytest.mark.needs("models")
def test_a_report_from_its_file_is_the_report_from_the_store(campaign, tmp_path):
    file = write_kept(campaign.keep(), tmp_path / "kept.parquet")
    assert is_kept(file)
    kept = read_kept(file)
    first = report_json(report_from(kept))
    assert first == report_json(campaign.report())
    again = read_kept(write_kept(kept, tmp_path / "again.parquet"))
    assert report_json(report_from(again)) == first
    texts = [text for each in kept.answers.values() for values in each.texts.values() for text in values]
    assert 0 < sum(map(bool, texts)) < len(texts)  # those of items that the page shows, and no others


@pytest.mark.needs("models")
def test_the_command_keeps_and_renders(campaign, tmp_path, capsys):
    file, out = tmp_path / "kept.parquet", tmp_path / "page"
    settings = ["--set", "model=one=fake,fake", "--set", "seeds=0,1", "--set", "data.languages=en"]
    store = ["--store", campaign.store.where, "--out", str(tmp_path / "first")]
    assert run_command(["report", "stability", "--preset", "tiny", *settings, *store, "--keep", str(file)]) == 0
    assert run_command(["report", str(file), "--out", str(out)]) == 0
    assert (out / "report.html").read_bytes() == (tmp_path / "first" / "report.html").read_bytes()


def test_folders_of_a_machine_are_not_kept():
    data = replace(TINY.data, root="/somewhere/data")
    form = plain_config(replace(TINY, model=("E5=/home/me/e5", "/home/me/minilm"), data=data))
    assert (form["model"], form["data"]["root"]) == (["E5", "minilm"], "")


def test_other_parquet_files_are_refused(tmp_path):
    path = tmp_path / "other.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(DataError, match="this Parquet file holds no kept answers"):
        read_kept(path)
    path.write_bytes(b"nothing")
    with pytest.raises(DataError, match="it cannot be read as kept answers"):
        read_kept(path)
    with pytest.raises(DataError, match="there is no such file"):
        read_kept(tmp_path / "absent.parquet")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_report_is_rendered_from_its_answers(path):
    """Its page has the title and every table and figure of the rendering; `make reports` makes the page anew."""
    assert path.stat().st_size <= MOST_BYTES
    report = report_from(read_kept(path))
    page = (REPORTS / f"{path.stem}.html").read_text(encoding="utf-8")
    text = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert report.title in text
    assert {item.name for item in report.items if hasattr(item, "name")} <= set(re.findall(r'id="([^"]+)"', page))


def test_the_script_renders_what_is_named(tmp_path):
    script = runpy.run_path(str(ROOT / "docs" / "make_reports.py"))
    assert script["kept_files"]() == SHIPPED
