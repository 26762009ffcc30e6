"""Scoring five million predictions: rows a second and peak memory, at two sizes to show that memory is bounded.

python benchmarks/score.py [--rows 5000000] [--format parquet|jsonl]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

LABELS = np.array(["contradiction", "entailment", "neutral"])

MEASURE = """
import json, resource, sys, time
import goldproof
start = time.perf_counter()
scores = goldproof.score(sys.argv[1])
seconds = time.perf_counter() - start
one = scores.sets[0]
estimate = one.estimates["accuracy"]
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([seconds, peak, len(scores.sets), estimate.value, estimate.low, estimate.high]))
"""


def write(path: Path, rows: int) -> None:
    """Rows in blocks, so that making the file needs little memory too."""
    rng = np.random.default_rng(0)
    writer = None
    with path.open("w") if path.suffix == ".jsonl" else tempfile.TemporaryFile("w") as lines:
        for start in range(0, rows, 250_000):
            n = min(250_000, rows - start)
            gold = rng.integers(0, 3, n)
            guess = np.where(rng.random(n) < 0.8, gold, rng.integers(0, 3, n))
            table = pa.table(
                {
                    "id": [str(start + i) for i in range(n)],
                    "gold": LABELS[gold].tolist(),
                    "prediction": LABELS[guess].tolist(),
                    "language": np.array(["en", "fr", "de", "ru", "sv"])[rng.integers(0, 5, n)].tolist(),
                    "tags": [[f"category {i % 33}"] for i in range(n)],
                    "text": [f"the premise of item {start + i}, long enough to weigh something" for i in range(n)],
                }
            )
            if path.suffix == ".jsonl":
                lines.writelines(json.dumps(row) + "\n" for row in table.to_pylist())
            else:
                writer = writer or pq.ParquetWriter(path, table.schema)
                writer.write_table(table)
    if writer:
        writer.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--format", default="parquet", choices=["parquet", "jsonl"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for rows in (arguments.rows * 2 // 5, arguments.rows):
            path = Path(folder) / f"predictions.{arguments.format}"
            write(path, rows)
            size = path.stat().st_size / 2**20
            run = subprocess.run([sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True)
            seconds, peak, sets, value, low, high = json.loads(run.stdout)
            print(
                f"{rows:>9,} rows ({size:.0f} MiB {arguments.format}): {seconds:.1f} s, {rows / seconds:,.0f} rows/s, "
                f"peak {peak:.0f} MiB; {sets} languages, accuracy {value:.4f} [{low:.4f}, {high:.4f}]"
            )


if __name__ == "__main__":
    main()
