"""Plugins that cannot be used: one line says whose they are and what is wrong, and everything else works."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from tests.judging.files import write_jsonl
from tests.plugins import lay_out

from goldproof.builders.tagging import choose_tagger
from goldproof.cli import run_command
from goldproof.errors import PluginError, UsageError
from goldproof.models.named import find_model
from goldproof.statistics import metric

STUDIES = "demo, stability, probing, logic, transfer, corruption, claims"
NUMBERS = itertools.count()
STUDY = """
from dataclasses import dataclass
from goldproof import named

@named("broken.{module}.Config")
@dataclass(frozen=True)
class Config:
    seeds: tuple[int, ...] = (0,)

PAPER = TINY = Config()

def jobs(config):
    return []

def report(config, results):
    raise NotImplementedError
"""
READER = """
from goldproof.data.formats.added import FileReader
READER = FileReader({suffixes}, lambda path: {rows})
"""


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Run a command in an empty folder: exit code, stdout, stderr."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.delenv("GOLDPROOF_STORE", raising=False)

    def call(*arguments):
        code = run_command([str(a) for a in arguments])
        return (code, *capfd.readouterr())

    return call


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a package with one plugin, whose module holds this text; the module's name."""

    def lay(group: str, name: str, text: str | None, thing: str = "", package: str = "its-package") -> str:
        module = f"broken_plugin_{next(NUMBERS)}"
        modules = {} if text is None else {module: text.replace("{module}", module)}
        points = {group: {name: f"{module}:{thing}" if thing else module}}
        monkeypatch.syspath_prepend(str(lay_out(tmp_path / module, package, points, modules)))
        return module

    return lay


def problems(run) -> list[str | None]:
    code, out, err = run("list", "--json")
    assert (code, err) == (0, "")
    return [plugin["problem"] for plugin in json.loads(out)["plugins"]]


def test_one_that_cannot_be_imported_is_said_and_hides_nothing(run, install):
    module = install("studies", "mine", "import no_such_package\n")
    reason = "its import failed (ModuleNotFoundError: No module named 'no_such_package')"
    code, out, err = run("list")
    assert (code, err) == (0, "")
    assert "  claims       What may be claimed of this model on these data?\n\nCorpora" in out
    assert out.endswith(
        "\nPlugins (entry points goldproof.GROUP of installed packages):\n"
        f"  studies  mine                 its-package 1.0  cannot be used: {reason}\n"
    )
    assert run("run", "mine") == (
        2,
        "",
        f"error: the plugin 'mine' of its-package 1.0 (entry point '{module}' of goldproof.studies) cannot be used: "
        f"{reason}\n",
    )
    assert run("run", "demo", "--preset", "tiny", "--dry-run")[0] == 0
    assert run("run", "mind")[2] == (
        f"error: there is no study 'mind'; did you mean 'mine'? studies that can be run: {STUDIES}, mine\n"
    )


@pytest.mark.parametrize(
    ("text", "thing", "problem"),
    [
        (None, "", "its import failed (ModuleNotFoundError: No module named '{module}')"),
        ("", "study", "its import failed (AttributeError: module '{module}' has no attribute 'study')"),
        ("import sys; sys.exit(3)", "", "its import failed (SystemExit: 3)"),
        ("def f(:\n", "", "its import failed (SyntaxError: invalid syntax ({module}.py, line 1))"),
        (
            "Config = TINY = 1\ndef jobs(config): ...",
            "",
            "a study needs Config, PAPER, TINY, jobs and report; this one has no PAPER and no report",
        ),
        (STUDY + "Config = 1", "", "its Config must be a dataclass; got 1"),
        (STUDY + "TINY = {}", "", "its TINY must be an instance of its Config; got dict"),
        (STUDY + "jobs = []", "", "its jobs must be a function; got list"),
        (
            STUDY.replace(" = (0,)", "").replace("TINY = Config()", "TINY = Config((0,))"),
            "",
            "its Config must work without arguments, and that failed (TypeError: Config.__init__() missing 1 "
            "required positional argument: 'seeds')",
        ),
        (
            STUDY.replace('@named("broken.{module}.Config")\n', ""),
            "",
            "the dataclass {module}.Config has no declared name, so its key would change when it moves; put "
            "@named('project.Config') above @dataclass (from goldproof import named)",
        ),
    ],
)
def test_what_a_study_lacks_is_said(run, install, text, thing, problem):
    module = install("studies", "mine", text, thing)
    assert problems(run) == [problem.replace("{module}", module)]


