"""Logs of Inspect: `.eval`, a zip archive whose members may be packed with Zstandard, and `.json`.

Scores are taken from the summaries of the samples, which every log holds and which are small; samples are opened only
where there are no summaries, or to see which of them were marked as invalid. Epochs are repeats of the same question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from goldproof.data.logs.archive import Archive
from goldproof.data.logs.choosing import Offer, choose, choose_task, listed
from goldproof.data.logs.documents import (
    as_number,
    as_text,
    digest,
    mapping,
    objects,
    parse_document,
    read_document,
    settings_of,
)
from goldproof.data.logs.log import Conditions, Log, LogChoice
from goldproof.data.logs.rows import ScoreRows, plain_name, shape
from goldproof.errors import DataError, UsageError

SUFFIX = ".eval"
DOCUMENT_KEYS = frozenset({"eval", "plan"})
START, HEADER, SUMMARIES = "_journal/start.json", "header.json", "summaries.json"
ERROR, UNSCORED, INVALID, NO_NUMBER = "error", "unscored", "marked as invalid", "the score is no number"
NOT_BY_SCORER = "not scored by this scorer"
_MEANS = ("accuracy", "mean")
_WORDS = {"c": 1.0, "i": 0.0, "p": 0.5, "n": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_GENERATION = ("temperature", "top_p", "top_k", "max_tokens", "reasoning_effort", "reasoning_tokens", "system_message")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")
_JOURNAL = re.compile(r"_journal/summaries/(\d+)\.json")
_CUT = ("max_tokens", "model_length")
_CUT_WORDS = re.compile(rb'"stop_reason": ?"(max_tokens|model_length)"')
_MOST_SEARCHED = 1 << 28  # bytes of samples in which answers that were cut off are looked for
_SAMPLE = re.compile(r"samples/(.+_epoch_\d+)(?:\.json|/sample\.json)")


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """A log as it was written: its header, a summary of each sample, and which samples are not valid or were cut off.

    The last are None where that was not looked at.
    """

    path: Path
    header: Mapping[str, Any]
    samples: Sequence[Mapping[str, Any]]
    invalid: frozenset[tuple[str, str]] = frozenset()
    cut: frozenset[tuple[str, str]] | None = None

    def part(self, *names: str) -> Any:
        """An entry of the header, below others; None where there is none."""
        value: Any = self.header
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        return value


@dataclass(frozen=True, slots=True)
class _Score:
    """A score in the results: whose it is, by which name, how epochs were joined, and its metrics."""

    name: str
    scorer: str
    reducer: str
    metrics: Mapping[str, float]


def is_eval_archive(path: Path) -> bool:
    """Whether a zip archive has the members of a log."""
    with Archive.open(path) as archive:
        return HEADER in archive.names or START in archive.names


def read_inspect(path: Path, choice: LogChoice, *, packed: bool) -> list[Log]:
    """The log in a file, as a list of one."""
    evaluation = _read_archive(path) if packed else _read_json(path)
    task = str(evaluation.part("eval", "task") or "")
    choose_task([task], choice, path)
    _check_status(evaluation, choice)
    return [_log(evaluation, task, choice)]


def _read_archive(path: Path) -> _Evaluation:
    with Archive.open(path) as archive:
        name = HEADER if HEADER in archive.names else START
        if name not in archive.names:
            raise DataError(f"a zip archive, but not a log of Inspect: it has neither {HEADER} nor {START}", path=path)
        header = _object(parse_document(archive.read(name), path, name), path, name)
        if name == START:
            header = {**header, "status": "started"}
        samples = _summaries(archive)
        invalid = _invalid(_iter_samples(archive)) if header.get("invalidated") else frozenset()
        return _Evaluation(path, header, samples, invalid, _cut_in(archive))


def _read_json(path: Path) -> _Evaluation:
    document = _object(read_document(path), path, "the log")
    samples = objects(document.get("samples"))
    header = {key: value for key, value in document.items() if key != "samples"}
    return _Evaluation(path, header, samples, _invalid(iter(samples)), _cut_off(samples))


def _cut_off(samples: Iterable[Mapping[str, Any]]) -> frozenset[tuple[str, str]]:
    """The samples whose answer ended because it may be no longer."""
    return frozenset(
        _key(sample)
        for sample in samples
        if any(each.get("stop_reason") in _CUT for each in objects(mapping(sample.get("output")).get("choices"))[:1])
    )


def _cut_in(archive: Archive) -> frozenset[tuple[str, str]] | None:
    """The same of an archive, where only the samples say it: those that hold the words are parsed, no other."""
    members = [name for name in archive.names if _SAMPLE.fullmatch(name)]
    if sum(archive.size(name) for name in members) > _MOST_SEARCHED:
        return None
    found = ((name, archive.read(name)) for name in members)
    return _cut_off(
        mapping(parse_document(data, archive.path, name)) for name, data in found if _CUT_WORDS.search(data)
    )


def _key(sample: Mapping[str, Any]) -> tuple[str, str]:
    return as_text(sample.get("id")), as_text(sample.get("epoch") or 1)


def _object(value: Any, path: Path, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DataError(f"{what} must be an object; got a {type(value).__name__}", path=path)
    return value


def _summaries(archive: Archive) -> Sequence[Mapping[str, Any]]:
    """The summaries of all samples: together, or of a run that did not end in the parts that were written, or none."""
    members = [SUMMARIES] if SUMMARIES in archive.names else _numbered(archive.names)
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    rows: list[Mapping[str, Any]] = [row for name in members for row in _rows_of(archive, name)]
    if not members:
        rows = list(_iter_samples(archive))
    if SUMMARIES in members:
        return rows
    for row in rows:  # a sample that was run again stands in the journal again, and the last time counts
        found[as_text(row.get("id")), as_text(row.get("epoch"))] = row
    return list(found.values())


def _rows_of(archive: Archive, name: str) -> list[dict[str, Any]]:
    rows = parse_document(archive.read(name), archive.path, name)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DataError(f"{name} must be a list of objects", path=archive.path)
    return rows


def _numbered(names: frozenset[str]) -> list[str]:
    matches = [match for match in map(_JOURNAL.fullmatch, names) if match]
    return [match.group() for match in sorted(matches, key=lambda match: int(match.group(1)))]


def _iter_samples(archive: Archive) -> Iterator[Mapping[str, Any]]:
    """Each sample without its messages, one at a time; one in chunks has a small file of its own for that."""
    for name in sorted(archive.names):
        if _SAMPLE.fullmatch(name):
            sample = _object(parse_document(archive.read(name), archive.path, name), archive.path, name)
            yield {
                key: sample.get(key) for key in ("id", "epoch", "input", "metadata", "scores", "error", "invalidation")
            }


def _invalid(samples: Iterator[Mapping[str, Any]]) -> frozenset[tuple[str, str]]:
    return frozenset(
        (as_text(sample.get("id")), as_text(sample.get("epoch"))) for sample in samples if sample.get("invalidation")
    )


def _check_status(evaluation: _Evaluation, choice: LogChoice) -> None:
    status = str(evaluation.part("status") or "")
    n_samples = len(evaluation.samples)
    if status != "success" and not choice.unfinished:
        reason = {"started": "it is still running, or it died"}.get(status, "it ended before all samples were done")
        raise DataError(
            f"the evaluation has the status {status!r}: {reason}; {n_samples:,} samples of "
            f"{_n_planned(evaluation) or 'an unknown number'} are written; --log unfinished=yes reads those",
            path=evaluation.path,
        )
    if not n_samples:
        raise DataError(
            "a log of Inspect without samples, so there is no score for each item; run it with --log-samples, and give "
            "the log itself, not its header",
            path=evaluation.path,
        )


def _n_planned(evaluation: _Evaluation) -> int:
    ids = evaluation.part("eval", "dataset", "sample_ids")
    epochs = evaluation.part("eval", "config", "epochs")
    return len(ids) * (epochs if isinstance(epochs, int) else 1) if isinstance(ids, list) else 0


def _log(evaluation: _Evaluation, task: str, choice: LogChoice) -> Log:
    scores = _scores(evaluation)
    labels = _labels(scores)
    offers = _offers(evaluation, scores, labels)
    _refuse_ambiguous(choice, scores, labels, evaluation.path)
    chosen = choose(offers, choice, evaluation.path, filters="scorer")
    metric, label = chosen.offer.metric, chosen.offer.filter
    same = [score for score in scores if labels[score.scorer, score.name] == label]
    rows = _rows(evaluation, same[0], choice)
    model = str(evaluation.part("eval", "model") or "")
    shaped = shape(rows, {"model": model, "dataset": task}, choice, evaluation.path)
    printed, said = _printed(same, metric)
    version = evaluation.part("eval", "packages", "inspect_ai")
    return Log(
        harness=plain_name(f"Inspect {version or ''}"),
        model=plain_name(model),
        task=plain_name(task),
        metric=plain_name(metric),
        filter=plain_name(label),
        answers=shaped.answers,
        printed=printed,
        left_out=_left_out(shaped.answers.reasons_missing(), evaluation),
        others=chosen.others,
        conditions=_conditions(evaluation, shaped.prompts),
        notes=(*shaped.notes, *said, *_notes(evaluation, same[0])),
    )


def _scores(evaluation: _Evaluation) -> list[_Score]:
    """The scores that the results list; without results those that the samples have."""
    found = [
        _Score(
            str(score.get("name")),
            str(score.get("scorer") or score.get("name")),
            str(score.get("reducer") or "mean"),
            {str(key): as_number(mapping(value).get("value")) for key, value in mapping(score.get("metrics")).items()},
        )
        for score in objects(evaluation.part("results", "scores"))
    ]
    if found:
        return found
    seen: dict[tuple[str, str], None] = {}
    for sample in evaluation.samples:
        for scorer, score in mapping(sample.get("scores")).items():
            value = score.get("value") if isinstance(score, dict) else None
            names = list(value) if isinstance(value, dict) else [scorer]
            seen.update({(scorer, name): None for name in names})
    if not seen:
        raise DataError("no sample has a score; was the log scored? (inspect score)", path=evaluation.path)
    return [_Score(name, scorer, "mean", {}) for scorer, name in seen]


def _labels(scores: Sequence[_Score]) -> dict[tuple[str, str], str]:
    """What each score is called: by its name, and where two scorers use that name, by scorer and name."""
    pairs = list(dict.fromkeys((score.scorer, score.name) for score in scores))
    times = Counter(name for _, name in pairs)
    return {(scorer, name): name if times[name] == 1 else f"{scorer}.{name}" for scorer, name in pairs}


def _refuse_ambiguous(
    choice: LogChoice, scores: Sequence[_Score], labels: Mapping[tuple[str, str], str], path: Path
) -> None:
    same = [label for (_, name), label in labels.items() if name == choice.filter and label != choice.filter]
    if len(same) > 1:
        raise UsageError(f"{path}: {len(same)} scores are named {choice.filter!r}: {listed(same)}; name one of these")


def _offers(evaluation: _Evaluation, scores: Sequence[_Score], labels: Mapping[tuple[str, str], str]) -> list[Offer]:
    """Each mean of scores, the headline first; a score whose metrics are none, by its mean."""
    found = []
    for score in scores:
        means = [_short(name) for name in score.metrics if _short(name) in _MEANS] or ["mean"]
        found += [Offer(name, labels[score.scorer, score.name]) for name in means]
    found = list(dict.fromkeys(found))
    headline = evaluation.part("results", "headline")
    if isinstance(headline, dict):
        place = (str(headline.get("scorer")), str(headline.get("score") or headline.get("scorer")))
        wanted = (_short(str(headline.get("metric"))), labels.get(place))
        found.sort(key=lambda offer: ((offer.metric, offer.filter) != wanted, offer.filter != wanted[1]))
    return found


def _short(metric: str) -> str:
    return metric.rsplit("/", 1)[-1]


def _printed(same: Sequence[_Score], metric: str) -> tuple[float | None, list[str]]:
    """The log's own mean over epochs and samples; what it printed of epochs joined otherwise is noted."""
    printed, notes = None, []
    for score in same:
        for name, value in score.metrics.items():
            if _short(name) != metric or np.isnan(value):
                continue
            if score.reducer == "mean":
                printed = value
            else:
                notes.append(
                    f"The log also has {metric} {value:.6g}, with epochs combined by {plain_name(score.reducer)}."
                )
    if printed is None and not notes and same[0].metrics:
        names = listed(list(same[0].metrics))
        notes.append(f"The log has no mean of this score to compare with; its own metrics are {names}.")
    return printed, notes


