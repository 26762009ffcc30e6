"""Seed 3 is seed 3: alone, stacked, in another group, padded and split otherwise, resumed; for every family."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from goldproof.models.examples import Examples
from goldproof.models.fake import Fake
from goldproof.models.protocols import Trainable
from goldproof.models.recurrent import Recurrent
from goldproof.models.tiny import FAMILIES
from goldproof.models.transformer import Transformer
from goldproof.training.finetune import Hooks, finetune, finetune_many
from goldproof.training.outcome import Progress, TrainingOutcome
from goldproof.training.recipe import Execution, Recipe, Seeds

pytestmark = pytest.mark.needs("models")

RECIPE = Recipe(
    task="pair", epochs=1, batch=4, learning_rate=1e-3, weight_decay=0.1, dropout=0.1, evaluations=2, max_length=32
)
SEEDS = [Seeds.all(1), Seeds(2, 7, 4), Seeds.all(3)]
OTHER = [
    Recurrent("lstm", bidirectional=True, hidden=8, dimension=6),
    Recurrent("gru", hidden=8, dimension=6, n_layers=2),
    Recurrent("rnn", hidden=8, dimension=6, word_dropout=0.2),
    Fake(),
]


class BrokenOffError(Exception):
    pass


def break_at(step: int) -> Callable[[Progress], None]:
    def listen(progress: Progress) -> None:
        if progress.step == step:
            raise BrokenOffError

    return listen


@pytest.fixture(params=[*FAMILIES, *OTHER], ids=lambda p: p if isinstance(p, str) else p.name)
def model(request: pytest.FixtureRequest, tiny: Callable[[str], Transformer]) -> Trainable:
    return tiny(request.param) if isinstance(request.param, str) else request.param


def farthest(a: TrainingOutcome, b: object) -> float:
    assert isinstance(b, TrainingOutcome)
    assert a.points == b.points and a.seeds == b.seeds
    return float(np.abs(a.logits["dev"] - b.logits["dev"]).max())


def test_a_seed_gives_the_same_however_it_is_run(
    model: Trainable, train: Examples, dev: Examples, tmp_path: Path
) -> None:
    sets = {"dev": dev}
    alone = finetune(model, train, sets, RECIPE, SEEDS[2])
    stacked = finetune_many(model, train, sets, RECIPE, SEEDS, Execution(stack="always"))
    assert farthest(alone, stacked[2]) < 1e-5
    assert np.abs(stacked[0].logits["dev"] - stacked[2].logits["dev"]).max() > 1e-3  # type: ignore[union-attr]
    # Another group in another order, items one by one, other padding, all rows of the embedding in the optimiser.
    otherwise = Execution(
        stack="always", micro_batch=1, pad_lengths=(32,), active_rows_only=False, evaluation_tokens=64
    )
    assert farthest(alone, finetune_many(model, train, sets, RECIPE, SEEDS[:0:-1], otherwise)[0]) < 1e-5
    # BrokenOffError off after the third step and taken up again.
    hooks = Hooks(scratch=(tmp_path,), progress=break_at(3))
    with pytest.raises(BrokenOffError):
        finetune(model, train, sets, RECIPE, SEEDS[2], Execution(snapshot_seconds=0), hooks)
    resumed = finetune(model, train, sets, RECIPE, SEEDS[2], hooks=Hooks(scratch=(tmp_path,)))
    assert resumed.conduct.resumed_at == (2,)
    assert np.array_equal(resumed.logits["dev"], alone.logits["dev"])
    assert np.array_equal(resumed.losses, alone.losses)
