"""How long it takes until Goldproof is there, beside Python alone, `import sklearn` and `import pandas`.

Each start is a process of its own; the starts take turns, and the median of each is printed as a line of JSON: seconds
on the clock, seconds of the processor (which other work on the machine changes less), and the modules of other packages
that were loaded. What is not installed is said. `python benchmarks/startup.py [rounds]`
"""

from __future__ import annotations

import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 9
WATCHED = ("torch", "ray", "numpy", "pyarrow", "scipy", "sklearn", "altair", "pydantic", "typer", "pandas")
COMMAND = "import sys; from goldproof.cli import run_command; sys.exit(run_command(sys.argv[1:]))"
STARTS: dict[str, tuple[str, ...]] = {
    "python -c pass": ("pass",),
    "import goldproof": ("import goldproof",),
    "import sklearn": ("import sklearn",),
    "import pandas": ("import pandas",),
    "goldproof --version": (COMMAND, "--version"),
    "goldproof list": (COMMAND, "list"),
    "goldproof score FILE (1,000 rows)": (COMMAND, "score", "predictions.jsonl"),
    "goldproof run demo --dry-run": (COMMAND, "run", "demo", "--dry-run"),
}


def write_predictions(path: Path, n_rows: int = 1000) -> None:
    rng = random.Random(0)
    with path.open("w", encoding="utf-8") as stream:
        for row in range(n_rows):
            gold, right = rng.choice(("yes", "no")), rng.random() < 0.8
            answer = gold if right else {"yes": "no", "no": "yes"}[gold]
            stream.write(json.dumps({"id": str(row), "gold": gold, "prediction": answer}) + "\n")


def processor_seconds() -> float:
    """What all processes started so far have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def start(arguments: tuple[str, ...], folder: Path) -> tuple[float, float, int]:
    """Seconds until the process has ended, those of the processor, and its exit code."""
    begin, used = time.perf_counter(), processor_seconds()
    ended = subprocess.run([sys.executable, "-c", *arguments], cwd=folder, capture_output=True, check=False)
    return time.perf_counter() - begin, processor_seconds() - used, ended.returncode


def loaded(arguments: tuple[str, ...], folder: Path) -> list[str]:
    """Which of the watched modules a start loads."""
    names = f"' '.join(set({WATCHED}) & {{*sys.modules}})"
    look = f"import sys, atexit; atexit.register(lambda: sys.stderr.write('|' + {names}))"
    ended = subprocess.run(
        [sys.executable, "-c", f"{look}\n{arguments[0]}", *arguments[1:]],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return sorted(ended.stderr.rpartition("|")[2].split())


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_predictions(folder / "predictions.jsonl")
        absent = {title for title, arguments in STARTS.items() if start(arguments, folder)[2]}  # and all is compiled
        seconds: dict[str, list[tuple[float, float]]] = {title: [] for title in STARTS if title not in absent}
        for _ in range(rounds):
            for title, found in seconds.items():
                found.append(start(STARTS[title], folder)[:2])
        for title, arguments in STARTS.items():
            if title in absent:
                print(json.dumps({"start": title, "seconds": None, "why": "not installed"}))
                continue
            clock, processor = (round(statistics.median(each), 3) for each in zip(*seconds[title], strict=True))
            row = {"start": title, "seconds": clock, "processor": processor, "loads": loaded(arguments, folder)}
            print(json.dumps(row))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
