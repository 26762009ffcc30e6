"""Is the new model better? Two files of predictions in, a verdict and a report out.

    python examples/compare_two_models.py             # MCC of two models, as B is better by 0.126 [0.080, 0.172]
    python examples/compare_two_models.py my-report   # and my-report/report.html

The files are made here, so that the example runs as it is; put your own in their place.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path

import goldproof


def write_predictions(path: Path, accuracy: float, seeds: range) -> Path:
    """Five runs over 600 items, each right with the given probability."""
    gold = ["entailment" if random.Random(f"gold {i}").random() < 0.4 else "not_entailment" for i in range(600)]
    other = {"entailment": "not_entailment", "not_entailment": "entailment"}
    with path.open("w", encoding="utf-8") as file:
        for seed in seeds:
            rng = random.Random(seed)
            for i, label in enumerate(gold):
                answer = label if rng.random() < accuracy else other[label]
                file.write(json.dumps({"id": i, "run": seed, "gold": label, "prediction": answer}) + "\n")
    return path


def main() -> None:
    """Compare, print the verdict, write the report."""
    with tempfile.TemporaryDirectory() as folder:
        old = write_predictions(Path(folder) / "old.jsonl", 0.74, range(5))
        new = write_predictions(Path(folder) / "new.jsonl", 0.79, range(10, 15))
        judgement = goldproof.compare(old, new, settings=goldproof.Settings(metric="mcc"))
        print(judgement)
        files = goldproof.write_report(
            judgement.report(), sys.argv[1] if len(sys.argv) > 1 else Path(folder) / "report"
        )
        page = next(file for file in files if file.name == "report.html")
        print(f"report: {page}" if len(sys.argv) > 1 else "to keep the report, name a folder for it")


if __name__ == "__main__":
    main()
