"""The sections on probes: the best layers in the shape of the paper's tables, curves, twins and baselines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from goldproof.report.charts import Caption, curves
from goldproof.report.summary import Cell, Column, Figure, Item, Marked, Missing, Section, Table, Text
from goldproof.studies.probing.plan import Arm
from goldproof.studies.probing.published import BASELINES, MODELS, best_printed, canonical_name, printed
from goldproof.studies.probing.scores import NOT_PRINTED, THIRDS, TOO_MANY, Twins, ranges, task_title
from goldproof.studies.probing.scores import LayerScores as Scored
from goldproof.studies.probing.scores import ProbingFindings as Findings

KIND_TITLES = {"logistic": "logistic regression", "mlp": "MLP"}
NOT_PROBED = "not probed in this language"
NOT_ABOVE = "Not shown to be above the majority class: its band reaches below it"
NOT_OVER = "Not shown to be better than the best baseline"
MOST_NAMES = 5


def layers_section(found: Findings) -> Section:
    """Who knows what, and where."""
    items: list[Item] = [_best(found, kind) for kind in found.config.probe.kinds]
    items += [_where(found), *(_curves(found, kind) for kind in found.config.probe.kinds), _moves(found)]
    return Section("Which layer knows it?", [*items, *(Text(line) for line in _collapsed(found))])


def _collapsed(found: Findings) -> list[str]:
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
    more = f"; and {len(every) - MOST_NAMES} cases more" if len(every) > MOST_NAMES else ""
    line = (
        f"{total} of {n_probes} probes collapsed, giving one answer to nearly all test items: {'; '.join(names)}{more}."
    )
    return [line + " Of several seeds, those that did not are averaged."]


def _best(found: Findings, kind: str) -> Table:
    """Tables 1 and 3–6: the best layer's accuracy and its number."""
    rows = []
    for language, task in found.tasks:
        row: dict[str, Cell] = {"task": task_title(task, language)}
        for place, arm in enumerate(found.models):
            row[f"m{place}"] = _best_cell(found, kind, arm, language, task)
            number = printed(kind, language, canonical_name(task), arm.title)
            row[f"p{place}"] = Missing(NOT_PRINTED) if number is None else str(number)
        top = best_printed(kind, language, canonical_name(task))
        row["paper"] = Missing(NOT_PRINTED) if top is None else f"{top[1]} {top[0]}"
        rows.append(row)
    columns = [Column("task", "Task")]
    for place, arm in enumerate(found.models):
        columns.append(Column(f"m{place}", arm.title))
        if arm.title in MODELS:
            columns.append(Column(f"p{place}", arm.title, published=True))
    columns.append(Column("paper", "Best of five", published=True))
    tied = sum(len(each.tests.tied) > 1 for arm in found.own for each in found.of(kind, arm))
    total = sum(len(found.of(kind, arm)) for arm in found.own)
    title = f"Best layer of each model ({KIND_TITLES[kind]}): in {tied} of {total} cases others cannot be told from it"
    note = (
        "Accuracy in percent and, in brackets, the layer that is best on test, as in the paper; 0 is the embeddings. "
    )
    note += "The paper's numbers are on RuSentEval (ru) and SentEval (en), 100,000 training sentences each."
    return Table(f"best-{kind}", title, found.columns(columns), rows, note, _keys(found, kind))


def _best_cell(found: Findings, kind: str, arm: Arm, language: str, task: str) -> Cell:
    scored = found.scored.get((kind, arm.title, language, task))
    if scored is None:
        return Missing(NOT_PROBED)
    text = f"{100 * scored.best.value:.1f} [{scored.best_layer}]"
    return text if scored.above_majority else Marked(text, note=NOT_ABOVE)


def _where(found: Findings) -> Table:
    """The best layer with its band, and the layers tied with it."""
    kind = found.config.probe.kinds[0]
    rows: list[dict[str, Cell]] = []
    every = [each for arm in found.own for each in found.of(kind, arm)]
    for each in every:
        chosen = each.probed.chosen
        rows.append(
            {
                "task": each.task,
                "model": each.cell.arm.title,
                "accuracy": each.best,
                "layer": each.best_layer,
                "tied": each.tied,
                "chosen": each.probed.layers[chosen],
                "chosen_accuracy": float(each.probed.accuracy[chosen]),
                "majority": each.majority,
            }
        )
    columns = [
        Column("task", "Task"),
        Column("model", "Model"),
        Column("accuracy", "Best on test", 1, "%", "band that holds for all layers of the model together"),
        Column("layer", "Layer"),
        Column("tied", "May be the best", note="layers that cannot be told from the best on these items"),
        Column("chosen", "Layer by validation"),
        Column("chosen_accuracy", "Its accuracy", 1, "%"),
        Column("majority", "Majority", 1, "%"),
    ]
    widest = max(every, key=lambda each: len(each.tests.tied))
    title = f"On {widest.task}, {len(widest.tests.tied)} of {len(widest.probed.layers)} layers of "
    title += f"{widest.cell.arm.title} cannot be told from the best"
    return Table("where", title, columns, rows, "", _keys(found, kind))


