"""Files as blocks of whole lines, with a clear error for each way to be unreadable. It parses nothing."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from goldproof.data.dataset import SourceFile
from goldproof.errors import DataError

FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".tsv": "tsv", ".csv": "csv", ".txt": "tsv", ".parquet": "parquet"}
BLOCK_BYTES = 1 << 24
BOM = b"\xef\xbb\xbf"


def check_file(path: str | Path) -> Path:
    """The path of a file that exists, can be opened and is not empty."""
    path = Path(path)
    try:
        with path.open("rb") as stream:
            first = stream.read(4)
    except IsADirectoryError:
        raise DataError("this is a folder; a file is needed", path=path) from None
    except FileNotFoundError:
        raise DataError("there is no such file", path=path) from None
    except OSError as error:
        raise DataError(f"cannot be opened: {error.strerror}", path=path) from None
    if not first or first == BOM:
        raise DataError("the file is empty", path=path)
    return path


def describe_file(path: Path) -> SourceFile:
    """The base name and the SHA-256 of a file."""
    with path.open("rb") as stream:
        return SourceFile(path.name, hashlib.file_digest(stream, "sha256").hexdigest())


def suffix_of(path: Path) -> str:
    """The extension that says the format, in lower case and without `.gz`: `a.TSV.gz` gives `.tsv`."""
    return Path(path.name.lower().removesuffix(".gz")).suffix


def iter_blocks(path: Path, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
    """Blocks of whole lines, without a byte order mark; memory is bounded by the block and the longest line."""
    with _open(path) as stream:
        rest, first = b"", True
        for piece in _iter_pieces(stream, path, block_bytes):
            if first:
                piece, first = piece.removeprefix(BOM), False
            cut = piece.rfind(b"\n") + 1
            if not cut:
                rest += piece
                continue
            yield rest + piece[:cut] if rest else piece[:cut]
            rest = piece[cut:]
        if rest:
            yield rest


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


def _open(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path, "rb")) if path.name.lower().endswith(".gz") else path.open("rb")


def _iter_pieces(stream: BinaryIO, path: Path, size: int) -> Iterator[bytes]:
    while True:
        try:
            piece = stream.read(size)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise DataError(f"not a whole gzip file: {error}", path=path) from None
        if not piece:
            return
        yield piece
