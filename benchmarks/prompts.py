"""Asking a language model: our likelihoods beside lm-evaluation-harness's, the same prompts in the same run.

    python benchmarks/prompts.py MODEL [--data FILE] [--labels 0=negative,1=positive] [--prompts 10] [--examples 4]
                                 [--items 100] [--batch 16|auto] [--rounds 3] [--plain] [--no-forward]
                                 [--device cpu|cuda] [--precision float32|bfloat16] [--softmax float32]
                                 [--random-weights] [--llama-cpp MODEL.gguf] [--out FILE]

FILE is `text<TAB>label` lines without a header (SST-2); half of it is items, the other half gives the examples. Without
it, lines of about that length are drawn. Both sides get the same contexts and answers and take turns, each `--rounds`
times; processor seconds count on a CPU, and on a GPU seconds of the clock, when it has done all (everything ran once
before); their median is shown. The harness runs its transformers backend (`HFLM.loglikelihood`) with the batch size
given; "auto" is the largest of 64, 32, … rows that fit, sought before the clock runs. Where it is not installed, or
with `--plain`, a loop that does what that backend does stands in its place or beside it (`prompts_loop.py`).

One forward pass over as many tokens as the questions have stands beside them too (unless `--no-forward`): computing
without sharing costs no less. On a GPU so does a plain forward over 256 × 256 tokens in bfloat16, with its output layer
and without. With `--llama-cpp` so does llama.cpp on one thread (`prompts_llama_cpp.mjs`, with node-llama-cpp in
NODE_PATH). Its weights are those of the file, mostly of fewer bits, so that it computes something else; it too keeps
the keys and values of what a question begins with like the one before it. Its processor seconds are its own.

With `--random-weights` MODEL needs its config.json and tokenizer alone: weights are drawn, which says how fast, and
nothing about what is right. `lm-eval` is in no extra that tests use: pip install lm-eval.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import subprocess
import sys
import tempfile
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
from prompts_loop import PlainLoop

FORWARD = 256, 256
GOOD, BAD = ["charming", "moving", "funny", "warm", "fine"], ["dull", "stale", "clumsy", "bland", "weak"]
REST = "the a film story cast of and with its in it is that has scenes for by one more than as music end time".split()  # noqa: SIM905


def drawn_items(n: int = 872) -> list[Labelled]:
    """Lines as long as those of SST-2, of which a word in five tells the label."""
    rng = np.random.default_rng(0)
    items = []
    for i in range(n):
        size, good = int(rng.integers(4, 36)), bool(rng.random() < 0.5)
        words = [str(rng.choice(REST if rng.random() < 0.8 else GOOD if good else BAD)) for _ in range(size)]
        items.append(Labelled(str(i), " ".join(words) + f" {i}", None, str(int(good))))
    return items


def read_items(path: Path) -> list[Labelled]:
    rows = [line.rsplit("\t", 1) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [Labelled(str(i), text, None, label) for i, (text, label) in enumerate(rows)]


def questions_of(given: argparse.Namespace) -> tuple[list[list[PromptQuestion]], list[str], list[str]]:
    """The questions of each prompt, the gold labels of its items, and the labels."""
    every = read_items(given.data) if given.data is not None else drawn_items()
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


def make_harness(folder: str, given: argparse.Namespace, batch: int) -> Any:
    """The harness with the model; None where it is not installed, or lacks a package that it imports."""
    logging.getLogger("lm_eval").setLevel(logging.ERROR)
    try:
        from lm_eval.models.huggingface import HFLM
    except ImportError as error:
        sys.stderr.write(f"without lm-evaluation-harness: {error}\n")
        return None
    return HFLM(
        pretrained=folder, dtype=given.precision, device=given.device, batch_size=batch, softmax_dtype=given.softmax
    )


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
    width = n // sum(map(len, prompts))
    body, left = model.network.base_model, max(1, round(n / width))
    n_pieces = model.network.config.vocab_size
    while left > 0:
        body(input_ids=torch.randint(n_pieces, (min(batch, left), width), device=model.network.device))
        left -= batch


def llama_cpp(gguf: Path, prompts: list[list[PromptQuestion]]) -> tuple[float, np.ndarray]:
    """The processor seconds that llama.cpp took after reading its weights, and its log-likelihoods."""
    asked = json.dumps([[[each.context, each.options] for each in questions] for questions in prompts])
    script = Path(__file__).with_name("prompts_llama_cpp.mjs")
    done = subprocess.run(["node", str(script), str(gguf)], input=asked, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    return found["seconds"], np.array(found["values"])


def plain_forward(folder: Path, device: str, rounds: int) -> dict[str, int]:
    """Tokens a second of a forward pass over random tokens, nothing padded, in bfloat16; median of the rounds."""
    from transformers import AutoModelForCausalLM

    network = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16, local_files_only=True)
    network = network.to(device).eval()
    ids = torch.randint(network.config.vocab_size, FORWARD, device=device)
    found = {}
    for name, part in (("body", network.base_model), ("with the output layer", network)):
        taken = []
        for _ in range(rounds + 2):
            with torch.inference_mode():
                taken.append(timed(lambda part=part: part(input_ids=ids, use_cache=False) and None, device)[0])
        found[name] = round(ids.numel() / median(taken[2:]))
    return found


def timed(run: Callable[[], Any], device: str) -> tuple[float, Any]:
    start = clock(device)
    found = run()
    return clock(device) - start, found


def clock(device: str) -> float:
    """Processor seconds, or on a GPU seconds of the clock when it has done all."""
    if device == "cpu":
        return time.process_time()
    torch.cuda.synchronize()
    return time.perf_counter()


def draw_weights(folder: Path, to: str) -> Path:
    """A model of the folder's configuration with random weights, and its tokenizer."""
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    torch.manual_seed(0)
    config = AutoConfig.from_pretrained(folder, local_files_only=True)
    AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).save_pretrained(to)
    AutoTokenizer.from_pretrained(folder, local_files_only=True).save_pretrained(to)
    return Path(to)


