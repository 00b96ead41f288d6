"""Source files as they were, byte for byte: sources, their records, and the way back to the original bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select, update

from . import blobs, schema
from .bulk import insert_rows
from .codec import Codec
from .database import one_at_a_time
from .long_text import long_parts
from .seal import seal_of

EOL = (b"", b"\n", b"\r\n")
PAGE = 200
_RECORD_COLUMNS = ("record", "source", "line", "offset_bytes", "eol", "enc", "dict_id", "body", "splices")


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One imported file (one generation of it: a rewritten file gets a new row and supersedes the old).

    offset_bytes: how far it was read; lines: lines up to there; tail: unread bytes behind (a torn last line).
    prefix_hash: SHA-256 of the bytes before the offset. state: the importer's memory between two imports, JSON.
    """

    source: int
    path: str
    session_id: str
    importer: str
    importer_version: int
    size_bytes: int
    offset_bytes: int
    lines: int
    mtime_ns: int
    prefix_hash: bytes
    tail: bytes
    state: dict[str, Any]
    superseded: bool
    seal: bytes = b""


@dataclass(frozen=True, slots=True)
class NativeRecord:
    """One record of a source file: its bytes without the line end, and where it stood (line from 1, offset from 0)."""

    record: int
    source: int
    line: int
    byte_offset: int
    eol: int
    raw: bytes

    def parsed(self) -> Any:
        return parse(self.raw)


def parse(raw: bytes) -> Any:
    """The JSON value of a record's bytes, None when there is none.

    Bad UTF-8 becomes U+FFFD; NULs and a byte-order mark around it are ignored.
    """
    text = raw.strip(b"\x00 \t\r\n").removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def insert_source(connection: Connection, row: SourceRow) -> int:
    values = _source_values(row)
    result = connection.execute(schema.source.insert(), values)
    assert result.inserted_primary_key is not None
    return int(result.inserted_primary_key[0])


def update_source(connection: Connection, row: SourceRow) -> None:
    connection.execute(update(schema.source).where(schema.source.c.source == row.source), _source_values(row))


def _source_values(row: SourceRow) -> dict[str, Any]:
    values: dict[str, Any] = {
        "path": row.path,
        "session_id": row.session_id,
        "importer": row.importer,
        "importer_version": row.importer_version,
        "size_bytes": row.size_bytes,
        "offset_bytes": row.offset_bytes,
        "lines": row.lines,
        "mtime_ns": row.mtime_ns,
        "prefix_hash": row.prefix_hash,
        "tail": row.tail,
        "state": json.dumps(row.state, separators=(",", ":")),
        "superseded": int(row.superseded),
    }
    return {**values, "seal": seal_of(values)}


def is_sealed(row: SourceRow) -> bool:
    """Whether the row is as it was written."""
    return bool(_source_values(row)["seal"] == row.seal)


def sources(connection: Connection, *, path: str | None = None, session_id: str | None = None) -> list[SourceRow]:
    """Sources in the order they were first imported, by path and/or session."""
    query = select(schema.source).order_by(schema.source.c.source)
    if path is not None:
        query = query.where(schema.source.c.path == path)
    if session_id is not None:
        query = query.where(schema.source.c.session_id == session_id)
    return [_source_row(dict(row)) for row in connection.execute(query).mappings()]


def _source_row(row: dict[Any, Any]) -> SourceRow:
    values: dict[str, Any] = {**row, "state": json.loads(row["state"]), "superseded": bool(row["superseded"])}
    return SourceRow(**values)


class RecordWriter:
    """Writes records of one source; large strings inside go to the blob table, so equal ones are stored once."""

    def __init__(self, connection: Connection, codec: Codec, source: int) -> None:
        self._connection = connection
        self._codec = codec.at_level(1)
        self._source = source
        one_at_a_time(connection, "record")
        last = connection.execute(
            select(schema.record.c.record).order_by(schema.record.c.record.desc()).limit(1)
        ).scalar()
        self._next = int(last or 0) + 1
        self._rows: list[tuple[Any, ...]] = []

    def add(self, line: int, byte_offset: int, raw: bytes, eol: int) -> int:
        """Queue one record; returns its row number. `flush` writes what is queued."""
        number = self._next
        self._next += 1
        body, splices = self._spliced(raw)
        encoding, dictionary, stored = self._codec.encode(body)
        self._rows.append((number, self._source, line, byte_offset, eol, encoding, dictionary, stored, splices))
        return number

    def _spliced(self, raw: bytes) -> tuple[bytes, str | None]:
        if len(raw) < blobs.LARGE_CHARS:
            return raw, None
        kept: list[bytes] = []
        splices: list[tuple[int, str]] = []
        end = 0
        length = 0
        for start, stop in long_parts(raw, blobs.LARGE_CHARS):
            piece = raw[end:start]
            kept.append(piece)
            length += len(piece)
            splices.append((length, blobs.put(self._connection, raw[start:stop])))
            end = stop
        if not splices:
            return raw, None
        kept.append(raw[end:])
        return b"".join(kept), json.dumps(splices, separators=(",", ":"))

    def flush(self) -> None:
        if self._rows:
            insert_rows(self._connection, schema.record, _RECORD_COLUMNS, self._rows)
            self._rows = []


def set_eol(connection: Connection, record: int, eol: int) -> None:
    """The line end of a record that was the unterminated last one when it was read."""
    connection.execute(update(schema.record).where(schema.record.c.record == record), {"eol": eol})


def record_bytes(connection: Connection, codec: Codec, row: Any) -> bytes:
    """The bytes of a row of the record table, large strings put back in.

    Raises:
        ValueError: stored bytes are damaged or a blob is missing.
    """
    body = codec.decode(row.enc, row.dict_id, row.body)
    if row.splices is None:
        return body
    parts: list[bytes] = []
    end = 0
    for offset, digest in json.loads(row.splices):
        content = blobs.get(connection, digest)
        if content is None:
            raise ValueError(f"blob {digest} is missing")
        parts += [body[end:offset], content]
        end = offset
    return b"".join([*parts, body[end:]])


def read_records(connection: Connection, codec: Codec, numbers: Iterable[int]) -> Iterator[NativeRecord]:
    """The records with these row numbers, in ascending order of number."""
    wanted = sorted(set(numbers))
    for start in range(0, len(wanted), 500):
        part = wanted[start : start + 500]
        query = select(schema.record).where(schema.record.c.record.in_(part)).order_by(schema.record.c.record)
        for row in connection.execute(query).all():
            yield _native(connection, codec, row)


def source_page(connection: Connection, codec: Codec, source: int, after: int) -> list[NativeRecord]:
    """The next records of a source behind byte offset `after`, in file order; empty at its end."""
    query = (
        select(schema.record)
        .where(schema.record.c.source == source, schema.record.c.offset_bytes > after)
        .order_by(schema.record.c.offset_bytes)
        .limit(PAGE)
    )
    return [_native(connection, codec, row) for row in connection.execute(query).all()]


def _native(connection: Connection, codec: Codec, row: Any) -> NativeRecord:
    raw = record_bytes(connection, codec, row)
    return NativeRecord(row.record, row.source, row.line, row.offset_bytes, row.eol, raw)


def digest_of(raw: bytes) -> bytes:
    """What an event's chain hash holds of its native record."""
    return hashlib.sha256(raw).digest()
