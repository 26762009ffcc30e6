"""`check` finds what is known to be wrong with published corpora, and nothing in a clean one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from goldproof.data.checking.alignment import Alignment
from goldproof.data.checking.checks import CheckReport, check
from goldproof.data.columns import Columns
from goldproof.data.readers import read
from goldproof.errors import DataError


def _write(folder: Path, name: str, rows: list[tuple[str, str]]) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("text\tlabel\n" + "".join(f"{text}\t{label}\n" for text, label in rows), "utf-8")
    return path


def _rows(seed: int, n: int = 60) -> list[tuple[str, str]]:
    rng = np.random.default_rng(seed)
    words = [f"word{number}" for number in range(1000)]
    return [(" ".join(rng.choice(words, size=rng.integers(5, 30))), str(rng.integers(2))) for _ in range(n)]


def _alignment(report: CheckReport, split: str, *languages: str) -> Alignment:
    (found,) = [one for one in report.alignments if one.split == split and set(one.languages) == set(languages)]
    return found


def test_clean_corpus_has_no_findings(tmp_path: Path) -> None:
    _write(tmp_path, "train.tsv", _rows(0))
    _write(tmp_path, "test.tsv", _rows(1))
    report = check([tmp_path])
    assert report.findings == ()
    assert [(split.split, split.rows) for split in report.splits] == [("train", 60), ("test", 60)]
    assert json.loads(report.to_json())["findings"] == []


def test_copies_with_a_word_added_are_a_problem(tmp_path: Path) -> None:
    """Near copies between splits are problems by default, those with another label are only noted."""
    rows = _rows(0)
    copied = [(f"{text} indeed", label) for text, label in rows[:20]]
    train = _write(tmp_path, "train.tsv", rows)
    test = _write(tmp_path, "test.tsv", [*_rows(1), *copied, (f"{rows[30][0]} indeed", "other")])
    report = check([train, test])
    found = {finding.kind: finding for finding in report.findings if finding.kind != "unseen-label"}
    assert {kind: (each.severity, each.count) for kind, each in found.items()} == {
        "near-item": ("problem", 20),
        "contrast": ("note", 1),
    }
    message = "20 of the 81 texts of test are near copies of rows in train (similarity 0.7 or more, or a word added)"
    assert found["near-item"].message == message
    example = found["near-item"].examples[0]
    assert (str(example.place), str(example.other)) == (f"{test}, row 61", f"{train}, row 1")


def test_planted_faults_are_found_with_their_places(tmp_path: Path) -> None:
    rows = _rows(0)
    faults = [rows[3], (rows[4][0].upper() + " !", rows[4][1]), (rows[5][0], "9"), ("", "1")]
    train = _write(tmp_path, "train.tsv", rows + faults)
    test = _write(tmp_path, "test.tsv", [rows[7], *_rows(1)])
    report = check([train, test])
    found = {finding.kind: finding for finding in report.findings}
    assert {kind: finding.count for kind, finding in found.items()} == {
        "duplicate": 2,
        "same-but-form": 1,
        "conflict": 1,
        "empty": 1,
        "shared-item": 1,
    }
    example = found["shared-item"].examples[0]
    assert (str(example.place), str(example.other)) == (f"{test}, row 1", f"{train}, row 8")
    assert found["duplicate"].message == "2 of 64 rows repeat the texts of an earlier row exactly"
    assert found["shared-item"].message == "1 of the 61 texts of test also occur in train"


def test_alignment_of_made_up_languages(tmp_path: Path) -> None:
    """The second language has texts a little longer; in test its rows are moved by one."""
    for split, seed, shift in (("train", 0, 0), ("test", 1, 1)):
        rows = _rows(seed)
        _write(tmp_path, f"en/{split}.tsv", rows)
        _write(
            tmp_path,
            f"de/{split}.tsv",
            [(text + " und so weiter", label) for text, label in rows[shift:] + rows[:shift]],
        )
    report = check([tmp_path])
    assert _alignment(report, "train", "en", "de").aligned
    assert not _alignment(report, "test", "en", "de").aligned
    (finding,) = report.of("not-aligned")
    assert (finding.severity, finding.where) == ("warning", f"{tmp_path.name} test")


def test_unreadable_files_of_a_folder_are_listed(tmp_path: Path) -> None:
    _write(tmp_path, "train.tsv", _rows(0))
    (tmp_path / "broken.jsonl").write_text("{")
    report = check([tmp_path])
    path = str(tmp_path / "broken.jsonl")
    message = f"{path}, line 1: not JSON: Expecting property name enclosed in double quotes at character 2"
    assert report.unread == {path: message}


@pytest.mark.parametrize("language", ["ru", "en"])
def test_xprobe_validation_is_test(language: str, published: Path) -> None:
    report = check([published / "probing/xprobe" / language / "tree_depth"], near=1)
    (identical,) = report.of("identical-files")
    assert identical.severity == "problem"
    assert "identical byte for byte, though they are different splits" in identical.message
    (shared,) = report.of("shared-item")
    assert (shared.count, shared.total) == (10_000, 10_000)


@pytest.mark.parametrize(("language", "count", "total"), [("ru", 3290, 8072), ("en", 939, 10_000)])
def test_xprobe_odd_man_out_overlaps(language: str, count: int, total: int, published: Path) -> None:
    report = check([published / "probing/xprobe" / language / "odd_man_out"], near=1)
    (shared,) = report.of("shared-item")
    assert (shared.count, shared.total) == (count, total)


def test_translated_entailment_is_aligned_in_train_only(published: Path) -> None:
    report = check([published / "entailment"], near=1)
    for other in ("de", "sv", "ru"):
        assert _alignment(report, "train", "fr", other).aligned
    assert _alignment(report, "validation", "fr", "sv").aligned
    assert _alignment(report, "test", "fr", "ru").aligned
    assert not _alignment(report, "validation", "fr", "de").aligned
    for other in ("de", "sv"):
        assert not _alignment(report, "test", "fr", other).aligned
    assert not _alignment(report, "train", "fr", "en").aligned
    warned = {finding.where: finding.message for finding in report.of("not-aligned") if finding.severity == "warning"}
    assert set(warned) == {"entailment validation", "entailment test"}
    said = "languages aligned row by row with each other: fr, ru; with none: de, en, sv"
    assert warned["entailment test"].startswith(said)
    duplicates = {finding.where: finding.count for finding in report.of("duplicate")}
    assert duplicates["entailment en train"] == 2
    assert duplicates["entailment fr test"] == 6


def test_german_xnli_dev_premises_stand_in_train(published: Path) -> None:
    report = check([published / "xnli/de"], near=1)
    found = {finding.where: finding for finding in report.of("shared-text")}
    finding = found["xnli de train / validation"]
    assert (finding.count, finding.total) == (248, 250)


def test_logic_corpus_has_62_duplicate_rows(published: Path) -> None:
    """They stand in the English quantifier task; English mixed and Portuguese quantifier have 3 each."""
    paths = [
        path for task in ("quantifier", "mixed", "counting") for path in (published / "logic").glob(f"*/{task}*.csv")
    ]
    report = check(paths, near=1)
    assert len(report.splits) == 6
    assert {finding.where: finding.count for finding in report.of("duplicate")} == {
        "logic/quantifier en train": 62,
        "logic/mixed en train": 3,
        "logic/quantifier pt train": 3,
    }


def test_diagnostics_are_mirrored_and_aligned(published: Path) -> None:
    report = check([published / "diagnostics"])
    shares = {finding.where.split()[1]: finding.count / finding.total for finding in report.of("mirrored")}
    assert shares["en"] == 1
    assert all(round(shares[language], 2) == 0.97 for language in ("fr", "de", "sv"))
    (aligned,) = report.of("aligned")
    assert aligned.message == "4 languages are aligned row by row: de, en, fr, sv"


def test_parallel_corpora_are_seen_as_aligned(published: Path) -> None:
    """19 languages of SIB-200, some written without spaces, and six of the parallel treebanks."""
    topics = check([published / "topics"], near=1)
    assert [finding.count for finding in topics.of("aligned")] == [19, 19, 19]
    assert not topics.of("not-aligned")
    paths = sorted((published / "treebanks").glob("*_pud-ud-test.conllu"))
    (aligned,) = check(paths, near=1).of("aligned")
    assert aligned.count == 6


def _reviews(path, header, n=40, first=0):
    rows = [
        f'{i},"Das Essen, Nummer {i}, war {word}.",{word}'
        for i in range(first, first + n)
        for word in ("gut", "schlecht")
    ]
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def test_a_header_in_another_language_is_no_row(tmp_path):
    """Names that are in no list are seen by what stands under them, so that two headers are not one shared text."""
    paths = [
        _reviews(tmp_path / "train.csv", "nr,Rezension,Sterne"),
        _reviews(tmp_path / "test.csv", "nr,Rezension,Sterne", 9, 50),
    ]
    report = check(paths, near=1)
    assert [(split.split, split.rows, dict(split.labels)) for split in report.splits] == [
        ("train", 80, {"gut": 40, "schlecht": 40}),
        ("test", 18, {"gut": 9, "schlecht": 9}),
    ]
    assert report.findings == ()


def test_without_a_header_the_first_line_is_a_row(tmp_path):
    path = tmp_path / "train.csv"
    lines = [f"Das Essen Nummer {i} war {word}.,{word}" for i in range(20) for word in ("gut", "schlecht")]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    (split,) = check([path], near=1).splits
    assert (split.rows, dict(split.labels)) == (40, {"gut": 20, "schlecht": 20})


def test_named_columns_are_taken(tmp_path):
    path = _reviews(tmp_path / "train.csv", "nr,Sterne,text")
    (split,) = check([path], near=1, columns=Columns(text="Sterne", label="text")).splits
    assert dict(split.labels) == {"gut": 40, "schlecht": 40}
    with pytest.raises(DataError) as caught:
        check([path], columns=Columns(text="Text"))
    found = "columns found: nr, Sterne, text"
    assert str(caught.value) == f"{path}: there is no column 'Text'; did you mean 'text'? {found}"


def test_a_file_by_semicolons_is_read_as_spreadsheets_write_it(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text(
        "\ufeffnr;Rezension;Sterne\r\n" + "".join(f'{i};"Gut; sehr gut, das {i}. Mal";{i % 2}\r\n' for i in range(20)),
        encoding="utf-8",
    )
    (split,) = check([path], near=1, columns=Columns(text="Rezension", label="Sterne")).splits
    assert dict(split.labels) == {"0": 10, "1": 10}
    assert read(path, text="Rezension", label="Sterne").texts[1] == "Gut; sehr gut, das 1. Mal"


def test_a_file_by_another_sign_is_not_read_as_one_column(tmp_path):
    path = tmp_path / "train.tsv"
    path.write_text("nr|Rezension|Sterne\n1|Gut, sehr gut|5\n2|Schlecht|1\n", encoding="utf-8")
    assert read(path.rename(tmp_path / "train.csv"), text="Rezension").texts == ["Gut, sehr gut", "Schlecht"]
    path.with_suffix(".csv").rename(path)
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value) == (
        f"{path}: data need a column 'text'; columns found: nr|Rezension|Sterne (only one column: is the file "
        "separated by '|'? csv takes commas, semicolons, bars or tabs, tsv tabs); looked for: text, sentence, content, "
        "review, document, premise, sentence1, question1, text1, question; say which one it is with --column "
        "text=NAME (corrupt: --columns NAME; settings: columns.text=NAME), in Python text='NAME'"
    )


def test_a_header_alone_is_nothing_to_check(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text("nr,Rezension,Sterne\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        check([path])
    assert str(caught.value) == (
        f"{path}: no rows with a text were found; if a column holds the text, name it: --column text=NAME"
    )
