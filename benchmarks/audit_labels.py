"""Audit: label suspects beside cleanlab's rankings, from the same probabilities; `audit.py labels` runs it.

What is slow (the classifier's probabilities) is kept in a folder, so that a run that was stopped goes on, and every
ranking is made from the same numbers. Designs stand in `audit_designs.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import audit_designs as designs
from goldproof.measures.label_noise import fit_share, plant_by_features, plant_uniform
from goldproof.measures.label_ranks import rank_labels
from goldproof.measures.shallow_probabilities import averaged, compact, text_features
from goldproof.measures.suspects import PLANTED, PlantedScores, find_cuts, reason_of_accuracy
from goldproof.statistics.intervals import wilson

CUTS = (10, 20, 50, 100)
LEVEL = 0.95
Rows = list[tuple[str, ...]]
Kept = dict[str, Any]


def lines(path: Path, *columns: int, skip: int = 0) -> Rows:
    with path.open(encoding="utf-8") as stream:
        cells = [line.rstrip("\n").split("\t") for line in stream][skip:]
    return [tuple(row[column] for column in columns) for row in cells if len(row) > max(columns)]


def world(name: str, data: Path) -> Rows:
    """Text and label of every row of a world."""
    if name == "sst2":
        return lines(data / "glue/sst2/train.tsv", 0, 1)
    if name == "cola":
        return lines(data / "glue/cola/in_domain_train.tsv", 3, 1)
    if name.startswith("gapping"):
        return lines(data / "probing/rusenteval/gapping.txt", 2, 1)
    if name.startswith("sib200"):
        folder = data / "topics" / name
        return [row for part in ("train", "dev", "test") for row in lines(folder / f"{part}.tsv", 2, 1, skip=1)]
    return [row for part in ("va", "te") for row in lines(data / "probing" / name / f"{part}.txt", 0, 1)]


class World:
    """The rows of a world that a seed draws, their clean labels, and the classifier's probabilities for any labels."""

    def __init__(self, rows: Rows, seed: int) -> None:
        self.seed, self._n_all = seed, len(rows)
        drawn = [rows[at] for at in self.draws().permutation(len(rows))[: designs.ROWS]]
        self.names, self.clean = np.unique([row[1] for row in drawn], return_inverse=True)
        self._features = compact(text_features([row[0] for row in drawn], None))

    def draws(self, after_rows: bool = False) -> np.random.Generator:
        """The generator of rows and, after them, of errors."""
        rng = np.random.default_rng([self.seed, designs.ROWS])
        if after_rows:
            rng.permutation(self._n_all)
        return rng

    def probabilities(self, labels: Any, seed: int) -> Any:
        deals = [np.random.default_rng([seed, 1, number]) for number in range(2)]
        return averaged(self._features, labels, len(self.names), np.arange(len(labels)), deals)

    @cache  # noqa: B019 - one world lives at a time
    def base(self) -> Any:
        """The probabilities that feature-dependent errors are drawn from: of clean labels, by another deal."""
        return self.probabilities(self.clean, self.seed + 1000)


def drawn_run(place: World, rate: float, kind: str) -> Kept:
    """Labels with planted errors, their probabilities, and those after more errors were planted, as `audit` does."""
    n_labels, n = len(place.names), round(rate * len(place.clean))
    rng = place.draws(after_rows=True)
    labels, planted = place.clean, np.empty(0, int)
    if n and kind == "uniform":
        labels, planted = plant_uniform(place.clean, n_labels, n, rng)
    elif n:
        labels, planted = plant_by_features(place.clean, place.base(), n, rng)
    chances = place.probabilities(labels, place.seed)
    kept = {"labels": labels, "planted": planted, "chances": chances}
    again = np.random.default_rng([place.seed, 2])
    n_more = max(round(PLANTED * len(labels)), 1)
    for number in range(2):
        changed, rows = (
            plant_by_features(labels, chances, n_more, again)
            if number
            else plant_uniform(labels, n_labels, n_more, again)
        )
        more = {"labels": changed, "rows": rows, "chances": place.probabilities(changed, place.seed)}
        kept |= {f"{name}_{number}": each for name, each in more.items()}
    return kept


