"""Audit: near copies and label suspects, beside datasketch and cleanlab, on the same data in one run.

    python -m venv peers && peers/bin/pip install cleanlab datasketch . && cd benchmarks
    peers/bin/python audit.py labels DATA --out labels.json      (docs/validation/audit.md, "Labels")
    peers/bin/python audit.py copies DATA --out copies.json      ("Leaks": planted copies)
    peers/bin/python audit.py real DATA --out real.json          ("Leaks": published corpora)
    peers/bin/python audit.py million DATA --out million.json    ("Leaks": a million pairs; time and peak memory)

DATA is the folder of published corpora. Designs stand in `audit_designs.py`. The peers are no dependency of ours:
without them their columns stay empty.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import audit_designs as designs
from audit_labels import Rows, labels_runs, lines
from goldproof.data.dataset import SCHEMA, Dataset, Provenance
from goldproof.measures.copies import count_steps, find_copies


def pairs_of(data: Path) -> dict[str, list[tuple[str, str]]]:
    rte = [json.loads(line) for line in (data / "entailment/en/train.jsonl").open(encoding="utf-8")]
    mnli = lines(data / "entailment/mnli/dev_matched.tsv", 0, 1, skip=1)
    return {"rte": [(row["premise"], row["hypothesis"]) for row in rte], "mnli": [(row[0], row[1]) for row in mnli]}


def edited(text: str, how: str, words: list[str], rng: np.random.Generator) -> str:
    """The text with one word put in, taken out or exchanged at a random place."""
    parts = text.split()
    at = int(rng.integers(len(parts)))
    new = [words[int(rng.integers(len(words)))]]
    middle = {"added": [*new, parts[at]], "dropped": [], "exchanged": new}[how]
    return " ".join([*parts[:at], *middle, *parts[at + 1 :]])


def dataset(name: str, pairs: list[tuple[str, str]]) -> Dataset:
    return Dataset.from_rows(name, [{"text": text, "pair": pair, "label": "x"} for text, pair in pairs])


def copies_run(name: str, pairs: list[tuple[str, str]], how: str, seed: int) -> dict[str, Any]:
    """Plant edited rows in a test split of as many other rows; recall by ours and by datasketch."""
    rng = np.random.default_rng([seed, designs.COPIES_PLANTED])
    words = [word for text, _ in pairs[:500] for word in text.split()]
    at = rng.permutation(len(pairs))
    half = len(pairs) // 2
    train, fresh = [pairs[row] for row in at[:half]], [pairs[row] for row in at[half:]]
    usable = [row for row in train if len(row[1].split()) >= 4][: designs.COPIES_PLANTED]
    planted = [(text, edited(pair, how, words, rng)) for text, pair in usable]
    start, cpu = time.perf_counter(), time.process_time()
    copies = find_copies({"train": dataset("train", train), "test": dataset("test", planted + fresh)})
    ours = {"seconds": time.perf_counter() - start, "processor": time.process_time() - cpu}
    leaked = copies.leaked["test"]
    ours |= {"recall": float(leaked[: len(planted)].mean()), "others": int(leaked[len(planted) :].sum())}
    result = {"data": name, "how": how, "seed": seed, "planted": len(planted), "train": len(train), "ours": ours}
    return result | {"datasketch": sketched(train, planted, len(fresh), fresh)}


def sketched(train: Any, planted: Any, n_fresh: int, fresh: Any) -> dict[str, float]:
    """The same question by datasketch: words of both sides, MinHash of 128 and LSH at its threshold 0.7."""
    if find_spec("datasketch") is None:
        return {}
    from datasketch import MinHash, MinHashLSH

    def sketch(pair: tuple[str, str]) -> Any:
        made = MinHash(num_perm=128)
        made.update_batch(
            [f"{side} {word}".encode() for side, text in enumerate(pair) for word in text.lower().split()]
        )
        return made

    start, cpu = time.perf_counter(), time.process_time()
    index = MinHashLSH(threshold=0.7, num_perm=128)
    with index.insertion_session() as session:
        for row, pair in enumerate(train):
            session.insert(str(row), sketch(pair))
    found = [bool(index.query(sketch(pair))) for pair in [*planted, *fresh]]
    return {
        "seconds": time.perf_counter() - start,
        "processor": time.process_time() - cpu,
        "recall": float(np.mean(found[: len(planted)])),
        "others": int(sum(found[len(planted) :])),
    }


def published(data: Path) -> dict[str, dict[str, Rows]]:
    """Splits of published corpora, each row as text, label and perhaps a second text."""
    corpora: dict[str, dict[str, Rows]] = {}
    for language in ("en", "ru", "fr", "de", "sv"):
        name = "RTE" if language == "en" else f"TERRa {language}"
        corpora[name] = {}
        for split in ("train", "val", "test"):
            rows = [json.loads(line) for line in (data / f"entailment/{language}/{split}.jsonl").open(encoding="utf-8")]
            corpora[name][split] = [(row["premise"], str(row.get("label", "")), row["hypothesis"]) for row in rows]
    glue = data / "glue"
    corpora["MRPC"] = {
        split: lines(glue / f"mrpc/msr_paraphrase_{split}.txt", 3, 0, 4, skip=1) for split in ("train", "test")
    }
    cola = {"train": "in_domain_train", "in-domain dev": "in_domain_dev", "out-of-domain dev": "out_of_domain_dev"}
    corpora["CoLA"] = {split: lines(glue / f"cola/{file}.tsv", 3, 1) for split, file in cola.items()}
    corpora["SST-2"] = {split: lines(glue / f"sst2/{split}.tsv", 0, 1) for split in ("train", "dev", "test")}
    sib = data / "topics/sib200/en"
    corpora["SIB-200 en"] = {split: lines(sib / f"{split}.tsv", 2, 1, skip=1) for split in ("train", "dev", "test")}
    odd = data / "probing/xprobe/en/odd_man_out"
    corpora["X-Probe odd_man_out en"] = {split: lines(odd / f"{split}.txt", 0, 1) for split in ("va", "te")}
    return corpora


def real_run(name: str, splits: dict[str, Rows]) -> Iterator[dict[str, Any]]:
    made = {
        split: Dataset.from_rows(
            split, [dict(zip(("text", "label", "pair"), row, strict=False)) | {"label": row[1] or None} for row in rows]
        )
        for split, rows in splits.items()
    }
    for shared in find_copies(made).shared:
        if shared.earlier != shared.later:
            yield {"corpus": name, **asdict(shared)}


def write_million(data: Path, path: Path, n: int) -> None:
    """Pairs of the length of MNLI's, three to a premise, of its dev set's words; 1 of 100 in test is a near copy."""
    words = np.array([word for pair in pairs_of(data)["mnli"] for text in pair for word in text.split()])
    rng = np.random.default_rng(0)

    def sentences(n: int, mean: float) -> list[str]:
        sizes = np.maximum(rng.poisson(mean / 3, n), 2)
        starts = rng.integers(0, len(words) - 3, int(sizes.sum()))
        pieces = [" ".join(piece) for piece in np.stack([words[starts + step] for step in range(3)], 1).tolist()]
        ends = np.cumsum(sizes)
        return [" ".join(pieces[end - size : end]) for end, size in zip(ends.tolist(), sizes.tolist(), strict=True)]

    writer = pq.ParquetWriter(path, pa.schema([("text", pa.string()), ("pair", pa.string())]))
    kept: list[tuple[str, str]] = []
    step = 50_000
    for first in range(0, n, step):
        premises, pairs = sentences(step // 3 + 1, 20), sentences(step, 11)
        texts = [premises[row // 3] for row in range(step)]
        if first < n * 9 // 10:
            kept += [(texts[row], pairs[row]) for row in range(0, step, 500)]
        else:
            for row in range(0, step, 100):
                texts[row], pair = kept.pop()
                pairs[row] = f"{pair} indeed"
        writer.write_table(pa.table({"text": texts, "pair": pairs}))
    writer.close()


def split_of(table: pa.Table, name: str) -> Dataset:
    n = table.num_rows
    columns = {
        "id": pa.array(range(n)).cast(pa.string()),
        "split": pa.repeat(name, n),
        "language": pa.repeat("en", n),
        "tags": pa.ListArray.from_arrays(np.zeros(n + 1, np.int32), pa.array([], pa.string())),
        "text": table.column("text"),
        "pair": table.column("pair"),
    }
    arrays = [columns.get(field.name, pa.nulls(n, field.type)) for field in SCHEMA]
    return Dataset(name, pa.table(arrays, schema=SCHEMA), Provenance(name))


def million(path: Path, n: int) -> dict[str, Any]:
    from goldproof.cli.progress import counted

    cut = n * 9 // 10
    table = pq.read_table(path)
    splits = {"train": split_of(table.slice(0, cut), "train"), "test": split_of(table.slice(cut), "test")}
    total = count_steps(splits)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, cpu = time.perf_counter(), time.process_time()
    with counted("texts read and compared") as tell:
        copies = find_copies(splits, progress=lambda what, n_done: tell(what, n_done, total))
    seconds = time.perf_counter() - start
    return {
        "pairs": n,
        "seconds": seconds,
        "processor": time.process_time() - cpu,
        "pairs a second": n / seconds,
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "MB before": before / 1024,
        "leaked": int(copies.leaked["test"].sum()),
        "planted": (n - cut) // 100 if cut % 50_000 == 0 else None,  # whole pieces of test alone have copies
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("labels", "copies", "real", "million", "million-in-here"))
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=designs.MILLION)
    parser.add_argument("--python", help="another interpreter for the million, such as one without the peers")
    parser.add_argument("--kept", type=Path, default=Path("labels-kept"), help="folder for the labels' probabilities")
    parser.add_argument("--tuning", action="store_true", help="labels: the worlds that rankings were chosen on")
    given = parser.parse_args()
    if given.what == "million":
        made = given.out.with_suffix(".parquet")
        write_million(given.data, made, given.rows)
        command = [given.python or sys.executable, __file__, "million-in-here", str(made), "--out", str(given.out)]
        subprocess.run([*command, "--rows", str(given.rows)], check=True)  # memory of the audit alone
        made.unlink()
        return
    if given.what == "million-in-here":
        results: Any = million(given.data, given.rows)
    elif given.what == "labels":
        results = []
        worlds = designs.TUNED_ON if given.tuning else designs.WORLDS
        for run in labels_runs(given.data, given.kept, worlds, designs.TUNED_FROM if given.tuning else 0):
            results.append(run)
            given.out.write_text(json.dumps(results, indent=1), encoding="utf-8")
    elif given.what == "real":
        results = [row for name, splits in published(given.data).items() for row in real_run(name, splits)]
    else:
        results = [
            copies_run(name, pairs, how, seed)
            for name, pairs in pairs_of(given.data).items()
            for how in ("added", "dropped", "exchanged")
            for seed in designs.COPIES_SEEDS
        ]
    given.out.write_text(json.dumps(results, indent=1), encoding="utf-8")
    print(json.dumps(results if isinstance(results, dict) else len(results), indent=1))


if __name__ == "__main__":
    main()
