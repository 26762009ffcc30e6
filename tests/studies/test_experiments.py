"""Experiments: a paper preset names all of its paper, what is not at hand is named, and the rest is planned and run."""

from __future__ import annotations

import re
import sys
from dataclasses import replace

import pytest

import goldproof
from goldproof.cli import run_command
from goldproof.errors import DataError, ModelError, UsageError
from goldproof.jobs.plan import all_jobs
from goldproof.models.source import standing_in
from goldproof.studies import corruption, find_study, logic, probing, stability, transfer
from goldproof.studies.experiments import find_at_hand
from goldproof.studies.probing.settings import Baselines
from goldproof.studies.shared import Data
from goldproof.studies.stability.settings import AttributionRuns, Extra, Presence
from goldproof.studies.transfer.pieces import COMMANDS

PLACES = {
    # Table 2 lists the categories; Table 7 and Figures 16 to 18 are of the annotator and of coarse probing.
    # Table 2 shows examples: `docs/reference/probing-tasks.md`.
    "probing": {*(f"Table {n}" for n in (1, *range(3, 12))), *(f"Figure {n}" for n in range(1, 16))},
    "stability": {*(f"Table {n}" for n in (1, 3, 4, 5, 6, 7)), *(f"Figure {n}" for n in range(1, 19))},
    "transfer": {*(f"Table {n}" for n in range(1, 9)), "Figure 1"},
    "logic": {"Table 1", "Table 2", *(f"Figure {n}" for n in range(1, 5))},
    "corruption": {*(f"Table {n}" for n in range(1, 6)), *(f"Figure {n}" for n in range(1, 4))},
}
RUSSIAN = {"Table 1", "Table 3", "Table 6", "Figure 1", "Figure 8"}


@pytest.fixture
def small(published):
    """The paper's experiments with a few generated words in the place of its model: nothing is trained."""
    return replace(stability.PAPER, model="fake", data=Data("published", languages=("en", "ru"), root=str(published)))


@pytest.mark.parametrize("name", sorted(PLACES))
def test_a_paper_preset_names_every_table_and_figure(name):
    study = find_study(name)
    assert {place for each in study.experiments(study.PAPER) for place in each.places} == PLACES[name]


@pytest.mark.parametrize(
    "config",
    [
        stability.TINY,
        replace(
            stability.TINY,
            model=("fake", "other=fake"),
            attribution=AttributionRuns(),
            extra=Extra(amounts=(16, 32), amounts_everywhere=(32,)),
        ),
    ],
)
def test_the_experiments_of_a_study_are_its_jobs(config):
    planned = {job.key for job in all_jobs(stability.jobs(config))}
    assert {job.key for each in stability.experiments(config) for job in all_jobs(each.jobs())} == planned


@pytest.mark.parametrize("study", [transfer, corruption], ids=lambda study: study.__name__)
def test_so_are_those_of_transfer_and_corruption(study):
    planned = {job.key for job in all_jobs(study.jobs(study.TINY))}
    assert {job.key for each in study.experiments(study.TINY) for job in all_jobs(each.jobs())} == planned


def test_so_are_those_of_logic_and_what_is_not_at_hand_is_left_out_alone(published):
    """Recast corpora are part of its paper; of the three, none has training data here."""
    config = replace(
        logic.TINY, model=("fake", "other=fake"), experiments=replace(logic.TINY.experiments, nli=("glue/mnli",))
    )
    config = replace(config, data=replace(config.data, root=str(published)))
    pieces = logic.experiments(config)
    planned = {job.key for job in all_jobs(logic.jobs(config))}
    assert {job.key for each in pieces for job in all_jobs(each.jobs())} == planned
    names = [each.name for each in pieces]
    assert names == [
        "the corpora",
        "the models that start from nothing (forest, gru)",
        "the model fake",
        "the model other",
        "glue/mnli, recast as contradictions (section 2)",
    ]
    for each in pieces[2:]:
        rest = [other.name for other in logic.experiments(each.without())]
        assert rest == [name for name in names if name != each.name]
    paper = replace(logic.PAPER, model=(), data=replace(logic.PAPER.data, root=str(published)))
    found = find_at_hand(logic, paper)
    assert [each.name.partition(",")[0] for each in found.left_out] == [
        "snli:train",
        "glue/mnli:train",
        "dialognli:train",
    ]
    assert found.config == replace(paper, experiments=replace(paper.experiments, nli=()))


def test_a_task_of_corruption_can_be_left_out_with_its_recipe():
    config = replace(corruption.TINY, recipes=("generated/sentiment epochs=2", "generated/paraphrase batch=8"))
    first = corruption.experiments(config)[0]
    rest = first.without()
    assert rest.tasks == config.tasks[1:]
    assert rest.recipes == ("generated/paraphrase batch=8",)


