"""Many seeds against a loop over transformers.Trainer, in one run: time, memory, accuracy.

    python benchmarks/seeds.py --model FOLDER --data FOLDER --sections time,accuracy --out results.json      (on a GPU)
    python benchmarks/seeds.py --model FOLDER --data FOLDER --sections cpu --out results.json                (on a CPU)

time      BERT-base size with a vocabulary of 120,000 and random weights, 2,490 pairs, one epoch; both ways load the
          model, tokenize, train and evaluate once at the end. Batches of 4 and 32; 1, 6 and 12 seeds.
accuracy  the encoder in --model on SIB-200 English, the same recipe and number of seeds each way; two-sample tests.
cpu       time of a step of the encoder in --model on RTE, at most 128 tokens, batches of 4 and 32.

`--quick` makes everything tiny, to see that it runs. A section that fails prints its error; the others go on.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch

import peer
from goldproof.models.examples import Examples
from goldproof.models.transformer import transformer
from goldproof.training.finetune import Hooks, finetune_many
from goldproof.training.outcome import TrainingOutcome
from goldproof.training.randomness import order_table
from goldproof.training.recipe import Execution, Recipe, Seeds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sections", default="time,accuracy")
    parser.add_argument("--model", type=Path, help="folder of the real encoder")
    parser.add_argument("--data", type=Path, help="folder of the published corpora")
    parser.add_argument("--out", type=Path, help="where to write the numbers as JSON")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--precision", default="float32,tf32", help="for the section time")
    parser.add_argument("--n-seeds", type=int, default=20, help="for the section accuracy")
    parser.add_argument("--seed-counts", default="6,1,12", help="for the section time")
    parser.add_argument("--batches", default="4,32", help="for the sections time and cpu")
    options = parser.parse_args()
    results: dict[str, Any] = {"machine": machine(), "quick": options.quick}
    print(results["machine"], flush=True)
    for section in options.sections.split(","):
        started = time.perf_counter()
        try:
            results[section] = {"time": time_section, "accuracy": accuracy_section, "cpu": cpu_section}[section](
                options
            )
        except Exception as error:  # noqa: BLE001  the other sections still have something to show
            traceback.print_exc()
            results[section] = {"error": f"{type(error).__name__}: {error}"}
        print(f"[{section}: {time.perf_counter() - started:.0f} s]\n", flush=True)
        if options.out:
            options.out.parent.mkdir(parents=True, exist_ok=True)
            options.out.write_text(json.dumps(results, indent=1))


def machine() -> str:
    import transformers

    where = torch.cuda.get_device_name() if torch.cuda.is_available() else f"CPU, {torch.get_num_threads()} threads"
    return f"{where}; torch {torch.__version__}, transformers {transformers.__version__}"


def time_section(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Seconds for all seeds, both ways, whole and without loading."""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        words = [f"w{i}" for i in range(300 if options.quick else 120_000)]
        path = peer.write_random_bert(Path(folder), words, quick=options.quick)
        train, evaluate = (
            pairs(words, 24 if options.quick else 2490, "t"),
            pairs(words, 8 if options.quick else 277, "e"),
        )
        for precision in options.precision.split(","):
            for batch in map(int, options.batches.split(",")):
                recipe = Recipe(
                    task="pair", epochs=1, batch=batch, learning_rate=1e-5, max_length=64, precision=precision
                )  # type: ignore[arg-type]
                rows += time_setting(path, train, evaluate, recipe, [int(n) for n in options.seed_counts.split(",")])
    return rows


def time_setting(
    path: Path, train: Examples, evaluate: Examples, recipe: Recipe, counts: list[int]
) -> list[dict[str, Any]]:
    """One precision and batch: Trainer over the first count of seeds, the engine over every count."""
    rows = []
    other = [peer.run(path, train, evaluate, recipe, seed) for seed in range(counts[0])]
    each = statistics.mean(run.seconds for run in other)
    for n in counts:
        for graphs in (True, False) if n == counts[0] and torch.cuda.is_available() else (True,):
            ours = timed(path, train, evaluate, recipe, n, Execution(graphs=graphs, stack="always"))
            row = {
                "precision": recipe.precision, "batch": recipe.batch, "seeds": n, "graphs": graphs,
                "trainer_s": each * n, "trainer_seeds_run": len(other), "trainer_ms_step": other[-1].step_ms, **ours,
                "ratio": each * n / ours["goldproof_s"],
                "ratio_steps": other[-1].step_ms / ours["goldproof_ms_seed_step"],
                "trainer_peak_gb": max(run.peak_gb for run in other),
            }  # fmt: skip
            rows.append(row)
            show(row)
    return rows


