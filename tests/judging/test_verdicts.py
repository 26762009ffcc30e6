"""Verdicts in the cases users have: their scope, collapsed runs, one gold label, early stopping, several sets."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from tests.judging.files import noisy_rows, several_runs, write_jsonl

import goldproof
from goldproof.data.answers import Answers
from goldproof.errors import DataError, UsageError
from goldproof.judging.checkpoints.agreement import last_steps
from goldproof.judging.compare import compare_answers
from goldproof.judging.gate import Margins
from goldproof.judging.score import detectable_of
from goldproof.statistics.comparison import compare_runs
from goldproof.statistics.metrics import metric
from goldproof.statistics.planning import smallest_difference


def compared(a, b, **settings):
    return goldproof.compare(a, b, settings=goldproof.Settings(**settings))


class TestScope:
    def test_one_run_a_side_is_about_these_systems(self):
        found = compared(noisy_rows(300, 0.7, 1), noisy_rows(300, 0.9, 2)).overall.verdict
        assert (found.kind, found.scope) == ("better", "systems")
        assert found.about == (
            "this A and this B, on items like these; one training on each side says nothing about another training"
        )

    def test_several_runs_a_side_are_about_recipes(self):
        found = compared(several_runs(300, 0.7, range(3)), several_runs(300, 0.9, range(5, 8))).overall.verdict
        assert (found.kind, found.scope) == ("better", "recipes")
        assert found.about == "the recipes: other trainings of A and B, on items like these"

    def test_one_run_against_several_is_like_one_more_run(self):
        found = compared(several_runs(300, 0.8, range(4)), noisy_rows(300, 0.8, 9)).overall
        assert found.verdict.about == (
            "the recipes, on items like these; B's single training is assumed to vary as A's 4 do"
        )
        a = np.array([np.mean([row["gold"] == row["prediction"] for row in noisy_rows(300, 0.8, s)]) for s in range(4)])
        b = np.mean([row["gold"] == row["prediction"] for row in noisy_rows(300, 0.8, 9)])
        t = (b - a.mean()) / (a.std(ddof=1) * math.sqrt(1 + 1 / 4))
        assert found.p_here == pytest.approx(2 * stats.t.sf(abs(t), 3), rel=1e-4)
        assert found.p_value >= found.p_here - 1e-9, "beyond these items the items' part is added"

    def test_a_known_spread_makes_it_about_recipes(self):
        a, b = noisy_rows(300, 0.75, 1), noisy_rows(300, 0.85, 2)
        known = compared(a, b, seed_sd=0.02).overall
        assert known.verdict.scope == "recipes"
        assert known.verdict.about == (
            "the recipes, on items like these; a spread of 2 points over trainings is taken as known"
        )
        z = known.difference.value / (0.02 * math.sqrt(2))
        assert known.p_here == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-4)
        alone = compared(a, b).overall.difference
        assert known.difference.low < alone.low < alone.high < known.difference.high

    def test_nothing_to_train_again(self):
        found = compared(several_runs(200, 0.8, range(3)), several_runs(200, 0.8, range(5, 8)), seed_sd=0.0).overall
        assert found.verdict.about == "these two systems as they are, on items like these"
        assert found.verdict.scope == "systems"

    def test_a_score_says_what_it_is_about(self):
        one = goldproof.score(noisy_rows(100, 0.8, 1)).sets[0]
        assert (one.scope, one.about) == (
            "systems",
            "this system on items like these; one training says nothing about another",
        )
        several = goldproof.score(several_runs(100, 0.8, range(3))).sets[0]
        assert (several.scope, several.about) == ("recipes", "the recipe: another training, on items like these")

    def test_prompts_are_not_called_trainings(self):
        gold = np.tile([0, 1], 40)
        runs = np.where(np.random.default_rng(0).random((2, 80)) < 0.8, gold, 1 - gold)
        answers = Answers(
            {}, None, "classification", ("a", "b"), np.arange(80), gold, runs, ("x", "y"), run_kind="prompt"
        )
        assert goldproof.score(answers).sets[0].about == "the recipe: another prompt, on items like these"


class TestTied:
    def test_no_information_is_not_a_tie(self):
        rows = noisy_rows(5, 1.0, 1)
        found = compared(rows, rows).overall
        assert found.difference.value == 0
        assert found.verdict.kind == "undecided"

    def test_a_tie_is_the_inner_interval_inside_the_margin(self):
        rows = noisy_rows(200, 0.8, 1)
        assert compared(rows, rows).overall.verdict.kind == "tied"
        narrow = goldproof.compare(rows, rows, margins=Margins(tie=0.005)).overall
        assert narrow.verdict.kind == "undecided"


class TestCollapse:
    def rows(self, collapsed, n_runs=5, n=120):
        made = several_runs(n, 0.85, range(n_runs))
        return [row | ({"prediction": "yes"} if int(row["run"]) in collapsed else {}) for row in made]

    def test_scores_are_those_of_runs_that_did_not(self):
        found = goldproof.score(self.rows({1, 3}))
        score = found.sets[0]
        assert score.run_names == ("0", "2", "4")
        assert score.collapse.n == 2
        assert found.notes[0] == (
            "2 of 5 runs collapsed, giving one answer to nearly all items (runs 1, 3). The scores are those of the "
            "other runs; the rate of collapse is 40.0 % [5.3, 85.3]."
        )
        clean = goldproof.score([row for row in self.rows(set()) if row["run"] in "024"])
        assert score.estimates == clean.sets[0].estimates

    def test_compare_leaves_them_out_and_says_so(self):
        found = compared(self.rows({2}), several_runs(120, 0.85, range(10, 15)))
        assert found.overall.difference.method.startswith("A 4 and B 5 runs")
        assert found.notes[0].startswith("A: 1 of 5 runs collapsed, giving one answer to nearly all items (run 2).")

    def test_all_runs_collapsed(self):
        found = goldproof.score(self.rows({0, 1, 2}, n_runs=3))
        assert found.notes[0] == (
            "All 3 runs collapsed: each gives one answer to nearly all items. They are judged all the same."
        )
        assert len(found.sets[0].run_names) == 3

    def test_one_run(self):
        found = goldproof.score([row | {"prediction": "no"} for row in noisy_rows(80, 0.9, 1)])
        assert found.notes[0] == (
            "The run collapsed: it gives one answer to nearly all items. It is judged all the same."
        )

    def test_where_gold_is_nearly_one_label(self):
        rows = [{"id": i, "gold": "b" if i < 4 else "a", "prediction": "a", "run": r} for i in range(100) for r in "xy"]
        assert goldproof.score(rows).notes[0] == (
            "Runs x, y cannot be distinguished from always answering 'a', which is right in 96 %."
        )


class TestOneLabel:
    def test_it_is_compared_with_other_items(self):
        rows = several_runs(200, 0.8, range(4))
        rows = [row | {"tags": ["yes only"] if row["gold"] == "yes" else ["no only", "no only"]} for row in rows]
        found = {tag.tag: tag for tag in goldproof.score(rows).tags}
        tag = found["yes only"]
        assert tag.verdict == "cannot be tested by permuting: one gold label"
        assert math.isnan(tag.p_value)
        given = np.mean([row["prediction"] == "yes" for row in rows if row["gold"] == "no"])
        assert tag.one_label.elsewhere.value == pytest.approx(given)
        assert tag.one_label.difference.value == pytest.approx(tag.estimate.value - given)
        assert tag.one_label.difference.low > 0.4
        assert tag.one_label.guessing == 0.5
        assert found["no only"].estimate.n == sum(row["gold"] == "no" for row in rows) / 4, "repeated tags count once"

    def test_it_is_in_no_headline(self):
        rows = [row | {"tags": [row["gold"]]} for row in noisy_rows(100, 0.8, 1)]
        report = goldproof.score(rows).report()
        assert not any("can be told from chance" in str(line) for line in report.verdict)


class TestSteps:
    def test_each_run_is_judged_at_its_own_last_step(self):
        ends = {"0": 100, "1": 300, "2": 200}
        rows = [
            row | {"step": step}
            for step in (100, 200, 300)
            for row in several_runs(60, 0.5 + step / 1000, range(3))
            if step <= ends[row["run"]]
        ]
        found = goldproof.score(rows)
        assert sorted(found.sets[0].run_names) == ["0", "1", "2"]
        expected = {
            run: np.mean([row["gold"] == row["prediction"] for row in noisy_rows(60, 0.5 + ends[run] / 1000, int(run))])
            for run in ends
        }
        scores = dict(zip(found.sets[0].run_names, found.sets[0].run_scores, strict=True))
        assert scores == pytest.approx(expected)
        assert "The scores are those of the last step of each run." in found.notes

    def test_runs_that_end_on_other_items_are_refused(self):
        def at(step, n, run):
            gold = np.tile([0, 1], n // 2)
            return Answers({}, step, "classification", ("a", "b"), np.arange(n), gold, gold[None], (run,))

        with pytest.raises(DataError) as error:
            last_steps([at(10, 20, "x"), at(20, 22, "y")])
        assert str(error.value) == (
            "all: runs end at different steps, where they answer different items: 20 at step 10, 22 at step 20"
        )


class TestTogether:
    def pairs(self, n_sets, seed, gap=0.0):
        rng = np.random.default_rng(seed)
        gold, ids = np.tile([0, 1], 100), np.arange(200)

        def side(accuracy):
            runs = [np.where(rng.random((1, 200)) < accuracy, gold, 1 - gold) for _ in range(n_sets)]
            return [
                Answers({"language": str(k)}, None, "classification", ("a", "b"), ids, gold, run, ("1",))
                for k, run in enumerate(runs)
            ]

        return side(0.8), side(0.8 + gap)

    def test_verdict_interval_and_p_never_contradict(self):
        for seed in range(20):
            found = compare_answers(*self.pairs(6, seed, 0.05), ("A", "B"), goldproof.Settings(), Margins())
            for each in found.sets:
                clear = each.together.low > 0 or each.together.high < 0
                assert clear == (each.adjusted < 0.05) == (each.verdict.kind in ("better", "worse"))
                assert each.together.low <= each.difference.low <= each.difference.high <= each.together.high

    def test_more_sets_are_judged_more_strictly(self):
        found = compare_answers(*self.pairs(15, 0), ("A", "B"), goldproof.Settings(), Margins())
        assert found.sets[0].together.level > 0.99
        assert not any(each.verdict.kind in ("better", "worse") for each in found.sets)


class TestOneFunction:
    """The smallest difference that could show is the same number wherever it is told."""

    def test_score_compare_and_report(self):
        a, b = several_runs(150, 0.7, range(4)), several_runs(150, 0.75, range(10, 14))
        judgement = compared(a, b)
        (one, other), *_ = judgement.answers
        direct = smallest_difference(compare_runs(metric("accuracy"), one.gold, other.runs, one.runs))
        assert judgement.overall.verdict.detectable == pytest.approx(direct)
        scores = goldproof.score(a)
        assert scores.sets[0].detectable == pytest.approx(detectable_of(scores.sets[0].answers, "accuracy", 0.95))
        table = scores.report().sections[0].items[0]
        assert table.rows[0]["detectable"] == pytest.approx(scores.sets[0].detectable)

    def test_seeds_and_clusters_count(self):
        rows = several_runs(200, 0.8, range(4))
        plain = goldproof.score(rows).sets[0].detectable
        moody = [row | ({"prediction": row["gold"]} if row["run"] in "01" else {}) for row in rows]
        assert goldproof.score(moody).sets[0].detectable > 1.5 * plain
        clustered = [row | {"cluster": int(row["id"]) // 50} for row in rows]
        assert goldproof.score(clustered).sets[0].detectable != pytest.approx(plain, rel=0.01)


class TestBadInput:
    def test_one_cluster(self):
        rows = [row | {"cluster": "only"} for row in noisy_rows(40, 0.8, 1)]
        found = goldproof.score(rows).sets[0]
        assert found.estimates["accuracy"].method == "no interval: all items belong to one cluster; items only, one run"
        judged = compared(rows, [row | {"cluster": "only"} for row in noisy_rows(40, 0.9, 2)]).overall
        assert judged.verdict.text == "no verdict: all items belong to one cluster"

    def test_clusters_of_one_item_each_change_nothing(self):
        rows = several_runs(80, 0.8, range(3))
        own = [row | {"cluster": row["id"]} for row in rows]
        plain, clustered = (goldproof.score(each).sets[0].estimates["accuracy"] for each in (rows, own))
        assert (plain.low, plain.high) == pytest.approx((clustered.low, clustered.high))

    def test_few_clusters_are_told_with_a_second_opinion(self):
        rows = [row | {"cluster": "0" if int(row["id"]) < 60 else row["id"]} for row in noisy_rows(100, 0.7, 1)]
        other = [row | {"cluster": "0" if int(row["id"]) < 60 else row["id"]} for row in noisy_rows(100, 0.8, 2)]
        found = compared(rows, other)
        assert found.notes[0] == (
            "all: 41 clusters, the largest with 60 % of the items, are worth as much as 4 of equal size: few to rely "
            "on."
        )
        assert found.notes[1].startswith("Second opinion, because there are few clusters: wild cluster bootstrap, p = ")

    def test_nonsense_is_refused(self, tmp_path):
        with pytest.raises(UsageError) as error:
            goldproof.Settings(seed_sd=-0.01)
        assert str(error.value) == "--seed-sd must be a number of at least 0; got -1"
        with pytest.raises(UsageError) as error:
            goldproof.Settings(looks=0)
        assert str(error.value) == "--looks must be at least 1; got 0"

    def test_runs_with_different_items(self, tmp_path):
        rows = [*noisy_rows(30, 0.8, 1, run="a"), *noisy_rows(28, 0.8, 2, run="b")]
        with pytest.raises(DataError, match="--common"):
            goldproof.score(write_jsonl(tmp_path / "p.jsonl", rows))
