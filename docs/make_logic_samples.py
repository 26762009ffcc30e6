"""Write docs/studies/logic-samples.md: one contrast of each template in each task and language, for people to read.

python docs/make_logic_samples.py

The table of templates, which stands in docs/studies/logic-corpus.md, is made here too; a test compares it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from goldproof.builders.logic import linked
from goldproof.builders.logic.build import CorpusRecipe, build_corpus
from goldproof.builders.logic.grammar import LANGUAGES, load_grammar
from goldproof.builders.logic.pairs import CONTRADICTION, Pair
from goldproof.builders.logic.templates import LogicTask, Template

PAGE = Path(__file__).parent / "studies" / "logic-samples.md"


def samples_page() -> str:
    """The page of samples; the same for the same grammars and templates."""
    return "\n".join(_lines()) + "\n"


def templates_table(templates: Sequence[Template] = linked.TEMPLATES) -> str:
    """Templates, their sizes, what their contrasts are and which leak they close, as a Markdown table."""
    rows = ["| task | template | n | contradiction, against the other member | closes |", "|---|---|---|---|---|"]
    for template in templates:
        sizes = "–" if template.sizes == (0,) else f"{min(template.sizes)}–{max(template.sizes)}"
        said = (template.draw.__doc__ or "").splitlines()[0].rstrip(".")
        rows.append(f"| {template.task.number} | {template.name} | {sizes} | {said} | {template.closes} |")
    return "\n".join(rows)


def _lines() -> Iterator[str]:
    yield "# Samples of the logic corpus\n"
    yield "One contradiction and one other pair of each template of `closed2` in every language, the shortest of a few."
    yield "Made by `docs/make_logic_samples.py`."
    for task in LogicTask:
        if task is LogicTask.MIXED:
            continue
        yield f"\n## Task {task.number}, {task.value}"
        for language in LANGUAGES:
            yield f"\n### {load_grammar(language).name}\n"
            yield "| template | premise | hypothesis | relation |\n|---|---|---|---|"
            for pair in _chosen(language, task):
                yield f"| {pair.template} | {pair.premise} | {pair.hypothesis} | {pair.relation} |"


def _chosen(language: str, task: LogicTask) -> list[Pair]:
    """The shortest pair of each template and label among a few."""
    corpus = build_corpus(CorpusRecipe(language=language, task=task.value, n_train=120, n_test=0))
    shortest: dict[tuple[str, str], Pair] = {}
    for pair in sorted(corpus.train, key=lambda pair: (len(pair.form), pair.id)):
        shortest.setdefault((pair.template, pair.label), pair)
    names = [template.name for template in linked.TEMPLATES if template.task is task]
    order = [(name, wanted) for name in names for wanted in (True, False)]
    found = {(template, label == CONTRADICTION): pair for (template, label), pair in shortest.items()}
    return [found[key] for key in order]


if __name__ == "__main__":
    PAGE.write_text(samples_page(), encoding="utf-8")