def test_a_study_by_the_name_of_one_of_ours_does_not_replace_it(run, install):
    install("studies", "demo", STUDY)
    assert problems(run) == ["'demo' is the name of one of Goldproof's own studies; give the entry point another name"]
    assert run("run", "demo", "--preset", "tiny", "--dry-run")[1].startswith("      2  goldproof.demo.generate_reviews")


def test_two_by_one_name_are_both_refused(run, install):
    modules = [install("studies", "twice", STUDY, package=package) for package in ("first", "second")]
    same = "has a plugin of the same name; uninstall one of the two"
    assert problems(run) == [f"second 1.0 {same}", f"first 1.0 {same}"]
    assert run("run", "twice") == (
        2,
        "",
        f"error: the plugin 'twice' of first 1.0 (entry point '{modules[0]}' of goldproof.studies) cannot be used: "
        f"second 1.0 {same}\n",
    )
    assert run("run", "twic")[2] == f"error: there is no study 'twic'; studies that can be run: {STUDIES}\n"


def test_a_package_that_is_on_the_path_twice_is_one(run, install, tmp_path, monkeypatch):
    module = install("studies", "mine", STUDY)
    shadowed = lay_out(tmp_path / "shadowed", "its_package", {"studies": {"mine": "elsewhere"}}, version="0.9")
    monkeypatch.syspath_prepend(str(shadowed))
    monkeypatch.syspath_prepend(str(tmp_path / module))
    assert problems(run) == [None]


def test_a_name_that_no_setting_could_take_is_refused(run, install):
    install("models", "a,b", "")
    assert problems(run) == ["a name has only letters, digits, '.', '_' and '-', and starts with a letter or digit"]


def test_a_group_that_does_not_exist_is_said(run, install):
    install("study", "mine", STUDY)
    assert problems(run) == [
        "there is no group goldproof.study; groups: goldproof.studies, goldproof.readers, goldproof.models, "
        "goldproof.taggers, goldproof.metrics"
    ]


def test_entry_points_that_python_cannot_read_hide_nothing(run, install, tmp_path):
    module = install("studies", "mine", STUDY)
    strange = lay_out(tmp_path / module, "strange", {})
    (strange / "strange-1.0.dist-info" / "entry_points.txt").write_text("[goldproof.studies]\nno equals sign\n")
    assert problems(run) == [None]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("READER = len", "a goldproof.data.formats.added.FileReader is needed; got builtin_function_or_method"),
        (
            READER.format(suffixes="('cards',)", rows="[]"),
            "its suffixes must be a tuple of lower-case strings such as '.cards'; got ('cards',)",
        ),
        (
            READER.format(suffixes="'.cards'", rows="[]"),
            "its suffixes must be a tuple of lower-case strings such as '.cards'; got '.cards'",
        ),
        (READER.format(suffixes="('.cards', '.csv')", rows="[]"), "Goldproof itself already reads files with .csv"),
        (
            READER.format(suffixes="('.cards',)", rows="[]").replace("lambda path: []", "1"),
            "its read must be a function; got int",
        ),
    ],
)
def test_what_is_wrong_with_a_reader_is_said_also_where_it_is_missed(run, install, text, problem):
    module = install("readers", "mine", text, "READER")
    assert problems(run) == [problem]
    Path("a.cards").write_text("id: 1\n")
    assert run("score", "a.cards") == (
        2,
        "",
        "error: a.cards: no known format has the extension '.cards'; allowed: .bio, .conll, .csv, .iob, .iob2, "
        ".json, .jsonl, .ndjson, .parquet, .tsv, .txt (also with .gz); the plugin 'mine' of its-package 1.0 (entry "
        f"point '{module}:READER' of goldproof.readers) cannot be used: {problem}\n",
    )