def _rows(evaluation: _Evaluation, score: _Score, choice: LogChoice) -> ScoreRows:
    samples = evaluation.samples
    ids = [as_text(sample.get("id")) for sample in samples]
    epochs = [as_text(sample.get("epoch") or 1) for sample in samples]
    values = [_value(sample, score) for sample in samples]
    numbers = np.array([_number(value) for value in values], float)
    reasons = [
        "" if number == number else _reason(sample, value)
        for sample, value, number in zip(samples, values, numbers, strict=True)
    ]
    for row, key in enumerate(zip(ids, epochs, strict=True)):
        if key in evaluation.invalid:
            numbers[row], reasons[row] = np.nan, INVALID
    texts = [_text(sample.get("input")) for sample in samples]
    return ScoreRows(
        ids,
        numbers,
        runs=epochs,
        reasons=reasons,
        clusters=_metadata(samples, choice.cluster, evaluation.path),
        tags=None
        if choice.category is None
        else [(tag,) for tag in _metadata(samples, choice.category, evaluation.path) or ()],
        texts={"text": texts},
        prompts=[digest(text) for text in texts],
    )


def _value(sample: Mapping[str, Any], score: _Score) -> Any:
    found = mapping(sample.get("scores")).get(score.scorer)
    value = found.get("value") if isinstance(found, dict) else None
    return value.get(score.name) if isinstance(value, dict) else value


