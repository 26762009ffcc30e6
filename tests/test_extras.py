"""The core works without any optional package, and whatever needs one says so before it begins, in one line."""

from __future__ import annotations

import json
import pickle
import sys
import tomllib
from pathlib import Path

import pytest
from tests.absent import COMMAND, OPTIONAL, ROOT, calls_without, commands_without, run_without
from tests.judging.files import noisy_rows, write_jsonl

from goldproof.errors import MissingExtraError
from goldproof.extras import MODULES, Need, lacking, require
from goldproof.jobs.plan import all_jobs
from goldproof.studies import ENTRIES, find_study

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NOT_FOR_USERS = ("all", "benchmarks", "dev", "test")


def names_of(requirements: list[str]) -> set[str]:
    """The names of packages in a list of requirements."""
    return {requirement.partition(">")[0].partition("[")[0] for requirement in requirements}


def test_extras_are_those_of_the_package():
    extras = PROJECT["optional-dependencies"]
    assert sorted(MODULES) == sorted(name for name in extras if name not in NOT_FOR_USERS)
    assert extras["all"] == [f"goldproof[{','.join(MODULES)}]"]


def test_the_core_holds_no_optional_package_and_development_no_peer():
    extras = PROJECT["optional-dependencies"]
    optional = {name for extra in MODULES for name in names_of(extras[extra])}
    assert not names_of(PROJECT["dependencies"]) & optional
    assert not names_of(extras["dev"]) & {"accelerate", "sentence-transformers"}


def test_several_extras_are_named_in_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setitem(sys.modules, "z3", None)
    needs = [
        Need("ray", "the ray runner"),
        Need("logic", "a proof"),
        Need("logic", "another"),
        Need("models", "x", ("json",)),
    ]
    assert lacking(needs) == needs[:2]
    with pytest.raises(MissingExtraError) as caught:
        require(*needs)
    text = "the ray runner and a proof need optional packages: pip install 'goldproof[logic,ray]'"
    assert str(caught.value) == text
    assert str(pickle.loads(pickle.dumps(caught.value))) == text
    require(needs[-1])


NEEDS = "needs an optional package: pip install"
REFUSED = {
    "run stability --preset tiny": f"training a model {NEEDS} 'goldproof[models]'",
    "run transfer --preset tiny": f"training a model {NEEDS} 'goldproof[models]'",
    "run corruption --preset tiny": f"training a model {NEEDS} 'goldproof[models]'",
    "run logic --preset tiny": f"training a model {NEEDS} 'goldproof[models]'",
    "run probing --preset tiny": f"probing a model {NEEDS} 'goldproof[models]'",
    "demo": f"training a model {NEEDS} 'goldproof[models]'",
    "run stability": f"training a model {NEEDS} 'goldproof[models]'",
    "run stability --preset tiny --set presence.features=Negation --set presence.languages=en": (
        "training a model and annotating English need optional packages: pip install 'goldproof[models,spacy]'"
    ),
    "run corruption --preset paper --runner ray --store s3://bucket/store": (
        "a store at s3://, training a model, the tagger 'nltk-3.5', loading a corpus from the Hugging Face hub, the "
        "lexicon of NRC and the ray runner need optional packages: pip install "
        "'goldproof[english,hub,models,nrc,ray,s3]'"
    ),
    "run demo --preset tiny --runner ray": f"the ray runner {NEEDS} 'goldproof[ray]'",
    "run demo --preset tiny --store s3://bucket/store": f"a store at s3:// {NEEDS} 'goldproof[s3]'",
    "status --store memory://store": f"a store at memory:// {NEEDS} 'goldproof[s3]'",
    "corrupt no-file.jsonl --remove NOUN --out o.jsonl": f"the tagger 'nltk' {NEEDS} 'goldproof[english]'",
    "corrupt no-file.jsonl --remove ADJ --out o.jsonl --language de": f"the tagger 'hanta' {NEEDS} 'goldproof[german]'",
    "annotate no-file.jsonl --language en --out o.jsonl": f"annotating English {NEEDS} 'goldproof[spacy]'",
    "annotate no-file.jsonl --language ru --out o.jsonl": f"annotating Russian {NEEDS} 'goldproof[russian]'",
    "annotate no-file.jsonl --language fr --out o.jsonl": f"the tagger 'brill' {NEEDS} 'goldproof[brill]'",
    "build probing --text no-file.txt --language ru --out o": (
        "parsing Russian text and the frequency filter (--min-frequency 0 switches it off) need optional packages: "
        "pip install 'goldproof[probing,russian]'"
    ),
    "build probing --treebank ../ru_some-ud-train.conllu --out o": (
        "the frequency filter (--min-frequency 0 switches it off) and the one-part-of-speech filter for Russian need "
        "optional packages: pip install 'goldproof[probing,russian]'"
    ),
    "export no-file.json --model a --to mlflow": f"the export to MLflow {NEEDS} 'goldproof[mlflow]'",
    "export no-file.json --model a": f"the export to a model card {NEEDS} 'goldproof[hub]'",
}


