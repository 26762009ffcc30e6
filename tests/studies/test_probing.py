"""The probing study: its tasks, its steps on a tiny transformer, its settings and its report."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression
from tests.report.printed import papers_numbers
from tests.report.sentences import unfinished

from goldproof.data.dataset import Dataset
from goldproof.errors import DataError, UsageError
from goldproof.jobs import Results, Store, run_jobs
from goldproof.jobs.cache import cache_at
from goldproof.jobs.pace import paces_of
from goldproof.measures.probes import ProbeSettings
from goldproof.models.fake import Fake
from goldproof.models.readout import Readout
from goldproof.models.tiny import write_tiny_model
from goldproof.models.transformer import transformer
from goldproof.report.summary import Missing, Text
from goldproof.report.summary_json import report_json
from goldproof.runners.serial import SerialRunner
from goldproof.studies.campaign import framed, report_from
from goldproof.studies.kept import plain_config, read_kept, write_kept
from goldproof.studies.probing import PAPER, TINY, Config, jobs, keep, report
from goldproof.studies.probing import published as paper
from goldproof.studies.probing.findings import similarity
from goldproof.studies.probing.findings.answer import probing_answer, probing_findings
from goldproof.studies.probing.gather import ProbingValues, gather, keep_gathered
from goldproof.studies.probing.plan import arms, cells, compared, probe_job
from goldproof.studies.probing.published import paper_tasks, title_of
from goldproof.studies.probing.scores import ProbingFindings
from goldproof.studies.probing.settings import Baselines, Coarse, ProbeChoice, SimilarityChoice, Splits
from goldproof.studies.probing.steps import Likeness, compare_models, probe, sample_texts
from goldproof.studies.probing.tasks import Prepared, Sizes, describe, facts_job, prepare, task_job, tasks_of
from goldproof.studies.probing.toy import generate
from goldproof.studies.shared import Data

LOGISTIC = ProbeSettings("logistic", (1e-1, 1e-3))


def rows_of(split: str, n: int, *, first: int = 0, labels: str = "ab") -> list[dict[str, str]]:
    return [
        {"id": f"{split}-{i}", "text": f"text {first + i}", "label": labels[i % len(labels)], "split": split}
        for i in range(n)
    ]


def task_of(*parts: list[dict[str, str]], sizes: Sizes | None = None) -> Prepared:
    return prepare(Dataset.from_rows("toy", [row for part in parts for row in part]), "toy", "en", sizes or Sizes())


def texts_of(task: Prepared, split: str) -> set[str]:
    return set(task.data.select(split=split).texts)


def test_without_a_training_split_validation_trains_and_a_part_validates():
    task = task_of(rows_of("validation", 100), rows_of("test", 40, first=100))
    assert {name: part.rows for name, part in describe(task).parts.items()} == {
        "train": 90, "validation": 10, "test": 40, "overall": 140,
    }  # fmt: skip
    held = task.data.select(split="validation").table.column("label").to_pylist()
    assert Counter(held) == {"a": 5, "b": 5}
    assert task.notes[0] == "There is no training split: the validation split trains"


def test_training_texts_that_stand_in_test_are_left_out_and_counted():
    task = task_of(rows_of("train", 100), rows_of("validation", 20, first=125), rows_of("test", 40, first=90))
    assert task.n_left_out == 10
    assert [len(texts_of(task, split)) for split in ("train", "validation", "test")] == [90, 15, 40]
    assert not texts_of(task, "train") & texts_of(task, "test")
    assert not texts_of(task, "validation") & (texts_of(task, "train") | texts_of(task, "test"))


def test_identical_splits_are_split_anew_or_refused():
    parts = rows_of("validation", 200), rows_of("test", 200)
    task = task_of(*parts)
    assert not texts_of(task, "test") & (texts_of(task, "train") | texts_of(task, "validation"))
    assert len(task.data) == 200
    assert 70 < len(texts_of(task, "test")) < 130
    note = (
        "200 of the 200 test texts also occur in training: the distinct texts were split again, half of them into test"
    )
    assert note in task.notes
    with pytest.raises(DataError) as error:
        task_of(*parts, sizes=Sizes(leaks="refuse"))
    assert str(error.value) == (
        "toy (en): 200 of the 200 test texts also occur in training, so a probe could remember them; splits.leaks = "
        "'split' splits the texts again"
    )


def test_fewer_items_keep_the_shares_of_classes_and_do_not_hang_on_order():
    rows = rows_of("train", 300, labels="aaab"), rows_of("test", 100, first=300, labels="aaab")
    task = task_of(*rows, sizes=Sizes(most_train=40, most_test=20))
    labels = Counter(task.data.select(split="train").table.column("label").to_pylist())
    assert labels == {"a": 30, "b": 10}
    turned = task_of(rows[1][::-1], rows[0][::-1], sizes=Sizes(most_train=40, most_test=20))
    assert all(texts_of(task, split) == texts_of(turned, split) for split in ("train", "validation", "test"))


def test_validation_has_a_cap_of_its_own():
    parts = rows_of("train", 300), rows_of("validation", 100, first=300), rows_of("test", 100, first=400)
    task = task_of(*parts, sizes=Sizes(most_validation=30))
    assert [len(texts_of(task, split)) for split in ("train", "validation", "test")] == [300, 30, 100]
    assert task.notes == ("At most 30 validation texts were drawn, each class in proportion to its share",)
    labels = Counter(task.data.select(split="validation").table.column("label").to_pylist())
    assert labels == {"a": 15, "b": 15}
    held = task_of(rows_of("validation", 300), rows_of("test", 40, first=300), sizes=Sizes(40, 20, 40))
    assert [len(texts_of(held, split)) for split in ("train", "validation", "test")] == [40, 20, 40]


def test_a_class_that_lost_its_training_texts_is_left_out_of_test():
    lost = [{"id": "x", "text": "text 100", "label": "c", "split": "train"}]
    task = task_of(rows_of("train", 40), lost, rows_of("test", 40, first=100, labels="cab"))
    assert "c" not in task.data.labels
    assert "Left out of test, because no training text of their class was left: c" in task.notes


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            [rows_of("train", 40, labels="a"), rows_of("test", 9, first=50, labels="a")],
            "toy (en): all 36 training items have the label 'a'; a probe needs two",
        ),
        (
            [rows_of("train", 40), rows_of("test", 9, first=50, labels="abc")],
            "toy (en): item 42 of test has the label 'c', which no training item has; training items have: 'a', 'b'",
        ),
        (
            [rows_of("train", 40), [{"id": "7", "text": " ", "label": "a", "split": "test"}]],
            "toy (en): item '7' of test is empty; a vector needs at least one word",
        ),
        (
            [rows_of("train", 40), [{"id": "7", "text": "x", "split": "test"}]],
            "toy (en): item '7' of test has no label",
        ),
        (
            [rows_of("train", 40)],
            "toy (en): a task needs the split test, and train or validation to train on; got train",
        ),
    ],
)
def test_what_is_wrong_with_a_task_is_said(parts, message):
    with pytest.raises(DataError) as error:
        task_of(*parts)
    assert str(error.value) == message


@pytest.fixture(scope="module")
def toy() -> Prepared:
    return prepare(generate("past_present", "en", 300, 0), "past_present", "en", Sizes())


@pytest.fixture(scope="module")
def model(tmp_path_factory, toy):
    words = {word for text in toy.data.texts for word in text.split()}
    return transformer(write_tiny_model(tmp_path_factory.mktemp("models") / "tiny", words))


@pytest.mark.needs("models")
def test_a_second_task_on_the_same_texts_costs_no_forward_pass(tmp_path, toy, model):
    labels = pa.array([["x", "y"][i % 2] for i in range(len(toy.data))])
    table = toy.data.table.set_column(toy.data.table.schema.get_field_index("label"), "label", labels)
    other = Prepared("other", "en", Dataset("other", table, toy.data.provenance), 0, ())
    with cache_at(tmp_path):
        first = probe(model, Readout(), toy, LOGISTIC, True)
        shards = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.bin")}
        second = probe(model, Readout(), other, LOGISTIC, False)
    assert shards == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.bin")}
    assert len(shards) > 0
    assert (first.layers, second.layers) == ((0, 1, 2), (1, 2))
    assert first.predicted.dtype == np.uint8
    assert first.accuracy.max() > 0.8 > second.accuracy.max()


@pytest.mark.needs("models")
def test_probes_agree_with_scikit_learn(toy):
    found = probe(Fake(), Readout(dtype="float32"), toy, ProbeSettings("logistic", (1e-2,)), True)
    task, vectors = toy.labels(), Fake().encode(toy.data.texts)
    for place in range(3):
        x = vectors[:, place]
        train = x[task.train]
        x = (x - train.mean(0)) / train.std(0)
        peer = LogisticRegression(C=1 / (1e-2 * len(train)), max_iter=1000).fit(x[task.train], task.codes[task.train])
        assert found.accuracy[place] == pytest.approx(peer.score(x[task.test], task.codes[task.test]), abs=0.012)


@pytest.mark.needs("models")
def test_a_long_text_is_cut_and_counted(toy, model):
    rows = [
        *toy.data,
        {"id": "long", "split": "test", "text": "cat " * 10_000, "label": "yes", "language": "en", "tags": []},
    ]
    task = Prepared("long", "en", Dataset.from_rows("long", rows), 0, ())
    assert probe(model, Readout(), task, LOGISTIC, True).n_cut == 1


@pytest.mark.needs("models")
def test_models_are_compared_on_the_same_sample_of_sentences(toy, model):
    texts = sample_texts(toy, 40, 0)
    known = {row["text"]: row["label"] for row in toy.data.select(split="test")}
    shares = Counter(known.values())
    drawn = Counter(known[text] for text in texts)
    assert len(set(texts)) == 40
    assert abs(drawn["yes"] / 40 - shares["yes"] / len(known)) < 0.03
    choice = SimilarityChoice(("debiased", "plain", "maxcorr", "procrustes"), 40, 19, 19)
    found = compare_models((model, Fake()), Readout(), toy, choice, False)
    assert found.places == ((0, 1), (0, 2), (1, 1), (1, 2))
    assert set(found.tables) == set(choice.measures)
    for table in found.tables.values():
        assert table.shape == (4, 4)
        assert np.diag(table) == pytest.approx(np.ones(4), abs=1e-5)
    assert set(found.p_value) == set(found.chance) == {"debiased", "maxcorr", "procrustes"}
    for measure in found.p_value:
        assert found.p_value[measure][0, 1] == 1 / 20
        assert found.chance[measure][0, 1] < found.tables[measure][0, 1]


@pytest.mark.needs("models")
def test_where_a_model_lies_is_no_part_of_a_job(tmp_path, model):
    shutil.copytree(model.source.folder, tmp_path / "elsewhere")
    keys = [
        [job.key for job in jobs(replace(TINY, model=(f"M={folder}",), coarse=Coarse()))]
        for folder in (model.source.folder, tmp_path / "elsewhere")
    ]
    assert keys[0] == keys[1]


def test_a_folder_of_ones_own_in_either_format(tmp_path):
    config = Config(data=Data(corpus=str(tmp_path), languages=("en",)))
    with pytest.raises(UsageError) as error:
        tasks_of(config, "en")
    assert str(error.value) == (
        f"the folder {tmp_path} has no tasks; a task is TASK.txt (split, label, text), TASK/{{tr,va,te}}.txt "
        "(text, label), or tables with a text and a label in each row: TASK.csv with a column 'split', or "
        "TASK_train.csv and TASK_test.csv, also as jsonl, tsv or parquet"
    )
    lines = [f"{split}\t{'ab'[i % 2]}\t{split} text {i}\n" for split in ("tr", "va", "te") for i in range(20)]
    (tmp_path / "mine.txt").write_text("".join(lines))
    (tmp_path / "yours").mkdir()
    for split in ("va", "te"):
        rows = [f"{split} text {i}\t{'ab'[i % 2]}\n" for i in range(20)]
        (tmp_path / "yours" / f"{split}.txt").write_text("".join(rows))
    assert tasks_of(config, "en") == ("mine", "yours")
    store = Store(tmp_path / "store").open()
    wanted = {task: facts_job(config, "en", task) for task in ("mine", "yours")}
    assert {outcome.status for outcome in run_jobs(wanted.values(), store, SerialRunner())} == {"done"}
    rows = {task: store.load(job.key).parts["train"].rows for task, job in wanted.items()}
    assert rows == {"mine": 20, "yours": 18}
    with pytest.raises(UsageError) as error:
        tasks_of(replace(config, tasks=("theirs",)), "en")
    assert str(error.value) == f"{str(tmp_path)!r} has no task 'theirs' in 'en'; it has: mine, yours"


def test_no_two_tasks_of_a_language_have_one_title(tmp_path):
    """English treebanks give both NShift and BShift, under RuSentEval's and SentEval's names."""
    lines = [f"{split}\t{'IO'[i % 2]}\t{split} text {i}\n" for split in ("tr", "va", "te") for i in range(20)]
    for name in ("ngram_shift", "bigram_shift"):
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    config = Config(data=Data(corpus=str(tmp_path), languages=("en",)), model=("fake",))
    assert {title_of(task) for task in tasks_of(config, "en")} == {"NShift", "BShift"}
    assert compared(config) == [("en", "bigram_shift"), ("en", "ngram_shift")]
    for each in (PAPER, TINY, Config()):
        for language in each.data.languages:
            titles = [title_of(task) for task in tasks_of(each, language)]
            assert len(titles) == len(set(titles))


def test_the_paper_compares_models_on_the_tasks_that_its_languages_share():
    shared = {language: [task for code, task in compared(PAPER) if code == language] for language in ("ru", "en")}
    assert [title_of(task) for task in shared["ru"]] == [
        "SentLen", "WC", "TreeDepth", "NShift", "PT", "SubjNumber", "ObjNumber",
    ]  # fmt: skip
    assert [title_of(task) for task in shared["en"]] == [
        "SentLen", "WC", "TreeDepth", "BShift", "Tense", "SubjNumber", "ObjNumber",
    ]  # fmt: skip


def test_the_paper_has_14_russian_and_10_english_tasks():
    assert [len(tasks_of(PAPER, language)) for language in ("ru", "en")] == [14, 10]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"model": ("a/m", "b/m")},
            "the setting 'model' must be models with different names; use NAME=FOLDER; got ('a/m', 'b/m')",
        ),
        (
            {"data": Data(corpus="nowhere", languages=("en",))},
            "the setting 'data.corpus' must be one of xprobe, rusenteval, senteval, paper, generated, or a folder; "
            "got 'nowhere'",
        ),
        ({"tasks": ("gapping",)},
            "the setting 'tasks' must be different tasks out of sentence_length, word_content, tree_depth, "
            "bigram_shift, past_present, subj_number, obj_number, odd_man_out, coordination_inversion; got "
            "('gapping',)"),
        ({"probe": ProbeChoice(("svm",))}, "the setting 'probe.kinds' must be out of logistic, mlp; got ('svm',)"),
        (
            {"coarse": Coarse(model="m", seeds=(0,))},
            "the setting 'coarse.model' must be 'small' or one of 'model'; got 'm'",
        ),
        (
            {"model": ("toy=fake",), "coarse": Coarse(model="toy=fake", seeds=(0,))},
            "the setting 'coarse.model' must be a model that keeps its weights; got 'toy=fake'",
        ),
    ],
)  # fmt: skip
def test_settings_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(UsageError) as error:
        Config(**settings)
    assert str(error.value) == message


def printed_table(text: str, number: int) -> dict[tuple[str, str], str]:
    """The cells of one of the paper's tables by its title of the task and its column."""
    head, *rows = text.split(f"\nTable {number}:")[0].rsplit("Probing Task", 1)[1].strip().splitlines()
    cells = [re.sub("</?b>", "", row).split("\t") for row in rows if row]
    return {(title, column): cell for title, *row in cells for column, cell in zip(head.split("\t"), row, strict=True)}