def _number(value: Any) -> float:
    """A value as Inspect turns it into a number; not a number for lists and words that mean none."""
    if not isinstance(value, str):
        return as_number(value)
    word = value.lower()
    if word in _WORDS and (len(word) > 1 or value.isupper()):
        return _WORDS[word]
    return float(value) if _NUMBER.fullmatch(value) else np.nan


def _reason(sample: Mapping[str, Any], value: Any) -> str:
    if value is None:
        return ERROR if sample.get("error") else NOT_BY_SCORER if sample.get("scores") else UNSCORED
    return UNSCORED if isinstance(value, float) else NO_NUMBER


def _metadata(samples: Sequence[Mapping[str, Any]], name: str | None, path: Path) -> list[str] | None:
    if name is None:
        return None
    found = [mapping(sample.get("metadata")).get(name) for sample in samples]
    if all(value is None for value in found):
        raise DataError(f"the samples' metadata have no field {name!r}", path=path)
    return ["" if value is None else as_text(value) for value in found]


def _text(given: Any) -> str:
    """What was asked: a text, or the last message of a talk."""
    if isinstance(given, list):
        given = given[-1].get("content") if given and isinstance(given[-1], dict) else ""
    return as_text(given) if isinstance(given, str) else ""


def _left_out(counted: dict[str, int], evaluation: _Evaluation) -> dict[str, int]:
    n_never = _n_planned(evaluation) - len(evaluation.samples)
    return {**counted, "not written": n_never} if n_never > 0 else counted