def test_two_readers_of_one_suffix_are_both_refused(run, install):
    modules = [
        install("readers", name, READER.format(suffixes="('.cards',)", rows="[]"), "READER", package=f"{name}-package")
        for name in ("one", "two")
    ]
    same = "takes .cards too; uninstall one of the two"
    assert problems(run) == [f"'two' of two-package 1.0 {same}", f"'one' of one-package 1.0 {same}"]
    Path("a.cards").write_text("id: 1\n")
    said = (
        f"a.cards: the plugin 'one' of one-package 1.0 (entry point '{modules[0]}:READER' of goldproof.readers) cannot "
        f"be used: 'two' of two-package 1.0 {same}\n"
    )
    assert run("score", "a.cards") == (2, "", f"error: {said}")
    assert run("check", "a.cards") == (2, "", f"error: {said}")
    write_jsonl(Path("train.jsonl"), [{"text": "It rains here.", "label": "a"}])
    code, out, _ = run("check", ".")
    assert code == 0
    assert [line for line in out.splitlines() if line.startswith("not read")] == [f"not read: {said.rstrip()}"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1 / 0", "failed (ZeroDivisionError: division by zero)"),
        ("[{'id': 1}]", "must give pyarrow record batches; got dict"),
        (
            "[__import__('pyarrow').RecordBatch.from_pylist(rows) for rows in ([{'id': '1', 'gold': 'a', "
            "'prediction': 'a'}], [{'id': '2', 'gold': 'b'}])]",
            "gave rows that do not fit: from row 1 on there is no column 'prediction', though earlier rows have it",
        ),
    ],
)
def test_what_a_reader_does_wrong_is_one_line(run, install, rows, message):
    install("readers", "mine", READER.format(suffixes="('.cards',)", rows=rows), "READER")
    Path("a.cards").write_text("id: 1\n")
    assert run("score", "a.cards") == (
        2,
        "",
        f"error: a.cards: the reader 'mine' of its-package 1.0 {message}\n",
    )


METRIC = "from goldproof.statistics import TableMetric\nimport numpy as np\nMINE = TableMetric('Mine', {score})\n"


@pytest.mark.parametrize(
    ("score", "problem"),
    [
        (None, "a goldproof.statistics.TableMetric is needed; got int"),
        ("len, 2.0", "its low must be a number below its high; got 2.0 and 1.0"),
        (
            "lambda t: t.sum()",
            "its score must give one number for each table: 6 tables gave an array of ()",
        ),
        (
            "lambda t: t.nothing",
            "its score failed on confusion tables in an array of shape (6, 3, 3) (AttributeError: 'numpy.ndarray' "
            "object has no attribute 'nothing')",
        ),
        (
            "lambda t: t.sum((-2, -1))",
            "its score of [[5, 0, 0], [0, 4, 0], [0, 0, 3]] must lie from 0 to 1; got 12",
        ),
        (
            "lambda t: np.trace(t, axis1=-2, axis2=-1) / t.sum(-1).min(-1)",
            "its score of [[5, 0, 0], [0, 4, 0], [0, 0, 3]] must lie from 0 to 1; got 4",
        ),
        (
            "lambda t: np.trace(t, axis1=-2, axis2=-1) / (1 + t.sum((-2, -1)))",
            "its score must depend on the shares of the cells alone; twice the counts gave another score",
        ),
        (
            "lambda t: np.trace(t, axis1=-2, axis2=-1) / t.sum((-2, -1)) / t.shape[-1]",
            "its score must ignore a class that does not occur; it changed when one such class was added",
        ),
        (
            "lambda t: 1 - np.trace(t, axis1=-2, axis2=-1) / t.sum((-2, -1))",
            "higher must be better: a table without errors must have the highest score (give 1 − error, not error)",
        ),
    ],
)
def test_what_is_wrong_with_a_metric_is_said(run, install, score, problem):
    module = install("metrics", "mine", "MINE = 1" if score is None else METRIC.format(score=score), "MINE")
    assert problems(run) == [problem]
    with pytest.raises(PluginError) as error:
        metric("mine")
    assert str(error.value) == (
        f"the plugin 'mine' of its-package 1.0 (entry point '{module}:MINE' of goldproof.metrics) cannot be used: "
        f"{problem}"
    )
    assert metric("mcc").name == "mcc"


