"""Metrics against scikit-learn and scipy, and under the changes that must not matter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as sk

from goldproof.errors import UsageError
from goldproof.statistics.metrics import METRICS, confusion, encode_labels, metric, span_f1_metric, spearman
from goldproof.statistics.spans import coded_span_counts, find_spans, span_counts, span_f1

CLASSES = 3
TABLE_METRICS = [name for name in METRICS if name not in ("pearson", "binary_f1")]


@st.composite
def labelled(draw: st.DrawFn, classes: int = CLASSES) -> tuple[np.ndarray, np.ndarray]:
    n = draw(st.integers(2, 30))
    codes = st.lists(st.integers(0, classes - 1), min_size=n, max_size=n)
    return np.array(draw(codes)), np.array(draw(codes))


def reference(name: str, gold: np.ndarray, predicted: np.ndarray) -> float:
    if name == "accuracy":
        return float(sk.accuracy_score(gold, predicted))
    if name == "mcc":
        # scikit-learn warns when a single label is left; MCC is 0 by our convention and by theirs.
        one_class = len(set(gold.tolist())) == 1 or len(set(predicted.tolist())) == 1
        return 0.0 if one_class else float(sk.matthews_corrcoef(gold, predicted))
    return float(sk.f1_score(gold, predicted, average=name.removesuffix("_f1"), zero_division=0))


@pytest.mark.parametrize("name", TABLE_METRICS)
@settings(max_examples=60, deadline=None)
@given(data=labelled())
def test_equals_scikit_learn(name: str, data: tuple[np.ndarray, np.ndarray]) -> None:
    assert metric(name, CLASSES)(*data) == pytest.approx(reference(name, *data), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(data=labelled(classes=2))
def test_binary_scores_equal_scikit_learn(data: tuple[np.ndarray, np.ndarray]) -> None:
    gold, predicted = data
    assert metric("binary_f1")(gold, predicted) == pytest.approx(sk.f1_score(gold, predicted, zero_division=0))
    assert metric("mcc")(gold, predicted) == pytest.approx(reference("mcc", gold, predicted), abs=1e-12)


@pytest.mark.parametrize("name", TABLE_METRICS)
@settings(max_examples=40, deadline=None)
@given(data=labelled(), seed=st.integers(0, 99))
def test_weights_are_repetitions_and_order_does_not_matter(
    name: str, data: tuple[np.ndarray, np.ndarray], seed: int
) -> None:
    gold, predicted = data
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 4, len(gold)) + (np.arange(len(gold)) == 0)
    repeated = np.repeat(np.arange(len(gold)), weights)
    order = rng.permutation(repeated)
    score = metric(name, CLASSES)
    assert score(gold, predicted, weights.astype(float)) == pytest.approx(score(gold[order], predicted[order]))


@pytest.mark.parametrize("name", TABLE_METRICS)
@settings(max_examples=40, deadline=None)
@given(data=labelled(), relabel=st.permutations(range(CLASSES)))
def test_names_of_classes_do_not_matter(name: str, data: tuple[np.ndarray, np.ndarray], relabel: list[int]) -> None:
    gold, predicted = data
    new = np.array(relabel)
    score = metric(name, CLASSES)
    assert score(new[gold], new[predicted]) == pytest.approx(score(gold, predicted), abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(data=labelled(classes=2))
def test_mcc_changes_sign_with_the_answers(data: tuple[np.ndarray, np.ndarray]) -> None:
    gold, predicted = data
    assert metric("mcc")(gold, 1 - predicted) == pytest.approx(-metric("mcc")(gold, predicted), abs=1e-12)


def test_runs_and_resamples_are_axes_in_front() -> None:
    rng = np.random.default_rng(0)
    gold, runs = rng.integers(0, 2, 40), rng.integers(0, 2, (3, 40))
    each = [metric("mcc")(gold, run) for run in runs]
    assert metric("mcc")(gold, runs) == pytest.approx(each)
    weights = rng.integers(0, 3, (5, 40)).astype(float)
    assert confusion(gold, runs[0], 2, weights).shape == (5, 2, 2)
    assert confusion(gold, runs[0], 2) == pytest.approx(sk.confusion_matrix(gold, runs[0]))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_correlations_equal_scipy(seed: int, tied: bool) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=25) + 1e6
    y = x + rng.normal(size=25)
    x, y = (x.round(), y.round()) if tied else (x, y)
    assert metric("pearson")(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    weights = rng.integers(0, 3, (4, 25)).astype(float)
    repeated = [np.repeat(np.arange(25), row.astype(int)) for row in weights]
    expected = [stats.spearmanr(x[rows], y[rows]).statistic for rows in repeated]
    assert spearman(x, y, weights) == pytest.approx(expected, abs=1e-12)


def test_a_column_that_does_not_vary_has_no_correlation() -> None:
    assert np.isnan(metric("pearson")(np.ones(5), np.arange(5.0)))


def test_spans_by_hand() -> None:
    gold = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "I-ORG", "I-ORG", "O"], ["B-LOC", "I-PER", "O", "O"]]
    guess = [["B-PER", "O", "O", "B-LOC"], ["O", "B-ORG", "I-ORG", "O"], ["B-LOC", "B-PER", "O", "O"]]
    # Sentence 1: PER(0,2) and LOC(3,4) against PER(0,1) and LOC(3,4): one hit. Sentence 2: the I- without a beginning
    # begins ORG(1,3): a hit. Sentence 3: I-PER after LOC begins a span of its own: two hits.
    assert span_counts(gold, guess).tolist() == [[1, 2, 2], [1, 1, 1], [2, 2, 2]]
    assert span_f1(gold, guess) == pytest.approx(2 * 4 / (5 + 5))
    assert span_counts(gold, guess, "drop").tolist() == [[1, 2, 2], [0, 0, 1], [1, 1, 2]]
    assert find_spans(["B-A", "B-A", "I-B"]) == {(0, 1, "A"), (1, 2, "A"), (2, 3, "B")}
    assert span_f1([["O"]], [["O"]]) == 0.0


def test_span_metric_scores_sentences() -> None:
    counts = span_counts([["B-A", "O"], ["B-B"]], [["B-A", "B-A"], ["O"]])
    numbers = np.arange(2)
    assert span_f1_metric(counts)(numbers, numbers) == pytest.approx(2 * 1 / (2 + 2))


def test_labels_of_any_kind_become_codes() -> None:
    labels, (gold, runs) = encode_labels(np.array(["b", "a"]), np.array([["c", "a"], ["a", "b"]]))
    assert labels.tolist() == ["a", "b", "c"]
    assert gold.tolist() == [1, 0]
    assert runs.tolist() == [[2, 0], [0, 1]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: metric("bleu"),
            (
                "the metric 'bleu' is not known; "
                "allowed: accuracy, binary_f1, macro_f1, mcc, micro_f1, pearson, weighted_f1"
            ),
        ),
        (lambda: metric("binary_f1", 3), "the metric 'binary_f1' needs exactly 2 classes; got 3"),
        (lambda: metric("mcc", 1), "the metric 'mcc' needs at least 2 classes; got 1"),
        (
            lambda: metric("mcc")(np.array([0, 2]), np.array([0, 1])),
            "gold must hold whole numbers from 0 to 1 (use encode_labels); got int64 from 0 to 2",
        ),
        (
            lambda: metric("mcc")(np.array([0, 1]), np.array([0, 1, 1])),
            "the arrays must have the same number of items; got gold 2, predicted 3",
        ),
        (
            lambda: metric("mcc")(np.array([], int), np.array([], int)),
            "at least one item is needed in gold and predicted; got none",
        ),
        (lambda: find_spans(["E-PER"]), "a tag must be O, B-TYPE or I-TYPE; got 'E-PER' at position 0"),
        (lambda: find_spans([], "keep"), "malformed must be 'begin' or 'drop'; got 'keep'"),
        (lambda: span_counts([["O"]], []), "gold and predicted must have the same sentences; got 1 and 0"),
        (lambda: span_counts([["O"]], [["O", "O"]]), "sentence 0 has 1 gold tags and 2 predicted tags"),
    ],
)
def test_errors_say_what_was_wrong(call, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        call()
    assert str(caught.value) == message


@given(st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_coded_span_counts_are_those_of_each_sentence(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tags = ["B-LOC", "B-PER", "I-LOC", "I-PER", "O"]
    lengths = rng.integers(1, 6, 7)
    gold, predicted = rng.integers(0, 5, lengths.sum()), rng.integers(0, 5, (2, 3, lengths.sum()))
    counts = coded_span_counts(gold, predicted, lengths, tags)

    def sentences(codes):
        return [[tags[code] for code in part] for part in np.split(codes, np.cumsum(lengths)[:-1])]

    for run in range(2):
        for point in range(3):
            expected = span_counts(sentences(gold), sentences(predicted[run, point]))
            np.testing.assert_array_equal(counts[run, point], expected)