TABLES = list(itertools.product(("logistic", "mlp"), ("ru", "en")))


@pytest.mark.parametrize(("number", "place"), list(enumerate(TABLES * 2, start=3)))
def test_every_printed_number_is_that_of_the_paper(papers, number, place):
    kind, language = place
    text = (papers / "001_0b5fe6d6ac290846.txt").read_text(encoding="utf-8")
    columns = paper.MODELS if number < 7 else paper.BASELINES
    ours = {
        (title_of(task), column): paper.printed(kind, language, task, column)
        for task in paper_tasks(language)
        for column in columns
    }
    cells = printed_table(text, number)
    assert {place: str(number) for place, number in ours.items()} == {
        place: re.sub(r"^(\d+)(?![\d.])", r"\1.0", cell) for place, cell in cells.items()
    }


def test_table_1_swaps_a_number_and_tables_3_and_4_do_not():
    assert str(paper.printed("logistic", "ru", "bigram_shift", "M-BERT")) == "81.8 [10]"
    assert str(paper.printed("logistic", "en", "bigram_shift", "M-BERT")) == "84.8 [8]"
    assert paper.printed("logistic", "ru", "odd_man_out", "M-BERT") is None


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("store")).open()
    assert {outcome.status for outcome in run_jobs(jobs(TINY), store, SerialRunner())} == {"done"}
    return Results(store)


