"""The section on what a probe could memorise: control tasks with selectivity, and online description length."""

from __future__ import annotations

from goldproof.report.charts import Caption
from goldproof.report.summary import Cell, Column, Item, Marked, Missing, Section, Table
from goldproof.studies.probing.findings.layers import curve_rows, layer_curves
from goldproof.studies.probing.plan import code_job, selectivity_job
from goldproof.studies.probing.scores import TOO_MANY
from goldproof.studies.probing.scores import LayerScores as Scored
from goldproof.studies.probing.scores import ProbingFindings as Findings

NOT_RUN = "not asked for"


def controls_section(found: Findings) -> list[Section]:
    """Selectivity and description length of every model and layer; nothing where neither was asked for."""
    config = found.config
    every = [each for arm in found.models for each in found.of(config.probe.kinds[0], arm)]
    if not every or not (config.selectivity or config.description_length):
        return []
    items: list[Item] = [_table(found, every)]
    if config.description_length:
        items += _lengths(found, every)
    return [Section("Is it in the layer, or in the probe?", items)]


def _table(found: Findings, every: list[Scored]) -> Table:
    rows: list[dict[str, Cell]] = []
    keys: list[str] = []
    for each in every:
        row: dict[str, Cell] = {"task": each.task, "model": each.cell.arm.title}
        row["layer"] = each.probed.layers[each.probed.chosen]
        row |= {name: Missing(NOT_RUN) for name in ("control", "selectivity", "bits", "compression")}
        row |= _control_cells(found, each, keys) if found.config.selectivity else {}
        row |= _code_cells(found, each, keys) if found.config.description_length else {}
        rows.append(row)
    columns = [
        Column("task", "Task"),
        Column("model", "Model"),
        Column("layer", "Layer", note="the best on validation"),
        Column("control", "Control", 1, "%", "accuracy where each first word has a random label"),
        Column("selectivity", "Selectivity", 1, "points", "accuracy on the task minus that on the control"),
        Column("bits", "Bits a label", 3, "", "online code of the training labels; log2 of the classes knows nothing"),
        Column("compression", "Compression", 2, "×", "how many times shorter than the uniform code"),
    ]
    tested = [row["selectivity"] for row in rows if not isinstance(row["selectivity"], Missing)]
    none = sum(isinstance(cell, Marked) for cell in tested)
    title = f"In {none} of {len(tested)} cases a probe is not shown to do better on its task than on random labels"
    note = "Hewitt & Liang 2019; Voita & Titov 2020. Both with logistic probes. Intervals are over items, not adjusted."
    return Table("controls", title, columns, rows, note, keys)


def _control_cells(found: Findings, each: Scored, keys: list[str]) -> dict[str, Cell]:
    job = selectivity_job(found.config, each.cell)
    keys.append(job.key)
    control = found.results[job]
    if control is None:
        return {"control": Missing(TOO_MANY), "selectivity": Missing(TOO_MANY)}
    place = each.probed.chosen
    gained = control.difference[place]
    shown = Marked(gained, note="Not shown to be above 0") if gained.low <= 0 else gained
    return {"control": control.control[place], "selectivity": shown}


def _code_cells(found: Findings, each: Scored, keys: list[str]) -> dict[str, Cell]:
    job = code_job(found.config, each.cell)
    keys.append(job.key)
    code = found.results[job]
    if code is None:
        return {"bits": Missing(TOO_MANY), "compression": Missing(TOO_MANY)}
    bits = float(code.bits[each.probed.chosen])
    return {"bits": bits / code.n, "compression": code.uniform / bits}


def _lengths(found: Findings, every: list[Scored]) -> list[Item]:
    """Compression over layers."""
    codes = {each.key: found.results[code_job(found.config, each.cell)] for each in every}
    shown = [each for each in every if codes[each.key] is not None]
    if not shown:
        return []

    def compression(each: Scored) -> list[float]:
        code = codes[each.key]
        assert code is not None
        return [float(code.uniform / bits) for bits in code.bits]

    most = max(shown, key=lambda each: max(compression(each)))
    title = f"Given a layer, labels become shorter by up to {max(compression(most)):.2f} times: {most.task}, "
    caption = Caption("compression", title + most.cell.arm.title, "1 is no shorter than the code that knows nothing.")
    return [layer_curves(curve_rows(found, shown, compression), Column("value", "Compression", 2, "×"), caption)]
