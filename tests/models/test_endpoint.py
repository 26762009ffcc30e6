"""Endpoints: answers against a real server, troubles of every kind, limits, and that nothing is lost or asked twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.models.endpoint_server import TinyServer, serving
from tests.waiting import ended, kill, started, wait_until

from goldproof.errors import ModelError, UsageError
from goldproof.jobs.cache import cache_at
from goldproof.models.endpoint import Calls, Endpoint, endpoint, estimate_tokens
from goldproof.models.endpoint_journal import Journal, KeptAnswer
from goldproof.models.protocols import Prompted, PromptQuestion, Sampling, Written

QUICK = Calls(at_once=4, timeout=60.0, tries=3)
HOW = Sampling(4)


def ask(server: TinyServer, texts: list[str], calls: Calls = QUICK, how: Sampling = HOW) -> list[str]:
    client = endpoint(server.name, calls).open()
    said = client.generate([client.dialogue([text]) for text in texts], list(map(str, range(len(texts)))), how)
    return [each.text for each in said]


TEXTS = [f"question {i}" for i in range(12)]
RIGHT = [str(i) for i in range(12)]


def test_answers_come_back_in_order_several_at_once() -> None:
    with serving(pause=0.05) as server:
        assert ask(server, TEXTS) == RIGHT
        assert 2 <= server.most_under_way <= 4
        assert set(server.asked.values()) == {1}


@pytest.mark.parametrize("trouble", [429, 500, 503, "garbage", "empty", "drop", "endless"])
def test_what_passes_is_tried_again(trouble: object) -> None:
    with serving() as server:
        server.troubles = [trouble, trouble]
        assert ask(server, TEXTS[:3]) == RIGHT[:3]
        assert sum(server.asked.values()) == 5


def test_a_time_out_is_tried_again() -> None:
    with serving() as server:
        server.troubles = ["slow"]
        assert ask(server, TEXTS[:1], Calls(timeout=1.0, tries=6)) == RIGHT[:1]
        assert sum(server.asked.values()) >= 2


def test_what_lasts_ends_in_one_sentence(tmp_path: Path) -> None:
    with serving() as server, cache_at(tmp_path):
        server.troubles = [500] * 3
        with pytest.raises(
            ModelError, match=r"it says 500 \(\{\"error\": \"not now\"\}\), 3 times; what was answered is"
        ):
            ask(server, TEXTS[:1])
        server.troubles = [401]
        with pytest.raises(ModelError, match=r"it says 401 .*; the key is read from the variable OPENAI_API_KEY"):
            ask(server, TEXTS[:1])
        assert sum(server.asked.values()) == 4  # what does not pass is not tried again


def test_nobody_there() -> None:
    with serving() as server:
        name = server.name
    client = endpoint(name, Calls(tries=1)).open()
    with pytest.raises(ModelError, match=r"it cannot be reached \(ConnectionRefusedError"):
        client.generate([client.dialogue(["a"])], ["0"], HOW)


def test_the_key_is_sent_and_stands_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-secret-thing")
    with serving() as server, cache_at(tmp_path):
        calls = Calls(tries=1, key="MY_KEY")
        ask(server, TEXTS[:2], calls)
        server.troubles = [403]
        with pytest.raises(ModelError) as error:
            ask(server, TEXTS[2:3], calls)
        assert server.keys == {"Bearer sk-secret-thing"}
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"question" not in written  # requests are kept as digests
    for said in (written.decode(), str(error.value), repr(endpoint(server.name, calls))):
        assert "sk-secret-thing" not in said


def test_nothing_is_asked_twice(tmp_path: Path) -> None:
    with serving() as server, cache_at(tmp_path):
        ask(server, TEXTS[:8])
        assert ask(server, TEXTS) == RIGHT
        assert set(server.asked.values()) == {1}
        ask(server, TEXTS[:2], how=Sampling(5))
        assert sum(server.asked.values()) == 14  # another request is another


def test_an_answer_that_was_cut_off_is_told_also_where_it_was_kept(tmp_path: Path) -> None:
    with serving() as server, cache_at(tmp_path):
        server.ends = "length"
        client = endpoint(server.name, QUICK).open()
        for _ in range(2):
            assert client.generate([client.dialogue(["a b"])], ["0"], HOW) == [Written("b", is_cut=True)]
        server.ends = "stop"
        assert client.generate([client.dialogue(["c d"])], ["0"], HOW) == [Written("d")]
        assert set(server.asked.values()) == {1}


def test_sampled_answers_of_equal_texts_are_draws_of_their_own(tmp_path: Path) -> None:
    with serving() as server, cache_at(tmp_path):
        ask(server, ["same", "same"])
        assert sum(server.asked.values()) == 1
        ask(server, ["same", "same"], how=Sampling(4, 1.0, seed=1))
        ask(server, ["same", "same"], how=Sampling(4, 1.0, seed=2))
        seeds = {json.loads(body).get("seed") for body in server.asked}
        assert sum(server.asked.values()) == 5
        assert len(seeds) == 5


def test_the_budget_is_never_passed(tmp_path: Path) -> None:
    price = (1e6, 1e6)  # one for each token: 12 an answer, and at most 47 are set aside for a request
    with serving() as server, cache_at(tmp_path):
        with pytest.raises(ModelError) as error:
            ask(server, TEXTS, Calls(at_once=4, price=price, budget=150.0))
        assert str(error.value) == (
            "the budget of 150 would be exceeded: 108 were spent on 9 answers, which are kept, and another may cost up "
            "to 47; raise endpoint.budget and run the same command again"
        )
        (path,) = tmp_path.rglob("*.jsonl")
        journal = Journal(path)
        assert journal.tokens_in + journal.tokens_out == 108  # what was set aside for others is waited for
        assert ask(server, TEXTS, Calls(price=price, budget=1e9)) == RIGHT
        assert set(server.asked.values()) == {1}


def test_an_endpoint_that_counts_more_than_it_may_ends_the_run(tmp_path: Path) -> None:
    with serving() as server, cache_at(tmp_path):
        server.tokens_out = 5000
        with pytest.raises(ModelError) as error:
            ask(server, TEXTS, Calls(at_once=1, price=(1e6, 1e6), budget=150.0))
        assert str(error.value) == (
            "the budget of 150 is exceeded: 5010 were spent on 1 answer, which is kept; the endpoint counts more "
            "tokens than it was allowed; raise endpoint.budget and run the same command again"
        )
        assert sum(server.asked.values()) == 1


def test_what_waits_for_room_is_not_sent_once_another_failed(tmp_path: Path) -> None:
    """A request that fails for good gives back what was set aside for it; nothing else goes out for it."""
    with serving(pause=0.2) as server, cache_at(tmp_path):
        server.troubles = [401]
        with pytest.raises(ModelError, match="it says 401"):
            ask(server, TEXTS, Calls(at_once=4, price=(1e6, 1e6), budget=60.0))
        assert sum(server.asked.values()) <= 2


@pytest.mark.parametrize(
    ("text", "n"), [("", 0), ("abc", 2), ("Straße – “así”", 7), ("дождь", 5), ("雨が降る", 4), ("a 雨", 2)]
)
def test_tokens_are_estimated_cautiously(text: str, n: int) -> None:
    assert estimate_tokens(text) == n


def test_so_many_a_minute(tmp_path: Path) -> None:
    from goldproof.models.endpoint_client import _Pace

    waited: list[float] = []
    pace = _Pace(600)
    import time

    start = time.monotonic()
    for _ in range(4):
        pace.wait()
        waited.append(time.monotonic() - start)
    assert all(each >= 0.1 * place - 0.001 for place, each in enumerate(waited))


def test_a_torn_line_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    journal = Journal(path)
    journal.add(KeptAnswer("a", "yes", 1, 2))
    with path.open("ab") as file:
        file.write(b'{"request": "b", "te')
    again = Journal(path)
    again.add(KeptAnswer("c", "no", 3, 4))
    found = Journal(path)
    assert {key: each.text for key, each in found.answers.items()} == {"a": "yes", "c": "no"}
    assert (found.tokens_in, found.tokens_out) == (4, 6)


@pytest.mark.parametrize(
    "name", ["endpoint:", "endpoint:http://x/v1", "endpoint:ftp://x#m", "endpoint:#m", "endpoint:http://[x#m"]
)
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(UsageError, match="name an endpoint as endpoint:URL#MODEL, such as"):
        endpoint(name)


def test_a_password_in_the_address_is_refused() -> None:
    with pytest.raises(UsageError, match="must not contain a name or password; its key is read from the environment"):
        endpoint("endpoint:http://me:secret@x/v1#m")


def test_how_it_is_called_is_no_part_of_what_it_is() -> None:
    one, other = (Endpoint("http://x/v1", "m", calls) for calls in (Calls(), Calls(at_once=1, budget=3)))
    assert one == other
    assert one.digest == other.digest != Endpoint("http://x/v1", "n").digest
    assert isinstance(one, Prompted)


def test_it_gives_no_likelihoods() -> None:
    with pytest.raises(
        ModelError, match=r"an endpoint gives text, not likelihoods of answers; set prompts.answer=text"
    ):
        Endpoint("http://x/v1", "m").open().likelihoods([PromptQuestion("a", ("b",))])


WORDS = ["the", "film", "was", "good", "bad", "very", "review", "sentiment", ":", "negative", "positive", "sentence"]


@pytest.mark.needs("models")
def test_a_study_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    """Kill -9 in the middle of a study, a tiny model behind the endpoint; what was answered is not asked again."""
    from goldproof.models.language_model import language_model
    from goldproof.models.tiny import write_tiny_model

    for name, start in (("train", 0), ("test", 50)):
        rows = [f"the film was {'good' if i % 2 else 'bad'} {i},{i % 2}" for i in range(start, start + 20)]
        (tmp_path / f"{name}.csv").write_text("sentence,label\n" + "\n".join(rows) + "\n", "utf-8")
    tiny = language_model(write_tiny_model(tmp_path / "tiny", WORDS, "llama", n_positions=256, speaks=True)).open()
    with serving(tiny) as server:
        server.gate = 15
        pairs = [f"model={server.name}", "prompts.answer=text", "prompts.most=3", "prompts.task=sentiment"]
        pairs += ["prompts.labels=0=negative,1=positive", "endpoint.at_once=2", f"data.train={tmp_path / 'train.csv'}"]
        pairs += [f"data.test={tmp_path / 'test.csv'}"]
        command = [sys.executable, "-m", "goldproof", "run", "stability", "--store", str(tmp_path / "store")]
        command += ["--out", str(tmp_path / "out"), *(word for pair in pairs for word in ("--set", pair))]
        environment = {**os.environ, "OPENAI_API_KEY": "sk-secret"}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with started(command, tmp_path, environment, **quiet) as first:
            wait_until(lambda: sum(server.answered.values()) >= 15, "answers")
            kill(first)
            ended(first)
        server.opened.set()
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert len(server.asked) == 60
        assert sum(server.asked.values()) <= 60 + 2  # what was under way when it was killed
    assert "at most 60 requests, about" in done.stderr
    assert "Would the score hold with another prompt?" in done.stdout
    for path in tmp_path.rglob("*"):
        if path.is_file() and "tiny" not in path.parts:
            assert b"sk-secret" not in path.read_bytes()
