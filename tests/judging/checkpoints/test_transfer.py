"""Transfer judged from answers and from files: known answers, invariances, and what it refuses to say."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.judging.checkpoints.experiments import checkpoints, exact_set, experiment, noisy_set, right_codes, rows_of
from tests.judging.files import write_jsonl
from tests.report.sentences import unfinished

from goldproof.cli import run_command
from goldproof.data.answers import Answers, span_answers
from goldproof.data.predictions import read_predictions
from goldproof.errors import DataError
from goldproof.judging.checkpoints.analysis import analyse, claim_of, why_not_paired
from goldproof.judging.checkpoints.answer import transfer_figure
from goldproof.judging.checkpoints.experiment import experiment_of
from goldproof.judging.checkpoints.guide import Counting, guidance, guidance_together, mean_guidance
from goldproof.judging.checkpoints.luck import loss_against, spread_of
from goldproof.judging.checkpoints.reading import answers_of, judge_transfer
from goldproof.judging.checkpoints.rules import RuleScore, choose_points, mean_gains
from goldproof.judging.checkpoints.sets import make_set
from goldproof.judging.metrics import metric_of, run_scores
from goldproof.report.write import write_report
from goldproof.statistics.agreement import directional_agreement
from goldproof.statistics.comparison import compare_runs
from goldproof.statistics.estimate import Estimate

RISE = np.array([[0.50, 0.60, 0.70, 0.80], [0.50, 0.62, 0.71, 0.80]])


def four_sets(target_test, target_dev, source_dev=RISE, source_test=RISE):
    return experiment(
        [
            exact_set("en", "dev", source_dev, 100),
            exact_set("en", "test", source_test),
            exact_set("de", "dev", target_dev, 100),
            exact_set("de", "test", target_test),
        ]
    )


@pytest.mark.parametrize(
    ("development", "expected"),
    [(RISE, 1.0), (RISE[:, ::-1], 0.0), (np.full((2, 4), 0.7), 0.5)],
    ids=["1", "0", "ties"],
)
def test_agreement_of_constructed_trajectories(development, expected):
    found = analyse(four_sets(RISE, RISE, development))
    (result,) = found.languages
    assert result.by_source.whole.value == expected
    assert result.by_target is not None
    assert result.by_target.whole.value == 1.0
    assert found.overall.source.value == expected
    tied = guidance(development, RISE, Counting(ties=0.0))
    assert tied.whole.value == (0.0 if expected == 0.5 else expected)


def test_pairs_below_the_threshold_do_not_count():
    target = np.array([[0.500, 0.504, 0.510]])
    found = guidance(np.array([[0.1, 0.2, 0.3]]), target, Counting(threshold=0.005))
    assert found.whole.n == 2  # 0.500 to 0.504 is too little
    assert found.whole.value == 1.0


def test_rules_choose_the_checkpoints_that_they_say():
    source_dev = np.array([[0.6, 0.9, 0.9, 0.7], [0.9, 0.6, 0.6, 0.6]])
    target_dev = np.array([[0.2, 0.3, 0.4, 0.1], [0.1, 0.2, 0.3, 0.9]])
    other = np.array([[0.9, 0.1, 0.1, 0.1], [0.1, 0.9, 0.1, 0.1]])
    sure = np.array([[-0.1, -0.9, -0.2, -0.1], [-0.9, -0.1, -0.1, -0.1]])
    made = experiment(
        [
            exact_set("en", "dev", source_dev, 100, confidence=sure),
            exact_set("de", "dev", target_dev, 100),
            exact_set("de", "test", RISE),
            exact_set("fr", "dev", other, 100),
            exact_set("fr", "test", RISE),
        ]
    )
    chosen = {
        "source dev": [1, 0],
        "source dev, surest": [2, 0],
        "last": [3, 3],
        "target dev": [2, 3],
        "other dev": [0, 1],  # mean of en and fr: .75 .5 .5 .4 and .5 .75 .35 .35
    }
    for rule, points in chosen.items():
        assert choose_points(rule, made, "de").tolist() == points, rule
    found = analyse(made)
    assert found.rule("de", "target dev").run_scores == pytest.approx([0.70, 0.80])
    gain = found.rule("de", "target dev").difference
    assert gain is not None
    assert gain.value == pytest.approx(((0.70 - 0.60) + (0.80 - 0.50)) / 2)
    assert found.rule("de", "averaged").reason == "the predictions have no probabilities"


def test_averaged_weights_are_a_rule_where_they_are_known():
    known = exact_set("de", "test", np.array([[0.80], [0.65]])).first
    dev = exact_set("en", "dev", np.tile([0.6, 0.9, 0.7, 0.7], (2, 1)), 100)
    with_mean, without = (
        analyse(experiment([dev, exact_set("de", "test", RISE, averaged_weights=answers)])) for answers in (known, None)
    )
    score = with_mean.rule("de", "averaged weights")
    assert score.run_scores == pytest.approx([0.80, 0.65])
    usual = with_mean.rule("de", "source dev").run_scores
    assert score.difference is not None
    assert score.difference.value == pytest.approx(np.mean([0.80, 0.65]) - usual.mean())
    assert 0 <= score.p_value <= score.adjusted <= 1
    reason = "the weights of checkpoints were not averaged (setting average_weights)"
    assert without.rule("de", "averaged weights").reason == reason
    half = with_mean.experiment.test("de").take(np.arange(0, 200, 2))
    assert half.averaged_weights is not None
    assert half.averaged_weights.runs.tolist() == known.runs[:, ::2].tolist()
    for found, is_said in ((with_mean, False), (without, True)):
        limits = [item.text for item in found.report().sections[-1].items]
        assert (f"Averaged weights are not compared: {reason}." in limits) is is_said


def test_gains_are_the_paired_comparison_over_runs_and_items():
    rng = np.random.default_rng(1)
    made = experiment(
        [noisy_set(name, split, np.full((4, 6), 0.7), rng) for name in ("en", "de") for split in ("dev", "test")]
    )
    found = analyse(made)
    test = made.test("de")
    a, b = (choose_points(rule, made, "de") for rule in ("target dev", "source dev"))
    one, other = test.at(a), test.at(b)
    measure = metric_of(one, "accuracy")
    expected = compare_runs(measure, one.gold, one.runs, other.runs, same_seeds=True).difference
    assert found.rule("de", "target dev").difference == expected
    assert [gain.rule for gain in found.gains] == ["last", "target dev"]
    both = 0.95**0.5  # the level of each of two intervals that hold together (Šidák)
    wider = compare_runs(measure, one.gold, one.runs, other.runs, same_seeds=True, level=both).difference
    overall = found.gain("target dev")
    assert overall is not None
    assert (overall.value, overall.low, overall.high) == pytest.approx((wider.value, wider.low, wider.high))
    assert overall.method == "4 runs × 200 items or clusters, variance components; mean of 1 set; for 2 rules together"


def test_items_that_favour_a_rule_in_every_run_show_no_gain():
    """Two checkpoints of equal skill; runs agree item by item, so that a t interval over runs shrinks to nothing."""
    rng = np.random.default_rng(8)
    n, false = 100, 0
    for _ in range(40):
        first, last = (rng.random((1, n)) < 0.7 for _ in range(2))
        right = np.stack([first, first, last], axis=1).repeat(10, axis=0)
        right ^= rng.random(right.shape) < 0.01
        gold = np.arange(n) % 2
        sets = [exact_set("en", "dev", np.tile([0.9, 0.8, 0.7], (10, 1)))]
        sets += [
            make_set(checkpoints(name, "test", gold, np.where(right, gold, 1 - gold)), "accuracy")
            for name in ("de", "fr")
        ]
        (gain,) = (each for each in mean_gains(experiment(sets), ("de", "fr")) if each.rule == "last")
        assert gain.n_languages == 2
        false += gain.estimate.low > 0 or gain.estimate.high < 0
        by_run = right[:, 2].mean(1) - right[:, 0].mean(1)
        assert gain.estimate.value == pytest.approx(by_run.mean())
    assert false <= 5


def test_regret_of_pure_noise_vanishes_when_corrected():
    """All checkpoints are equally good, so nothing could be gained; the best of 30 still looks 7 points better."""
    rng = np.random.default_rng(0)
    losses = [
        loss_against(noisy_set("de", "test", np.full((10, 30), 0.7), rng), np.zeros(10, int), rng) for _ in range(6)
    ]
    apparent = np.mean([loss.apparent for loss in losses])
    corrected = np.mean([loss.corrected.value for loss in losses])
    assert 0.05 < apparent < 0.09
    assert abs(corrected) < 0.008
    assert all(loss.corrected.low < 0 < loss.apparent < loss.corrected.high for loss in losses)


def test_true_regret_survives_the_correction():
    chances = np.full((8, 5), 0.6)
    chances[:, 3] = 0.9
    rng = np.random.default_rng(0)
    loss = loss_against(noisy_set("de", "test", chances, rng, 400), np.zeros(8, int), rng)
    assert loss.corrected.low < 0.3 < loss.corrected.high
    assert loss.corrected.low > 0.2


def test_forgetting_is_peak_minus_final():
    fall = np.array([[0.5, 0.9, 0.7], [0.5, 0.8, 0.7]])
    made = experiment([exact_set("en", "dev", RISE[:, :3]), exact_set("de", "test", fall)])
    (result,) = analyse(made).languages
    assert result.forgetting.apparent == pytest.approx(0.15)


def test_a_run_that_ended_early_has_its_own_last_checkpoint():
    gold, codes = right_codes(np.array([[0.5, 0.6, 0.7], [0.5, 0.6, 0.0]]), 100)
    codes[1, 2] = -1
    sets = [checkpoints(*name, gold, codes) for name in (("en", "dev"), ("de", "test"))]
    made = experiment([make_set(each, "accuracy") for each in sets])
    assert made.last_points().tolist() == [2, 1]
    assert analyse(made).rule("de", "last").run_scores == pytest.approx([0.7, 0.6])


def test_spread_is_max_min_and_cochrans_q():
    rng = np.random.default_rng(3)
    made = noisy_set("de", "test", np.full((5, 2), 0.7), rng, 300)
    spread = spread_of(made, np.ones(5, int))
    scores = made.scores[:, 1]
    assert (spread.highest, spread.lowest) == (scores.max(), scores.min())
    p = scores.mean()
    assert spread.significant == pytest.approx(stats.norm.ppf(0.975) * math.sqrt(2 * p * (1 - p) / 300))
    half = stats.t.ppf(0.975, 4) * scores.std(ddof=1) * math.sqrt(1.2)
    assert spread.another_run == pytest.approx(half)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10_000))
def test_order_of_items_and_of_runs_makes_no_difference(seed):
    rng = np.random.default_rng(seed)
    names = [(name, split) for name in ("en", "de") for split in ("dev", "test")]
    whole = [noisy_set(name, split, rng.uniform(0.5, 0.9, (3, 4)), rng, 40) for name, split in names]
    items, runs = rng.permutation(40), rng.permutation(3)
    other = [make_set([a.take(items).only_runs(runs) for a in each.checkpoints], "accuracy") for each in whole]
    (a,), (b,) = (analyse(experiment(sets)).languages for sets in (whole, other))
    assert a.by_source.whole.value == pytest.approx(b.by_source.whole.value, nan_ok=True)
    assert a.by_source.whole.low == pytest.approx(b.by_source.whole.low, nan_ok=True)
    assert a.regret.apparent == pytest.approx(b.regret.apparent)
    assert a.gap.difference is not None
    assert b.gap.difference is not None
    assert a.gap.difference.value == pytest.approx(b.gap.difference.value)
    assert a.gap.difference.low == pytest.approx(b.gap.difference.low)


def test_tagging_is_scored_by_spans():
    where, ids, gold = {"language": "de", "split": "test"}, np.array(["a", "b"], object), np.array([1, 1])
    one_found, both_found = (span_answers(np.array([found]), np.array([[1, 1]])) for found in ([1, 0], [1, 1]))
    steps = [
        Answers(where, step, "spans", (), ids, gold, runs, ("0",)) for step, runs in ((1, one_found), (2, both_found))
    ]
    made = make_set(steps, "span_f1")
    assert made.scores.tolist() == [[0.5, 1.0]]
    assert run_scores(made.at(np.array([0])), "span_f1").tolist() == [0.5]


def small_experiment(n_runs=3):
    rng = np.random.default_rng(5)
    names = [(name, split) for name in ("en", "de", "sw") for split in ("dev", "test")]
    return experiment([noisy_set(*name, np.full((n_runs, 4), 0.75), rng, 60) for name in names])


def test_a_file_says_the_same_as_the_answers(tmp_path):
    made = small_experiment()
    rows = rows_of(made)
    np.random.default_rng(0).shuffle(rows)
    path = write_jsonl(tmp_path / "predictions.jsonl", rows)
    again = experiment_of(answers_of(read_predictions(path)), "en")
    assert (again.steps, again.run_names) == (made.steps, made.run_names)
    for name, each in made.sets.items():
        np.testing.assert_array_equal(again.sets[name].scores, each.scores)
    one, other = judge_transfer(path, source_language="en"), analyse(made)
    given = judge_transfer([a for each in made.sets.values() for a in each.checkpoints], source_language="en")
    assert [r.claim for r in one.languages] == [r.claim for r in given.languages]
    assert [r.claim for r in one.languages] == [r.claim for r in other.languages]
    assert [r.gap for r in one.languages] == [r.gap for r in other.languages]


def test_rows_of_other_splits_are_passed_over(tmp_path):
    rows = rows_of(small_experiment())
    more = [row | {"split": "train"} for row in rows[:7]]  # an item here and there, as no run was asked for them
    paths = [write_jsonl(tmp_path / f"{name}.jsonl", each) for name, each in (("all", [*rows, *more]), ("own", rows))]
    one, other = (judge_transfer(path, source_language="en") for path in paths)
    assert [r.gap for r in one.languages] == [r.gap for r in other.languages]
    with pytest.raises(DataError) as caught:
        judge_transfer(write_jsonl(tmp_path / "none.jsonl", more), source_language="en")
    assert str(caught.value) == (
        "transfer needs development and test sets; there are no answers with the split dev or test"
    )


def test_the_command_judges_transfer(tmp_path, capsys):
    path = write_jsonl(tmp_path / "predictions.jsonl", rows_of(small_experiment()))
    out = tmp_path / "out"
    assert run_command(["score", str(path), "--source", "en", "--out", str(out), "--json"]) == 0
    form = json.loads(capsys.readouterr().out)
    assert set(form["claims"]) == {"de", "sw"}
    assert (out / "report.html").exists()
    assert run_command(["score", str(path), "--source", "en"]) == 0
    assert "source dev and test move the same way in" in capsys.readouterr().out
    assert run_command(["score", str(path), "--source", "fi"]) == 2
    message = "there is no source language 'fi' among the predictions; there are: de, en, sw"
    assert capsys.readouterr().err == f"error: {message}\n"
    assert run_command(["score", str(path), "--source", "en", "--cluster", "text"]) == 2
    assert capsys.readouterr().err == (
        "error: --cluster, --common, --missing, --by-row and --subset do not go with --source, which takes clusters "
        "from the column 'cluster' and needs every run to answer the same items\n"
    )


def test_tagging_files_are_judged(tmp_path):
    rows = [
        {"id": str(i), "run": r, "step": s, "language": name, "split": split, "gold": ["B-PER", "O"]}
        | {"prediction": ["B-PER", "O"] if (i + s + r) % 3 else ["O", "O"]}
        for name in ("en", "de")
        for split in ("dev", "test")
        for r in range(2)
        for s in range(3)
        for i in range(12)
    ]
    found = judge_transfer(write_jsonl(tmp_path / "a.jsonl", rows), source_language="en")
    (result,) = found.languages
    assert found.experiment.metric == "span_f1"
    assert result.gap.reason == (
        "not paired: the test sets of 'en' and 'de' are tagged word by word, and words differ between languages"
    )
    write_report(found.report(), tmp_path / "out")


def test_one_run_makes_no_claim_about_another(tmp_path):
    found = analyse(small_experiment(1))
    assert found.experiment.notes == (
        "One run only: nothing is claimed about another run, and intervals over runs are absent.",
    )
    assert {result.claim for result in found.languages} == {"of this run only"}
    assert found.languages[0].correlation.between.method == "not said: 1 run, at least 4 are needed"
    assert "Tango score" in found.languages[0].regret.corrected.method  # over items, in this run
    report = found.report()
    assert unfinished(report) == []
    assert report.answer.sentence == (
        "Undecided: there is only one run, so its scores may be claimed for this run only."
    )
    assert report.answer.takes == "It would take three or more runs of the same recipe."
    write_report(report, tmp_path / "out")


def test_a_language_without_development_set_goes_on_without_its_oracle(tmp_path):
    rest = [each for key, each in small_experiment().sets.items() if key != ("sw", "dev")]
    found = analyse(experiment(rest))
    assert found.experiment.notes == (
        "No development set in sw: the oracle (choosing by target dev) is not available there.",
    )
    assert found.rule("sw", "target dev").reason == "the language has no development set"
    assert found.rule("sw", "source dev").estimate is not None
    assert found.rule("de", "target dev").estimate is not None
    write_report(found.report(), tmp_path / "out")


def test_misaligned_test_sets_are_not_paired():
    a, b = (exact_set(name, "test", RISE, n) for name, n in (("en", 200), ("de", 150)))
    made = experiment([exact_set("en", "dev", RISE), a, b])
    assert why_not_paired(made, "de") == (
        "not paired: the test sets of 'en' and 'de' are not the same items (200 and 150; 50 ids are missing)"
    )
    swapped = exact_set("de", "test", RISE)
    swapped = make_set([replace(each, gold=1 - each.gold) for each in swapped.checkpoints], "accuracy")
    made = experiment([exact_set("en", "dev", RISE), a, swapped])
    (result,) = analyse(made).languages
    assert result.gap.difference is None
    assert result.gap.reason == (
        "not paired: the test sets of 'en' and 'de' have other gold labels under the same ids (200 of 200, first "
        "'0000')"
    )


def changed(rows, change):
    return [change(dict(row)) for row in rows]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda row: row | {"gold": "Wetter"} if row["language"] == "de" and row["gold"] == "no" else row,
            "the labels differ between languages: 'de' has 'Wetter', which the source 'en' does not have; its labels: "
            "no, yes",
        ),
        (
            lambda row: {key: value for key, value in row.items() if key != "step"},
            "transfer needs a column 'step'; columns found: id, gold, prediction, run, language, split",
        ),
        (
            lambda row: row | {"split": "test2"} if row["split"] == "dev" and row["language"] == "en" else row,
            "the source language 'en' has no development set to choose checkpoints by; its sets: test",
        ),
        (
            lambda row: (
                row | {"step": 9} if row["run"] == "1" and row["step"] == 2 and row["language"] == "sw" else row
            ),
            "sw dev: run '1' has no predictions at step 2; a run may end early, but must not skip a step",
        ),
        (
            lambda row: (
                row | {"gold": "no" if row["gold"] == "yes" else "yes"}
                if row["run"] == "1" and row["step"] == 2 and row["id"] == "0007" and row["language"] == "sw"
                else row
            ),
            "sw dev: the gold of item '0007' differs between runs or steps; it must be the same: 'yes' at run '0', "
            "step 1 and 'no' at run '1', step 2",
        ),
        (lambda row: row | {"model": row["run"]}, "transfer is judged for one model at a time; got 0, 1, 2"),
        (
            lambda row: row | {"split": "validation"} if row["split"] == "dev" and row["run"] == "1" else row,
            "de: a language may have one development set; got 2, as the splits 'dev', 'validation'",
        ),
    ],
)
def test_wrong_files_are_refused(tmp_path, change, message):
    rows = changed(rows_of(small_experiment()), change)
    if "step" not in rows[0]:
        rows = [row for i, row in enumerate(rows) if (i // 60) % 4 == 0]
    with pytest.raises(DataError) as caught:
        judge_transfer(write_jsonl(tmp_path / "a.jsonl", rows), source_language="en")
    assert str(caught.value) == message


def test_a_missing_item_is_named(tmp_path):
    rows = rows_of(small_experiment())[1:]
    with pytest.raises(DataError) as caught:
        judge_transfer(write_jsonl(tmp_path / "a.jsonl", rows), source_language="en")
    assert str(caught.value) == (
        "en dev: run '0' lacks 1 of 60 items at step 1, such as '0000'; every run needs the same items"
    )


@pytest.mark.parametrize(("metric", "floor"), [("accuracy", 0.5), ("mcc", 0.0), ("macro_f1", 1 / 3)])
def test_a_score_of_one_label_alone_is_never_claimed(metric, floor):
    up = np.tile(np.linspace(0.7, 0.9, 4), (3, 1))
    names = [(language, split) for language in ("en", "de") for split in ("dev", "test")]
    sure = [exact_set(*name, up, metric=metric) for name in names]
    alike = [replace(each, runs=np.ones_like(each.runs)) for each in sure[-1].checkpoints]
    (result,) = analyse(experiment([*sure[:-1], make_set(alike, metric)])).languages
    assert result.floor == pytest.approx(floor)
    assert result.claim == "nothing: every run collapsed"
    nearly = [replace(each, runs=np.tile(np.arange(200) >= 6, (3, 1)).astype(int)) for each in sure[-1].checkpoints]
    (result,) = analyse(experiment([*sure[:-1], make_set(nearly, metric)])).languages
    assert result.claim == (
        ("not distinguishable from the most frequent label") if floor else "not distinguishable from 0"
    )


@pytest.mark.parametrize(
    ("n", "claim"), [(40, "only with its interval"), (1000, "only with its interval"), (6000, "may be claimed")]
)
def test_runs_that_agree_do_not_make_a_few_items_enough(n, claim):
    """All runs score the same, so another run on these items is expected to as well; other items are not."""
    up = np.tile(np.linspace(0.7, 0.9, 4), (3, 1))
    names = [(language, split) for language in ("en", "de") for split in ("dev", "test")]
    (result,) = analyse(experiment([exact_set(*name, up, n) for name in names])).languages
    assert result.spread.another_run == pytest.approx(0)
    assert result.claim == claim


def test_an_oracle_that_may_be_better_is_named():
    estimate, spread = Estimate(0.8, 0.79, 0.81, "t", 9000), spread_of(exact_set("de", "test", RISE), np.ones(2, int))
    spread = replace(spread, another_run=0.01)
    usual = RuleScore("de", "source dev", estimate)
    for low, value, high, claim in (
        (0.01, 0.03, 0.05, "only beside the oracle"),  # shown to be better by more than the margin
        (-0.01, 0.015, 0.04, "only beside the oracle"),  # not shown to be better by less
        (-0.01, 0.0, 0.01, "may be claimed"),
        (math.nan, 0.0, math.nan, "only beside the oracle"),
    ):
        oracle = RuleScore("de", "target dev", estimate, Estimate(value, low, high, "t", 9000))
        assert claim_of(spread, usual, oracle, 0.5, 0.02) == claim
    assert claim_of(spread, usual, RuleScore("de", "target dev"), 0.5, 0.02) == "may be claimed"


def test_one_run_cannot_tell_whether_dev_guides():
    together = np.linspace(0.5, 0.9, 30)[None]
    found = guidance(together, together, Counting())
    assert found.whole.value == 1.0
    assert (found.standing, found.late_standing) == ("one run cannot tell", "one run cannot tell")
    assert found.null.high < 1  # the range of unrelated series is shown all the same
    report = analyse(small_experiment(1)).report()
    assert any("One run cannot tell whether en dev guides" in str(line) for line in report.verdict)
    assert unfinished(report) == []


def test_one_run_of_two_with_pairs_that_count_is_not_one_run_only():
    """The other run's test scores move by less than the threshold."""
    development, target = np.array([[0.5, 0.6, 0.7], [0.5, 0.6, 0.7]]), np.array([[0.5, 0.6, 0.7], [0.5, 0.5, 0.5]])
    found = directional_agreement(development, target, 0.005)
    assert (found.value, found.method) == (1.0, "no interval: one run of 2 has anything that counts")
    alone = directional_agreement(development[:1], target[:1], 0.005)
    assert alone.method == "no interval: one run only"
    made = experiment([exact_set("en", "dev", development), exact_set("de", "test", target)])
    judged = analyse(made)
    reason = "no interval: one run of 2 has anything that counts"
    assert judged.overall.source.method == reason
    assert judged.languages[0].correlation.within.method == reason
    assert not any("One run" in str(line) for line in judged.report().verdict)


