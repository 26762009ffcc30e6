"""Draws are a function of what they are for: the values that results and stored jobs hang on stay what they are."""

from __future__ import annotations

import numpy as np
import pytest

from goldproof.builders.corruption.removal import draw_order
from goldproof.builders.probing.draw import draw as draw_for_probing
from goldproof.data.dataset import Dataset
from goldproof.draws import draw, draw_bytes, draw_fraction, mix64
from goldproof.models.fake import bucket_of
from goldproof.studies.corruption.steps import sample
from goldproof.studies.transfer.parts import _draw as draw_for_transfer
from goldproof.training.randomness import hash32, item_digests, item_hashes, order_of_epoch, order_table


def test_numbers() -> None:
    """Text beyond ASCII, numbers as text, and the halves of a pair do not run into each other."""
    assert [draw("a"), draw("ä-7")] == [3405396810240292928, 3182750258232074977]
    assert [draw_fraction(0, "a"), draw_fraction(3, "hold out", "ä b")] == [0.8278145087896002, 0.9744333047509351]
    assert draw("ab", "c") != draw("a", "bc")
    assert draw("1") == draw(1) != draw(-1)


def test_lone_surrogates_are_drawn_for_too() -> None:
    assert draw_bytes("\ud800", n_bytes=4) != draw_bytes("\ud801", n_bytes=4)


def test_initial_weights() -> None:
    torch_draws = pytest.importorskip("goldproof.models.draws", reason="needs torch")
    seeds = [torch_draws.seed_of("weights", 3), torch_draws.seed_of("init", 7, "head.weight")]
    assert seeds == [3495265221750837185, 5737142530065899141]


def test_dropout_and_order_of_training() -> None:
    assert [hash32("dropout", 3), hash32("dropout", 4)] == [-1857376550, -644790936]
    assert item_hashes(["a", "ä-7"]).tolist() == [-1058446410, -725726860]
    digests = item_digests([f"i{n}" for n in range(8)])
    assert order_of_epoch(5, 2, digests).tolist() == [7, 0, 3, 6, 1, 5, 4, 2]
    assert order_table(1, ["a", "b", "c"], 2, 3).tolist() == [[1, 0], [2, -1], [2, 1]]


def test_probing_tasks() -> None:
    assert draw_for_probing(0, "NShift", "a sentence") == 10305547206342519335
    assert draw_for_probing(7, "x", "ä") == 11584385870430201304


def test_corruption() -> None:
    assert draw_order(0, "shuffle", "id-1", 7) == [6, 2, 0, 3, 1, 5, 4]
    assert draw_order(3, "random", "ä\ud800", 5) == [1, 0, 3, 2, 4]
    assert draw_order(0, "shuffle", "x", 0) == []


def test_sample_of_rows() -> None:
    data = Dataset.from_rows("some", [{"id": f"q{n}", "text": "a"} for n in range(8)])
    assert sample(data, 4).table.column("id").to_pylist() == ["q0", "q1", "q2", "q4"]


def test_transfer() -> None:
    assert draw_for_transfer("hold out", "a text") == 0.7741991580089689
    assert draw_for_transfer("train", "ä") == 0.9057062125066722


def test_buckets_of_words() -> None:
    assert [bucket_of("dog", 1000), bucket_of("ä", 64)] == [465, 48]


def test_scrambling() -> None:
    mixed = mix64(np.array([0, 1, 2**63], np.uint64))
    assert mixed.tolist() == [0, 6238072747940578789, 2720858781877447050]
