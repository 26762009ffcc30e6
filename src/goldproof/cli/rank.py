"""`goldproof rank LOG… | FOLDER | TABLE`: which places on a board are real, and which models may be first."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from goldproof.cli import judge, options
from goldproof.cli.answer import answer_form, show_answer
from goldproof.errors import UsageError

if TYPE_CHECKING:
    from goldproof.judging.rank import BoardPart, Leaderboard

MOST_LINES = 40
BoardFiles = Annotated[
    list[Path],
    typer.Argument(
        metavar="LOG…", help=("Logs, folders of logs, a table of scores, or predictions with one file per model.")
    ),
]
Weigh = Annotated[str, typer.Option("--weigh", help="What gets equal weight: tasks, categories or items.")]
Weights = Annotated[
    list[str] | None,
    typer.Option("--weight", metavar="TASK=NUMBER", help="Weight of a task or category; may be repeated."),
]
TasksBy = Annotated[
    str, typer.Option("--tasks", help=("What counts as a task: auto, sets (files, datasets) or tags (of items)."))
]
Complete = Annotated[bool, typer.Option("--complete", help="Keep only the models that answered every item.")]
OfCategory = Annotated[str | None, typer.Option(help="Rank only on the tasks of this category.")]
OfLanguage = Annotated[str | None, typer.Option(help="Rank only on the tasks of this language.")]
Margin = Annotated[float, typer.Option(help="Difference in points to plan for between the first two.")]
Draws = Annotated[int, typer.Option(help="Number of draws behind the rank sets.")]


def rank(  # noqa: PLR0913 - one parameter per option
    files: BoardFiles,
    metric: judge.MetricName = None,
    weigh: Weigh = "tasks",
    weight: Weights = None,
    tasks: TasksBy = "auto",
    complete: Complete = False,
    common: judge.Common = False,
    category: OfCategory = None,
    language: OfLanguage = None,
    margin: Margin = 2.0,
    draws: Draws = 10_000,
    fixed: judge.Fixed = False,
    cluster: judge.Cluster = "auto",
    column: options.ColumnPairs = None,
    missing: judge.MissingAnswers = None,
    by_row: judge.ByRow = False,
    task: judge.LogTask = None,
    filter_: judge.LogFilter = None,
    log: judge.LogReading = None,
    out: judge.OutFolder = None,
    as_json: options.AsJson = False,
) -> int:
    """Rank models: each score with its interval, the ranks it may have, who may be first, what would settle more."""
    from goldproof.judging.rank import RankSettings
    from goldproof.judging.rank import rank as judge_ranks
    from goldproof.judging.score import Settings

    settings = Settings(
        metric=metric,
        cluster=cluster,
        common=common,
        missing=missing,
        by_row=by_row,
        seed_sd=0.0 if fixed else None,
        logs=options.log_choice(task, filter_, log),
    )
    ranking = RankSettings(_weights(weight), weigh, tasks, complete, category, language, margin / 100, draws)
    board = judge_ranks(files, columns=options.column_names(column), settings=settings, ranking=ranking)
    paths = _write(board, out)
    if as_json:
        options.print_json(board_form(board, paths))
        return 0
    show_board(board)
    for path in paths:
        if path.endswith("report.html"):
            typer.echo(f"report: {path}")
    return 0


def _write(board: Leaderboard, out: Path | None) -> list[str]:
    if out is None:
        return []
    from goldproof.report.write import write_report

    return [str(path) for path in write_report(board.report(), out)]


def _weights(pairs: list[str] | None) -> dict[str, float]:
    found = {}
    for pair in pairs or []:
        name, _, number = pair.rpartition("=")
        try:
            found[name.strip()] = float(number)
        except ValueError:
            raise UsageError(f"--weight takes TASK=NUMBER; got {pair!r}") from None
        if not name or not 0 <= found[name.strip()] < math.inf:
            raise UsageError(f"--weight takes TASK=NUMBER with a number of at least 0; got {pair!r}")
    return found


def show_board(board: Leaderboard) -> None:
    """The board on a terminal: a line for each model, then what it is worth."""
    from goldproof.judging.metric_numbers import score_text
    from goldproof.judging.rank_words import QUESTION, neighbours_text, places_text, rank_answer

    show_answer(QUESTION, rank_answer(board))
    width = min(max(len(name) for name in board.models), 40)
    heads = "".join(f"  {f'places {each.question}':<24}" for each in board.rankings)
    typer.echo(f"{'':>4} {'model':<{width}}  {'score':<24}{heads}  groups")
    letters = board.groups[0].letters(len(board.models))
    for place, name in enumerate(board.models[:MOST_LINES]):
        sets = "".join(f"  {places_text(int(each.low[place]), int(each.high[place])):<24}" for each in board.rankings)
        less = "" if board.answered[place] > 1 - 1e-9 else f"  answered {100 * board.answered[place]:.0f} %"
        shown = score_text(board.scores[place], board.cells.metric)
        typer.echo(f"{place + 1:>4} {_cut(name, width):<{width}}  {shown:<24}{sets}  {letters[place]}{less}")
    if len(board.models) > MOST_LINES:
        typer.echo(f"     {len(board.models) - MOST_LINES} more models; --json or --out show all")
    for which in range(1, len(board.rankings)):
        typer.echo(neighbours_text(board, which))
    for part in board.parts:
        typer.echo(f"  {part.kind} {part.name}: {_first_of(part)}")
    for note in board.notes:
        typer.echo(f"note: {note}")


def _cut(name: str, width: int) -> str:
    """A name of no more than so many signs; of a longer one both ends, as either may be what tells it from others."""
    if len(name) <= width:
        return name
    end = (width - 1) // 2
    return f"{name[: width - 1 - end]}…{name[-end:]}"


def _first_of(part: BoardPart) -> str:
    from goldproof.judging.rank_words import name_list

    ranking = part.rankings[0]
    names = [name for name, may in zip(part.cells.models, ranking.may_be_first, strict=True) if may]
    return f"{len(names)} may be first ({name_list(names, 3)})"


def board_form(board: Leaderboard, paths: list[str]) -> dict[str, Any]:
    """The board as JSON: models in their order, and which are shown to be better than which."""
    from goldproof.judging.rank_words import QUESTION, plan_text, rank_answer

    return {
        **answer_form(QUESTION, rank_answer(board)),
        "metric": board.cells.metric,
        "items": board.cells.n_items,
        "tasks": [
            {"name": task.name, "category": task.category, "language": task.language} for task in board.cells.tasks
        ],
        "models": [_model_row(board, place) for place in range(len(board.models))],
        "questions": [_question_form(board, which) for which in range(len(board.rankings))],
        "aggregates": [
            {
                "name": each.name,
                "tau": each.agreement.tau,
                "reversed_pairs": each.agreement.reversed_pairs,
                "places": dict(zip(board.models, each.places.tolist(), strict=True)),
            }
            for each in board.aggregates
        ],
        "parts": [
            {part.kind: part.name, "may_be_first": _names(part.cells.models, part.rankings[0].may_be_first)}
            for part in board.parts
        ],
        "plan": {
            "text": plan_text(board.plan, board.cells.metric, board.cells.board.n_tasks > 1),
            "shown": board.plan.shown,
            "items": None if board.plan.more is None else board.plan.more.items,
            "runs": None if board.plan.more is None else board.plan.more.runs,
            "tasks": board.plan.tasks,
            "smallest_difference": _number(board.plan.detectable),
        },
        "unasked": board.unasked,
        "without_place": [{"model": each.model, "answered": each.answered} for each in board.unplaced],
        "notes": list(board.notes),
        "files": paths,
    }


def _model_row(board: Leaderboard, place: int) -> dict[str, Any]:
    score = board.scores[place]
    return {
        "model": board.models[place],
        "score": score.value,
        "low": _number(score.low),
        "high": _number(score.high),
        "n": score.n,
        "answered": round(float(board.answered[place]), 6),
        "runs": board.cells.n_runs[place],
        "groups": board.groups[0].letters(len(board.models))[place].split(),
    }


def _question_form(board: Leaderboard, which: int) -> dict[str, Any]:
    ranking = board.rankings[which]
    better = {name: _names(board.models, row) for name, row in zip(board.models, ranking.better, strict=True)}
    places = zip(board.models, ranking.low, ranking.high, strict=True)
    return {
        "question": ranking.question,
        "method": ranking.method,
        "level": ranking.level,
        "may_be_first": _names(board.models, ranking.may_be_first),
        "places": {name: [int(low), int(high)] for name, low, high in places},
        "better_than": better,
        "not_comparable": int((~ranking.comparable).sum()) // 2,
        "neighbours_told_apart": board.neighbours_shown(which),
    }


def _names(models: tuple[str, ...], flags: Any) -> list[str]:
    return [name for name, flag in zip(models, flags, strict=True) if flag]


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