@pytest.mark.needs("models")
def test_tiny_run_reports_every_part(tiny):
    found = report(TINY, tiny)
    assert unfinished(found) == []
    assert papers_numbers(found) == []  # the data were generated
    names = {item.name for section in found.sections for item in section.items if not isinstance(item, Text)}
    measures = {f"{measure}-{language}" for measure in ("debiased", "plain", "maxcorr") for language in ("ru", "en")}
    assert names == measures | {
        "best-logistic", "best-mlp", "where", "curves-logistic", "curves-mlp", "neighbours", "twins", "controls",
        "compression", "baselines-logistic", "baselines-mlp", "neurons", "neurons-table", "similarity", "coarse",
        "coarse-tags", "coarse-rules", "data",
    }  # fmt: skip
    best = next(item for item in found.sections[0].items if item.name == "best-logistic")
    cell = next(c for c in cells(TINY) if (c.arm.title, c.language, c.task) == ("fake", "ru", "sentence_length"))
    accuracy = tiny[probe_job(TINY, cell)].accuracy
    assert best.rows[0]["m0"] == f"{100 * accuracy.max():.1f} [{accuracy.argmax()}]"
    assert "paper" not in best.rows[0]  # the data were generated
    assert [column.key for column in best.columns] == ["task", "m0", "m1"]  # generated data: no paper beside them


