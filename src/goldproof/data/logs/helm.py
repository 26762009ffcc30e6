"""Run folders of HELM: `per_instance_stats.json` has the scores, the files beside it the model, texts and means.

Draws of few-shot examples (`train_trial_index`) are runs. Perturbed copies of an item have scores of their own, which
are read only when they are asked for. That a request succeeded says nothing about its answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from goldproof.data.logs.choosing import Offer, choose, choose_task
from goldproof.data.logs.documents import (
    as_number,
    as_text,
    digest,
    mapping,
    names,
    objects,
    read_document,
    settings_of,
)
from goldproof.data.logs.log import Conditions, Log, LogChoice
from goldproof.data.logs.rows import Scale, ScoreRows, Shaped, plain_name, shape
from goldproof.errors import DataError

SCORES, RUN_SPEC, STATE, STATS = "per_instance_stats.json", "run_spec.json", "scenario_state.json", "stats.json"
KEYS = (
    frozenset({"instance_id", "stats"}),
    frozenset({"scenario_spec", "adapter_spec", "metric_specs"}),
    frozenset({"adapter_spec", "request_states"}),
    frozenset({"name", "count", "sum", "sum_squared"}),
)
NO_VALUE = "no value"
_SETTINGS = (
    "method",
    "instructions",
    "temperature",
    "max_tokens",
    "num_outputs",
    "stop_sequences",
    "max_eval_instances",
)
_LESS_IS_BETTER = ("bits_per_byte", "perplexity", "edit_distance", "inference_runtime")
_HEADLINES = ("exact_match", "quasi_exact_match", "f1_score", "rouge_l", "bleu_4")
_OF_MODEL = re.compile(r",?\bmodel(_deployment)?=[^,]*")


@dataclass(frozen=True, slots=True)
class _Run:
    """The files of one run folder; what is not there is empty."""

    folder: Path
    entries: Sequence[Mapping[str, Any]]
    spec: Mapping[str, Any]
    stats: Sequence[Mapping[str, Any]]
    states: Sequence[Mapping[str, Any]]

    @property
    def adapter(self) -> Mapping[str, Any]:
        """How instances were made into prompts, and for which model."""
        found = self.spec.get("adapter_spec")
        return found if isinstance(found, dict) else {}


def read_helm(folder: Path, choice: LogChoice) -> list[Log]:
    """The log in a run folder, as a list of one."""
    if not (folder / SCORES).is_file():
        raise DataError(f"files of a HELM run, but without {SCORES}, which has the score of each item", path=folder)
    run = _Run(
        folder,
        _objects(folder / SCORES),
        _object(folder / RUN_SPEC),
        _objects(folder / STATS),
        objects(_object(folder / STATE).get("request_states")),
    )
    name = str(run.spec.get("name") or folder.name)
    task = _OF_MODEL.sub("", name).strip(",:") or name
    choose_task([task], choice, folder)
    return [_log(run, task, choice)]


def _objects(path: Path) -> list[dict[str, Any]]:
    found = read_document(path) if path.is_file() else []
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise DataError("a list of objects is needed", path=path)
    return found


def _object(path: Path) -> dict[str, Any]:
    found = read_document(path) if path.is_file() else {}
    if not isinstance(found, dict):
        raise DataError("an object is needed", path=path)
    return found


def _log(run: _Run, task: str, choice: LogChoice) -> Log:
    chosen = choose(_offers(run), choice, run.folder / SCORES, filters="split")
    offer = chosen.offer
    model = str(run.adapter.get("model") or run.adapter.get("model_deployment") or "")
    scale = Scale(more_is_better=offer.metric not in _LESS_IS_BETTER)
    rows = _rows(run, offer, choice)
    where = {"model": model, "dataset": task}
    shaped = shape(rows, where, choice, run.folder, scale=scale, run_kind="examples")
    return Log(
        harness="HELM",
        model=plain_name(model),
        task=plain_name(task),
        metric=plain_name(offer.metric),
        filter=plain_name(offer.filter),
        answers=shaped.answers,
        printed=_printed(run, offer),
        left_out=shaped.answers.reasons_missing(),
        others=chosen.others,
        conditions=_conditions(run, shaped),
        notes=shaped.notes,
    )


def _label(name: Mapping[str, Any]) -> str:
    """The split of a metric; with a part of it, and with what was done to the items, where that is said."""
    change = name.get("perturbation")
    changed = change if isinstance(change, dict) else {}
    parts = (name.get("split"), name.get("sub_split"), changed.get("name"), changed.get("computed_on"))
    return "/".join(str(part) for part in parts if part)


def _named(stat: Any) -> Offer | None:
    name = stat.get("name") if isinstance(stat, dict) else None
    return Offer(str(name.get("name")), _label(name)) if isinstance(name, dict) else None


def _offers(run: _Run) -> list[Offer]:
    """All metrics of items; first those that the run's specification names, in its order, of the split `test`."""
    found = dict.fromkeys(
        offer for entry in run.entries for stat in objects(entry.get("stats")) if (offer := _named(stat)) is not None
    )
    if not found:
        raise DataError("no item has a metric", path=run.folder / SCORES)
    specs = objects(run.spec.get("metric_specs"))
    named = [name for spec in specs for name in names(mapping(spec.get("args")).get("names"))]
    places = {name: place for place, name in reversed(list(enumerate([*named, *_HEADLINES])))}
    return sorted(found, key=lambda offer: (places.get(offer.metric, len(places) + 9), offer.filter != "test"))