@pytest.fixture(scope="module")
def refused(tmp_path_factory):
    """What became of each command that needs an extra; none of the files that they name is there, or can be read."""
    folder = tmp_path_factory.mktemp("refused")
    (folder / "ru_some-ud-train.conllu").write_text("nonsense\n", encoding="utf-8")
    return dict(zip(REFUSED, commands_without((*OPTIONAL, "fsspec"), list(REFUSED), cwd=folder), strict=True))


@pytest.mark.parametrize("command", REFUSED)
def test_a_command_that_needs_an_extra_says_so_and_leaves_nothing(command, refused):
    assert refused[command] == (2, "", f"error: {REFUSED[command]}\n", ())


PROBES = """
import numpy as np
from goldproof.measures.layers import array_layers
from goldproof.measures.probe_task import probe_task
from goldproof.measures.{module} import {name}
task = probe_task(list("abab"), ["train", "train", "validation", "test"])
call = lambda: {name}(array_layers(np.zeros((4, 1, 2))), task)
"""
CALLS = {
    """
from goldproof.builders.logic.forms import Form, Name, NameKind, Readings, Taller
from goldproof.builders.logic.solver import solve
a, b = Name(NameKind.PERSON, 0), Name(NameKind.PERSON, 1)
call = lambda: solve(Form((Taller(a, (b,)),), Taller(b, (a,))), Readings())
""": f"the z3 check of proofs {NEEDS} 'goldproof[logic]'",
    """
import goldproof
call = lambda: goldproof.load("snli", hub=True)
""": f"loading a corpus from the Hugging Face hub {NEEDS} 'goldproof[hub]'",
    "from goldproof.measures.cues import load_ppdb as call": f"the word list 'mwa_ppdb' {NEEDS} 'goldproof[english]'",
    "from goldproof.builders.tagging.treebank_tagger import TreebankTagger as call": (
        f"the tagger 'nltk' {NEEDS} 'goldproof[english]'"
    ),
    "from goldproof.runners.ray import RayRunner as call": f"the ray runner {NEEDS} 'goldproof[ray]'",
    """
from goldproof.jobs import Store
call = Store("s3://bucket/store").open
""": f"a store at s3:// {NEEDS} 'goldproof[s3]'",
    """
from pathlib import Path
from goldproof.models.ngrams import ngrams, tfidf_features
Path("tokenizer.json").write_text("{}")
call = lambda: tfidf_features(ngrams("tokenizer.json"), ["a"], ["b"])
""": f"splitting texts into a tokenizer's pieces {NEEDS} 'goldproof[models]'",
    """
from goldproof.models.fake import Fake
call = lambda: Fake().load("text", 2, None)
""": f"running a model {NEEDS} 'goldproof[models]'",
    """
from goldproof.training.finetune import finetune
call = lambda: finetune(None, None, {}, None, None)
""": f"training a model {NEEDS} 'goldproof[models]'",
    "from goldproof.measures.activations import find_device as call": f"running a model {NEEDS} 'goldproof[models]'",
    """
from goldproof.measures.similarity import representations
call = lambda: representations([])
""": f"comparing representations {NEEDS} 'goldproof[models]'",
    PROBES.format(module="probes", name="fit_probes"): f"probing a model {NEEDS} 'goldproof[models]'",
    PROBES.format(module="neurons", name="rank_neurons"): f"probing a model {NEEDS} 'goldproof[models]'",
    PROBES.format(module="description_length", name="description_length"): (
        f"probing a model {NEEDS} 'goldproof[models]'"
    ),
}


