"""`goldproof audit`: files in, sentences and files out, exit codes; and `score --subset` on what it wrote."""

from __future__ import annotations

import json

import pytest
from tests.judging.audit.data import rows, write_csv
from tests.judging.files import write_jsonl

from goldproof.errors import ExitCode


@pytest.fixture
def files(tmp_path):
    train = write_csv(tmp_path / "train.csv", rows(400, 1, "word"))
    return train, write_csv(tmp_path / "test.csv", rows(300, 2, "word"))


def test_a_problem_is_one_with_strict_only(run, files, tmp_path):
    code, out, _ = run("audit", *files)
    assert code == ExitCode.DONE
    assert out.splitlines()[0].startswith("In part: of the 15 shortcuts that were tried")
    assert [line.split()[1] for line in out.splitlines()[1:6]] == [
        "green",
        "red",
        out.splitlines()[3].split()[1],
        "red",
        out.splitlines()[5].split()[1],
    ]
    assert run("audit", *files, "--strict")[0] == ExitCode.NO


def test_files_of_an_audit(run, files, tmp_path):
    folder = tmp_path / "out"
    code, out, _ = run(
        "audit", *files, "--out", folder, "--hard", tmp_path / "hard.json", "--json", "--name", "my corpus"
    )
    assert code == ExitCode.DONE
    form = json.loads(out)
    assert {"report.html", "report.md", "summary.json", "audit.json", "card.md"} <= {
        path.name for path in folder.iterdir()
    }
    assert json.loads((folder / "audit.json").read_text())["lights"] == form["lights"]
    assert str(tmp_path / "hard.json") in form["files"]
    assert "<h1>Can my corpus be solved without understanding?</h1>" in (folder / "report.html").read_text()


def test_the_score_on_the_hard_items(run, files, tmp_path):
    run("audit", *files, "--hard", tmp_path / "hard.json")
    hard = json.loads((tmp_path / "hard.json").read_text())
    test = rows(300, 2, "word")
    # A model that knows the cue and nothing else.
    predictions = [
        {"id": row["id"], "gold": row["label"], "prediction": "yes" if "never" in row["hypothesis"] else "no"}
        for row in test
    ]
    path = write_jsonl(tmp_path / "p.jsonl", predictions)
    code, out, _ = run(
        "score", path, "--subset", f"hard={tmp_path / 'hard.json'}", "--json", "--out", tmp_path / "scored"
    )
    assert code == ExitCode.DONE
    first, rest = json.loads(out)["parts"]
    assert (first["part"], rest["part"]) == ("hard", "the rest")
    assert (first["n"], rest["n"]) == (len(hard["ids"]), 300 - len(hard["ids"]))
    by_id = {row["id"]: row for row in predictions}
    right = [by_id[item]["gold"] == by_id[item]["prediction"] for item in hard["ids"]]
    assert first["value"] == sum(right) / len(right) < rest["value"]
    assert first["labels"] == {"yes": 1.0}
    assert first["floor"] == 1.0
    assert "On subsets of the items" in (tmp_path / "scored" / "report.md").read_text()
    shown = run("score", path, "--subset", f"hard={tmp_path / 'hard.json'}")[1]
    assert f"hard                     n {first['n']}" in shown
    assert first["bias"] == hard["bias"] == rest["bias"]
    assert first["bias"]["of"] == "yes"
    note = next(line for line in shown.splitlines() if line.startswith("  note: "))
    assert note.startswith(
        "  note: The parts differ in more than cues. Here a model that uses none, and has 90 % of the "
    )
    assert note.partition("note: ")[2] in (tmp_path / "scored" / "report.md").read_text().replace("\\", "")


def test_a_plain_list_of_ids_is_a_subset_too(run, tmp_path):
    path = write_jsonl(
        tmp_path / "p.jsonl", [{"id": str(n), "gold": "a" if n % 2 else "b", "prediction": "a"} for n in range(40)]
    )
    ids = tmp_path / "odd.txt"
    ids.write_text("\n".join(str(n) for n in range(1, 40, 2)))
    _, out, _ = run("score", path, "--subset", f"odd={ids}", "--json")
    assert [part["value"] for part in json.loads(out)["parts"]] == [1.0, 0.0]
    assert [part["accuracy_at_equal_balance"] for part in json.loads(out)["parts"]] == [None, None]


