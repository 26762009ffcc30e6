"""The corruption study: its plan, its data, its scores and verdicts, and a tiny run."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, f1_score
from tests.report.printed import papers_numbers
from tests.report.sentences import unfinished

from goldproof.cli import run_command
from goldproof.data.answers import Answers
from goldproof.data.corpora.catalog import load
from goldproof.data.dataset import Dataset
from goldproof.errors import DataError, UsageError
from goldproof.jobs import Results, Store, run_jobs
from goldproof.jobs.plan import all_jobs
from goldproof.judging.collapse import collapse_of
from goldproof.measures.cues import CueShares
from goldproof.report.summary import Marked, Missing
from goldproof.report.summary_json import report_json
from goldproof.report.write import write_report
from goldproof.runners.serial import SerialRunner
from goldproof.statistics.comparison import Comparison
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import wilson
from goldproof.statistics.planning import needed, smallest_difference
from goldproof.studies import find_study
from goldproof.studies.beside import Beside
from goldproof.studies.campaign import Campaign, report_from
from goldproof.studies.corruption import PAPER, TINY, Config, jobs, outline, plan, report, steps
from goldproof.studies.corruption.findings.answer import corruption_answer
from goldproof.studies.corruption.findings.author import _retained, _sentence
from goldproof.studies.corruption.findings.cells import Found, control_section
from goldproof.studies.corruption.findings.power import NO_SEEDS, power_items
from goldproof.studies.corruption.findings.why import _CueRow
from goldproof.studies.corruption.plan import trained_versions, training_jobs
from goldproof.studies.corruption.scores import (
    Baseline,
    Judged,
    OneAnswer,
    TaskAnswers,
    find_baseline,
    find_information,
    find_verdict,
    judge_task,
    load_runs,
    make_answers,
    retained_share,
    with_paper,
)
from goldproof.studies.corruption.settings import DEFAULT
from goldproof.studies.corruption.tasks import ORIGINAL, Version, corruption_of, data_job, find_tasks, tagging_job
from goldproof.studies.corruption.toy import TASKS, generate, tag_generated
from goldproof.studies.kept import read_kept, write_kept
from goldproof.studies.shared import Data
from goldproof.training.recipe import Seeds

SMALL = replace(TINY, classes=("ADJ+ADV", "NOUN"))


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("store")).open()
    outcomes = list(run_jobs(jobs(SMALL), store, SerialRunner()))
    assert {outcome.status for outcome in outcomes} == {"done"}
    return Results(store)


@pytest.fixture(scope="module")
def runs(small):
    return {task.name: load_runs(SMALL, small, task) for task in find_tasks(SMALL)}


def trainings(config):
    return [job for job in all_jobs(jobs(config)) if job.step.name == "goldproof.train"]


def test_the_paper_has_192_cells_8_baselines_and_72_trainings(tmp_path, monkeypatch, capsys):
    assert outline(PAPER) == "192 cells and 8 baselines from 72 trainings (1 seed)"
    planned = trainings(replace(PAPER, model="fake"))
    assert len(planned) == 72
    assert len({job.arguments["train"].key for job in planned}) == 72  # none is trained twice
    tested = Counter(len(job.arguments["evaluate"]) for job in planned)
    # Baselines answer the original and 8 corrupted sets, and one without nouns and adjectives where cues are looked
    # for; others answer the original and theirs.
    assert tested == {9: 5, 10: 3, 2: 64}
    monkeypatch.chdir(tmp_path)
    assert run_command(["run", "corruption", "--preset", "paper", "--set", "model=fake", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("192 cells and 8 baselines from 72 trainings (1 seed)\n")
    assert "     72  goldproof.train  (unknown time)" in shown
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert run_command(["run", "corruption", "--preset", "paper", "--dry-run"]) == 0  # a plan needs no weights
    shown = capsys.readouterr().out
    assert "     72  goldproof.train  (unknown time)\n" in shown
    assert "      2  goldproof.ask_masked  (unknown time)\n" in shown  # Table 5
    assert "\nnot at hand: the model roberta-base; " in shown


def test_the_control_adds_a_training_for_each_class_and_corrupt_test_alone_needs_none():
    assert len(trainings(SMALL)) == 3 * (1 + 2 + 2) * 3
    assert outline(SMALL) == "18 cells and 3 baselines, 18 cells of the random control from 45 trainings (3 seeds)"
    assert len(trainings(replace(SMALL, settings=("test",)))) == 3 * 3
    assert len(trainings(replace(SMALL, control="none"))) == 3 * 3 * 3


def test_a_task_may_have_a_recipe_and_seeds_of_its_own():
    own = replace(
        SMALL, recipes=("generated/sentiment epochs=7 learning_rate=5e-2 seeds=5", "generated/paraphrase batch=8")
    )
    first, second, third = find_tasks(own)
    assert len(training_jobs(own, first)) == 5
    assert [job.arguments["seeds"] for job in training_jobs(own, first)] == [Seeds.all(seed) for seed in range(5)]
    recipe = plan.make_recipe(own, first)
    assert (recipe.epochs, recipe.learning_rate, recipe.batch) == (7.0, 0.05, SMALL.recipe.batch)
    assert plan.make_recipe(own, second) == replace(plan.make_recipe(SMALL, second), batch=8)
    assert training_jobs(own, third) == training_jobs(SMALL, third)  # others are the same jobs
    assert outline(own).endswith("from 55 trainings (3 to 5 seeds, by task)")


@pytest.mark.parametrize(
    ("recipes", "message"),
    [
        (
            ("generated/similarity rate=1",),
            "the setting 'recipes' takes TASK KEY=VALUE ..., a key being seeds, epochs, steps, batch, learning_rate, "
            "schedule, warmup, weight_decay, beta1, beta2, eps, clip, dropout, max_length, precision; got "
            "'generated/similarity rate=1'",
        ),
        (
            ("generated/similarity epochs=0",),
            "the setting 'recipes', 'generated/similarity epochs=0': recipe: epochs must be a number above 0; got 0",
        ),
        (
            ("generated/similarity epochs=many",),
            "the setting 'recipes': epochs must be a number; got 'generated/similarity epochs=many'",
        ),
        (
            ("generated/similarity seeds=0",),
            "the setting 'recipes': seeds must be a whole number of at least 1; got 'generated/similarity seeds=0'",
        ),
        (
            ("glue/cola epochs=3",),
            "the setting 'recipes' must be of tasks of the study (generated/paraphrase, generated/sentiment, "
            "generated/similarity); got ('glue/cola epochs=3',)",
        ),
        (
            ("generated/similarity epochs=3", "generated/similarity batch=3"),
            "the setting 'recipes' must be one task per entry, none twice; got ('generated/similarity epochs=3', "
            "'generated/similarity batch=3')",
        ),
    ],
)
def test_wrong_recipes_are_refused(recipes, message):
    with pytest.raises(UsageError) as error:
        replace(SMALL, recipes=recipes)
    assert str(error.value) == message


def test_the_paper_asks_for_masked_words_and_for_cues_without_nouns_and_adjectives(tmp_path):
    tasks = {task.name: task for task in find_tasks(PAPER)}
    assert plan.cue_classes(PAPER, tasks["glue/sst2"])[-1] == "NOUN+ADJ"
    assert plan.cue_classes(PAPER, tasks["glue/rte"]) == PAPER.classes
    assert PAPER.why.lexicon == "nrc"
    folder = tmp_path / "roberta-base"
    folder.mkdir()
    (folder / "config.json").write_text("{}", encoding="utf-8")
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    (folder / "model.safetensors").write_bytes(b"weights")
    config = replace(PAPER, model=str(folder))
    assert set(plan.cloze_jobs(config, tasks["glue/mrpc"])) == {"NOUN", "VERB"}  # the model itself is asked
    assert plan.cloze_jobs(config, tasks["glue/sst2"]) == {}
    assert plan.cloze_jobs(replace(PAPER, model="fake"), tasks["glue/mrpc"]) == {}


def test_a_paper_s_share_of_cues_stands_only_beside_its_own_words():
    shares = CueShares(wilson(3, 4), wilson(1, 4), None, None)
    sst2, mrpc = (task for name in ("glue/sst2", "glue/mrpc") for task in find_tasks(PAPER) if task.name == name)
    assert _CueRow(sst2, "NOUN", "polarity", "nrc", shares, True).paper == 383 / 761
    assert _CueRow(sst2, "NOUN+ADJ", "polarity", "nrc", shares, True).paper == 125 / 672
    assert _CueRow(sst2, "NOUN", "polarity", "opinion", shares, True).paper is None
    assert _CueRow(mrpc, "NOUN", "paraphrase", "ppdb-2.0-l-lexical.gz", shares, True).paper == 0.76
    assert _CueRow(mrpc, "NOUN", "paraphrase", "PPDB 1.0 of NLTK's data", shares, True).paper is None
    assert _CueRow(sst2, "NOUN", "polarity", "nrc", shares).paper is None  # another model


def test_the_papers_scores_stand_only_beside_its_own_model():
    (sst2,) = (task for task in find_tasks(PAPER) if task.name == "glue/sst2")
    assert with_paper(PAPER, sst2) == Beside(True)
    assert not with_paper(replace(PAPER, model="/models/e5"), sst2).stands
    local = replace(PAPER, model="/models/roberta-base", recipes=("glue/sst2 epochs=5",))
    local = replace(local, data=replace(PAPER.data, hub=False))
    assert with_paper(local, sst2) == Beside(True, ("other size", "other training"))
    assert not with_paper(TINY, find_tasks(TINY)[0]).stands


@pytest.mark.needs("models")
def test_how_many_seeds_the_control_takes_is_planned(small, runs):
    """Beside what the statistics plan for each comparison by itself."""
    items = [item for section in report(SMALL, small).sections for item in section.items]
    tables = {item.name: item for item in items if hasattr(item, "name")}
    rows = {(row["task"], row["setting"]): row for row in tables["power"].rows}
    for task in runs:
        found = runs[task]
        judged = [
            each
            for each in judge_task(SMALL, found, find_baseline(SMALL, found))
            if each.verdict not in ("collapsed", "no baseline")
        ]
        of_test = [each for each in judged if each.cell.setting == "test"]
        row = rows[task, "Corrupt-test"]
        assert (row["seeds"], row["cells"]) == (3, len(of_test))
        strict = [
            replace(c, difference=replace(c.difference, level=1 - 0.05 / 6))
            for c in (each.control.beyond for each in of_test)
        ]
        smallest = [smallest_difference(each) for each in strict]
        assert row["shown"] == sum(each <= SMALL.margin for each in smallest)
        totals = [
            3 if least <= SMALL.margin else more.runs and 3 + more.runs
            for least, more in zip(smallest, (needed(each, SMALL.margin, 3) for each in strict), strict=True)
        ]
        there = [total for total in totals if total is not None and total <= 100]
        assert row["never"] == len(totals) - len(there)
        assert row["needed"] == (max(there) if there else NO_SEEDS)
    assert power_items(SMALL, []) == []


def test_a_lexicon_of_ones_own_is_told_by_its_content(tmp_path):
    lexicon, pairs = tmp_path / "mine.tsv", tmp_path / "pairs.tsv"
    lexicon.write_text("good\tpositive\nbad\tnegative\n", encoding="utf-8")
    pairs.write_text("film\tmovie\n", encoding="utf-8")
    config = replace(DEFAULT, model="fake", why=replace(DEFAULT.why, lexicon=str(lexicon), ppdb=str(pairs)))
    assert steps.list_needs(plan.lexicon_of(config)) == ()
    rows = Dataset.from_rows("mine", [{"text": "A good film", "pair": "a bad movie", "label": "positive"}])
    assert steps.find_polarity(rows, plan.lexicon_of(config)).tolist() == [True]
    assert steps.find_own_paraphrases(rows, steps.word_file(str(pairs))).tolist() == [True]
    before = steps.find_polarity.job(rows_job(), plan.lexicon_of(config)).key
    lexicon.write_text("good\tpositive\nawful\tnegative\n", encoding="utf-8")
    assert steps.find_polarity.job(rows_job(), plan.lexicon_of(config)).key != before
    with pytest.raises(DataError, match="changed after the jobs were planned"):
        steps.find_polarity(rows, steps.WordFile("0" * 64, str(lexicon)))
    with pytest.raises(UsageError) as error:
        replace(DEFAULT, why=replace(DEFAULT.why, lexicon="nowhere.tsv"))
    assert str(error.value) == (
        "the setting 'why.lexicon' must be one of opinion, vader, nrc, none, or an existing file; got 'nowhere.tsv'"
    )


def rows_job():
    return generate.job(TASKS[0], "test")


def test_only_what_a_cell_needs_is_evaluated():
    task = find_tasks(SMALL)[0]
    for settings, expected in ((("train",), {"original"}), (("both",), {"original", "NOUN"})):
        config = replace(SMALL, settings=settings, control="none")
        assert set(training_jobs(config, task, Version("NOUN"))[0].arguments["evaluate"]) == expected
        assert set(training_jobs(config, task)[0].arguments["evaluate"]) == {"original"}


@pytest.mark.parametrize("task", find_tasks(SMALL), ids=lambda task: task.slug)
def test_a_random_control_removes_as_many_words_from_each_text(task):
    rows = generate(task.name, "test")
    taggings = tag_generated(rows)
    found = [
        steps.corrupt(rows, taggings, corruption_of(SMALL, Version("NOUN", kind), task))
        for kind in ("remove", "random")
    ]
    for column in ("text", "pair"):
        for texts in zip(*(each.table.column(column).to_pylist() for each in (rows, *found)), strict=True):
            if texts[0] is not None:
                original, removed, random = (len(text.rstrip(".").split()) for text in texts)
                assert removed == random < original
    assert found[0].texts != found[1].texts
    for each in found:
        assert each.table.column("label") == rows.table.column("label")
        assert each.table.column("score") == rows.table.column("score")
    (gap,) = steps.measure_control(rows, taggings, (corruption_of(SMALL, Version("NOUN", "random"), task),))
    n_texts = 300 if rows.pairs[0] is not None else 150
    assert (gap.n_texts, gap.n_apart, gap.n_texts_apart) == (n_texts, 0, 0)


def test_a_sample_is_of_the_rows_and_the_tagging_serves_any_number_of_them():
    rows = generate(TASKS[0], "train")
    few = steps.sample(rows, 50)
    ids = few.table.column("id").to_pylist()
    assert len(set(ids)) == 50
    assert ids == sorted(ids, key=int)
    assert steps.sample(rows, 10**6) is rows
    config, task = replace(SMALL, data=Data(languages=("en",), most_train=50)), find_tasks(SMALL)[0]
    assert tagging_job(config, task, "train") == tagging_job(SMALL, task, "train")
    assert data_job(config, task, "test", Version("NOUN")) == data_job(SMALL, task, "test", Version("NOUN"))
    assert data_job(config, task, "train", Version("NOUN")) != data_job(SMALL, task, "train", Version("NOUN"))


@pytest.mark.needs("models")
def test_scores_and_changes_are_those_of_scikit_learn(runs):
    found = runs["generated/paraphrase"]
    baseline = find_baseline(SMALL, found)
    answers = found.original.runs
    assert baseline.score.value == pytest.approx(np.mean([accuracy_score(found.gold, run) for run in answers]))
    positive = found.classes.index("equivalent")
    f1 = [f1_score(found.gold, run, pos_label=positive) for run in answers]
    assert baseline.second.value == pytest.approx(np.mean(f1))
    for each in judge_task(SMALL, found, baseline):
        own = found.answers[each.cell.trained_on(), each.cell.tested_on()].runs
        random = found.answers[each.cell.trained_on("random"), each.cell.tested_on("random")].runs
        score, control = (np.mean([accuracy_score(found.gold, run) for run in side]) for side in (own, random))
        assert each.score.value == pytest.approx(score)
        assert each.delta.difference.value == pytest.approx(score - baseline.score.value)
        assert each.control.delta.difference.value == pytest.approx(control - baseline.score.value)
        assert each.control.beyond.difference.value == pytest.approx(score - control)


@pytest.mark.needs("models")
def test_correlations_are_those_of_scipy(runs):
    from scipy.stats import pearsonr, spearmanr

    found = runs["generated/similarity"]
    baseline, answers = find_baseline(SMALL, found), found.original.runs
    assert baseline.score.value == pytest.approx(np.mean([pearsonr(found.gold, run).statistic for run in answers]))
    assert baseline.second.value == pytest.approx(np.mean([spearmanr(found.gold, run).statistic for run in answers]))
    assert (baseline.majority, baseline.constant) == (0, 0)
    assert found.original.probabilities is None


@pytest.mark.needs("models")
def test_floors_are_those_of_a_classifier_that_does_not_look(small, runs):
    for name in TASKS[:2]:
        found = runs[name]
        learned = small[data_job(SMALL, found.task, "train")].table.column("label").to_pylist()
        gold = small[data_job(SMALL, found.task, "test")].table.column("label").to_pylist()
        dummy = DummyClassifier(strategy="most_frequent").fit(np.zeros((len(learned), 1)), learned)
        baseline = find_baseline(SMALL, found)
        assert baseline.majority == pytest.approx(dummy.score(np.zeros((len(gold), 1)), gold))
        assert baseline.constant == pytest.approx(max(np.mean([g == label for g in gold]) for label in set(gold)))


@pytest.mark.needs("models")
def test_what_the_generated_tasks_hang_on_is_found(runs):
    """They were made so: see `generated`."""
    verdicts = {}
    for found in runs.values():
        for each in judge_task(SMALL, found, find_baseline(SMALL, found)):
            verdicts[found.task.name.removeprefix("generated/"), each.cell.removed, each.cell.setting] = each.verdict
    assert {verdicts[name, "NOUN", "test"] for name in ("sentiment", "paraphrase", "similarity")} == {"survives"}
    for name in ("sentiment", "paraphrase", "similarity"):
        assert {verdicts[name, "ADJ+ADV", setting] for setting in SMALL.settings} <= {"drops", "collapsed"}


@pytest.mark.needs("models")
def test_bits_are_against_the_shares_of_the_training_labels(runs):
    found = runs["generated/sentiment"]
    information = find_information(found, ORIGINAL, ORIGINAL)
    chosen = found.original.probabilities.mean(axis=0)[np.arange(len(found.gold)), found.gold]
    expected = [math.log2(p) - math.log2(found.prior[g]) for p, g in zip(chosen, found.gold, strict=True)]
    assert information.bits == pytest.approx(np.array(expected))
    assert found.prior.sum() == pytest.approx(1)


def comparison(value, low, high, p=0.001):
    return Comparison(Estimate(value, low, high, "t", 100), p, 0.01, 10.0)


@pytest.mark.parametrize(
    ("change", "p_value", "is_constant", "has_baseline", "expected"),
    [
        (comparison(-0.2, -0.3, -0.1), 0.001, False, True, "drops"),
        (comparison(-0.02, -0.04, 0.0), 0.001, False, True, "survives"),
        (comparison(0.1, 0.05, 0.15), 0.001, False, True, "survives"),
        (comparison(-0.04, -0.10, 0.02), 0.3, False, True, "underpowered"),
        (comparison(-0.2, -0.3, -0.1), 0.2, False, True, "underpowered"),
        (comparison(-0.2, -0.3, -0.1), 0.001, True, True, "collapsed"),
        (comparison(math.nan, math.nan, math.nan, math.nan), 1.0, True, True, "collapsed"),
        (comparison(0.0, -0.01, 0.01), 1.0, True, False, "no baseline"),
    ],
)
def test_verdicts(change, p_value, is_constant, has_baseline, expected):
    found = find_verdict(change, p_value, Config(), is_constant=is_constant, has_baseline=has_baseline)
    assert found == expected


@given(
    floor=st.floats(0, 0.6),
    above=st.floats(0.1, 0.4),
    kept=st.floats(-0.5, 1.2),
)
def test_the_share_retained_is_that_of_the_score_above_the_floor(floor, above, kept):
    score = Estimate(floor + above, floor + above / 2, 1.0, "t", 100)
    change = (kept - 1) * above
    changed = comparison(change, change - 0.01, change + 0.01)
    judged = Judged(None, score, changed, 0.5, OneAnswer(0, 3), "drops", None)
    share = retained_share(judged, Baseline(score, None, floor, floor))
    assert share.value == pytest.approx(kept)
    assert share.high - share.low == pytest.approx(0.02 / above)
    no_score = Estimate(floor + above, floor - 0.1, 1.0, "t", 100)
    assert retained_share(judged, Baseline(no_score, None, floor, floor)) is None


@pytest.mark.needs("models")
def test_one_answer_to_all_is_counted(runs):
    found = runs["generated/sentiment"]
    n = len(found.gold)
    nearly, mixed = np.zeros(n, int), np.arange(n) % 2
    nearly[: n // 50] = 1
    assert collapse_of(runs_given(found.original, [nearly, mixed, np.ones(n, int)])).n == 2
    numbers = runs["generated/similarity"]
    given = runs_given(numbers.original, [np.full(n, 2.5), numbers.gold, numbers.gold / 1000])
    assert collapse_of(given).collapsed.tolist() == [True, False, False]  # a smaller scale is no collapse


def runs_given(answers, runs):
    return replace(answers, runs=np.stack(runs), run_names=tuple(map(str, range(len(runs)))), probabilities=None)


def correlated_runs(config, n_constant):
    """A regression whose original answers are good and of whose others so many seeds give one answer to all."""
    rng = np.random.default_rng(0)
    gold, answers = rng.normal(size=150), {}
    test = Dataset.from_rows("toy", [{"text": str(i), "score": float(g)} for i, g in enumerate(gold)])
    for trained in trained_versions(config):
        for tested in plan.tested_versions(config, find_tasks(SMALL)[2], trained):
            numbers = gold + rng.normal(0, 0.5, (len(config.seeds), 150))
            numbers[: n_constant if trained.removed else 0] = 2.5
            answers[trained, tested] = make_answers(find_tasks(SMALL)[2], (), test, numbers[..., None], config.seeds)
    keys = dict.fromkeys(trained_versions(config), ("k",))
    return TaskAnswers(find_tasks(SMALL)[2], 9, np.zeros(0), answers, 0, keys)


def test_where_every_run_has_no_correlation_there_is_no_score():
    config = replace(SMALL, classes=("NOUN",), settings=("both",))
    runs = correlated_runs(config, 3)
    found = Found(runs, baseline := find_baseline(config, runs), judge_task(config, runs, baseline))
    assert baseline.above_floor
    reason = Missing("no score: a run gives one answer to all items")
    (row,) = control_section(config, [found]).items[-1].rows
    assert (row["score"], row["delta"], row["p"], row["q"]) == (reason,) * 4
    assert row["verdict"] == Marked("collapsed", note="3 of 3 runs give one answer to nearly all items")
    left = "most runs give one answer to nearly all items, or have no score"
    assert _retained(config, [found]).rows[0]["c0"] == Missing(left)
    assert _sentence(config, found) == f"generated/similarity: {left}, so nothing can be said about what is left."


def test_a_training_that_collapsed_is_left_out_and_named():
    config = replace(SMALL, classes=("NOUN",), settings=("both",))
    runs = correlated_runs(config, 1)
    (judged,) = judge_task(config, runs, find_baseline(config, runs))
    assert judged.one_answer == OneAnswer(1, 3, 1)
    kept = runs.answers[Version("NOUN"), Version("NOUN")].only_runs([1, 2])
    assert judged.score.value == pytest.approx(np.mean([np.corrcoef(kept.gold, run)[0, 1] for run in kept.runs]))
    assert judged.verdict != "collapsed"
    found = Found(runs, find_baseline(config, runs), [judged])
    (row,) = control_section(config, [found]).items[-1].rows
    assert row["verdict"].note == "1 of 3 runs collapsed and are left out"


def test_one_answer_without_the_class_is_what_the_corruption_did():
    """Trainings that work and give one answer to a corrupted test set stay in its score; most of them: it collapsed."""
    config = replace(SMALL, classes=("NOUN",), settings=("test",), control="none")
    gold, ones = np.arange(200) % 2, np.ones(200, int)
    for n_alike, verdict in ((1, "drops"), (2, "collapsed")):
        without = [ones] * n_alike + [gold] * (3 - n_alike)
        answers = {
            (ORIGINAL, ORIGINAL): classes_given(gold, [gold] * 3),
            (ORIGINAL, Version("NOUN")): classes_given(gold, without),
        }
        runs = TaskAnswers(find_tasks(SMALL)[0], 0, np.zeros(2), answers, 0, {})
        (judged,) = judge_task(config, runs, find_baseline(config, runs))
        assert judged.one_answer == OneAnswer(n_alike, 3)
        assert judged.score.value == pytest.approx(1 - n_alike / 6)
        assert judged.verdict in (verdict, "underpowered")
        assert math.isnan(judged.p_value) == (verdict == "collapsed")


def test_a_run_that_collapsed_with_all_words_left_in_is_named_on_the_first_screen():
    config = replace(SMALL, classes=("NOUN",), settings=("test",), control="none")
    gold, ones = np.arange(200) % 2, np.ones(200, int)
    half = np.where(np.arange(200) < 60, 1 - gold, gold)
    answers = {
        (ORIGINAL, ORIGINAL): classes_given(gold, [gold, ones, gold]),
        (ORIGINAL, Version("NOUN")): classes_given(gold, [half, ones, half]),
    }
    runs = TaskAnswers(find_tasks(SMALL)[0], 0, np.zeros(2), answers, 0, {ORIGINAL: ("k",)})
    baseline = find_baseline(config, runs)
    answer = corruption_answer(config, [Found(runs, baseline, judge_task(config, runs, baseline))])
    assert "missing from the test texts (2 of 3 seeds)" in answer.text
    (note,) = answer.notes[:1]
    assert "1 of 3 runs collapsed, giving one answer to nearly all items (run 1). The scores are those of" in note


@pytest.mark.parametrize(("n", "verdict"), [(20, "underpowered"), (400, "survives")])
def test_the_same_answers_to_few_items_do_not_show_that_nothing_was_lost(n, verdict):
    config = replace(SMALL, classes=("NOUN",), settings=("test",), control="none")
    gold = np.arange(n) % 2
    answers = dict.fromkeys([(ORIGINAL, ORIGINAL), (ORIGINAL, Version("NOUN"))], classes_given(gold, [gold] * 3))
    runs = TaskAnswers(find_tasks(SMALL)[0], 0, np.zeros(2), answers, 0, {})
    (judged,) = judge_task(config, runs, find_baseline(config, runs))
    assert judged.delta.difference.low < judged.delta.difference.value == 0 < judged.delta.difference.high
    assert (judged.p_value, judged.verdict) == (1.0, verdict)


def classes_given(gold, runs):
    """Answers of two classes."""
    names = tuple(map(str, range(len(runs))))
    return Answers({}, None, "classification", ("no", "yes"), np.arange(len(gold)), gold, np.stack(runs), names)


def test_answers_as_rare_as_in_gold_are_not_one_answer():
    gold = np.zeros(1000, int)
    gold[:10] = 1
    right, few = gold.copy(), np.zeros(1000, int)
    few[:5] = 1
    found = collapse_of(classes_given(gold, [right, few, np.zeros(1000, int)]))
    assert found.n == 0
    assert found.unclear.tolist() == [False, False, True]


@pytest.mark.needs("models")
def test_a_tiny_run_gives_a_whole_report(small, tmp_path):
    made = report(SMALL, small)
    assert find_study("corruption").report(SMALL, small) == made
    assert unfinished(made) == []
    assert papers_numbers(made) == []  # the tasks were generated
    items = {item.name: item for section in made.sections for item in section.items if hasattr(item, "name")}
    assert list(items) == [
        "change-train", "change-test", "change-both", "scores", "beyond-train", "beyond-test",
        "beyond-both", "power", "cells-generated-sentiment", "cells-generated-paraphrase", "cells-generated-similarity",
        "information", "cues", "sentences-generated-sentiment", "solved-generated-sentiment",
        "solved-generated-paraphrase", "retained", "texts", "baselines",
    ]  # fmt: skip
    assert len(items["scores"].rows) == 3 * 2
    assert len(items["change-both"].rows) == 3 * 2
    assert sum(len(items[name].rows) for name in items if name.startswith("cells-")) == 3 * 2 * 3
    text = next(item.text for item in made.sections[-2].items if not hasattr(item, "name"))
    assert text.startswith("generated/sentiment keeps, of its score above the floor, ")
    assert " without its nouns, " in text
    for example in items["solved-generated-sentiment"].items:
        assert example.texts[0] != example.texts[1]
        assert example.gold in example.predictions
    paths = write_report(made, tmp_path)
    assert {"report.html", "summary.json"} <= {path.name for path in paths}


@pytest.mark.needs("models")
def test_a_report_of_kept_answers_is_the_report_of_the_store(small, tmp_path):
    """Of two models, on three kinds of task."""
    config = replace(SMALL, model=("one=fake", "fake"))
    campaign = Campaign("corruption", config, Store(small._store.folder))
    assert {outcome.status for outcome in campaign.run(SerialRunner())} <= {"done", "kept"}
    kept = read_kept(write_kept(campaign.keep(), tmp_path / "kept.parquet"))
    assert report_json(report_from(kept)) == report_json(campaign.report())
    assert {each.task for each in kept.answers.values()} == {"classification", "regression", "score"}
    assert all(each.texts is None for each in kept.answers.values())


def test_what_cannot_be_rendered_elsewhere_is_not_kept(small, tmp_path):
    (tmp_path / "words.txt").write_text("good\tpositive\nbad\tnegative\n", encoding="utf-8")
    own = replace(SMALL, data=Data(train="train.csv", test="test.csv", languages=("en",)))
    why = replace(SMALL.why, lexicon=str(tmp_path / "words.txt"))
    for config, message in (
        (own, "answers on data of your own can be kept only with `goldproof score`, from a file of predictions"),
        (
            replace(SMALL, why=why),
            "a report whose cues come from your own list cannot be kept in a file; leave out why.lexicon=FILE and "
            "why.ppdb, or keep the store",
        ),
    ):
        with pytest.raises(UsageError) as caught:
            find_study("corruption").keep(config, small)
        assert str(caught.value) == message


@pytest.mark.needs("models")
def test_one_seed_without_control_is_compared_by_mcnemar(small):
    config = replace(SMALL, seeds=(0,), control="none", tasks=TASKS[:1], settings=("train", "both"))
    store = Store(small._store.folder)
    assert {outcome.status for outcome in run_jobs(jobs(config), store, SerialRunner())} <= {"done", "kept"}
    made = report(config, Results(store))
    assert made.answer.notes == [
        "There is no random control: the cost of a class cannot be separated from that of mere shortening."
    ]
    assert made.answer.takes == (
        "One seed only: the intervals are over test items and say nothing about another training."
    )
    table = next(item for item in made.sections[1].items if getattr(item, "name", "") == "cells-generated-sentiment")
    assert [column.key for column in table.columns] == ["removed", "setting", "verdict", "score", "delta", "p"]
    assert all("Tango" in row["delta"].method for row in table.rows)


@pytest.mark.needs("models")
def test_the_published_numbers_stand_beside_ours(runs):
    from goldproof.studies.corruption.findings.cells import Found, baseline_section, survival_section

    found = runs["generated/sentiment"]
    task = replace(found.task, name="glue/sst2")
    baseline = find_baseline(SMALL, found)
    judged = [replace(j, cell=replace(j.cell, task=task)) for j in judge_task(SMALL, found, baseline)]
    renamed = Found(replace(found, task=task), baseline, judged, Beside(True))
    assert baseline_section([renamed]).items[0].rows[0]["paper"] == pytest.approx(0.9461)
    rows = {row["data"]: row for row in survival_section(SMALL, [renamed]).items[-1].rows}
    assert [rows["SST-2-NOUN"][f"p_{name}"] for name in SMALL.settings] == pytest.approx([-0.0057, -0.0734, -0.0585])


def test_where_the_corpora_lie_is_no_part_of_a_job(published, tmp_path):
    (tmp_path / "elsewhere").symlink_to(published)
    config = Config(tasks=("glue/mrpc",), model="fake", seeds=(0,), data=Data(languages=("en",), root=str(published)))
    moved = replace(config, data=Data(languages=("en",), root=str(tmp_path / "elsewhere")))
    assert [job.key for job in jobs(config)] == [job.key for job in jobs(moved)]
    task = find_tasks(config)[0]
    job = data_job(config, task, "test")
    assert job.arguments["corpus"].split == "test"  # MRPC's own split has no validation set
    assert len(load("glue/mrpc", split="test", root=published)) == 1725


@pytest.mark.needs("models")
def test_real_texts_are_tagged_once_and_their_cues_found(published, nltk_data, tmp_path):
    config = Config(
        tasks=("glue/sst2",),
        classes=("NOUN", "NOUN+ADJ"),
        model="fake",
        data=Data(languages=("en",), root=str(published), most_train=20),
    )
    task = find_tasks(config)[0]
    wanted = [job for job in all_jobs(jobs(config)) if job.step.name == "goldproof.corruption.find_polarity"]
    store = Store(tmp_path).open()
    outcomes = list(run_jobs(wanted, store, SerialRunner()))
    assert {outcome.status for outcome in outcomes} == {"done"}
    assert sum("tag(" in outcome.description for outcome in outcomes) == 1
    nouns, both = (Results(store)[job] for job in wanted)
    assert len(nouns) == 872
    assert both.sum() < nouns.sum() < 872  # adjectives carry most of the polarity
    texts = Results(store)[data_job(config, task, "test", Version("NOUN"))].texts
    assert texts[0] == "one long of"


BLOCKED = """
import sys
for name in ("pydantic", "altair", "vl_convert", "nltk", "ray", "typer", "datasets"):
    sys.modules[name] = None