def batch_size(text: str) -> int | str:
    return "auto" if text == "auto" else int(text)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--task", default="sentiment")
    parser.add_argument("--labels", default="0=negative,1=positive")
    for name, default in (("prompts", 10), ("examples", 4), ("items", 100), ("rounds", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--batch", type=batch_size, default=16, help="rows, or auto")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--precision", choices=("float32", "bfloat16"), default="float32")
    parser.add_argument("--softmax", choices=("float32",), help="precision of log_softmax; else that of the logits")
    parser.add_argument("--random-weights", action="store_true", help="MODEL has a config.json and a tokenizer alone")
    parser.add_argument("--plain", action="store_true", help="the plain loop beside the harness too")
    parser.add_argument("--no-forward", action="store_true", help="no plain forward pass beside them")
    parser.add_argument("--llama-cpp", type=Path, help="a file of weights that llama.cpp reads")
    parser.add_argument("--out", type=Path, help="a file for the results, as JSON")
    given = parser.parse_args()
    if given.device == "cuda" and not torch.cuda.is_available():
        parser.error("torch finds no GPU: --device cpu")
    return given


def main() -> None:
    given = arguments()
    if given.device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""  # our models go to a GPU where there is one
    with tempfile.TemporaryDirectory() as folder:
        name = str(draw_weights(Path(given.model), folder)) if given.random_weights else given.model
        out = json.dumps(measure(given, name), indent=1) + "\n"
    if given.out is not None:
        given.out.write_text(out, "utf-8")
    sys.stdout.write(out)


def measure(given: argparse.Namespace, name: str) -> dict[str, Any]:
    prompts, gold, labels = questions_of(given)
    described = language_model(name, precision=given.precision, chat="never")
    folder, model = described.source.folder, described.open()
    loop = PlainLoop.load(str(folder), given.precision, given.device, 1, given.softmax)
    if given.batch == "auto":
        loop.fit(loop.requests(prompts))
    else:
        loop.batch = given.batch
    runs: dict[str, Callable[[], Any]] = {"ours": lambda: ours(model, prompts)}
    lm = make_harness(str(folder), given, loop.batch)
    if lm is not None:
        runs["harness"] = lambda: harness(lm, prompts)
    if given.plain or lm is None:
        runs["plain loop"] = lambda: loop(prompts)
    asked = {
        "ours": lambda: [model._code(questions) for questions in prompts],
        "plain loop": lambda: loop.requests(prompts),
    }
    if not given.no_forward:
        runs["forward pass"] = lambda: forward_only(model, prompts, loop.batch)
    ours(model, [questions[:4] for questions in prompts[:1]])  # loads what is loaded at first use
    if given.device == "cuda":
        for run in runs.values():
            run()
    seconds: dict[str, list[float]] = {each: [] for each in runs}
    tokenizing: dict[str, list[float]] = {each: [] for each in asked if each in runs}
    values: dict[str, Any] = {}
    for _ in range(given.rounds):
        for each, run in runs.items():
            taken, values[each] = timed(run, given.device)
            seconds[each].append(taken)
        for each in tokenizing:
            tokenizing[each].append(timed(asked[each], given.device)[0])
        if given.llama_cpp is not None:
            taken, values["llama.cpp"] = llama_cpp(given.llama_cpp, prompts)
            seconds.setdefault("llama.cpp", []).append(taken)
    tokens = [len(each.context) for questions in prompts for each in model._code(questions)]
    middle = {each: median(found) for each, found in seconds.items()}
    has_plain_forward = given.device == "cuda" and not given.no_forward
    return {
        "setting": {k: str(v) for k, v in vars(given).items()},
        "weights": "random" if given.random_weights else "of the folder",
        "data": "drawn" if given.data is None else given.data.name,
        "rows in a batch": loop.batch,
        "versions": {each: _version(each) for each in ("lm_eval", "transformers", "torch")},
        "device": torch.cuda.get_device_name() if given.device == "cuda" else "cpu",
        "tokens of contexts": sum(tokens),
        "mean tokens of a context": float(np.mean(tokens)),
        f"{'processor ' if given.device == 'cpu' else ''}seconds, median": {k: round(v, 4) for k, v in middle.items()},
        "all rounds": {k: [round(x, 4) for x in v] for k, v in seconds.items()},
        "of which for tokenizing, median": {k: round(median(v), 4) for k, v in tokenizing.items()},
        **{
            f"times faster than {'the ' * (peer != 'llama.cpp')}{peer}": round(middle[peer] / middle["ours"], 2)
            for peer in ("harness", "plain loop", "llama.cpp")
            if peer in middle
        },
        "tokens a second": {k: round(sum(tokens) / v) for k, v in middle.items()},
        "tokens a second of a plain forward, 256 x 256, bfloat16": (
            plain_forward(folder, given.device, given.rounds) if has_plain_forward else None
        ),
        **compared(values, np.array([labels.index(label) for label in gold])),
        "load": os.getloadavg(),
        "threads": torch.get_num_threads(),
    }


def compared(values: dict[str, Any], codes: np.ndarray) -> dict[str, Any]:
    """How far log-likelihoods differ from the peer's, and how often each is right with each prompt."""
    peer = "harness" if "harness" in values else "plain loop"
    asked = [name for name in ("ours", "harness", "plain loop", "llama.cpp") if name in values]
    return {
        f"largest difference of a log-likelihood from the {peer}": {
            name: float(np.abs(values[name] - values[peer]).max()) for name in asked if name != peer
        },
        "accuracy by prompt": {name: (values[name].argmax(-1) == codes).mean(1).round(4).tolist() for name in asked},
    }


def _version(name: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return None


if __name__ == "__main__":
    main()
