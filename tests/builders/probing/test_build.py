"""Tasks as a whole: balanced, disjoint, the same from the same seed whatever the order, in bounded memory."""

from __future__ import annotations

import json
import runpy
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr
from tests.builders.probing.made import make_treebank
from tests.conftest import ROOT

from goldproof.builders.probing import (
    BuildSettings,
    SplitSizes,
    build_gapping,
    build_tasks,
    open_treebanks,
    write_tasks,
)
from goldproof.builders.probing.balance import DEPTH_SHARES, balance, correlate, decorrelate
from goldproof.builders.probing.sampling import LabelledSentence, Sampler, rank_of
from goldproof.builders.probing.splits import SPLITS, split_rows
from goldproof.builders.probing.statistics import describe, why_few
from goldproof.data.checking.duplicates import normalize
from goldproof.data.corpora.published import read_published
from goldproof.errors import UsageError

TASKS = ("SentLen", "TreeDepth", "SubjNumber", "ObjNumber", "PT", "NShift", "BShift", "SOMO", "WC")
OURS = BuildSettings(tasks=TASKS, min_frequency=0)


def write(path, blocks):
    path.write_text("".join(blocks), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    path = write(tmp_path_factory.mktemp("made") / "en_made.conllu", make_treebank(3000))
    return build_tasks(open_treebanks([path]), OURS)


def test_classes_are_balanced_in_every_split_and_no_sentence_is_in_two(built):
    assert {task.task.name for task in built.tasks} == set(TASKS)
    for task in built.tasks:
        keys = [row.candidate.key for row in task.rows]
        assert len(keys) == len(set(keys))
        if task.task.name == "TreeDepth":
            continue
        for split in SPLITS:
            counts = Counter(row.candidate.label for row in task.rows if row.split == split)
            assert len(set(counts.values())) == 1, (task.task.name, split)
            assert set(counts) == {row.candidate.label for row in task.rows}


def test_the_order_of_sentences_does_not_matter_and_the_seed_does(tmp_path):
    blocks = make_treebank(400)
    first = build_tasks(
        open_treebanks([write(tmp_path / "en_a.conllu", blocks)]),
        BuildSettings(tasks=("NShift", "PT"), min_frequency=0),
    )
    second = build_tasks(
        open_treebanks([write(tmp_path / "en_b.conllu", blocks[::-1])]),
        BuildSettings(tasks=("NShift", "PT"), min_frequency=0),
    )
    other = build_tasks(
        open_treebanks([tmp_path / "en_a.conllu"]), BuildSettings(tasks=("NShift", "PT"), min_frequency=0, seed=1)
    )
    rows = [
        [(task.task.name, row.split, row.candidate) for task in made.tasks for row in task.rows]
        for made in (first, second, other)
    ]
    assert rows[0] == rows[1]
    assert rows[0] != rows[2]


def test_sizes_are_kept_and_a_repeated_sentence_comes_in_once(tmp_path):
    blocks = make_treebank(300)
    again = make_treebank(300, prefix="again")
    path = write(tmp_path / "en_made.conllu", blocks + again)
    (task,) = build_tasks(
        open_treebanks([path]), BuildSettings(tasks=("PT",), sizes=SplitSizes(40, 10, 10), min_frequency=0)
    ).tasks
    assert Counter(row.split for row in task.rows) == {"train": 40, "validation": 10, "test": 10}
    assert len({normalize(row.candidate.text) for row in task.rows}) == 60
    assert sum(task.labelled.values()) == 600


def test_depth_and_length_are_decorrelated(built):
    (task,) = [task for task in built.tasks if task.task.name == "TreeDepth"]
    before, after = (task.notes[f"correlation of depth and length {when}"] for when in ("before", "after"))
    lengths = [len(row.candidate.tokens) for row in task.rows]
    depths = [int(row.candidate.label) for row in task.rows]
    assert after == pytest.approx(pearsonr(depths, lengths).statistic)
    assert before > 0.5
    assert abs(after) < 0.1
    shares = {label: n / len(task.rows) for label, n in Counter(row.candidate.label for row in task.rows).items()}
    assert shares == pytest.approx(DEPTH_SHARES, abs=0.05)


def candidate(number: int, label: str, length: int) -> LabelledSentence:
    return LabelledSentence(f"k{number}", str(number), label, ("w",) * length, None, rank_of(0, "t", str(number)))


@given(st.dictionaries(st.tuples(st.sampled_from("56789"), st.integers(5, 12)), st.integers(1, 60), min_size=1))
@settings(max_examples=40, deadline=None)
def test_decorrelated_depths_have_the_same_lengths(counts):
    cells, number = {}, 0
    for (depth, length), n in counts.items():
        cells[depth, length] = [candidate(number + i, depth, length) for i in range(n)]
        number += n
    chosen = decorrelate(cells, DEPTH_SHARES, 10_000)
    for length in {length for _, length in cells}:
        taken = {depth: sum(len(row.tokens) == length for row in chosen[depth]) for depth in DEPTH_SHARES}
        room = min(len(cells.get((depth, length), ())) / share for depth, share in DEPTH_SHARES.items())
        for depth, share in DEPTH_SHARES.items():
            assert taken[depth] <= len(cells.get((depth, length), ()))
            assert share * room - 1 < taken[depth] <= share * room + 1e-6


@given(st.lists(st.tuples(st.integers(5, 9), st.integers(5, 25)), min_size=3, max_size=60))
@settings(max_examples=60, deadline=None)
def test_correlation_is_pearsons(pairs):
    counts = Counter((str(depth), length) for depth, length in pairs)
    depths, lengths = np.array(pairs).T
    if len(set(depths)) == 1 or len(set(lengths)) == 1:
        assert correlate(counts) is None
    else:
        assert correlate(counts) == pytest.approx(pearsonr(depths, lengths).statistic, abs=1e-9)


@given(st.lists(st.integers(0, 400), max_size=300), st.integers(1, 20), st.randoms())
@settings(max_examples=60, deadline=None)
def test_a_sampler_keeps_the_lowest_ranks_whatever_the_order(numbers, capacity, random):
    def sample(order):
        sampler = Sampler(capacity)
        for number in order:
            sampler.offer("a", candidate(number, "a", 5))
        return [c.id for c in sampler.strata().get("a", [])]

    shuffled = list(numbers)
    random.shuffle(shuffled)
    lowest = sorted(set(numbers), key=lambda number: rank_of(0, "t", str(number)))[:capacity]
    assert sample(numbers) == sample(shuffled) == [str(number) for number in lowest]


def test_a_sentence_with_two_labels_is_left_out():
    sampler = Sampler(10)
    for label in "ab":
        sampler.offer(label, LabelledSentence("same", label, label, ("w",), None, 1))
    sampler.offer("a", candidate(1, "a", 5))
    assert {label: [c.key for c in rows] for label, rows in sampler.strata().items()} == {"a": ["k1"], "b": []}


@given(st.dictionaries(st.sampled_from("abcd"), st.integers(3, 200), min_size=2), st.integers(2, 100))
@settings(max_examples=50, deadline=None)
def test_splits_are_balanced_and_complete(counts, most):
    classes = {label: [candidate(hash((label, i)) & 0xFFFF, label, 5) for i in range(n)] for label, n in counts.items()}
    chosen = balance(classes, max(3, most))
    rows = split_rows(chosen, SplitSizes(10, 1, 1))
    n = min(max(3, most), *counts.values())
    assert len(rows) == n * len(counts)
    for split in SPLITS:
        found = Counter(row.candidate.label for row in rows if row.split == split)
        assert len(set(found.values())) == 1
        assert set(found) == set(counts)


def test_files_statistics_and_check(built, tmp_path):
    for form, path in (("senteval", "past_present.txt"), ("rusenteval", "predicate_tense.txt")):
        report = write_tasks(built, tmp_path / form, form)
        assert [finding for finding in report.findings if finding.severity == "problem"] == []
        data = read_published(tmp_path / form / path, "split-label-text")
        (task,) = [task for task in built.tasks if task.task.name == "PT"]
        assert [(row["split"], row["label"], row["text"]) for row in data] == [
            (row.split, row.candidate.label, row.candidate.text) for row in task.rows
        ]
    write_tasks(built, tmp_path / "xprobe", "xprobe")
    test_rows = read_published(tmp_path / "xprobe/past_present/te.txt", "text-label")
    assert len(test_rows) == sum(row.split == "test" for row in task.rows)
    summary = json.loads((tmp_path / "senteval/build.json").read_text(encoding="utf-8"))
    assert summary["settings"]["seed"] == 0
    assert [source["name"] for source in summary["sources"]] == ["en_made.conllu"]
    figures = summary["tasks"]["PT"]["statistics"][-1]
    assert figures["rows"] == len(task.rows) == sum(figures["labels"].values())
    assert figures["tokens"] == sum(len(row.candidate.tokens) for row in task.rows)
    assert figures == json.loads(json.dumps(describe_plain(task)))
    assert "Leak check: 0 problems." in (tmp_path / "senteval/README.md").read_text(encoding="utf-8")


def test_a_task_with_few_test_rows_is_written_with_a_warning(built, tmp_path):
    (few,) = build_tasks(built_from(tmp_path, 200), BuildSettings(tasks=("PT",), min_frequency=0)).tasks
    n = sum(row.split == "test" for row in few.rows)
    warning = why_few(few.rows)
    assert warning == (
        f"{n} test rows: an accuracy of 50 % on them would be known only to ±{round(98 / n**0.5)} points; use more "
        "sentences, or give test a larger share (splits are in the ratio of --train, --validation and --test)"
    )
    write_tasks(build_tasks(built_from(tmp_path, 200), BuildSettings(tasks=("PT",), min_frequency=0)), tmp_path / "out")
    summary = json.loads((tmp_path / "out/build.json").read_text(encoding="utf-8"))
    assert summary["warnings"] == {"PT": warning}
    assert f"- PT: {warning}." in (tmp_path / "out/README.md").read_text(encoding="utf-8")
    even = BuildSettings(tasks=("PT",), min_frequency=0, sizes=SplitSizes(1000, 1000, 5000))
    (enough,) = build_tasks(built_from(tmp_path, 200), even).tasks
    assert why_few(enough.rows) is None


def built_from(folder, n):
    return open_treebanks([write(folder / "en_few.conllu", make_treebank(n))])


def describe_plain(task):
    last = describe(task.rows)[-1]
    names = ("split", "rows", "tokens", "unique_tokens", "tokens_per_sentence", "labels")
    return {name: getattr(last, name) for name in names}


def test_a_built_task_is_a_dataset(built):
    data = built.tasks[0].dataset("en", built.provenance)
    assert data.splits == SPLITS
    assert data.languages == ("en",)
    assert data.provenance.files == built.files


def test_a_language_may_have_two_genders(tmp_path):
    blocks = [
        block.replace("Number=Sing", f"Gender={gender}|Number=Sing").replace(
            "Number=Plur", f"Gender={gender}|Number=Plur"
        )
        for block, gender in zip(make_treebank(300), ["Com", "Neut"] * 149 + ["Masc", "Com"], strict=True)
    ]
    path = write(tmp_path / "sv_made.conllu", blocks)
    (task,) = build_tasks(open_treebanks([path]), BuildSettings(tasks=("SubjGender",), min_frequency=0)).tasks
    assert set(task.labelled) == {"C", "M", "N"}
    assert {row.candidate.label for row in task.rows} == {"C", "N"}


def test_what_cannot_be_built_is_named_with_the_reason(tmp_path):
    path = write(tmp_path / "en_made.conllu", make_treebank(200))
    made = build_tasks(
        open_treebanks([path]), BuildSettings(tasks=("PA", "SubjGender", "ImpersonalSent", "Gapping"), min_frequency=0)
    )
    assert made.tasks == ()
    assert made.skipped == {
        "PA": "the treebank lacks Aspect: 0.0% of its words tagged VERB have it",
        "SubjGender": "the treebank lacks Gender: 0.0% of its words tagged NOUN have it",
        "ImpersonalSent": "its rules are for ru; the language is en",
        "Gapping": "class 0 has 0 sentences, and 10 are needed; "
        "most sentences were left out because there is one clause only (200)",
    }


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SplitSizes(train=0), "the size of train must be at least 1; got 0"),
        (
            lambda: BuildSettings(tokens=(9, 5)),
            "tokens must be a minimum of at least 1 and a larger maximum; got 9 and 5",
        ),
        (lambda: BuildSettings(min_per_class=2), "min_per_class must be at least 3, one for each split; got 2"),
    ],
)
def test_settings_are_checked(make, message):
    with pytest.raises(UsageError) as caught:
        make()
    assert str(caught.value) == message


