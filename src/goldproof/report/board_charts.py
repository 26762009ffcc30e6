"""Charts of a board: the places that each model may have as bars, and who is better than whom as a matrix.

A matrix of 200 models has 40,000 cells, of which neighbours say the same: each row is drawn as the stretches of rivals
that it is better than, worse than, or not comparable with. What is left white cannot be distinguished.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from goldproof.report.chart_parts import DATA_NAME, WIDE, Caption, label_room, look, narrow_room
from goldproof.report.palette import BETTER, INK, MUTED, RULE, SERIES, WORSE
from goldproof.report.summary import Cell, Figure

NARROW_PAGE = 325
MANY = 60
RivalRelation = Literal["better than", "worse than", "not comparable with"]
COLOURS: Mapping[RivalRelation, str] = {"better than": BETTER, "worse than": WORSE, "not comparable with": RULE}
_NAMES: Mapping[str, Any] = {"domain": False, "ticks": False, "labelPadding": 6}


@dataclass(frozen=True, slots=True)
class Places:
    """A model with its place on the board, and the first and last place that it may have, under each question."""

    name: str
    place: int
    spans: Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class RivalStretch:
    """A model, and rivals from one place to another that it stands to in one way."""

    name: str
    relation: RivalRelation
    first: int
    last: int


def place_bars(models: Sequence[Places], questions: Sequence[str], n_models: int, *, caption: Caption) -> Figure:
    """A bar for each model from the first to the last place that it may have; a second question is a thin line below.

    `n_models` is how many the board has, where not all are drawn.
    """
    rows: list[dict[str, Cell]] = []
    for model in models:
        for number, (question, (low, high)) in enumerate(zip(questions, model.spans, strict=True)):
            said = f"{model.name}: place {model.place}; may be {low} to {high} ({question})"
            ends: dict[str, Cell] = {"from": low - 0.4, "to": high + 0.4, "tip": said}
            rows.append({"name": model.name, "part": f"question {number + 1}", **ends})
        rows.append({"name": model.name, "part": "place", "at": model.place, "tip": f"{model.name}: {model.place}"})
    names = [model.name for model in models]
    step = 20 if len(questions) > 1 else 18
    thick, thin = (7, 3) if len(questions) > 1 else (9, 3)
    layers = [_bars("question 1", SERIES[0], thick, -3 if len(questions) > 1 else 0, n_models)]
    if len(questions) > 1:
        layers.append(_bars("question 2", MUTED, thin, 5, n_models))
    mark = {"type": "point", "shape": "diamond", "filled": True, "size": 42, "color": INK, "opacity": 1}
    mark["yOffset"] = -3 if len(questions) > 1 else 0
    layers.append(_layer(mark, {"x": _along("at", n_models), "description": _TIP}, "datum.part == 'place'"))
    thicknesses = f"Thick: {questions[0]}" + (f"; thin: {questions[1]}." if len(questions) > 1 else ".")
    note = f"{thicknesses} Diamond: the place by the score. Together, all bars contain the true places."
    return _figure(names, step, layers, rows, caption, note)


def relation_matrix(stretches: Sequence[RivalStretch], models: Sequence[str], *, caption: Caption) -> Figure:
    """Each model against all others, by their places: better, worse, not comparable; white cannot be distinguished."""
    rows: list[dict[str, Cell]] = []
    for each in stretches:
        reach = f"place {each.first}" if each.first == each.last else f"places {each.first} to {each.last}"
        said = f"{each.name} is {each.relation} {reach}"
        ends: dict[str, Cell] = {"from": each.first - 0.5, "to": each.last + 0.5, "tip": said}
        rows.append({"name": each.name, "relation": each.relation, **ends})
    rows += [
        {"name": name, "relation": "itself", "from": place - 0.5, "to": place + 0.5, "tip": f"{place} {name}"}
        for place, name in enumerate(models, start=1)
    ]
    kinds = [*COLOURS, "itself"]
    scale = {"domain": kinds, "range": [*COLOURS.values(), MUTED]}
    met = [kind for kind in COLOURS if any(each.relation == kind for each in stretches)]
    legend = {"title": None, "orient": "top", "symbolType": "square", "values": met, "columns": 2}  # fits a phone
    colour = {"field": "relation", "type": "nominal", "scale": scale, "legend": legend}
    where = {"x": _along("from", len(models)), "x2": {"field": "to"}, "color": colour, "description": _TIP}
    mark = {"type": "bar", "height": {"band": 0.86 if len(models) <= MANY else 1.0}, "opacity": 0.85}
    layers = [{"mark": mark, "encoding": where}]
    note = "A row is a model, a column the place of another; white: the two undecided apart."
    return _figure(list(models), 18 if len(models) <= MANY else 13, layers, rows, caption, note)


_TIP: Mapping[str, Any] = {"field": "tip", "type": "nominal"}


def _along(field: str, n_models: int) -> dict[str, Any]:
    every = 1 if n_models <= 15 else 5 if n_models <= 50 else 20
    ticks = sorted({1, *range(every, n_models + 1, every), n_models})
    if every > 1 and ticks[-1] - ticks[-2] < max(2, n_models // 30):
        del ticks[-2]
    axis = {"values": ticks, "format": "d", "orient": "top", "domain": False, "ticks": False, "gridDash": [1, 3]}
    scale = {"domain": [0.4, n_models + 0.6], "nice": False, "zero": False}
    return {"field": field, "type": "quantitative", "title": "place", "scale": scale, "axis": axis}


def _bars(part: str, colour: str, width: int, offset: int, n_models: int) -> dict[str, Any]:
    mark = {"type": "rule", "strokeWidth": width, "color": colour, "yOffset": offset}
    where = {"x": _along("from", n_models), "x2": {"field": "to"}, "description": _TIP}
    return _layer(mark, where, f"datum.part == '{part}'")


def _layer(mark: Mapping[str, Any], encoding: Mapping[str, Any], only: str) -> dict[str, Any]:
    return {"transform": [{"filter": only}], "mark": dict(mark), "encoding": dict(encoding)}


def _figure(
    names: Sequence[str],
    step: int,
    layers: Sequence[Mapping[str, Any]],
    rows: Sequence[Mapping[str, Cell]],
    caption: Caption,
    note: str,
) -> Figure:
    room = label_room(names)
    spec = {
        "data": {"name": DATA_NAME},
        "width": WIDE - min(room, 300),
        "height": {"step": step},
        "encoding": {"y": {"field": "name", "type": "ordinal", "sort": list(names), "title": None, "axis": _NAMES}},
        "layer": list(layers),
        "config": look(room),
        "usermeta": {"narrow": {"width": max(130, NARROW_PAGE - narrow_room(room))}, "room": room},
    }
    return Figure(caption.name, caption.title, spec, rows, f"{caption.note} {note}".strip(), caption.keys)
