"""Run the cells of examples/api.ipynb and keep what they print and show in it: no kernel, no times, no paths.

python docs/make_notebook.py
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).resolve().parents[1] / "examples" / "api.ipynb"
MOST_HTML = 120_000  # characters of one page that is kept; a longer one would bury the notebook


def run_cells(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs of its code cells, run in one namespace and in the current folder."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    cells, count = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            outputs = list(_outputs("".join(cell["source"]), f"cell {cell['id']}", namespace, count))
            cell = {**cell, "execution_count": count, "outputs": outputs}
        cells.append(cell)
    return {**notebook, "cells": cells}


def _outputs(source: str, name: str, namespace: dict[str, Any], count: int) -> Iterator[dict[str, Any]]:
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, name, "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
    if printed.getvalue():
        yield {"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)}
    if value is not None:
        yield {"data": _shown(value), "execution_count": count, "metadata": {}, "output_type": "execute_result"}


def _shown(value: Any) -> dict[str, list[str]]:
    """What a page shows of a value: its text, and its HTML where it has some that is not too long."""
    data = {"text/plain": repr(value).splitlines(keepends=True)}
    page = value._repr_html_() if hasattr(value, "_repr_html_") else None
    return {"text/html": page.splitlines(keepends=True), **data} if page and len(page) <= MOST_HTML else data


def as_text(notebook: dict[str, Any]) -> str:
    """A notebook as it stands in its file."""
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    made = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        made = run_cells(made)
        os.chdir(NOTEBOOK.parent)
    NOTEBOOK.write_text(as_text(made), encoding="utf-8")
