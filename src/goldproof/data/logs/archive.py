"""Zip archives whose members may be packed with Zstandard, which Python's own reader knows from 3.14 on only.

Each member is read whole, checked against its checksum, and counted against the limit on what a file may unpack to.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from goldproof.data.formats import limits
from goldproof.errors import DataError

ZSTANDARD = 93  # the number of the method in the directory of an archive
_PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LOCAL_HEADER = 30  # bytes before the name; its lengths of name and extra field stand at 26 and 28


@dataclass(slots=True)
class Archive:
    """An open archive: the names of its members, and the bytes of each; of two with one name the last counts."""

    path: Path
    stream: BinaryIO
    zip: zipfile.ZipFile
    n_unpacked: int = 0
    names: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def open(cls, path: Path) -> Archive:
        """Read the directory of the archive, which stands at its end."""
        stream = path.open("rb")
        try:
            archive = zipfile.ZipFile(stream)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            stream.close()
            raise DataError(
                "not a complete zip archive: its directory, at the end of the file, cannot be read; the file was cut "
                "off or is still being written",
                path=path,
            ) from None
        return cls(path, stream, archive, names=frozenset(archive.namelist()))

    def __enter__(self) -> Archive:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.zip.close()
        self.stream.close()

    def size(self, name: str) -> int:
        """How many bytes a member says it unpacks to."""
        return self.zip.getinfo(name).file_size

    def read(self, name: str) -> bytes:
        """The bytes of a member."""
        found = self.zip.getinfo(name)
        self.n_unpacked += found.file_size
        limits.check_unpacked(self.n_unpacked, self.path)
        if found.compress_type not in (*_PLAIN, ZSTANDARD):
            raise self._damaged(name, f"it is compressed by method {found.compress_type}, which cannot be read")
        try:
            data = self._unpack(found)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, struct.error) as error:
            raise self._damaged(name, str(error) or "it ends too early") from None
        if len(data) != found.file_size or zlib.crc32(data) != found.CRC:
            raise self._damaged(name, "its bytes are not those that were written")
        return data

    def _unpack(self, found: zipfile.ZipInfo) -> bytes:
        if found.compress_type in _PLAIN:
            return self.zip.read(found)
        import zstandard

        self.stream.seek(found.header_offset)
        lengths = struct.unpack("<HH", self.stream.read(_LOCAL_HEADER)[26:30])
        self.stream.seek(found.header_offset + _LOCAL_HEADER + sum(lengths))
        packed = io.BytesIO(self.stream.read(found.compress_size))
        try:
            # One byte more than there should be tells a member that unpacks to more than it says.
            reader = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
            return reader.read(found.file_size + 1)
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None

    def _damaged(self, name: str, reason: str) -> DataError:
        return DataError(f"the member {name!r} cannot be read: {reason}", path=self.path)
