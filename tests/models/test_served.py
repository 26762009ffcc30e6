"""An endpoint that others wrote: `transformers serve` over a tiny model; a study is killed in the middle and goes on.

It needs the serving packages of transformers (pip install "transformers[serving]"), which no other test does. What
is asked is counted by a relay before the server.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
import threading
import urllib.request
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import ended, kill, started, wait_until

SERVING = ("fastapi", "uvicorn", "openai", "accelerate")
MISSING = [name for name in SERVING if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.needs("models"),
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(MISSING), reason=f"transformers serve needs {', '.join(MISSING)} (pip install 'transformers[serving]')"
    ),
]

WORDS = "the film was good bad review sentiment : negative positive question answer text".split()  # noqa: SIM905
CHAT = "{% for message in messages %}{{ message['content'] }} {% endfor %}"


class Relay(ThreadingHTTPServer):
    """Hands every request on to a server, and counts requests and answers by what was asked."""

    daemon_threads = True

    def __init__(self, behind: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handing)
        self.behind = behind
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.gate: int | None = None  # so many answers are handed back until it is opened
        self.opened = threading.Event()
        self.lock = threading.Lock()


class _Handing(BaseHTTPRequestHandler):
    server: Relay

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            self.server.asked[body.decode()] += 1
            waits = self.server.gate is not None and sum(self.server.answered.values()) >= self.server.gate
        if waits:
            self.server.opened.wait(60)
        request = urllib.request.Request(
            self.server.behind + self.path, body, {"Content-Type": "application/json"}, method="POST"
        )
        with urllib.request.urlopen(request, timeout=120) as found:
            answer = found.read()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)
            with self.server.lock:
                self.server.answered[body.decode()] += 1


@contextlib.contextmanager
def served(model: Path, folder: Path) -> Iterator[str]:
    """The address of `transformers serve` with a model."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "transformers.cli.transformers", "serve", str(model)]
    command += ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    address = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    with (folder / "serve.log").open("wb") as log, started(command, folder, environment, stdout=log, stderr=log) as one:
        wait_until(lambda: one.poll() is not None or is_up(address), "transformers serve to answer")
        assert one.poll() is None, (folder / "serve.log").read_text("utf-8")
        yield address


def is_up(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/health", timeout=5) as found:
            return bool(found.status == 200)
    except OSError:
        return False


@contextlib.contextmanager
def relayed(address: str) -> Iterator[Relay]:
    relay = Relay(address)
    thread = threading.Thread(target=relay.serve_forever, daemon=True)
    thread.start()
    try:
        yield relay
    finally:
        relay.opened.set()
        relay.shutdown()
        relay.server_close()


def write_model(folder: Path) -> Path:
    """A tiny model with a form of conversations, which the server asks for."""
    from transformers import AutoTokenizer

    from goldproof.models.tiny import write_tiny_model

    path = write_tiny_model(folder / "tiny", WORDS, "llama", n_positions=256, speaks=True)
    tokenizer = AutoTokenizer.from_pretrained(path)
    tokenizer.chat_template = CHAT
    tokenizer.save_pretrained(path)
    return path


def test_a_study_of_a_served_model_is_killed_and_goes_on(tmp_path: Path) -> None:
    for name, start in (("train", 0), ("test", 50)):
        rows = [f"the film was {'good' if i % 2 else 'bad'} {i},{i % 2}" for i in range(start, start + 12)]
        (tmp_path / f"{name}.csv").write_text("sentence,label\n" + "\n".join(rows) + "\n", "utf-8")
    model = write_model(tmp_path)
    with served(model, tmp_path) as address, relayed(address) as relay:
        relay.gate = 9
        pairs = [f"model=endpoint:http://127.0.0.1:{relay.server_address[1]}/v1#{model}", "prompts.answer=text"]
        pairs += ["prompts.most=2", "prompts.task=sentiment", "prompts.labels=0=negative,1=positive"]
        pairs += ["prompts.most_tokens=4", "endpoint.at_once=2", f"data.train={tmp_path / 'train.csv'}"]
        pairs += [f"data.test={tmp_path / 'test.csv'}"]
        command = [sys.executable, "-m", "goldproof", "run", "stability", "--store", str(tmp_path / "store")]
        command += ["--out", str(tmp_path / "out"), *(word for pair in pairs for word in ("--set", pair))]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with started(command, tmp_path, os.environ, **quiet) as first:
            wait_until(lambda: sum(relay.answered.values()) >= 9, "answers")
            kill(first)
            ended(first)
        relay.opened.set()
        relay.gate = None
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert len(relay.asked) == 24  # two prompts about twelve items
        assert sum(relay.asked.values()) <= 24 + 2  # and what was under way when it was killed
        assert set(relay.answered) == set(relay.asked)
    summary = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))
    assert summary["title"] == "Would the score hold with another prompt?"
