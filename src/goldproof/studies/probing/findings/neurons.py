"""The section on single neurons: how the top ones spread over layers, and whether they matter (Figures 2, 10–14)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from goldproof.measures.neurons import Ablation
from goldproof.report.charts import Caption
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.names import of_several
from goldproof.report.summary import Cell, Column, Item, Marked, Missing, Section, Table, Text
from goldproof.studies.probing.findings.layers import curve_rows, layer_curves
from goldproof.studies.probing.scores import TOO_MANY, LayerScores, ProbingFindings
from goldproof.studies.probing.settings import Config
from goldproof.studies.probing.steps import Ranked


def neurons_section(found: ProbingFindings) -> list[Section]:
    """Top neurons of each model; nothing where they were not asked for."""
    config = found.config
    every = [each for arm in found.own for each in found.of(config.probe.kinds[0], arm)]
    if not config.neurons.run or not every:
        return []
    ranked = {each.key: found.value("neurons", *each.cell.where) for each in every}
    keys = [found.key("neurons", *each.cell.where) for each in every]
    shown = [each for each in every if ranked[each.key] is not None]
    items: list[Item] = [_table(every, ranked, config, keys)]
    if shown:
        items.insert(0, _histogram(found, shown, ranked, keys))
    items += [Text(line) for line in _unsettled(every, ranked)]
    return [Section("Which neurons carry it?", items)]


def _unsettled(every: list[LayerScores], ranked: dict[str, Ranked | None]) -> list[str]:
    """The cases whose sparse probe did not reach its optimum."""
    return [
        f"{each.task}, {each.cell.arm.title}: not converged: KKT residual {one.residual:.2g} times λ₁, where "
        f"{one.tolerance:g} is required; which neurons have weight is not settled."
        for each in every
        if (one := ranked[each.key]) is not None and not one.is_settled
    ]


def _histogram(
    found: ProbingFindings, shown: list[LayerScores], ranked: dict[str, Ranked | None], keys: list[str]
) -> Item:
    def shares(each: LayerScores) -> list[float]:
        one = ranked[each.key]
        assert one is not None
        return [int(count) / max(1, int(one.histogram.sum())) for count in one.histogram]

    choice = found.config.neurons
    what = f"the top {100 * choice.share:g} % of neurons by {choice.by}"
    most = max(shown, key=lambda each: max(shares(each)))
    place = max(range(len(shares(most))), key=lambda layer: shares(most)[layer])
    top = f"at most {100 * shares(most)[place]:.0f} %, in layer {most.probed.layers[place]} on {most.task}"
    title = f"No layer holds all of {what}: {top}" if shares(most)[place] < 1 else f"One layer holds all of {what}"
    caption = Caption("neurons", title, "A probe on all layers together.", keys)
    return layer_curves(curve_rows(found, shown, shares), Column("value", "Share of top neurons", 0, "%"), caption)


@dataclass(frozen=True, slots=True)
class _Neurons:
    """A score and its top neurons; None where the task has too many classes."""

    scored: LayerScores
    ranked: Ranked | None

    def ablation(self, mode: str) -> Ablation | None:
        """The probe on the top neurons ("keep") or without them ("remove"); None where that cannot be tried."""
        ablations = self.ranked.ablations if self.ranked else ()
        return next((each for each in ablations if each.mode == mode), None)


def _ranked_cell(read: Callable[[Ranked], Cell], row: _Neurons) -> Cell:
    return Missing(TOO_MANY) if row.ranked is None else read(row.ranked)


def _ablation_cell(mode: str, read: Callable[[Ablation], Cell], row: _Neurons) -> Cell:
    ablation = row.ablation(mode)
    if ablation is not None:
        return read(ablation)
    return Missing(TOO_MANY if row.ranked is None else "no neuron has weight, or all have")


def _overlap(place: int, ranked: Ranked) -> Cell:
    return Missing("fewer than two samples") if ranked.overlap is None else ranked.overlap[place]


def _n_weights(ranked: Ranked) -> Cell:
    return ranked.n_weights if ranked.is_settled else Marked(ranked.n_weights, note="Not converged")


def _mean_random(ablation: Ablation) -> float:
    return sum(ablation.random) / len(ablation.random)


def _ablation_fields(mode: str, columns: tuple[Column, Column, Column]) -> list[Field[_Neurons]]:
    """Accuracy with the top neurons kept or removed, with as many random ones, and the p-value."""
    reads: tuple[Callable[[Ablation], Cell], ...] = (lambda a: a.accuracy, _mean_random, lambda a: a.p_value)
    return [Field(column, partial(_ablation_cell, mode, read)) for column, read in zip(columns, reads, strict=True)]


_KEPT = (
    Column("kept", "Top alone", 1, "%"),
    Column(
        "kept_random", "Random alone", 1, "%", ("mean of random sets with the same number of neurons from each layer")
    ),
    Column("kept_p", "p", 3, "p-value", "share of random sets that do at least as well"),
)
_REMOVED = (
    Column("removed", "Without top", 1, "%"),
    Column("removed_random", "Without random", 1, "%"),
    Column("removed_p", "p", 3, "p-value"),
)
_NEURON_FIELDS: tuple[Field[_Neurons], ...] = (
    Field(Column("task", "Task"), lambda row: row.scored.task),
    Field(Column("model", "Model"), lambda row: row.scored.cell.arm.title),
    Field(Column("n", "Top neurons"), partial(_ranked_cell, lambda ranked: int(ranked.histogram.sum()))),
    Field(
        Column("weights", "With weight", note="neurons with non-zero weight in the sparse probe"),
        partial(_ranked_cell, _n_weights),
    ),
    Field(
        Column("accuracy", "All neurons", 1, "%", "sparse probe on all layers together"),
        partial(_ranked_cell, lambda ranked: ranked.test_accuracy),
    ),
    *_ablation_fields("keep", _KEPT),
    *_ablation_fields("remove", _REMOVED),
    Field(
        Column("overlap", "Overlap", 2, "", "mean Jaccard overlap of the top sets over samples of the training items"),
        partial(_ranked_cell, partial(_overlap, 0)),
    ),
    Field(Column("chance", "By chance", 2), partial(_ranked_cell, partial(_overlap, 1))),
)


def _table(every: list[LayerScores], ranked: dict[str, Ranked | None], config: Config, keys: list[str]) -> Table:
    level, n_random = config.level, config.neurons.n_random
    rows = [_Neurons(each, ranked[each.key]) for each in every]
    tested = [ablation.p_value for row in rows if (ablation := row.ablation("keep")) is not None]
    better = sum(p <= 1 - level + 1e-9 for p in tested)
    than = "better than random ones from the same layers"
    title = of_several(
        better,
        len(tested),
        f"In {{}} cases the top neurons alone do {than}",
        f"The top neurons alone are not shown to do {than}",
        f"The top neurons alone do {than}",
    )
    if n_random < level / (1 - level) - 1e-9:
        title = f"Top neurons against random ones from the same layers; {n_random} random sets are too few for a test"
    note = (
        "Elastic net on all layers side by side; neurons ranked by cumulative weight mass (Durrani et al. 2020). "
        "Probes are "
    )
    note += "refitted to each set; p cannot be smaller than 1 over the number of random sets plus 1; not adjusted: "
    note += f"about {(1 - level) * len(tested):.1f} cases would do so by chance."
    return make_table(Heading("neurons-table", title, note, keys), _NEURON_FIELDS, rows)
