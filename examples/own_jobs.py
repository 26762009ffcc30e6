"""Work that survives a crash: steps of your own, a store, and a process pool.

    python examples/own_jobs.py

Run it twice: the second time everything is kept.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from goldproof import PoolRunner, Results, Store, run_jobs, step


@step(version=1, name="example.count_words")
def count_words(text: str) -> dict[str, int]:
    """How often each word occurs."""
    return dict(Counter(text.lower().split()))


@step(version=1, name="example.most_frequent")
def most_frequent(counts: list[dict[str, int]]) -> str:
    """The most frequent word of all; the argument is a list of jobs, and the worker gets their values."""
    total: Counter[str] = Counter()
    for part in counts:
        total.update(part)
    return total.most_common(1)[0][0]


def main() -> None:
    """Make the jobs, run what is absent, read a result."""
    texts = ["the cat sat on the mat", "the dog did not", "a cat and the dog"]
    job = most_frequent.job([count_words.job(text) for text in texts])
    store = Store(Path("example-store")).open()
    runner = PoolRunner(2)
    for outcome in run_jobs([job], store, runner):
        print(outcome.status, outcome.description)
    runner.close()
    print("most frequent:", Results(store)[job])


if __name__ == "__main__":
    main()
