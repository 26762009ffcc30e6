"""Planted faults that `audit` must find and name, and how often it finds one where there is none.

    python benchmarks/audit_faults.py [folder of corpora] [faults] [held-out] [third] [clean [FIRST END] [POOL …]]

Faults: every world of `audit_worlds.worlds()`, 800 rows to learn on and 400 to test on. A fault counts as found where
the light or the shortcut that it is about says so, and as named where the word, the shortcut, the number of copies or
the measure is the planted one. Clean: rows drawn from one pool in which no row is a near copy of another, labels
permuted over all rows drawn (over premises, or within them, in the two worlds with clusters): 400 to learn on, 200 to
test on, 600 audits. An alarm is a red light, or a shortcut said to be above the floor.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import audit_worlds as worlds
from goldproof.data.dataset import Dataset
from goldproof.judging.audit.audit import Audit, audit_splits
from goldproof.judging.audit.questions import DRIFT, EVEN
from goldproof.judging.audit.settings import AuditSettings
from goldproof.measures.copies import find_copies
from goldproof.statistics.intervals import clopper_pearson

ROOT = Path(__file__).parents[1].parent / "shared" / "data"
CLUSTERED = ("MNLI, one label a premise", "MNLI, labels within premises")
POOLS = ("RTE", "MRPC", "SST-2", "CoLA", *CLUSTERED)


def audited(splits: worlds.Splits, language: str, seed: int = 0, labels: bool = False) -> Audit:
    return audit_splits(worlds.datasets(splits, language), AuditSettings(seed=seed, labels=labels))


def is_found(world: worlds.World, splits: worlds.Splits, named: str) -> tuple[bool, bool, str]:
    """Whether the fault was found, whether it was named, and what was said."""
    kind = world.fault.kind
    found = audited(
        splits, {**worlds.FILES, **worlds.FILES_ADDED}[world.corpus][2], world.seed % 1000, kind == "wrong labels"
    )
    if "copies" in kind:
        n = int(found.copies.leaked["test"].sum())
        light = found.light("leaks")
        conflicts = sum(
            each.n_conflicts
            for each in found.copies.shared
            if (each.earlier, each.later) == ("train", "test") and each.field == "row"
        )
        right = n >= 0.95 * int(named) and (kind != "copies with another label" or conflicts >= 0.95 * int(named))
        return light.colour == "red", right, f"{n} of {named} copies, {conflicts} conflicts"
    if kind == "labels drift":
        light = found.light("balance")
        gauges = [light.gauge, *(gauge for gauge, _ in light.also)]
        return light.colour == "red", any(g is not None and g.of == DRIFT for g in gauges), _said(found, "balance")
    if kind == "one label rare":
        light = found.light("balance")
        return light.colour == "red", light.gauge is not None and light.gauge.of == EVEN, _said(found, "balance")
    if kind in ("wrong labels", "a small test set"):
        name = "labels" if kind == "wrong labels" else "size"
        red = found.light(name).colour == "red"
        return red, red, _said(found, name)
    assert not isinstance(found.shortcuts, str), found.shortcuts
    judged = found.shortcuts.judged
    above = [each.name for each in judged.above]
    if "word" in kind:
        rule = next(each.rule for each in judged.scores if each.name == "one word")
        words = [each.gram for each in judged.words if each.rate.n and each.rate.low > each.base]
        by_rule = named in rule and "one word" in above
        return by_rule or any(named in word for word in words), by_rule, f"{rule}; above: {', '.join(above[:3])}"
    return named in above, named in above, f"above: {', '.join(above)}"


def _said(found: Audit, name: str) -> str:
    light = found.light(name)
    estimate = light.estimate
    numbers = "" if estimate is None else f" {estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"
    return f"{light.colour}{numbers} {light.reason}"


def run_faults(root: Path, design: str) -> None:
    print("| fault | corpus | strength | found | named | what was said |\n|---|---|---|---|---|---|")
    counts: Counter[str] = Counter()
    every = worlds.worlds(design)
    for world in every:
        splits, named = worlds.planted(root, world)
        found, right, said = is_found(world, splits, named)
        counts["found"] += found
        counts["named"] += right
        yes = {True: "yes", False: "**no**"}
        print(
            f"| {world.fault.kind} | {world.corpus} | {world.strength} | {yes[found]} | {yes[right]} | {said} |",
            flush=True,
        )
    print(f"\n{counts['found']} of {len(every)} found, {counts['named']} named.")


def pool_of(root: Path, name: str) -> Dataset:
    """All rows of train of which none is a near copy of an earlier one."""
    if name in CLUSTERED:
        rows = worlds.rows_of(root, "entailment/mnli/dev_matched.tsv", "train", "en")
    else:
        rows = worlds.corpus(root, name)["train"]
    data = Dataset.from_rows("pool", rows, split="train", language="en")
    copies = find_copies({"train": data})
    dropped = {
        copy.row.row for copy in copies.iter_copies() if copy.field in ("row", "swapped") and copy.row.row > copy.of.row
    }
    return data.take([row for row in range(len(data)) if row not in dropped])


def drawn(pool: Dataset, name: str, rng: np.random.Generator) -> worlds.Splits:
    """Rows of train and test without a cue."""
    rows: list[dict[str, Any]] = [
        {key: row[key] for key in ("text", "pair", "label") if row[key] is not None} for row in pool
    ]
    n_train, n_test = worlds.CLEAN_SIZES
    if name not in CLUSTERED:
        chosen = [rows[place] for place in rng.permutation(len(rows))[: n_train + n_test]]
        labels = [row["label"] for row in chosen]
        mixed = [
            {**row, "label": labels[place]} for row, place in zip(chosen, rng.permutation(len(labels)), strict=True)
        ]
        return {"train": mixed[:n_train], "test": mixed[n_train:]}
    by_premise: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_premise.setdefault(row["text"], []).append(row)
    premises = [group for group in by_premise.values() if len(group) == 3]
    groups = [premises[place] for place in rng.permutation(len(premises))[: (n_train + n_test) // 3]]
    made: list[list[dict[str, Any]]] = []
    for group in groups:
        if name == CLUSTERED[0]:
            label = ("entailment", "neutral", "contradiction")[rng.integers(3)]
            made.append([{**row, "label": label} for row in group])
        else:
            labels = [row["label"] for row in group]
            made.append([{**row, "label": labels[place]} for row, place in zip(group, rng.permutation(3), strict=True)])
    n_first = n_train // 3
    return {
        "train": [row for group in made[:n_first] for row in group],
        "test": [row for group in made[n_first:] for row in group],
    }


def run_clean(root: Path, repeats: range = range(worlds.N_CLEAN // len(POOLS)), names: Sequence[str] = POOLS) -> None:
    """All repetitions of every pool, or some of them: what a repetition draws depends on its number alone."""
    totals: Counter[str] = Counter()
    rows = []
    for name in names:
        number = POOLS.index(name)
        pool = pool_of(root, name)
        counts: Counter[str] = Counter()
        start = time.perf_counter()
        each = len(repeats)
        exchanged: Counter[str] = Counter()
        for repeat in repeats:
            rng = np.random.default_rng([worlds.SEED, number, repeat])
            found = audited(drawn(pool, name, rng), "en", repeat)
            assert not isinstance(found.shortcuts, str)
            exchanged[found.shortcuts.judged.exchanged] += 1
            counts["leaks"] += found.light("leaks").colour == "red"
            counts["shortcuts"] += found.light("shortcuts").colour == "red"
            counts["above"] += bool(found.shortcuts.judged.above)
            counts["test"] += min(each.p_value for each in found.shortcuts.judged.scores) < 0.05
            counts["split"] += not isinstance(found.shortcuts.hard, str)
        seconds = (time.perf_counter() - start) / each
        totals.update(counts, n=each)
        told = " | ".join(str(counts[key]) for key in ("leaks", "shortcuts", "above", "test", "split"))
        rows.append(f"| {name} | {each} | {', '.join(exchanged)} | {told} | {seconds:.2f} |")
        print(rows[-1], flush=True)
    titles = ("pool", "audits", "exchanged", "leaks red", "shortcuts red", "a shortcut above the floor", "p < 0.05")
    print(f"\n| {' | '.join([*titles, 'hard items split off', 'seconds each'])} |\n{'|---' * (len(titles) + 2)}|")
    print("\n".join(rows))
    for name in ("leaks", "shortcuts", "above", "test"):
        estimate = clopper_pearson(totals[name], totals["n"])
        interval = f"{100 * estimate.value:.1f} % [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"
        print(f"{name}: {totals[name]} of {totals['n']}, {interval} (Clopper–Pearson)")


if __name__ == "__main__":
    given = sys.argv[1:]
    folder = Path(given.pop(0)) if given and given[0] not in (*worlds.DESIGNS, "clean") else ROOT
    if given[:1] == ["clean"] and len(given) >= 3:
        run_clean(folder, range(int(given[1]), int(given[2])), given[3:] or POOLS)
        sys.exit()
    for part in given or ("faults", "clean"):
        run_clean(folder) if part == "clean" else run_faults(folder, part)
