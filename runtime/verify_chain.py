"""The events of a session against their hash chain, and the chain against its head."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlalchemy import select

from ..events import native, schema
from ..events.canonical import GENESIS, chained
from ..events.codec import RAW, ZSTD_DICT
from ..events.kinds import KINDS
from ..events.store import EventStore, SessionRow
from .verify_result import UNREADABLE, Mismatch

CHUNK = 1000
_BLOB = re.compile(rb'\{"\$blob":"([0-9a-f]{64})"\}')


def check_chain(store: EventStore, session_id: str) -> tuple[int, list[Mismatch]]:
    """Every stream of the session (all generations): `(events checked, mismatches)`."""
    columns = schema.stream.c
    with store.reading() as connection:
        query = select(schema.stream).where(columns.session_id == session_id).order_by(columns.stream)
        streams = connection.execute(query).all()
    count = 0
    found: list[Mismatch] = []
    for stream in streams:
        checked, mismatches = _Stream(store, session_id, stream).check()
        count += checked
        found += mismatches
    return count, found


def check_lineage(store: EventStore, row: SessionRow) -> list[Mismatch]:
    """The past that a fork shares must be there, without a gap, up to its fork point."""
    columns = schema.lineage.c
    with store.reading() as connection:
        query = select(schema.lineage).where(columns.stream == row.stream).order_by(columns.ord)
        parts = connection.execute(query).all()
        heads = {one.stream: one.head for one in connection.execute(select(schema.stream)).all()}
    found: list[Mismatch] = []
    end = 0
    for number, part in enumerate(parts):
        if part.ord != number or part.lo != end + 1 or part.hi < part.lo or part.hi > heads.get(part.src_stream, -1):
            message = f"Session {row.session_id} shares positions {part.lo} to {part.hi} of events that are not there."
            found.append(Mismatch(what="lineage", message=message, session_id=row.session_id, position=part.lo))
        end = part.hi
    stated = row.forked_from.rpartition("@")[2] if row.forked_from else "0"
    if stated != str(end):
        message = f"Session {row.session_id} says it was forked at {stated}, its lineage ends at {end}."
        found.append(Mismatch(what="lineage", message=message, session_id=row.session_id, position=end))
    return found


class _Stream:
    """One stream, from its first own event to its head."""

    def __init__(self, store: EventStore, session_id: str, stream: Any) -> None:
        self._store = store
        self._session_id = session_id
        self._stream = stream
        self._found: list[Mismatch] = []

    def check(self) -> tuple[int, list[Mismatch]]:
        position, digest = self._beginning()
        count = 0
        intact = True
        for row, record_digest in self._rows(position):
            position += 1
            if row.seq != position:
                self._wrong(position, f"the next event stored is {row.seq}")
                position = row.seq
                intact = False
            computed = self._hash(row, digest, record_digest)
            if computed != row.hash and intact:
                self._wrong(position, "its content does not fit its hash")
            intact = True
            digest = bytes(row.hash)
            count += 1
        if position != self._stream.head or digest != self._stream.head_hash:
            self._wrong(self._stream.head, f"the head is recorded as this position, the last event is {position}")
        return count, self._found

    def _beginning(self) -> tuple[int, bytes]:
        """The position and hash that the first own event follows."""
        columns = schema.lineage.c
        with self._store.reading() as connection:
            query = (
                select(columns.src_stream, columns.hi)
                .where(columns.stream == self._stream.stream)
                .order_by(columns.ord.desc())
                .limit(1)
            )
            last = connection.execute(query).first()
            if last is None:
                return 0, GENESIS
            event = schema.event.c
            origin = select(event.hash).where(event.stream == last.src_stream, event.seq == last.hi)
            digest = connection.execute(origin).scalar()
        if digest is None:
            self._wrong(last.hi, "the event it was forked from is not there")
        return int(last.hi), bytes(digest or GENESIS)

    def _rows(self, after: int) -> Iterator[tuple[Any, bytes | None]]:
        """Rows in order with the digests of their native records; what cannot be read is told and left out."""
        columns = schema.event.c
        query = select(schema.event).where(columns.stream == self._stream.stream).order_by(columns.seq)
        while True:
            try:
                with self._store.reading() as connection:
                    rows = list(connection.execute(query.where(columns.seq > after).limit(CHUNK)))
            except UNREADABLE:
                rows = list(self._one_by_one(after))
            if not rows:
                return
            digests = self._record_digests(rows)
            for row in rows:
                yield row, digests.get(row.record) if row.record is not None else None
            after = max(after + 1, rows[-1].seq)

    def _one_by_one(self, after: int) -> Iterator[Any]:
        columns = schema.event.c
        for position in range(after + 1, min(after + CHUNK, self._stream.head) + 1):
            query = select(schema.event).where(columns.stream == self._stream.stream, columns.seq == position)
            try:
                with self._store.reading() as connection:
                    row = connection.execute(query).first()
            except UNREADABLE as error:
                self._wrong(position, f"it cannot be read ({getattr(error, 'orig', None) or error})")
                continue
            if row is not None:
                yield row

    def _record_digests(self, rows: list[Any]) -> dict[int, bytes]:
        numbers = {row.record for row in rows if row.record is not None}
        try:
            return {one.record: native.digest_of(one.raw) for one in self._store.records(numbers)}
        except UNREADABLE:
            return {number: digest for number in numbers if (digest := self._record_digest(number)) is not None}

    def _record_digest(self, number: int) -> bytes | None:
        try:
            return next((native.digest_of(one.raw) for one in self._store.records([number])), None)
        except UNREADABLE:
            return None

    def _hash(self, row: Any, previous: bytes, record_digest: bytes | None) -> bytes | None:
        """The hash that the row's content gives; None when the content cannot be read or says what no event can say."""
        try:
            data = self._store.codec.decode(row.enc, row.dict_id, row.data)
            missing = [digest for digest in _BLOB.findall(data) if self._store.blob(digest.decode()) is None]
            fits = (row.enc == ZSTD_DICT) == (row.dict_id is not None) and row.enc >= RAW and row.kind in KINDS
            if missing or not fits or (row.record is not None and record_digest is None):
                return None
            return chained(
                previous,
                bytes(row.uid).hex(),
                row.kind,
                row.version,
                row.ts,
                row.meta,
                data,
                record_digest=record_digest,
            )
        except UNREADABLE:
            return None

    def _wrong(self, position: int, why: str) -> None:
        message = f"Event {self._session_id}@{position}: {why}."
        generation = {"generation": self._stream.generation} if self._stream.generation > 1 else {}
        self._found.append(
            Mismatch(what="event", message=message, session_id=self._session_id, position=position, facts=generation)
        )
