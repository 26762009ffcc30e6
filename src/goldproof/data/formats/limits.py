"""How much a file may ask of whoever reads it: the limits on lines, cells, nesting and what packed files unpack to.

They are far above what data hold, and keep a small file from taking all memory. Each is a setting of this module, read
whenever a file is: `limits.MOST_LINE = 1 << 30` allows longer lines. It reads nothing.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from goldproof.errors import DataError

MOST_LINE = 64 << 20  # bytes of a line
MOST_CELL = 16 << 20  # characters of a cell of CSV, TSV or Parquet
MOST_NESTING = 100  # levels of lists and maps within each other
MOST_TIMES = 200  # how many times its own size a packed file may unpack to; texts come to 3 to 20, tables to 50 …
UNPACKED_FREELY = 256 << 20  # … and up to which number of bytes nobody asks
_HOME = "goldproof.data.formats.limits"


def long_line(path: Path, line: int) -> DataError:
    """The error of a line that is too long."""
    message = f"a line is longer than {in_bytes(MOST_LINE)}; is it a file of lines? ({_HOME}.MOST_LINE sets the limit)"
    return DataError(message, path=path, line=line)


def long_cell() -> str:
    """What is said of a cell that is too long."""
    return f"a cell is longer than {MOST_CELL:,} characters ({_HOME}.MOST_CELL sets the limit)"


def deep_nesting() -> str:
    """What is said of lists or maps that are nested too deeply."""
    return f"nested more than {MOST_NESTING:,} levels deep ({_HOME}.MOST_NESTING sets the limit)"


def check_unpacked(n_unpacked: int, path: Path) -> None:
    """Refuse a file that unpacks to very much more than its own size."""
    if n_unpacked <= UNPACKED_FREELY:
        return
    packed = path.stat().st_size
    if n_unpacked > MOST_TIMES * packed:
        raise DataError(
            f"its {in_bytes(packed)} unpack to {in_bytes(n_unpacked)} or more; beyond {in_bytes(UNPACKED_FREELY)} at "
            f"most {MOST_TIMES} times the size of the file is read ({_HOME}.MOST_TIMES and UNPACKED_FREELY set the "
            "limit)",
            path=path,
        )


def in_bytes(n: int) -> str:
    """A number of bytes in words.

    >>> in_bytes(2048), in_bytes(64 << 20), in_bytes(5 << 30)
    ('2 KiB', '64 MiB', '5 GiB')
    """
    for size, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if n >= size:
            return f"{n / size:.3g} {name}"
    return f"{n} bytes"


def is_deep_json(text: str) -> bool:
    """Whether the lists and objects of a JSON text are nested too deeply, told before anything is parsed.

    >>> is_deep_json("[" * 101), is_deep_json('["' + "[" * 101 + '"]'), is_deep_json("[[1], [2]]" * 1000)
    (True, False, False)
    """
    if text.count("[") + text.count("{") <= MOST_NESTING:
        return False
    # Brackets within strings are counted here as well: only where there are too many is it worth to look closely.
    signs = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    signs = signs[(signs == 0x5B) | (signs == 0x7B) | (signs == 0x5D) | (signs == 0x7D)]
    steps = np.where((signs == 0x5B) | (signs == 0x7B), 1, -1)
    depths = np.cumsum(steps)
    if depths.max(initial=0) - depths.min(initial=0) <= MOST_NESTING:
        return False
    return _depth(text) > MOST_NESTING


def _depth(text: str) -> int:
    """How deeply the brackets outside of strings are nested."""
    depth = deepest = 0
    within = escaped = False
    for sign in text:
        if within:
            within = escaped or sign != '"'
            escaped = sign == "\\" and not escaped
        elif sign == '"':
            within = True
        elif sign in "[{":
            depth += 1
            deepest = max(deepest, depth)
            if deepest > MOST_NESTING:
                break
        elif sign in "]}":
            depth -= 1
    return deepest