def peer_precision(labels: Any, chances: Any, planted: Any) -> dict[str, float]:
    """Precision at the number of planted errors by cleanlab's rankings, from the same probabilities."""
    if find_spec("cleanlab") is None:
        return {}
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores

    found = {}
    for method in ("normalized_margin", "self_confidence"):
        quality = get_label_quality_scores(labels, chances, method=method)
        rest = np.argsort(quality, kind="stable")
        found[method] = float(np.isin(rest[: len(planted)], planted).mean())
        issues = find_label_issues(labels, chances, return_indices_ranked_by=method)
        ranked = np.concatenate([issues, rest[~np.isin(rest, issues)]])[: len(planted)]
        found[f"issues by {method}"] = float(np.isin(ranked, planted).mean())
    return found


def judged_run(kept: Kept, name: str, rate: float, kind: str, seed: int) -> dict[str, Any]:
    labels, planted, chances = kept["labels"], kept["planted"], kept["chances"]
    judged = rank_labels(labels, chances)
    accuracy = wilson(int((~judged.contradicted).sum()), len(labels), LEVEL)
    noise = fit_share(judged.margins, judged.contradicted, chances.shape[1], LEVEL)
    again = [rank_labels(kept[f"labels_{at}"], kept[f"chances_{at}"]).scores[kept[f"rows_{at}"]] for at in range(2)]
    cuts = {cut.n: cut for cut in find_cuts(noise, judged, PlantedScores(*again), LEVEL)}
    top = np.argsort(-judged.scores, kind="stable")[: len(planted)]
    told = [(cut, cuts[cut]) for cut in CUTS if cut in cuts]
    return {
        "world": name,
        "rate": rate,
        "kind": kind,
        "seed": seed,
        "n": len(labels),
        "n_labels": chances.shape[1],
        "accuracy": accuracy.value,
        "reason": reason_of_accuracy(accuracy, float(np.bincount(labels).max() / len(labels))),
        "share": [noise.share.value, noise.share.low, noise.share.high],
        "ours": float(np.isin(top, planted).mean()) if len(planted) else None,
        "peers": peer_precision(labels, chances, planted) if len(planted) else {},
        "cuts": [
            {
                "n": n,
                "true": float(np.isin(judged.ranked[:n], planted).mean()),
                "random": [cut.precision.value, cut.precision.low, cut.precision.high],
                "gathered": [cut.gathered.value, cut.gathered.low, cut.gathered.high],
            }
            for n, cut in told
        ],
    }


def planned(worlds: tuple[str, ...]) -> Iterator[tuple[str, int, list[tuple[float, str]]]]:
    """What is run, in order: a world, a seed, and the shares and kinds of its errors."""
    every = [(rate, kind) for rate in designs.RATES for kind in designs.KINDS]
    for seed in range(max(designs.REPEATS, designs.CLEAN_REPEATS)):
        for name in worlds:
            clean = [(0.0, "clean")] if seed < designs.CLEAN_REPEATS else []
            yield name, seed, [*clean, *(every if seed < designs.REPEATS else [])]


def labels_runs(data: Path, folder: Path, worlds: tuple[str, ...], first_seed: int = 0) -> Iterator[dict[str, Any]]:
    """Every run of the design; those whose probabilities are in the folder are only judged."""
    folder.mkdir(parents=True, exist_ok=True)
    plan = list(planned(worlds))
    for number, (name, drawn, runs) in enumerate(plan, 1):
        seed, place = first_seed + drawn, None
        for rate, kind in runs:
            path = folder / f"{name.replace('/', '-')}-{rate}-{kind}-{seed}.npz"
            if not path.exists():
                place = place or World(world(name, data), seed)
                np.savez_compressed(path, **drawn_run(place, rate, kind))
            with np.load(path) as kept:
                yield judged_run(dict(kept), name, rate, kind, seed)
        print(f"{number} of {len(plan)}: {name}, seed {seed}", file=sys.stderr, flush=True)
