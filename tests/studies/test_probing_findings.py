"""What the probing report says where little was shown: collapsed probes, unsettled neurons, similarity by chance."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from goldproof.jobs import Job, Results, Store, run_jobs
from goldproof.report.summary import Marked, Report, Text
from goldproof.runners.serial import SerialRunner
from goldproof.studies.probing import TINY, Config, jobs, report
from goldproof.studies.probing.settings import Baselines, Coarse, NeuronChoice, ProbeChoice, SimilarityChoice
from goldproof.studies.probing.steps import Probed, Ranked, assess

pytestmark = pytest.mark.needs("models")

SMALL = replace(
    TINY,
    data=replace(TINY.data, languages=("en",)),
    tasks=("subj_number", "past_present"),
    probe=ProbeChoice(("logistic",), (1e-1,)),
    baselines=Baselines(most_features=500),
    selectivity=False,
    description_length=False,
    neurons=NeuronChoice(run=False),
    similarity=SimilarityChoice(()),
    coarse=Coarse(),
)


class Changed:
    """Results of which some values are changed by a function."""

    def __init__(self, results: Results, kind: type, change: Any) -> None:
        self.results, self.kind, self.change = results, kind, change

    def __getitem__(self, job: Job[Any]) -> Any:
        value = self.results[job]
        return self.change(value) if isinstance(value, self.kind) else value


def run(config: Config, folder: Any) -> Results:
    store = Store(folder).open()
    assert {outcome.status for outcome in run_jobs(jobs(config), store, SerialRunner())} <= {"done", "kept"}
    return Results(store)


def item(found: Report, name: str) -> Any:
    return next(i for s in found.sections for i in s.items if not isinstance(i, Text) and i.name == name)


def texts(found: Report) -> list[str]:
    return [i.text for s in found.sections for i in s.items if isinstance(i, Text)]


def test_probes_of_one_answer_are_named_and_counted_in_no_finding(tmp_path):
    config = replace(SMALL, probe=ProbeChoice(("logistic",), (1e4,)), baselines=Baselines(False, False))
    found = report(config, run(config, tmp_path))
    assert found.answer.sentence == "Undecided: every probe gives one answer to nearly everything."
    assert found.answer.notes == [
        "In 2 of 2 cases the probes of all layers give one answer to nearly everything; no finding counts them."
    ]
    assert found.verdict == []
    line = next(text for text in texts(found) if "collapsed" in text)
    assert line == (
        "12 of 12 probes collapsed, giving one answer to nearly all test items: fake on SubjNumber (en) (logistic "
        "regression, layers 0–2); fake on Tense (en) (logistic regression, layers 0–2); fake, random weights on "
        "SubjNumber (en) (logistic regression, layers 0–2); fake, random weights on Tense (en) (logistic regression, "
        "layers 0–2). Where there are several seeds, the others are averaged."
    )


def test_of_several_seeds_those_that_did_not_collapse_are_averaged():
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 200)
    good = np.where(rng.random((2, 1, 200)) < 0.9, gold, 1 - gold)
    stuck = np.stack([np.ones((1, 200), int), np.where(rng.random((1, 200)) < 0.9, gold, 1 - gold)])
    both = Probed((0, 1), np.ones((2, 2)), np.full((2, 2), 0.9), np.concatenate([good, stuck], 1), gold, 0)
    assert both.collapsed.tolist() == [[False, True], [False, False]]
    bands = assess.function(both, 0.95).bands
    assert bands[0].value == pytest.approx((good[0, 0] == gold).mean())
    assert bands[1].value == pytest.approx(both.correct[1].mean())
    assert both.accuracy.tolist() == pytest.approx([band.value for band in bands])
    one = Probed((0,), np.ones((1, 1)), np.ones((1, 1)), np.ones((1, 1, 9), int), np.ones(9, int), 0)
    assert one.collapsed.tolist() == [[False]]  # gold has one label: nothing to collapse from


def test_a_baseline_is_tested_before_it_is_counted(tmp_path):
    results = run(SMALL, tmp_path)
    table = item(report(SMALL, results), "baselines-logistic")
    marked = [row for row in table.rows if isinstance(row["gain"], Marked)]
    assert table.title == (
        f"On {len(marked)} of 2 tasks the best model is not shown to be better than a baseline (logistic regression)"
    )
    for row in table.rows:
        gain = row["gain"].value if isinstance(row["gain"], Marked) else row["gain"]
        assert -1 <= gain.low <= gain.value <= gain.high <= 1
        if isinstance(row["gain"], Marked):
            assert row["gain"].note == "Not shown to be better than the best baseline"
            assert gain.low <= 0


def test_neurons_of_a_probe_that_has_not_converged_are_not_settled(tmp_path):
    config = replace(SMALL, tasks=("past_present",), neurons=NeuronChoice(l1=(1e-2,), l2=(1e-2,), n_random=1, seeds=()))
    results = run(config, tmp_path)
    found = report(config, results)
    assert not any("converged" in text for text in texts(found))
    row = item(found, "neurons-table").rows[0]
    assert isinstance(row["weights"], int) and row["weights"] > 0
    open_ = report(config, Changed(results, Ranked, lambda ranked: replace(ranked, residual=0.137)))
    assert (
        "Tense (en), fake: not converged: KKT residual 0.14 times λ₁, where 0.01 is required; which neurons have "
        "weight is not settled."
    ) in texts(open_)
    assert item(open_, "neurons-table").rows[0]["weights"] == Marked(row["weights"], note="Not converged")


def test_similarity_stands_beside_what_chance_gives(tmp_path):
    choice = SimilarityChoice(("debiased", "plain", "maxcorr", "procrustes"), 60, 20, 20)
    config = replace(SMALL, tasks=("past_present",), similarity=choice)
    found = report(config, run(config, tmp_path))
    table = item(found, "similarity")
    assert [column.key for column in table.columns] == [
        "language", "one", "other", "debiased", "debiased_chance", "told", "plain", "maxcorr", "maxcorr_chance",
        "maxcorr_told", "procrustes", "procrustes_chance", "procrustes_told",
    ]  # fmt: skip
    row = table.rows[0]
    assert row["procrustes"] > row["procrustes_chance"] > 0.1
    assert abs(row["debiased_chance"]) < 0.05
    title = item(found, "procrustes-en").title
    assert title.startswith("Procrustes similarity (en): ") and "; sentences paired at random give 0." in title
    config = replace(config, level=0.99)
    few = report(config, run(config, tmp_path))
    assert item(few, "similarity").rows[0]["procrustes_told"].reason == "too few pairings for a test"