def test_a_metric_by_the_name_of_one_of_ours_does_not_replace_it(run, install):
    install("metrics", "accuracy", METRIC.format(score="lambda t: t[..., 0, 0]"), "MINE")
    assert problems(run) == [
        "'accuracy' is the name of one of Goldproof's own metrics; give the entry point another name"
    ]


MODEL = """
from dataclasses import dataclass
from goldproof import named

@named("broken.{module}.Model")
@dataclass(frozen=True)
class Model:
    digest: str = "1"
    {body}
"""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Model = 1", "a function without arguments that gives the model is needed; got int"),
        ("def Model(): raise OSError('no weights')", "making the model failed (OSError: no weights)"),
        ("def Model(): return 1", "the model must be a dataclass, which a job's key can hold; got int"),
        (
            MODEL.format(module="{module}", body="").replace('@named("broken.{module}.Model")\n', ""),
            "the dataclass {module}.Model has no declared name, so its key would change when it moves; put "
            "@named('project.Model') above @dataclass (from goldproof import named)",
        ),
        (
            MODEL.format(module="{module}", body=""),
            "the model Model has neither 'load' (to be fine-tuned) nor 'encode' (to be probed)",
        ),
        (
            MODEL.format(module="{module}", body="def encode(self, texts, pairs=None, pooling='mean'): ..."),
            "the model Model has no 'name'",
        ),
    ],
)
def test_what_is_wrong_with_a_model_is_said(run, install, text, problem):
    module = install("models", "mine", text, "Model")
    assert problems(run) == [problem.replace("{module}", module)]
    assert find_model("fake").name == "fake"


def test_a_model_that_cannot_be_fine_tuned_is_refused_where_that_is_asked(install):
    body = "name: str = 'mine'\n    def encode(self, texts, pairs=None, pooling='mean'): ..."
    install("models", "mine", MODEL.format(module="{module}", body=body), "Model")
    with pytest.raises(UsageError) as error:
        find_model("mine")
    assert str(error.value) == "the model 'mine' of its-package 1.0 cannot be fine-tuned: it has no method 'load'"


def test_a_folder_goes_before_a_plugin_of_its_name(install, run):
    install("models", "mine", "def Model(): return 1", "Model")
    assert run("run", "stability", "--preset", "tiny", "--set", "model=mine", "--dry-run")[2].startswith(
        "error: the plugin 'mine' of its-package 1.0 "
    )
    Path("mine").mkdir()
    assert run("run", "stability", "--preset", "tiny", "--set", "model=mine", "--dry-run")[2] == (
        "error: mine: there is no config.json; a model's folder holds config.json, weights and a tokenizer\n"
    )


def test_a_broken_tagger_is_said_where_a_language_has_no_other(run, install):
    module = install("taggers", "mine", "BACKEND = 1", "BACKEND")
    problem = "a goldproof.builders.tagging.Backend is needed; got int"
    assert problems(run) == [problem]
    said = (
        f"the plugin 'mine' of its-package 1.0 (entry point '{module}:BACKEND' of goldproof.taggers) cannot be used: "
        f"{problem}"
    )
    assert choose_tagger("en").backend == "nltk"
    with pytest.raises(UsageError) as unknown:
        choose_tagger("tlh")
    assert str(unknown.value).endswith(f"then name it as the tagger spacy/MODEL; {said}")
    with pytest.raises(PluginError) as error:
        choose_tagger("tlh", "mine")
    assert str(error.value) == said


def test_a_tagger_without_languages_is_refused(run, install):
    text = "from goldproof.builders.tagging import Backend\nBACKEND = Backend('mine', 'eo', print)"
    install("taggers", "mine", text, "BACKEND")
    assert problems(run) == ["its languages must be a tuple of codes such as 'eo'; got 'eo'"]