def _curves(found: Findings, kind: str) -> Figure:
    """Accuracy over layers, one panel for each task and language."""
    shown = [each for arm in found.models for each in found.of(kind, arm)]
    rows = curve_rows(found, shown, lambda each: each.tests.bands)
    title = f"Accuracy over layers ({KIND_TITLES[kind]}) peaks, {_early(found, kind)}"
    note = "Bands hold for all layers of a curve together."
    caption = Caption(f"curves-{kind}", title, note, _keys(found, kind))
    return layer_curves(rows, Column("value", "Accuracy", 1, "%"), caption)


def _early(found: Findings, kind: str) -> str:
    """Where properties peak, in a few words: only where all layers that may be the best lie in one third."""
    thirds = [each.third for arm in found.own for each in found.of(kind, arm) if not each.is_collapsed]
    parts = [f"in {n} in the {name} third" for name in THIRDS if (n := thirds.count(name))]
    parts += [f"in {n} nobody can tell in which third"] if (n := thirds.count("")) else []
    return f"of {len(thirds)} cases {', '.join(parts)}"


def curve_rows(
    found: Findings, shown: Sequence[Scored], values: Callable[[Scored], Sequence[Cell]]
) -> list[dict[str, Cell]]:
    """A row for each layer of each score, tasks in order and languages side by side."""
    order = {place: number for number, place in enumerate(_side_by_side(found))}
    ranked = sorted(shown, key=lambda each: order[each.cell.language, each.cell.task])
    return [
        {"panel": each.task, "model": each.cell.arm.title, "layer": layer, "value": value}
        for each in ranked
        for layer, value in zip(each.probed.layers, values(each), strict=True)
    ]


def _side_by_side(found: Findings) -> list[tuple[str, str]]:
    """Languages and tasks, the languages of a task next to each other."""
    first = list(dict.fromkeys(task for _, task in found.tasks))
    return sorted(found.tasks, key=lambda place: first.index(place[1]))


def layer_curves(rows: Sequence[dict[str, Cell]], value: Column, caption: Caption) -> Figure:
    """Curves over layers, a line for each model and a panel for each task."""
    across, series = Column("layer", "Layer", 0), Column("model", "Model")
    return curves(rows, across, value, caption=caption, series=series, facet=Column("panel", ""))


def _moves(found: Findings) -> Table:
    """Where accuracy changes from one layer to the next."""
    kind, rows = found.config.probe.kinds[0], []
    for arm in found.own:
        for each in found.of(kind, arm):
            rises, falls = found.moves(each)
            rows.append({"task": each.task, "model": arm.title, "rises": rises, "falls": falls})
    columns = [
        Column("task", "Task"),
        Column("model", "Model"),
        Column("rises", "Rises at"),
        Column("falls", "Falls at"),
    ]
    n_falls = sum(row["falls"] != "none" for row in rows)
    title = f"In {n_falls} of {len(rows)} cases accuracy falls from one layer to the next by more than chance"
    note = (
        "Paired bootstrap of neighbouring layers (Berg-Kirkpatrick et al. 2012), doubled, as the direction was seen; "
    )
    note += "a p too small for the resamples is the normal tail. "
    note += "Holm's adjustment over all layers, tasks and languages of a model."
    return Table("neighbours", title, columns, rows, note, _keys(found, kind))


