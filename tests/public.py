"""What is public: the list of the package and those of some packages in it; and which such names a text uses."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator

import goldproof
from goldproof.studies import ENTRIES

GROUPS = tuple(f"goldproof.{group}" for group in ("metrics", "models", "readers", "studies", "taggers"))  # of plugins
PACKAGES = ("goldproof", *goldproof._PACKAGES, *(entry.module for entry in ENTRIES))

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")
_IMPORT = re.compile(r"^from (goldproof[\w.]*) import ([\w, ]+)$", re.MULTILINE)
_DOTTED = re.compile(r"(?<![\w./@-])goldproof(?:\.[A-Za-z_]\w*)+")


def is_public(dotted: str) -> bool:
    """Whether a dotted name is a package with a public list, or begins with a name on one."""
    parts = dotted.split(".")
    packages = [n for n in range(1, len(parts) + 1) if ".".join(parts[:n]) in PACKAGES]
    if not packages or dotted in GROUPS:
        return dotted in GROUPS
    after = parts[packages[-1] :]
    listed = importlib.import_module(".".join(parts[: packages[-1]])).__all__
    return not after or after[0] in listed or after[0] == "__version__"


def names_in_page(text: str) -> Iterator[str]:
    """The dotted names of the package that a page's Python blocks and the code within its sentences use."""
    blocks = [body for language, body in _FENCE.findall(text) if language == "python"]
    inline = [code for code in _CODE.findall(_FENCE.sub("", text)) if not code.startswith("python -m ")]
    for code in (*blocks, *inline):
        for module, names in _IMPORT.findall(code):
            yield from (f"{module}.{name.strip()}" for name in names.split(","))
        yield from _DOTTED.findall(_IMPORT.sub("", code))


def names_in_program(source: str) -> Iterator[str]:
    """The dotted names of the package that a program imports, and what it takes from them."""
    tree = ast.parse(source)
    known = {"goldproof": "goldproof"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "goldproof":
            for name in node.names:
                known[name.asname or name.name] = f"{node.module}.{name.name}"
                yield f"{node.module}.{name.name}"
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.partition(".")[0] == "goldproof")
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (dotted := _dotted(node, known)):
            yield dotted


def _dotted(node: ast.expr, known: dict[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return known.get(node.id)
    inner = _dotted(node.value, known) if isinstance(node, ast.Attribute) else None
    return f"{inner}.{node.attr}" if inner and isinstance(node, ast.Attribute) else None
