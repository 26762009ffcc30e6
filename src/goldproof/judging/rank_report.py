"""The report of `rank`: who may be first, the places that each model may have, and who is better than whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from goldproof.judging.metric_numbers import score_format
from goldproof.judging.metrics import title_of
from goldproof.judging.rank import Aggregated, Leaderboard
from goldproof.judging.rank_words import (
    QUESTION,
    cautions,
    name_list,
    neighbours_text,
    places_text,
    rank_answer,
    scope,
    set_size,
)
from goldproof.report.board_charts import Places, RivalRelation, RivalStretch, place_bars, relation_matrix
from goldproof.report.charts import Caption, dots
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.numbers import count
from goldproof.report.summary import (
    Cell,
    Claim,
    Column,
    Figure,
    Item,
    Plain,
    Report,
    Section,
    Table,
    Text,
)
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.ranking import Question, Ranking

FIRST_SCREEN = 15
MOST_DRAWN = 200
MOST_PAIRS = 8
WHOLE = "the whole board"
PLACES: dict[Question, str] = {"these tasks": "Places, these tasks", "tasks like these": "Places, tasks like these"}
KEYS: dict[Question, str] = {"these tasks": "places_these", "tasks like these": "places_like"}


def rank_report(board: Leaderboard) -> Report:
    """The report of a board."""
    sections = [
        Section("The board", [_forest(board), _board_table(board)]),
        Section("Who is better than whom", _matrix_items(board)),
    ]
    if len(board.models) > FIRST_SCREEN:
        sections.insert(1, Section("Places", [_places(board, len(board.models), "places")]))
    if board.parts:
        sections.append(Section("By category and language", _part_items(board)))
    if board.aggregates:
        sections.append(Section("Other ways to combine tasks", _aggregate_items(board)))
    sections.append(Section("Limits and method", [Text(text) for text in _method(board)]))
    provenance: dict[str, Plain] = {
        "models": len(board.models),
        "items": board.cells.n_items,
        "tasks": board.cells.board.n_tasks,
        "metric": board.cells.metric,
        "weighed by": board.settings.weigh,
    }
    answer = replace(rank_answer(board), figure=_places(board, FIRST_SCREEN, "first-places"))
    return Report("rank", QUESTION, _findings(board), sections, provenance, answer)


def _findings(board: Leaderboard) -> list[str | Claim]:
    lines: list[str | Claim] = []
    for which, ranking in enumerate(board.rankings):
        first = int(ranking.may_be_first.sum())
        size = set_size(ranking)
        text = (
            f"{count(first)} of {count(len(board.models))} models may be first {scope(board, ranking.question)}; on "
            f"average a model may have {size:.1f} places."
        )
        lines.append(Claim(text, "shown" if first == 1 else "undecided", place="board"))
        if which:
            lines.append(Claim(neighbours_text(board, which), "stated", place="board"))
    groups = board.groups[0]
    if len(groups.spans) > 1:
        beyond = (
            f" {count(groups.beyond)} more pairs cannot be distinguished although they share no group."
            if groups.beyond
            else ""
        )
        text = (
            f"{count(len(groups.spans))} groups of models cannot be distinguished within the group; a model may be "
            "in several, because being close to both neighbours does not make the neighbours close to each "
            f"other.{beyond}"
        )
        lines.append(Claim(text, "stated", place="board"))
    other = [each for each in board.aggregates if each.agreement.reversed_pairs]
    if other:
        most = max(other, key=lambda each: each.agreement.reversed_pairs)
        lines.append(Claim(_choice_text(most), "stated", place="aggregates"))
    return lines


def _choice_text(most: Aggregated) -> str:
    pairs = count(most.agreement.reversed_pairs)
    shown = most.shown_reversed
    said = f"{count(shown)} of which are shown over tasks like these" if shown else "none of which is shown"
    return f"Ranked by {most.name}, {pairs} pairs swap places compared with the mean over tasks, {said}."


def _places(board: Leaderboard, most: int, name: str) -> Figure:
    n = len(board.models)
    models = [
        Places(model, place + 1, [(int(each.low[place]), int(each.high[place])) for each in board.rankings])
        for place, model in enumerate(_labels(board)[:most])
    ]
    title = f"The places each model may have: {len(board.first)} may be first"
    note = "" if most >= n else f"The first {most} of {n}."
    questions = [f"on {each.question}" if each.question == "these tasks" else each.question for each in board.rankings]
    return place_bars(models, questions, n, caption=Caption(name, title, note))


def _labels(board: Leaderboard) -> list[str]:
    """Names as charts show them, after their place: two that are cut alike stay two."""
    return [f"{place}  {name or '(no name)'}" for place, name in enumerate(board.models, start=1)]


def _score_column(board: Leaderboard) -> Column:
    form = score_format(board.cells.metric)
    return Column("score", title_of(board.cells.metric), form.digits, form.unit)


def _forest(board: Leaderboard) -> Figure:
    rows: list[dict[str, Cell]] = [
        {"model": name, "score": score} for name, score in zip(_labels(board), board.scores, strict=True)
    ]
    title = f"{title_of(board.cells.metric)}: {board.models[0]} is highest; each interval is for one model on its own"
    note = (
        "Overlapping intervals do not mean that two models cannot be distinguished, nor the other way round: see the "
        "matrix."
    )
    return dots(rows, Column("model", "Model"), _score_column(board), caption=Caption("scores", title, note))


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of a board, of the whole or of a part."""

    part: str
    place: int
    model: str
    score: Estimate
    answered: float | None
    places: dict[Question, str]
    groups: str


