"""Results of promptfoo: `results.json`, or a result on each line.

Each pair of a provider and a prompt is a log. A repeat gets a new number of a test, so an item is known by its
variables and its description, and a run is the order in which it comes. An error is not a wrong answer.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from goldproof.data.logs.choosing import Offer, choose, choose_task, listed
from goldproof.data.logs.documents import as_number, as_text, digest, iter_objects, mapping, objects, read_document
from goldproof.data.logs.log import Conditions, Log, LogChoice
from goldproof.data.logs.rows import Scale, ScoreRows, plain_name, shape
from goldproof.errors import DataError, UsageError

DOCUMENT_KEYS = (frozenset({"evalId", "results"}), frozenset({"results", "config", "shareableUrl"}))
LINE_KEYS = frozenset({"promptIdx", "testIdx", "success", "score"})
ERROR = "error"
_IS_ERROR = 2  # failureReason: 0 none, 1 an assertion, 2 an error
_PASSED, _SCORE = "passed", "score"


def read_promptfoo(path: Path, choice: LogChoice, *, lines: bool) -> list[Log]:
    """A log for each provider and prompt."""
    results, counted, description = _read(path, lines)
    wrong = next((place for place, result in enumerate(results) if not isinstance(result, dict)), None)
    if wrong is not None:
        raise DataError(f"result {wrong}: an object is needed", path=path)
    arms: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for result in results:
        # The number of a prompt counts providers as well: it is that of a column of the table that promptfoo shows.
        arms.setdefault((_provider(result), as_text(result.get("promptIdx") or 0)), []).append(result)
    if not arms:
        raise DataError("there are no results in it", path=path)
    choose_task([description], choice, path)
    named = _named(list(arms))
    if choice.filter is not None and choice.filter not in named.values():
        raise UsageError(f"{path}: there is no prompt {choice.filter!r}; the log has {listed(list(named.values()))}")
    return [
        _log(path, (arm[0], named[arm], description), rows, counted.get(arm[1], {}), choice)
        for arm, rows in arms.items()
        if choice.filter in (None, named[arm])
    ]


def _named(arms: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Which prompt of its provider each arm is, as `prompt 1`; nothing where there is one."""
    of_provider = Counter(provider for provider, _ in arms)
    seen: Counter[str] = Counter()
    named = {}
    for arm in arms:
        seen[arm[0]] += 1
        named[arm] = "" if of_provider[arm[0]] == 1 else f"prompt {seen[arm[0]]}"
    return named


def _read(path: Path, lines: bool) -> tuple[Sequence[Any], dict[str, Mapping[str, Any]], str]:
    """The results, what was counted for each provider and prompt, and the description of the evaluation."""
    if lines:
        return [row for _, row in iter_objects(path)], {}, ""
    document = mapping(read_document(path))
    inner = document.get("results")
    if not isinstance(inner, dict) or not isinstance(inner.get("results"), list):
        raise DataError("results of promptfoo have a list results.results; this file has none", path=path)
    config = document.get("config")
    description = str(config.get("description") or "") if isinstance(config, dict) else ""
    counted: dict[str, Mapping[str, Any]] = {
        str(number): prompt for number, prompt in enumerate(objects(inner.get("prompts")))
    }
    return inner["results"], counted, description


def _provider(result: Mapping[str, Any]) -> str:
    provider = result.get("provider")
    if isinstance(provider, dict):
        return str(provider.get("label") or provider.get("id") or "")
    return str(provider or "")


def _log(
    path: Path,
    named: tuple[str, str, str],
    results: Sequence[Mapping[str, Any]],
    prompt: Mapping[str, Any],
    choice: LogChoice,
) -> Log:
    provider, prompt_name, description = named
    chosen = choose(_offers(results), replace(choice, filter=None), path)
    model = f"{provider} ({prompt_name})" if prompt_name else provider
    metric = chosen.offer.metric
    shaped = shape(
        _rows(results, metric, choice, path),
        {"model": model, "dataset": description},
        choice,
        path,
        scale=_scale(metric),
    )
    counts = prompt.get("metrics")
    return Log(
        harness="promptfoo",
        model=plain_name(model),
        task=plain_name(description),
        metric=plain_name(metric),
        filter=prompt_name,
        answers=shaped.answers,
        printed=_printed(counts if isinstance(counts, dict) else {}, metric),
        left_out=shaped.answers.reasons_missing(),
        others=chosen.others,
        conditions=Conditions(prompts=shaped.prompts),
        notes=shaped.notes,
    )


def _offers(results: Sequence[Mapping[str, Any]]) -> list[Offer]:
    """Whether all assertions held, which promptfoo shows first; then its score, and those that were named."""
    named = dict.fromkeys(name for result in results for name in mapping(result.get("namedScores")))
    return [Offer(_PASSED), Offer(_SCORE), *(Offer(name) for name in named if name not in (_PASSED, _SCORE))]


def _scale(metric: str) -> Scale:
    return Scale(0.0, 1.0) if metric == _PASSED else Scale()


def _rows(results: Sequence[Mapping[str, Any]], metric: str, choice: LogChoice, path: Path) -> ScoreRows:
    times: Counter[str] = Counter()
    ids, runs, scores, reasons = [], [], [], []
    for result in results:
        item = _item(result)
        times[item] += 1
        failed = result.get("failureReason") == _IS_ERROR
        value = _value(result, metric)
        ids.append(item)
        runs.append(str(times[item]))
        scores.append(np.nan if failed else as_number(value))
        reasons.append(ERROR if failed else "no score" if value is None else "")
    prompts = [as_text(mapping(result.get("prompt")).get("raw") or "") for result in results]
    return ScoreRows(
        ids,
        np.array(scores, float),
        runs=runs,
        reasons=reasons,
        clusters=_field(results, choice.cluster, path),
        tags=None if choice.category is None else [(tag,) for tag in _field(results, choice.category, path) or ()],
        texts={"text": prompts},
        prompts=[digest(prompt) for prompt in prompts],
    )


def _item(result: Mapping[str, Any]) -> str:
    """A digest of what makes a test: its variables and its description."""
    test = mapping(result.get("testCase"))
    parts = [result.get("vars") or test.get("vars") or {}, test.get("description") or ""]
    return digest(json.dumps(parts, sort_keys=True))


def _value(result: Mapping[str, Any], metric: str) -> Any:
    if metric == _PASSED:
        return result.get("success")
    return result.get("score") if metric == _SCORE else mapping(result.get("namedScores")).get(metric)


def _field(results: Sequence[Mapping[str, Any]], name: str | None, path: Path) -> list[str] | None:
    """A variable of the tests, or a field of their metadata."""
    if name is None:
        return None
    found = [
        mapping(r.get("vars")).get(name, mapping(mapping(r.get("testCase")).get("metadata")).get(name)) for r in results
    ]
    if all(value is None for value in found):
        raise DataError(f"the tests have no variable {name!r}, nor such a field of metadata", path=path)
    return ["" if value is None else as_text(value) for value in found]


def _printed(counts: Mapping[str, Any], metric: str) -> float | None:
    """The mean that the counts of a prompt give, over the results without an error."""
    n_judged = as_number(counts.get("testPassCount")) + as_number(counts.get("testFailCount"))
    if metric in (_PASSED, _SCORE):
        total = as_number(counts.get("testPassCount" if metric == _PASSED else "score"))
    else:
        total = as_number(mapping(counts.get("namedScores")).get(metric))
        n_judged = as_number(mapping(counts.get("namedScoresCount")).get(metric))
    return total / n_judged if n_judged > 0 and total == total else None
