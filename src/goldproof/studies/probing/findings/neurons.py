"""The section on single neurons: how the top ones spread over layers, and whether they matter (Figures 2, 10–14)."""

from __future__ import annotations

from goldproof.measures.neurons import Ablation
from goldproof.report.charts import Caption
from goldproof.report.summary import Cell, Column, Item, Marked, Missing, Section, Table, Text
from goldproof.studies.probing.findings.layers import curve_rows, layer_curves
from goldproof.studies.probing.plan import neurons_job
from goldproof.studies.probing.scores import TOO_MANY
from goldproof.studies.probing.scores import LayerScores as Scored
from goldproof.studies.probing.scores import ProbingFindings as Findings
from goldproof.studies.probing.settings import Config
from goldproof.studies.probing.steps import Ranked


def neurons_section(found: Findings) -> list[Section]:
    """Top neurons of each model; nothing where they were not asked for."""
    config = found.config
    every = [each for arm in found.own for each in found.of(config.probe.kinds[0], arm)]
    if not config.neurons.run or not every:
        return []
    jobs = {each.key: neurons_job(config, each.cell) for each in every}
    ranked = {key: found.results[job] for key, job in jobs.items()}
    keys = [job.key for job in jobs.values()]
    shown = [each for each in every if ranked[each.key] is not None]
    items: list[Item] = [_table(every, ranked, config, keys)]
    if shown:
        items.insert(0, _histogram(found, shown, ranked, keys))
    items += [Text(line) for line in _unsettled(every, ranked)]
    return [Section("Which neurons carry it?", items)]


def _unsettled(every: list[Scored], ranked: dict[str, Ranked | None]) -> list[str]:
    """The cases whose sparse probe did not reach its optimum."""
    return [
        f"{each.task}, {each.cell.arm.title}: not converged: KKT residual {one.residual:.2g} times λ₁, where "
        f"{one.tolerance:g} is asked for; which neurons have weight is not settled."
        for each in every
        if (one := ranked[each.key]) is not None and not one.is_settled
    ]


def _histogram(found: Findings, shown: list[Scored], ranked: dict[str, Ranked | None], keys: list[str]) -> Item:
    def shares(each: Scored) -> list[float]:
        one = ranked[each.key]
        assert one is not None
        return [int(count) / max(1, int(one.histogram.sum())) for count in one.histogram]

    choice = found.config.neurons
    what = f"the top {100 * choice.share:g} % of neurons by {choice.by}"
    most = max(shown, key=lambda each: max(shares(each)))
    place = max(range(len(shares(most))), key=lambda layer: shares(most)[layer])
    top = f"{100 * shares(most)[place]:.0f} % at most, in layer {most.probed.layers[place]} on {most.task}"
    title = f"No layer holds all of {what}: {top}" if shares(most)[place] < 1 else f"One layer holds all of {what}"
    caption = Caption("neurons", title, "A probe on all layers together.", keys)
    return layer_curves(curve_rows(found, shown, shares), Column("value", "Share of top neurons", 0, "%"), caption)


def _table(every: list[Scored], ranked: dict[str, Ranked | None], config: Config, keys: list[str]) -> Table:
    level, n_random = config.level, config.neurons.n_random
    rows = [_row(each, ranked[each.key]) for each in every]
    tested = [row["kept_p"] for row in rows if isinstance(row["kept_p"], float)]
    better = sum(p <= 1 - level + 1e-9 for p in tested)
    title = f"In {better} of {len(tested)} cases the top neurons alone do better than random ones of the same layers"
    if n_random < level / (1 - level) - 1e-9:
        title = f"Top neurons against random ones of the same layers; {n_random} random sets are too few for a test"
    columns = [
        Column("task", "Task"),
        Column("model", "Model"),
        Column("n", "Top neurons"),
        Column("weights", "With weight", note="neurons whose weight in the sparse probe is not zero"),
        Column("accuracy", "All neurons", 1, "%", "sparse probe on all layers together"),
        Column("kept", "Top alone", 1, "%"),
        Column("kept_random", "Random alone", 1, "%", "mean of random sets with as many neurons of each layer"),
        Column("kept_p", "p", 3, "p-value", "share of random sets that do at least as well"),
        Column("removed", "Without top", 1, "%"),
        Column("removed_random", "Without random", 1, "%"),
        Column("removed_p", "p", 3, "p-value"),
        Column("overlap", "Overlap", 2, "", "mean Jaccard overlap of the top sets of samples of the training items"),
        Column("chance", "By chance", 2),
    ]
    note = (
        "Elastic net on all layers side by side; neurons by cumulative weight mass (Durrani et al. 2020). Probes are "
    )
    note += "fitted anew to each set; p cannot be smaller than 1 over the number of random sets plus 1; not adjusted: "
    note += f"about {(1 - level) * len(tested):.1f} cases would do so by chance."
    return Table("neurons-table", title, columns, rows, note, keys)


def _row(each: Scored, ranked: Ranked | None) -> dict[str, Cell]:
    row: dict[str, Cell] = {"task": each.task, "model": each.cell.arm.title}
    names = ("n", "weights", "accuracy", "kept", "kept_random", "kept_p", "removed", "removed_random", "removed_p")
    reason = TOO_MANY if ranked is None else "no neuron has weight, or all have"
    row |= {name: Missing(reason) for name in (*names, "overlap", "chance")}
    if ranked is None:
        return row
    weights = ranked.n_weights if ranked.is_settled else Marked(ranked.n_weights, note="Not converged")
    row |= {"n": int(ranked.histogram.sum()), "weights": weights, "accuracy": ranked.test_accuracy}
    for ablation in ranked.ablations:
        row |= _ablation_cells("kept" if ablation.mode == "keep" else "removed", ablation)
    row |= {"overlap": Missing("fewer than two samples"), "chance": Missing("fewer than two samples")}
    if ranked.overlap is not None:
        row |= {"overlap": ranked.overlap[0], "chance": ranked.overlap[1]}
    return row


def _ablation_cells(name: str, ablation: Ablation) -> dict[str, Cell]:
    mean = sum(ablation.random) / len(ablation.random)
    return {name: ablation.accuracy, f"{name}_random": mean, f"{name}_p": ablation.p_value}