@pytest.mark.parametrize("corpus", COMMANDS)
def test_the_commands_of_the_papers_other_corpora_can_be_planned(corpus, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOLDPROOF_DATA", raising=False)
    command = COMMANDS[corpus].removeprefix("goldproof ").split()
    if corpus == "conll2003":  # German is not on the hub, and English not free: a folder is needed
        assert run_command([*command, "--set", "model=fake", "--dry-run"]) == 2
        assert "the data root that holds the files of 'conll2003' is not known" in capsys.readouterr().err
        return
    assert run_command([*command, "--set", "model=fake", "--dry-run"]) == 0
    assert "     10  goldproof.train" in capsys.readouterr().out


def test_a_corpus_that_is_not_at_hand_leaves_the_commands_of_the_others(tmp_path, monkeypatch, capsys):
    """MLDoc is licensed: what its preset cannot run is named with the file it wants, and so is what else there is."""
    monkeypatch.setenv("GOLDPROOF_DATA", str(tmp_path))
    settings = ["--set", "model=fake", "--store", str(tmp_path / "store")]
    assert run_command(["run", "transfer", "--preset", "paper", *settings, "--dry-run"]) == 2
    said = capsys.readouterr().err
    missing = f"{tmp_path}/mldoc/german.test: split 'test' of 'mldoc' in 'de' needs this file, which does not exist"
    assert said.startswith(f"error: nothing of this study can be run here. Not at hand: mldoc: {missing}. ")
    assert "Experiments with a command of their own: xnli (Table 2, Table 3, Table 4, Table 6): goldproof run" in said
    assert all(command in said for command in COMMANDS.values())


def test_each_experiment_can_be_left_out_alone():
    config = replace(stability.TINY, extra=Extra(amounts=(16,), amounts_everywhere=(32,)))
    names = [each.name for each in stability.experiments(config)]
    assert names == [
        "the language en",
        "the language fr",
        "extra data in every language",
        "amounts of extra data",
    ]
    for each in stability.experiments(config):
        rest = [other.name for other in stability.experiments(each.without())]
        assert rest == [name for name in names if name != each.name]


def test_the_experiments_of_probing_are_its_jobs_and_can_be_left_out_alone():
    config = replace(
        probing.TINY,
        model=("fake", "other=fake@ru"),
        baselines=Baselines(most_features=500),
        tasks=("past_present", "subj_number@ru"),
    )
    planned = {job.key for job in all_jobs(probing.jobs(config))}
    pieces = probing.experiments(config)
    assert {job.key for each in pieces for job in all_jobs(each.jobs())} == planned
    names = [each.name for each in pieces]
    assert names == [
        "the task Tense in ru",
        "the task SubjNumber in ru",
        "the task Tense in en",
        "the model fake",
        "the model other",
        "length",
        "TF-IDF of characters",
        "similarity of the models",
        "coarse probing in en (Figures 16 to 18 of the stability paper)",
    ]
    for each in pieces:
        rest = [other.name for other in probing.experiments(each.without())]
        assert rest == [name for name in names if name != each.name], each.name
    only = replace(config, tasks=("subj_number@ru",), data=replace(config.data, languages=("ru",)))
    with pytest.raises(UsageError, match=r"the setting 'data\.languages' must be at least one language, none twice"):
        probing.experiments(only)[0].without()


def test_of_the_probing_paper_what_is_at_hand_is_left(published):
    """Of its tasks only Gapping has a file here, and of its models and vectors there is none."""
    paper = replace(probing.PAPER, data=replace(probing.PAPER.data, root=str(published)))
    found = find_at_hand(probing, paper)
    assert (found.config.tasks, found.config.data.languages) == (("gapping@ru",), ("ru",))
    assert (found.config.model, found.config.coarse.seeds) == ((), ())
    assert found.config.baselines == replace(paper.baselines, tokenizers=(), vectors=())
    left_out = [each.name for each in found.left_out]
    assert len([name for name in left_out if name.startswith("the task")]) == 13 + 10
    assert [name for name in left_out if name.startswith("the model")] == [
        "the model M-BERT", "the model LABSE", "the model XLM-R", "the model MiniLM", "the model M-BART",
    ]  # fmt: skip
    assert any("TF-IDF of the pieces of xlm-roberta-base" in name for name in left_out)


def test_what_is_not_at_hand_is_named_and_the_rest_is_left(small):
    found = find_at_hand(stability, small)
    assert found.config.data.languages == ("en",)
    assert (found.config.extra.amounts, found.config.extra.amounts_everywhere) == ((), ())
    assert found.config.presence.features == ()
    russian, *extra = found.left_out
    assert set(russian.places) == RUSSIAN
    assert str(russian).startswith("the language ru (Table 1, Table 3, Table 6, Figure 1, Figure 8): none of the files")
    assert {each.reason for each in extra} == {
        "the catalog knows no local files of split 'train' of 'glue/mnli' in 'en'; known: validation"
    }
    assert [each.places for each in extra][-2:] == [("Table 5", "Figure 5"), ("Table 7",)]
    assert found.config.presence.annotated == (
        "en",
        "ru",
    )  # their training data are there, and need no gold of the test
    assert all_jobs(stability.jobs(found.config))


def test_a_run_says_all_that_is_absent_at_once(small, tmp_path, capsys):
    settings = [f"--set=data.root={small.data.root}", "--set=model=fake", "--set=data.languages=en,ru"]
    settings += ["--set=presence.features=[]", "--set=presence.annotated=[]"]
    settings += ["--store", str(tmp_path), "--out", str(tmp_path / "out")]
    assert run_command(["run", "stability", "--preset", "paper", *settings]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: 3 experiments are not at hand: the language ru (")
    assert said.endswith("--skip-missing (in Python skip_missing=True) runs the rest\n")


@pytest.mark.needs("models")
def test_the_rest_runs_and_its_report_says_what_was_not(published, tmp_path, capsys):
    settings = {
        "data.corpus": "published", "data.root": str(published), "data.languages": ["ru", "en"], "data.most_train": 32,
        "seeds": [0], "recipe.epochs": 1, "recipe.evaluations": 1, "extra.corpus": "glue/mnli", "extra.amounts": [8],
        "presence.features": [],
    }  # fmt: skip
    given = {"settings": settings, "store": tmp_path / "store", "model": "fake"}
    with pytest.raises(DataError, match="the language ru"):
        goldproof.run("stability", "tiny", **given)
    report = goldproof.run("stability", "tiny", **given, skip_missing=True)
    (section,) = [each for each in report.sections if each.title == "Not run"]
    assert [re.split(r" \(|:", item.text)[0] + item.text.partition(",")[0] for item in section.items]
    assert [item.text.partition(" (")[0] for item in section.items] == [
        "Not at hand, and left out: the language ru",
        "Not at hand, and left out: amounts of extra data",
    ]


def test_where_nothing_can_run_the_first_reason_stands(small):
    with pytest.raises(DataError, match="none of the files of 'lidirus'"):
        find_at_hand(
            stability, replace(small, data=replace(small.data, languages=("ru",)), extra=Extra(), presence=Presence())
        )


def test_where_nothing_can_run_every_experiment_is_named(small, tmp_path):
    data = replace(small.data, root=str(tmp_path), languages=("en", "fr"))
    extra = replace(small.extra, languages=("en",))
    with pytest.raises(DataError) as caught:
        find_at_hand(stability, replace(small, data=data, extra=extra, presence=Presence()))
    said = str(caught.value)
    assert said.startswith("nothing of this study can be run here. Not at hand: the language en: ")
    assert "; the language fr: " in said


def test_a_dry_run_needs_neither_weights_nor_torch(small, tmp_path, monkeypatch, capsys):
    for module in ("torch", "transformers", "huggingface_hub"):
        monkeypatch.setitem(sys.modules, module, None)
    settings = [f"--set=data.root={small.data.root}", "--set=data.languages=en,ru", "--set=presence.features=[]"]
    settings.append("--set=presence.annotated=[]")
    command = ["run", "stability", "--preset", "paper", *settings, "--store", str(tmp_path)]
    assert run_command([*command, "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "      6  goldproof.train  (unknown time)\n" in out
    assert "not at hand: the language ru (" in out
    assert "not at hand: the model bert-base-multilingual-cased; " in out
    assert "--calibrate measures the steps without a record.\n" in out
    with pytest.raises(ModelError), standing_in():
        stability.jobs(replace(stability.TINY, model="./no/such/folder"))


@pytest.mark.needs("models")
def test_calibrating_tells_the_time_of_every_kind_of_job(tmp_path, capsys):
    store = ["--store", str(tmp_path)]
    assert run_command(["run", "stability", "--preset", "tiny", "--dry-run", "--calibrate", *store]) == 0
    out = capsys.readouterr().out
    assert "unknown" not in out
    assert re.search(r"\n +9  goldproof\.train  \(about \d+ s\)\n", out)
    assert re.search(r"the language en \(Table 1, Table 3, Table 6, Figure 1, Figure 2\)  \(about \d+ s\)", out)
    assert run_command(["run", "stability", "--preset", "tiny", "--calibrate", *store]) == 2
    assert capsys.readouterr().err == "error: --calibrate goes with --dry-run: it measures what a plan would take\n"
