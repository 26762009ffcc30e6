"""A batch in parts: the same step as a batch that goes through whole, and a size of parts that saves padding."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from goldproof.models.examples import Examples
from goldproof.models.transformer import Transformer
from goldproof.training.recipe import Execution, Recipe, Seeds

pytestmark = pytest.mark.needs("models")

RECIPE = Recipe(task="pair", epochs=2, batch=5, learning_rate=1e-3, dropout=0.1)
SEEDS = [Seeds.all(1), Seeds(2, 3, 4)]


def make_stack(model: Transformer, train: Examples, how: Execution):  # type: ignore[no-untyped-def]
    import torch

    from goldproof.training.checks import find_classes
    from goldproof.training.packing import prepare
    from goldproof.training.seed_stack import SeedStack, initial_parameters, make_shared_setup
    from goldproof.training.stacked_optimizer import OptimizerState

    classes = find_classes(train, {}, RECIPE)
    network = model.load("pair", len(classes), train)
    prepared = prepare(network, train, {}, RECIPE, classes, active_rows_only=True)
    shared = make_shared_setup(network, prepared, RECIPE, how, RECIPE.n_steps(train.n), torch.device("cpu"))
    return SeedStack(shared, SEEDS, OptimizerState.fresh(initial_parameters(shared, SEEDS)), 0)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_parts_that_are_added_up_are_the_same_step(
    tiny: Callable[[str], Transformer], train: Examples, size: int
) -> None:
    """As they are captured on a GPU: one graph for each part, and one that updates; here run plainly."""
    import torch

    whole = make_stack(tiny("bert"), train, Execution(micro_batch=5))
    parts = make_stack(tiny("bert"), train, Execution(micro_batch=size))
    whole.shared.network.module.train()
    parts.shared.network.module.train()
    parts.begin_parts()
    for _ in range(whole.shared.n_steps):
        whole.step()
        for width in parts.widths():
            parts.add_part(width)
        parts.end_parts()
        whole.n_done += 1
        parts.n_done += 1
    assert torch.equal(whole.losses.isfinite(), torch.ones_like(whole.losses, dtype=torch.bool))
    assert (whole.losses - parts.losses).abs().max() < 1e-5
    assert (whole.norms - parts.norms).abs().max() < 1e-4
    apart = {
        name: (tensor - parts.state.parameters[name]).abs().max() for name, tensor in whole.state.parameters.items()
    }  # a key's bias has no gradient but rounding, which Adam makes large
    assert max(each for name, each in apart.items() if "key.bias" not in name) < 1e-4


def test_a_rehearsal_leaves_nothing_behind(tiny: Callable[[str], Transformer], train: Examples) -> None:
    import torch

    stack = make_stack(tiny("bert"), train, Execution(micro_batch=2))
    stack.shared.network.module.train()
    before = {name: tensor.detach().clone() for name, tensor in stack.state.parameters.items()}
    stack.begin_parts()
    stack.add_part(stack.widths()[0])
    stack.begin_parts()
    stack.rehearse(stack.end_parts)
    stack.rehearse(stack.step)
    for name, tensor in before.items():
        assert torch.equal(tensor, stack.state.parameters[name]), name
        assert not stack.state.first[name].any()


def test_parts_are_as_small_as_their_padding_pays_for() -> None:
    from goldproof.training.seed_stack import LAUNCHED, best_part

    alike = np.full((3, 8, 32), 64)
    assert best_part(alike, 32, lambda longest: longest) == 32
    mixed = np.sort(np.broadcast_to(np.arange(2, 130, 4), (3, 8, 32)))[..., ::-1]
    assert best_part(mixed, 32, lambda longest: longest) == 16
    assert best_part(mixed[:, :1] // 8, 32, lambda longest: longest) == 32  # too few tokens to launch more for
    assert best_part(mixed, 4, lambda longest: longest) == 4  # what memory allows
    halves = np.where(np.arange(32) < 16, 96, 16)[None, None].repeat(8, 1)
    assert LAUNCHED < 8 * 16 * (96 - 16)
    assert best_part(halves, 32, lambda longest: longest) == 16