def test_gapping_from_the_published_corpus(published):
    folder = published / "probing" / "agrr2019"
    made = build_gapping([folder / "dev.csv", folder / "test_gold_standard.csv"])
    (task,) = made.tasks
    assert made.n_sentences == 6187
    assert Counter(row.candidate.label for row in task.rows) == {"0": 1344, "1": 1344}
    assert Counter(row.split for row in task.rows) == {"train": 2240, "validation": 224, "test": 224}
    texts = {row.candidate.text: row.candidate.label for row in task.rows}
    assert texts["Я превращу твое сердце в траву , а все , что ты любишь , в овец ."] == "1"


def test_every_task_that_the_treebanks_allow_and_the_page_that_shows_them(published):
    pytest.importorskip("wordfreq", reason="the frequency filter needs wordfreq")
    pytest.importorskip("pymorphy3", reason="Russian parts of speech need pymorphy3")
    script = runpy.run_path(str(ROOT / "docs" / "make_probing_tasks.py"))
    built = script["build_all"](published / "treebanks")
    for language, expected in (
        ("ru", {"BShift"}),
        ("en", {"ImpersonalSent", "SubjGender", "ObjGender", "PA", "Gapping"}),
    ):
        assert set(built[language].skipped) == expected
        assert all(len(task.rows) >= 20 for task in built[language].tasks)
    page = (ROOT / "docs" / "reference" / "probing-tasks.md").read_text(encoding="utf-8")
    assert script["make_page"](built) == page, "run docs/make_probing_tasks.py"