def test_gains_that_do_not_vary_have_no_interval_of_no_width():
    """Target dev is source dev, in each of three runs: it gains nothing, which three runs do not make certain."""
    same = np.tile([0.5, 0.6, 0.7, 0.8], (3, 1))
    sets = [exact_set("en", "dev", same), exact_set("de", "dev", same), exact_set("de", "test", same)]
    found = analyse(experiment(sets))
    gain = found.overall.gain_late
    assert (gain.value, gain.method) == (0.0, "no interval: all 3 runs have the same")
    assert np.isnan([gain.low, gain.high]).all()
    for each in [*(gain.estimate for gain in found.gains), *(r.difference for r in found.rules if r.difference)]:
        assert each.low < 0 < each.high


def test_single_runs_stand_behind_their_mean():
    rng = np.random.default_rng(0)
    scores = [np.cumsum(rng.normal(0.02, 0.02, (3, 8)), axis=1) + 0.4 for _ in range(5)]
    names = [("en", "dev"), ("de", "test"), ("fr", "test"), ("ja", "test")]
    found = analyse(experiment([exact_set(*name, each) for name, each in zip(names, scores, strict=False)]))
    figure = next(item for section in found.report().sections for item in section.items if item.name == "trajectories")
    single = [row for row in figure.rows if row.get("run") is not None]
    assert {row["run"] for row in single} == {"0", "1", "2"}
    assert len({row["language"] for row in single}) == 2  # the languages of most and of least agreement
    assert len(single) == 2 * 2 * 3 * 8
    of_test = [row["score"] for row in single if row["set"] == "target test" and row["step"] == 8]
    assert len(of_test) == 2 * 3
    assert "single runs" in figure.note


