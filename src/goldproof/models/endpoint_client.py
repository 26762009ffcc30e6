"""Calls an OpenAI-compatible endpoint for text: several requests at once, with tries, pauses, limits and a budget.

What passes (429, 5xx, a time-out, a broken connection, an answer that is none) is tried again after a pause that grows,
or that the endpoint asks for. What does not (another 4xx) ends the run with what was said. An answer longer than any
can be is not read to its end.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from goldproof.draws import draw_fraction
from goldproof.errors import ModelError
from goldproof.jobs.cache import cache_folder
from goldproof.jobs.watch import ITEMS, tell
from goldproof.models.endpoint import BUDGET, Calls, Endpoint
from goldproof.models.endpoint_journal import Journal, KeptAnswer
from goldproof.models.protocols import Likelihoods, PromptQuestion, Sampling, Written

MOST_BYTES = 1 << 20
LONGEST_PAUSE = 60.0
_CHUNK = 1 << 14
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


@dataclass(frozen=True, slots=True)
class _Said:
    """What came back: a status with its body, and how long the endpoint asks to wait."""

    status: int
    body: bytes
    wait: float | None


class _PassingError(Exception):
    """What may go better at another try; `wait` is how long the endpoint asks to wait."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class EndpointClient:
    """An endpoint that can be asked; see `goldproof.models.protocols.Respondent`."""

    def __init__(self, model: Endpoint, calls: Calls) -> None:
        self.model, self.calls = model, calls
        self._pace = _Pace(calls.per_minute)
        self._reserved = 0.0
        self._returned = threading.Condition()

    @property
    def has_dialogue(self) -> bool:
        """An endpoint takes turns of a conversation."""
        return True

    def dialogue(self, turns: Sequence[str]) -> str:
        """The turns as the messages of a request, in JSON."""
        roles = ("user", "assistant")
        said = [{"role": roles[place % 2], "content": turn} for place, turn in enumerate(turns)]
        return json.dumps(said, ensure_ascii=False)

    def likelihoods(self, questions: Sequence[PromptQuestion]) -> list[Likelihoods]:
        """An endpoint gives none that are those of every answer."""
        raise ModelError("an endpoint gives text, not likelihoods of answers; set prompts.answer=text")

    def generate(self, contexts: Sequence[str], ids: Sequence[str], sampling: Sampling) -> list[Written]:
        """The text that comes back for each context; what the journal has is not asked for again."""
        with cache_folder("endpoints") as folder:
            journal = Journal(folder / f"{self.model.digest[:32]}.jsonl")
            requests = [self._request(context, item, sampling) for context, item in zip(contexts, ids, strict=True)]
            keys = [_key(request, item) for request, item in zip(requests, ids, strict=True)]
            absent = {key: request for key, request in zip(keys, requests, strict=True) if key not in journal.answers}
            self._ask_all(absent, journal)
            kept = [journal.answers[key] for key in keys]
            return [Written(each.text, each.is_cut) for each in kept]

    def _ask_all(self, absent: dict[str, dict[str, Any]], journal: Journal) -> None:
        """Ask for what is absent; the first that fails for good stops what has not begun, and is raised."""
        stop = threading.Event()
        with ThreadPoolExecutor(self.calls.at_once, "goldproof-endpoint") as pool:
            futures = [pool.submit(self._ask, key, request, journal, stop) for key, request in absent.items()]
            try:
                for future in futures:
                    future.result()
                    tell(ITEMS, 1)
            except BaseException:
                self._stop(stop)
                raise

    def _stop(self, stop: threading.Event) -> None:
        """Send nothing more, also of what waits for room in the budget."""
        with self._returned:
            stop.set()
            self._returned.notify_all()

    def _request(self, context: str, item: str, sampling: Sampling) -> dict[str, Any]:
        request = {
            "model": self.model.model,
            "messages": json.loads(context),
            "max_tokens": sampling.most_tokens,
            "temperature": sampling.temperature,
        }
        if sampling.temperature > 0:  # of the seed, the sample and the item, as far as the endpoint heeds it
            request["seed"] = int(draw_fraction("sampling", sampling.seed, item) * 2**31)
        return request

    def _ask(self, key: str, request: dict[str, Any], journal: Journal, stop: threading.Event) -> None:
        try:
            reserved = self._reserve(request, journal, stop)
            if reserved is None:
                return
            try:
                journal.add(self._try(key, request))
            finally:
                with self._returned:
                    self._reserved -= reserved
                    self._returned.notify_all()
        except BaseException:
            self._stop(stop)
            raise

    def _reserve(self, request: dict[str, Any], journal: Journal, stop: threading.Event) -> float | None:
        """Set aside what a request may cost at most, a token in for each character of its messages, once there is room.

        What is set aside for requests under way comes back in part when they are answered, so that is waited for. An
        error where the budget would be passed all the same; None where another request failed and none is to follow.
        """
        into, out = self.calls.price
        most: float = (len(json.dumps(request["messages"])) * into + request["max_tokens"] * out) / 1e6
        if self.calls.budget is None:
            return None if stop.is_set() else 0.0
        with self._returned:
            while True:
                spent = (journal.tokens_in * into + journal.tokens_out * out) / 1e6
                if stop.is_set():
                    return None
                if spent + most > self.calls.budget:
                    raise ModelError(_passed(self.calls.budget, spent, most, len(journal.answers)))
                if spent + self._reserved + most <= self.calls.budget:
                    self._reserved += most
                    return most
                self._returned.wait()

    def _try(self, key: str, request: dict[str, Any]) -> KeptAnswer:
        """The answer, after as many tries as it takes or may take."""
        for place in range(self.calls.tries):
            self._pace.wait()
            try:
                return self._read(key, self._send(request))
            except _PassingError as error:
                if place == self.calls.tries - 1:
                    raise ModelError(
                        f"{self.model.address} ({self.model.model}): {error}, {self.calls.tries} times; what was "
                        "answered is kept, run the same command again"
                    ) from None
                pause = min(LONGEST_PAUSE, 0.5 * 2**place) * (0.5 + draw_fraction("pause", key, place))
                time.sleep(min(LONGEST_PAUSE, max(pause, error.wait or 0.0)))
        raise AssertionError("unreachable")

    def _send(self, request: dict[str, Any]) -> _Said:
        """One request and all of its answer, within the time that it has."""
        parts = urlsplit(self.model.address)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        deadline = time.monotonic() + self.calls.timeout
        connection = kind(str(parts.hostname), parts.port, timeout=self.calls.timeout)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if secret := os.environ.get(self.calls.key):
            headers["Authorization"] = f"Bearer {secret}"
        try:
            connection.request("POST", f"{parts.path}/chat/completions", json.dumps(request), headers)
            response = connection.getresponse()
            body = _read_body(response, deadline)
            return _Said(response.status, body, _wait_of(response.getheader("Retry-After")))
        except (OSError, http.client.HTTPException) as error:
            raise _PassingError(_reason(error, self.calls.timeout)) from None
        finally:
            connection.close()

    def _read(self, key: str, said: _Said) -> KeptAnswer:
        """The text of an answer; an error that says whether another try may help."""
        if said.status in _PASSING:
            raise _PassingError(f"it says {said.status}{_about(said.body)}", said.wait)
        if said.status != 200:
            raise ModelError(
                f"{self.model.address} ({self.model.model}): it says {said.status}{_about(said.body)}"
                + (f"; the key is read from the variable {self.calls.key}" if said.status in (401, 403) else "")
            )
        try:
            form = json.loads(said.body)
            choice = form["choices"][0]
            text, is_cut = choice["message"].get("content"), choice.get("finish_reason") == "length"
            usage = form.get("usage") or {}
            tokens = int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0))
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            raise _PassingError(f"its answer is not a chat completion{_about(said.body)}") from None
        return KeptAnswer(key, text if isinstance(text, str) else "", *tokens, is_cut)


