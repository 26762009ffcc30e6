"""Watch: what a job under way in this process tells of itself, and by which it may be cut short at a safe place.

A step that takes long tells now and then how much it has done; whoever watches is told, and may raise `CutShortError`.
A group of jobs hands over each value as soon as it is there, so that what was finished is kept when the group is cut
short or killed. Both are for the process alone: a worker elsewhere tells nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

STEPS, SKIPPED, ITEMS = "steps", "skipped steps", "items"
"""What is told of: steps of training, those that a snapshot saved, items that were answered about or read."""

Watcher = Callable[[str, float], None]
Taker = Callable[[int, Any], None]

_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)
_taker: ContextVar[Taker | None] = ContextVar("taker", default=None)


class CutShortError(KeyboardInterrupt):
    """Work is over before its end, in the form in which Ctrl-C comes: whatever cleans up after that does so here."""


def tell(kind: str = "", amount: float = 0.0) -> None:
    """Say that so much more was done; without an amount, that time goes by."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(kind, amount)


def is_watched() -> bool:
    """Whether somebody is told."""
    return _watcher.get() is not None


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Within the block, what jobs tell is told to the watcher."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def hand_over(place: int, value: Any) -> None:
    """Give the value of a job of the running group, by its place in it, before the others are done."""
    taker = _taker.get()
    if taker is not None:
        taker(place, value)


@contextmanager
def handing_to(taker: Taker) -> Iterator[None]:
    """Within the block, values that are handed over go to the taker."""
    token = _taker.set(taker)
    try:
        yield
    finally:
        _taker.reset(token)
