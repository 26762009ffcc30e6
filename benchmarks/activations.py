"""All layers of an encoder, against sentence-transformers' `encode` for the last one and a batch-of-one loop.

    python benchmarks/activations.py --model FOLDER --texts FILE --out results.json
    python benchmarks/activations.py --device cuda --out results.json

Without --model an encoder of BERT-base size with random weights is made on the spot, without --texts sentences of 5 to
25 of its words. Both ways tokenize, run the encoder in float32 and bring the mean-pooled vectors back to the CPU.
Where sentence-transformers is not installed, its way of encoding is written out here and said to be so. The loop runs
one text at a time with all hidden states, as NeuroX does; it is timed on a part and scaled up.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from goldproof.measures.activations import read_activations
from goldproof.models.layer_reader import LayerReader
from goldproof.models.readout import Readout
from goldproof.models.tiny import SPECIAL, word_tokenizer
from goldproof.models.transformer import transformer


def write_model(folder: Path, n_words: int, quick: bool) -> Path:
    """An encoder of BERT-base size with random weights and a tokenizer of whole words."""
    vocabulary = {word: i for i, word in enumerate([*SPECIAL, *(f"w{i}" for i in range(n_words))])}
    small = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 2, "intermediate_size": 128}
    config = transformers.BertConfig(
        vocab_size=len(vocabulary), pad_token_id=1, max_position_embeddings=512, **(small if quick else {})
    )
    torch.manual_seed(0)
    transformers.BertModel(config).save_pretrained(folder)
    word_tokenizer(vocabulary, 512).save_pretrained(folder)
    return folder


def make_texts(n: int, n_words: int) -> list[str]:
    rng = np.random.default_rng(0)
    return [" ".join(f"w{i}" for i in rng.integers(0, n_words, rng.integers(5, 26))) for _ in range(n)]


class WrittenOut:
    """What sentence-transformers does in `encode`: texts by length, batches of one size, mean of the last layer."""

    def __init__(self, folder: Path, device: str) -> None:
        self.model = transformers.AutoModel.from_pretrained(folder).to(device).eval()
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.device = device

    @torch.inference_mode()
    def encode(self, texts: list[str], batch_size: int = 32) -> np.ndarray:
        order = np.argsort([-len(text) for text in texts], kind="stable")
        found = []
        for start in range(0, len(order), batch_size):
            batch = [texts[i] for i in order[start : start + batch_size]]
            coded = self.tokenizer(batch, padding=True, truncation=True, return_tensors="pt").to(self.device)
            states = self.model(**coded).last_hidden_state
            mask = coded["attention_mask"][..., None].to(states.dtype)
            found.append(((states * mask).sum(1) / mask.sum(1)).cpu())
        return torch.cat(found).numpy()[np.argsort(order)]


def sentence_transformer(folder: Path, device: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer, models
    except ImportError:
        return WrittenOut(folder, device)
    width = transformers.AutoConfig.from_pretrained(folder).hidden_size
    return SentenceTransformer(modules=[models.Transformer(str(folder)), models.Pooling(width)], device=device)


def one_by_one(folder: Path, texts: list[str], device: str) -> np.ndarray:
    """Mean vectors of all layers, one text at a time: shape (texts, layers, features)."""
    model = transformers.AutoModel.from_pretrained(folder).to(device).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    found = []
    with torch.no_grad():
        for text in texts:
            coded = tokenizer(text, return_tensors="pt").to(device)
            states = model(**coded, output_hidden_states=True).hidden_states
            found.append(np.stack([state[0].cpu().numpy() for state in states]).mean(axis=1))
    return np.stack(found)


def timed(act: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """The median seconds of some runs, and the last result."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        found = act()
        times.append(time.perf_counter() - started)
    return statistics.median(times), found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, help="folder of an encoder")
    parser.add_argument("--texts", type=Path, help="file with a text on each line, up to a tab")
    parser.add_argument("--n", type=int, help="how many texts")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=Path, help="where to write the numbers as JSON")
    options = parser.parse_args()
    n = options.n or (200 if options.quick else 20_000 if options.device == "cuda" else 2000)
    with tempfile.TemporaryDirectory() as scratch:
        model = options.model or write_model(Path(scratch) / "model", 5000, options.quick)
        lines = options.texts.read_text(encoding="utf-8").splitlines() if options.texts else make_texts(n, 5000)
        texts = list(dict.fromkeys(line.split("\t")[0] for line in lines))[:n]
        results = compare(model, texts, options, Path(scratch))
    if options.out:
        options.out.write_text(json.dumps(results, indent=1))


def compare(model: Path, texts: list[str], options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    device = options.device
    reader = LayerReader(transformer(model), Readout(), device=device)
    peer = sentence_transformer(model, device)
    for warm in (reader.read, peer.encode):
        warm(texts[:200])
    ours, reading = timed(lambda: reader.read(texts), options.repeats)
    fresh = iter(range(1000))
    kept, _ = timed(lambda: read_activations(reader, texts, scratch / f"cache-{next(fresh)}"), options.repeats)
    again, _ = timed(lambda: read_activations(reader, texts, scratch / "cache-0"), options.repeats)
    where = torch.cuda.get_device_name() if device == "cuda" else f"{torch.get_num_threads()} threads"
    results: dict[str, Any] = {"machine": f"{platform.processor()}, {where}, torch {torch.__version__}"}
    results |= {"n": len(texts), "layers": len(reading.vectors), "ours_s": ours, "kept_s": kept, "again_s": again}
    results["peer"] = "sentence-transformers" + (", written out" if isinstance(peer, WrittenOut) else "")
    print(results["machine"])
    print(f"{len(texts)} texts, {len(reading.vectors)} layers of {reading.vectors.shape[2]}, {device}")
    print(f"goldproof, all layers: {ours:.2f} s; kept on disk too: {kept:.2f} s; from the cache: {again:.3f} s")
    for size in (32, 256):
        seconds, vectors = timed(lambda size=size: peer.encode(texts, batch_size=size), options.repeats)
        gap = float(np.abs(vectors - reading.vectors[-1].astype(np.float32)).max())
        print(
            f"{results['peer']}, last layer, batches of {size}: {seconds:.2f} s; ratio {seconds / ours:.2f} × "
            f"(kept: {seconds / kept:.2f} ×); largest gap of the last layer {gap:.4f}"
        )
        results[f"sentence_transformers_{size}"] = {"s": seconds, "ratio": seconds / ours, "ratio_kept": seconds / kept}
    part = texts[: max(50, len(texts) // 20)]
    seconds, _ = timed(lambda: one_by_one(model, part, device), 1)
    whole = seconds * len(texts) / len(part)
    print(f"one text at a time, all layers: {whole:.1f} s ({len(part)} timed, scaled up); ratio {whole / ours:.1f} ×")
    results["one_by_one"] = {"s": whole, "timed": len(part), "ratio": whole / ours}
    return results


if __name__ == "__main__":
    main()