class _Pace:
    """Lets at most so many requests begin in a minute, evenly."""

    def __init__(self, per_minute: int | None) -> None:
        self._gap = 60.0 / per_minute if per_minute else 0.0
        self._next = 0.0
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Return when the next request may begin."""
        with self._lock:
            now = time.monotonic()
            start = max(now, self._next)
            self._next = start + self._gap
        if start > now:
            time.sleep(start - now)


def _passed(budget: float, spent: float, most: float, n: int) -> str:
    """The error where another request may cost more than is left, or more was spent than could be foreseen."""
    kept = f"{spent:.4g} were spent on {n:,} {'answer, which is' if n == 1 else 'answers, which are'} kept"
    again = "raise endpoint.budget and run the same command again"
    if spent > budget:
        return f"{BUDGET}{budget:g} is exceeded: {kept}; the endpoint counts more tokens than it was allowed; {again}"
    return f"{BUDGET}{budget:g} would be exceeded: {kept}, and another may cost up to {most:.4g}; {again}"


def _key(request: dict[str, Any], item: str) -> str:
    """The digest of a request; of a sampled one the item is part, so that equal texts have draws of their own."""
    own = item if "seed" in request else ""
    return hashlib.sha256(json.dumps([request, own], sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def _read_body(response: http.client.HTTPResponse, deadline: float) -> bytes:
    parts, size = [], 0
    while chunk := response.read1(_CHUNK):
        size += len(chunk)
        if size > MOST_BYTES:
            raise _PassingError(f"its answer is longer than {MOST_BYTES:,} bytes")
        if time.monotonic() > deadline:
            raise _PassingError("its answer did not end in time")
        parts.append(chunk)
    return b"".join(parts)


def _wait_of(header: str | None) -> float | None:
    try:
        return max(0.0, float(header)) if header is not None else None
    except ValueError:
        return None


def _reason(error: Exception, timeout: float) -> str:
    if isinstance(error, TimeoutError):
        return f"it gave no answer within {timeout:g} s"
    return f"it cannot be reached ({type(error).__name__}: {error})" if str(error) else type(error).__name__


def _about(body: bytes) -> str:
    """The first words of a body, on one line."""
    text = " ".join(body[:400].decode("utf-8", "replace").split())[:160]
    return f" ({text})" if text else ""
