"""What proofs cost: English pairs of the counting task a second, proved and unproved, in the same run.

    python benchmarks/logic.py [pairs]

The promise: 100,000 proved pairs take at most 3 times as long as the same pairs unproved. Each is built in a process of
its own, so that no proof or form is remembered from the other.
"""

from __future__ import annotations

import subprocess
import sys
import time


def build(n: int, proved: bool) -> float:
    """Seconds to build n pairs."""
    from goldproof.builders.logic.build import CorpusRecipe, build_corpus

    start = time.perf_counter()
    build_corpus(CorpusRecipe(language="en", task="counting", n_train=n, n_test=0, proved=proved))
    return time.perf_counter() - start


def build_alone(n: int, proved: bool) -> float:
    command = [sys.executable, __file__, str(n), "proved" if proved else "unproved"]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    if len(sys.argv) > 2:
        print(build(n, sys.argv[2] == "proved"))
        return
    seconds = {proved: build_alone(n, proved) for proved in (False, True)}
    for proved, taken in seconds.items():
        print(
            f"{'proved' if proved else 'unproved':<9} {n:,} pairs in {taken:6.2f} s: {n / taken:10,.0f} pairs a second"
        )
    print(f"ratio {seconds[True] / seconds[False]:.2f} (promise: at most 3)")


if __name__ == "__main__":
    main()
