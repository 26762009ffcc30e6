"""Files as blocks of whole lines, with a clear error for each way to be unreadable. It parses nothing."""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from goldproof.data.dataset import SourceFile
from goldproof.data.formats import limits
from goldproof.errors import DataError

FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".tsv": "tsv", ".csv": "csv", ".txt": "tsv", ".parquet": "parquet"}
JSON = ".json"
"""A list of objects, or one object on each line. No entry of `FORMATS`: logs and documents have this suffix too."""

_MOST_NAMES = 6
BLOCK_BYTES = 1 << 24
BOM = b"\xef\xbb\xbf"


def check_file(path: str | Path) -> Path:
    """The path of a file that exists, can be opened and is not empty."""
    path = Path(path)
    try:
        with path.open("rb") as stream:
            first = stream.read(4)
    except IsADirectoryError:
        raise DataError(f"this is a folder; a file is needed ({files_in(path)})", path=path) from None
    except FileNotFoundError:
        pattern = "; a pattern is not read: join its files into one" if set("*?") & set(path.name) else ""
        raise DataError(f"there is no such file{pattern}", path=path) from None
    except OSError as error:
        raise DataError(f"cannot be opened: {error.strerror}", path=path) from None
    if not first or first == BOM:
        raise DataError("the file is empty", path=path)
    if _is_packed(path):
        check_packed(path)
    return path


def files_in(folder: Path) -> str:
    """What files a folder has, for an error."""
    names = sorted(each.name for each in folder.iterdir() if each.is_file() and not each.name.startswith("."))
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"in it: {', '.join(names[:_MOST_NAMES])}{more}" if names else "there is none in it"


@contextmanager
def looking() -> Iterator[None]:
    """Within the block, or the function that it stands above, what may not be looked at is an error that names it."""
    try:
        yield
    except PermissionError as error:
        raise DataError(f"cannot be opened: {error.strerror}", path=error.filename) from None


def first_bytes(path: Path, n_bytes: int) -> bytes:
    """The first bytes of a file, unpacked: enough to see what it is."""
    try:
        with _open(path) as stream:
            return stream.read(n_bytes)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"not a complete gzip file: {error}", path=path) from None
    except OSError as error:
        raise DataError(f"cannot be opened: {error.strerror}", path=path) from None


def describe_file(path: Path) -> SourceFile:
    """The base name and the SHA-256 of a file."""
    with path.open("rb") as stream:
        return SourceFile(path.name, hashlib.file_digest(stream, "sha256").hexdigest())


def suffix_of(path: Path) -> str:
    """The extension that says the format, in lower case and without `.gz`: `a.TSV.gz` gives `.tsv`."""
    return Path(path.name.lower().removesuffix(".gz")).suffix


def check_packed(path: Path) -> None:
    """Refuse a gzip file that unpacks to far too much before anything is made of its first rows.

    A small one is unpacked here, for which there is a limit; a large one says at its end how much it holds.
    """
    n_packed = path.stat().st_size
    if n_packed * limits.MOST_TIMES <= limits.UNPACKED_FREELY:
        for _ in _iter_pieces(path, BLOCK_BYTES):
            pass
    else:
        with path.open("rb") as stream:
            stream.seek(-4, os.SEEK_END)
            limits.check_unpacked(int.from_bytes(stream.read(4), "little"), path)


def iter_blocks(path: Path, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
    """Blocks of whole lines, without a byte order mark; memory is bounded by the block and the longest line."""
    rest: list[bytes] = []  # of the last line, which may go on
    n_rest, line = 0, 1
    for piece in _iter_pieces(path, min(block_bytes, limits.MOST_LINE)):
        if n_rest + (piece.find(b"\n") if b"\n" in piece else len(piece)) > limits.MOST_LINE:
            raise limits.long_line(path, line)
        cut = piece.rfind(b"\n") + 1
        if cut:
            block = b"".join([*rest, piece[:cut]])
            yield block
            line += block.count(b"\n")
            rest, n_rest = [], 0
        rest.append(piece[cut:])
        n_rest += len(piece) - cut
    if n_rest:
        last = b"".join(rest)
        if line == 1:
            _refuse_bare_returns(last, path)
        yield last


def read_whole(path: Path) -> bytes:
    """All bytes of a file, unpacked and without a byte order mark: for what is one document and not lines."""
    return b"".join(_iter_pieces(path, BLOCK_BYTES))


def _refuse_bare_returns(only_line: bytes, path: Path) -> None:
    """Refuse a file whose lines end with CR alone: to everyone else it is one line, and so a header without rows."""
    if b"\r" in only_line.rstrip(b"\r"):
        raise DataError("its lines end with CR alone, as on old Macs; save it with LF or CRLF line ends", path=path)


def iter_lines(path: Path) -> Iterator[tuple[int, str]]:
    """(line number from 1, text without its line end); only LF and CRLF end a line."""
    number = 0
    for block in iter_blocks(path):
        for line in block.removesuffix(b"\n").split(b"\n"):
            number += 1
            yield number, decode_line(line.removesuffix(b"\r"), path, number)


def decode_line(line: bytes, path: Path, number: int) -> str:
    """The line as text; a byte that is not UTF-8 is named with its place."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte 0x{line[error.start]:02x} at position {error.start + 1} of the line"
        raise DataError(f"not UTF-8: {found}; save the file as UTF-8", path=path, line=number) from None


def shortened(value: Any, most: int = 60) -> str:
    """A value as an error shows it."""
    text = str(value)
    return text if len(text) <= most else text[: most - 1] + "…"


def _open(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path, "rb")) if _is_packed(path) else path.open("rb")


def _is_packed(path: Path) -> bool:
    return path.name.lower().endswith(".gz")


def _iter_pieces(path: Path, size: int) -> Iterator[bytes]:
    """The bytes of a file, unpacked and without a byte order mark."""
    n_read = 0
    with _open(path) as stream:
        while True:
            try:
                piece = stream.read(size)
            except (gzip.BadGzipFile, EOFError, zlib.error) as error:
                raise DataError(f"not a complete gzip file: {error}", path=path) from None
            except OSError as error:
                raise DataError(f"cannot be read: {error.strerror}", path=path) from None
            if not piece:
                return
            if not n_read:
                piece = piece.removeprefix(BOM)
            n_read += len(piece)
            if _is_packed(path):
                limits.check_unpacked(n_read, path)
            yield piece
