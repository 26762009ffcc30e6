"""What a ranking says, in sentences: for the terminal, the report and a notebook alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from goldproof.judging.metric_numbers import margin_text, shown, unit
from goldproof.judging.scope import OF_DRAWS
from goldproof.report.numbers import count
from goldproof.report.summary import Answer, ReplyKind
from goldproof.statistics.ranking import Question, Ranking

if TYPE_CHECKING:
    from goldproof.judging.rank import Leaderboard
    from goldproof.judging.rank_plan import Separation

ASKED: dict[Question, str] = {
    "these tasks": "on items like these, in these tasks",
    "tasks like these": "over tasks like these",
}


def scope(board: Leaderboard, question: Question) -> str:
    """What an answer to this question is about."""
    again = board.cells.again
    if board.cells.bounds.of_means and question == "these tasks":
        return OF_DRAWS
    if question == "tasks like these":
        return ASKED[question]
    where = ASKED[question] if board.cells.board.n_tasks > 1 else "on items like these"
    return f"{where}, with other {_again(again)}" if again else where


def _again(kind: str) -> str:
    return {"seed": "trainings", "prompt": "prompts", "examples": "draws of examples"}.get(kind, "runs")


QUESTION = "Which places on this leaderboard are real?"


def headline(board: Leaderboard) -> str:
    """Who may be first, in one sentence."""
    answer = rank_answer(board)
    return f"{answer.head} {scope(board, board.rankings[0].question)}."


def rank_answer(board: Leaderboard) -> Answer:
    """The answer to `QUESTION`, without its chart: who may be first, which neighbours differ, what it takes."""
    told, names, n = board.neighbours_shown(), board.first, len(board.models)
    kind: ReplyKind = "yes" if told == n - 1 else "open" if told == 0 else "measured"
    if len(names) == 1:
        head, who = f"{names[0]} is first", ""
    elif len(names) == n:
        head, who = f"Any of the {n} models may be first", ""
    else:
        head, who = f"{len(names)} of {n} models may be first", f"{name_list(names)}. "
    takes = plan_text(board.plan, board.cells.metric, board.cells.board.n_tasks > 1)
    return Answer(kind, head, f"{who}{neighbours_text(board)}", takes, cautions(board))


def cautions(board: Leaderboard) -> list[str]:
    """What must be known before anything else: a question that cannot be asked, models that have no place."""
    notes = [said for said in (board.caution, board.unasked) if said]
    if board.unplaced:
        names = [f"{each.model} ({100 * each.answered:.0f} %)" for each in board.unplaced]
        notes.append(f"Answered too little of the leaderboard to have a place: {name_list(names)}.")
    return notes


def name_list(names: Sequence[str], most: int = 6) -> str:
    """Names in a sentence; of many the first ones.

    >>> name_list(["a", "b", "c"]), name_list(list("abcdefgh"), 3)
    ('a, b, c', 'a, b, c and 5 more')
    """
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def places_text(low: int, high: int) -> str:
    """The places that a model may have.

    >>> places_text(2, 2), places_text(1, 7)
    ('2', '1–7')
    """
    return str(low) if low == high else f"{low}–{high}"


def neighbours_text(board: Leaderboard, which: int = 0) -> str:
    """How many places are real: neighbours told apart, and pairs."""
    n, ranking = len(board.models), board.rankings[which]
    pairs = int(ranking.comparable.sum() - n) // 2
    return (
        f"{board.neighbours_shown(which)} of {n - 1} neighbours are distinguished {scope(board, ranking.question)}, "
        f"and {count(ranking.n_shown)} of {count(pairs)} pairs that can be compared."
    )


def plan_text(plan: Separation, metric: str, of_tasks: bool) -> str:
    """What would tell the first two apart."""
    pair = f"{plan.first} and {plan.second}"
    if not plan.is_comparable:
        return f"The first two, {pair}, did not answer enough of the same items to be compared."
    if plan.shown:
        return f"The first two, {pair}, are distinguished."
    if plan.more is None and plan.tasks is None and plan.difference.value == 0:
        return f"The first two, {pair}, score the same on every item, so nothing indicates how many more it would take."
    aim = f"To distinguish the first two, {pair}, if they differ by {margin_text(plan.margin, metric)} (80 % power),"
    ways = _ways(plan, of_tasks)
    now = _now(plan, metric)
    if not ways:
        return f"{aim} no number of items alone would be enough.{now}"
    return f"{aim} it takes {', or '.join(ways)}.{now}"


def _ways(plan: Separation, of_tasks: bool) -> list[str]:
    ways = []
    more = plan.more
    if more is not None and more.items is not None:
        here = " in these tasks" if of_tasks else ""
        ways.append(
            "no more items than there are" if more.items <= 1 else f"about {rounded(more.items)} more items{here}"
        )
    if more is not None and more.runs is not None:
        span = f"{more.runs_from} to " if more.runs_from is not None and more.runs_from < more.runs else "about "
        ways.append(f"{span}{rounded(more.runs)} more runs of each")
    if plan.tasks is not None and of_tasks:
        asked = "for tasks like these "
        ways.append(
            f"{asked}no more tasks than there are"
            if not plan.tasks
            else f"{asked}about {rounded(plan.tasks)} more tasks"
        )
    return ways


def _now(plan: Separation, metric: str) -> str:
    if not math.isfinite(plan.detectable):
        return ""
    return f" As it is, a difference of {shown(plan.detectable, metric)}{unit(metric)} would be detected."


def rounded(n: int) -> str:
    """Two digits that count, rounded up.

    >>> rounded(1234)
    '1,300'
    """
    unit_of = 10 ** max(0, len(str(n)) - 2)
    return count(-(-n // unit_of) * unit_of)


def set_size(ranking: Ranking) -> float:
    """How many places a model may have, on average."""
    return float((ranking.high - ranking.low + 1).mean())
