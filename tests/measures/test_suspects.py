"""Label suspects: planted errors are found and counted, and where nothing can be told that is said."""

from __future__ import annotations

import math
import re
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from scipy import optimize, special

from goldproof.data.dataset import Dataset
from goldproof.errors import DataError
from goldproof.measures.label_noise import fit_share, plant_by_features, plant_uniform
from goldproof.measures.suspects import Suspects, find_suspects

_SUBJECTS = ["cat dog horse bird fish", "atom proton quark laser photon", "goal striker match referee league"]


def _rows(n: int, seed: int = 0, n_labels: int = 2) -> list[dict[str, str]]:
    """Texts of words of their label among words of none: easy, but not all of them are."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        label = int(rng.integers(n_labels))
        own = rng.choice(_SUBJECTS[label].split(), rng.integers(1, 4))
        noise = rng.choice([f"w{word}" for word in range(200)], 8)
        rows.append({"text": " ".join(rng.permutation([*own, *noise])), "label": "abc"[label]})
    return rows


def _data(rows: list[dict[str, str]]) -> Dataset:
    return Dataset.from_rows("toy", rows)


def _planted(n: int, n_wrong: int, n_labels: int = 2) -> tuple[Suspects, np.ndarray]:
    rows = _rows(n, n_labels=n_labels)
    codes = np.array(["abc".index(row["label"]) for row in rows])
    changed, wrong = plant_uniform(codes, n_labels, n_wrong, np.random.default_rng(1))
    return find_suspects(_data([{**row, "label": "abc"[code]} for row, code in zip(rows, changed, strict=True)])), wrong


@pytest.mark.parametrize("n_labels", [2, 3])
def test_planted_errors_are_ranked_first_and_counted(n_labels: int) -> None:
    found, wrong = _planted(600, 60, n_labels)
    assert found.told
    assert {suspect.row for suspect in found.suspects[:40]} <= set(wrong.tolist())
    assert found.share_wrong.low <= 0.1 <= found.share_wrong.high
    assert found.share_wrong.high - found.share_wrong.low < 0.1
    top = next(cut for cut in found.cuts if cut.n == 50)
    true = np.mean([suspect.row in set(wrong.tolist()) for suspect in found.suspects[:50]])
    assert top.precision.low - 0.05 <= true <= top.precision.high + 0.05
    assert [(planted.kind, planted.n) for planted in found.planted] == [("uniform", 30), ("by features", 30)]
    assert found.planted[0].found.value > 0.6
    assert top.gathered is not None
    assert top.gathered.low <= top.gathered.value <= top.gathered.high <= 1
    assert top.precision.method == "share of wrong labels times how many errors planted at random are found"
    assert [cut.precision.value * cut.n for cut in found.cuts] == sorted(
        cut.precision.value * cut.n for cut in found.cuts
    )


def test_clean_labels_have_no_share_of_wrong_ones() -> None:
    found = find_suspects(_data(_rows(600)))
    assert found.told
    assert found.share_wrong.low == 0
    assert found.share_wrong.high <= 0.03


def test_suspects_carry_their_rows_and_labels() -> None:
    rows = [{"id": f"row-{number}", **row} for number, row in enumerate(_rows(300))]
    rows[7] = {**rows[7], "text": "cat dog horse cat bird", "label": "b"}
    first = find_suspects(_data(rows)).suspects[0]
    assert (first.row, first.id, first.label, first.instead) == (7, "row-7", "b", "a")
    assert first.chance > 0.5


def test_rows_without_a_label_are_left_out() -> None:
    rows = [*_rows(300), {"text": "cat dog"}]
    found = find_suspects(_data(rows))
    assert np.isnan(found.scores[300])
    assert not np.isnan(found.scores[:300]).any()
    assert found.accuracy.n == 300


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([{"text": "a"}, {"text": "b"}], "no row has a label"),
        ([{"text": "a", "score": 1.5}, {"text": "b", "score": 2.0}], "the rows have numbers, no labels"),
        ([{"text": "a", "label": "x"}] * 200, "all rows have one label"),
        (_rows(10), "10 rows have a label; at least 100 are needed"),
        (
            [{"text": f"text {row}", "label": f"{row / 100:.2f}"} for row in range(150)],
            "150 different labels in 150 rows are too many; are they numbers?",
        ),
    ],
)
def test_what_cannot_be_told_is_said(rows, reason) -> None:
    found = find_suspects(Dataset.from_rows("toy", [{**row} for row in rows]))
    assert (found.told, found.reason, found.suspects, found.cuts) == (False, reason, (), ())
    assert math.isnan(found.share_wrong.value)
    assert found.share_wrong.method == f"cannot be told: {reason}"


def test_words_that_tell_nothing_are_said_to() -> None:
    rng = np.random.default_rng(0)
    rows = [{**row, "label": "ab"[rng.integers(2)]} for row in _rows(300)]
    found = find_suspects(_data(rows))
    assert found.reason.startswith("the classifier has ")
    assert re.fullmatch(
        r"the classifier has \d+ % \[\d+, \d+\] of the labels right, hardly more than the most frequent label "
        r"\(\d+ %\)",
        found.reason,
    )
    assert math.isnan(found.share_wrong.value)
    assert found.cuts == ()
    assert found.suspects


def test_texts_that_are_empty_or_very_long() -> None:
    rows = _rows(150)
    rows[0]["text"] = ""
    rows[1]["text"] = "word " * 20_000
    assert len(find_suspects(_data(rows)).scores) == 150


def test_given_probabilities_are_used_and_checked() -> None:
    rows = _rows(200)
    codes = np.array(["abc".index(row["label"]) for row in rows])
    given = np.where(np.arange(2) == codes[:, None], 0.95, 0.05)
    given[3] = given[3][::-1]
    found = find_suspects(_data(rows), probabilities=given)
    assert [suspect.row for suspect in found.suspects] == [3]
    assert found.planted == ()
    assert [cut.gathered for cut in found.cuts] == [None]
    with pytest.raises(DataError) as caught:
        find_suspects(_data(rows), probabilities=given[:, :1])
    assert str(caught.value) == "toy: probabilities must be rows × 2 labels; got an array of (200, 1)"
    with pytest.raises(DataError) as caught:
        find_suspects(_data(rows), probabilities=given * 2)
    assert str(caught.value) == "toy: probabilities of a row must be at least 0 and sum to 1"


def test_rows_of_a_group_are_not_learned_from() -> None:
    """Two rows in each group share a word that no other row has; learned across folds it would tell the label."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 200)
    words = ["".join(rng.choice(list("abcdefgh"), 8)) for _ in range(200)]
    rows = [{"text": f"{words[row // 2]} " * 3, "label": "ab"[labels[row // 2]]} for row in range(400)]
    apart = find_suspects(_data(rows))
    together = find_suspects(_data(rows), groups=np.arange(400) // 2)
    assert apart.accuracy.value > 0.7
    assert together.accuracy.value < 0.6


def test_the_same_seed_gives_the_same_suspects() -> None:
    first, second = (find_suspects(_data(_rows(200)), seed=3) for _ in range(2))
    assert (first.suspects, first.cuts, first.planted) == (second.suspects, second.cuts, second.planted)


def test_the_share_is_that_of_a_direct_fit() -> None:
    """Against scipy on single rows instead of bins, and the share free instead of on a grid."""
    rng = np.random.default_rng(0)
    margins = rng.exponential(2, 4000)
    own = special.expit(-(0.2 + 1.1 * margins))
    wrong = rng.random(4000) < 0.08
    contradicted = np.where(wrong, rng.random(4000) > own, rng.random(4000) < own)

    def loss(shape) -> float:
        share, curve = shape[0], special.expit(-(shape[1] + np.exp(shape[2]) * margins))
        chance = (1 - share) * curve + share * (1 - curve)
        return -float(np.log(np.where(contradicted, chance, 1 - chance)).sum())

    direct = optimize.minimize(loss, [0.05, 0.0, 0.0], bounds=[(0, 0.5), (-9, 9), (-5, 5)], method="L-BFGS-B")
    found = fit_share(margins, contradicted, 2, 0.95)
    assert found.share.value == pytest.approx(direct.x[0], abs=0.006)
    assert found.share.low < 0.08 < found.share.high
    assert found.own.chance_wrong(contradicted).mean() == pytest.approx(found.share.value, abs=0.01)


@settings(max_examples=20)
@given(order=st.permutations(range(300)))
def test_the_order_of_rows_does_not_change_the_share(order) -> None:
    rng = np.random.default_rng(0)
    margins = rng.exponential(2, 300)
    contradicted = rng.random(300) < 0.2
    first = fit_share(margins, contradicted, 3, 0.95).share
    second = fit_share(margins[order], contradicted[order], 3, 0.95).share
    assert (first.low, first.high) == pytest.approx((second.low, second.high), abs=0.006)


def test_planting_changes_as_many_labels_as_asked() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 200)
    chances = rng.dirichlet(np.ones(3), 200)
    for changed, rows in (
        plant_uniform(labels, 3, 20, rng),
        plant_by_features(labels, chances, 20, rng),
    ):
        assert np.flatnonzero(changed != labels).tolist() == rows.tolist()
        assert len(rows) == 20


def test_published_labels_are_not_called_wrong(published: Path) -> None:
    """X-Probe's tenses were read off a parser: next to none is wrong, and words tell them."""
    lines = (published / "probing/xprobe/ru/past_present/te.txt").read_text("utf-8").splitlines()[:1500]
    found = find_suspects(_data([dict(zip(("text", "label"), line.split("\t"), strict=False)) for line in lines]))
    assert found.told
    assert found.share_wrong.low < 0.05
