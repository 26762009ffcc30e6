"""Notes the versions that a fresh install gets with this Python: the core's, and those of what the tests need.

    python locks/make.py            # writes locks/core-py3.11.txt and locks/dev-py3.11.txt where Python is 3.11

The files are constraints for pip (`pip install --constraint locks/dev-py3.11.txt -e '.[models]'`): they say which
version to take of whatever is installed, and install nothing. They hold for the Python in their name; the Makefile
takes them where there is one for its Python, and no others. Local versions are cut off, so that torch==2.13.0 stands
for a build with CUDA as well as for one without.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
KINDS = {"core": ".", "dev": ".[dev]"}


def write_lock(kind: str, *constraints: Path) -> Path:
    """Install into a new environment, and write what came; the core's versions hold for the rest too."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = [str(Path(folder) / "bin" / "python"), "-m", "pip"]
        given = [part for path in constraints for part in ("--constraint", str(path))]
        subprocess.run([*pip, "install", "--quiet", *given, "--editable", KINDS[kind]], check=True, cwd=HERE.parent)
        frozen = subprocess.run([*pip, "freeze", "--exclude-editable"], check=True, capture_output=True, text=True)
    pins = sorted({line.partition("+")[0] for line in frozen.stdout.splitlines() if "==" in line}, key=str.lower)
    where = f"Python {VERSION} on {platform.system()} {platform.machine()}"
    head = [f"# What `pip install '{KINDS[kind]}'` gave with {where}; written by `python locks/make.py`."]
    path = HERE / f"{kind}-py{VERSION}.txt"
    path.write_text("\n".join([*head, *pins, ""]), encoding="utf-8")
    return path


if __name__ == "__main__":
    write_lock("dev", write_lock("core"))