@pytest.mark.needs("models")
def test_what_a_job_would_take_is_told_by_the_rows_of_its_task(tiny):
    paces = paces_of(tiny._store.records())
    capped = replace(TINY, splits=Splits(most_validation=20, most_test=200))
    sizes = []
    for config in (TINY, capped):
        (cell,) = [each for each in cells(config) if each.where == ("fake", "en", "past_present")]
        job = probe_job(config, cell)
        sizes.append(paces.size(job))
        assert paces.guess(job).basis == "size"
    assert sizes == [600, 240 + 20 + 200]
    assert None not in {paces.guess(job) for job in jobs(capped)}


@pytest.mark.needs("models")
def test_kept_answers_give_the_same_page_without_models_or_store(tiny, tmp_path):
    path = write_kept(
        replace(keep(TINY, tiny), study="probing", config=plain_config(TINY)), tmp_path / "probing.parquet"
    )
    kept = read_kept(path)
    assert report_json(report_from(kept)) == report_json(framed(report(TINY, tiny), TINY, (), ()))
    answers = kept.answers["probe/logistic/fake/en/past_present"]
    assert answers.labels == ("no", "yes")
    assert answers.run_names == ("layer 0", "layer 1", "layer 2")
    assert answers.where == {"language": "en", "task": "past_present", "model": "fake", "probe": "logistic"}
    cell = next(c for c in cells(TINY) if c.where == ("fake", "en", "past_present"))
    assert (answers.runs == answers.gold).mean(axis=1).tolist() == tiny[probe_job(TINY, cell)].accuracy.tolist()


