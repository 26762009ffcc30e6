"""A real HTTP server that speaks the protocol of chat completions over a tiny model, and misbehaves when it is told to.

`transformers serve` needs packages that the tests do without. `troubles` are what happens to the next requests, one
each: a status, "garbage", "empty", "slow", "endless", "drop"; then all is well.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class TinyServer(ThreadingHTTPServer):
    """The server with what it was asked and what it will do."""

    daemon_threads = True

    def __init__(self, model: Any = None, pause: float = 0.0) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model, self.pause = model, pause
        self.troubles: list[Any] = []
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.keys: set[str | None] = set()
        self.under_way = self.most_under_way = 0
        self.tokens_out = 2  # of each answer, as it counts
        self.ends = "stop"  # why an answer ends, as it says
        self.gate: int | None = None  # so many answers are given until it is opened
        self.opened = threading.Event()
        self.lock = threading.Lock()

    @property
    def name(self) -> str:
        return f"endpoint:http://127.0.0.1:{self.server_address[1]}/v1#tiny"

    def answer(self, request: dict[str, Any]) -> str:
        """What the tiny model says, or an echo of the last word."""
        text = " ".join(message["content"] for message in request["messages"])
        if self.model is None:
            return text.split()[-1]
        with self.lock:
            return str(self.model.generate([text], ["0"], _sampling(request))[0].text)


def _sampling(request: dict[str, Any]) -> Any:
    from goldproof.models.protocols import Sampling

    return Sampling(request["max_tokens"], request["temperature"], request.get("seed", 0))


class _Handler(BaseHTTPRequestHandler):
    server: TinyServer

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass

    def do_POST(self) -> None:
        server = self.server
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with server.lock:
            server.asked[body.decode()] += 1
            server.keys.add(self.headers.get("Authorization"))
            server.under_way += 1
            server.most_under_way = max(server.most_under_way, server.under_way)
            trouble = server.troubles.pop(0) if server.troubles else None
        try:
            if server.pause:
                time.sleep(server.pause)
            if server.gate is not None and sum(server.answered.values()) >= server.gate:
                server.opened.wait()
            with contextlib.suppress(OSError):
                self._reply(trouble, json.loads(body), body.decode())
        finally:
            with server.lock:
                server.under_way -= 1

    def _reply(self, trouble: Any, request: dict[str, Any], body: str) -> None:
        if isinstance(trouble, int):
            return self._send(trouble, b'{"error": "not now"}', {"Retry-After": "0"})
        if trouble == "garbage":
            return self._send(200, b"<html>not JSON</html>")
        if trouble == "empty":
            return self._send(200, b"")
        if trouble == "drop":
            return self.connection.close()
        if trouble == "slow":
            time.sleep(3)
        if trouble == "endless":
            self.send_response(200)
            self.end_headers()
            for _ in range(1 << 14):  # a gigabyte in all
                self.wfile.write(b" " * (1 << 16))
            return None
        text = self.server.answer(request)
        form = {
            "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": self.server.ends}],
            "usage": {"prompt_tokens": 10, "completion_tokens": self.server.tokens_out},
        }
        self._send(200, json.dumps(form).encode())
        with self.server.lock:
            self.server.answered[body] += 1
        return None

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@contextlib.contextmanager
def serving(model: Any = None, pause: float = 0.0) -> Iterator[TinyServer]:
    """The server, listening on a port of its own."""
    server = TinyServer(model, pause)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
