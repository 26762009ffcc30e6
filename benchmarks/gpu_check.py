"""The numerical checks of the tests on a GPU, as one table: every family alone, stacked, captured, resumed.

    python benchmarks/gpu_check.py --out check.json             every family
    python benchmarks/gpu_check.py --families bert,t5 --device cpu

Columns are the largest difference of a logit after a short training with dropout:
mask      (first table) masks drawn on the GPU against masks drawn on the CPU: must be equal
captured  whether steps could be captured; where not, the columns below are of plain steps
cpu       one seed on the GPU, no graph, against the same seed on the CPU
stacked   three seeds together, no graph, against the seed alone
graph     three seeds together in a CUDA graph, against no graph
other     another group, items one by one, other padding, all embedding rows, in a graph; against the seed alone
resumed   broken off, taken up again in a graph; against uninterrupted in a graph
tf32, bf16   three seeds in a graph with that precision, against float32 (for information)
compiled  with --compile: compiled and captured, against not compiled
Differences near 1e-5 are rounding; a wrong mask or a wrong capture shows as 1e-2 and more.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from goldproof.models.examples import Examples
from goldproof.models.fake import Fake
from goldproof.models.protocols import Trainable
from goldproof.models.recurrent import Recurrent
from goldproof.models.tiny import FAMILIES, write_tiny_model
from goldproof.models.transformer import transformer
from goldproof.training.finetune import Hooks, finetune_many
from goldproof.training.outcome import Progress, TrainingOutcome
from goldproof.training.randomness import threshold
from goldproof.training.recipe import Execution, Recipe, Seeds
from goldproof.training.stateless_dropout import keep, keep_in_torch

WORDS = [f"w{i}" for i in range(50)]
RECIPE = Recipe(
    task="pair", epochs=2, batch=4, learning_rate=3e-4, weight_decay=0.1, dropout=0.1, evaluations=2, max_length=32
)
SEEDS = [Seeds.all(1), Seeds(2, 7, 4), Seeds.all(3)]
OTHER: dict[str, Trainable] = {
    "bilstm": Recurrent("lstm", True, hidden=16, dimension=8),
    "gru": Recurrent("gru", hidden=16, dimension=8),
    "rnn": Recurrent("rnn", hidden=16, dimension=8),
    "fake": Fake(),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", default=",".join([*FAMILIES, *OTHER]))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    results: dict[str, Any] = {"masks": check_masks(options.device)}
    for family in options.families.split(","):
        started = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            row = check_family(family, Path(folder), options)
        row["seconds"] = time.perf_counter() - started
        results[family] = row
        cells = [f"{k} {v:.1e}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()]
        print(f"{family:12s} " + "  ".join(cells), flush=True)
        if options.out:
            options.out.write_text(json.dumps(results, indent=1))


def check_masks(device: str) -> dict[str, Any]:
    """Masks of every rank, drawn on the device by the operator and by its definition on the CPU."""
    found: dict[str, Any] = {}
    keys = torch.randint(-(2**31), 2**31 - 1, (3, 7), dtype=torch.int64).to(torch.int32)
    for shape in ([33], [17, 33], [4, 17, 18], [2, 3, 5, 7]):
        expected = keep_in_torch(keys, shape, 11, threshold(0.1))
        try:
            same = torch.equal(keep(keys.to(device), shape, 11, threshold(0.1)).cpu(), expected)
        except Exception as error:  # noqa: BLE001  the rest is still worth seeing
            traceback.print_exc()
            same = f"{type(error).__name__}: {error}"  # type: ignore[assignment]
        found[str(shape)] = same
        print(f"mask {shape}: equal {same}; zeros {1 - expected.float().mean().item():.4f}", flush=True)
    return found


def check_family(family: str, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    model = OTHER[family] if family in OTHER else transformer(write_tiny_model(folder / "model", WORDS, family))
    train, dev = pairs(22, "t", 30), pairs(12, "d", 50)

    def run(seeds: list[Seeds], how: Execution, recipe: Recipe = RECIPE, **hooks: Any) -> list[TrainingOutcome]:
        found = finetune_many(model, train, {"dev": dev}, recipe, seeds, how, Hooks(**hooks))
        return [one if isinstance(one, TrainingOutcome) else _raise(one) for one in found]

    plain = Execution(device=options.device, graphs=False, stack="always")
    graph = replace(plain, graphs=True)
    otherwise = replace(graph, micro_batch=1, pad_lengths=(32,), active_rows_only=False)
    row: dict[str, Any] = {}
    kept: dict[str, list[TrainingOutcome]] = {}

    def note(name: str, of: Callable[[], float]) -> None:
        try:
            row[name] = of()
        except Exception as error:  # noqa: BLE001  the other columns are still worth seeing
            traceback.print_exc(limit=-4)
            row[name] = f"{type(error).__name__}: {str(error)[:200]}"

    def keep_run(name: str, *arguments: Any, **rest: Any) -> list[TrainingOutcome]:
        kept[name] = run(*arguments, **rest)
        return kept[name]

    note("cpu", lambda: gap(keep_run("alone", SEEDS[2:], plain)[0], run(SEEDS[2:], replace(plain, device="cpu"))[0]))
    note("stacked", lambda: gap(keep_run("stacked", SEEDS, plain)[2], kept["alone"][0]))
    note("graph", lambda: max(map(gap, keep_run("graph", SEEDS, graph), kept["stacked"])))
    row["captured"] = all(one.conduct.graphs for one in kept.get("graph", ()))
    note("other", lambda: gap(run(SEEDS[:0:-1], otherwise)[0], kept["alone"][0]))
    note("resumed", lambda: gap(_resumed(run, graph, folder), keep_run("one", SEEDS[2:], graph)[0]))
    note("tf32", lambda: gap(run(SEEDS, graph, replace(RECIPE, precision="tf32"))[0], kept["graph"][0]))
    note("bf16", lambda: gap(run(SEEDS, graph, replace(RECIPE, precision="bfloat16"))[0], kept["graph"][0]))
    if options.compile:
        fixed = replace(graph, pad_lengths=(32,))
        note("compiled", lambda: gap(run(SEEDS, replace(fixed, compile=True))[0], run(SEEDS, fixed)[0]))
    return row


def _resumed(run: Callable[..., list[TrainingOutcome]], how: Execution, folder: Path) -> TrainingOutcome:
    class BrokenOffError(Exception):
        pass

    def listen(progress: Progress) -> None:
        if progress.step == 5:
            raise BrokenOffError

    scratch = (folder / "scratch",)
    with contextlib.suppress(BrokenOffError):
        run(SEEDS[2:], replace(how, snapshot_seconds=0), scratch=scratch, progress=listen)
    found = run(SEEDS[2:], how, scratch=scratch)[0]
    assert found.conduct.resumed_at == (4,), found.conduct
    return found


def _raise(error: Exception) -> TrainingOutcome:
    raise error


def gap(a: TrainingOutcome, b: TrainingOutcome) -> float:
    assert a.seeds == b.seeds and a.points == b.points
    return float(np.abs(a.logits["dev"] - b.logits["dev"]).max())


def pairs(n: int, tag: str, n_words: int) -> Examples:
    rng = np.random.default_rng([n, n_words])
    first = [" ".join(rng.choice(WORDS[:n_words], rng.integers(2, 12))) for _ in range(n)]
    second = [" ".join(rng.choice(WORDS[:n_words], rng.integers(2, 12))) for _ in range(n)]
    labels = tuple("yes" if int(text.split()[0][1:]) < n_words // 2 else "no" for text in first)
    return Examples(tuple(f"{tag}{i}" for i in range(n)), tuple(first), tuple(second), labels)


if __name__ == "__main__":
    main()
