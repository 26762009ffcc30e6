"""Logs of evaluation harnesses, scored and compared as any answers are, with what each log says of itself.

Reading them is `data/logs`'s; a log holds a score per item, so that nothing here knows of labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from goldproof.data.columns import MissingPolicy, resolve_missing
from goldproof.data.in_memory import is_paths
from goldproof.data.load import Source, file_list, model_names
from goldproof.data.logs.conditions import conditions_in_short, differing_conditions, notes_on_all
from goldproof.data.logs.log import Log
from goldproof.errors import UsageError
from goldproof.judging.compare import Judgement, compare_answers
from goldproof.judging.gate import Margins
from goldproof.judging.metrics import is_of_repeats
from goldproof.judging.missing import fill_repeats, settle
from goldproof.judging.score import Scores, Settings, score_answers
from goldproof.judging.subsets import Subset, score_parts
from goldproof.report.numbers import count

MOST_NOTES = 20


def logs_among(source: Source, columns: Mapping[str, str] | None = None) -> list[Path]:
    """The paths of a source that are logs; none where it is no paths, or where it holds predictions.

    `columns` are those of plain tables that the user named.
    """
    from goldproof.data.logs.reading import is_log, refuse_others

    if not is_paths(source):
        return []
    paths = file_list(source)
    found = [path for path in paths if is_log(path, columns)]
    for path in paths if not found and not columns else ():
        refuse_others(path)
    if found and len(found) < len(paths):
        other = next(path for path in paths if path not in found)
        raise UsageError(
            f"logs and files of predictions cannot be judged together: {found[0]} is a log, {other} is not; give one "
            "kind only"
        )
    return found


def with_columns(settings: Settings, columns: Mapping[str, str] | None) -> Settings:
    """The settings with the columns of plain tables that the user named."""
    return replace(settings, logs=replace(settings.logs, columns=columns)) if columns else settings


@dataclass(frozen=True, slots=True)
class ScoredLogs:
    """Logs, and the scores of their answers."""

    logs: Sequence[Log]
    scores: Scores


def score_logs(paths: Sequence[Path], settings: Settings, subset: Subset | None = None) -> Scores:
    """Score logs: each task of each model, with what was left out and what the harness itself says."""
    found = read_and_score(paths, settings)
    if subset is None:
        return found.scores
    several = [each.answers for each in found.scores.sets if each.answers is not None]
    return replace(found.scores, parts=score_parts(several, found.scores.metric, subset, settings.level))


def read_and_score(paths: Sequence[Path], settings: Settings) -> ScoredLogs:
    """The same, with the logs that were scored."""
    logs = _read(paths, settings)
    policy = resolve_missing("score", settings.missing)
    filled = [fill_repeats(log.answers) if policy == "leave-out" else (log.answers, []) for log in logs]
    settled = [settle([answers], policy) for answers, _ in filled]
    notes = notes_on_all(logs)
    notes += [note for _, said in (*filled, *settled) for note in said]
    answers = [each for several, _ in settled for each in several]
    provenance = {"files": ", ".join(path.name for path in paths)}
    return ScoredLogs(logs, score_answers(answers, notes, _judged_by(settings), provenance))


def compare_logs(a: Sequence[Path], b: Sequence[Path], settings: Settings, margins: Margins) -> Judgement:
    """Compare the logs of one model with those of another: every task that both have, judged together."""
    one, other = _read(a, settings), _read(b, settings)
    for side, logs in (("A", one), ("B", other)):
        models = sorted({log.model for log in logs})
        if len(models) > 1:
            raise UsageError(f"each side of a comparison is one model; {side} holds {len(models)}: {', '.join(models)}")
    names = _side_names(one[0], other[0])
    judged_by = _judged_by(settings)
    a_answers, b_answers = ([fill_repeats(log.answers)[0] for log in logs] for logs in (one, other))
    found = compare_answers(a_answers, b_answers, names, judged_by, margins)
    by_task = {log.task: log for log in other}
    both = [(log, by_task[log.task]) for log in one if log.task in by_task]
    cautions = differing_conditions(both)
    notes = dict.fromkeys([*cautions, *notes_on_all([*one, *other])])
    return replace(found, notes=[*notes, *found.notes], cautions=cautions)


def _side_names(a: Log, b: Log) -> tuple[str, str]:
    """What A and B are called: their models, and those of one name by what tells their files apart."""
    if a.model != b.model:
        return a.model or "A", b.model or "B"
    if a.path is None or b.path is None or a.path == b.path:
        return "A", "B"
    sides = (_folder(a), _folder(b)) if _folder(a) != _folder(b) else (a.path, b.path)
    one, other = _short_names(sides).values()
    return (f"{a.model} ({one})", f"{b.model} ({other})") if a.model else (one, other)


@dataclass(frozen=True, slots=True)
class LogsToRank:
    """Logs of several models, what a score that is not there means, what is to be said of them, and that first."""

    logs: Sequence[Log]
    missing: MissingPolicy
    notes: Sequence[str]
    caution: str = ""


def read_for_ranking(paths: Sequence[Path], settings: Settings) -> LogsToRank:
    """The logs of a board; what has no score was not judged, and takes no part unless asked otherwise."""
    logs = _read(paths, settings)
    missing = resolve_missing("score", settings.missing)
    if missing == "leave-out":
        logs = [replace(log, answers=fill_repeats(log.answers)[0]) for log in logs]
    said = [(log.model, note) for log in logs for note in log.notes if log.harness == "table"]
    counts = Counter(note for _, note in said)
    several = notes_on_all([log for log in logs if log.harness != "table"])
    several += [f"{note} ({count(n)} logs)" for note, n in counts.items() if n > 1]
    several += [f"{model}: {note}" for model, note in said if counts[note] == 1]
    if len(several) > MOST_NOTES:
        several = [*several[:MOST_NOTES], f"{len(several) - MOST_NOTES:,} more notes on single logs are left out."]
    return LogsToRank(logs, missing, several, conditions_in_short(logs))


def _read(paths: Sequence[Path], settings: Settings) -> list[Log]:
    from goldproof.data.logs.reading import read_logs

    choice = settings.logs
    if settings.metric is not None and not is_of_repeats(settings.metric):
        choice = replace(choice, metric=settings.metric)
    if settings.by_row:
        raise UsageError("--by-row is for files of predictions; items of logs are matched by their ids")
    logs = [log for path in paths for log in read_logs(path, choice)]
    return [_clustered(log, settings.cluster) for log in told_apart(logs)]


def _clustered(log: Log, cluster: str) -> Log:
    """The log with the items that `--cluster` says go together."""
    answers, texts = log.answers, (log.answers.texts or {}).get("text")
    if cluster == "auto" or (cluster == "cluster" and answers.clusters is not None):
        return log
    if cluster == "none":
        return replace(log, answers=replace(answers, clusters=None))
    if cluster == "text" and texts is not None:
        codes = np.unique(np.array(texts, object), return_inverse=True)[1]
        return replace(log, answers=replace(answers, clusters=codes))
    raise UsageError(
        f"--cluster {cluster} does not fit logs; allowed: auto, none, and text where the log {log.task or log.model!r} "
        "has texts; a field of the items is named with --log cluster=FIELD"
    )


def told_apart(logs: Sequence[Log]) -> list[Log]:
    """All logs; those of one model and task, as of two trainings, are distinguished by their folders or files."""
    counts = Counter(_place(log) for log in logs)
    shared = {log.model for log in logs if counts[_place(log)] > 1}
    several = [log for log in logs if log.model in shared]
    by_folder = {(_place(log), _folder(log)) for log in several}
    where = _folder if len(by_folder) == len(several) else _file
    names = _short_names(list(dict.fromkeys(where(log) for log in several)))
    return [
        _named(log, f"{log.model} ({names[where(log)]})" if log.model else names[where(log)])
        if log.model in shared
        else log
        for log in logs
    ]


def _place(log: Log) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(log.answers.where.items()))


def _file(log: Log) -> Path:
    return log.path or Path("log")


def _folder(log: Log) -> Path:
    path = _file(log)
    return path if path.is_dir() else path.parent


def _short_names(paths: Sequence[Path]) -> dict[Path, str]:
    """Names that tell paths apart: the part of the names of files that does, else as many folders as do."""
    stems = [path.stem.split("_") if path.is_file() else [] for path in paths]
    for parts in zip(*stems, strict=False):
        if len(set(parts)) == len(paths) > 1:
            return dict(zip(paths, parts, strict=True))
    return dict(zip(paths, model_names(paths), strict=True))


def _named(log: Log, model: str) -> Log:
    return replace(log, model=model, answers=replace(log.answers, where={**log.answers.where, "model": model}))


def _judged_by(settings: Settings) -> Settings:
    """The settings without the harness's name of the metric, whose scores are all that is judged."""
    keep = settings.metric if settings.metric is not None and is_of_repeats(settings.metric) else None
    return replace(settings, metric=keep)
