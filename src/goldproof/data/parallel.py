"""A function over a stream of items in several processes: results in order, a bounded number of items under way."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")


def map_in_order(function: Callable[[A], B], items: Iterable[A], workers: int = 1) -> Iterator[B]:
    """The function of each item, in order; with one worker in this process.

    The function and its results must be picklable. Workers are started fresh, so a script that asks for several needs
    the usual `if __name__ == "__main__":`.
    """
    if workers <= 1:
        yield from map(function, items)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        under_way: deque[Future[B]] = deque()
        try:
            for item in items:
                under_way.append(pool.submit(function, item))
                if len(under_way) > 2 * workers:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()


def chunks(items: Iterable[A], size: int) -> Iterator[list[A]]:
    """The items in lists of so many; the last may be shorter.

    >>> list(chunks("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk
