"""The sections on probes: the best layers in the shape of the paper's tables, curves, twins and baselines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from goldproof.report.charts import Caption, Panels, curves
from goldproof.report.fields import Field, Heading, make_table, printed_cell
from goldproof.report.names import of_several
from goldproof.report.summary import Cell, Column, Figure, Item, Marked, Missing, Section, Table, Text
from goldproof.studies.probing.plan import Arm
from goldproof.studies.probing.published import Printed, canonical_name, printed
from goldproof.studies.probing.scores import (
    THIRDS,
    TOO_MANY,
    LayerScores,
    ProbingFindings,
    Twins,
    ranges,
    task_title,
)

KIND_TITLES = {"logistic": "logistic regression", "mlp": "MLP"}
NOT_PROBED = "not probed in this language"
NOT_ABOVE = "Not shown to be above the majority class: the band reaches below it"
NOT_OVER = "Not shown to be better than the best baseline"
GAIN_NOTE = "best model − best baseline, models and layers chosen on validation; the mark is Holm-adjusted"
MOST_NAMES = 5


def layers_section(found: ProbingFindings) -> Section:
    """Who knows what, and where."""
    items: list[Item] = [_best(found, kind) for kind in found.config.probe.kinds]
    items += [_where(found), *(_curves(found, kind) for kind in found.config.probe.kinds), _moves(found)]
    return Section("Which layer knows it?", [*items, *(Text(line) for line in _collapsed(found))])


def _collapsed(found: ProbingFindings) -> list[str]:
    """The probes that give one answer to everything, named and counted."""
    every = [each for each in found.scored.values() if each.probed.collapsed.any()]
    if not every:
        return []
    n_probes = sum(each.probed.collapsed.size for each in found.scored.values())
    total = sum(int(each.probed.collapsed.sum()) for each in every)
    names = []
    for each in every[:MOST_NAMES]:
        layers = ranges(each.probed.layers[place] for place in np.flatnonzero(each.probed.collapsed.any(axis=1)))
        several = f", {int(each.probed.collapsed.sum())} probes" if each.probed.collapsed.shape[1] > 1 else ""
        names.append(f"{each.cell.arm.title} on {each.task} ({KIND_TITLES[each.kind]}, layers {layers}{several})")
    more = f"; and {len(every) - MOST_NAMES} more cases" if len(every) > MOST_NAMES else ""
    line = (
        f"{total} of {n_probes} probes collapsed, giving one answer to nearly all test items: {'; '.join(names)}{more}."
    )
    return [line + " Where there are several seeds, the others are averaged."]


@dataclass(frozen=True, slots=True)
class _Task:
    """A task in a language: a row of the tables that have a column for each model."""

    language: str
    name: str

    @property
    def title(self) -> str:
        """As the paper calls it, and the language."""
        return task_title(self.name, self.language)


_TASK: Field[_Task] = Field(Column("task", "Task"), lambda task: task.title)


def _tasks(found: ProbingFindings) -> list[_Task]:
    return [_Task(language, name) for language, name in found.tasks]


def _scored(found: ProbingFindings, kind: str, arm: Arm, task: _Task) -> LayerScores | None:
    return found.scored.get((kind, arm.title, task.language, task.name))


def _best(found: ProbingFindings, kind: str) -> Table:
    """Tables 1 and 3–6: the best layer's accuracy and its number."""
    fields: list[Field[_Task]] = [_TASK]
    for place, arm in enumerate(found.models):
        fields.append(Field(Column(f"m{place}", arm.title), partial(_best_cell, found, kind, arm)))
        if arm.paper:
            column = Column(f"p{place}", arm.paper, published=True)
            fields.append(Field(column, partial(_printed_text, found, kind, arm)))
    tied = sum(len(each.tests.tied) > 1 for arm in found.own for each in found.of(kind, arm))
    total = sum(len(found.of(kind, arm)) for arm in found.own)
    title = f"Best layer of each model ({KIND_TITLES[kind]}): " + of_several(
        tied,
        total,
        "in {} cases other layers cannot be distinguished from it",
        "it is distinguished from all others",
        "other layers cannot be distinguished from it",
    )
    note = "Accuracy in percent; in brackets, the layer that is best on test, as in the paper; 0 is the embeddings."
    if any(arm.paper for arm in found.models):
        note = f"{note} {found.beside.note}".strip()
    return make_table(Heading(f"best-{kind}", title, note, _keys(found, kind)), fields, _tasks(found))