def test_library_calls_that_need_an_extra_say_so(tmp_path):
    assert calls_without(OPTIONAL, list(CALLS), cwd=tmp_path) == [
        f"MissingExtraError: {said}" for said in CALLS.values()
    ]


def test_importing_the_package_loads_none_of_the_others(tmp_path):
    code = "import goldproof, sys\nprint({'numpy', 'pyarrow', 'ray', 'torch'} & {*sys.modules})"
    assert run_without((), code, cwd=tmp_path) == (0, "set()\n", "", ())


class TestCore:
    """What the core does where none of the optional packages is installed, nor what comes with the tests."""

    def run(self, folder: Path, *arguments: str | Path) -> str:
        ended = run_without((*OPTIONAL, "pandas", "statsmodels"), COMMAND, *arguments, cwd=folder)
        assert ended.code == 0, ended.err
        return ended.out

    def test_score_and_compare_with_reports(self, tmp_path):
        one = write_jsonl(tmp_path / "one.jsonl", noisy_rows(200, 0.7, 1))
        two = write_jsonl(tmp_path / "two.jsonl", noisy_rows(200, 0.9, 2))
        assert "accuracy" in self.run(tmp_path, "score", one, "--out", "score")
        assert "two is better than one by" in self.run(tmp_path, "compare", one, two, "--out", "compare")
        for folder in ("score", "compare"):
            assert {"report.html", "report.md", "summary.json"} <= {path.name for path in (tmp_path / folder).iterdir()}

    def test_check(self, tmp_path):
        rows = [{"text": f"text {i}", "label": "ab"[i % 2]} for i in range(20)]
        train, test = write_jsonl(tmp_path / "train.jsonl", rows), write_jsonl(tmp_path / "test.jsonl", rows[:5])
        assert "problem" in self.run(tmp_path, "check", train, test)

    def test_list(self, tmp_path):
        shown = self.run(tmp_path, "list")
        assert all(entry.name in shown for entry in ENTRIES)
        assert "removal.tagger" in self.run(tmp_path, "list", "corruption")

    def test_a_dry_run_plans_and_says_what_is_missing(self, tmp_path):
        studies = [entry.name for entry in ENTRIES]
        plain = [f"run {study} --preset tiny --dry-run" for study in studies]
        found = commands_without(OPTIONAL, [*plain, *(f"{command} --json" for command in plain)], cwd=tmp_path)
        assert [(ended.code, ended.err, ended.files) for ended in found] == [(0, "", ())] * len(found)
        missing = {
            study: json.loads(ended.out)["missing_extras"]
            for study, ended in zip(studies, found[len(studies) :], strict=True)
        }
        assert missing == {study: [] if study == "demo" else ["models"] for study in studies}
        lines = {study: ended.out.splitlines()[-1] for study, ended in zip(studies, found[: len(studies)], strict=True)}
        assert lines["demo"] == "6 jobs would run, 0 are in the store goldproof-store"
        said = "They cannot run here yet: training a model needs an optional package: pip install 'goldproof[models]'"
        assert lines["stability"] == said

    def test_the_smallest_study(self, tmp_path):
        self.run(tmp_path, "run", "demo", "--preset", "tiny")
        assert (tmp_path / "goldproof-out" / "demo" / "report.html").is_file()
        assert "in the store" in self.run(tmp_path, "status")

    def test_logic_with_forests_alone(self, tmp_path):
        chosen = ("--set", "learners=forest", "--set", "search.trials=0", "--set", "experiments.fractions=1.0")
        self.run(tmp_path, "run", "logic", "--preset", "tiny", *chosen)

    def test_every_format_of_a_report(self, tmp_path):
        code = (
            "from goldproof.report.write import FORMATS, write_report\nfrom tests.report.sample import sample_report\n"
            "written = {path.suffix[1:] for path in write_report(sample_report(20), 'out')}\n"
            "print(*sorted(written), written == {*FORMATS})"
        )
        assert run_without(OPTIONAL, code, cwd=tmp_path) == (0, "csv html json md pdf svg tex True\n", "", ())

    def test_a_proved_corpus(self, tmp_path):
        self.run(tmp_path, "build", "logic", "--task", "1", "--train", "40", "--test", "20", "--out", "corpus")
        assert (tmp_path / "corpus" / "certificate.json").is_file()


