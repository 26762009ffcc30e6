"""The findings: how much of each zero-shot score is luck of the checkpoint; the paper's numbers stand beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from goldproof.judging.checkpoints.analysis import TransferSettings, analyse
from goldproof.judging.checkpoints.guide import Counting
from goldproof.judging.checkpoints.report import Context, transfer_report
from goldproof.judging.checkpoints.wide import PrintedRow, WideRow, wide_table
from goldproof.report.fields import Heading
from goldproof.report.numbers import count
from goldproof.report.summary import Missing, Report, Section, Table
from goldproof.studies.own import has_own
from goldproof.studies.shared import only_model
from goldproof.studies.transfer import published
from goldproof.studies.transfer.gather import TransferValues
from goldproof.studies.transfer.parts import corpora_in_words
from goldproof.studies.transfer.plan import make_recipe
from goldproof.studies.transfer.scores import with_paper
from goldproof.studies.transfer.settings import Config


def make_report(config: Config, gathered: TransferValues) -> Report:
    """What was found with these settled settings."""
    given = config.analysis
    counting = Counting(given.threshold, given.ties, given.across_runs)
    found = analyse(gathered.experiment, TransferSettings(margin=given.margin, counting=counting))
    paper = with_paper(config)
    context = Context(
        printed=printed_rows(config.data.corpus) if paper.stands else {},
        keys=list(gathered.keys),
        notes=(*gathered.notes, *cut_notes(config, gathered), *filter(None, [paper.note])),
        sections=_literature(config),
        provenance=_provenance(config, gathered),
    )
    return transfer_report(found, context)


def printed_rows(corpus: str) -> Mapping[str, Sequence[PrintedRow]]:
    """The rows that the paper prints for a corpus, by table, as shares."""
    if corpus not in published.TABLE_2:
        return {}
    ranges, oracles = published.TABLE_2[corpus], published.TABLE_4[corpus]
    return {
        "runs": [
            PrintedRow("Max", {name: _share(cell.highest) for name, cell in ranges.items()}),
            PrintedRow("Min", {name: _share(cell.lowest) for name, cell in ranges.items()}),
            PrintedRow("Δ", {name: _share(cell.delta) for name, cell in ranges.items()}),
        ],
        "agreement": [
            PrintedRow("en dev", published.AGREEMENT_SOURCE[corpus]),
            PrintedRow("target dev", published.AGREEMENT_TARGET[corpus]),
        ],
        "oracle": [
            PrintedRow("target dev (oracle)", {name: _share(cell.target_dev) for name, cell in oracles.items()}),
            PrintedRow("best en dev", {name: _share(cell.source_dev) for name, cell in oracles.items()}),
            PrintedRow("best published", {name: _share(cell.published) for name, cell in oracles.items()}),
        ],
    }


def _share(points: float | None) -> float | None:
    return None if points is None else points / 100


def _literature(config: Config) -> list[Section]:
    """Earlier results on the corpus, as the paper gathers them."""
    tables = () if has_own(config) else published.LITERATURE.get(config.data.corpus, ())
    if not tables:
        return []
    return [Section("Results in the literature", [_literature_table(config.data.corpus, each) for each in tables])]


def _literature_table(corpus: str, table: published.LiteratureTable) -> Table:
    every = [
        WideRow(
            f"{row.source} {row.model}",
            {
                language: Missing("lost in the available text") if value is None else value / 100
                for language, value in row.cells.items()
            },
        )
        for row in table.rows
    ]
    name = f"literature-{table.number}" + ("-em" if table.measure == "exact match" else "")
    title = f"Published baselines on {corpus} differ by points, too ({table.measure})"
    heading = Heading(name, title, f"As gathered by Keung et al. (2020), Table {table.number}.")
    return wide_table(heading, every, tuple(table.rows[0].cells))


def cut_notes(config: Config, gathered: TransferValues) -> list[str]:
    """Which sets have items that were cut to the longest input; languages take more tokens for the same text."""
    cut = {name: n for name, n in (gathered.truncated or {}).items() if n}
    if not cut:
        return []
    sizes = {f"{each.language}/{each.split}": each.first.n_items for each in gathered.experiment.sets.values()}
    first = [f"{config.source} train {count(cut['train'])}"] if "train" in cut else []
    rest = [
        f"{name.replace('/', ' ')} {count(cut[name])} of {count(n_items)}"
        for name, n_items in sizes.items()
        if name in cut
    ]
    what = "Questions longer than half an input were cut" if config.task == "question" else "Items were cut"
    longest = f" ({config.recipe.max_length} tokens)" if config.recipe.max_length else ""
    return [f"{what} to the maximum input length{longest} in: {'; '.join([*first, *rest])}."]


def _provenance(config: Config, gathered: TransferValues) -> dict[str, str | int | float]:
    recipe = make_recipe(config)
    cut = gathered.truncated
    tested = {} if cut is None else {"items cut to the maximum input length, over all sets": sum(cut.values())}
    return {
        "corpus": corpora_in_words(config),
        "task": config.task,
        "model": only_model(config.model).title,
        "runs": gathered.experiment.n_runs,
        "checkpoints": len(gathered.experiment.steps),
        "epochs": recipe.epochs,
        "batch": recipe.batch,
        "learning rate": recipe.learning_rate,
        "schedule": recipe.schedule,
        "precision": recipe.precision,
        "stopped early at step": ", ".join(map(str, gathered.stopped)) or "no run",
        **tested,
    }
