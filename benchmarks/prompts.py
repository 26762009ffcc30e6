"""Asking a language model: our likelihoods beside lm-evaluation-harness's, the same prompts in the same run.

    python benchmarks/prompts.py MODEL --data FILE [--labels 0=negative,1=positive] [--prompts 10] [--examples 4]
                                 [--items 100] [--batch 16] [--rounds 3] [--plain] [--no-forward]
                                 [--llama-cpp MODEL.gguf]

FILE is `text<TAB>label` lines without a header (SST-2); half of it is items, the other half gives the examples. Both
sides get the same contexts and answers, in float32 on a CPU, and take turns, each `--rounds` times; processor seconds
count, of which the median is shown. The harness runs its transformers backend (`HFLM.loglikelihood`) with the batch
size given. With `--plain` a plain loop (sorted by length, one row for each answer, the same batches) stands beside
them. One forward pass over as many tokens as the questions have does too (unless `--no-forward`): computing without
sharing costs no less. With `--llama-cpp` so does llama.cpp on one thread (`prompts_llama_cpp.mjs`, with node-llama-cpp
in NODE_PATH). Its weights are those of the file, mostly of fewer bits, so that it computes something else; it too keeps
the keys and values of what a question begins with like the one before it. Its processor seconds are its own.

It needs `lm-eval`, which is in no extra that tests use: pip install lm-eval.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch

from goldproof.builders.prompts.examples import Labelled, Shots, draw_examples
from goldproof.builders.prompts.library import built_in
from goldproof.models.language_model import language_model
from goldproof.models.language_network import OpenLanguageModel
from goldproof.models.protocols import PromptQuestion


def read_items(path: Path) -> list[Labelled]:
    rows = [line.rsplit("\t", 1) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [Labelled(str(i), text, None, label) for i, (text, label) in enumerate(rows)]


def questions_of(given: argparse.Namespace) -> tuple[list[list[PromptQuestion]], list[str], list[str]]:
    """The questions of each prompt, the gold labels of its items, and the labels."""
    every = read_items(given.data)
    middle = len(every) // 2
    items = every[middle:][:: max(1, (len(every) - middle) // given.items)][: given.items]
    labels = sorted({item.label for item in every})
    names = dict(pair.split("=") for pair in given.labels.split(",") if pair)
    found = []
    for prompt in built_in(given.task, "en").bind(labels, names)[: given.prompts]:
        shots = draw_examples(every[:middle], Shots(given.examples), set())
        told = [(prompt.question(each.text), prompt.answer(each.label)) for each in shots]
        contexts = ["".join(prompt.turns(told, prompt.question(item.text))) for item in items]
        found.append([PromptQuestion(context, tuple(map(prompt.answer, labels))) for context in contexts])
    return found, [item.label for item in items], labels


def ours(model: OpenLanguageModel, prompts: list[list[PromptQuestion]]) -> np.ndarray:
    return np.array([[each.values for each in model.likelihoods(questions)] for questions in prompts])


def plain_loop(model: OpenLanguageModel, prompts: list[list[PromptQuestion]]) -> np.ndarray:
    """One row for each answer, sorted by length, in our batches, with nothing shared."""
    scorer: Any = model.scorer
    return np.array([scorer._score_plainly(model._code(questions)) for questions in prompts])


def make_harness(folder: str, batch: int) -> Any:
    logging.getLogger("lm_eval").setLevel(logging.ERROR)
    from lm_eval.models.huggingface import HFLM

    return HFLM(pretrained=folder, dtype="float32", device="cpu", batch_size=batch)


def harness(lm: Any, prompts: list[list[PromptQuestion]]) -> np.ndarray:
    """All requests of all prompts in one call, as the harness would get them."""
    from lm_eval.api.instance import Instance

    flat = [(q.context, option) for questions in prompts for q in questions for option in q.options]
    asked = [Instance("loglikelihood", {}, pair, i) for i, pair in enumerate(flat)]
    values = [value for value, _ in lm.loglikelihood(asked, disable_tqdm=True)]
    return np.array(values).reshape(len(prompts), len(prompts[0]), -1)


@torch.inference_mode()
def forward_only(model: OpenLanguageModel, prompts: list[list[PromptQuestion]], batch: int) -> None:
    """As many tokens as the questions have (each context once), in rows without padding; the body and no output."""
    n = sum(len(each.context) for questions in prompts for each in model._code(questions))
    width = n // (sum(map(len, prompts)))
    ids = torch.randint(5, 1000, (batch, width))
    body = model.network.base_model
    for _ in range(max(1, n // (batch * width))):
        body(input_ids=ids)


def llama_cpp(gguf: Path, prompts: list[list[PromptQuestion]]) -> tuple[float, np.ndarray]:
    """The processor seconds that llama.cpp took after reading its weights, and its log-likelihoods."""
    asked = json.dumps([[[each.context, each.options] for each in questions] for questions in prompts])
    script = Path(__file__).with_name("prompts_llama_cpp.mjs")
    done = subprocess.run(["node", str(script), str(gguf)], input=asked, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    return found["seconds"], np.array(found["values"])


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = run()
    return time.process_time() - start, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--task", default="sentiment")
    parser.add_argument("--labels", default="0=negative,1=positive")
    for name, default in (("prompts", 10), ("examples", 4), ("items", 100), ("batch", 16), ("rounds", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--plain", action="store_true", help="a plain loop too")
    parser.add_argument("--no-forward", action="store_true", help="no plain forward pass beside them")
    parser.add_argument("--llama-cpp", type=Path, help="a file of weights that llama.cpp reads")
    given = parser.parse_args()
    prompts, gold, labels = questions_of(given)
    model, lm = language_model(given.model, chat="never").open(), make_harness(given.model, given.batch)
    runs: dict[str, Callable[[], Any]] = {
        "ours": lambda: ours(model, prompts),
        "harness": lambda: harness(lm, prompts),
        "plain loop": lambda: plain_loop(model, prompts),
        "forward pass": lambda: forward_only(model, prompts, given.batch),
    }
    if not given.plain:
        del runs["plain loop"]
    if given.no_forward:
        del runs["forward pass"]
    ours(model, [questions[:4] for questions in prompts[:1]])  # loads what is loaded at first use
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    values: dict[str, Any] = {}
    for _ in range(given.rounds):
        for name, run in runs.items():
            taken, values[name] = timed(run)
            seconds[name].append(taken)
        if given.llama_cpp is not None:
            taken, values["llama.cpp"] = llama_cpp(given.llama_cpp, prompts)
            seconds.setdefault("llama.cpp", []).append(taken)
    codes = np.array([labels.index(label) for label in gold])
    apart = {
        name: float(np.abs(values[name] - values["harness"]).max())
        for name in ("ours", "plain loop", "llama.cpp")
        if name in values
    }
    right = {
        name: (values[name].argmax(-1) == codes).mean(1).round(4).tolist()
        for name in ("ours", "harness", "llama.cpp")
        if name in values
    }
    tokens = [len(each.context) for questions in prompts for each in model._code(questions)]
    middle = {name: median(each) for name, each in seconds.items()}
    out = {
        "setting": {k: str(v) for k, v in vars(given).items()},
        "versions": {
            "lm_eval": _version("lm_eval"),
            "transformers": _version("transformers"),
            "torch": _version("torch"),
        },
        "tokens of contexts": sum(tokens),
        "mean tokens of a context": float(np.mean(tokens)),
        "processor seconds, median": {k: round(v, 2) for k, v in middle.items()},
        "all rounds": {k: [round(x, 2) for x in v] for k, v in seconds.items()},
        "times faster than the harness": round(middle["harness"] / middle["ours"], 2),
        "times faster than llama.cpp": round(middle["llama.cpp"] / middle["ours"], 2) if given.llama_cpp else None,
        "tokens a second": {k: round(sum(tokens) / v) for k, v in middle.items()},
        "largest difference of a log-likelihood": apart,
        "accuracy by prompt": right,
        "load": os.getloadavg(),
        "threads": torch.get_num_threads(),
    }
    json.dump(out, sys.stdout, indent=1)
    sys.stdout.write("\n")


def _version(name: str) -> str:
    from importlib.metadata import version

    return version(name)


if __name__ == "__main__":
    main()
