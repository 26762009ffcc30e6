"""Thirty trainings of one encoder that differ in nothing but their seed, on two real test sets, item by item.

    python benchmarks/seed_runs.py --model FOLDER --data FOLDER --out FOLDER --seeds 30         (on a GPU)
    python benchmarks/seed_runs.py --model FOLDER --data FOLDER --out FOLDER --quick            (on a CPU, tiny)

For each corpus a pilot first: every pair of --rates and --epochs with three seeds of its own, judged on items that
are not tested. The recipe with the highest mean accuracy is taken (of equals the fewer epochs, then the lower rate),
and --seeds other seeds are trained with it, to the last step; no checkpoint is chosen.

rte     English RTE. Its test set has no public labels, so its validation set (277 pairs) is what is tested. The pilot
        holds out a fifth of the training pairs, all pairs of a premise together; the runs train on all 2,490.
sib200  SIB-200 English, topics: train (701), the pilot on dev (99), tested on test (204).

OUT gets, for each corpus, CORPUS-MODEL-SEEDS.parquet (id, gold, prediction, probabilities, run, dataset: what
`goldproof score` reads) and a .json of that name with the pilot, the recipe, versions, seconds and each run's score.
A pilot that is in OUT already is not run again; `--pilot-only` ends after it.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections import Counter
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
import transformers
from scipy.special import softmax

from goldproof.data.catalog import load
from goldproof.models.examples import Examples, examples_from_table
from goldproof.models.transformer import transformer
from goldproof.training.finetune import finetune_many
from goldproof.training.outcome import Outcome
from goldproof.training.recipe import Execution, Recipe, Seeds
from goldproof.training.selection import score_points

PILOT_SEEDS = (1000, 1001, 1002)
COLLAPSED_SHARE = 0.975
LANES = 15


@dataclass(frozen=True)
class Corpus:
    """What the pilot trains and looks at, and what the runs train on and are tested on."""

    name: str
    recipe: Recipe
    pilot_train: Examples
    pilot_held_out: Examples
    train: Examples
    test: Examples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="folder of the encoder")
    parser.add_argument("--data", type=Path, required=True, help="folder of the published corpora")
    parser.add_argument("--out", type=Path, required=True, help="folder for the predictions and the numbers")
    parser.add_argument("--corpora", default="rte,sib200")
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--rates", default="3e-5,5e-5,1e-4", help="learning rates of the pilot")
    parser.add_argument("--epochs", default="3,5,10", help="epochs of the pilot")
    parser.add_argument("--precision", default="tf32", choices=["float32", "tf32", "bfloat16"])
    parser.add_argument("--pilot-only", action="store_true")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.quick:
        options.seeds, options.rates, options.epochs, options.precision = 2, "1e-4", "0.5,1", "float32"
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.corpora.split(","):
        measure(CORPORA[name](options), options)


def measure(corpus: Corpus, options: argparse.Namespace) -> None:
    """The pilot of one corpus, then its runs; the numbers are written after each."""
    path = options.out / f"{corpus.name}-{options.model.name}-{options.seeds}.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    if "pilot" not in found:
        found = {"corpus": corpus.name, "model": options.model.name, "quick": options.quick, "pilot_on": machine()}
        found |= run_pilot(corpus, options)
        path.write_text(json.dumps(found, indent=1))
    if options.pilot_only:
        return
    recipe = replace(corpus.recipe, **found["chosen"])
    started = time.perf_counter()
    outcomes = train(corpus.train, corpus.test, recipe, range(options.seeds), options)
    seconds = time.perf_counter() - started
    write_predictions(path.with_suffix(".parquet"), corpus, outcomes)
    found |= {"runs_on": machine(), "recipe": asdict(recipe), "seconds_of_runs": round(seconds, 1)}
    found |= describe_runs(corpus, outcomes)
    path.write_text(json.dumps(found, indent=1))
    print(f"{corpus.name}: {found['mean']:.4f} sd {found['sd']:.4f}, {len(found['collapsed_runs'])} collapsed, "
          f"{seconds:.0f} s", flush=True)  # fmt: skip


def run_pilot(corpus: Corpus, options: argparse.Namespace) -> dict[str, Any]:
    """The mean held-out accuracy of every recipe over the pilot's seeds, and which recipe is taken."""
    rows = []
    started = time.perf_counter()
    held_out = corpus.pilot_held_out
    for epochs, rate in product(map(float, options.epochs.split(",")), map(float, options.rates.split(","))):
        setting = {"learning_rate": rate, "epochs": epochs}
        begun = time.perf_counter()
        outcomes = train(corpus.pilot_train, held_out, replace(corpus.recipe, **setting), PILOT_SEEDS, options)
        scores = [accuracy(outcome, held_out) for outcome in outcomes]
        shares = [commonest_share(outcome) for outcome in outcomes]
        seconds = time.perf_counter() - begun
        rows.append({**setting, "mean": float(np.mean(scores)), "scores": scores, "commonest_answer": shares,
                     "seconds": round(seconds, 1)})  # fmt: skip
        print(f"{corpus.name} pilot: rate {rate:g}, {epochs:g} epochs: {np.round(scores, 3)} "
              f"mean {np.mean(scores):.4f}, {seconds:.1f} s", flush=True)  # fmt: skip
    best = min(rows, key=lambda row: (-row["mean"], row["epochs"], row["learning_rate"]))
    return {
        "pilot": {"seeds": PILOT_SEEDS, "n_train": corpus.pilot_train.n, "n_held_out": held_out.n, "rows": rows},
        "seconds_of_pilot": round(time.perf_counter() - started, 1),
        "chosen": {name: best[name] for name in ("learning_rate", "epochs")},
    }


