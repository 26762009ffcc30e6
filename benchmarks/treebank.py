"""Probing tasks from 200,000 sentences: rate, and peak memory against that of a quarter of them.

The given treebanks are repeated, with new sentence ids, and a number behind a punctuation mark so that texts differ
while the vocabulary stays that of the treebanks.
The peer is one pass of the plain CoNLL-U reader over the same file; the build makes two passes and labels.

python benchmarks/treebank.py FILE.conllu... [--sentences 200000]
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from goldproof.builders.probing import BuildSettings, SplitSizes, build_tasks, open_treebanks
from goldproof.data.formats.treebank import iter_sentences


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebanks", type=Path, nargs="+")
    parser.add_argument("--sentences", type=int, default=200_000)
    parser.add_argument("--language", default=None)
    parser.add_argument("--one", choices=["read", "build"], default=None, help="measure one file in this process")
    arguments = parser.parse_args()
    if arguments.one:
        measure(arguments.treebanks[0], arguments.one)
        return
    language = arguments.language or open_treebanks(arguments.treebanks).language
    with tempfile.TemporaryDirectory() as folder:
        for n in (arguments.sentences // 4, arguments.sentences):
            path = Path(folder) / f"{language}_{n}.conllu"
            repeat(arguments.treebanks, n, path)
            print(f"{n:,} sentences, {path.stat().st_size / 1e6:.0f} MB")
            for what in ("read", "build"):
                command = [sys.executable, __file__, str(path), "--one", what]
                print("  " + subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())
            path.unlink()


def repeat(sources: list[Path], n: int, path: Path) -> None:
    written = 0
    with path.open("w", encoding="utf-8") as out:
        while True:
            for source in sources:
                for block in source.read_text(encoding="utf-8").strip().split("\n\n"):
                    out.write(renew(block, written))
                    written += 1
                    if written == n:
                        return


def renew(block: str, number: int) -> str:
    """The sentence with a new id, and its number behind the last punctuation mark, where it has one."""
    lines = [line for line in block.split("\n") if not line.startswith(("# sent_id", "# text", "# newdoc", "# newpar"))]
    marks = [place for place, line in enumerate(lines) if line.split("\t")[3:4] == ["PUNCT"]]
    for place in marks[-1:]:
        cells = lines[place].split("\t")
        cells[1] += str(number)
        lines[place] = "\t".join(cells)
    return "\n".join([f"# sent_id = {number}", *lines]) + "\n\n"


def measure(path: Path, what: str) -> None:
    start, begin = time.perf_counter(), time.process_time()
    if what == "read":
        n = sum(1 for _ in iter_sentences(path))
        detail = "plain reader, one pass"
    else:
        built = build_tasks(open_treebanks([path]), BuildSettings(sizes=SplitSizes(10_000, 1_000, 1_000)))
        n = built.n_sentences
        detail = f"{len(built.tasks)} tasks, {sum(len(task.rows) for task in built.tasks):,} rows"
    seconds, cpu = time.perf_counter() - start, time.process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rate = f"{n / seconds:,.0f} sentences a second, {seconds:.1f} s ({cpu:.1f} s of one core)"
    print(f"{what:5} {rate}, peak {peak:,.0f} MiB ({detail})")


if __name__ == "__main__":
    main()