@pytest.mark.parametrize(
    ("metric", "said"),
    [("accuracy", "accuracy"), ("mcc", "MCC"), ("macro_f1", "macro F1")],
)
def test_a_metric_inside_a_sentence_has_no_capital(metric, said):
    scores = np.tile([0.5, 0.6, 0.7, 0.8], (3, 1))
    sets = [exact_set(*name, scores, metric=metric) for name in (("en", "dev"), ("de", "dev"), ("de", "test"))]
    found = analyse(experiment(sets))
    assert transfer_figure(found).title == f"Zero-shot {said} at the checkpoint that en dev chooses"
    figure = next(item for part in found.report().sections for item in part.items if item.name == "trajectories")
    assert figure.note.startswith(f"Dev and test {said}; bands over runs")


def test_runs_that_agree_on_a_pair_or_two_show_nothing():
    """With four checkpoints the second half is one pair a run; three coins fall alike in a quarter of cases."""
    up, rng = np.tile([0.5, 0.6, 0.7, 0.8], (3, 1)), np.random.default_rng(0)
    assert guidance(up, up, Counting()).late_standing == "not shown"
    noise = [guidance(*rng.normal(0.7, 0.05, (2, 3, 4)), Counting()).late_standing for _ in range(60)]
    assert set(noise) == {"not shown"}