def _best_cell(found: ProbingFindings, kind: str, arm: Arm, task: _Task) -> Cell:
    scored = _scored(found, kind, arm, task)
    if scored is None:
        return Missing(NOT_PROBED)
    text = f"{100 * scored.best.value:.1f} [{scored.best_layer}]"
    return text if scored.above_majority else Marked(text, note=NOT_ABOVE)


def _printed(found: ProbingFindings, kind: str, arm: Arm, task: _Task) -> Printed | None:
    """What the paper prints of a model or baseline, where the task is the paper's."""
    return printed(kind, task.language, task.name, arm.paper) if found.is_papers(task.language) else None


def _printed_text(found: ProbingFindings, kind: str, arm: Arm, task: _Task) -> Cell:
    number = _printed(found, kind, arm, task)
    return printed_cell(None if number is None else str(number))


def _chosen_accuracy(each: LayerScores) -> float:
    return float(each.probed.accuracy[each.probed.chosen])


MODEL_FIELDS: tuple[Field[LayerScores], ...] = (
    Field(Column("task", "Task"), lambda each: each.task),
    Field(Column("model", "Model"), lambda each: each.cell.arm.title),
)
"""Which score a row is about."""
_WHERE_FIELDS: tuple[Field[LayerScores], ...] = (
    *MODEL_FIELDS,
    Field(
        Column("accuracy", "Best on test", 1, "%", "band that holds for all layers of the model together"),
        lambda each: each.best,
    ),
    Field(Column("layer", "Layer"), lambda each: each.best_layer),
    Field(
        Column("tied", "May be the best", note="layers that cannot be distinguished from the best on these items"),
        lambda each: each.tied,
    ),
    Field(Column("chosen", "Layer by validation"), lambda each: each.probed.layers[each.probed.chosen]),
    Field(Column("chosen_accuracy", "Its accuracy", 1, "%"), _chosen_accuracy),
    Field(Column("majority", "Majority", 1, "%"), lambda each: each.majority),
)


def _where(found: ProbingFindings) -> Table:
    """The best layer with its band, and the layers that cannot be distinguished from it."""
    kind = found.config.probe.kinds[0]
    every = [each for arm in found.own for each in found.of(kind, arm)]
    widest = max(every, key=lambda each: len(each.tests.tied))
    title = f"On {widest.task}, {len(widest.tests.tied)} of {len(widest.probed.layers)} layers of "
    title += f"{widest.cell.arm.title} cannot be distinguished from the best"
    return make_table(Heading("where", title, "", _keys(found, kind)), _WHERE_FIELDS, every)


def _curves(found: ProbingFindings, kind: str) -> Figure:
    """Accuracy over layers, one panel for each task and language."""
    shown = [each for arm in found.models for each in found.of(kind, arm)]
    rows = curve_rows(found, shown, lambda each: each.tests.bands)
    title = f"Where accuracy peaks over the layers ({KIND_TITLES[kind]}): {_early(found, kind)}"
    note = "Bands hold for all layers of a curve together. Each task has its own axis."
    caption = Caption(f"curves-{kind}", title, note, _keys(found, kind))
    return layer_curves(rows, Column("value", "Accuracy", 1, "%"), caption, own_axes=True)


def _early(found: ProbingFindings, kind: str) -> str:
    """Where properties peak, in a few words: only where all layers that may be the best lie in one third."""
    thirds = [each.third for arm in found.own for each in found.of(kind, arm) if not each.is_collapsed]
    parts = [f"in the {name} third in {n}" for name in THIRDS if (n := thirds.count(name))]
    parts += [f"undecided in {n}"] if (n := thirds.count("")) else []
    if len(thirds) == 1:
        return f"in the {thirds[0]} third" if thirds[0] else "undecided where"
    return f"{', '.join(parts) or 'undecided'} of {len(thirds)} cases"


