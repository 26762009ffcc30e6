"""Answers that have a score each are judged as labels are: intervals, categories, runs, comparisons."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from goldproof.data.answers import Answers, Bounds
from goldproof.errors import DataError, UsageError
from goldproof.judging.compare import compare
from goldproof.judging.gate import Margins
from goldproof.judging.missing import fill_repeats
from goldproof.judging.score import Settings, score

N = 240


def answers(scores, model: str = "m", run_kind="repeat", bounds: Bounds | None = None) -> Answers:
    runs = np.atleast_2d(np.asarray(scores, float))
    return Answers(
        where={"model": model, "dataset": "t"},
        step=None,
        task="score",
        labels=(),
        ids=np.array([f"q{i}" for i in range(runs.shape[1])]),
        gold=np.zeros(runs.shape[1]),
        runs=runs,
        run_names=tuple(str(i) for i in range(len(runs))),
        tags=tuple(("even",) if i % 2 == 0 else ("odd",) for i in range(runs.shape[1])),
        run_kind=run_kind,
        bounds=bounds or Bounds(),
    )


def thirds(seed: int, p: float, n_runs: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).binomial(3, p, (n_runs, N)) / 3


def test_the_mean_has_an_interval_and_so_have_its_categories() -> None:
    scores = thirds(0, 0.6)
    found = score(answers(scores))
    (each,) = found.sets
    assert found.metric == "score"
    assert each.estimates["score"].value == pytest.approx(scores.mean())
    assert each.about == "this system on items like these"
    assert [(tag.tag, tag.estimate.n) for tag in found.tags] == [("even", N // 2), ("odd", N // 2)]
    assert found.tags[0].estimate.value == pytest.approx(scores[0, ::2].mean())
    assert 0 < each.detectable < 0.2
    assert found.report().title == "How far does the mean score of m t hold?"


def test_repeats_are_the_items_means_and_seeds_are_runs() -> None:
    """Four repeats of one system tell of the system; four trainings tell of another training, which is wider."""
    scores = thirds(1, 0.6, 4) + np.array([[0.0], [0.0], [0.1], [-0.1]])
    scores = np.clip(scores, 0, 1)
    again, trained = (score(answers(scores, run_kind=kind)).sets[0] for kind in ("repeat", "seed"))
    assert again.scope == "systems"
    assert again.about == "this system, asked again, on items like these"
    assert trained.scope == "recipes"
    width = [each.estimates["score"].high - each.estimates["score"].low for each in (again, trained)]
    assert width[0] < width[1]
    assert again.components is not None


def test_a_difference_is_the_paired_t_test_of_the_items() -> None:
    a, b = thirds(2, 0.5), thirds(3, 0.7)
    found = compare(answers(a, "a"), answers(b, "b")).overall
    test = stats.ttest_rel(b[0], a[0])
    interval = test.confidence_interval(0.95)
    assert found.p_value == pytest.approx(test.pvalue, rel=1e-6)
    assert (found.difference.low, found.difference.high) == pytest.approx((interval.low, interval.high), rel=1e-6)
    assert found.verdict.kind == "better"


def test_right_or_wrong_are_compared_as_labels_are() -> None:
    rng = np.random.default_rng(4)
    a, b = (rng.random((2, N)) < 0.7).astype(float)
    found = compare(answers(a, "a"), answers(b, "b")).overall
    assert found.difference.method == "Tango score"
    assert found.difference.value == pytest.approx(b.mean() - a.mean())


def test_repeats_of_two_systems_are_compared_by_their_items_means() -> None:
    a, b = thirds(5, 0.5, 3), thirds(6, 0.7, 5)
    found = compare(answers(a, "a"), answers(b, "b")).overall
    assert found.p_value == pytest.approx(stats.ttest_rel(b.mean(0), a.mean(0)).pvalue, rel=1e-6)
    assert found.verdict.about == "these two systems as they are, on items like these"


def test_attempts_are_asked_for_by_name() -> None:
    passed = (np.random.default_rng(7).random((4, N)) < 0.5).astype(float)
    any_of, all_of = (score(answers(passed), settings=Settings(metric=name)) for name in ("pass@4", "pass^4"))
    assert any_of.sets[0].estimates["pass@4"].value == pytest.approx(passed.max(axis=0).mean())
    assert all_of.sets[0].estimates["pass^4"].value == pytest.approx(passed.min(axis=0).mean())
    with pytest.raises(UsageError) as error:
        score(answers(passed), settings=Settings(metric="pass@5"))
    assert str(error.value) == (
        "the metric 'pass@5' does not fit a score per item; allowed: score, and where each item was answered K times "
        "avg@K, pass@k and pass^k (k up to K, of answers that passed or not); here 4 times"
    )


def test_the_mean_of_all_repeats_may_be_asked_for_by_its_name() -> None:
    several = answers(thirds(7, 0.5, 4))
    found = score(several, settings=Settings(metric="avg@4"))
    assert (found.metric, found.sets[0].estimates["score"].value) == ("score", pytest.approx(several.runs.mean()))
    with pytest.raises(UsageError, match="here 4 times"):
        score(several, settings=Settings(metric="avg@3"))


def test_trainings_are_no_attempts_of_one_system() -> None:
    trained = answers((np.random.default_rng(7).random((3, N)) < 0.5).astype(float), run_kind="seed")
    with pytest.raises(UsageError, match="here are 3 trainings or draws, which are not attempts by one system"):
        score(trained, settings=Settings(metric="pass@2"))


def test_the_variance_of_the_mean_is_divided_into_sampling_and_items() -> None:
    """Against the analysis of variance of items as groups: what differs within an item is the sampling."""
    rng = np.random.default_rng(0)
    table = (rng.random((5, N)) < rng.beta(2, 2, N)).astype(float)
    found = score(answers(table)).sets[0]
    within = table.var(axis=0, ddof=1).mean()
    whole = table.mean(axis=0).var(ddof=1)
    assert found.sampling_share == pytest.approx(within / 5 / whole, rel=0.02)
    assert score(answers(table, run_kind="seed")).sets[0].sampling_share is None


def test_a_chance_over_attempts_has_no_score_of_a_run() -> None:
    passed = (np.random.default_rng(7).random((4, N)) < 0.5).astype(float)
    found = score(answers(passed), settings=Settings(metric="pass@2"))
    assert not found.sets[0].is_scored_by_run
    assert "from 4 answers to each" in found.report().answer.text
    assert [section.title for section in found.report().sections] == ["Scores", "By category"]


def test_scores_that_are_means_themselves_have_students_interval() -> None:
    """Ten draws of training examples that score alike: nothing is known of the test items, and that is said."""
    draws = 0.8 + 0.01 * np.random.default_rng(0).standard_normal(10)
    found = score(answers(draws, bounds=Bounds(of_means=True))).sets[0]
    interval = stats.t.interval(0.95, 9, draws.mean(), stats.sem(draws))
    assert (found.estimates["score"].low, found.estimates["score"].high) == pytest.approx(interval)
    assert found.about == "this system with other draws of training examples, on these very test items"


def test_marks_are_shown_and_compared_on_their_own_scale() -> None:
    marks = Bounds(1.0, 10.0)
    a, b = (answers(1 + 9 * thirds(seed, 0.6), str(seed), bounds=marks) for seed in (8, 9))
    found = score(a)
    assert found.metric == "mark"
    assert found.sets[0].estimates["mark"].value == pytest.approx(a.runs.mean())
    judged = compare(a, b, margins=Margins(tie=0.02, gate=0.01))
    assert (judged.margins.tie, judged.margins.gate) == pytest.approx((0.18, 0.09))


def test_missing_scores_are_left_out_and_counted_or_count_as_the_worst() -> None:
    scores = thirds(10, 0.6)
    scores[0, :5] = np.nan
    found = score(answers(scores))
    assert found.sets[0].n_items == N - 5
    assert found.notes[0] == (
        "m t: 5 of 240 predictions are missing and are left out, in every run (--missing wrong instead)."
    )
    worst = score(answers(scores), settings=Settings(missing="wrong"))
    assert worst.sets[0].estimates["score"].value == pytest.approx(np.nan_to_num(scores).mean())


def test_an_item_that_lacks_some_of_its_repeats_has_the_mean_of_the_others() -> None:
    scores = thirds(11, 0.6, 3)
    scores[0, 0] = scores[1, 1] = scores[:, 2] = np.nan
    filled, notes = fill_repeats(answers(scores))
    np.testing.assert_allclose(filled.runs.mean(axis=0)[:2], np.nanmean(scores[:, :2], axis=0))
    assert np.isnan(filled.runs[:, 2]).all()
    assert notes == ["m t: 2 of 720 repeats have no score; an item's mean is over those that have one."]


def test_scores_of_other_ranges_or_of_which_less_is_better_are_not_compared() -> None:
    with pytest.raises(DataError) as error:
        compare(answers(thirds(1, 0.5)), answers(thirds(1, 0.5), bounds=Bounds(0.0, 5.0)))
    assert str(error.value) == "scores of different ranges cannot be compared: 0 to 1, 0 to 5"
    less = Bounds(more_is_better=False)
    with pytest.raises(UsageError) as usage:
        compare(answers(thirds(1, 0.5), bounds=less), answers(thirds(2, 0.5), bounds=less))
    assert str(usage.value) == (
        "for these scores lower is better, but a comparison says which system has more; give 1 − score"
    )