def test_answers_on_tasks_of_ones_own_are_not_kept(tmp_path):
    with pytest.raises(UsageError, match="answers on data of your own can be kept only with `goldproof score`"):
        keep_gathered(Config(data=Data(corpus=str(tmp_path), languages=("en",))), ProbingValues((), (), {}, {}))


@pytest.mark.needs("models")
def test_only_what_was_shown_is_said_to_be_added_by_training(tiny):
    """A model against itself: nothing is added, and no property is said to gain most."""
    same = ProbingFindings(TINY, gather(TINY, tiny))
    for (kind, title, language, task), scored in list(same.scored.items()):
        if title == "fake":
            same.scored[kind, title, language, task] = replace(
                same.scored[kind, "fake, random weights", language, task], cell=scored.cell
            )
    answer = probing_answer(same)
    assert (answer.kind, answer.head) == ("open", "Nothing beyond random weights is shown")
    none = f"on none of {len(same.twins)} tasks are the trained layers shown to say more than random weights do."
    assert answer.text == none
    assert not any("Training adds most" in str(line) for line in probing_findings(same))


@pytest.mark.needs("models")
def test_the_best_layer_lies_in_the_ties_and_order_of_words_is_not_seen(tiny):
    where = next(item for item in report(TINY, tiny).sections[0].items if item.name == "where")
    rows = {row["task"]: row for row in where.rows}
    for row in rows.values():
        assert row["accuracy"].low <= row["accuracy"].value <= row["accuracy"].high
    # The fake model is a bag of words: what order alone decides stays at chance.
    assert rows["BShift (en)"]["accuracy"].low < rows["BShift (en)"]["majority"]
    assert rows["Tense (en)"]["accuracy"].low > rows["Tense (en)"]["majority"]