def test_what_is_in_the_store_needs_no_extra(tmp_path):
    """Trained where torch is, reported and gone on with where it is not."""
    pytest.importorskip("torch", reason="the extra `models` is not installed")
    study = ("transfer", "--preset", "tiny")
    assert run_without((), COMMAND, "run", *study, cwd=tmp_path).code == 0
    for command in ("run", "report"):
        ended = run_without(OPTIONAL, COMMAND, command, *study, "--out", command, cwd=tmp_path)
        assert (ended.code, (tmp_path / command / "report.html").is_file()) == (0, True), ended.err
    ended = run_without(OPTIONAL, COMMAND, "run", *study, "--set", "seeds=0,1,2,3,4,5", cwd=tmp_path)
    assert ended == (2, "", f"error: training a model {NEEDS} 'goldproof[models]'\n", ())


def own_file(tmp_path: Path) -> Path:
    rows = [{"text": f"a film {i}", "label": "ab"[i % 2], "split": ("train", "test")[i % 5 == 0]} for i in range(20)]
    return write_jsonl(tmp_path / "own.jsonl", rows)


@pytest.mark.parametrize(
    ("study", "change"),
    [
        *((entry.name, {}) for entry in ENTRIES),
        ("logic", {"learners": ("forest",)}),
        ("corruption", {"data": "own"}),
        ("stability", {"presence": "presence"}),
    ],
)
def test_what_settings_tell_is_what_jobs_need(study, change, tmp_path):
    from dataclasses import replace

    from goldproof.studies.shared import Data
    from goldproof.studies.stability.settings import Presence

    values = {
        "data": Data(train=str(own_file(tmp_path)), languages=("en",)),
        "presence": Presence(features=("Negation",), languages=("en",), percent=(50,), amount=10),
    }
    module = find_study(study)
    config = replace(module.TINY, **{name: values.get(name, value) for name, value in change.items()})
    told = {need.extra for need in getattr(module, "requires", lambda _: ())(config)}
    assert told == {need.extra for job in all_jobs(module.jobs(config)) for need in job.requires()}


def test_published_data_and_own_tell_their_tagger_and_lists(published, tmp_path):
    from goldproof.studies.corruption import requires
    from goldproof.studies.corruption.settings import Config, Removal
    from goldproof.studies.shared import Data

    assert [need.what for need in requires(Config())] == [
        "training a model",
        "the tagger 'nltk'",
        "the word list 'mwa_ppdb'",
        "the word list 'opinion_lexicon'",
    ]
    hub = Data(languages=("en",), hub=True)
    config = Config(data=hub, tasks=("glue/cola",), removal=Removal(preset="paper"), model="fake")
    told = set(requires(config))
    assert told == {need for job in all_jobs(find_study("corruption").jobs(config)) for need in job.requires()}
