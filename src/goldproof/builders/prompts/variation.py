"""Formats of a prompt, drawn by seed: what stands after the name of a field, its case, what parts lines, and the order
of the labels (after Sclar et al. 2024). The wording stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from goldproof.builders.prompts.prompt import Prompt
from goldproof.draws import draw

T = TypeVar("T")
_FIELD = re.compile(r"^([^\W\d_][^\n{}:?.!]{0,24}):(?=\s|$)", re.MULTILINE)
_SEPARATORS = (":", " -", " =", "::", ":\n")
_CASES: tuple[Callable[[str], str], ...] = (str, str.upper, str.lower, str.title)
_LINES = ("\n", "\n\n", " \n", " || ", "; ")
_COMMAS = (", ", " / ", " or ", " | ")


def vary(prompt: Prompt, seed: int) -> Prompt:
    """The prompt in a format drawn by the seed.

    >>> vary(Prompt("plain", "en", "Review: {text}\\nSentiment:", (("0", "bad"), ("1", "good"))), 6).template
    'review: {text}\\n\\nsentiment:'
    """

    def choose(what: str, among: Sequence[T]) -> T:
        return among[draw("format", what, seed, prompt.name, prompt.language) % len(among)]

    separator, case = choose("separator", _SEPARATORS), choose("case", _CASES)
    template = _FIELD.sub(lambda found: case(found[1]) + separator, prompt.template)
    template = template.replace(":\n ", ":\n")
    line = choose("line", _LINES)
    template = re.sub(r"\n+", line, template.replace(":\n", ":\0")).replace("\0", "\n")
    labels = tuple(sorted(prompt.labels, key=lambda pair: draw("format", "labels", seed, prompt.name, pair[0])))
    gap = "" if template.endswith("\n") else prompt.gap
    return replace(
        prompt,
        name=f"{prompt.name} ({seed})",
        template=template,
        labels=labels,
        gap=gap,
        comma=choose("comma", _COMMAS),
    )