@pytest.mark.needs("models")
def test_a_task_of_too_many_classes_is_probed_and_nothing_beyond(tmp_path):
    config = replace(
        TINY,
        data=replace(TINY.data, languages=("en",)),
        tasks=("subj_number",),
        most_classes=2,
        coarse=Coarse(),
        probe=ProbeChoice(("logistic",)),
    )
    lines = [f"{s}\t{'abc'[i % 3]}\t{s} {'uvw'[i % 3]} {i}\n" for s in ("tr", "va", "te") for i in range(60)]
    (tmp_path / "three.txt").write_text("".join(lines))
    config = replace(config, data=replace(config.data, corpus=str(tmp_path)), tasks=())
    store = Store(tmp_path / "store").open()
    assert {outcome.status for outcome in run_jobs(jobs(config), store, SerialRunner())} == {"done"}
    found = report(config, Results(store))
    tables = {item.name: item for section in found.sections for item in section.items if hasattr(item, "columns")}
    reason = Missing("the task has too many classes for this (setting most_classes)")
    assert tables["controls"].rows[0]["selectivity"] == tables["controls"].rows[0]["bits"] == reason
    assert tables["neurons-table"].rows[0]["kept"] == reason
    assert papers_numbers(found) == []  # tasks of one's own
    assert tables["baselines-logistic"].rows[0]["b1"] == reason


def beside_tasks(root, folder, corpus, task, model="XLM-R=fake"):
    """A small report on a Russian task, and the paper's columns of its tables."""
    config = replace(
        TINY,
        model=(model,),
        data=replace(TINY.data, corpus=corpus, root=str(root), languages=("ru",), most_train=200),
        splits=Splits(most_validation=50, most_test=100),
        tasks=(task,),
        twins=False,
        coarse=Coarse(),
        probe=ProbeChoice(("logistic",), (1e-1,)),
        neurons=replace(TINY.neurons, run=False),
        similarity=SimilarityChoice(()),
        selectivity=False,
        description_length=False,
    )
    store = Store(folder).open()
    assert {outcome.status for outcome in run_jobs(jobs(config), store, SerialRunner())} == {"done"}
    found = report(config, Results(store))
    tables = [item for section in found.sections for item in section.items if hasattr(item, "columns")]
    shown = {table.name: [column.key for column in table.columns if column.published] for table in tables}
    return found, {name: keys for name, keys in shown.items() if keys}


@pytest.mark.needs("models")
def test_the_papers_numbers_stand_beside_its_own_tasks_and_models_alone(published, tmp_path):
    words = "кот пёс и не он она в на , ."
    folder = write_tiny_model(tmp_path / "xlm-roberta-base", set(words.split()))
    found, beside = beside_tasks(published, tmp_path / "paper", "rusenteval", "gapping", f"mine={folder}")
    assert beside == {"best-logistic": ["p0"], "baselines-logistic": ["paper_tf_idf_char"]}
    best = next(item for item in found.sections[0].items if item.name == "best-logistic")
    assert best.rows[0]["p0"] == "94.1 [8]"
    other = "The paper used the same corpus and model, but: other size, other training."
    assert best.note.endswith(other)
    found, beside = beside_tasks(published, tmp_path / "other model", "rusenteval", "gapping")
    assert beside == {"baselines-logistic": ["paper_tf_idf_char"]}  # a fake model called XLM-R is not XLM-R
    found, beside = beside_tasks(published, tmp_path / "other", "xprobe", "bigram_shift", f"mine={folder}")
    assert (beside, papers_numbers(found)) == ({}, [])