def test_parts_of_another_balance_are_compared_at_the_same(run, tmp_path):
    """A model that is right on 9 of 10 a and on 5 of 10 b in both parts, which have 30 a and 10 b, 10 a and 30 b."""
    labels = ["a"] * 30 + ["b"] * 10 + ["a"] * 10 + ["b"] * 30
    right = {"a": 0.9, "b": 0.5}
    seen: dict[tuple[bool, str], int] = {}
    rows = []
    for n, label in enumerate(labels):
        at = seen[n < 40, label] = seen.get((n < 40, label), -1) + 1
        is_right = at % 10 < round(10 * right[label])
        rows.append({"id": str(n), "gold": label, "prediction": label if is_right else "ab"[label == "a"]})
    path = write_jsonl(tmp_path / "p.jsonl", rows)
    ids = tmp_path / "first.txt"
    ids.write_text("\n".join(str(n) for n in range(40)))
    _, out, _ = run("score", path, "--subset", f"first={ids}", "--json")
    parts = json.loads(out)["parts"]
    assert [part["value"] for part in parts] == pytest.approx([0.8, 0.6])
    assert [part["accuracy_at_equal_balance"] for part in parts] == pytest.approx([0.7, 0.7])
    assert "at equal label balance 70.0 %" in run("score", path, "--subset", f"first={ids}")[1]


def test_bad_subsets(run, tmp_path):
    path = write_jsonl(
        tmp_path / "p.jsonl", [{"id": str(n), "gold": "ab"[n % 2], "prediction": "a"} for n in range(40)]
    )
    other = tmp_path / "other.txt"
    other.write_text("x\ny\n")
    empty = tmp_path / "empty.txt"
    empty.write_text("\n")
    altered = tmp_path / "altered.json"
    altered.write_text('{"product": "goldproof", "kind": "subset", "format": 1}')
    for given, message in (
        ("hard", "--subset takes NAME=FILE; got 'hard'"),
        ("hard=absent.json", "absent.json: there is no such file; `goldproof audit … --hard FILE` writes one"),
        (
            f"hard={other}",
            "none of the 2 ids of the subset 'hard' is among the items of all; ids are compared exactly as written",
        ),
        (f"hard={empty}", f"{empty}: the file holds no ids; write one on each line"),
        (f"hard={altered}", f"{altered}: the subset is incomplete or altered: KeyError: 'wrong'"),
    ):
        code, _, error = run("score", path, "--subset", given)
        assert (code, error) == (ExitCode.WRONG_USE, f"error: {message}\n")


def test_no_split_writes_no_file(run, tmp_path):
    train, test = (
        write_csv(tmp_path / name, rows(n, seed)) for name, n, seed in (("train.csv", 300, 1), ("test.csv", 200, 2))
    )
    code, _, error = run("audit", train, test, "--hard", tmp_path / "hard.json")
    assert code == ExitCode.DONE
    assert error == f"{tmp_path / 'hard.json'} is not written: no shortcut that was tried is credibly above the floor\n"
    assert not (tmp_path / "hard.json").exists()


def test_columns_that_may_hold_the_labels_are_said(run, tmp_path):
    given = [{"Nr": row["id"], "text": row["premise"], "Klasse": row["label"]} for row in rows(60, 1)]
    train = write_csv(tmp_path / "train.csv", given)
    test = write_csv(tmp_path / "test.csv", given[:30])
    _, out, _ = run("audit", train, test)
    assert out.splitlines()[0] == "Undecided: there are no labels."
    said = (
        "note: No column was recognised as the labels. The columns are Nr, text, Klasse; name one with --column "
        'label=NAME (scores: score=NAME), in Python columns={"label": "NAME"}.'
    )
    assert said in out.splitlines()
    assert "No column was recognised" not in run("audit", train, test, "--column", "label=Klasse")[1]


def test_wrong_use(run, files, tmp_path):
    train, test = files
    for arguments, message in (
        ((train, test, test), f"each split needs a file of its own; {test} was given twice"),
        ((train, test, "a", "b"), "audit takes TRAIN [VALIDATION] TEST, or one file with all splits; got 4 files"),
        ((train, test, "--near", "2"), "near must be above 0 and at most 1; got 2"),
    ):
        code, _, error = run("audit", *arguments)
        assert (code, error) == (ExitCode.WRONG_USE, f"error: {message}\n")
    words = tmp_path / "words.csv"
    words.write_text("a,b\n1,2\n")
    code, _, error = run("audit", words, test)
    assert code == ExitCode.WRONG_USE
    assert error.startswith(f"error: {words}: ")
