"""What a file is, told by its content: the beginning of it is read once and shown to each importer."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import zstandard

from ..errors import UnreadableSource
from .importer import Importer, Line, Probe
from .plain import opened_plain
from .reader import Piece, Reader
from .registry import importer_named, importers

HEAD_BYTES = 64 * 1024
_FIRST_LINE_BYTES = 16 * 1024 * 1024
"""The head is read further when not even the first line ends within HEAD_BYTES."""
_SEARCH_BYTES = 256 * 1024 * 1024
"""How far a readable record is searched for when the head holds none: damage at the beginning may be long."""


def probe(path: Path) -> Probe:
    """The head of a file and the records complete in it.

    Raises:
        UnreadableSource: the file is compressed and its beginning does not decompress.
    """
    with opened_plain(path) as stream:
        try:
            head, whole = head_of(stream)
        except zstandard.ZstdError as error:
            raise unreadable(path, f"it does not decompress ({error})") from error
    return probe_of(path, head, whole=whole)


def head_of(stream: BinaryIO) -> tuple[bytes, bool]:
    """The first 64 KiB (more when the first line is longer), and whether that is all.

    When nothing in them can be read, the first readable line after them follows.
    """
    head = stream.read(HEAD_BYTES)
    if len(head) < HEAD_BYTES:
        return head, True
    if b"\n" not in head:
        head += stream.readline(_FIRST_LINE_BYTES)
        if not head.endswith(b"\n") and len(head) < HEAD_BYTES + _FIRST_LINE_BYTES:
            return head, True
    if any(isinstance(piece.value, dict) for piece in _pieces(head)):
        return head, False
    found = _first_record(stream)
    return (head, False) if found is None else (head[:HEAD_BYTES] + b"\n" + found, False)


def _first_record(stream: BinaryIO) -> bytes | None:
    """The next line that is a JSON object."""
    looked = 0
    at_start = False
    while looked < _SEARCH_BYTES and (line := stream.readline(_FIRST_LINE_BYTES)):
        looked += len(line)
        if at_start and line.startswith(b"{") and line.endswith(b"}\n"):
            try:
                json.loads(line)
            except (ValueError, RecursionError):
                pass
            else:
                return line
        at_start = line.endswith(b"\n")
    return None


def _pieces(head: bytes) -> Iterator[Piece]:
    """The records on the whole lines of a head."""
    return Reader(io.BytesIO(head[: head.rfind(b"\n") + 1])).pieces()


def probe_of(path: Path, head: bytes, *, whole: bool) -> Probe:
    """A probe from the beginning of a file's content. whole: there is no more of it."""
    if whole and (document := _document(head)) is not None:
        return Probe(path, head, (document,))
    pieces = Reader(io.BytesIO(head)).pieces() if whole else _pieces(head)
    return Probe(path, head, tuple(piece for piece in pieces if piece.value is not None))


def _document(head: bytes) -> Line | None:
    """The only record of a short file that is one JSON document over several lines."""
    if b"\n" not in head.strip():
        return None
    try:
        return Line(head, json.loads(head.decode("utf-8-sig", "replace")), 1, 0)
    except (ValueError, RecursionError):
        return None


def recognize(found: Probe, name: str = "auto", among: Iterable[Importer] | None = None) -> Importer | None:
    """The importer whose format this is; `name` forces one. None when nobody knows it.

    Raises:
        UsageError: `name` is no importer.
    """
    if name != "auto":
        return importer_named(name)
    return next((one for one in (importers() if among is None else among) if one.recognizes(found)), None)


def unreadable(path: Path, why: str, *, unknown_format: bool = False) -> UnreadableSource:
    """The error for a file of which nothing can be imported. unknown_format: nobody takes it for a transcript."""
    return UnreadableSource(
        f"{path} is not a supported transcript: {why}.",
        remedy="Name a transcript of a supported tool, or say which one it is with --from.",
        path=str(path),
        reason="not a supported transcript",
        unknown_format=unknown_format,
    )
