"""`Endpoint`: a model behind an OpenAI-compatible address (vLLM, llama.cpp, `transformers serve`, hosted).

It is asked for text. The description may stand in a job: the address and the model's name are what it is; how it is
called (how many at once, how often, for how much) is not. The key is read from the environment when it is called, and
stands nowhere. It gives no likelihoods.
"""

from __future__ import annotations

import functools
import hashlib
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from goldproof.errors import UsageError
from goldproof.jobs import location
from goldproof.jobs.names import named

if TYPE_CHECKING:
    from goldproof.models.endpoint_client import EndpointClient

PREFIX = "endpoint:"
_NOT_LATIN = re.compile(r"[^\x00-\u024f\u1e00-\u1eff\u2000-\u206f]")
BUDGET = "the budget of "
"""How the error begins where a request would cost more than may be spent."""


@named("models.Calls")
@dataclass(frozen=True, slots=True)
class Calls:
    """How an endpoint is called; none of this changes what is asked.

    `at_once` requests run together, at most `per_minute` start per minute (null for no limit), and each has `timeout`
    seconds in all and `tries` tries with growing pauses. `budget` is the most that may be spent, at `price` for a
    million tokens in and out, with an endpoint that keeps to the most tokens it is asked for. `key` is the name of the
    environment variable that holds the key.
    """

    at_once: int = 8
    per_minute: int | None = None
    timeout: float = 60.0
    tries: int = 6
    budget: float | None = None
    price: tuple[float, float] = (0.0, 0.0)
    key: str = "OPENAI_API_KEY"


@named("models.Endpoint")
@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address up to its version (http://127.0.0.1:8000/v1) and the name of the model there.

    >>> endpoint("endpoint:http://127.0.0.1:8000/v1#tiny").name
    'tiny'
    """

    address: str
    model: str
    calls: Calls = location(default_factory=Calls)

    @property
    def name(self) -> str:
        """The model's name at the endpoint."""
        return self.model

    @property
    def digest(self) -> str:
        """What is known of its identity: where it is and what it is called there."""
        return hashlib.sha256(f"endpoint {self.address} {self.model}".encode()).hexdigest()

    def open(self) -> EndpointClient:
        """The endpoint, ready to be asked; nothing is sent yet."""
        return _opened(self, self.calls)


@functools.lru_cache(maxsize=4)
def _opened(model: Endpoint, calls: Calls) -> EndpointClient:
    from goldproof.models.endpoint_client import EndpointClient

    return EndpointClient(model, calls)


def is_endpoint(name: str) -> bool:
    """Whether a name in the settings is that of an endpoint."""
    return name.startswith(PREFIX)


def endpoint(name: str, calls: Calls | None = None) -> Endpoint:
    """The endpoint of endpoint:URL#MODEL."""
    address, _, model = name.removeprefix(PREFIX).partition("#")
    try:
        parts = urlsplit(address)
        is_right = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_right = False
    if not is_right or not model:
        raise UsageError(
            f"name an endpoint as endpoint:URL#MODEL, such as endpoint:http://127.0.0.1:8000/v1#tiny; got {name!r}"
        )
    if parts.username or parts.password:
        raise UsageError(
            "the address of an endpoint must not contain a name or password; its key is read from the environment"
        )
    return Endpoint(address.rstrip("/"), model, calls or Calls())


@dataclass(frozen=True, slots=True)
class CallEstimate:
    """How many requests a run makes at most, about how many tokens they have, at most how many come back, the price."""

    n_requests: int
    n_tokens_in: int
    n_tokens_out: int
    price: float = field(default=0.0)


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has, cautiously: one for two characters of Latin script, one for each other.

    >>> estimate_tokens("It rains."), estimate_tokens("雨が降る。")
    (5, 5)
    """
    n_others = 0 if text.isascii() else len(_NOT_LATIN.findall(text))
    return math.ceil((len(text) - n_others) / 2) + n_others


def estimate_calls(tokens_in: int, n_requests: int, most_tokens: int, calls: Calls) -> CallEstimate:
    """The estimate for so many requests of so many tokens in all.

    >>> estimate_calls(1_000_000, 1000, 10, Calls(price=(0.5, 2.0))).price
    0.52
    """
    tokens_out = n_requests * most_tokens
    price = (tokens_in * calls.price[0] + tokens_out * calls.price[1]) / 1e6
    return CallEstimate(n_requests, tokens_in, tokens_out, price)