def test_guidance_is_adjusted_over_languages():
    rng = np.random.default_rng(1)
    base = rng.normal(0.7, 0.02, (6, 40))
    weak = [guidance(base + rng.normal(0, 0.07, base.shape), base, Counting()) for _ in range(1)]
    noise = [guidance(rng.normal(0.7, 0.02, base.shape), base, Counting()) for _ in range(30)]
    assert weak[0].standing == "guides"
    assert 0.0005 < weak[0].all_steps.p_value < 0.05
    together = guidance_together([*weak, *noise])
    assert together[0].standing == "not shown"
    assert together[0].whole == weak[0].whole


def collapsing_experiment(n_runs, collapsed, language="en"):
    """Runs of which the first few give one answer everywhere, or in one language only."""
    rng = np.random.default_rng(2)
    sets = []
    for name in ("en", "de", "sw"):
        for split in ("dev", "test"):
            made = noisy_set(name, split, np.tile(np.linspace(0.7, 0.9, 4), (n_runs, 1)), rng, 100)
            if language in (name, "en"):
                steps = []
                for each in made.checkpoints:
                    codes = each.runs.copy()
                    codes[:collapsed] = 1
                    steps.append(replace(each, runs=codes))
                made = make_set(steps, "accuracy")
            sets.append(made)
    return experiment(sets)


