"""Probing tasks built from treebanks: a sentence's tree gives its label, and nothing is labelled by hand.

The flow of the data: `source` reads trees, `survey` counts, the rules of `tasks` label, `filters` and `sampling`
choose, `balance` and `splits` arrange, `write` gives the published formats. `raw_text` makes a treebank of plain text.
"""

from __future__ import annotations

from goldproof.builders.probing.build import BuildSettings, Built, BuiltTask, build_tasks
from goldproof.builders.probing.gapping import build_gapping
from goldproof.builders.probing.source import Treebanks, open_treebanks
from goldproof.builders.probing.splits import SplitSizes
from goldproof.builders.probing.tasks import TASKS, ProbingTask, choose_tasks
from goldproof.builders.probing.write import FORMATS, write_tasks

__all__ = [
    "FORMATS",
    "TASKS",
    "BuildSettings",
    "Built",
    "BuiltTask",
    "ProbingTask",
    "SplitSizes",
    "Treebanks",
    "build_gapping",
    "build_tasks",
    "choose_tasks",
    "open_treebanks",
    "write_tasks",
]