def twins_section(found: Findings) -> list[Section]:
    """What is not shown to be better than random weights; nothing where there are no twins."""
    if not found.twins:
        return []
    rows: list[dict[str, Cell]] = []
    for each in sorted(found.twins, key=lambda pair: pair.difference.value):
        better = each.is_better(found.config.level)
        rows.append(
            {
                "task": each.model.task,
                "model": each.model.cell.arm.title,
                "ours": float(each.model.probed.accuracy[each.model.probed.chosen]),
                "twin": float(each.twin.probed.accuracy[each.twin.probed.chosen]),
                "difference": each.difference
                if better
                else Marked(each.difference, note="Not shown to be better than random"),
                "p": each.p_value,
            }
        )
    columns = [
        Column("task", "Task"),
        Column("model", "Model"),
        Column("ours", "Trained", 1, "%"),
        Column("twin", "Random weights", 1, "%"),
        Column("difference", "Difference", 1, "points"),
        Column("p", "p", 3, "p-value", f"{_twin_test(found)}, Holm's adjustment over the table"),
    ]
    same = [f"{row['task']} of {row['model']}" for row in rows if isinstance(row["difference"], Marked)]
    title = f"In {len(same)} of {len(rows)} cases a model is not shown to be better than its random weights"
    title += f": {', '.join(same)}" if 0 < len(same) <= 6 else ""
    note = "Each at the layer that is best on validation, the same test items. A random encoder still passes words on: "
    note += "what it gives away needs no training to be read."
    keys = [each.model.key for each in found.twins] + [each.twin.key for each in found.twins]
    heading = "What is not shown to be better than random weights?"
    return [Section(heading, [Table("twins", title, columns, rows, note, keys)])]


def _twin_test(found: Findings) -> str:
    """What model and twin are compared with."""
    several = found.config.probe.kinds[0] == "mlp" and len(found.config.probe.seeds) > 1
    return "variance components over seeds and items" if several else "McNemar's test"


def baselines_section(found: Findings) -> Section:
    """Tables 7–10: what needs no encoder at all."""
    return Section("What needs no encoder?", [_baselines(found, kind) for kind in found.config.probe.kinds])


def _baselines(found: Findings, kind: str) -> Table:
    rows, gains = [], found.over_baselines(kind)
    shown = [arm for arm in found.baselines if kind == "logistic" or found.of(kind, arm)]
    for language, task in found.tasks:
        row: dict[str, Cell] = {"task": task_title(task, language), "majority": found.facts[language, task].majority}
        for place, arm in enumerate(shown):
            scored = found.scored.get((kind, arm.title, language, task))
            row[f"b{place}"] = _baseline_cell(scored, language in arm.languages)
        ours = [s.best.value for arm in found.own if (s := found.scored.get((kind, arm.title, language, task)))]
        row["model"] = max(ours) if ours else Missing("no model was probed")
        row["gain"] = _gain_cell(gains.get((language, task)), found.config.level)
        for name in BASELINES:
            number = printed(kind, language, canonical_name(task), name)
            row[_key(name)] = Missing(NOT_PRINTED) if number is None else number.accuracy / 100
        rows.append(row)
    columns = [Column("task", "Task"), Column("majority", "Majority", 1, "%")]
    columns += [Column(f"b{place}", arm.title, 1, "%") for place, arm in enumerate(shown)]
    columns.append(Column("model", "Best model", 1, "%", "the best layer of the best model, for comparison"))
    gain_note = "best model − best baseline, both and their layers chosen on validation; Holm's adjustment for the mark"
    columns.append(Column("gain", "Over the best baseline", 1, "points", gain_note))
    columns += [Column(_key(name), name, 1, "%", published=True) for name in BASELINES]
    easy = sum(not gain.is_better(found.config.level) for gain in gains.values())
    title = f"On {easy} of {len(gains)} tasks the best model is not shown to be better than a baseline"
    title = f"{title} ({KIND_TITLES[kind]})" if gains else f"Baselines ({KIND_TITLES[kind]})"
    keys = [each.key for arm in shown for each in found.of(kind, arm)]
    return Table(
        f"baselines-{kind}", title, found.columns(columns), rows, "Sparse features have a logistic probe only.", keys
    )


def _gain_cell(gain: Twins | None, level: float) -> Cell:
    if gain is None:
        return Missing("no model and baseline to compare")
    return gain.difference if gain.is_better(level) else Marked(gain.difference, note=NOT_OVER)


def _baseline_cell(scored: Scored | None, is_probed: bool) -> Cell:
    if scored is None:
        return Missing(TOO_MANY if is_probed else NOT_PROBED)
    return scored.best if scored.above_majority else Marked(scored.best, note=NOT_ABOVE)


def _key(name: str) -> str:
    return "paper_" + name.lower().replace(" ", "_").replace("-", "_")


def _keys(found: Findings, kind: str) -> list[str]:
    return [each.key for arm in found.models for each in found.of(kind, arm)]