def test_collapsed_runs_are_named_and_in_no_finding():
    whole = collapsing_experiment(6, 2)
    found = analyse(whole)
    assert found.experiment.run_names == ("2", "3", "4", "5")
    assert found.collapse.collapsed.tolist() == [True, True, False, False, False, False]
    kept = experiment([each.only_runs([2, 3, 4, 5]) for each in whole.sets.values()])
    alone = analyse(kept)
    assert found.rule("de", "source dev").estimate == alone.rule("de", "source dev").estimate
    assert found.overall == alone.overall
    report = found.report()
    assert report.answer.notes == [
        "en dev: 2 of 6 runs collapsed, giving one answer to nearly all items (runs 0, 1). The scores are those of "
        "the other runs; the rate of collapse is 33.3 % [4.3, 77.7]."
    ]
    limits = [item.text for item in report.sections[-1].items]
    assert (
        "en dev: 2 of 6 runs collapsed, giving one answer to nearly all items (runs 0, 1). The scores are those of "
        "the other runs; the rate of collapse is 33.3 % [4.3, 77.7]."
    ) in limits
    assert unfinished(report) == []


@pytest.mark.parametrize(
    ("n", "claim", "note"),
    [
        (
            1,
            "only beside its collapsed runs",
            "sw: 1 of 4 runs give one answer to nearly all test items (run 0); its scores include them.",
        ),
        (
            4,
            "nothing: every run collapsed",
            "sw: all 4 runs give one answer to nearly all test items; the language is not counted anywhere.",
        ),
    ],
)
def test_a_language_in_which_runs_give_one_answer_says_so(n, claim, note):
    found = analyse(collapsing_experiment(4, n, "sw"))
    assert found.experiment.n_runs == 4
    assert [result.claim for result in found.languages if result.language == "sw"] == [claim]
    assert note in found.experiment.notes
    assert [result.language for result in found.counted] == (["de"] if n == 4 else ["de", "sw"])
    report = found.report()
    assert unfinished(report) == []
    said = "it is shown neither to guide nor to mislead" if n == 4 else "of 2 languages"
    assert any(said in str(line) for line in report.verdict)


