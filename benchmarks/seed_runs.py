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
What is in OUT already is not run again, so a run that was broken off goes on; `--pilot-only` ends after the pilot.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Sequence
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

from goldproof.data.corpora.catalog import load
from goldproof.models.examples import Examples, examples_from_table
from goldproof.models.transformer import transformer
from goldproof.training.finetune import finetune_many
from goldproof.training.outcome import TrainingOutcome
from goldproof.training.recipe import Execution, Recipe, Seeds

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
    """The pilot of one corpus, then its runs in groups; what was found is written after each setting and group."""
    path = options.out / f"{corpus.name}-{options.model.name}-{options.seeds}.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {"corpus": corpus.name, "pilot": []}
    found |= {"model": options.model.name, "quick": options.quick, "machine": machine()}
    run_pilot(corpus, options, found, path)
    if options.pilot_only:
        return
    recipe = replace(corpus.recipe, **found["chosen"])
    table_path = path.with_suffix(".parquet")
    table = pq.read_table(table_path) if table_path.exists() else None
    done = set() if table is None else set(table.column("run").to_pylist())
    waiting = [seed for seed in range(options.seeds) if seed not in done]
    for group in (waiting[i : i + LANES] for i in range(0, len(waiting), LANES)):
        started = time.perf_counter()
        outcomes = train(corpus.train, corpus.test, recipe, group, options)
        made = tabulate(corpus, outcomes)
        table = made if table is None else pa.concat_tables([table, made])
        pq.write_table(table, table_path, compression="zstd", compression_level=19)
        found["seconds_of_groups"] = [*found.get("seconds_of_groups", []), round(time.perf_counter() - started, 1)]
        found |= {"recipe": asdict(recipe), **describe_training(corpus, outcomes[0]), **describe_runs(table)}
        path.write_text(json.dumps(found, indent=1))
        print(f"{corpus.name}: {found['n_runs']} runs, accuracy {found['mean']:.4f}, sd {found['sd']:.4f}, "
              f"collapsed {found['collapsed_runs']}, {found['seconds_of_groups']} s", flush=True)  # fmt: skip


def run_pilot(corpus: Corpus, options: argparse.Namespace, found: dict[str, Any], path: Path) -> None:
    """The mean held-out accuracy of every recipe over the pilot's seeds, and which recipe is taken."""
    held_out = corpus.pilot_held_out
    found["pilot_items"] = {"train": corpus.pilot_train.n, "held_out": held_out.n, "seeds": PILOT_SEEDS}
    for epochs, rate in product(map(float, options.epochs.split(",")), map(float, options.rates.split(","))):
        setting = {"learning_rate": rate, "epochs": epochs}
        if any(setting.items() <= row.items() for row in found["pilot"]):
            continue
        begun = time.perf_counter()
        outcomes = train(corpus.pilot_train, held_out, replace(corpus.recipe, **setting), PILOT_SEEDS, options)
        scores = describe_runs(tabulate(replace(corpus, test=held_out), outcomes))
        seconds = round(time.perf_counter() - begun, 1)
        kept = {name: scores[name] for name in ("mean", "scores", "commonest_answer")}
        found["pilot"].append({**setting, **kept, "seconds": seconds})
        path.write_text(json.dumps(found, indent=1))
        print(f"{corpus.name} pilot: {found['pilot'][-1]}", flush=True)
    best = min(found["pilot"], key=lambda row: (-row["mean"], row["epochs"], row["learning_rate"]))
    found["chosen"] = {name: best[name] for name in ("learning_rate", "epochs")}
    path.write_text(json.dumps(found, indent=1))
    print(f"{corpus.name}: chosen {found['chosen']}", flush=True)


def train(
    items: Examples, tested: Examples, recipe: Recipe, seeds: Sequence[int], options: argparse.Namespace
) -> list[TrainingOutcome]:
    """One training for each seed; a failed one ends the script, since a set of runs with holes is no sample of them."""
    how = Execution(most_lanes=LANES)
    outcomes = finetune_many(
        transformer(options.model), items, {"test": tested}, recipe, [Seeds.all(seed) for seed in seeds], how
    )
    for outcome in outcomes:
        if not isinstance(outcome, TrainingOutcome):
            raise outcome
    return [outcome for outcome in outcomes if isinstance(outcome, TrainingOutcome)]


def tabulate(corpus: Corpus, outcomes: list[TrainingOutcome]) -> pa.Table:
    """Every run's answer to every item, one row each, with probabilities in the order of the sorted labels."""
    logits = np.concatenate([outcome.at("test")[-1] for outcome in outcomes]).astype(np.float64)
    n_runs = len(outcomes)
    return pa.table({
        "id": list(corpus.test.ids) * n_runs,
        "gold": list(corpus.test.labels or ()) * n_runs,
        "prediction": [answer for outcome in outcomes for answer in outcome.predictions("test")],
        "probabilities": pa.array(list(softmax(logits, axis=-1).astype(np.float32)), pa.list_(pa.float32())),
        "run": np.repeat([outcome.seeds.init for outcome in outcomes], corpus.test.n),
        "dataset": [corpus.name] * (n_runs * corpus.test.n),
    })  # fmt: skip


def describe_runs(table: pa.Table) -> dict[str, Any]:
    """Each run's accuracy and how often it gave its commonest answer."""
    run, gold, answer = (np.array(table.column(name).to_pylist()) for name in ("run", "gold", "prediction"))
    runs = np.unique(run).tolist()
    scores = [float(np.mean(gold[run == each] == answer[run == each])) for each in runs]
    shares = [float(np.unique(answer[run == each], return_counts=True)[1].max() / np.sum(run == each)) for each in runs]
    return {
        "n_runs": len(runs),
        "mean": float(np.mean(scores)),
        "sd": float(np.std(scores, ddof=1)),
        "collapsed_runs": [each for each, share in zip(runs, shares, strict=True) if share >= COLLAPSED_SHARE],
        "scores": [round(score, 4) for score in scores],
        "commonest_answer": [round(share, 4) for share in shares],
    }


def describe_training(corpus: Corpus, outcome: TrainingOutcome) -> dict[str, Any]:
    """What every run had in common, beside the recipe."""
    return {
        "n_train": corpus.train.n,
        "n_test": corpus.test.n,
        "classes": outcome.classes,
        "steps": len(outcome.losses),
        "cut_items": outcome.truncated,
        "lanes": outcome.conduct.n_lanes,
        "graphs": outcome.conduct.graphs,
    }


def rte(options: argparse.Namespace) -> Corpus:
    """RTE, a fifth of its premises held out for the pilot."""
    whole, test = examples("rte", "train", options), examples("rte", "validation", options)
    premises = sorted(set(whole.texts))
    held_out = set(np.random.default_rng(0).permutation(premises)[: len(premises) // 5].tolist())
    is_out = np.array([text in held_out for text in whole.texts])
    recipe = Recipe(task="pair", batch=16, warmup=0.1, max_length=192, precision=options.precision)
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
    return examples_from_table(table.slice(0, 48 if split == "train" else 20) if options.quick else table)


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
