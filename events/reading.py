"""Reading: events through a fork's lineage, native records, sources, blobs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, cast

from sqlalchemy import func, select

from . import blobs, native, schema
from .appender import COLUMNS
from .codec import Codec
from .connected import damaged
from .event import Event
from .references import has_reference, resolve
from .session_rows import Segment, SessionRows
from .upcast import upcast

CHUNK = 2000
_COLUMNS = [schema.event.c[name] for name in COLUMNS]
_NO_TREE: dict[str, Any] = {}
_parse = json.JSONDecoder().decode


class Reading(SessionRows):
    """Gives back what is stored."""

    def read(
        self,
        session_id: str,
        *,
        after: int = 0,
        until: int | None = None,
        reverse: bool = False,
        kinds: Iterable[str] | None = None,
    ) -> Iterator[Event]:
        """Events in order of position, through the fork's lineage; references are not resolved (see `hydrate`).

        after: exclusive; until: inclusive, None for the head.
        """
        row = self.session(session_id)
        last = row.head if until is None else min(until, row.head)
        parts = self.segments(row, after + 1, last)
        for part in reversed(parts) if reverse else parts:
            yield from self._read_segment(session_id, part, reverse, None if kinds is None else list(kinds))

    def _read_segment(self, session_id: str, part: Segment, reverse: bool, kinds: list[str] | None) -> Iterator[Event]:
        lo, hi = part.lo, part.hi
        columns = schema.event.c
        while lo <= hi:
            query = select(*_COLUMNS).where(columns.stream == part.stream, columns.seq >= lo, columns.seq <= hi)
            if kinds is not None:
                query = query.where(columns.kind.in_(kinds))
            query = query.order_by(columns.seq.desc() if reverse else columns.seq).limit(CHUNK)
            with self.reading() as connection:
                rows = connection.execute(query).all()
                codec = self.codec
            for row in rows:
                yield _event_of_row(session_id, row, codec, self.name)
            if len(rows) < CHUNK:
                return
            if reverse:
                hi = rows[-1].seq - 1
            else:
                lo = rows[-1].seq + 1

    def hydrate(self, events: Iterable[Event]) -> list[Event]:
        """The events with all references replaced by their values."""
        events = list(events)
        lacking = [has_reference(event.data) for event in events]
        numbers = {
            event.record for event, lacks in zip(events, lacking, strict=True) if lacks and event.record is not None
        }
        parsed = {record.record: record.parsed() for record in self.records(numbers)} if numbers else {}
        return [
            replace(event, data=resolve(event.data, parsed.get(event.record or 0), self.blob_text)) if lacks else event
            for event, lacks in zip(events, lacking, strict=True)
        ]

    def records(self, numbers: Iterable[int]) -> list[native.NativeRecord]:
        """Native records by row number.

        Raises:
            DamagedDatabase: a record's stored bytes cannot be read.
        """
        with self.reading() as connection:
            codec = self.codec
            try:
                return list(native.read_records(connection, codec, numbers))
            except ValueError as error:
                raise damaged(self.name, str(error)) from error

    def sources(self, *, path: str | None = None, session_id: str | None = None) -> list[native.SourceRow]:
        with self.reading() as connection:
            return native.sources(connection, path=path, session_id=session_id)

    def source_records(self, source: int) -> list[native.NativeRecord]:
        """All records of a source in file order (all in memory: for client-compatible renderings)."""
        return list(self.each_source_record(source))

    def each_source_record(self, source: int) -> Iterator[native.NativeRecord]:
        """The records of a source in file order, a page at a time.

        Raises:
            DamagedDatabase: a record's stored bytes cannot be read.
        """
        after = -1
        while True:
            with self.reading() as connection:
                codec = self.codec
                try:
                    page = native.source_page(connection, codec, source, after)
                except ValueError as error:
                    raise damaged(self.name, str(error)) from error
            if not page:
                return
            yield from page
            after = page[-1].byte_offset

    def record_numbers(self, source: int) -> dict[int, int]:
        """The row numbers of a source's records by their byte offset."""
        columns = schema.record.c
        query = select(columns.offset_bytes, columns.record).where(columns.source == source)
        with self.reading() as connection:
            return {row.offset_bytes: row.record for row in connection.execute(query)}

    def blob(self, digest: str) -> bytes | None:
        """The bytes of a blob, None when there is none.

        Raises:
            DamagedDatabase: its stored bytes cannot be read.
        """
        with self.reading() as connection:
            try:
                return blobs.get(connection, digest)
            except ValueError as error:
                raise damaged(self.name, str(error)) from error

    def blob_text(self, digest: str) -> str | None:
        content = self.blob(digest)
        return None if content is None else content.decode("utf-8", "surrogatepass")

    def event_count(self) -> int:
        with self.reading() as connection:
            return int(connection.execute(select(func.count()).select_from(schema.event)).scalar_one())


def _event_of_row(session_id: str, row: Any, codec: Codec, name: str) -> Event:
    stream, position, kind, version, ts, uid, meta, encoding, dictionary, stored, record, digest = row
    try:
        data = _parse(codec.decode(encoding, dictionary, stored).decode("utf-8", "surrogatepass"))
        tree = cast("dict[str, Any]", _parse(meta)) if meta else _NO_TREE
    except ValueError as error:
        raise damaged(
            name, f"event {session_id}@{position}: {error}", session_id=session_id, position=position
        ) from error
    return Event(
        session_id,
        position,
        kind,
        upcast(kind, version, data),
        uid.hex(),
        ts,
        tree.get("n"),
        tree.get("p"),
        tree.get("t"),
        tree.get("l"),
        record,
        version,
        stream,
        digest,
    )