from goldproof.studies.compute import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.needs("models")
def test_it_is_computed_without_what_only_reports_and_taggers_need(tmp_path):
    settings = {"preset": "tiny", "tasks": [TASKS[0]], "classes": ["NOUN"], "seeds": [0], "recipe": {"epochs": 1}}
    (tmp_path / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-c", BLOCKED, "corruption", str(tmp_path / "settings.json"), str(tmp_path / "store")]
    data = subprocess.run([*command, "goldproof.corruption."], capture_output=True, text=True, check=True)
    assert data.stdout.startswith("{'done': 13}")  # 2 sets read, tagged; 4 corrupted, 2 counts, 2 gaps, 1 cue
    whole = subprocess.run(command, capture_output=True, text=True, check=True)
    assert whole.stdout.startswith("{'kept': 11, 'done': 3}")  # kept: what the trainings and the report need


@pytest.mark.needs("models")
def test_a_masked_language_model_is_asked_where_one_is_given(small, tmp_path):
    import torch
    from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "film", "song", "never", "always", "was", "good", "."]
    (tmp_path / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    BertTokenizerFast(vocab=str(tmp_path / "vocab.txt"), model_max_length=32).save_pretrained(tmp_path)
    torch.manual_seed(0)
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    BertForMaskedLM(BertConfig(vocab_size=len(words), max_position_embeddings=32, **sizes)).save_pretrained(tmp_path)
    why = replace(SMALL.why, masked_model=str(tmp_path), cloze=TASKS[1:2], cloze_classes=("NOUN", "NUM"))
    config, store = replace(SMALL, why=why), Store(small._store.folder)
    assert Counter(outcome.status for outcome in run_jobs(jobs(config), store, SerialRunner()))["done"] == 2
    made = report(config, Results(store))
    assert papers_numbers(made) == []  # the task is not the paper's
    section = made.sections[2]
    (row,) = section.items[-1].rows  # there is no number word to ask for
    texts = generate(TASKS[1], "test")
    assert (row["removed"], row["original"].n) == ("NOUN", len({*texts.texts, *texts.pairs}))
    assert row["original"].value - row["corrupted"].value == pytest.approx(row["difference"].value)