def train(
    items: Examples, tested: Examples, recipe: Recipe, seeds: range | tuple[int, ...], options: argparse.Namespace
) -> list[Outcome]:
    """One training for each seed; a failed one ends the script, since a set of runs with holes is no sample of them."""
    how = Execution(most_lanes=LANES)
    outcomes = finetune_many(
        transformer(options.model), items, {"test": tested}, recipe, [Seeds.all(seed) for seed in seeds], how
    )
    for outcome in outcomes:
        if not isinstance(outcome, Outcome):
            raise outcome
    return [outcome for outcome in outcomes if isinstance(outcome, Outcome)]


def describe_runs(corpus: Corpus, outcomes: list[Outcome]) -> dict[str, Any]:
    """Each run's accuracy, how often it gave its commonest answer, and how it was trained."""
    scores = [accuracy(outcome, corpus.test) for outcome in outcomes]
    shares = [commonest_share(outcome) for outcome in outcomes]
    first = outcomes[0]
    return {
        "n_train": corpus.train.n,
        "n_test": corpus.test.n,
        "classes": first.classes,
        "steps": len(first.losses),
        "cut_items": first.truncated,
        "lanes": first.conduct.n_lanes,
        "graphs": first.conduct.graphs,
        "mean": float(np.mean(scores)),
        "sd": float(np.std(scores, ddof=1)),
        "runs": [outcome.seeds.init for outcome in outcomes],
        "scores": scores,
        "commonest_answer": shares,
        "last_losses": [float(np.mean(outcome.losses[-20:])) for outcome in outcomes],
        "collapsed_runs": [o.seeds.init for o, share in zip(outcomes, shares, strict=True) if share >= COLLAPSED_SHARE],
    }


def write_predictions(path: Path, corpus: Corpus, outcomes: list[Outcome]) -> None:
    """Every run's answer to every item, one row each, with probabilities in the order of the sorted labels."""
    logits = np.concatenate([outcome.at("test")[-1] for outcome in outcomes]).astype(np.float64)
    probabilities = softmax(logits, axis=-1).astype(np.float32)
    n_runs = len(outcomes)
    table = pa.table({
        "id": list(corpus.test.ids) * n_runs,
        "gold": list(corpus.test.labels or ()) * n_runs,
        "prediction": [answer for outcome in outcomes for answer in outcome.predictions("test")],
        "probabilities": pa.array(list(probabilities), pa.list_(pa.float32())),
        "run": np.repeat([outcome.seeds.init for outcome in outcomes], corpus.test.n),
        "dataset": [corpus.name] * (n_runs * corpus.test.n),
    })  # fmt: skip
    pq.write_table(table, path, compression="zstd", compression_level=19)


def accuracy(outcome: Outcome, items: Examples) -> float:
    assert items.labels is not None
    return float(score_points(outcome, "test", items.labels)[-1])


def commonest_share(outcome: Outcome) -> float:
    answers = outcome.predictions("test")
    return Counter(answers).most_common(1)[0][1] / len(answers)


def rte(options: argparse.Namespace) -> Corpus:
    """RTE, a fifth of its premises held out for the pilot."""
    whole, test = examples("rte", "train", options), examples("rte", "validation", options)
    premises = sorted(set(whole.texts))
    held_out = set(np.random.default_rng(0).permutation(premises)[: len(premises) // 5].tolist())
    is_out = np.array([text in held_out for text in whole.texts])
    recipe = Recipe(task="pair", batch=16, warmup=0.1, max_length=128, precision=options.precision)
    return Corpus("rte", recipe, chosen(whole, ~is_out), chosen(whole, is_out), whole, test)


def sib200(options: argparse.Namespace) -> Corpus:
    """SIB-200 English with its own three splits."""
    whole, dev, test = (examples("sib200", split, options) for split in ("train", "validation", "test"))
    recipe = Recipe(task="text", batch=16, warmup=0.1, max_length=128, precision=options.precision)
    return Corpus("sib200", recipe, whole, dev, whole, test)


CORPORA = {"rte": rte, "sib200": sib200}


def examples(name: str, split: str, options: argparse.Namespace) -> Examples:
    """A split in English; a few items of it where it must be quick."""
    table = load(name, language="en", split=split, root=options.data).table
    return examples_from_table(table.slice(0, 80 if split == "train" else 20) if options.quick else table)


def chosen(items: Examples, kept: np.ndarray) -> Examples:
    """The items that a mask keeps."""
    columns = (items.ids, items.texts, items.pairs, items.labels)
    rows = np.flatnonzero(kept)
    return Examples(*(None if column is None else tuple(column[i] for i in rows) for column in columns))  # type: ignore[arg-type]


def machine() -> dict[str, str]:
    where = torch.cuda.get_device_name() if torch.cuda.is_available() else f"CPU, {torch.get_num_threads()} threads"
    return {
        "device": where,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "numpy": np.__version__,
    }


if __name__ == "__main__":
    main()
