"""One name, one thing: no two classes or names of types in the tree have the same name."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import goldproof

ROOT = Path(goldproof.__file__).parent
TWICE = {"Config"}
"""A study is found by its settings, and each calls them so."""


def names_of_types(tree: ast.Module, place: str) -> Iterator[tuple[str, str]]:
    """Classes with the place of each, and types that a module gives a capitalised name, with what they are."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name, place
        elif isinstance(node, ast.Assign):
            named = [each.id for each in node.targets if isinstance(each, ast.Name) and is_capitalised(each.id)]
            yield from ((name, ast.unparse(node.value)) for name in named)


def is_capitalised(name: str) -> bool:
    return name[:1].isupper() and not name.isupper() and "_" not in name


def meanings() -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted(ROOT.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name, meaning in names_of_types(tree, str(path.relative_to(ROOT))):
            found[name].add(meaning)
    return found


def test_a_name_of_a_type_means_one_thing():
    assert {name: found for name, found in meanings().items() if len(found) > 1 and name not in TWICE} == {}


def test_a_class_is_called_by_its_own_name():
    """No import gives a class of ours another name."""
    renamed = [
        f"{path.relative_to(ROOT)}: {each.name} as {each.asname}"
        for path in sorted(ROOT.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("goldproof")
        for each in node.names
        if each.asname and each.asname != each.name and is_capitalised(each.name)
    ]
    assert renamed == []
