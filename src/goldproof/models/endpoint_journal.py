"""A journal of what an endpoint answered: each answer is on the disk before the next is asked for, and asked for once.

One line of JSON for an answer: the digest of the request, the text, the tokens that were counted. A line that was being
written when the machine stopped is passed over. The journal holds no key and no address.
"""

from __future__ import annotations

import json
import os
import threading
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer by the digest of its request, with the tokens of both, and whether it ended for want of room."""

    request: str
    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    is_cut: bool = False


class Journal:
    """The answers in a file; several processes may add to it, each a whole line at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.answers: dict[str, KeptAnswer] = {}
        self.tokens_in = self.tokens_out = 0
        self._read_to = 0
        self._lock = threading.Lock()
        self.refresh()

    def refresh(self) -> None:
        """Take up what was added since the last look."""
        with self._lock:
            self._refresh()

    def add(self, answer: KeptAnswer) -> None:
        """Keep an answer: it is on the disk when this returns."""
        line = json.dumps(asdict(answer), ensure_ascii=True) + "\n"
        with self._lock:
            handle = os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o600)
            try:
                if not _ends_well(handle):
                    line = "\n" + line  # what was being written when the machine stopped stays a line of its own
                os.write(handle, line.encode())
                os.fsync(handle)
            finally:
                os.close(handle)
            self._refresh()

    def _refresh(self) -> None:
        try:
            with self.path.open("rb") as file:
                file.seek(self._read_to)
                data = file.read()
        except FileNotFoundError:
            return
        whole = data[: data.rfind(b"\n") + 1]
        self._read_to += len(whole)
        for line in whole.splitlines():
            answer = _parse(line)
            if answer is not None and answer.request not in self.answers:
                self.answers[answer.request] = answer
                self.tokens_in += answer.tokens_in
                self.tokens_out += answer.tokens_out


def _ends_well(handle: int) -> bool:
    size = os.fstat(handle).st_size
    return size == 0 or os.pread(handle, 1, size - 1) == b"\n"


def _parse(line: bytes) -> KeptAnswer | None:
    try:
        form = json.loads(line)
        tokens = int(form["tokens_in"]), int(form["tokens_out"])
        return KeptAnswer(str(form["request"]), str(form["text"]), *tokens, bool(form.get("is_cut", False)))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