def _board_rows(board: Leaderboard) -> list[_Row]:
    letters = board.groups[0].letters(len(board.models))
    incomplete = bool((board.answered < 1 - 1e-9).any())
    return [
        _Row(
            WHOLE,
            place + 1,
            model,
            board.scores[place],
            float(board.answered[place]) if incomplete else None,
            _spans(board.rankings, place),
            letters[place],
        )
        for place, model in enumerate(board.models)
    ]


def _spans(rankings: Sequence[Ranking], place: int) -> dict[Question, str]:
    return {each.question: places_text(int(each.low[place]), int(each.high[place])) for each in rankings}


def _place_fields(questions: Sequence[Question]) -> list[Field[_Row]]:
    def field(question: Question) -> Field[_Row]:
        return Field(Column(KEYS[question], PLACES[question]), lambda row: row.places.get(question))

    return [field(question) for question in questions]


def _board_table(board: Leaderboard) -> Table:
    fields: list[Field[_Row]] = [
        Field(Column("place", "#", 0), lambda row: row.place),
        Field(Column("model", "Model"), lambda row: row.model),
        Field(_score_column(board), lambda row: row.score),
        *_place_fields([each.question for each in board.rankings]),
        Field(Column("groups", "Groups"), lambda row: row.groups),
    ]
    rows = _board_rows(board)
    if rows[0].answered is not None:
        fields.append(Field(Column("answered", "Answered", 0, "%"), lambda row: row.answered))
    note = (
        "Models that share a letter cannot be distinguished; groups are stretches of the order and overlap. All "
        f"places hold at once with {100 * board.rankings[0].level:.4g} % confidence."
    )
    title = f"{board.models[0]} ranks first; {len(board.first)} may be first"
    return make_table(Heading("board", title, note), fields, rows)


def _matrix_items(board: Leaderboard) -> list[Item]:
    ranking = board.rankings[0]
    labels = _labels(board)
    stretches = [each for place in range(min(len(labels), MOST_DRAWN)) for each in _stretches(ranking, labels, place)]
    pairs = int(ranking.comparable.sum() - len(labels)) // 2
    title = f"{count(ranking.n_shown)} of {count(pairs)} pairs are distinguished {scope(board, ranking.question)}"
    items: list[Item] = [relation_matrix(stretches, labels[:MOST_DRAWN], caption=Caption("pairs", title))]
    if len(labels) <= MOST_PAIRS:
        items.append(_pair_table(board))
    return items


def _stretches(ranking: Ranking, labels: Sequence[str], place: int) -> list[RivalStretch]:
    """The rivals of a model as stretches of places that it stands to in one way."""
    n = min(len(labels), MOST_DRAWN)
    kinds: dict[int, RivalRelation] = {1: "better than", 2: "worse than", 3: "not comparable with"}
    codes = np.where(ranking.better[place, :n], 1, np.where(ranking.better[:n, place], 2, 0))
    codes = np.where(ranking.comparable[place, :n], codes, 3)
    edges = [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist(), n]
    return [
        RivalStretch(labels[place], kinds[int(codes[start])], start + 1, end)
        for start, end in pairwise(edges)
        if codes[start]
    ]


@dataclass(frozen=True, slots=True)
class _JudgedPair:
    first: str
    second: str
    difference: float
    adjusted: float
    relation: str


