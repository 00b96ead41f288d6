"""A file's content as a stream of plain bytes, decompressed where it is zstd; memory is bounded either way."""

from __future__ import annotations

import io
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import zstandard

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_STEP = 1 << 18


class ZstdContent(io.RawIOBase):
    """The decompressed bytes of a zstd file of one or more frames; `is_cut` tells that the last frame does not end."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._frame: Any = None
        self._ready = b""
        self.is_cut = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready and self._more():
            pass
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def seek(self, offset: int, whence: int = 0) -> int:
        """Back to the start; any other place is not supported."""
        if (offset, whence) != (0, 0):
            raise io.UnsupportedOperation("only the start")
        self._packed.seek(0)
        self._frame, self._ready = None, b""
        return 0

    def _more(self) -> bool:
        rest = b"" if self._frame is None or not self._frame.eof else self._frame.unused_data
        if self._frame is None or self._frame.eof:
            self._frame = None
        packed = rest or self._packed.read(_STEP)
        if not packed:
            self.is_cut = self._frame is not None
            return False
        if self._frame is None:
            self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._ready = self._frame.decompress(packed)
        return True


@contextmanager
def opened_plain(path: Path) -> Generator[BinaryIO]:
    """The file, buffered; its `raw` is a ZstdContent when it is compressed.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb", buffering=_STEP) as packed:
        compressed = packed.read(4) == _ZSTD_MAGIC
        packed.seek(0)
        if compressed:
            yield io.BufferedReader(ZstdContent(packed), _STEP)
        else:
            yield packed