def _conditions(evaluation: _Evaluation, prompts: tuple[str, ...]) -> Conditions:
    generation = mapping(evaluation.part("plan", "config")) | mapping(evaluation.part("eval", "model_generate_config"))
    limited = frozenset(_key(sample) for sample in evaluation.samples if sample.get("limit") is not None)
    seed = generation.get("seed")
    return Conditions(
        limit=_limit(evaluation),
        seed="" if seed is None else str(seed),
        prompts=prompts,
        n_truncated=len(limited | (evaluation.cut or frozenset())),
        settings=settings_of(
            {
                "version of the task": evaluation.part("eval", "task_version"),
                "dataset": evaluation.part("eval", "dataset", "name"),
                **mapping(evaluation.part("eval", "task_args")),
                **{key: value for key, value in generation.items() if key in _GENERATION},
            }
        ),
    )


def _limit(evaluation: _Evaluation) -> float | None:
    """How many of the first samples were taken; not told where they were shuffled before, or taken from the middle."""
    limit = evaluation.part("eval", "config", "limit")
    if isinstance(limit, list) and len(limit) == 2 and limit[0] == 0:
        limit = limit[1]
    shuffled = evaluation.part("eval", "dataset", "shuffled")
    return float(limit) if isinstance(limit, int) and not shuffled else None


def _notes(evaluation: _Evaluation, score: _Score) -> list[str]:
    notes = []
    status = str(evaluation.part("status") or "")
    if status != "success":
        notes.append(
            f"The evaluation has the status {plain_name(status)!r}: only what was written is read, as requested."
        )
    if evaluation.cut is None:
        notes.append("The samples are too long to look for answers that were cut off.")
    n_scored = sum(bool(sample.get("error")) and _value(sample, score) is not None for sample in evaluation.samples)
    if n_scored:
        notes.append(
            f"{n_scored:,} samples ended with an error but were scored all the same, as in the log's own number."
        )
    return notes
