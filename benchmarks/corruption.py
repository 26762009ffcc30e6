"""All 8 classes of a corpus from one tagging, beside tagging with NLTK anew for every class and setting.

The peer is the plain way: `nltk.word_tokenize`, `nltk.pos_tag(tagset="universal")`, drop, join with NLTK's Treebank
detokenizer, one process. Corrupting train, test, and both, for 8 classes, goes over every text 16 times (a text is in
the corrupted part of two of the three settings). The peer is timed on a sample and scaled to the corpus.
`--classes-only` counts 8 times instead, `--only-memory` leaves the race out. The memory of a streamed file is measured
at two sizes, in a process each.

    NLTK_DATA=... python benchmarks/corruption.py DATA_ROOT [sentences] [rows of the larger file]
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CLASSES = ("ADJ", "ADV", "CONJ", "DET", "NOUN", "NUM", "PRON", "VERB")
PASSES = 16
SAMPLE = 1500
WORKERS = 2


def sentences(root: Path, n: int) -> list[str]:
    """Distinct sentences of SST-2, CoLA, MRPC and RTE; where they do not suffice, two of them joined."""
    found: dict[str, None] = {}
    for path in sorted((root / "glue/sst2").glob("*.tsv")):
        found |= dict.fromkeys(line.split("\t")[0] for line in _lines(path))
    for path in sorted((root / "glue/cola").glob("*.tsv")):
        found |= dict.fromkeys(line.split("\t")[3] for line in _lines(path))
    for path in sorted((root / "glue/mrpc").glob("*.txt")):
        found |= dict.fromkeys(text for line in _lines(path)[1:] for text in line.split("\t")[3:5])
    for path in sorted((root / "entailment/en").glob("*.jsonl")):
        rows = [json.loads(line) for line in _lines(path)]
        found |= dict.fromkeys(row[name] for row in rows for name in ("premise", "hypothesis"))
    texts = list(found)
    n_own, step = len(texts), 1
    while len(texts) < n:
        texts += [f"{texts[i]} {texts[i + step]}" for i in range(min(n - len(texts), n_own - step))]
        step += 1
    return texts[:n]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8-sig").strip("\n").split("\n")


def time_peer(texts: list[str]) -> float:
    """Seconds that one class of the sample takes the plain way."""
    from nltk import pos_tag, word_tokenize
    from nltk.tokenize.treebank import TreebankWordDetokenizer

    join = TreebankWordDetokenizer().detokenize
    pos_tag(word_tokenize("Load the models."), tagset="universal")
    start = time.perf_counter()
    for text in texts:
        join([word for word, tag in pos_tag(word_tokenize(text), tagset="universal") if tag != "NOUN"])
    return time.perf_counter() - start


def time_ours(texts: list[str], preset: str) -> float:
    """Seconds that all classes of the whole corpus take, with starting the processes."""
    from goldproof.builders.corruption.removal import Corruption
    from goldproof.builders.corruption.texts import corrupt_texts
    from goldproof.builders.tagging import choose_tagger

    corruptions = [Corruption((name,), preset=preset) for name in CLASSES]
    start = time.perf_counter()
    found = corrupt_texts(texts, corruptions, choose_tagger("en", corruptions[0].tagger), workers=WORKERS)
    assert all(len(one.texts) == len(texts) for one in found)
    return time.perf_counter() - start


def measure_memory(path: Path) -> None:
    """Corrupt a file and print seconds and peak memory in MiB; a worker holds its models and one batch of rows."""
    from goldproof.builders.corruption.files import corrupt_file
    from goldproof.builders.corruption.removal import Corruption
    from goldproof.builders.tagging import choose_tagger

    start = time.perf_counter()
    report = corrupt_file(
        path, path.with_name("out.jsonl"), Corruption(("NOUN",)), choose_tagger("en"), workers=WORKERS
    )
    seconds = time.perf_counter() - start
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"rows": report.n_rows, "seconds": seconds, "own": own}))


def show_memory(texts: list[str], sizes: tuple[int, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for n in sizes:
            path = Path(folder) / "rows.jsonl"
            with path.open("w", encoding="utf-8") as stream:
                for i in range(n):
                    row = {"id": i, "text": f"{texts[i % len(texts)]} {i}", "label": i % 2}
                    stream.write(json.dumps(row, ensure_ascii=False) + "\n")
            command = [sys.executable, __file__, "--memory", str(path)]
            found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            rate = n / found["seconds"]
            print(f"{n:>10,} rows streamed: {found['seconds']:.0f} s, {rate:,.0f} rows/s,", end=" ")
            print(f"peak {found['own']:.0f} MiB in the process that reads and writes")


def race(texts: list[str], passes: int) -> None:
    n = len(texts)
    assert len(set(texts)) == n
    sample = texts[:: max(1, n // SAMPLE)]
    peer = time_peer(sample) * n / len(sample) * passes
    print(f"{n:,} distinct sentences, 8 classes, {WORKERS} processes")
    print(f"NLTK, tagged {passes} times: {peer:,.0f} s (one class of {len(sample):,} sentences timed, and scaled)")
    for preset in ("offsets", "paper"):
        ours = time_ours(texts, preset)
        print(f"preset {preset}: {ours:,.1f} s, {peer / ours:.1f} x NLTK")


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    if "--memory" in sys.argv:
        measure_memory(Path(arguments[0]))
    else:
        n_sentences = int(arguments[1]) if len(arguments) > 1 else 50_000
        n_rows = int(arguments[2]) if len(arguments) > 2 else 1_000_000
        corpus = sentences(Path(arguments[0]), n_sentences)
        if "--only-memory" not in sys.argv:
            race(corpus, 8 if "--classes-only" in sys.argv else PASSES)
        show_memory(corpus, (n_rows // 10, n_rows))
