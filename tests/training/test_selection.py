from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_softmax
from sklearn.metrics import log_loss, matthews_corrcoef

from goldproof.errors import UsageError
from goldproof.statistics.spans import span_f1
from goldproof.training import selection
from goldproof.training.outcome import ExecutionFacts, TrainingOutcome
from goldproof.training.recipe import Recipe, Seeds
from goldproof.training.search import Between, draw_settings

GOLD = ["a", "b", "a", "b", "a"]


def outcome(seed: int = 0, n_points: int = 4) -> TrainingOutcome:
    logits = np.random.default_rng(seed).normal(size=(n_points, 5, 2)).astype(np.float32)
    conduct = ExecutionFacts("cpu", 1, 4, 0, (), None, False)
    points = tuple(range(1, n_points + 1))
    losses = np.zeros(4, np.float32)
    return TrainingOutcome(
        Seeds.all(seed), ("a", "b"), points, {"dev": logits}, {"dev": tuple("vwxyz")}, losses, losses, {}, None, conduct
    )


def test_scores_are_those_of_scikit_learn() -> None:
    found = outcome()
    for point, logits in enumerate(found.logits["dev"]):
        predicted = found.predictions("dev", point)
        assert selection.score_points(found, "dev", GOLD)[point] == np.mean(np.array(predicted) == GOLD)
        assert selection.score_points(found, "dev", GOLD, "mcc")[point] == pytest.approx(
            matthews_corrcoef(GOLD, predicted)
        )
        expected = -log_loss(GOLD, np.exp(log_softmax(logits.astype(float), axis=1)))
        assert selection.score_points(found, "dev", GOLD, "loss")[point] == pytest.approx(expected)


def test_squared_error_is_the_loss_of_one_output() -> None:
    logits = np.array([[1.0], [2.0]], np.float32)
    assert selection.score_logits("loss", logits, np.array([1.0, 4.0])) == -2.0


def test_the_best_point_is_the_earliest_of_equals() -> None:
    found = outcome()
    found.logits["dev"][:] = 0
    found.logits["dev"][1:3, :, 0] = [[2, -2, 2, -2, 2], [5, -5, 5, -5, 5]]
    assert selection.best_point(found, "dev", GOLD) == 1
    assert selection.best_point_by_confidence(found, "dev", GOLD) == 2
    assert selection.best_point(found, "dev", GOLD, "loss") == 2
    assert selection.last_point(found) == 3


def test_averages_are_of_log_probabilities() -> None:
    found = outcome()
    expected = log_softmax(found.logits["dev"][-2:].astype(float), axis=-1).mean(axis=0)
    assert np.allclose(selection.average_points(found, "dev", 2), expected, atol=1e-6)


def test_the_best_of_several_trainings() -> None:
    several = [outcome(seed) for seed in range(6)]
    choice = selection.best_outcome(several, "dev", GOLD)
    scores = [selection.score_points(found, "dev", GOLD).max() for found in several]
    assert (choice.index, choice.score) == (int(np.argmax(scores)), max(scores))


def test_sentences_are_scored_by_spans() -> None:
    """Words right are not spans right: of these the second gives more spans, the first more words."""
    tags = ("B-LOC", "I-LOC", "O")
    gold = ["B-LOC", "I-LOC", "I-LOC", "O", "O", "O", "B-LOC", "O"]
    words = ["B-LOC", "I-LOC", "O", "O", "O", "O", "O", "O"], ["O", "O", "O", "O", "B-LOC", "O", "B-LOC", "O"]
    codes = np.array([tags.index(tag) for tag in gold])
    found = []
    for given in words:
        logits = np.eye(3, dtype=np.float32)[[tags.index(tag) for tag in given]]
        expected = span_f1([gold[:5], gold[5:]], [list(given[:5]), list(given[5:])])
        assert selection.score_tagged(logits, codes, [5, 3], tags) == pytest.approx(expected)
        found.append((expected, float(np.mean([a == b for a, b in zip(gold, given, strict=True)]))))
    assert found[0][0] < found[1][0] and found[0][1] > found[1][1]
    cut = np.eye(3, dtype=np.float32)[codes]
    cut[6] = np.nan  # a word that was cut off is outside
    expected = span_f1([gold[:5], gold[5:]], [gold[:5], ["O", "O", "O"]])
    assert selection.score_tagged(cut, codes, [5, 3], tags) == pytest.approx(expected)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UsageError) as caught:
        selection.best_point(outcome(), "test", GOLD)
    assert str(caught.value) == "there is no evaluation set 'test'; there are: dev"
    with pytest.raises(UsageError) as caught:
        selection.score_logits("f1", np.zeros((1, 2), np.float32), np.zeros(1))  # type: ignore[arg-type]
    assert str(caught.value) == "the rule must be accuracy, mcc or loss, or span_f1 of sentences; got 'f1'"


def test_random_search_draws_within_its_space() -> None:
    space = {"batch": [8, 16, 32], "learning_rate": Between(1e-5, 1e-2, log=True), "warmup": Between(0.0, 0.2)}
    drawn = draw_settings(Recipe(epochs=2), space, 400, np.random.default_rng(0))
    assert drawn == draw_settings(Recipe(epochs=2), space, 400, np.random.default_rng(0))
    assert {recipe.batch for recipe in drawn} == {8, 16, 32}
    logs = np.log10([recipe.learning_rate for recipe in drawn])
    assert logs.min() >= -5 and logs.max() <= -2 and abs(logs.mean() + 3.5) < 0.15
    assert all(recipe.epochs == 2 and 0 <= recipe.warmup <= 0.2 for recipe in drawn)
    with pytest.raises(UsageError, match=r"^a recipe has no field 'speed'; its fields: task, epochs, "):
        draw_settings(Recipe(), {"speed": [1]}, 1, np.random.default_rng(0))
