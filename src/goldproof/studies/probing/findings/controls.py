"""The section on what a probe could memorise: control tasks with selectivity, and online description length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from goldproof.measures.selectivity import Selectivity
from goldproof.report.charts import Caption
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.names import of_several
from goldproof.report.summary import Cell, Column, Item, Marked, Missing, Section, Table
from goldproof.statistics.estimate import Estimate
from goldproof.studies.probing.findings.layers import curve_rows, layer_curves
from goldproof.studies.probing.scores import TOO_MANY, LayerScores, ProbingFindings
from goldproof.studies.probing.steps import Code

NOT_RUN = "not asked for"


def controls_section(found: ProbingFindings) -> list[Section]:
    """Selectivity and description length of every model and layer; nothing where neither was asked for."""
    config = found.config
    every = [each for arm in found.models for each in found.of(config.probe.kinds[0], arm)]
    if not every or not (config.selectivity or config.description_length):
        return []
    items: list[Item] = [_table(found, every)]
    if config.description_length:
        items += _lengths(found, every)
    return [Section("Is it in the layer, or in the probe?", items)]


@dataclass(frozen=True, slots=True)
class _Controlled:
    """A score, its control task and its description length; `no_control` and `no_code` say why one is None."""

    scored: LayerScores
    control: Selectivity | None
    code: Code | None
    no_control: str
    no_code: str

    @property
    def selectivity(self) -> Estimate | None:
        """Accuracy on the task minus that on the control, at the layer that is best on validation."""
        return None if self.control is None else self.control.difference[self.scored.probed.chosen]


def _control_cell(row: _Controlled) -> Cell:
    return Missing(row.no_control) if row.control is None else row.control.control[row.scored.probed.chosen]


def _selectivity_cell(row: _Controlled) -> Cell:
    gained = row.selectivity
    if gained is None:
        return Missing(row.no_control)
    return Marked(gained, note="Not shown to be above 0") if gained.low <= 0 else gained


def _code_cell(read: Callable[[Code, float], float], row: _Controlled) -> Cell:
    """What is read from the code and its length in bits at the layer that is best on validation."""
    if row.code is None:
        return Missing(row.no_code)
    return read(row.code, float(row.code.bits[row.scored.probed.chosen]))


_CONTROL_FIELDS: tuple[Field[_Controlled], ...] = (
    Field(Column("task", "Task"), lambda row: row.scored.task),
    Field(Column("model", "Model"), lambda row: row.scored.cell.arm.title),
    Field(
        Column("layer", "Layer", note="the best on validation"),
        lambda row: row.scored.probed.layers[row.scored.probed.chosen],
    ),
    Field(Column("control", "Control", 1, "%", "accuracy when each first word gets a random label"), _control_cell),
    Field(
        Column("selectivity", "Selectivity", 1, "points", "accuracy on the task minus that on the control"),
        _selectivity_cell,
    ),
    Field(
        Column(
            "bits",
            "Bits per label",
            3,
            "",
            "online code of the training labels; log2 of the number of classes means knowing nothing",
        ),
        partial(_code_cell, lambda code, bits: bits / code.n),
    ),
    Field(
        Column("compression", "Compression", 2, "×", "how many times shorter than the uniform code"),
        partial(_code_cell, lambda code, bits: code.uniform / bits),
    ),
)


def _table(found: ProbingFindings, every: list[LayerScores]) -> Table:
    config, rows = found.config, []
    keys: list[str] = []
    for each in every:
        row = _Controlled(each, None, None, NOT_RUN, NOT_RUN)
        if config.selectivity:
            row = replace(row, control=found.value("selectivity", *each.cell.where), no_control=TOO_MANY)
            keys.append(found.key("selectivity", *each.cell.where))
        if config.description_length:
            row = replace(row, code=found.value("code", *each.cell.where), no_code=TOO_MANY)
            keys.append(found.key("code", *each.cell.where))
        rows.append(row)
    tested = [row.selectivity for row in rows if row.selectivity is not None]
    none = sum(gained.low <= 0 for gained in tested)
    than = "better on its task than on random labels"
    title = of_several(
        none,
        len(tested),
        f"In {{}} cases a probe is not shown to do {than}",
        f"The probe does {than}",
        f"The probe is not shown to do {than}",
    )
    note = "Hewitt & Liang 2019; Voita & Titov 2020. Both with logistic probes. Intervals are over items, not adjusted."
    return make_table(Heading("controls", title, note, keys), _CONTROL_FIELDS, rows)


def _lengths(found: ProbingFindings, every: list[LayerScores]) -> list[Item]:
    """Compression over layers."""
    codes = {each.key: found.value("code", *each.cell.where) for each in every}
    shown = [each for each in every if codes[each.key] is not None]
    if not shown:
        return []

    def compression(each: LayerScores) -> list[float]:
        code = codes[each.key]
        assert code is not None
        return [float(code.uniform / bits) for bits in code.bits]

    most = max(shown, key=lambda each: max(compression(each)))
    title = compression_title(max(compression(most)), f"{most.task}, {most.cell.arm.title}")
    caption = Caption("compression", title, "1 means no shorter than the code that knows nothing.")
    return [layer_curves(curve_rows(found, shown, compression), Column("value", "Compression", 2, "×"), caption)]


def compression_title(most: float, where: str) -> str:
    """How much shorter the labels become at best, and where; a code that is longer than the uniform one is not shorter.

    >>> compression_title(2.714, "SentLen (ru), E5")
    'Given a layer, the code for the labels is up to 2.71 times shorter: SentLen (ru), E5'
    >>> compression_title(0.91, "BShift (en), E5")
    'Given no layer is the code for the labels shorter: 0.91 times at best, BShift (en), E5'
    """
    if most > 1:
        return f"Given a layer, the code for the labels is up to {most:.2f} times shorter: {where}"
    return f"Given no layer is the code for the labels shorter: {most:.2f} times at best, {where}"
