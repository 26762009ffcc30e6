"""The section on coarse probing: what fine-tuning with each seed does to what the layers know (Figures 16–18)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldproof.builders.entailment.categories import GROUP_TITLES
from goldproof.report.charts import Caption, curves
from goldproof.report.summary import Cell, Column, Figure, Item, Missing, Section, Table, Text
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import mean_interval
from goldproof.studies.probing.coarse import GROUPS, CoarseProbed, CoarseTasks, pretrained_job, tasks_job, tuned_job
from goldproof.studies.probing.scores import ProbingFindings as Findings

REFERENCES = {"rules": "the annotator's rules", "tags": "the experts' tags"}


@dataclass(frozen=True, slots=True, eq=False)
class _Language:
    name: str
    tasks: CoarseTasks
    instances: dict[str, CoarseProbed]
    keys: list[str]

    def accuracy(self, instance: str, group: str, reference: str) -> npt.NDArray[np.float64]:
        """Accuracy of each layer on the diagnostics."""
        gold = self.tasks.tagged[group] if reference == "tags" else self.tasks.test(group)
        predicted = self.instances[instance].probes[group].predicted[:, 0]
        return np.asarray((predicted.astype(bool) == gold).mean(axis=1))

    def collapsed(self, group: str) -> list[str]:
        """The fine-tuned instances whose probes of all layers give one answer to nearly everything."""
        tuned = [name for name in self.instances if name != "pretrained"]
        return [name for name in tuned if self.instances[name].probes[group].collapsed.all()]

    def kept(self, group: str) -> list[str]:
        """The fine-tuned instances that are judged: those that did not collapse, or all where all did."""
        tuned = [name for name in self.instances if name != "pretrained"]
        return [name for name in tuned if name not in self.collapsed(group)] or tuned

    def collapsed_lines(self) -> list[str]:
        """Who collapsed, by group."""
        n = len(self.instances) - 1
        return [
            f"{GROUP_TITLES[group]} ({self.name}): after fine-tuning with {', '.join(names)}, {len(names)} of {n}, the "
            "probes of all layers give one answer to nearly all pairs; the table has the others."
            for group in self.groups
            if (names := self.collapsed(group)) and len(names) < n
        ]

    @property
    def groups(self) -> list[str]:
        """The groups that could be probed."""
        return [group for group in GROUPS if group in self.instances["pretrained"].probes]


def coarse_section(found: Findings) -> list[Section]:
    """Curves of the pretrained and each fine-tuned instance; nothing without seeds."""
    if not found.config.coarse.seeds:
        return []
    languages = [_load(found, language) for language in found.config.coarse.languages]
    items: list[Item] = [_table(languages)]
    for reference in REFERENCES:
        items += _curves(languages, reference)
    reasons = [
        f"{lang.name}: {reason}." for lang in languages for reason in lang.instances["pretrained"].reasons.values()
    ]
    reasons += [line for lang in languages for line in lang.collapsed_lines()]
    return [Section("What does fine-tuning do to it?", [*items, *(Text(reason) for reason in reasons)])]


def _load(found: Findings, language: str) -> _Language:
    config = found.config
    jobs = {"pretrained": pretrained_job(config, language)}
    jobs |= {f"seed {seed}": tuned_job(config, language, seed) for seed in config.coarse.seeds}
    instances = {name: found.results[job] for name, job in jobs.items()}
    tasks = found.results[tasks_job(config, language)]
    return _Language(language, tasks, instances, [job.key for job in jobs.values()])


def _curves(languages: list[_Language], reference: str) -> list[Figure]:
    rows: list[dict[str, Cell]] = []
    for group in GROUPS:
        for language in languages:
            for name in language.instances if group in language.groups else ():
                layers = language.instances[name].probes[group].layers
                values = language.accuracy(name, group, reference)
                panel = f"{GROUP_TITLES[group]} ({language.name})"
                rows += [
                    {"panel": panel, "instance": name, "layer": layer, "value": float(value)}
                    for layer, value in zip(layers, values, strict=True)
                ]
    if not rows:
        return []
    means = [100 * _mean(rows, tuned) for tuned in (False, True)]
    title = f"By {REFERENCES[reference]}, accuracy is {means[0]:.1f} % before fine-tuning and {means[1]:.1f} % after it"
    note = "Mean over groups and layers. Is any feature of the group in the pair? "
    note += (
        "Linear probe on the joined vectors of both sentences, trained on entailment's train and validation pairs as "
    )
    note += "annotated by rules, L2 chosen on its test pairs. One diagnostics set: lines differ by the seed alone."
    caption = Caption(f"coarse-{reference}", title, note, [key for language in languages for key in language.keys])
    value, series = Column("value", "Accuracy", 1, "%"), Column("instance", "Instance")
    return [curves(rows, Column("layer", "Layer", 0), value, caption=caption, series=series, facet=Column("panel", ""))]


def _mean(rows: list[dict[str, Cell]], tuned: bool) -> float:
    values = [row["value"] for row in rows if (row["instance"] != "pretrained") == tuned]
    return float(np.mean([value for value in values if isinstance(value, float)]))


def _change(changes: npt.NDArray[np.float64]) -> Cell:
    """The change with its interval over seeds, unless there is nothing to make one from."""
    if len(changes) < 2:
        return Missing("needs at least two seeds")
    if not changes.any():
        return Missing("no change with any seed")
    return mean_interval(changes)


def _table(languages: list[_Language]) -> Table:
    rows: list[dict[str, Cell]] = []
    for language in languages:
        for group in language.groups:
            seeds = language.kept(group)
            before = language.accuracy("pretrained", group, "rules")
            after = np.array([language.accuracy(seed, group, "rules") for seed in seeds])
            changes = after.mean(axis=1) - before.mean()
            share = float(language.tasks.test(group).mean())
            row: dict[str, Cell] = {
                "task": f"{GROUP_TITLES[group]} ({language.name})",
                "share": float(language.tasks.found[group][np.array(language.tasks.splits) == "train"].mean()),
                "majority": max(share, 1 - share),
                "before": float(before.mean()),
                "after": float(after.mean()),
                "change": _change(changes),
                "spread": float(np.ptp(after, axis=0).max()),
                "tags": float(np.mean([language.accuracy(seed, group, "tags") for seed in seeds])),
            }
            rows.append(row)
    columns = [
        Column("task", "Task"),
        Column("share", "In training pairs", 1, "%", "pairs that have a feature of the group, by the rules"),
        Column("majority", "Majority", 1, "%", "of the diagnostics, by the rules"),
        Column("before", "Pretrained", 1, "%", "mean over layers"),
        Column("after", "Fine-tuned", 1, "%", "mean over layers and seeds"),
        Column("change", "Change", 1, "points", "t interval over seeds"),
        Column("spread", "Spread of seeds", 1, "points", "largest range over seeds at one layer"),
        Column("tags", "By experts' tags", 1, "%", "fine-tuned instances against the tags of the diagnostics"),
    ]
    changes = [cell for row in rows if isinstance(cell := row["change"], Estimate)]
    shown = sum(change.low > 0 or change.high < 0 for change in changes)
    title = f"On {shown} of {len(changes)} tasks fine-tuning is shown to change what the layers say"
    title = title if changes else "Accuracy before and after fine-tuning"
    note = "Over seeds, on these very pairs; not adjusted over tasks."
    return Table("coarse", title, columns, rows, note, [key for language in languages for key in language.keys])