def test_models_may_be_probed_in_some_languages_only():
    config = replace(TINY, model=("one=fake@en", "two=random:fake"), twins=True)
    assert [(arm.title, arm.languages) for arm in arms(config)[:3]] == [
        ("one", ("en",)), ("one, random weights", ("en",)), ("two", ("ru", "en")),
    ]  # fmt: skip


@pytest.mark.needs("models")
def test_baselines_of_tokenizers_and_vectors(tmp_path, model):
    (tmp_path / "vectors.txt").write_text("saw 1 0\nsees 0 1\nfound 1 0\nfinds 0 1\ncalled 1 0\ncalls 0 1\n")
    choice = Baselines(tokenizers=(str(model.source.folder),), vectors=(f"en={tmp_path / 'vectors.txt'}",))
    config = replace(
        TINY, model=(), data=replace(TINY.data, languages=("en",)), tasks=("past_present",), baselines=choice,
        coarse=Coarse(), probe=ProbeChoice(("logistic",)),
    )  # fmt: skip
    store = Store(tmp_path / "store").open()
    assert {outcome.status for outcome in run_jobs(jobs(config), store, SerialRunner())} == {"done"}
    found = report(config, Results(store))
    row = found.sections[0].items[0].rows[0]
    values = [getattr(row[f"b{place}"], "value", row[f"b{place}"]) for place in range(4)]
    length, *others = [getattr(value, "value", value) for value in values]
    assert min(others) > 0.8 > length
    assert found.answer.sentence == "No model was probed: the report has only baselines and data."
    assert found.verdict == []


@pytest.mark.needs("models")
def test_jobs_run_where_only_the_computing_libraries_are(tmp_path):
    settings = {
        "preset": "tiny", "data": {"languages": ["en"]}, "tasks": ["subj_number"], "probe": {"kinds": ["logistic"]},
        "neurons": {"run": False}, "coarse": {"seeds": []}, "similarity": {"measures": []},
        "selectivity": False, "description_length": False,
    }  # fmt: skip
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    code = (
        "import sys\n"
        "for name in ('pydantic', 'altair', 'vl_convert', 'nltk', 'ray', 'typer', 'spacy'): sys.modules[name] = None\n"
        "from goldproof.studies.compute import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "probing", str(tmp_path / "settings.json"), str(tmp_path / "store")]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.startswith("{'done': 11}")


def test_planning_is_light():
    code = (
        "import sys; from goldproof.studies.probing import TINY, jobs; jobs(TINY); "
        "print(sorted({'altair', 'pydantic', 'torch', 'transformers', 'spacy'} & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout == "[]\n"


def test_tree_depth_of_x_probe_is_split_anew_and_odd_man_out_loses_what_leaks(published, tmp_path):
    config = Config(data=Data(corpus="xprobe", root=str(published), languages=("en",)))
    store = Store(tmp_path).open()
    wanted = {task: facts_job(config, "en", task) for task in ("tree_depth", "odd_man_out")}
    assert {outcome.status for outcome in run_jobs(wanted.values(), store, SerialRunner())} == {"done"}
    facts = {task: store.load(job.key) for task, job in wanted.items()}
    assert "10,000 of the 10,000 test texts also occur in training: the distinct texts were split again" in str(
        facts["tree_depth"].notes
    )
    assert facts["odd_man_out"].n_left_out == 441
    ready = store.load(task_job(config, "en", "odd_man_out").key)
    assert not texts_of(ready, "test") & (texts_of(ready, "train") | texts_of(ready, "validation"))


def likeness_of(places: tuple[tuple[int, int], ...]) -> Likeness:
    return Likeness(places, 50, {"plain": np.full((len(places), len(places)), 0.5)}, {}, {})


@pytest.mark.parametrize(
    ("titles", "places", "expected"),
    [
        (["a"], ((0, 0),), "one layer only"),
        (["a", "b"], ((0, 0), (1, 0)), "0.50 between models"),
        (["a", "b"], ((0, 0), (0, 1), (1, 0)), "0.50 within models, 0.50 between models"),
    ],
)
def test_models_of_one_layer_have_no_similarity_within(titles, places, expected):
    language = similarity._Compared("en", titles, [likeness_of(places)], [])
    assert similarity._finding(language, language.mean("plain")) == expected
