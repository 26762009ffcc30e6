"""The section on coarse probing: what fine-tuning with each seed does to what the layers know (Figures 16–18)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldproof.builders.entailment.categories import GROUP_TITLES
from goldproof.report.charts import Caption, curves
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.summary import Cell, Column, Figure, Item, Missing, Section, Table, Text
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import mean_interval
from goldproof.studies.probing.coarse import GROUPS, CoarseProbed, CoarseTasks
from goldproof.studies.probing.scores import ProbingFindings

REFERENCES = {"rules": "the annotator's rules", "tags": "the experts' tags"}


@dataclass(frozen=True, slots=True, eq=False)
class _Tuned:
    """A language: its tasks, and the pretrained and each fine-tuned instance, probed."""

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


def coarse_section(found: ProbingFindings) -> list[Section]:
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
    return [Section("What does fine-tuning change?", [*items, *(Text(reason) for reason in reasons)])]


def _load(found: ProbingFindings, language: str) -> _Tuned:
    names = ["pretrained", *(f"seed {seed}" for seed in found.config.coarse.seeds)]
    instances = {name: found.value("coarse", language, name) for name in names}
    keys = [found.key("coarse", language, name) for name in names]
    return _Tuned(language, found.value("coarse", language, "tasks"), instances, keys)


def _curves(languages: list[_Tuned], reference: str) -> list[Figure]:
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
    note = "Mean over groups and layers. The question: does the pair have any feature of the group? "
    note += (
        "Linear probe on the joined vectors of both sentences, trained on entailment's train and validation pairs as "
    )
    note += "annotated by rules, L2 chosen on its test pairs. One diagnostics set: the lines differ only in the seed."
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


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """What fine-tuning did to a group of features, by the rules: accuracies of layers before, and of seeds × layers
    after it; `by_tags` are those after it by the experts' tags. Seeds that collapsed are left out.
    """

    title: str
    trained_share: float
    majority: float
    before: npt.NDArray[np.float64]
    after: npt.NDArray[np.float64]
    by_tags: npt.NDArray[np.float64]

    @property
    def change(self) -> Cell:
        """What fine-tuning adds, mean over layers, with an interval over seeds."""
        return _change(self.after.mean(axis=1) - self.before.mean())


_GROUP_FIELDS: tuple[Field[_Group], ...] = (
    Field(Column("task", "Task"), lambda group: group.title),
    Field(
        Column("share", "In training pairs", 1, "%", "pairs with a feature of the group, according to the rules"),
        lambda group: group.trained_share,
    ),
    Field(
        Column("majority", "Majority", 1, "%", ("of the diagnostics, according to the rules")),
        lambda group: group.majority,
    ),
    Field(Column("before", "Pretrained", 1, "%", "mean over layers"), lambda group: float(group.before.mean())),
    Field(Column("after", "Fine-tuned", 1, "%", "mean over layers and seeds"), lambda group: float(group.after.mean())),
    Field(
        Column("change", "Change", 1, "points", "t interval over seeds"),
        lambda group: group.change,
    ),
    Field(
        Column("spread", "Spread of seeds", 1, "points", "largest range over seeds at one layer"),
        lambda group: float(np.ptp(group.after, axis=0).max()),
    ),
    Field(
        Column(
            "tags",
            "By experts' tags",
            1,
            "%",
            "fine-tuned models, scored against the experts' tags of the diagnostics",
        ),
        lambda group: float(group.by_tags.mean()),
    ),
)


def _table(languages: list[_Tuned]) -> Table:
    every = [_group(language, group) for language in languages for group in language.groups]
    changes = [change for group in every if isinstance(change := group.change, Estimate)]
    shown = sum(change.low > 0 or change.high < 0 for change in changes)
    title = f"On {shown} of {len(changes)} tasks fine-tuning is shown to change what the layers say"
    title = title if changes else "Accuracy before and after fine-tuning"
    note = "Over seeds, on these very pairs; not adjusted over tasks."
    keys = [key for language in languages for key in language.keys]
    return make_table(Heading("coarse", title, note, keys), _GROUP_FIELDS, every)


def _group(language: _Tuned, group: str) -> _Group:
    seeds = language.kept(group)
    share = float(language.tasks.test(group).mean())
    return _Group(
        title=f"{GROUP_TITLES[group]} ({language.name})",
        trained_share=float(language.tasks.found[group][np.array(language.tasks.splits) == "train"].mean()),
        majority=max(share, 1 - share),
        before=language.accuracy("pretrained", group, "rules"),
        after=np.array([language.accuracy(seed, group, "rules") for seed in seeds]),
        by_tags=np.array([language.accuracy(seed, group, "tags") for seed in seeds]),
    )
