"""`score`: right numbers, stated limits, never a silent number."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef
from tests.judging.files import noisy_rows, several_runs, write_jsonl

import goldproof
from goldproof.cli import run_command
from goldproof.errors import DataError, UsageError
from goldproof.statistics.proportions import significant_difference


def column(rows, name):
    return [row[name] for row in rows]


def test_scores_are_scikit_learns(tmp_path):
    rows = noisy_rows(300, 0.7, 1)
    (one,) = goldproof.score(write_jsonl(tmp_path / "a.jsonl", rows)).sets
    gold, predicted = column(rows, "gold"), column(rows, "prediction")
    assert one.estimates["accuracy"].value == pytest.approx(accuracy_score(gold, predicted))
    assert one.estimates["mcc"].value == pytest.approx(matthews_corrcoef(gold, predicted))
    assert one.estimates["macro_f1"].value == pytest.approx(f1_score(gold, predicted, average="macro"))


def test_the_order_of_rows_and_of_files_makes_no_difference(tmp_path):
    rows = several_runs(120, 0.7, range(3))
    shuffled = [rows[i] for i in np.random.default_rng(0).permutation(len(rows))]
    one = goldproof.score(write_jsonl(tmp_path / "a.jsonl", rows)).to_arrow()
    other = goldproof.score(write_jsonl(tmp_path / "b.jsonl", shuffled)).to_arrow()
    assert one.equals(other)


def test_every_xnli_file_has_the_accuracy_in_its_name(published):
    """The names hold the accuracy in hundredths of a percent, truncated."""
    files = sorted((published / "predictions" / "xnli").glob("*/*.json"))
    assert len(files) == 7
    for file in files:
        (one,) = goldproof.score(file).sets
        assert math.floor(round(1e4 * one.estimates["accuracy"].value, 6)) == int(file.stem.split("_")[1])


def test_the_thresholds_that_the_paper_rounds_up():
    assert round(100 * significant_difference(4000), 2) == 2.19
    assert round(100 * significant_difference(5010), 2) == 1.96


def test_one_run_says_nothing_of_another_seed(tmp_path):
    scores = goldproof.score(write_jsonl(tmp_path / "a.jsonl", noisy_rows(50, 0.7, 1)))
    assert scores.notes == [
        "One run only ('all'): the intervals are over items and say nothing about another seed.",
    ]
    assert scores.sets[0].estimates["accuracy"].method.endswith("items only, one run")
    assert scores.sets[0].components is None


def test_several_runs_give_stability(tmp_path):
    (one,) = goldproof.score(write_jsonl(tmp_path / "a.jsonl", several_runs(400, 0.8, range(5)))).sets
    assert one.run_names == ("0", "1", "2", "3", "4")
    assert one.churn == pytest.approx(0.32, abs=0.05)  # two independent runs that are right 80 % differ in 2·.8·.2
    assert "5 runs × items" in one.estimates["accuracy"].method


def test_no_rival_is_said_to_show_more_than_the_share_of_answers_that_differ(tmp_path, capsys):
    path = write_jsonl(tmp_path / "runs.jsonl", several_runs(60, 0.97, range(3)))
    scores = goldproof.score(path)
    (one,) = scores.sets
    assert 0 < one.churn < one.detectable < 1
    churn, least = f"{100 * one.churn:.1f} %", f"{100 * one.detectable:.1f} points"
    assert scores.report().answer.takes == (
        f"A rival that differs from this model in {churn} of answers, as two of its runs do, cannot show a difference "
        f"(80 % power): that takes at least {least}, more than the share of answers that differ."
    )
    assert run_command(["score", str(path)]) == 0
    assert (
        "no possible difference in accuracy between this model and a rival could be shown with 80 % power if they "
        f"differ in {churn} of answers, as two of its runs do: that takes at least {least}\n"
    ) in capsys.readouterr().out


def test_a_label_that_is_never_predicted_is_named(tmp_path):
    rows = [{**row, "prediction": "no"} for row in noisy_rows(60, 0.7, 1)]
    scores = goldproof.score(write_jsonl(tmp_path / "a.jsonl", rows), settings=goldproof.Settings(metric="mcc"))
    assert scores.sets[0].estimates["mcc"].value == 0
    assert "all: the label 'yes' is never predicted; its F1 counts as 0." in scores.notes


def test_a_constant_predictor_is_chance_and_a_perfect_one_is_not(tmp_path):
    tags = ["a", "b", "c"]
    for name, answer, verdict in (
        ("constant", lambda row: "no", {"not distinguishable from chance"}),
        ("perfect", lambda row: row["gold"], {"above chance"}),
    ):
        rows = [{**r, "prediction": answer(r), "tags": [tags[i % 3]]} for i, r in enumerate(noisy_rows(150, 0.7, 1))]
        scores = goldproof.score(
            write_jsonl(tmp_path / f"{name}.jsonl", rows), settings=goldproof.Settings(metric="mcc")
        )
        assert {tag.verdict for tag in scores.tags} == verdict
        assert {round(tag.estimate.value, 6) for tag in scores.tags} == ({0.0} if name == "constant" else {1.0})


def test_a_tag_of_three_items_gets_a_score_and_no_claim(tmp_path):
    rows = [{**row, "tags": ["rare"] if i < 3 else ["common"]} for i, row in enumerate(noisy_rows(90, 0.9, 1))]
    common, rare = goldproof.score(write_jsonl(tmp_path / "a.jsonl", rows)).tags
    assert (rare.tag, rare.estimate.n, rare.verdict) == ("rare", 3, "too few items")
    assert math.isnan(rare.adjusted)
    assert (common.tag, common.verdict) == ("common", "above chance")


def test_categories_of_a_random_predictor_are_not_discovered(tmp_path):
    """20 categories, 40 files of guesses: false discoveries stay about as rare as asked for."""
    discoveries = 0
    for seed in range(40):
        rows = [{**row, "tags": [f"t{i % 20}"]} for i, row in enumerate(noisy_rows(600, 0.5, seed))]
        tags = goldproof.score(write_jsonl(tmp_path / "a.jsonl", rows)).tags
        discoveries += any(tag.verdict in ("above chance", "below chance") for tag in tags)
    assert discoveries <= 6  # a rate of 5 % gives more than 6 of 40 once in 250 times


def test_regression_and_tagging(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    rows = [
        {"id": str(i), "gold": float(v), "prediction": float(v + e), "run": str(run)}
        for run in range(3)
        for i, (v, e) in enumerate(zip(x, np.random.default_rng(run).normal(size=80), strict=True))
    ]
    (one,) = goldproof.score(write_jsonl(tmp_path / "r.jsonl", rows)).sets
    by_run = [np.corrcoef(x, [r["prediction"] for r in rows if r["run"] == str(k)])[0, 1] for k in range(3)]
    assert one.estimates["pearson"].value == pytest.approx(np.mean(by_run))
    assert one.estimates["pearson"].low < np.mean(by_run) < one.estimates["pearson"].high
    tagged = [
        {"id": "1", "gold": ["B-PER", "I-PER", "O"], "prediction": ["B-PER", "I-PER", "O"]},
        {"id": "2", "gold": ["O", "B-LOC"], "prediction": ["O", "O"]},
        {"id": "3", "gold": ["B-LOC"], "prediction": ["B-PER"]},
    ]
    (one,) = goldproof.score(write_jsonl(tmp_path / "t.jsonl", tagged)).sets
    assert one.estimates["span_f1"].value == pytest.approx(2 * 1 / (3 + 2))


def test_spearman_is_spearmans_for_categories_runs_and_checkpoints_too(tmp_path):
    rng = np.random.default_rng(3)
    gold = rng.uniform(0, 5, 80)
    rows = [
        {"id": str(i), "run": run, "step": step, "split": split, "gold": gold[i], "tags": [f"half:{i % 2}"]}
        | {"prediction": gold[i] ** 3 + rng.normal(0, 20 / step)}
        for split in ("dev", "test")
        for run in ("0", "1")
        for step in (1, 2, 3)
        for i in range(80)
    ]
    scores = goldproof.score(write_jsonl(tmp_path / "a.jsonl", rows), settings=goldproof.Settings(metric="spearman"))

    def spearman(**where):
        found = [row for row in rows if all(row[name] == value for name, value in where.items())]
        return spearmanr(column(found, "gold"), column(found, "prediction")).statistic

    for one in scores.sets:
        by_run = [spearman(step=3, run=run, **one.where) for run in ("0", "1")]
        assert one.run_scores == pytest.approx(by_run)
        assert one.components is None
    for tag in scores.tags:
        by_run = [spearman(step=3, run=run, tags=[tag.tag], **tag.where) for run in ("0", "1")]
        assert tag.run_scores == pytest.approx(by_run)
        assert tag.estimate.value == pytest.approx(np.mean(by_run))
    for path in scores.trajectories:
        assert path.scores[0] == pytest.approx([spearman(step=step, run="0", **path.where) for step in (1, 2, 3)])


def test_twins_widen_the_interval(tmp_path):
    """Every item doubled: with clusters the interval is that of the single items, without it is too narrow."""
    rows = noisy_rows(100, 0.7, 1)
    doubled = [{**row, "id": f"{row['id']}{k}", "cluster": row["id"]} for row in rows for k in "ab"]
    widths = []
    for name, content, cluster in (("once", rows, "auto"), ("twice", doubled, "auto"), ("naive", doubled, "none")):
        scores = goldproof.score(
            write_jsonl(tmp_path / f"{name}.jsonl", content), settings=goldproof.Settings(cluster=cluster)
        )
        estimate = scores.sets[0].estimates["mcc"]
        widths.append(estimate.high - estimate.low)
    assert widths[1] == pytest.approx(widths[0], rel=0.06)
    assert widths[2] < 0.8 * widths[0]


def test_agreement_over_steps(tmp_path):
    rows = []
    for run in range(3):
        for step in range(1, 7):
            accuracy = 0.5 + 0.07 * step
            for split, seed in (("dev", 7), ("test", 8)):
                rows += noisy_rows(200, accuracy, 100 * run + 10 * seed + step, run=str(run), step=step, split=split)
    scores = goldproof.score(write_jsonl(tmp_path / "a.jsonl", rows))
    (found,) = scores.agreement
    assert (found.n_runs, found.n_steps) == (3, 6)
    assert found.estimate.value > 0.9
    assert {one.name(): one.n_items for one in scores.sets} == {"dev": 200, "test": 200}
    assert "The scores are those of the last step of each run." in scores.notes


def test_calibration(tmp_path):
    rows = noisy_rows(200, 0.8, 1)
    sure = [
        {**r, "probabilities": {"no": 1.0, "yes": 0.0} if r["prediction"] == "no" else {"no": 0.0, "yes": 1.0}}
        for r in rows
    ]
    found = goldproof.score(write_jsonl(tmp_path / "a.jsonl", sure)).sets[0].calibration
    wrong = np.mean([r["gold"] != r["prediction"] for r in rows])
    assert found.error == pytest.approx(wrong)
    assert found.brier.value == pytest.approx(2 * wrong)


def test_runs_that_answer_other_items_are_an_error_unless_the_common_ones_are_asked_for(tmp_path):
    rows = several_runs(30, 0.7, range(2))[:-1]
    path = write_jsonl(tmp_path / "a.jsonl", rows)
    with pytest.raises(DataError) as caught:
        goldproof.score(path)
    assert str(caught.value) == (
        "the runs do not answer the same items: run '1' lacks 1 of 30 items ('29'…); --common uses those they all share"
    )
    scores = goldproof.score(path, settings=goldproof.Settings(common=True))
    assert scores.sets[0].n_items == 29
    assert scores.notes[0] == "run '1' lacks 1 of 30 items; the 29 items that all runs share are used"


def test_gold_that_differs_between_runs_is_an_error(tmp_path):
    rows = several_runs(30, 0.7, range(2))
    rows[-1]["gold"] = "yes" if rows[-1]["gold"] == "no" else "no"
    with pytest.raises(DataError) as caught:
        goldproof.score(write_jsonl(tmp_path / "a.jsonl", rows))
    assert str(caught.value) == (
        "the gold of item '29' differs between runs; it must be the same: 'no' in run '0' and 'yes' in run '1'"
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            goldproof.Settings(metric="bleu"),
            "the metric 'bleu' does not fit classification; allowed: accuracy, mcc, macro_f1",
        ),
        (
            goldproof.Settings(cluster="author"),
            "there is no clustering 'author'; allowed: auto, none, cluster, text, pair, twins",
        ),
        (goldproof.Settings(cluster="twins"), "--cluster twins needs the columns 'text' and 'pair'"),
        (
            goldproof.Settings(cluster="cluster"),
            "--cluster cluster needs a column 'cluster'; columns found: id, gold, prediction",
        ),
    ],
)
def test_wrong_settings(tmp_path, settings, message):
    with pytest.raises(UsageError) as caught:
        goldproof.score(write_jsonl(tmp_path / "a.jsonl", noisy_rows(20, 0.7, 1)), settings=settings)
    assert str(caught.value) == message


def test_streaming_gives_the_same_scores(tmp_path):
    """The same file counted as it streams and held in memory."""
    from goldproof.judging import streaming

    rows = [
        {**row, "language": lang, "tags": ["x"] if i % 2 else ["x", "y"]}
        for lang in ("en", "fr")
        for i, row in enumerate(noisy_rows(400, 0.7, len(lang)))
    ]
    path = write_jsonl(tmp_path / "a.jsonl", rows)
    held = goldproof.score(path)
    counted = streaming.score_stream(path, None, goldproof.Settings())
    for a, b in zip(held.sets, counted.sets, strict=True):
        assert a.where == b.where
        for name, estimate in a.estimates.items():
            assert (b.estimates[name].value, b.estimates[name].low) == pytest.approx((estimate.value, estimate.low))
    for a, b in zip(held.tags, counted.tags, strict=True):
        assert (a.tag, a.where, a.verdict) == (b.tag, b.where, b.verdict)
        assert a.estimate.value == pytest.approx(b.estimate.value)
        assert a.p_value == pytest.approx(b.p_value)


def test_large_files_stream_by_themselves_and_say_so(tmp_path, monkeypatch):
    from goldproof.judging import streaming

    monkeypatch.setattr(streaming, "LARGEST_IN_MEMORY", 100)
    scores = goldproof.score(write_jsonl(tmp_path / "a.jsonl", several_runs(400, 0.7, range(3))))
    assert scores.notes[0].startswith("1200 rows were counted while streaming")
    assert scores.sets[0].estimates["accuracy"].method == "t over runs, items fixed"


def test_three_lines_of_python(tmp_path):
    scores = goldproof.score(write_jsonl(tmp_path / "a.jsonl", several_runs(60, 0.7, range(3))))
    frame = scores.to_pandas()
    assert list(frame["metric"]) == ["accuracy", "mcc", "macro_f1"]
    assert "<table" in scores._repr_html_()


def test_files_of_one_name_are_models_of_their_own(tmp_path):
    """Two files of one name in folders of one name are told apart, and not counted as one model."""
    files = [tmp_path / parent / "x" / "p.jsonl" for parent in ("old", "new")]
    for file, accuracy in zip(files, (0.6, 0.9), strict=True):
        file.parent.mkdir(parents=True)
        write_jsonl(file, noisy_rows(100, accuracy, 1))
    scores = goldproof.score(files)
    alone = [goldproof.score(file).sets[0].estimates["accuracy"].value for file in files]
    found = {one.where["model"]: one.estimates["accuracy"].value for one in scores.sets}
    assert found == dict(zip(("old/x/p", "new/x/p"), alone, strict=True))


def test_a_file_given_twice_is_refused(tmp_path):
    file = write_jsonl(tmp_path / "a.jsonl", noisy_rows(20, 0.7, 1))
    with pytest.raises(UsageError) as caught:
        goldproof.score([file, tmp_path / "." / "a.jsonl"])
    assert str(caught.value) == f"the file {file} is given twice; give each file once"
