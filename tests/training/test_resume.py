"""A training that was broken off goes on as if nothing had happened, even after kill -9."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from goldproof.errors import StoreError
from goldproof.models.examples import Examples
from goldproof.models.fake import Fake
from goldproof.models.transformer import Transformer
from goldproof.training.finetune import Hooks, finetune, finetune_many
from goldproof.training.outcome import Progress, TrainingOutcome
from goldproof.training.recipe import Execution, Recipe, Seeds
from goldproof.training.snapshots import FILE

pytestmark = pytest.mark.needs("models")

RECIPE = Recipe(task="pair", epochs=2, batch=4, learning_rate=1e-3, evaluations=4, dropout=0.1)
EVERY_STEP = Execution(snapshot_seconds=0)

KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from conftest import make_pairs
from goldproof.models.transformer import transformer
from goldproof.training.finetune import Hooks, finetune_many
from goldproof.training.recipe import Execution, Seeds
from test_resume import RECIPE

def listen(progress):
    if progress.step == 6:
        os.kill(os.getpid(), signal.SIGKILL)

folders = tuple(Path(sys.argv[3]) / str(seed) for seed in (1, 2, 3))
finetune_many(transformer(sys.argv[2]), make_pairs(18, "t", 30), {"dev": make_pairs(10, "d", 50, 16)}, RECIPE,
              [Seeds.all(seed) for seed in (1, 2, 3)], Execution(snapshot_seconds=0, stack="always"),
              Hooks(scratch=folders, progress=listen))
"""


def test_kill_9_in_the_middle_of_a_group_changes_nothing(
    tiny: Callable[[str], Transformer], train: Examples, dev: Examples, tmp_path: Path
) -> None:
    model = tiny("bert")
    arguments = [str(Path(__file__).parent), str(model.source.folder), str(tmp_path)]
    done = subprocess.run([sys.executable, "-c", KILLED, *arguments], env=os.environ, check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    seeds = [Seeds.all(seed) for seed in (1, 2, 3)]
    whole = finetune_many(model, train, {"dev": dev}, RECIPE, seeds, Execution(stack="always"))
    resumed = finetune_many(
        model, train, {"dev": dev}, RECIPE, seeds, Execution(stack="always"), Hooks(scratch=_folders(tmp_path, 1, 2, 3))
    )
    for a, b in zip(whole, resumed, strict=True):
        assert isinstance(a, TrainingOutcome) and isinstance(b, TrainingOutcome)
        assert b.conduct.resumed_at == (5,)
        assert np.array_equal(a.logits["dev"], b.logits["dev"])
        assert np.array_equal(a.losses, b.losses)


def test_a_group_may_be_taken_up_in_parts(
    tiny: Callable[[str], Transformer], train: Examples, dev: Examples, tmp_path: Path
) -> None:
    """Seeds broken off at different steps run on in groups of their own and give what they give alone."""
    model, seeds = tiny("bert"), [Seeds.all(1), Seeds.all(2), Seeds.all(3)]
    folders = _folders(tmp_path, 1, 2, 3)
    for seed, folder, step in zip(seeds[:2], folders, (4, 7), strict=False):
        with pytest.raises(KeyboardInterrupt):
            finetune(model, train, {"dev": dev}, RECIPE, seed, EVERY_STEP, Hooks((folder,), progress=_interrupt(step)))
    together = finetune_many(model, train, {"dev": dev}, RECIPE, seeds, Execution(stack="always"), Hooks(folders))
    assert [found.conduct.resumed_at for found in together if isinstance(found, TrainingOutcome)] == [(3,), (6,), ()]
    for seed, found in zip(seeds, together, strict=True):
        alone = finetune(model, train, {"dev": dev}, RECIPE, seed)
        assert isinstance(found, TrainingOutcome)
        assert np.abs(alone.logits["dev"] - found.logits["dev"]).max() < 1e-5


def test_a_damaged_or_foreign_snapshot_counts_as_absent(train: Examples, dev: Examples, tmp_path: Path) -> None:
    def attempt(recipe: Recipe) -> TrainingOutcome:
        return finetune(Fake(), train, {"dev": dev}, recipe, Seeds.all(1), hooks=Hooks((tmp_path,)))

    with pytest.raises(KeyboardInterrupt):
        finetune(
            Fake(), train, {"dev": dev}, RECIPE, Seeds.all(1), EVERY_STEP, Hooks((tmp_path,), progress=_interrupt(5))
        )
    assert attempt(RECIPE).conduct.resumed_at == (4,)
    assert attempt(replace(RECIPE, learning_rate=1e-2)).conduct.resumed_at == ()
    file = tmp_path / FILE
    file.write_bytes(file.read_bytes()[:-100])
    assert attempt(RECIPE).conduct.resumed_at == ()


def test_a_folder_that_cannot_be_written_is_named(train: Examples, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(StoreError) as caught:
        finetune(Fake(), train, {}, RECIPE, Seeds.all(1), EVERY_STEP, Hooks((blocked,)))
    assert str(caught.value) == f"{blocked}: the snapshot of a training cannot be written (File exists)"


def _folders(root: Path, *seeds: int) -> tuple[Path, ...]:
    return tuple(root / str(seed) for seed in seeds)


def _interrupt(step: int) -> Callable[[Progress], None]:
    def listen(progress: Progress) -> None:
        if progress.step == step:
            raise KeyboardInterrupt

    return listen
