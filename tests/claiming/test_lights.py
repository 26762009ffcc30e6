"""A planted fault of each kind turns its light, and a clean page turns none of the trainings' lights."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks.spread_light import DESIGNS, draw, is_green
from scipy import stats
from tests.claiming.made import audit_of, evidence_of, make_config, make_rows

from goldproof.claiming.lights import deviation_interval, find_lights
from goldproof.claiming.scores import WordCost
from goldproof.claiming.settings import Config
from goldproof.claiming.steps import steps_down
from goldproof.claiming.words import choice_words, claim, not_claimed, removal_words
from goldproof.judging.checkpoints.luck import Loss
from goldproof.statistics.comparison import Comparison
from goldproof.statistics.estimate import Estimate


def colours(evidence):
    return {light.name: light.colour for light in find_lights(evidence)}


def said(evidence, name):
    return next(light.sentence for light in find_lights(evidence) if light.name == name)


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    """Data without a cue, and their audit."""
    config = make_config(tmp_path_factory.mktemp("clean"), make_rows(300, 0), make_rows(240, 1), labels=False)
    return config, audit_of(config)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """A cue word in most rows, a fifth of the labels wrong, and test rows that stand in train."""
    train = make_rows(900, 0, cue=1.0, wrong=0.2)
    test = [*make_rows(200, 1, cue=1.0, wrong=0.2), *train[:40]]
    config = make_config(tmp_path_factory.mktemp("faulty"), train, test)
    return config, audit_of(config)


def test_a_clean_page_has_no_red_light(clean):
    found = colours(evidence_of(*clean, [0.8] * 40))
    assert found == {
        "leaks": "green",
        "shortcuts": "grey",  # 240 items do not rule out a tenth of the way
        "labels": "grey",  # not looked for
        "size": "grey",
        "spread": "green",
        "constant": "green",
        "words": "green",
    }


CLEAN, CUED = make_rows(300, 0), make_rows(300, 0, cue=0.6)
FAULTS = {
    "leaks": (CLEAN, [*make_rows(200, 1), *CLEAN[:40]]),
    "shortcuts": (CUED, make_rows(240, 1, cue=0.6)),
    "size": (CLEAN, make_rows(60, 1)),
}


@pytest.mark.parametrize("light", FAULTS)
def test_a_fault_of_the_data_turns_its_light_and_no_other(clean, tmp_path, light):
    config = make_config(tmp_path, *FAULTS[light], labels=False)
    right = [0.9] * 40  # more than the cue gives
    few = {"spread": "grey"} if light == "size" else {}  # 60 items do not show that nothing moves either
    assert colours(evidence_of(config, audit_of(config), right)) == {
        **colours(evidence_of(*clean, right)),
        **few,
        light: "red",
    }


def test_a_fault_of_trainings_turns_its_light_and_no_other(clean):
    whole = colours(evidence_of(*clean, [0.8] * 40))
    assert colours(evidence_of(*clean, [0.95, 0.85] * 20)) == {**whole, "spread": "red"}
    assert colours(evidence_of(*clean, [0.8, None] * 20)) == {**whole, "constant": "red"}


def test_too_small_a_test_turns_its_light(tmp_path):
    config = make_config(tmp_path, make_rows(120, 0), make_rows(60, 1), labels=False)
    evidence = evidence_of(config, audit_of(config), [0.8] * 3)
    assert colours(evidence)["size"] == "red"
    assert said(evidence, "size").startswith("Size: the smallest difference that 60 items show with 80 % power")


def test_copies_a_cue_and_wrong_labels_turn_their_lights(faulty):
    evidence = evidence_of(*faulty, [0.8] * 5)
    found = colours(evidence)
    assert found == {
        "leaks": "red",
        "shortcuts": "red",
        "labels": "red",  # told where something can be learned, here the cue, whose light turns too
        "size": "grey",
        "spread": "green",
        "constant": "green",
        "words": "grey",  # a bag of words knows the cue as well as the model does
    }
    assert said(evidence, "leaks").startswith("Leaks: 40 of 240 test rows (16.7 %) have a copy in an earlier split;")
    refused = not_claimed(evidence, find_lights(evidence))
    assert refused[0].startswith("That the score holds for items outside the training data")
    assert any("too many labels are estimated to be wrong" in line for line in refused)


def test_unstable_training_turns_its_light(clean):
    evidence = evidence_of(*clean, [0.6, 0.95, 0.7, 0.9, 0.65])
    assert colours(evidence)["spread"] == "red"
    assert said(evidence, "spread").startswith("Trainings: 5 trainings score from 60.0 % to 95.0 %; their standard")
    assert "That another training would score the same: see how much the seed moves it." in not_claimed(
        evidence, find_lights(evidence)
    )


def test_a_constant_training_turns_its_light_and_is_in_no_score(clean):
    evidence = evidence_of(*clean, [0.8, None, 0.8, 0.8])
    assert colours(evidence)["constant"] == "red"
    assert said(evidence, "constant") == (
        "Constant trainings: 1 of 4 trainings gave one answer to nearly everything, and is in no score here."
    )
    assert "1 of 4 trainings gave one answer to nearly everything and is not in this number." in claim(evidence)
    assert evidence.estimate.value == pytest.approx(0.8)


def test_a_model_worse_than_a_bag_of_words_turns_its_light(faulty):
    evidence = evidence_of(*faulty, [0.55] * 5)
    assert colours(evidence)["words"] == "red"
    assert "the model is credibly worse" in said(evidence, "words")
    light = next(light for light in find_lights(evidence) if light.name == "words")
    assert light.estimate.value < light.estimate.high < 0  # as the sentence has it


def test_fewer_than_three_trainings_say_nothing_of_another(clean):
    evidence = evidence_of(*clean, [0.8, 0.9])
    assert "for this training (seed 0) on items like these; it says nothing about another one." in claim(evidence)
    assert said(evidence, "spread") == (
        "Trainings: not judged, because 1 training says too little about others: at least 3 are needed."
    )


def test_too_few_trainings_are_counted_after_those_that_collapsed(clean):
    evidence = evidence_of(*clean, [0.8, None, None, None, 0.8])
    assert said(evidence, "spread") == (
        "Trainings: not judged, because 2 of 5 trainings did not give one answer to nearly everything: at least 3 are "
        "needed."
    )


def test_all_trainings_constant_is_no_score(clean):
    assert claim(evidence_of(*clean, [None, None, None])) == (
        "On 240 items of made up (xx), fake trained as below gives one answer to nearly everything, in all 3 "
        "trainings: nothing may be claimed about what it can do."
    )


def made(tmp_path, n, right):
    """Evidence of trainings on so many items."""
    config = make_config(tmp_path, make_rows(120, 0), make_rows(n, 1), labels=False)
    return evidence_of(config, audit_of(config), right)


def test_trainings_that_score_alike_on_few_items_show_nothing(tmp_path):
    evidence = made(tmp_path, 12, [1.0] * 5)
    assert colours(evidence)["spread"] == "grey"
    assert said(evidence, "spread") == (
        "Trainings: 5 trainings score from 100.0 % to 100.0 %; their standard deviation, 0.0 [0.0, 23.9] points, is "
        "neither credibly more nor less than 2.0 points."
    )
    assert said(evidence, "size") == (
        "Size: 12 items show no difference between two models with 80 % power if they differ in up to 30 % of answers."
    )
    assert claim(evidence).endswith(
        " No paired difference would be detected with 80 % power if 10 % of answers differ: at least 54 % have to."
    )


def test_a_light_on_trainings_is_green_by_chance_at_most_as_often_as_promised():
    for n_trainings in (3, 5):
        for n_items in (12, 60, 200):
            for design in DESIGNS:
                rng = np.random.default_rng([3, n_items])
                tables = [draw(design, n_trainings, n_items, rng) for _ in range(300)]
                assert np.mean([is_green(each, 1 / n_items) for each in tables]) <= 0.025


def test_constant_trainings_are_said_as_they_are(clean):
    one, none = evidence_of(*clean, [0.5, None, None, None, None]), evidence_of(*clean, [None] * 5)
    assert [colours(each)["spread"] for each in (one, none)] == ["grey", "grey"]
    assert said(one, "spread") == (
        "Trainings: not judged, because 4 of 5 trainings gave one answer to nearly everything."
    )
    assert said(none, "spread") == (
        "Trainings: not judged, because all 5 trainings gave one answer to nearly everything."
    )
    assert said(none, "constant") == (
        "Constant trainings: all 5 trainings gave one answer to nearly everything; the scores below are of them all "
        "the same."
    )
    assert not_claimed(one, find_lights(one))[:2] == [
        "Anything about another training of the same recipe: 1 of 5 trainings did not give one answer to nearly "
        "everything, and at least 3 are needed.",
        "That training always works: 4 of 5 gave one answer to nearly everything.",
    ]
    assert "That training always works: all 5 gave one answer to nearly everything." in not_claimed(
        none, find_lights(none)
    )


def test_a_score_that_is_not_above_the_commonest_label_says_so(clean):
    assert " That is not shown to be above always answering 'yes' (50.8 %). " in claim(evidence_of(*clean, [0.5] * 5))
    assert "always answering" not in claim(evidence_of(*clean, [0.8] * 5))


def test_no_difference_is_promised_that_exceeds_the_share_of_answers_that_differ(tmp_path):
    assert claim(made(tmp_path, 60, [0.97, 0.96, 0.98])).endswith(
        " If 5.6 % of answers differ, as they do between two of these trainings, no difference to a model trained as "
        "often would be detected with 80 % power: it would have to be at least 8.7 points, and it cannot exceed the "
        "share of answers that differ."
    )


def test_a_choice_that_loses_or_gains_says_which():
    loss = Estimate(-0.003, -0.011, 0.004, "made", 100)
    assert choice_words(Loss(0.02, loss), "accuracy") == (
        "Choosing the checkpoint on validation data is not shown to lose or to gain accuracy against the best one: "
        "+0.3 points [−0.4, +1.1] (2.0 points of loss in hindsight, which is too high)."
    )
    assert choice_words(Loss(0.02, Estimate(0.01, 0.002, 0.03, "made", 100)), "accuracy") == (
        "Choosing the checkpoint on validation data loses 1.0 points [0.2, 3.0] of accuracy against the best one (2.0 "
        "points of loss in hindsight, which is too high)."
    )
    assert choice_words(Loss(0.0, Estimate(-0.01, -0.03, -0.002, "made", 100)), "accuracy").startswith(
        "Choosing the checkpoint on validation data gains 1.0 points [0.2, 3.0] of accuracy against the best one "
    )


def test_an_interval_that_no_adjustment_stands_behind_is_called_so():
    change = Comparison(Estimate(-0.27, -0.474, -0.066, "made", 60), 0.02, 0.1, 59.0)
    costs = tuple(WordCost(words, change, change, change, 0.06) for words in ("NOUN", "ADJ"))
    found = SimpleNamespace(removals=costs, metric="accuracy", config=Config())
    assert removal_words(found, "ADJ") == (
        "ADJ are not shown to matter more than the same number of random words: −27.0 points [−47.4, −6.6] (this "
        "interval is not adjusted for the 2 classes tried; p, adjusted, is 0.06)."
    )


def test_the_interval_of_a_deviation_is_that_of_the_chi_squared_distribution():
    rng = np.random.default_rng(0)
    for n in (3, 5, 10):
        draws = rng.normal(0, 2.0, (4000, n)).std(axis=1, ddof=1)
        held = [each.low <= 2.0 <= each.high for each in (deviation_interval(float(s), n, 0.9) for s in draws)]
        assert abs(np.mean(held) - 0.9) < 4 * np.sqrt(0.09 / 4000)
        assert deviation_interval(1.0, n, 0.9).low == pytest.approx(np.sqrt((n - 1) / stats.chi2(n - 1).ppf(0.95)))


def test_the_audit_is_asked_at_every_level_that_holm_may_use():
    steps = steps_down(0.95, 2)
    for k in range(1, 9):
        level = 1 - 0.05 / k
        assert min(abs(level - each) for each in steps) < 1e-12
        assert min(abs(1 - (1 - level) / 2 - each) for each in steps) < 1e-12
