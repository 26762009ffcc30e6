"""Interrupts: a process that is asked to end (SIGTERM) ends as after Ctrl-C, its work cancelled and its store whole.

Only the commands install this; the library leaves signals to the program that uses it.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

KEPT = "interrupted: finished work is kept; the same command carries on from there"
BY_KEYBOARD, BY_REQUEST = 130, 143


class AskedToEndError(KeyboardInterrupt):
    """SIGTERM, in the form in which Ctrl-C comes, so that whatever cleans up after that cleans up after this."""


@dataclass(slots=True)
class Request:
    """Whether the process was asked to end."""

    came: bool = False

    @property
    def exit_code(self) -> int:
        """What an interrupted command returns: 128 and the number of the signal."""
        return BY_REQUEST if self.came else BY_KEYBOARD


@contextmanager
def ending_in_order() -> Iterator[Request]:
    """Within the block SIGTERM raises as Ctrl-C does, once; a process that is told to ignore it goes on ignoring it."""
    request = Request()

    def end(_: int, __: FrameType | None) -> None:
        if request.came:  # `timeout` and others send it twice; the first is being seen to
            return
        request.came = True
        raise AskedToEndError

    before = signal.getsignal(signal.SIGTERM)
    if before is signal.SIG_IGN:
        yield request
        return
    signal.signal(signal.SIGTERM, end)
    try:
        yield request
    finally:
        signal.signal(signal.SIGTERM, before)
