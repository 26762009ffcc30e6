"""The page of the house leads a newcomer: every step of its ten paths says at its top what the page quotes."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import goldproof

ROOT = Path(goldproof.__file__).parent
PAGE = Path(__file__).resolve().parents[1] / "docs" / "design" / "house.md"


def rows() -> list[tuple[str, str, str]]:
    """Question, path and name of each row."""
    section = PAGE.read_text(encoding="utf-8").partition("## Ten questions")[2].partition("\n## ")[0]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in section.splitlines() if "`:" in line]
    return [(question.strip(" |"), path, name.strip(" |`")) for question, path, name in cells]


def test_there_are_ten_questions():
    assert len(rows()) == 10


@pytest.mark.parametrize(("question", "path", "name"), rows())
def test_first_words_lead_to_the_answer(question, path, name):
    steps = re.findall(r'`(\S+\.py)`: "(.*?)"(?: →|$)', path)
    assert len(steps) == path.count("→") + 1
    for file, words in steps:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert words in " ".join((ast.get_docstring(tree) or "").split())
    defined = (ast.FunctionDef, ast.ClassDef)
    assert name in [node.name for node in tree.body if isinstance(node, defined)]
