"""Results of MTEB: a file for each model and task, with a score for each of several draws of training examples.

There are no scores of items in it. What is read as an item is a *draw*: the harness takes the same draws for every
model, so two models are compared draw by draw. An interval then says how much a score depends on the draw of the
training examples, and nothing of other test items; that is noted. A task without draws has one number only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from goldproof.data.answers import Answers
from goldproof.data.logs.choosing import Offer, choose, choose_task, listed
from goldproof.data.logs.documents import as_number, mapping, names, objects, read_document
from goldproof.data.logs.log import Conditions, Log, LogChoice
from goldproof.data.logs.rows import ScoreRows, plain_name, shape
from goldproof.errors import DataError

KEYS = (frozenset({"task_name", "scores", "dataset_revision"}), frozenset({"mteb_dataset_name", "mteb_version"}))
DRAWS = (
    "Its items are draws of training examples, the same for every model: an interval says how much the score depends "
    "on the draw, and nothing about other test items."
)
_SPLITS = ("test", "validation", "dev", "train")
_MAIN = "main_score"


def read_mteb(path: Path, choice: LogChoice) -> list[Log]:
    """A log for each subset (as a rule a language) of the task, of the split `test` where there is one."""
    document = mapping(read_document(path))
    scores = document.get("scores")
    if not isinstance(scores, dict) or not scores:
        raise DataError(
            "results of MTEB before version 1.11, or without 'scores'; load and save them with a newer mteb", path=path
        )
    splits = [split for split in _SPLITS if split in scores] + [split for split in scores if split not in _SPLITS]
    task = str(document.get("task_name") or path.stem)
    subsets = objects(scores[splits[0]])
    named = {_task(task, subset): subset for subset in subsets}
    wanted = [task] if choice.task == task else choose_task(list(named), choice, path)
    logs = [
        _log(path, document, (name, splits[0]), subset, choice)
        for name, subset in named.items()
        if (name in wanted or wanted == [task]) and subset.get("scores_per_experiment")
    ]
    if not logs:
        raise DataError(
            f"the results of {plain_name(task)} have one number for all items ({_one_number(subsets)}) and none per "
            "draw or item; MTEB keeps draws for classification tasks, and predictions with prediction_folder",
            path=path,
        )
    return logs


def _one_number(subsets: Sequence[Mapping[str, Any]]) -> str:
    values = [as_number(subset.get(_MAIN)) for subset in subsets]
    return f"{_MAIN} {values[0]:.6g}" if values else "no score"


def _task(task: str, subset: Mapping[str, Any]) -> str:
    name = str(subset.get("hf_subset") or "default")
    return task if name == "default" else f"{task} {name}"


def _log(
    path: Path, document: Mapping[str, Any], named: tuple[str, str], subset: Mapping[str, Any], choice: LogChoice
) -> Log:
    task, split = named
    draws = subset["scores_per_experiment"]
    if not isinstance(draws, list) or not all(isinstance(draw, dict) for draw in draws):
        raise DataError("'scores_per_experiment' must be a list of objects", path=path)
    metrics = list(dict.fromkeys(name for draw in draws for name in draw if not np.isnan(as_number(draw[name]))))
    main = _main_metric(subset, metrics)
    offers = [Offer(name, split) for name in sorted(metrics, key=lambda name: name != main)]
    if not offers:
        raise DataError(f"no draw has a number; the file has {listed(list(subset))}", path=path)
    chosen = choose(offers, choice, path, filters="split")
    metric = chosen.offer.metric
    rows = ScoreRows(
        [f"draw {number}" for number in range(1, len(draws) + 1)],
        np.array([as_number(draw.get(metric)) for draw in draws]),
        reasons=["" if metric in draw else "no score" for draw in draws],
    )
    languages = names(subset.get("languages"))
    model = _model(path)
    where = {"model": model, "dataset": task, "language": str(languages[0]) if len(languages) == 1 else ""}
    shaped = shape(rows, where, choice, path)
    printed = as_number(subset.get(metric))
    return Log(
        harness=plain_name(f"MTEB {document.get('mteb_version') or ''}"),
        model=plain_name(model),
        task=plain_name(task),
        metric=plain_name(metric),
        filter=plain_name(split),
        answers=_of_draws(shaped.answers),
        printed=None if np.isnan(printed) else printed,
        left_out=shaped.answers.reasons_missing(),
        others=chosen.others,
        conditions=Conditions(dataset_revision=str(document.get("dataset_revision") or "")),
        notes=(*shaped.notes, DRAWS),
    )


def _of_draws(answers: Answers) -> Answers:
    assert answers.bounds is not None
    return replace(answers, bounds=replace(answers.bounds, of_means=True))


def _main_metric(subset: Mapping[str, Any], metrics: Sequence[str]) -> str:
    """The metric whose value is the main score; accuracy where several have it or none."""
    main = as_number(subset.get(_MAIN))
    same = [name for name in metrics if as_number(subset.get(name)) == main]
    return "accuracy" if "accuracy" in same or not same else same[0]


def _model(path: Path) -> str:
    """The model's name from `model_meta.json` beside the results, which do not say it themselves."""
    meta = path.parent / "model_meta.json"
    return str(mapping(read_document(meta)).get("name") or "") if meta.is_file() else ""
