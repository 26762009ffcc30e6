"""How far a command walks: the modules of Goldproof in which a function runs, and the types that are used on the way.

    python tests/walk.py score FILE --out FOLDER
    python tests/walk.py run stability --preset tiny --store STORE --out FOLDER

What runs while modules are imported (declarations of steps and of names) does not count. Prints to stderr, after the
command's own output: modules in the order in which they are first entered, then types.
"""

from __future__ import annotations

import sys
import threading
from types import FrameType
from typing import Any

from goldproof.cli import main

modules: dict[str, str] = {}
types: dict[str, None] = {}
importing = threading.local()


def follow(frame: FrameType, event: str, _: Any) -> None:
    """Note a call; calls made by the body of a module that is being imported are passed over."""
    code, depth = frame.f_code, getattr(importing, "depth", 0)
    if code.co_name == "<module>" and event in ("call", "return"):
        importing.depth = depth + (1 if event == "call" else -1)
    elif event == "call" and not depth and frame.f_globals.get("__name__", "").startswith("goldproof"):
        modules.setdefault(frame.f_globals["__name__"], code.co_name)
        if code.co_varnames[:1] == ("self",):
            kind = type(frame.f_locals["self"])
            if kind.__module__.startswith("goldproof"):
                types.setdefault(f"{kind.__module__}.{kind.__qualname__}")


if __name__ == "__main__":
    threading.setprofile(follow)
    sys.setprofile(follow)
    try:
        main()
    finally:
        sys.setprofile(None)
        lines = [f"{len(modules)} modules, {len(types)} types"]
        lines += [f"  {name}: {first}" for name, first in modules.items()]
        sys.stderr.write("\n".join([*lines, *(f"  {name}" for name in types)]) + "\n")
