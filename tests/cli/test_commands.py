"""The command line as a user meets it: commands, exit codes, errors without tracebacks, results that survive."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.judging.files import noisy_rows, write_jsonl
from tests.waiting import HANG_SECONDS, held, started, wait_until

from goldproof.jobs import Store
from goldproof.jobs.key import canonical
from goldproof.studies import ENTRIES, find_study
from goldproof.studies.campaign import Campaign
from goldproof.studies.demo.plan import Config, prediction_job
from goldproof.studies.settings import Choice, make_config

READY = ", ".join(entry.name for entry in ENTRIES if entry.module)
ROOT = Path(__file__).resolve().parents[2]
ENV = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "NO_COLOR": "1", "COLUMNS": "120"}


def test_run_report_status_and_resume(run, tmp_path):
    code, out, _ = run("run", "demo", "--preset", "tiny")
    first, *verdict, last = out.splitlines()
    assert (code, first, last) == (0, "6 jobs: 6 done", "report: goldproof-out/demo/report.html")
    assert verdict[0] == "How far does a small score move with the seed?"
    assert len(verdict) == 4
    assert re.fullmatch(
        r"- With 100 reviews a bag of words reaches \d\d\.\d % \[\d\d\.\d, \d\d\.\d\]\. "
        r"\(95 % interval; n = \d+; .*\)",
        verdict[2],
    )
    summary = (tmp_path / "goldproof-out/demo/summary.json").read_bytes()
    assert run("run", "demo", "--preset", "tiny")[1] == "\n".join(["4 jobs: 4 kept", *verdict, last, ""])
    assert run("report", "demo", "--preset", "tiny")[1] == "\n".join([*verdict, last, ""])
    assert (tmp_path / "goldproof-out/demo/summary.json").read_bytes() == summary
    code, out, _ = run("report", "demo", "--preset", "tiny", "--out", "again", "--json")
    assert code == 0
    assert "again/report.html" in json.loads(out)["files"]
    assert (tmp_path / "again/summary.json").read_bytes() == summary
    code, out, _ = run("status")
    assert out == "demo: 6 of 6 jobs in the store, 0 to run, 0 failed\n"


def test_serial_and_pool_give_the_same_bytes(run, tmp_path):
    for runner in ("serial", "pool"):
        code, _, _ = run(
            "run", "demo", "--preset", "tiny", "--runner", runner, "--store", f"{runner}-s", "--out", runner
        )
        assert code == 0
    for name in ("summary.json", "report.html", "tables/accuracy.csv"):
        assert (tmp_path / "serial" / name).read_bytes() == (tmp_path / "pool" / name).read_bytes()


def test_a_flipped_byte_in_the_store_is_said_and_mended(run, tmp_path):
    run("run", "demo", "--preset", "tiny")
    summary = (tmp_path / "goldproof-out/demo/summary.json").read_bytes()
    victim = next((tmp_path / "goldproof-store/values").rglob("table-0.parquet"))
    content = bytearray(victim.read_bytes())
    content[len(content) // 2] ^= 1
    victim.write_bytes(bytes(content))
    code, out, err = run("report", "demo", "--preset", "tiny")
    if code:  # the damaged value is one that the report reads
        assert err.startswith("error: the stored value of job ")
        assert "is damaged: the checksum of table-0.parquet does not match" in err
    run("run", "demo", "--preset", "tiny")
    for store_file in (tmp_path / "goldproof-store/values").rglob("table-0.parquet"):
        store_file.write_bytes(b"gone")
    code, out, err = run("run", "demo", "--preset", "tiny")
    assert code == 0
    assert "damaged and computed again" in out
    assert "has 4 bytes instead of" in err
    assert (tmp_path / "goldproof-out/demo/summary.json").read_bytes() == summary


def test_dry_run_runs_nothing(run, tmp_path):
    code, out, _ = run("run", "demo", "--preset", "tiny", "--dry-run")
    assert code == 0
    assert out == (
        "      2  goldproof.demo.generate_reviews  (unknown time)\n      4  goldproof.demo.fit_and_predict  (unknown "
        "time)\n--calibrate measures the steps without a record.\n6 jobs would run, 0 are in the store "
        "goldproof-store\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_times_of_a_dry_run_are_called_means_of_the_store(run):
    run("run", "demo", "--preset", "tiny")
    code, out, _ = run("run", "demo", "--preset", "tiny", "--set", "seeds=7", "--dry-run")
    step, *rest = out.splitlines()
    assert code == 0
    assert re.fullmatch(r"      2  goldproof\.demo\.fit_and_predict  \(about .+\)", step)
    assert rest == [
        "Times are for one job after another, estimated from this store's records: from the rows that pass through a "
        "step if it counts them, else from the step's mean.",
        "2 jobs would run, 2 are in the store goldproof-store",
    ]


def test_a_report_that_cannot_be_written_is_said_before_anything_runs(run, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    code, out, err = run("run", "demo", "--preset", "tiny", "--out", "file")
    assert (code, out) == (4, "")
    assert err == (
        "error: the report cannot be written to file: a file stands where its folder should be; give another folder\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_list_shows_the_settings_of_a_study_as_set_takes_them(run):
    code, out, _ = run("list", "demo")
    assert (code, out) == (
        0,
        "Settings of demo with their defaults (--set KEY=VALUE, or a TOML file for --config):\n"
        "  sizes   50,100,200,400,800\n"
        "  seeds   0,1,2,3,4\n"
        "  n_test  1000\n"
        "  noise   0.15\n",
    )
    for study in ("stability", "probing", "logic", "transfer", "corruption", "claims"):
        found = find_study(study)
        code, out, _ = run("list", study)
        assert code == 0
        pairs = [line.split() for line in out.splitlines()[1:]]
        given = tuple(f"{key}={value[0]}" for key, *value in pairs if value)
        assert make_config(found, Choice(pairs=given)) == found.Config()
    assert json.loads(run("list", "demo", "--json")[1])["settings"]["noise"] == 0.15


def test_the_list_of_commands_is_not_cut_off(run):
    for arguments in (["--help"], ["build", "--help"]):
        code, out, _ = run(*arguments)
        assert code == 0
        assert "Commands:" in out
        assert "..." not in out.partition("Commands:")[2]


def test_check_counts_files_of_other_kinds(run, tmp_path):
    (tmp_path / "corpus").mkdir()
    for name in ("a.bin", "b.bin", "c.json"):
        (tmp_path / "corpus" / name).write_bytes(b"?")
    (tmp_path / "corpus/test.jsonl").write_text('{"text": "One.", "label": "a"}\n', encoding="utf-8")
    (tmp_path / "corpus/train.jsonl").write_text("", encoding="utf-8")
    code, out, _ = run("check", "corpus")
    assert code == 0
    assert [line for line in out.splitlines() if line.startswith("not read")] == [
        "not read: corpus/train.jsonl: the file is empty",
        "not read: 3 files are of no kind that can be checked (extensions: .bin, .json)",
    ]
    assert out.endswith("0 problems, 0 warnings, 0 notes\n")


def test_list_says_where_a_corpus_is_had_from(run):
    code, out, _ = run("list", "rte")
    assert code == 0
    assert "Source: " in out
    assert out.endswith("Files are expected under the data root: export GOLDPROOF_DATA=FOLDER\n")
    assert run("list", "xprobe/tree_depth")[1] == run("list", "xprobe")[1]
    assert json.loads(run("list", "rte", "--json")[1])["facts"][0][0] == "Title"


def test_a_run_whose_data_are_gone_hides_no_other_from_status(run, tmp_path, monkeypatch):
    monkeypatch.delenv("GOLDPROOF_DATA", raising=False)
    run("run", "demo", "--preset", "tiny")
    store = Store("goldproof-store")
    lost = Campaign.choose("stability", Choice("default"), store)
    store.note(lost.note_name(), {"study": "stability", "config": canonical(lost.config)})
    code, out, _ = run("status")
    assert code == 0
    demo, stability = out.splitlines()
    assert demo == "demo: 6 of 6 jobs in the store, 0 to run, 0 failed"
    assert stability.startswith("stability: an earlier run cannot be looked up: nothing of this study can be run here.")
    assert "GOLDPROOF_DATA" in stability


def test_a_run_whose_settings_are_called_otherwise_now_is_told_as_such(run):
    run("run", "demo", "--preset", "tiny")
    store = Store("goldproof-store")
    form = {"study": "stability", "config": {"$type": "stability.Config", "corpus": "generated", "model": "fake"}}
    store.note("campaigns/stability-0123456789ab.json", form)
    code, out, _ = run("status")
    assert (code, out) == (
        0,
        "demo: 6 of 6 jobs in the store, 0 to run, 0 failed\nstability: an earlier run cannot be looked up: the "
        "setting 'corpus' is now called 'data.corpus'\n",
    )
    code, _, err = run("store", "prune", "--unused")
    assert code == 2
    assert "nothing was removed" in err


def test_status_counts_the_jobs_that_it_does_not_show(run):
    run("run", "demo", "--set", "seeds=0,1")
    code, out, _ = run("status", "demo", "--set", "seeds=0,1,2")
    assert code == 0
    assert out.startswith("demo: 12 of 17 jobs in the store, 5 to run, 0 failed\n")
    assert out.endswith("  and 4 more of the same steps (`goldproof run demo --dry-run` counts them)\n")


def test_status_says_which_argument_changed(run):
    run("run", "demo", "--preset", "tiny")
    code, out, _ = run("status", "demo", "--preset", "tiny", "--set", "noise=0.2", "--json")
    (form,) = json.loads(out)
    assert (code, form["present"], form["to_run"]) == (0, 0, 6)
    generate = next(r for r in form["reasons"] if r["description"].startswith("generate"))
    assert [(c["argument"], c["before"], c["after"]) for c in generate["changes"]] == [("noise", "0.15", "0.2")]
    code, out, _ = run("status", "--why", generate["key"][:8], "demo", "--preset", "tiny", "--set", "noise=0.2")
    assert "      noise: 0.15 -> 0.2\n" in out


SMALL_DEMO = (
    "sizes.train=40", "sizes.validation=20", "sizes.test=20", "seeds=0", "tasks=quantifiers", "learners=forest",
)  # fmt: skip


def test_demo_ends_with_what_to_try_and_the_report(run, tmp_path):
    arguments = [part for pair in SMALL_DEMO for part in ("--set", pair)]
    code, out, err = run("demo", *arguments)
    assert code == 0
    found = re.match(r"Does it infer, or match words\? (\d+) jobs, (\d+) to run\.\n", err)
    assert found is not None
    assert found[1] == found[2]
    lines = out.splitlines()
    assert lines[1] == "Does it infer, or match words?"
    assert re.match(r"(Neither is shown: in |Undecided: )", lines[2])  # of 20 pairs: one or the other by chance
    assert lines[0] == f"{found[1]} jobs: {found[1]} done"
    first = lines.index("report: goldproof-demo/report/report.html")
    assert lines[first + 1] == "Run it again and nothing is computed twice. Next:"
    assert "What may be claimed of Tiny on generated reviews?" in lines[first:]
    assert "page: goldproof-demo/claims/claims.html" in lines[first:]
    assert (tmp_path / "goldproof-demo/claims/claims.html").exists()
    assert (tmp_path / "goldproof-demo/report/report.html").exists()
    command = next(line for line in lines if "--set data.languages=" in line).split("#")[0].split()
    planned = run(*command[1:-1], "data.languages=en", *arguments, "--dry-run")[1]
    assert planned.splitlines()[-1].startswith("0 jobs would run, ")


@pytest.mark.slow
def test_the_whole_demo_shows_models_that_lose_what_they_learned_from_words(run):
    code, out, _ = run("demo")
    assert code == 0
    summary = json.loads(Path("goldproof-demo/report/summary.json").read_text(encoding="utf-8"))
    assert summary["answer"]["head"]
    assert out.splitlines()[1] == "Does it infer, or match words?"


def test_list(run):
    code, out, _ = run("list", "--json")
    listed = json.loads(out)
    assert code == 0
    studies = {"demo", "stability", "probing", "logic", "transfer", "corruption", "claims"}
    assert studies == {study["name"] for study in listed["studies"]}
    assert {"rte", "xnli", "mldoc"} <= {c["name"] for c in listed["corpora"]}


def test_check_finds_a_leak(run, tmp_path):
    for split in ("train", "test"):
        write_jsonl(
            tmp_path / f"{split}.jsonl", [{"text": f"text number {i} of this set", "label": "a"} for i in range(5)]
        )
    code, out, _ = run("check", "train.jsonl", "test.jsonl")
    assert code == 0
    assert "are identical byte for byte, though they are different splits: train.jsonl, test.jsonl" in out
    assert json.loads(run("check", "train.jsonl", "test.jsonl", "--json")[1])["findings"]
    assert run("check", "train.jsonl", "test.jsonl", "--strict")[0] == 1
    assert run("check", "train.jsonl", "--strict")[0] == 0


def test_score_and_compare(run, tmp_path):
    write_jsonl(tmp_path / "a.jsonl", noisy_rows(900, 0.9, 1))
    write_jsonl(tmp_path / "b.jsonl", noisy_rows(900, 0.7, 2))
    code, out, _ = run("score", "a.jsonl", "b.jsonl", "--out", "s")
    assert code == 0
    assert out.endswith("report: s/report.html\n")
    said = (tmp_path / "s/report.md").read_text(encoding="utf-8")
    assert said.startswith(
        "# How far does the accuracy hold in each of 2 sets?\n\nfiles a.jsonl, b.jsonl\n\n**Accuracy ranges from 7"
    )
    code, out, _ = run("compare", "a.jsonl", "b.jsonl", "--gate", "0.5", "--json")
    form = json.loads(out)
    assert (code, form["verdict"], form["passes"]) == (1, "worse", False)
    assert [difference["metric"] for difference in form["differences"]] == ["accuracy: B − A"]  # one place, said once
    code, out, _ = run("compare", "a.jsonl", "b.jsonl", "--gate", "0.5", "--out", "c")
    assert code == 1
    assert "(exact McNemar p < 0.0001)\n" in out
    said = (tmp_path / "c/report.md").read_text(encoding="utf-8")
    assert said.startswith("# Is b better than a?\n\n**No, for these two systems: b is worse than a by ")
    gate = "- Shown: Gate of 0.5 points: NOT passed; it would detect a drop of 5.7 points or more (80 % power). See “"
    assert gate in said
    assert run("compare", "b.jsonl", "a.jsonl", "--gate", "0.5", "--out", "c")[0] == 0


def test_what_so_few_items_cannot_show_is_no_difference_above_100_points(run, tmp_path):
    rows = [{"id": i, "gold": "ab"[i % 2], "prediction": "aba"[i]} for i in range(3)]
    write_jsonl(tmp_path / "few.jsonl", [*rows[:2], {**rows[2], "prediction": "b"}])
    code, out, _ = run("score", "few.jsonl", "--out", "few")
    assert code == 0
    assert "mcc 0.500 [−1.00, 1.00]" in out
    assert (
        "too few items: no possible difference in accuracy between this model and a rival could be shown with "
        "80 % power\n" in out
    )
    said = (tmp_path / "few/report.md").read_text(encoding="utf-8")
    assert "¹ no possible difference\n" in said
    assert "for the difference to show" not in said


WRONG_USE = [
    (["run", "dmo"], f"error: there is no study 'dmo'; did you mean 'demo'? studies that can be run: {READY}\n"),
    (["run", "demo", "--runner", "slurm"], "error: there is no runner 'slurm'; allowed: serial, pool, ray\n"),
    (["run", "demo", "--preset", "huge"], "error: there is no preset 'huge'; allowed: default, paper, tiny\n"),
    (
        ["run", "demo", "--set", "seed=1"],
        "error: there is no setting 'seed'; did you mean 'seeds'? allowed: n_test, noise, seeds, sizes\n",
    ),
    (
        ["run", "demo", "--set", "noise=0.7"],
        "error: the setting 'noise' must be at least 0 and below 0.5, got 0.7\n",
    ),
    (["run", "demo", "--set", "seeds=1,1"], "error: the setting 'seeds' repeats a seed: (1, 1)\n"),
    (
        ["run", "demo", "--set", "seeds="],
        "error: the settings 'sizes' and 'seeds' must each name at least one number\n",
    ),
    (["run", "demo", "--config", "none.toml"], "error: there is no configuration file none.toml\n"),
    (["run", "demo", "--runner", "pool", "--workers", "0"], "error: workers is 0; it must be at least 1\n"),
    (
        ["report", "demo"],
        "error: 27 of 27 jobs of 'demo' with these settings are missing from the store goldproof-store; run the "
        "study first: `goldproof run demo` with the same --preset, --config and --set\n",
    ),
    (["status"], "error: there is no store goldproof-store; `goldproof run` makes one, --store names another\n"),
    (["check", "nowhere"], "error: nowhere: there is no such file\n"),
    (["score", "nowhere.jsonl"], "error: nowhere.jsonl: there is no such file\n"),
    (["score", "a.jsonl", "--column", "gold"], "error: --column takes OURS=THEIRS; got 'gold'\n"),
    (
        ["compare", "a.jsonl", "a.jsonl", "--margin", "0"],
        "error: --margin must be above 0; got 0\n",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG_USE, ids=[" ".join(a) for a, _ in WRONG_USE])
def test_wrong_use_is_one_line_and_exit_2(run, tmp_path, arguments, message):
    write_jsonl(tmp_path / "a.jsonl", noisy_rows(20, 0.7, 1))
    code, out, err = run(*arguments)
    assert (out, err) == ("", message)
    assert code == (4 if arguments == ["report", "demo"] else 2)


@pytest.mark.parametrize(
    "arguments", [["run"], ["bogus"], ["run", "demo", "--workers", "two"], ["report", "x", "--no"]]
)
def test_what_the_parser_refuses_is_one_line_too(run, arguments):
    code, out, err = run(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")


def test_a_store_that_is_a_file(run, tmp_path):
    (tmp_path / "s").write_text("")
    code, _, err = run("run", "demo", "--preset", "tiny", "--store", "s")
    assert (code, err) == (
        4,
        "error: the store s cannot be written (File exists); check its permissions or give another --store: "
        "finished work is kept\n",
    )


@pytest.mark.parametrize(
    "code",
    [
        "import goldproof",
        "from goldproof.cli import run_command; run_command(['list'])",
        "from goldproof.cli import run_command; run_command(['run', 'demo', '--dry-run'])",
    ],
)
def test_planning_loads_neither_torch_nor_ray(code, tmp_path):
    program = f"{code}; import sys; print(sorted({{'torch', 'ray', 'transformers', 'altair'}} & set(sys.modules)))"
    out = subprocess.run(
        [sys.executable, "-c", program], env=ENV, capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert out.stdout.splitlines()[-1] == "[]"


def test_an_interrupt_keeps_what_is_done(tmp_path):
    """Ctrl-C in the middle: exit 130, one line, and the next run goes on."""
    config = Config(sizes=tuple(range(50, 450, 10)))
    command = [sys.executable, "-m", "goldproof", "run", "demo", "--set", "sizes=" + ",".join(map(str, config.sizes))]
    records = tmp_path / "goldproof-store" / "records"
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE}
    with (
        held(Store(tmp_path / "goldproof-store").open(), [prediction_job(config, 440, 4)]),
        started(command, tmp_path, ENV, **pipes) as process,
    ):
        wait_until(
            lambda: len(list(records.glob("*/*.json"))) >= 5 or process.poll() is not None, "five values are kept"
        )
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=HANG_SECONDS)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "interrupted: finished work is kept; the same command carries on from there"
    assert "Traceback" not in err
    assert len(list(records.glob("*/*.json"))) >= 5
