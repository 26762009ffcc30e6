"""What large inputs cost: `goldproof score` on generated predictions, each in a fresh process, with its report.

    python benchmarks/load.py
    python benchmarks/load.py --only labels --keep FOLDER

Rows, runs, languages, labels and tags are each many in one of the files (seed 0). Wall time counts whatever else ran on
the machine; processor time does not. Memory is the peak of the process, the page is `report.html`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[1]
BLOCK = 250_000
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Load:
    """What it took to score a file."""

    what: str
    rows: int
    wall: float
    processor: float
    peak_mib: float
    page_mb: float


def names(prefix: str, numbers: Array) -> pa.Array:
    """Numbers as names, of which each is made once."""
    unique, codes = np.unique(numbers, return_inverse=True)
    return pa.DictionaryArray.from_arrays(codes.ravel(), [f"{prefix}{i}" for i in unique]).cast(pa.string())


def answers(rng: np.random.Generator, gold: Array, n_labels: int) -> dict[str, pa.Array]:
    """Gold and predictions of which four in five are right."""
    guess = np.where(rng.random(len(gold)) < 0.8, gold, rng.integers(0, n_labels, len(gold)))
    return {"gold": names("l", gold), "prediction": names("l", guess)}


def many_rows(rng: np.random.Generator, path: Path) -> None:
    """5,000,000 rows of one run: 3 labels, 5 languages, 33 tags."""
    writer = None
    for start in range(0, 5_000_000, BLOCK):
        ids = np.arange(start, start + BLOCK)
        columns = {"id": names("", ids), **answers(rng, rng.integers(0, 3, BLOCK), 3)}
        columns["language"] = names("x", rng.integers(0, 5, BLOCK))
        columns["tags"] = pa.ListArray.from_arrays(np.arange(BLOCK + 1), names("t", ids % 33))
        table = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def many_runs(rng: np.random.Generator, path: Path) -> None:
    """1,000 runs of 1,000 items."""
    gold, ids, runs = rng.integers(0, 3, 1000), np.arange(1000), np.repeat(np.arange(1000), 1000)
    columns = {"id": names("", np.tile(ids, 1000)), **answers(rng, np.tile(gold, 1000), 3), "run": names("", runs)}
    pq.write_table(pa.table(columns), path)


def many_languages(rng: np.random.Generator, path: Path) -> None:
    """200 languages of 500 items and 3 runs."""
    item = np.arange(200 * 500)
    gold = rng.integers(0, 3, len(item))
    columns = {"id": names("", np.tile(item, 3)), **answers(rng, np.tile(gold, 3), 3)}
    columns |= {"language": names("x", np.tile(item // 500, 3)), "run": names("", np.repeat(np.arange(3), len(item)))}
    pq.write_table(pa.table(columns), path)


def many_labels(rng: np.random.Generator, path: Path) -> None:
    """3,000 labels of 100,000 items."""
    columns = {"id": names("", np.arange(100_000)), **answers(rng, rng.integers(0, 3000, 100_000), 3000)}
    pq.write_table(pa.table(columns), path)


def many_tags(rng: np.random.Generator, path: Path) -> None:
    """10,000 tags, one for each of 150,000 items, and 3 labels."""
    n = 150_000
    columns = {"id": names("", np.arange(n)), **answers(rng, rng.integers(0, 3, n), 3)}
    columns["tags"] = pa.ListArray.from_arrays(np.arange(n + 1), names("t", rng.integers(0, 10_000, n)))
    pq.write_table(pa.table(columns), path)


CASES: dict[str, Callable[[np.random.Generator, Path], None]] = {
    "rows": many_rows,
    "runs": many_runs,
    "languages": many_languages,
    "labels": many_labels,
    "tags": many_tags,
}


def measure(name: str, folder: Path) -> Load:
    """Make the file of a case and score it in a process of its own."""
    path, out = folder / f"{name}.parquet", folder / f"{name}-report"
    CASES[name](np.random.default_rng(0), path)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "goldproof", "score", str(path), "--out", str(out)]
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{name}: exit {process.returncode}")
    page = (out / "report.html").stat().st_size / 1e6
    rows = pq.ParquetFile(path).metadata.num_rows
    what = (CASES[name].__doc__ or name).rstrip(".")
    return Load(what, rows, wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, page)


def line(load: Load) -> str:
    """A row of the table."""
    cells = (f"{load.wall:.0f}", f"{load.processor:.0f}", f"{load.peak_mib:.0f}", f"{load.page_mb:.2f}")
    return f"| {load.what} | {load.rows:,} | {' | '.join(cells)} |"


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=CASES, help="one case")
    parser.add_argument("--keep", type=Path, help="folder that keeps files and reports")
    given = parser.parse_args()
    print(
        "| predictions | rows | wall, s | processor, s | peak, MiB | page, MB |\n|---|--:|--:|--:|--:|--:|", flush=True
    )
    with tempfile.TemporaryDirectory() as folder:
        place = given.keep or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        for name in [given.only] if given.only else CASES:
            print(line(measure(name, place)), flush=True)


if __name__ == "__main__":
    main()