def test_when_every_run_collapsed_the_report_says_so_first():
    report = analyse(collapsing_experiment(3, 3)).report()
    assert report.answer.sentence == "Undecided: every run gives one answer to nearly all items."
    assert report.answer.notes == [
        "en dev: all 3 runs collapsed: each gives one answer to nearly all items. They are judged all the same."
    ]
    assert report.verdict == []
    assert unfinished(report) == []


def test_two_checkpoints_have_no_second_half(tmp_path):
    rows = [row for row in rows_of(small_experiment()) if row["step"] < 3]
    with pytest.raises(DataError) as caught:
        judge_transfer(write_jsonl(tmp_path / "a.jsonl", rows), source_language="en")
    assert str(caught.value) == "transfer is judged over at least 3 checkpoints; got 2"


def test_a_test_set_that_cannot_be_halved_is_refused():
    up = np.tile(np.linspace(0.7, 0.9, 4), (3, 1))
    made = [exact_set("en", split, up) for split in ("dev", "test")]
    one = exact_set("de", "test", up, n=1)
    with pytest.raises(DataError) as caught:
        analyse(experiment([*made, one]))
    assert str(caught.value) == "de test: at least 2 items are needed; got 1"
    together = exact_set("de", "test", up, clusters=np.zeros(200, int))
    with pytest.raises(DataError) as caught:
        analyse(experiment([*made, together]))
    assert str(caught.value) == "de test: at least 2 clusters of items are needed; got 1"