def _rows(run: _Run, offer: Offer, choice: LogChoice) -> ScoreRows:
    ids, trials, scores, reasons = [], [], [], []
    for entry in run.entries:
        for stat in objects(entry.get("stats")):
            if _named(stat) != offer:
                continue
            ids.append(as_text(entry.get("instance_id")))
            trials.append(as_text(entry.get("train_trial_index", 0)))
            scores.append(as_number(stat.get("mean")) if stat.get("count") else np.nan)
            reasons.append("" if stat.get("count") else NO_VALUE)
    instances = _instances(run)
    known = [instances.get(item, {}) for item in ids]
    texts = [as_text(mapping(instance.get("input")).get("text") or "") for instance in known]
    prompts = {key: digest(prompt) for key, prompt in _prompts(run).items()}
    return ScoreRows(
        ids,
        np.array(scores, float),
        runs=trials,
        reasons=reasons,
        clusters=_extra(known, choice.cluster, run.folder),
        tags=None if choice.category is None else [(t,) for t in _extra(known, choice.category, run.folder) or ()],
        texts={"text": texts} if any(texts) else {},
        prompts=[prompts.get(key, "") for key in zip(ids, trials, strict=True)] if prompts else None,
    )


def _instances(run: _Run) -> dict[str, Mapping[str, Any]]:
    """The items as they were before anything was done to them, by their ids."""
    found = [state.get("instance") for state in run.states]
    return {as_text(each.get("id")): each for each in found if isinstance(each, dict) and not each.get("perturbation")}


def _prompts(run: _Run) -> dict[tuple[str, str], str]:
    found = {}
    for state in run.states:
        instance, request = mapping(state.get("instance")), mapping(state.get("request"))
        if not instance.get("perturbation") and isinstance(request.get("prompt"), str):
            found[as_text(instance.get("id")), as_text(state.get("train_trial_index", 0))] = request["prompt"]
    return found


def _extra(known: Sequence[Mapping[str, Any]], name: str | None, folder: Path) -> list[str] | None:
    """A field of the items, which stands in their extra data or beside their text."""
    if name is None:
        return None
    found = [instance.get(name, mapping(instance.get("extra_data")).get(name)) for instance in known]
    if all(value is None for value in found):
        raise DataError(f"the instances have no field {name!r}", path=folder / STATE)
    return ["" if value is None else as_text(value) for value in found]


def _printed(run: _Run, offer: Offer) -> float | None:
    same = [stat for stat in run.stats if _named(stat) == offer and stat.get("count")]
    mean = as_number(same[0].get("mean")) if len(same) == 1 else np.nan
    return None if np.isnan(mean) else mean


def _conditions(run: _Run, shaped: Shaped) -> Conditions:
    """Where HELM takes fewer items than there are, they are a random draw: that is no limit to the first ones."""
    shots = run.adapter.get("max_train_instances")
    cut = [
        stat.get("sum")
        for entry in run.entries
        for stat in objects(entry.get("stats"))
        if mapping(stat.get("name")).get("name") == "finish_reason_length" and not stat["name"].get("perturbation")
    ]
    return Conditions(
        n_shots=shots if isinstance(shots, int) else None,
        prompts=shaped.prompts,
        n_truncated=sum(number == 1 for number in cut),
        settings=settings_of({name: run.adapter.get(name) for name in _SETTINGS}),
    )
