"""How fast and in how much memory a million rows of JSON Lines are read, beside `pyarrow.json.read_json`.

Each reading runs in a process of its own, so that its peak memory is its own; the readings take turns, and the best of
each is compared. `python benchmarks/readers.py [rows]`
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROUNDS = 3
READINGS = {
    "pyarrow.json.read_json": "pyarrow",
    "goldproof.data.readers.read": "read",
    "goldproof.data.readers.iter_batches": "iterate",
}


def write_rows(path: Path, n_rows: int) -> None:
    """Pairs of sentences of drawn words, about 200 bytes a row."""
    rng = np.random.default_rng(0)
    words = np.array(
        ["".join(rng.choice(list("abcdefghijklmnoprstuvé"), size=rng.integers(2, 10))) for _ in range(5000)]
    )
    with path.open("w", encoding="utf-8") as stream:
        for start in range(0, n_rows, 10_000):
            drawn = words[rng.integers(0, len(words), size=(10_000, 26))]
            for row in range(min(10_000, n_rows - start)):
                premise, hypothesis = " ".join(drawn[row, :18]), " ".join(drawn[row, 18:])
                label = ("entailment", "neutral", "contradiction")[(start + row) % 3]
                item = {"premise": premise, "hypothesis": hypothesis, "label": label, "idx": start + row}
                stream.write(json.dumps(item, ensure_ascii=False) + "\n")


def measure(path: Path, reading: str) -> None:
    """Read the file once and print seconds, rows and peak memory in MiB above what was there before."""
    import pyarrow.json

    from goldproof.data.readers import iter_batches, read

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    if reading == "pyarrow":
        n_rows = pyarrow.json.read_json(path).num_rows
    elif reading == "read":
        n_rows = len(read(path))
    else:
        n_rows = sum(batch.num_rows for batch in iter_batches(path))
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"seconds": seconds, "rows": n_rows, "mib": (peak - before) / 1024}))


def main(n_rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        write_rows(path, n_rows)
        print(f"{n_rows} rows, {path.stat().st_size / 2**20:.0f} MiB, best of {ROUNDS}")
        best: dict[str, dict[str, float]] = {}
        for _ in range(ROUNDS):
            for name, reading in READINGS.items():
                command = [sys.executable, __file__, "--measure", str(path), reading]
                found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                assert found["rows"] == n_rows, found
                if name not in best or found["seconds"] < best[name]["seconds"]:
                    best[name] = found
        peer = best["pyarrow.json.read_json"]["seconds"]
        for name, found in best.items():
            rate = n_rows / found["seconds"]
            ratio = peer / found["seconds"]
            print(f"{name:34} {rate:12,.0f} rows/s  {ratio:5.2f} x pyarrow  peak {found['mib']:7.0f} MiB")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(Path(sys.argv[2]), sys.argv[3])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