def test_intervals_of_shares_stay_shares():
    rng = np.random.default_rng(3)
    made = [noisy_set(name, split, np.full((2, 6), 0.7), rng, 60) for name in ("en", "de") for split in ("dev", "test")]
    overall = mean_guidance(experiment(made), Counting())
    for share in (overall.source, overall.source_late, overall.target, overall.target_late):
        assert 0 <= share.low <= share.value <= share.high <= 1
    assert -1 <= overall.gain_late.low <= overall.gain_late.high <= 1


def given_answers(change=lambda answers: answers):
    """The answers of a small experiment, those of the German test set at step 3 changed."""
    for each in small_experiment().sets.values():
        for answers in each.checkpoints:
            is_chosen = (answers.where["language"], answers.where["split"], answers.step) == ("de", "test", 3)
            yield change(answers) if is_chosen else answers


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda answers: replace(answers, step=None),
            "transfer needs a language, a split and a step; got {'language': 'de', 'split': 'test'}, step None",
        ),
        (
            lambda answers: answers.only_runs([0, 2]),
            "de test: run '1' has no predictions at step 3; a run may end early, but must not skip a step",
        ),
        (
            lambda answers: answers.take(np.arange(59)),
            "de test: the items at step 3 are not those at step 1; every checkpoint needs the same items in the same "
            "order",
        ),
        (
            lambda answers: replace(answers, gold=1 - answers.gold),
            "de test: the gold of item '0000' differs between runs or steps; it must be the same",
        ),
        (
            lambda answers: replace(answers, runs=np.where(answers.ids == "0003", -1, answers.runs)),
            "de test: 3 answers are missing at step 3; every run needs all of them",
        ),
    ],
)
def test_answers_that_do_not_fit_are_refused(change, message):
    with pytest.raises(DataError) as caught:
        judge_transfer(list(given_answers(change)), source_language="en")
    assert str(caught.value) == message


