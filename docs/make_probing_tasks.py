"""Write docs/reference/probing-tasks.md from the code and the published treebanks.

python docs/make_probing_tasks.py FOLDER_OF_TREEBANKS
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from pathlib import Path

from goldproof.builders.probing import TASKS, Built, BuiltTask, build_tasks, open_treebanks
from goldproof.builders.probing.sampling import LabelledSentence

PAGE = Path(__file__).parent / "reference" / "probing-tasks.md"
LANGUAGES = ("ru", "en")
ENGLISH = ("TopConst", "BShift", "SOMO", "CoordInv")
N_EXAMPLES, N_OPEN_CLASSES = 5, 4

HEAD = """# Probing tasks and their rules

This page is made by `docs/make_probing_tasks.py` from the rules themselves and from Universal Dependencies treebanks:
Taiga, GSD and PUD for Russian, EWT and PUD for English (CC BY-SA). `goldproof build probing` builds the tasks; how
often the rules err is in [validation](../validation/probing-tasks.md).

Every task takes sentences of 5 to 25 tokens whose lemmas have a mean frequency of at least 0.9 per million (wordfreq).
In the tasks on subject, object and predicate the target word must have one part of speech only. Classes are balanced
(depths by the published shares), a sentence stands in one split only, and the sample depends on the seed and on nothing
else. Texts are written as tokens between spaces, as the published tasks have them.

## What the treebanks give

Sentences by label before balancing, then the rows that were built.

"""


def build_all(folder: Path) -> dict[str, Built]:
    """The tasks of each language from all its treebanks in the folder."""
    return {code: build_tasks(open_treebanks(sorted(folder.glob(f"{code}_*.conllu")))) for code in LANGUAGES}


def make_page(built: Mapping[str, Built]) -> str:
    """The page as Markdown."""
    lines = [*_counts(built), "", "## The rules, with examples", ""]
    for name, task in TASKS.items():
        made = _example_source(built, name)
        lines += [f"### {name}", "", f"*{task.question}* {_rule(name)}", ""]
        lines += _examples(made) if made else []
    return HEAD + "\n".join(lines).rstrip() + "\n"


def _counts(built: Mapping[str, Built]) -> list[str]:
    lines = [
        "| task | " + " | ".join(f"{code} labelled | {code} rows" for code in built) + " |",
        "|---|" + "---|--:|" * len(built),
    ]
    for name in TASKS:
        cells = []
        for made in built.values():
            task = next((task for task in made.tasks if task.task.name == name), None)
            cells += [_labels(task), f"{len(task.rows):,}"] if task else [f"*{made.skipped[name]}*", "–"]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    for code, made in built.items():
        left = ", ".join(f"{n:,} {reason}" for reason, n in made.left_out.items())
        lines += ["", f"{code}: {made.n_sentences:,} sentences; left out: {left}."]
        for task in made.tasks:
            notes = ", ".join(
                f"{key} {value:.3f}" if isinstance(value, float) else f"{key} {value}"
                for key, value in task.notes.items()
            )
            lines += [f"{task.task.name}: {notes}."] if notes else []
    return lines


def _labels(task: BuiltTask) -> str:
    if len(task.labelled) > 8:
        return f"{sum(task.labelled.values()):,} in {len(task.labelled)} classes"
    return ", ".join(f"{label} {n:,}" for label, n in task.labelled.items())


def _rule(name: str) -> str:
    text = inspect.getdoc(TASKS[name].rule) or ""
    return " ".join(text.split())


def _example_source(built: Mapping[str, Built], name: str) -> BuiltTask | None:
    order = ("en", "ru") if name in ENGLISH else ("ru", "en")
    found = (task for code in order for task in built[code].tasks if task.task.name == name)
    return next(found, None)


def _examples(made: BuiltTask) -> list[str]:
    rows = sorted((row.candidate for row in made.rows), key=_readable_first)
    labels = sorted({row.label for row in rows})
    shown = labels if made.task.classes else labels[:N_OPEN_CLASSES]
    lines = []
    for label in shown:
        texts = [row for row in rows if row.label == label][:N_EXAMPLES]
        lines += [f"- **{label}**", *(f"  - {_mark(row)}" for row in texts)]
    more = [f"- and {len(labels) - len(shown)} classes more"] if len(labels) > len(shown) else []
    return [*lines, *more, ""]


def _readable_first(row: LabelledSentence) -> tuple[bool, bool, int, str]:
    """PUD and GSD before social media and verse, short sentences before long ones."""
    edited = row.id.startswith(("n0", "w0", "dev-s", "test-s"))
    return not edited, len(row.tokens) > 14, row.rank, row.key


def _mark(row: LabelledSentence) -> str:
    """The tokens with the target word in bold, and nothing in them read as Markdown."""
    words = ["".join("\\" + c if c in "\\`*_{}[]<>#|" else c for c in token) for token in row.tokens]
    places = [place for place, token in enumerate(row.tokens) if token == row.target]
    for place in places[:1]:
        words[place] = f"**{words[place]}**"
    return " ".join(words)


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(make_page(build_all(Path(sys.argv[1]))), encoding="utf-8")