def _pair_table(board: Leaderboard) -> Table:
    ranking, models = board.rankings[0], board.models
    found = [
        _JudgedPair(
            models[i],
            models[j],
            float(ranking.difference[i, j]),
            float(ranking.adjusted[i, j]),
            "better" if ranking.better[i, j] else "worse" if ranking.better[j, i] else "undecided",
        )
        for i in range(len(models))
        for j in range(i + 1, len(models))
        if ranking.comparable[i, j]
    ]
    unit = "points" if score_format(board.cells.metric).unit else ""
    fields: list[Field[_JudgedPair]] = [
        Field(Column("first", "Model"), lambda pair: pair.first),
        Field(Column("second", "Against"), lambda pair: pair.second),
        Field(Column("difference", "Difference", 1 if unit else 3, unit), lambda pair: pair.difference),
        Field(Column("p", "p, all pairs together", 4, "p-value"), lambda pair: pair.adjusted),
        Field(Column("verdict", "Verdict"), lambda pair: pair.relation),
    ]
    return make_table(
        Heading("pair-table", ("Every pair, judged together with all the others"), ranking.method), fields, found
    )


def _part_items(board: Leaderboard) -> list[Item]:
    rows = _board_rows(board)
    for part in board.parts:
        for place, model in enumerate(part.cells.models):
            spans = _spans(part.rankings, place)
            rows.append(_Row(f"{part.kind}: {part.name}", place + 1, model, part.scores[place], None, spans, ""))
    questions = [each.question for each in board.rankings]
    fields: list[Field[_Row]] = [
        Field(Column("part", "Part"), lambda row: row.part),
        Field(Column("place", "#", 0), lambda row: row.place),
        Field(Column("model", "Model"), lambda row: row.model),
        Field(_score_column(board), lambda row: row.score),
        *_place_fields(questions),
    ]
    first = [
        f"{part.name} {int(part.rankings[0].may_be_first.sum())} of {len(part.cells.models)}" for part in board.parts
    ]
    title = f"Who may be first, by part: {name_list(first, 8)}"
    note = "Each part is judged as a leaderboard of its own. Less holds for all parts jointly."
    return [make_table(Heading("parts", title, note), fields, rows)]


def _aggregate_items(board: Leaderboard) -> list[Item]:
    fields: list[Field[Aggregated]] = [
        Field(Column("name", "Aggregate"), lambda each: each.name),
        Field(Column("first", "First"), lambda each: name_list(_firsts(board, each), 3)),
        Field(Column("tau", "Kendall's τ", 3), lambda each: each.agreement.tau),
        Field(Column("reversed", "Pairs reversed"), lambda each: each.agreement.reversed_pairs),
        Field(Column("shown", "Of these shown"), lambda each: each.shown_reversed),
        Field(Column("may", "May be first"), _may_be_first),
        Field(Column("size", "Places, mean", 1), lambda each: None if each.ranking is None else set_size(each.ranking)),
    ]
    note = (
        "Against the mean over tasks. Rank sets are for tasks like these: a rank within a task jumps where two "
        "scores cross, so its variation over items is not normal. Mean rank, win rate and Borda give the same order "
        "if every model has every task; for right and wrong answers, item wins give the order of the mean."
    )
    title = "How much the order depends on how tasks are combined"
    table = make_table(Heading("aggregates", title, note), fields, board.aggregates)
    return [table, _places_by_aggregate(board)]


def _firsts(board: Leaderboard, each: Aggregated) -> list[str]:
    return [board.models[i] for i in np.flatnonzero(each.places == 1)]


def _may_be_first(each: Aggregated) -> int | None:
    return None if each.ranking is None else int(each.ranking.may_be_first.sum())


def _places_by_aggregate(board: Leaderboard) -> Table:
    def field(number: int) -> list[Field[int]]:
        each = board.aggregates[number]
        return [
            Field(Column(f"p{number}", each.name, 0), lambda model: int(each.places[model])),
            Field(Column(f"s{number}", "may be"), lambda model: _set_of(each, model)),
        ]

    fields: list[Field[int]] = [Field(Column("model", "Model"), lambda model: board.models[model])]
    for number in range(len(board.aggregates)):
        fields += field(number)
    heading = Heading("aggregate-places", "The place of each model by each aggregate, and the places it may have")
    return make_table(heading, fields, range(len(board.models)))


def _set_of(each: Aggregated, model: int) -> str | None:
    if each.ranking is None:
        return None
    return places_text(int(each.ranking.low[model]), int(each.ranking.high[model]))


def _method(board: Leaderboard) -> list[str]:
    texts = [*cautions(board), *board.notes]
    texts += [f"{each.question[0].upper()}{each.question[1:]}: {each.method}." for each in board.rankings]
    texts.append(
        f"All places hold at once: at most {100 * (1 - board.rankings[0].level):.2g} % of such leaderboards claim "
        "any order that does not exist."
    )
    return texts