def curve_rows(
    found: ProbingFindings, shown: Sequence[LayerScores], values: Callable[[LayerScores], Sequence[Cell]]
) -> list[dict[str, Cell]]:
    """A row for each layer of each score, tasks in order and languages side by side."""
    order = {place: number for number, place in enumerate(_side_by_side(found))}
    ranked = sorted(shown, key=lambda each: order[each.cell.language, each.cell.task])
    return [
        {"panel": each.task, "model": each.cell.arm.title, "layer": layer, "value": value}
        for each in ranked
        for layer, value in zip(each.probed.layers, values(each), strict=True)
    ]


def _side_by_side(found: ProbingFindings) -> list[tuple[str, str]]:
    """Languages and tasks, the languages of a task next to each other."""
    first = list(dict.fromkeys(canonical_name(task) for _, task in found.tasks))
    return sorted(found.tasks, key=lambda place: first.index(canonical_name(place[1])))


def layer_curves(rows: Sequence[dict[str, Cell]], value: Column, caption: Caption, own_axes: bool = False) -> Figure:
    """Curves over layers, a line for each model and a panel for each task."""
    across, series = Column("layer", "Layer", 0), Column("model", "Model")
    return curves(rows, across, value, caption=caption, series=series, facet=Panels(Column("panel", ""), own_axes))


@dataclass(frozen=True, slots=True)
class _Moves:
    """A score, and the steps between neighbouring layers at which it rises, and falls, by more than chance."""

    scored: LayerScores
    rises: str
    falls: str


_MOVE_FIELDS: tuple[Field[_Moves], ...] = (
    Field(Column("task", "Task"), lambda moves: moves.scored.task),
    Field(Column("model", "Model"), lambda moves: moves.scored.cell.arm.title),
    Field(Column("rises", "Rises at"), lambda moves: moves.rises),
    Field(Column("falls", "Falls at"), lambda moves: moves.falls),
)


def _moves(found: ProbingFindings) -> Table:
    """Where accuracy changes from one layer to the next."""
    kind = found.config.probe.kinds[0]
    every = [_Moves(each, *found.moves(each)) for arm in found.own for each in found.of(kind, arm)]
    n_falls = sum(moves.falls != "none" for moves in every)
    falls = "from one layer to the next"
    title = of_several(
        n_falls,
        len(every),
        f"In {{}} cases accuracy falls {falls} by more than chance",
        f"Accuracy is not shown to fall {falls}",
        f"Accuracy falls {falls} by more than chance",
    )
    note = (
        "Paired bootstrap of neighbouring layers (Berg-Kirkpatrick et al. 2012), doubled, because the direction was "
        "chosen after looking; "
    )
    note += "p-values too small for the resamples come from the normal tail. "
    note += "Holm's adjustment over all layers, tasks and languages of a model."
    return make_table(Heading("neighbours", title, note, _keys(found, kind)), _MOVE_FIELDS, every)


def twins_section(found: ProbingFindings) -> list[Section]:
    """What is not shown to be better than random weights; nothing where there are no twins."""
    if not found.twins:
        return []
    every = sorted(found.twins, key=lambda pair: pair.difference.value)
    level = found.config.level
    same = [f"{pair.model.task} of {pair.model.cell.arm.title}" for pair in every if not pair.is_better(level)]
    title = of_several(
        len(same),
        len(every),
        "In {} cases a model is not shown to be better than its random weights",
        "The model is shown to be better than its random weights",
        "The model is not shown to be better than its random weights",
    )
    title += f": {', '.join(same)}" if 0 < len(same) <= 6 and len(every) > 1 else ""
    note = (
        "Each at the layer that is best on validation, on the same test items. A random encoder still passes the "
        "words on: "
    )
    note += "what it gives away can be read without training."
    keys = [each.model.key for each in found.twins] + [each.twin.key for each in found.twins]
    table = make_table(Heading("twins", title, note, keys), _twin_fields(found), every)
    return [Section("What is not shown to be better than random weights?", [table])]