def test_the_order_of_answers_and_the_name_of_their_development_set_make_no_difference():
    given = list(given_answers())
    other = [
        replace(a, where={**a.where, "split": "validation"}) if a.where["split"] == "dev" else a for a in given[::-1]
    ]
    one, two = (judge_transfer(each, source_language="en") for each in (given, other))
    assert {r.language: r.gap for r in one.languages} == {r.language: r.gap for r in two.languages}
    assert {r.language: r.regret for r in one.languages} == {r.language: r.regret for r in two.languages}


def test_probabilities_give_the_averaged_answers_and_the_surest_checkpoint():
    rng = np.random.default_rng(4)
    given = []
    for answers in given_answers():
        shares = rng.dirichlet((1, 1), (answers.n_runs, answers.n_items))
        given.append(replace(answers, runs=shares.argmax(-1), probabilities=shares))
    found = judge_transfer(given, source_language="en")
    own = [a for a in given if (a.where["language"], a.where["split"]) == ("de", "test")]
    mean = np.mean([np.log(a.probabilities) for a in own], axis=0).argmax(-1)
    assert found.rule("de", "averaged").run_scores == pytest.approx((mean == own[0].gold).mean(axis=1))
    dev = found.experiment.dev("en")
    expected = [np.log(a.probabilities.max(-1)).mean(-1) for a in given if dict(a.where) == dict(dev.first.where)]
    assert dev.confidence == pytest.approx(np.array(expected).T)


def test_items_of_a_cluster_stay_together_in_tagging_too(tmp_path):
    rows = [
        {"id": str(i), "run": r, "step": s, "language": name, "split": split, "cluster": str(i // 4)}
        | {"gold": ["B-PER", "O"], "prediction": ["B-PER", "O"] if (i // 2 + s + r) % 3 else ["O", "O"]}
        for name in ("en", "de")
        for split in ("dev", "test")
        for r in range(2)
        for s in range(3)
        for i in range(24)
    ]
    found = judge_transfer(write_jsonl(tmp_path / "a.jsonl", rows), source_language="en")
    usual = found.rule("de", "source dev").estimate
    assert usual is not None
    assert usual.method == "2 runs × items, variance components, 6 clusters"


def test_when_runs_collapsed_in_every_target_language_the_report_says_where():
    several = collapsing_experiment(4, 4, "sw")
    only = experiment([each for (language, _), each in several.sets.items() if language != "de"])
    assert analyse(only).report().answer.sentence == (
        "Undecided: every run gives one answer to nearly all items of every target language."
    )
