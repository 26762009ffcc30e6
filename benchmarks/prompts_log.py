"""A log of lm-evaluation-harness beside our own run: the same model, prompt and items, read by `goldproof score`.

    python benchmarks/prompts_log.py MODEL --answers OUT/answers.parquet --test FILE --text sentence --label label
                                     --prompt review --task sentiment --labels 0=negative,1=positive

OUT is the folder of a `stability` run without examples and with `prompts.chat=never`; FILE is its test file. The
harness runs a task of its own, made here from the same items and the same built-in prompt, and writes its log, which
Goldproof reads as anybody's, item by item. Shown are both accuracies and on how many items the two disagree. It needs
`lm-eval` (pip install lm-eval) and reads nothing but what it is given.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq

from goldproof.builders.prompts.library import built_in
from goldproof.data.columns import Columns
from goldproof.data.logs.log import LogChoice
from goldproof.data.logs.reading import read_logs
from goldproof.data.readers import Layout, read

TASK = """
task: goldproof_items
dataset_path: json
dataset_kwargs: {{data_files: {{test: {items}}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{context}}}}"
doc_to_target: "{{{{gold}}}}"
doc_to_choice: "{{{{choices}}}}"
target_delimiter: ""
metric_list: [{{metric: acc}}]
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    for name in ("answers", "test", "text", "label", "prompt", "task", "labels"):
        parser.add_argument(f"--{name}", required=True)
    given = parser.parse_args()
    rows = [row for row in pq.read_table(given.answers).to_pylist() if row["run"] == given.prompt]
    data = read(given.test, language="und", layout=Layout(columns=Columns(text=given.text, label=given.label)))
    texts = dict(zip(data.table["id"].to_pylist(), data.texts, strict=True))
    names = dict(pair.split("=") for pair in given.labels.split(","))
    labels = sorted(names)
    (prompt,) = [each for each in built_in(given.task, "en").bind(labels, names) if each.name == given.prompt]
    items = [
        {
            "context": prompt.question(texts[row["id"]]),
            "gold": labels.index(row["gold"]),
            "choices": [prompt.answer(label) for label in labels],
        }
        for row in rows
    ]
    with tempfile.TemporaryDirectory() as folder:
        theirs = run_harness(given.model, items, Path(folder))
    ours = [row["gold"] == row["prediction"] for row in rows]
    shown = {
        "items": len(rows),
        "our accuracy": sum(ours) / len(ours),
        "accuracy in the harness's log": sum(theirs) / len(theirs),
        "items that differ": sum(a != b for a, b in zip(ours, theirs, strict=True)),
    }
    json.dump(shown, sys.stdout, indent=1)
    sys.stdout.write("\n")


def run_harness(model: str, items: list[dict[str, object]], folder: Path) -> list[bool]:
    """Whether each item is right, as Goldproof reads it off the log that the harness wrote."""
    os.environ |= {"HF_DATASETS_CACHE": str(folder / "cache"), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    (folder / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    (folder / "task.yaml").write_text(TASK.format(items=folder / "items.jsonl"), encoding="utf-8")
    from lm_eval.__main__ import cli_evaluate

    arguments = [
        "run",
        "--model",
        "hf",
        "--model_args",
        f"pretrained={model},dtype=float32",
        "--tasks",
        "goldproof_items",
    ]
    arguments += [
        "--include_path",
        str(folder),
        "--output_path",
        str(folder / "log"),
        "--log_samples",
        "--device",
        "cpu",
    ]
    before, sys.argv = sys.argv, ["lm_eval", *arguments, "--batch_size", "8"]
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        cli_evaluate()
    finally:
        sys.argv, sys.stdout = before, out
    (log,) = read_logs(folder / "log", LogChoice())
    places = {str(item): place for place, item in enumerate(log.answers.ids)}
    hashes = [hashlib.sha256(json.dumps(item, indent=2, ensure_ascii=False).encode()).hexdigest() for item in items]
    return [bool(log.answers.runs[0, places[each]]) for each in hashes]


if __name__ == "__main__":
    main()
