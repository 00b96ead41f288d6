"""Native records against the digest of the file they came from, and blobs against their own."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from sqlalchemy import select

from ..events import blobs, native, schema
from ..events.codec import RAW, ZSTD_DICT
from ..events.seal import seal_of
from ..events.store import EventStore
from .verify_result import UNREADABLE, Mismatch

CHUNK = 500


def check_sources(store: EventStore, session_id: str) -> list[Mismatch]:
    """Every file of the session: its row's seal, and that its records are the bytes that were read, without a gap."""
    with store.reading() as connection:
        query = select(schema.source).where(schema.source.c.session_id == session_id)
        rows = connection.execute(query.order_by(schema.source.c.source)).all()
    found: list[Mismatch] = []
    for row in rows:
        found += _check_source(store, row)
    return found


def _check_source(store: EventStore, row: Any) -> list[Mismatch]:
    values = {column.name: getattr(row, column.name) for column in schema.source.c if column.name != "source"}
    if seal_of(values) != row.seal:
        return [_wrong(row, "the row of the file is not as it was written")]
    state = json.loads(row.state)
    if state.get("purged"):
        return []
    original = state.get("original")
    if original is None and row.offset_bytes + len(row.tail) != row.size_bytes:
        return [_wrong(row, "the file's size is not the sum of its parts")]
    if original is not None and store.blob(original) is None:
        return [_wrong(row, "the compressed original is not there")]
    return _check_records(store, row)


def _check_records(store: EventStore, source: Any) -> list[Mismatch]:
    digest = hashlib.sha256()
    line, offset, last = 1, 0, -1
    columns = schema.record.c
    query = select(schema.record).where(columns.source == source.source).order_by(columns.offset_bytes)
    while True:
        with store.reading() as connection:
            rows = connection.execute(query.where(columns.offset_bytes > last).limit(CHUNK)).all()
            for row in rows:
                try:
                    raw = native.record_bytes(connection, store.codec, row)
                    end: bytes = native.EOL[int(row.eol)]
                except UNREADABLE as error:
                    return [_wrong(source, f"the record at line {line} cannot be read ({error})", line, offset)]
                fits = (row.enc == ZSTD_DICT) == (row.dict_id is not None) and row.enc >= RAW
                if row.line != line or row.offset_bytes != offset or not fits:
                    return [_wrong(source, f"the record at line {line} does not join the one before it", line, offset)]
                digest.update(raw)
                digest.update(end)
                offset += len(raw) + len(end)
                line += 1 if end else 0
        if not rows:
            break
        last = rows[-1].offset_bytes
    if offset != source.offset_bytes or digest.digest() != source.prefix_hash or line != source.lines + 1:
        return [_wrong(source, "its records are not the bytes that were read")]
    return []


def _wrong(source: Any, why: str, line: int | None = None, byte_offset: int | None = None) -> Mismatch:
    facts = {"path": source.path, "source": source.source, "line": line, "byte_offset": byte_offset}
    return Mismatch(
        what="record" if line is not None else "source",
        message=f"{source.path} (session {source.session_id}): {why}.",
        session_id=source.session_id,
        facts=facts,
    )


def check_blobs(store: EventStore) -> list[Mismatch]:
    """Every stored body against the digest it is filed under."""
    found: list[Mismatch] = []
    with store.reading() as connection:
        digests = [bytes(digest) for digest in connection.execute(select(schema.blob.c.digest)).scalars()]
    for digest in digests:
        with store.reading() as connection:
            try:
                content = blobs.get(connection, digest.hex())
                size = connection.execute(
                    select(schema.blob.c.size_bytes).where(schema.blob.c.digest == digest)
                ).scalar()
                intact = content is not None and hashlib.sha256(content).digest() == digest and len(content) == size
            except (*UNREADABLE, MemoryError):
                intact = False
        if not intact:
            message = f"The stored body {digest.hex()} is not what it was."
            found.append(Mismatch(what="blob", message=message, facts={"digest": digest.hex()}))
    return found
