"""Packages as an installer leaves them: modules beside a dist-info folder with the entry points."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

EXAMPLE = Path(__file__).parent / "plugin_package"


def lay_out(
    folder: Path,
    distribution: str,
    points: Mapping[str, Mapping[str, str]],
    modules: Mapping[str, str] | None = None,
    version: str = "1.0",
) -> Path:
    """Put a package with these entry points (by group and name) and modules (by name) into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    facts = folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
    lines = [
        line
        for group, named in points.items()
        for line in (f"[goldproof.{group}]", *(f"{name} = {value}" for name, value in named.items()))
    ]
    (facts / "entry_points.txt").write_text("\n".join(lines) + "\n")
    for name, text in (modules or {}).items():
        (folder / f"{name}.py").write_text(text)
    return folder


def lay_out_example(folder: Path) -> Path:
    """The example package, as an installer would leave it."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    points = {group.removeprefix("goldproof."): named for group, named in project["entry-points"].items()}
    shutil.copytree(EXAMPLE / "src" / "goldproof_example", folder / "goldproof_example")
    return lay_out(folder, project["name"], points, version=project["version"])