def timed(path: Path, train: Examples, evaluate: Examples, recipe: Recipe, n: int, how: Execution) -> dict[str, Any]:
    """The engine's seconds, from nothing to predictions; and milliseconds of a seed's step once under way."""
    peer.reset_peak()
    stamps: list[tuple[int, float, float]] = []

    def note(progress: Any) -> None:
        if progress.step in (1, progress.n_steps // 4, progress.n_steps):
            peer.wait()
            stamps.append((progress.step, time.perf_counter(), time.process_time()))

    started = time.perf_counter()
    outcomes = finetune_many(
        transformer(path), train, {"dev": evaluate}, recipe, [Seeds.all(s) for s in range(n)], how, Hooks(progress=note)
    )
    peer.wait()
    seconds = time.perf_counter() - started
    failed = [str(found) for found in outcomes if not isinstance(found, TrainingOutcome)]
    if failed:
        raise RuntimeError(failed[0])
    first = outcomes[0]
    assert isinstance(first, TrainingOutcome)
    (early, *before), (late, *after) = stamps[-2:] if len(stamps) > 1 else [(0, started, 0.0), *stamps]
    steady, cpu = ((b - a) / (late - early) for a, b in zip(before, after, strict=True))
    return {
        "goldproof_s": seconds,
        "goldproof_ms_seed_step": 1000 * steady / n,
        "goldproof_cpu_ms": 1000 * cpu / n,
        "goldproof_first_step_s": stamps[0][1] - started,
        "goldproof_peak_gb": peer.peak_gb(),
        "captured": first.conduct.graphs,
        "micro_batch": first.conduct.micro_batch,
        "rows": first.conduct.n_learned_rows,
    }


def accuracy_section(options: argparse.Namespace) -> dict[str, Any]:
    """Test accuracy over seeds, both ways, and whether the two could be of one distribution."""
    from scipy import stats

    train, test = (sib200(options.data, split, 24 if options.quick else None) for split in ("train", "test"))
    recipe = Recipe(epochs=0.5 if options.quick else 4, batch=16, learning_rate=5e-5, max_length=64, warmup=0.1)
    seeds = range(2 if options.quick else options.n_seeds)
    theirs = [peer.run(options.model, train, test, recipe, seed) for seed in seeds]
    started = time.perf_counter()
    outcomes = finetune_many(transformer(options.model), train, {"test": test}, recipe, [Seeds.all(s) for s in seeds])
    ours_s = time.perf_counter() - started
    ours = [
        np.mean(np.array(found.predictions("test")) == np.array(test.labels))
        for found in outcomes
        if isinstance(found, TrainingOutcome)
    ]
    a, b = np.array([run.accuracy for run in theirs]), np.array(ours)
    found = {
        "trainer": a.tolist(), "goldproof": b.tolist(),
        "trainer_mean": a.mean(), "goldproof_mean": b.mean(),
        "trainer_sd": a.std(ddof=1), "goldproof_sd": b.std(ddof=1),
        "welch_p": float(stats.ttest_ind(a, b, equal_var=False).pvalue),
        "mann_whitney_p": float(stats.mannwhitneyu(a, b).pvalue),
        "ks_p": float(stats.ks_2samp(a, b).pvalue), "levene_p": float(stats.levene(a, b).pvalue),
        "trainer_s": sum(run.seconds for run in theirs), "goldproof_s": ours_s,
    }  # fmt: skip
    show(found)
    return found


def cpu_section(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Milliseconds of a step on RTE: the mean of a few, one seed, float32; both ways on the same batches."""
    rows = []
    rte = entailment(options.data)
    for batch in map(int, options.batches.split(",")):
        n_steps = 4 if options.quick else 40 if batch < 16 else 10
        recipe = Recipe(task="pair", steps=n_steps, batch=batch, learning_rate=1e-5, max_length=128)
        few = chosen(rte, range(8))
        batches = order_table(0, rte.ids, batch, n_steps)  # the very batches that the engine sees
        other = peer.run(options.model, chosen(rte, batches.flatten()), few, recipe, 0, device="cpu")
        ours = timed(options.model, rte, few, recipe, 1, Execution(device="cpu"))
        row = {
            "batch": batch, "trainer_ms_step": other.step_ms, "goldproof_ms_step": ours["goldproof_ms_seed_step"],
            "ratio": other.step_ms / ours["goldproof_ms_seed_step"],
            "trainer_cpu_ms": other.step_cpu_ms, "goldproof_cpu_ms": ours["goldproof_cpu_ms"],
            "ratio_cpu": other.step_cpu_ms / ours["goldproof_cpu_ms"], "rows": ours["rows"],
        }  # fmt: skip
        rows.append(row)
        show(row)
    return rows


def pairs(words: list[str], n: int, tag: str) -> Examples:
    """Pairs of 40 to 64 tokens with three special ones, of words drawn as in a text: the k-th in proportion to 1/k."""
    rng = np.random.default_rng(len(tag) + n)
    common = np.random.default_rng(7).permutation(len(words))[:12_000]
    weights = 1 / np.arange(1, len(common) + 1)
    drawn = rng.choice(common, size=(n, 61), p=weights / weights.sum())
    lengths = rng.integers(37, 62, size=n)
    texts = [" ".join(words[i] for i in row[: length // 2]) for row, length in zip(drawn, lengths, strict=True)]
    seconds = [
        " ".join(words[i] for i in row[length // 2 : length]) for row, length in zip(drawn, lengths, strict=True)
    ]
    labels = tuple("yes" if draw else "no" for draw in rng.integers(2, size=n))
    return Examples(tuple(f"{tag}{i}" for i in range(n)), tuple(texts), tuple(seconds), labels)


def sib200(root: Path, split: str, n: int | None) -> Examples:
    """SIB-200 English."""
    lines = (root / "topics" / "sib200" / "en" / f"{split}.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines[1:]][:n]
    return Examples(tuple(r[0] for r in rows), tuple(r[2] for r in rows), None, tuple(r[1] for r in rows))


def entailment(root: Path) -> Examples:
    """RTE's training pairs."""
    lines = (root / "entailment" / "en" / "train.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return Examples(
        tuple(str(r["idx"]) for r in rows),
        tuple(r["premise"] for r in rows),
        tuple(r["hypothesis"] for r in rows),
        tuple(r["label"] for r in rows),
    )


def chosen(items: Examples, rows: Iterable[int]) -> Examples:
    """Some items, in this order."""
    kept = [int(i) for i in rows]
    assert items.pairs is not None and items.labels is not None
    columns = (items.ids, items.texts, items.pairs, items.labels)
    return Examples(*(tuple(column[i] for i in kept) for column in columns))  # type: ignore[arg-type]


def show(row: dict[str, Any]) -> None:
    cells = [f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in row.items() if not isinstance(v, list)]
    print("  ".join(cells), flush=True)


if __name__ == "__main__":
    main()
