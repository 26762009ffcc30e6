"""Probing tasks built from treebanks: a sentence's tree gives its label, and nothing is labelled by hand.

The flow of the data: `source` reads trees, `survey` counts, the rules of `tasks` label, `filters` and `sampling`
choose, `balance` and `splits` arrange, `write` gives the published formats. `raw_text` makes a treebank of plain text.
"""

from __future__ import annotations

from goldproof.builders.probing.build import Built, BuiltTask, Settings, build_tasks
from goldproof.builders.probing.gapping import build_gapping
from goldproof.builders.probing.source import Treebanks, open_treebanks
from goldproof.builders.probing.splits import Sizes
from goldproof.builders.probing.tasks import TASKS, Task, choose_tasks
from goldproof.builders.probing.write import FORMATS, write_tasks

__all__ = [
    "FORMATS",
    "TASKS",
    "Built",
    "BuiltTask",
    "Settings",
    "Sizes",
    "Task",
    "Treebanks",
    "build_gapping",
    "build_tasks",
    "choose_tasks",
    "open_treebanks",
    "write_tasks",
]
