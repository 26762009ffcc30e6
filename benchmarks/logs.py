"""How fast and in how much memory logs are read: 100,000 lines of lm-evaluation-harness, and 10,000 samples of Inspect.

The lines are read beside `pyarrow.json.read_json`, which parses every field, and beside `json.loads` line by line; the
archive beside `json.loads` of the member that has the scores, already unpacked. Each reading runs in a process of its
own, so that its peak memory is its own; the readings take turns, and the best of each is compared, by the clock and by
the processor's time, of which other work on the machine takes less.

    python benchmarks/logs.py [lines [samples]]
"""

from __future__ import annotations

import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

ROUNDS = 3
LINES = ("goldproof", "pyarrow.json", "json.loads")
ARCHIVE = ("goldproof", "json.loads")


def write_lines(folder: Path, n_lines: int) -> Path:
    """Lines of a multiple choice of four with a prompt of five examples, as the harness writes them: 2 to 3 kB each."""
    rng = np.random.default_rng(0)
    words = np.array(
        ["".join(rng.choice(list("abcdefghijklmnoprstuvé"), size=rng.integers(2, 10))) for _ in range(999)]
    )
    path = folder / "samples_choice_2026-01-01T00-00-00.000000.jsonl"
    shots = [" ".join(words[rng.integers(0, len(words), 12)]) for _ in range(5)]
    with path.open("w", encoding="utf-8") as stream:
        for number in range(n_lines):
            question = " ".join(words[rng.integers(0, len(words), 12)])
            stream.write(json.dumps(_line(number, question, "\n\n".join([*shots, question]), rng), ensure_ascii=False))
            stream.write("\n")
    return path


def _line(number: int, question: str, prompt: str, rng: np.random.Generator) -> dict[str, Any]:
    logprobs = rng.normal(-5, 2, 4).round(6)
    right = float(logprobs.argmax() == number % 4)
    return {
        "doc_id": number,
        "doc": {"question": question, "choices": list("abcd"), "answer": number % 4, "subject": f"s{number % 57}"},
        "target": str(number % 4),
        "arguments": {f"gen_args_{i}": {"arg_0": prompt, "arg_1": f" {'abcd'[i]}"} for i in range(4)},
        "resps": [[[str(value), "False"]] for value in logprobs],
        "filtered_resps": [[str(value), "False"] for value in logprobs],
        "filter": "none",
        "metrics": ["acc", "acc_norm"],
        "doc_hash": hashlib.sha256(f"{number}".encode()).hexdigest(),
        "prompt_hash": hashlib.sha256(prompt.encode()).hexdigest(),
        "target_hash": hashlib.sha256(b"0").hexdigest(),
        "acc": right,
        "acc_norm": right,
    }


def write_archive(folder: Path, n_samples: int) -> Path:
    """A log with three epochs, its members packed with Zstandard under the number of that method, as Inspect does."""
    import zstandard

    rng = np.random.default_rng(0)
    text = "Which of these is right, and why? " * 8
    rows = [
        {
            "id": f"q{number // 3}",
            "epoch": number % 3 + 1,
            "input": f"{number // 3} {text}",
            "target": "A",
            "metadata": {"passage": f"p{number // 30}"},
            "scores": {
                "match": {"value": "CI"[int(rng.integers(2))], "answer": "A", "explanation": text, "history": []}
            },
            "model_usage": {"m": {"input_tokens": 3, "output_tokens": 1, "total_tokens": 4}},
            "completed": True,
        }
        for number in range(n_samples)
    ]
    header = {
        "version": 2,
        "status": "success",
        "eval": {"task": "t", "model": "m"},
        "plan": {},
        "results": {"scores": []},
    }
    path = folder / "log.eval"
    samples = {f"samples/{row['id']}_epoch_{row['epoch']}.json": _sample(row, text) for row in rows}
    _write_zip(path, {**samples, "summaries.json": rows, "header.json": header}, zstandard)
    return path


def _sample(row: dict[str, Any], text: str) -> dict[str, Any]:
    """A sample with what it was asked and answered, and events that say it again: 5 kB, one answer in 50 cut off."""
    said = [{"role": role, "content": text} for role in ("system", "user", "assistant")]
    stop = "max_tokens" if int(row["id"][1:]) % 50 == 0 else "stop"
    output = {"model": "m", "choices": [{"message": said[-1], "stop_reason": stop}]}
    events = [{"event": "model", "input": said, "output": output} for _ in range(2)]
    return {**row, "messages": said, "output": output, "events": events}


def _write_zip(path: Path, members: dict[str, Any], zstandard: Any) -> None:
    """Python's own writer does not know the method: members are stored as packed, and the numbers set afterwards."""
    packed = {name: json.dumps(value).encode() for name, value in members.items()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in packed.items():
            info = zipfile.ZipInfo(name)
            archive.writestr(info, zstandard.ZstdCompressor().compress(data))
            info.CRC, info.file_size, info.compress_type = zlib.crc32(data), len(data), 93


def measure(path: Path, reading: str) -> None:
    """Read the file once and print seconds, rows and peak memory in MiB above what was there before."""
    import pyarrow.json

    from goldproof.data.logs.reading import read_logs

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, processor = time.perf_counter(), time.process_time()
    if reading == "goldproof":
        n_rows = read_logs(path)[0].answers.runs.size
    elif reading == "pyarrow.json":
        n_rows = pyarrow.json.read_json(path).num_rows
    elif path.suffix == ".eval":
        n_rows = len(json.loads(path.with_suffix(".json").read_bytes()))
    else:
        with path.open(encoding="utf-8") as stream:
            n_rows = len([float(json.loads(line)["acc"]) for line in stream])
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = {"seconds": seconds, "processor": time.process_time() - processor, "rows": n_rows}
    print(json.dumps({**found, "mib": (peak - before) / 1024}))


def compare(path: Path, readings: tuple[str, ...]) -> None:
    print(f"{path.name}: {path.stat().st_size / 2**20:.0f} MiB, best of {ROUNDS}")
    best: dict[str, dict[str, float]] = {}
    for _ in range(ROUNDS):
        for reading in readings:
            command = [sys.executable, __file__, "--measure", str(path), reading]
            found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            if reading not in best or found["seconds"] < best[reading]["seconds"]:
                best[reading] = found
    ours = best["goldproof"]
    for reading, found in best.items():
        took = f"{found['seconds']:6.2f} s, processor {found['processor']:6.2f} s, peak {found['mib']:5.0f} MiB"
        speeds = [found[clock] / ours[clock] for clock in ("seconds", "processor")]
        than = f"  ours is {speeds[0]:.2f} × as fast, {speeds[1]:.2f} × by processor" if reading != "goldproof" else ""
        print(f"  {reading:14} {took}{than}")


def main(n_lines: int, n_samples: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compare(write_lines(folder, n_lines), LINES)
        archive = write_archive(folder, n_samples)
        _unpack(archive)
        compare(archive, ARCHIVE)


def _unpack(path: Path) -> None:
    from goldproof.data.logs.archive import Archive

    with Archive.open(path) as archive:
        path.with_suffix(".json").write_bytes(archive.read("summaries.json"))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(Path(sys.argv[2]), sys.argv[3])
    else:
        sizes = [int(word) for word in sys.argv[1:]]
        main(*(sizes + [100_000, 10_000][len(sizes) :]))
