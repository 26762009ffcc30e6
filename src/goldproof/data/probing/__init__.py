"""Probing tasks built from treebanks: a sentence's tree gives its label, and nothing is labelled by hand.

The flow of the data: `source` reads trees, `survey` counts, the rules of `tasks` label, `filters` and `sampling`
choose, `balance` and `splits` arrange, `write` gives the published formats. `raw_text` makes a treebank of plain text.
"""

from __future__ import annotations

from goldproof.data.probing.build import Built, BuiltTask, Settings, build_tasks
from goldproof.data.probing.gapping import build_gapping
from goldproof.data.probing.source import Treebanks, open_treebanks
from goldproof.data.probing.splits import Sizes
from goldproof.data.probing.tasks import TASKS, Task, choose_tasks
from goldproof.data.probing.write import FORMATS, write_tasks

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
