"""A transcript's bytes as records: streaming, split on `\\n` only, and nothing readable is lost beside something damaged.

Where bytes are cut into records depends on the bytes of their line alone, never on where an earlier import stopped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from ..references import has_surrogate
from .importer import Line
from .recover import FILLER, Span, complete_spans, spans

MAX_LINE_BYTES = 64 * 1024 * 1024
"""A longer line is kept in parts and reported, not parsed: memory stays bounded."""
PART_BYTES = 4 * 1024 * 1024
_parse = json.JSONDecoder().decode


@dataclass(slots=True)
class Piece(Line):
    """Bytes that become one row of the record table; what an importer sees of them is the `Line`.

    eol: 0 nothing, 1 `\\n`, 2 `\\r\\n` behind it. recovered: `value` was read in spite of the damage. blank: white space only.
    closes: no bytes of its own, only the line end of the record before. start_offset, size_bytes: of the damaged whole.
    """

    eol: int = 0
    recovered: bool = False
    blank: bool = False
    closes: bool = False
    start_offset: int | None = None
    size_bytes: int | None = None


class Reader:
    """Reads pieces from `offset` on; afterwards the attributes of the same names, and `tail`, tell where it stopped.

    stream: positioned at `offset`. line: the number (from 1) of the line that lies there. open_line: the bytes before
    `offset` did not end with a line end. oversized_from: the offset where a too long line began that is still going on.
    seen: is told every consumed byte.
    """

    def __init__(
        self,
        stream: BinaryIO,
        *,
        offset: int = 0,
        line: int = 1,
        open_line: bool = False,
        oversized_from: int | None = None,
        seen: Callable[[bytes], object] = lambda _: None,
    ) -> None:
        self._stream = stream
        self._seen = seen
        self.offset = offset
        self.line = line
        self.open_line = open_line
        self.oversized_from = oversized_from
        self.tail = b""
        self.at_end = False

    def pieces(self, until: int | None = None) -> Iterator[Piece]:
        """The records up to the last one that is whole; a torn last line is left in `tail`, not consumed.

        until: stop behind the first line that ends at or after this offset; `at_end` then tells whether more may follow.
        """
        if self.oversized_from is not None:
            yield from self._oversized(b"")
        readline = self._stream.readline
        while until is None or self.offset < until:
            chunk = readline(MAX_LINE_BYTES)
            if not chunk:
                self.at_end = True
                return
            if chunk.endswith(b"\n"):
                yield from self._whole_line(chunk)
            elif len(chunk) == MAX_LINE_BYTES:
                self.oversized_from = self.offset
                yield from self._oversized(chunk)
            else:
                yield from self._last_line(chunk)
                self.at_end = True
                return

    def took(self, raw: bytes) -> None:
        """Count bytes that somebody else read: a file that is one document."""
        self._seen(raw)
        self.offset += len(raw)

    def _whole_line(self, chunk: bytes) -> Iterator[Piece]:
        eol = 2 if chunk.endswith(b"\r\n") else 1
        raw = chunk[:-eol]
        piece = None
        if raw[:1] in (b"{", b"[") and raw[-1:] in (b"}", b"]") and not self.open_line:
            piece = self._plain(raw, eol)
        if piece is not None:
            yield piece
        elif not raw:
            yield Piece(b"", None, self.line, self.offset, None, eol, blank=not self.open_line, closes=self.open_line)
        else:
            found = spans(raw, glued=self.open_line)
            yield from self._cut(raw, found, eol)
        self._seen(chunk)
        self.offset += len(chunk)
        self.line += 1
        self.open_line = False

    def _plain(self, raw: bytes, eol: int) -> Piece | None:
        try:
            value = _parse(raw.decode())
        except (ValueError, RecursionError):
            return None
        damage = "lone-surrogate" if _lone(raw, value) else None
        return Piece(raw, value, self.line, self.offset, damage, eol, damage is not None)

    def _cut(self, raw: bytes, found: list[Span], eol: int) -> Iterator[Piece]:
        for number, span in enumerate(found, 1):
            part = raw[span.start : span.end]
            value, damage = span.value, span.damage
            if value is not None and damage is None and _lone(part, value):
                damage = "lone-surrogate"
            yield Piece(
                part,
                value,
                self.line,
                self.offset + span.start,
                damage,
                eol if number == len(found) else 0,
                recovered=damage is not None and (span.valued or damage == "byte-order-mark"),
                blank=span.damage is None and not span.valued,
            )

    def _last_line(self, chunk: bytes) -> Iterator[Piece]:
        """The unterminated last line: what is whole at its beginning is taken, the rest waits for its continuation."""
        found = complete_spans(chunk, glued=self.open_line)
        end = found[-1].end if found else 0
        yield from self._cut(chunk, found, 0)
        self._seen(chunk[:end])
        self.offset += end
        self.open_line = self.open_line or end > 0
        self.tail = chunk[end:]

    def _oversized(self, first: bytes) -> Iterator[Piece]:
        """The parts of a too long line, cut at fixed distances from its start; the last one carries the damage."""
        assert self.oversized_from is not None
        start = self.oversized_from
        self.open_line = True
        for at in range(0, len(first), PART_BYTES):
            yield self._part(first[at : at + PART_BYTES], 0)
        while True:
            chunk = self._stream.readline(PART_BYTES - (self.offset - start) % PART_BYTES)
            if not chunk:
                return
            if chunk.endswith(b"\n"):
                break
            yield self._part(chunk, 0)
        eol = 2 if chunk.endswith(b"\r\n") else 1
        size = self.offset - start + len(chunk) - eol
        yield Piece(chunk[:-eol], None, self.line, self.offset, "oversized", eol, start_offset=start, size_bytes=size)
        self._seen(chunk)
        self.offset += len(chunk)
        self.line += 1
        self.open_line = False
        self.oversized_from = None

    def _part(self, raw: bytes, eol: int) -> Piece:
        piece = Piece(raw, None, self.line, self.offset, None, eol, blank=True)
        self._seen(raw)
        self.offset += len(raw)
        return piece


def _lone(raw: bytes, value: Any) -> bool:
    """Whether a `\\uD8xx` escape stands alone (an escaped backslash before a `u` looks the same in the raw bytes)."""
    if b"\\ud" not in raw and b"\\uD" not in raw:
        return False
    return has_surrogate(json.dumps(value, ensure_ascii=False))


__all__ = ["FILLER", "MAX_LINE_BYTES", "Piece", "Reader"]
