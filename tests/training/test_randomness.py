from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from goldproof.training import randomness, stateless_dropout

pytestmark = pytest.mark.needs("models")

MASK = 0xFFFFFFFF


def plain_mix(x: int) -> int:
    """The mixer in plain whole numbers, written apart from the package."""
    x ^= x >> 15
    x = x * 0x2C1B3C6D & MASK
    x ^= x >> 12
    x = x * 0x297A2D39 & MASK
    return x ^ x >> 15


def plain_keep(key: int, coordinates: tuple[int, ...], site: int, limit: int) -> bool:
    golden = 0x1E3779B9
    h = plain_mix((key + site * golden) & MASK)
    for i in coordinates[:-1]:
        h = plain_mix((h + (i + 1) * golden) & MASK)
    pair, half = divmod(coordinates[-1], 2)
    bits = plain_mix((h + (pair + 1) * golden) & MASK) >> 16 * half & 0xFFFF
    return (bits ^ 0x8000) >= limit


@settings(deadline=None)
@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=20))
def test_numpy_torch_and_plain_numbers_mix_alike(values: list[int]) -> None:
    array = np.array(values, np.int32)
    expected = [plain_mix(value & MASK) for value in values]
    assert randomness.mix(array).view(np.uint32).tolist() == expected
    assert stateless_dropout.mix_(torch.from_numpy(array)).numpy().view(np.uint32).tolist() == expected


@settings(max_examples=30, deadline=None)
@given(
    st.integers(-(2**31), 2**31 - 1),
    st.integers(0, 200),
    st.lists(st.integers(1, 5), min_size=1, max_size=3),
    st.floats(0, 0.9),
)
def test_masks_follow_their_definition(key: int, site: int, shape: list[int], p: float) -> None:
    limit = randomness.threshold(p)
    mask = stateless_dropout.keep(torch.tensor([key], dtype=torch.int32), shape, site, limit)[0]
    for coordinates in np.ndindex(*shape):
        assert bool(mask[coordinates]) == plain_keep(key, coordinates, site, limit)


def keys(n: int = 64, seed: int = 1, step: int = 0) -> torch.Tensor:
    key = stateless_dropout.step_key(
        torch.tensor(randomness.hash32("dropout", seed), dtype=torch.int32), torch.tensor(step)
    )
    items = torch.from_numpy(randomness.item_hashes([f"item{i}" for i in range(n)]))
    return stateless_dropout.item_keys(key, items)


@pytest.mark.parametrize("p", [0.1, 0.5])
def test_the_share_of_zeros_is_the_probability(p: float) -> None:
    mask = stateless_dropout.keep(keys(), [64, 64], 3, randomness.threshold(p)).double()
    standard_error = (p * (1 - p) / mask.numel()) ** 0.5
    assert abs((1 - mask.mean()).item() - p) < 4 * standard_error


def test_masks_that_differ_in_one_part_are_unrelated() -> None:
    base = stateless_dropout.keep(keys(), [32, 32], 3, 32768).double().flatten()
    others = {
        "seed": stateless_dropout.keep(keys(seed=2), [32, 32], 3, 32768),
        "step": stateless_dropout.keep(keys(step=1), [32, 32], 3, 32768),
        "site": stateless_dropout.keep(keys(), [32, 32], 4, 32768),
        "item": stateless_dropout.keep(keys().roll(1), [32, 32], 3, 32768),
        "token": stateless_dropout.keep(keys(), [33, 32], 3, 32768)[:, 1:],
        "feature": stateless_dropout.keep(keys(), [32, 33], 3, 32768)[:, :, 1:],
        "pair of features": stateless_dropout.keep(keys(), [32, 34], 3, 32768)[:, :, 2:],
    }
    for name, mask in others.items():
        r = torch.corrcoef(torch.stack([base, mask.double().flatten()]))[0, 1].item()
        assert abs(r) < 4 / len(base) ** 0.5, name


def test_a_mask_does_not_depend_on_padding_or_company() -> None:
    whole = stateless_dropout.keep(keys(), [4, 20, 24], 5, 6554)
    part = stateless_dropout.keep(keys()[10:13], [4, 9, 11], 5, 6554)
    assert torch.equal(whole[10:13, :, :9, :11], part)


def test_lanes_under_vmap_draw_what_they_draw_alone() -> None:
    stacked = torch.stack([keys(8, seed) for seed in range(3)])
    together = torch.func.vmap(lambda key: stateless_dropout.keep(key, [5, 6], 1, 6554))(stacked)
    assert torch.equal(together, torch.stack([stateless_dropout.keep(one, [5, 6], 1, 6554) for one in stacked]))


def test_dropout_keeps_the_mean_and_leaves_evaluation_alone() -> None:
    ones = torch.ones(64, 32, 32)
    with stateless_dropout.StatelessDropout(keys(1)[0], keys(), None):
        dropped = torch.nn.functional.dropout(ones, 0.1)
        untouched = torch.nn.functional.dropout(ones, 0.1, training=False)
    assert abs(dropped.mean().item() - 1) < 0.01
    assert dropped.unique().tolist() == [0.0, pytest.approx(1 / 0.9, rel=1e-4)]
    assert torch.equal(untouched, ones)


@settings(deadline=None)
@given(st.integers(0, 5), st.integers(1, 40), st.integers(1, 12))
def test_every_epoch_visits_every_item_once(seed: int, n: int, batch: int) -> None:
    ids = [f"i{i}" for i in range(n)]
    per_epoch = -(-n // batch)
    table = randomness.order_table(seed, ids, batch, 2 * per_epoch)
    for epoch in (table[:per_epoch], table[per_epoch:]):
        assert sorted(i for i in epoch.flatten() if i >= 0) == list(range(n))


def test_orders_differ_between_epochs_and_seeds_and_not_with_the_files_order() -> None:
    ids = [f"i{i}" for i in range(50)]
    table = randomness.order_table(0, ids, 50, 2)
    assert table[0].tolist() != table[1].tolist() != randomness.order_table(1, ids, 50, 2)[1].tolist()
    turned = randomness.order_table(0, ids[::-1], 50, 2)
    assert [ids[i] for i in table[0]] == [ids[::-1][i] for i in turned[0]]


def test_first_places_are_evenly_spread_over_seeds() -> None:
    ids = [f"i{i}" for i in range(4)]
    first = [randomness.order_table(seed, ids, 4, 1)[0, 0] for seed in range(2000)]
    counts = np.bincount(first, minlength=4)
    assert ((counts - 500) ** 2 / 500).sum() < 16.3  # chi-square with 3 degrees of freedom, p = 0.001