def _twin_fields(found: ProbingFindings) -> list[Field[Twins]]:
    return [
        Field(Column("task", "Task"), lambda pair: pair.model.task),
        Field(Column("model", "Model"), lambda pair: pair.model.cell.arm.title),
        Field(Column("ours", "Trained", 1, "%"), lambda pair: _chosen_accuracy(pair.model)),
        Field(Column("twin", "Random weights", 1, "%"), lambda pair: _chosen_accuracy(pair.twin)),
        Field(
            Column("difference", "Difference", 1, "points"),
            lambda pair: (
                pair.difference
                if pair.is_better(found.config.level)
                else Marked(pair.difference, note="Not shown to be better than random")
            ),
        ),
        Field(
            Column("p", "p", 3, "p-value", f"{_twin_test(found)}, Holm's adjustment over the table"),
            lambda pair: pair.p_value,
        ),
    ]


def _twin_test(found: ProbingFindings) -> str:
    """What model and twin are compared with."""
    several = found.config.probe.kinds[0] == "mlp" and len(found.config.probe.seeds) > 1
    return "variance components over seeds and items" if several else "McNemar's test"


def baselines_section(found: ProbingFindings) -> Section:
    """Tables 7–10: what needs no encoder at all."""
    return Section("What needs no encoder?", [_baselines(found, kind) for kind in found.config.probe.kinds])


def _baselines(found: ProbingFindings, kind: str) -> Table:
    gains, level = found.over_baselines(kind), found.config.level
    shown = found.baselines
    fields: list[Field[_Task]] = [
        _TASK,
        Field(Column("majority", "Majority", 1, "%"), lambda task: found.facts[task.language, task.name].majority),
        *(
            Field(Column(f"b{place}", arm.title, 1, "%"), partial(_baseline_cell, found, kind, arm))
            for place, arm in enumerate(shown)
        ),
        Field(
            Column("model", "Best model", 1, "%", "the best layer of the best model, for comparison"),
            partial(_best_model, found, kind),
        ),
        Field(
            Column("gain", "Over the best baseline", 1, "points", GAIN_NOTE),
            lambda task: _gain_cell(gains.get((task.language, task.name)), level),
        ),
        *(
            Field(Column(_key(arm.paper), arm.paper, 1, "%", published=True), partial(_printed_share, found, kind, arm))
            for arm in {arm.paper: arm for arm in shown if arm.paper}.values()
        ),
    ]
    easy = sum(not gain.is_better(level) for gain in gains.values())
    title = of_several(
        easy,
        len(gains),
        "On {} tasks the best model is not shown to be better than a baseline",
        "The best model is shown to be better than every baseline",
        "The best model is not shown to be better than a baseline",
    )
    title = f"{title} ({KIND_TITLES[kind]})" if gains else f"Baselines ({KIND_TITLES[kind]})"
    keys = [each.key for arm in shown for each in found.of(kind, arm)]
    note = found.beside.note if any(arm.paper for arm in shown) else ""
    return make_table(Heading(f"baselines-{kind}", title, note, keys), fields, _tasks(found))


def _best_model(found: ProbingFindings, kind: str, task: _Task) -> Cell:
    """The highest accuracy at the best layer of a model that was probed on the task."""
    ours = [scored.best.value for arm in found.own if (scored := _scored(found, kind, arm, task))]
    return max(ours) if ours else Missing("no model was probed")


def _gain_cell(gain: Twins | None, level: float) -> Cell:
    if gain is None:
        return Missing("no model and baseline to compare")
    return gain.difference if gain.is_better(level) else Marked(gain.difference, note=NOT_OVER)


def _printed_share(found: ProbingFindings, kind: str, arm: Arm, task: _Task) -> Cell:
    number = _printed(found, kind, arm, task)
    return printed_cell(None if number is None else number.accuracy / 100)


def _baseline_cell(found: ProbingFindings, kind: str, arm: Arm, task: _Task) -> Cell:
    scored = _scored(found, kind, arm, task)
    if scored is None:
        return Missing(TOO_MANY if task.language in arm.languages else NOT_PROBED)
    return scored.best if scored.above_majority else Marked(scored.best, note=NOT_ABOVE)


def _key(name: str) -> str:
    return "paper_" + name.lower().replace(" ", "_").replace("-", "_")


def _keys(found: ProbingFindings, kind: str) -> list[str]:
    return [each.key for arm in found.models for each in found.of(kind, arm)]
