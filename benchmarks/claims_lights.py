"""How often does a page of claims without a fault have a red light? At most 5 % is promised.

    python benchmarks/claims_lights.py DATA_ROOT [--audits 50] [--out FILE.md]

Designs, written down before the first run: rows redrawn from one pool in which no row is a near copy of another, labels
permuted (so that no cue has any worth and no model can be better than a bag of words), 400 to learn on and 200 to test
on, in four pools; 3 or 5 trainings whose true standard deviation is the threshold of 2 points itself, or half of it,
and whose true accuracy is that of the bag of words: every sampled light stands at or below the place where it may turn.
20 draws of trainings for each audit and design. A page errs when one of the lights that rest on a sample is red. The
search for wrong labels is left out, as labels that were permuted are all wrong or none.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.audit_faults import drawn, pool_of

from goldproof.claiming.data import find_data
from goldproof.claiming.lights import find_lights
from goldproof.claiming.scores import Evidence
from goldproof.claiming.settings import Config
from goldproof.claiming.steps import audit_data
from goldproof.data.answers import Answers
from goldproof.judging.audit.material import find_clusters
from goldproof.studies.shared import Data

POOLS = ("RTE", "MRPC", "SST-2", "CoLA")
TRAININGS = (3, 5)
SPREADS = (0.02, 0.01)
DRAWS = 20
SAMPLED = ("shortcuts", "spread", "words")


def config_of(folder: Path, splits: dict[str, list[dict[str, str]]]) -> Config:
    import pyarrow as pa
    import pyarrow.parquet as pq

    files = {}
    for role in ("train", "test"):
        files[role] = str(folder / f"{role}.parquet")
        pq.write_table(pa.Table.from_pylist([dict(row) for row in splits[role]]), files[role])
    base = Config(data=Data(corpus="generated", languages=("en",), **files), classes=(), levels=0, layers=False)
    return replace(base, labels=False)


def evidence_of(config: Config, audit: dict[str, object], n: int, sd: float, rng: np.random.Generator) -> Evidence:
    data = find_data(config)
    rows = data.parts["test"].data
    gold = np.array([data.classes.index(label) for label in rows.table.column("label").to_pylist()])
    ids = np.array(rows.table.column("id").to_pylist(), object)
    words = audit["words"]
    place = {str(identity): row for row, identity in enumerate(ids)}
    pairs = zip(words["ids"], words["labels"], strict=True)  # type: ignore[index]
    right = np.mean([data.classes[gold[place[str(identity)]]] == label for identity, label in pairs])
    runs = []
    for share in rng.normal(right, sd, n):
        wrong = rng.permutation(len(gold)) >= round(float(share) * len(gold))
        runs.append(np.where(wrong, (gold + 1) % len(data.classes), gold))
    where = {"model": "made", "dataset": data.name, "language": "en"}
    names = tuple(f"seed {i}" for i in range(n))
    answers = Answers(where, None, "classification", data.classes, ids, gold, np.array(runs), names)
    answers = replace(answers, clusters=find_clusters(rows).codes)
    return Evidence(config, data, audit, {"test": answers}, (), None, (), None, None, np.zeros(n, np.int64), None)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=Path)
    parser.add_argument("--audits", type=int, default=50)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    red: Counter[tuple[int, float]] = Counter()
    by_light: Counter[str] = Counter()
    n_pages: Counter[tuple[int, float]] = Counter()
    for name in POOLS:
        pool = pool_of(options.root, name)
        for repeat in range(options.audits):
            rng = np.random.default_rng([7, POOLS.index(name), repeat])
            with tempfile.TemporaryDirectory() as folder:
                config = config_of(Path(folder), drawn(pool, name, rng))
                data = find_data(config)
                splits = {split: part.data for split, part in data.parts.items()}
                audit = audit_data(splits, name, config.level, config.thresholds.of_audit(), False)
                for n in TRAININGS:
                    for sd in SPREADS:
                        for _ in range(DRAWS):
                            lights = find_lights(evidence_of(config, audit, n, sd, rng))
                            found = [each.name for each in lights if each.colour == "red" and each.name in SAMPLED]
                            by_light.update(found)
                            red[n, sd] += bool(found)
                            n_pages[n, sd] += 1
            print(name, repeat, dict(red), dict(by_light), flush=True)
    lines = [
        "| trainings | true standard deviation | pages | with a red light | 95 % interval |",
        "|---|---|---|---|---|",
    ]
    for (n, sd), total in n_pages.items():
        low, high = stats.binomtest(red[n, sd], total).proportion_ci(method="exact")
        share = f"{100 * red[n, sd] / total:.1f} % | [{100 * low:.1f}, {100 * high:.1f}]"
        lines.append(f"| {n} | {100 * sd:g} points | {total:,} | {share} |")
    lines.append("")
    lines.append(f"Red, of all {sum(n_pages.values()):,} pages: " + ", ".join(f"{k} {v}" for k, v in by_light.items()))
    text = "\n".join(lines) + "\n"
    print(text)
    if options.out:
        options.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
