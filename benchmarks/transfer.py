"""Runs × checkpoints × languages on SIB-200 against a loop over transformers.Trainer with the same evaluations.

    python benchmarks/transfer.py --model FOLDER --data FOLDER --out results.json          (on a GPU)
    python benchmarks/transfer.py --quick                                                  (anywhere, tiny, no data)

Goldproof: all runs and sets, at the first `--part` of the checkpoints (all by default); the loop is scaled to all of
them, loading is not. The share of evaluation is the time inside it, the device waited for before and after. The peer
is timed on a part, and scaled: one run of Trainer with two evaluations, each of which predicts every set one after
the other; seconds = runs × (load + steps × mean seconds of a step + checkpoints × mean seconds of an evaluation).
Promises: evaluation at most 30 % of the time of Goldproof, and Goldproof at least 5 times faster than the loop.
`least_epochs_for_30_percent` says how long a training must be for the first, by the times measured.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
import transformers

import peer
from goldproof.data.corpora.catalog import load
from goldproof.data.dataset import Dataset
from goldproof.models.examples import Examples, examples_from_table
from goldproof.models.tiny import write_tiny_model
from goldproof.models.transformer import transformer
from goldproof.studies.transfer.settings import SIB200
from goldproof.studies.transfer.toy import generate_topics
from goldproof.training import group_trainer
from goldproof.training.finetune import Hooks, finetune_many
from goldproof.training.outcome import TrainingOutcome
from goldproof.training.recipe import Recipe, Seeds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, help="folder of the encoder")
    parser.add_argument("--data", type=Path, help="folder of the published corpora")
    parser.add_argument("--out", type=Path, help="where to write the numbers as JSON")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--checkpoints", type=int, default=50)
    parser.add_argument("--epochs", type=float, default=20.0)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--precision", default="tf32", choices=["float32", "tf32", "bfloat16"])
    parser.add_argument("--part", type=float, default=1.0, help="share of the training that is run; the rest is scaled")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.quick:
        options.runs, options.checkpoints, options.epochs, options.batch, options.precision = 2, 4, 1.0, 8, "float32"
    with tempfile.TemporaryDirectory() as folder:
        result = measure(options, Path(folder))
    print(json.dumps(result, indent=1))
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(result, indent=1))


def measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    train, sets, path = quick_data(folder) if options.quick else real_data(options)
    recipe = Recipe(
        epochs=options.epochs,
        batch=options.batch,
        learning_rate=2e-5,
        schedule="constant",
        precision=options.precision,
        evaluations=options.checkpoints,
    )
    n_steps = recipe.n_steps(train.n)
    part = dataclasses.replace(
        recipe,
        steps=max(1, round(n_steps * options.part)),
        evaluations=max(1, round(options.checkpoints * options.part)),
    )
    ours = run_goldproof(path, train, sets, part, options.runs)
    scale = n_steps / (part.steps or 1)
    looped = ours["loop_s"] * scale
    total, evaluation = ours["setup_s"] + looped, ours["evaluation_s"] * scale
    training = looped - evaluation
    theirs = run_trainer(path, train, sets, recipe, n_evaluations=2)
    each = theirs["load_s"] + n_steps * theirs["step_s"] + options.checkpoints * theirs["evaluation_s"]
    return {
        "machine": machine(),
        "runs": options.runs,
        "checkpoints": options.checkpoints,
        "sets": len(sets),
        "items_per_checkpoint": sum(items.n for items in sets.values()),
        "steps": n_steps,
        "precision": options.precision,
        **{f"goldproof_{name}": value for name, value in ours.items()},
        "goldproof_total_s_scaled": total,
        "goldproof_evaluation_share": evaluation / total,
        "least_epochs_for_30_percent": options.epochs * (evaluation / 0.3 - evaluation - ours["setup_s"]) / training,
        **{f"trainer_{name}": value for name, value in theirs.items()},
        "trainer_all_runs_s_scaled": each * options.runs,
        "ratio": each * options.runs / total,
    }


def run_goldproof(
    path: Path, train: Examples, sets: dict[str, Examples], recipe: Recipe, n_runs: int
) -> dict[str, Any]:
    """Seconds until the first step is made, seconds from there to the end, and seconds of that inside evaluation."""
    spent: list[float] = []
    plain = group_trainer.GroupTrainer._evaluate

    def timed(self: Any, *arguments: Any) -> None:
        peer.wait()
        started = time.perf_counter()
        plain(self, *arguments)
        peer.wait()
        spent.append(time.perf_counter() - started)

    group_trainer.GroupTrainer._evaluate = timed  # type: ignore[method-assign]
    try:
        started = time.perf_counter()
        stamps: list[float] = []
        seeds, hooks = [Seeds.all(seed) for seed in range(n_runs)], Hooks(progress=lambda _: note_first(stamps))
        outcomes = finetune_many(transformer(path), train, sets, recipe, seeds, hooks=hooks)
        peer.wait()
        ended = time.perf_counter()
    finally:
        group_trainer.GroupTrainer._evaluate = plain  # type: ignore[method-assign]
    failed = [str(found) for found in outcomes if not isinstance(found, TrainingOutcome)]
    if failed:
        raise RuntimeError(failed[0])
    first = next(found for found in outcomes if isinstance(found, TrainingOutcome))
    return {
        "setup_s": stamps[0] - started,
        "loop_s": ended - stamps[0],
        "evaluation_s": sum(spent),
        "evaluations_timed": len(spent),
        "lanes": first.conduct.n_lanes,
        "graphs": first.conduct.graphs,
    }


def note_first(stamps: list[float]) -> None:
    if not stamps:
        peer.wait()
        stamps.append(time.perf_counter())


class Evaluations(transformers.TrainerCallback):
    """Predict every set at given steps, as a loop that looks at all languages would, and time it."""

    def __init__(self, sets: dict[str, Any], at: set[int]) -> None:
        self.sets, self.at, self.trainer = sets, at, None
        self.seconds: list[float] = []

    def on_step_end(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        if state.global_step in self.at and self.trainer is not None:
            peer.wait()
            started = time.perf_counter()
            for rows in self.sets.values():
                self.trainer.predict(rows)
            self.trainer.model.train()
            peer.wait()
            self.seconds.append(time.perf_counter() - started)


def run_trainer(
    path: Path, train: Examples, sets: dict[str, Examples], recipe: Recipe, n_evaluations: int
) -> dict[str, Any]:
    """One run of a part of the steps with a few evaluations: seconds to load, of a step, of an evaluation."""
    started = time.perf_counter()
    tokenizer = peer.tokenizer_of(path)
    classes = sorted(set(map(str, train.labels or ())))
    rows = peer.rows(tokenizer, train, classes, recipe)
    held_out = {name: peer.rows(tokenizer, items, classes, recipe) for name, items in sets.items()}
    transformers.set_seed(0)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(
        path, num_labels=len(classes), dtype=torch.float32, local_files_only=True
    )
    load = time.perf_counter() - started
    n_steps = min(recipe.n_steps(train.n), 60)
    short = dataclasses.replace(recipe, steps=n_steps, evaluations=1)
    at = {n_steps // 2, n_steps} if n_evaluations > 1 else {n_steps}
    evaluations = Evaluations(held_out, at)
    with tempfile.TemporaryDirectory() as folder:
        trainer = transformers.Trainer(
            model=model,
            args=peer.arguments(folder, short, 0, "auto"),
            train_dataset=rows,
            data_collator=transformers.DataCollatorWithPadding(tokenizer),
            callbacks=[evaluations],
        )
        trainer.remove_callback(transformers.PrinterCallback)
        evaluations.trainer = trainer
        began = time.perf_counter()
        trainer.train()
        peer.wait()
        whole = time.perf_counter() - began
    spent = evaluations.seconds
    return {
        "load_s": load,
        "steps_timed": n_steps,
        "step_s": (whole - sum(spent)) / n_steps,
        "evaluations_timed": len(spent),
        "evaluation_s": sum(spent) / len(spent),
    }


def real_data(options: argparse.Namespace) -> tuple[Examples, dict[str, Examples], Path]:
    train = load("sib200", language="en", split="train", root=options.data)
    sets = {
        f"{language}/{split}": load("sib200", language=language, split=split, root=options.data)
        for language in ("en", *SIB200)
        for split in ("validation", "test")
    }
    return examples(train), {name: examples(data) for name, data in sets.items()}, options.model


def quick_data(folder: Path) -> tuple[Examples, dict[str, Examples], Path]:
    train = generate_topics("xa", "train", 64, 1.0)
    sets = {
        f"{language}/{split}": generate_topics(language, split, 20, share)
        for language, share in (("xa", 1.0), ("xb", 0.7), ("xc", 0.4))
        for split in ("validation", "test")
    }
    words = {word for data in (train, *sets.values()) for text in data.texts for word in text.split()}
    return examples(train), {name: examples(data) for name, data in sets.items()}, write_tiny_model(folder, words)


def examples(data: Dataset) -> Examples:
    return examples_from_table(data.table)


def machine() -> str:
    where = torch.cuda.get_device_name() if torch.cuda.is_available() else f"CPU, {torch.get_num_threads()} threads"
    return f"{where}; torch {torch.__version__}, transformers {transformers.__version__}"


if __name__ == "__main__":
    main()
