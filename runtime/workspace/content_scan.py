"""One pass over a session's stored rows for what they point to, without making events or records of them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from sqlalchemy import select

from ...events import schema
from ...events.importers.outside import outside_files
from ...events.store import EventStore

_BLOB = re.compile(rb'"\$blob":\s*"([0-9a-f]{64})"')
_PAGE = 2000


@dataclass(slots=True)
class Pointed:
    """Digests of blobs, and files outside by path with their kind (see `outside_files`)."""

    blobs: set[str] = field(default_factory=set[str])
    outside: dict[str, str] = field(default_factory=dict[str, str])


def scan_content(store: EventStore, session_id: str, until: int | None = None) -> Pointed:
    """What the events up to `until` (None: all) and the native records of a session point to.

    Events made of a record hold no blob of their own: their large texts are in the record.
    """
    found = Pointed()
    _scan_events(store, session_id, until, found)
    for source in store.sources(session_id=session_id):
        _scan_records(store, source.source, found)
    return found


def _scan_events(store: EventStore, session_id: str, until: int | None, found: Pointed) -> None:
    row = store.session(session_id)
    columns = schema.event.c
    for part in store.segments(row, 1, row.head if until is None else until):
        query = select(columns.enc, columns.dict_id, columns.data).where(
            columns.stream == part.stream, columns.seq.between(part.lo, part.hi), columns.record.is_(None)
        )
        with store.reading() as connection:
            for stored in connection.execute(query):
                body = store.codec.decode(stored.enc, stored.dict_id, stored.data)
                if b'"$blob"' in body:
                    found.blobs.update(match.decode() for match in _BLOB.findall(body))


def _scan_records(store: EventStore, source: int, found: Pointed) -> None:
    columns = schema.record.c
    last = -1
    while True:
        query = (
            select(columns.offset_bytes, columns.enc, columns.dict_id, columns.body, columns.splices)
            .where(columns.source == source, columns.offset_bytes > last)
            .order_by(columns.offset_bytes)
            .limit(_PAGE)
        )
        with store.reading() as connection:
            rows = connection.execute(query).all()
        for row in rows:
            found.outside.update(
                (path, kind) for kind, path in outside_files(store.codec.decode(row.enc, row.dict_id, row.body))
            )
            if row.splices is not None:
                found.blobs.update(digest for _, digest in json.loads(row.splices))
        if len(rows) < _PAGE:
            return
        last = rows[-1].offset_bytes
