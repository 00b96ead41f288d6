"""The event store: one append-only stream per session, gap-free positions, a hash chain, forks that share their past."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Self

from sqlalchemy import Connection, func, select, update

from . import blobs, database, native, schema
from .appender import Appender
from .canonical import GENESIS
from .codec import BUILT_IN_DICTIONARY, Codec, built_in_dictionary
from .errors import EventConflict, EventNotFound, LeaseConflict, PositionConflict, RehydrateError, SessionNotFound
from .event import Draft, Event
from .lock import WriterLock
from .references import resolve
from .seal import seal_of
from .times import now_us

CHUNK = 2000


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as the store knows it. role is `main` or `subagent`; head is the position of its newest event (0: none)."""

    session_id: str
    source: str
    role: str
    parent_session: str | None
    agent_id: str | None
    stream: int
    generation: int
    head: int
    created_us: int
    forked_from: str | None


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a session's past that lies in `stream`: positions `lo` to `hi`, both inclusive."""

    stream: int
    lo: int
    hi: int


class EventStore:
    """All sessions of one database. Use as a context manager, or call `close()`.

    Not safe to share between processes after a fork; threads may share it (calls are serialized).
    """

    def __init__(self, target: str | os.PathLike[str] | None = None, **options: Any) -> None:
        self.url = database.as_url(target)
        self.path = database.sqlite_path(self.url)
        self._engine = database.open_engine(self.url, **options)
        self._guard = threading.RLock()
        self._connection: Connection = self._engine.connect()
        lock_file = None if self.path is None else database.lock_path(self.path)
        self._lock = WriterLock(lock_file, database.lock_timeout_s())
        self._depth = 0
        self._codec: Codec | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()
        self._engine.dispose()
        self._lock.close()

    # -- transactions ---------------------------------------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One atomic write: all of it or nothing. Re-entrant; the outermost block commits.

        Raises:
            DatabaseBusy: another writer held the database beyond the time limit.
            DiskFull: there was no space; nothing was written.
        """
        with self._guard:
            if self._depth:
                with self._nested():
                    yield self._connection
                return
            with self._lock.held(), database.translated(self.name):
                self._begin_write()
                self._depth = 1
                try:
                    yield self._connection
                    self._connection.commit()
                except BaseException:
                    self._connection.rollback()
                    raise
                finally:
                    self._depth = 0

    @contextmanager
    def _nested(self) -> Iterator[None]:
        """A step within a write: when it fails and the caller goes on all the same, nothing of it stays."""
        self._depth += 1
        savepoint = f"step_{self._depth}"
        self._connection.exec_driver_sql(f"SAVEPOINT {savepoint}")
        try:
            yield
            self._connection.exec_driver_sql(f"RELEASE SAVEPOINT {savepoint}")
        except BaseException:
            with suppress(Exception):
                self._connection.exec_driver_sql(f"ROLLBACK TO SAVEPOINT {savepoint}")
                self._connection.exec_driver_sql(f"RELEASE SAVEPOINT {savepoint}")
            raise
        finally:
            self._depth -= 1

    def _begin_write(self) -> None:
        if self._connection.dialect.name == "sqlite":
            self._connection.rollback()
            self._connection.exec_driver_sql("BEGIN IMMEDIATE")

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection for reads; outside a write it ends its transaction so that no old state is held."""
        with self._guard, database.translated(self.name):
            yield self._connection
            if not self._depth:
                self._connection.rollback()

    @property
    def name(self) -> str:
        return str(self.path or self.url)

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""
        return str(self._engine.dialect.name)

    @property
    def codec(self) -> Codec:
        """The codec with the dictionaries of this database; the built-in one is stored at first use."""
        if self._codec is None:
            with self.reading() as connection:
                known = {row.dict_id: bytes(row.body) for row in connection.execute(select(schema.dictionary))}
            if BUILT_IN_DICTIONARY not in known:
                known[BUILT_IN_DICTIONARY] = built_in_dictionary()
                if self._depth:
                    self._store_dictionary(known[BUILT_IN_DICTIONARY])
            self._codec = Codec(known)
        return self._codec

    def _store_dictionary(self, body: bytes) -> None:
        self._connection.execute(schema.dictionary.insert(), {"dict_id": BUILT_IN_DICTIONARY, "body": body})

    def writing_codec(self) -> Codec:
        """The codec, its dictionary certainly in the table (rows must never name one that is not stored)."""
        codec = self.codec
        number = schema.dictionary.c.dict_id
        if not self._connection.execute(select(number).where(number == BUILT_IN_DICTIONARY)).first():
            self._store_dictionary(built_in_dictionary())
        return codec

    # -- sessions -------------------------------------------------------------------------------------------------

    def create_session(
        self,
        session_id: str,
        *,
        source: str,
        role: str = "main",
        parent_session: str | None = None,
        agent_id: str | None = None,
    ) -> SessionRow:
        """Register a session without events.

        Raises:
            EventConflict: the id is taken.
        """
        with self.writing() as connection:
            if self.find_session(session_id) is not None:
                raise EventConflict(f"Session {session_id} exists already.", session_id=session_id)
            stream = self._new_stream(connection, session_id, 1, head=0, head_hash=GENESIS)
            row = {
                "session_id": session_id,
                "source": source,
                "role": role,
                "parent_session": parent_session,
                "agent_id": agent_id,
                "stream": stream,
                "created_us": now_us(),
            }
            connection.execute(schema.session.insert(), {**row, "seal": seal_of(row)})
        return self.session(session_id)

    def _new_stream(
        self,
        connection: Connection,
        session_id: str,
        generation: int,
        *,
        head: int,
        head_hash: bytes,
        forked_from: str | None = None,
    ) -> int:
        values = {
            "session_id": session_id,
            "generation": generation,
            "head": head,
            "head_hash": head_hash,
            "forked_from": forked_from,
        }
        key = connection.execute(schema.stream.insert(), values).inserted_primary_key
        assert key is not None
        return int(key[0])

    def create_fork(
        self, session_id: str, parent: str, position: int, *, source: str, agent_id: str | None = None
    ) -> SessionRow:
        """Register a session that shares the events 1 to `position` of `parent` by reference; none is copied.

        Raises:
            EventNotFound: the parent has no event at that position.
        """
        with self.writing() as connection:
            origin = self.session(parent)
            if not 0 < position <= origin.head:
                raise EventNotFound(
                    f"Session {parent} has events 1 to {origin.head}; there is none at {position}.",
                    remedy=f"Use a position up to {origin.head}.",
                    session_id=parent,
                    position=position,
                    head=origin.head,
                )
            digest = self.hash_at(origin, position)
            stream = self._new_stream(
                connection, session_id, 1, head=position, head_hash=digest, forked_from=f"{parent}@{position}"
            )
            self._share_past(connection, stream, origin, position)
            values = {
                "session_id": session_id,
                "source": source,
                "role": "main",
                "parent_session": None,
                "agent_id": agent_id,
                "stream": stream,
                "created_us": now_us(),
            }
            connection.execute(schema.session.insert(), {**values, "seal": seal_of(values)})
        return self.session(session_id)

    def _share_past(self, connection: Connection, stream: int, origin: SessionRow, position: int) -> None:
        rows = [
            {"stream": stream, "ord": number, "src_stream": part.stream, "lo": part.lo, "hi": part.hi}
            for number, part in enumerate(self.segments(origin, 1, position))
        ]
        connection.execute(schema.lineage.insert(), rows)

    def new_generation(self, session_id: str, *, past: tuple[str, int] | None = None) -> SessionRow:
        """A stream without events of its own that takes the place of the session's present one; old events and forks stay.

        past: session and position whose events it shall follow; None keeps what the present one shares.
        """
        with self.writing() as connection:
            row = self.session(session_id)
            if past is None and row.forked_from is not None:
                parent, _, position = row.forked_from.rpartition("@")
                origin = replace(row, head=int(position))
            elif past is not None:
                origin = self.session(past[0])
                parent, position = past[0], str(past[1])
            else:
                origin = None
            head = 0 if origin is None else int(position)
            stream = self._new_stream(
                connection,
                session_id,
                row.generation + 1,
                head=head,
                head_hash=GENESIS if origin is None else self.hash_at(origin, head),
                forked_from=None if origin is None else f"{parent}@{position}",
            )
            if origin is not None:
                self._share_past(connection, stream, origin, head)
            self._change_session(connection, session_id, {"stream": stream})
        return self.session(session_id)

    def link_parent(self, session_id: str, parent_session: str, agent_id: str | None) -> None:
        """Note that a session is a sub-agent of another (which may not be imported yet)."""
        with self.writing() as connection:
            values = {"role": "subagent", "parent_session": parent_session, "agent_id": agent_id}
            self._change_session(connection, session_id, values)

    def _change_session(self, connection: Connection, session_id: str, changes: dict[str, Any]) -> None:
        table = schema.session
        query = select(table).where(table.c.session_id == session_id)
        values = {**connection.execute(query).mappings().one(), **changes}
        connection.execute(update(table).where(table.c.session_id == session_id), {**changes, "seal": seal_of(values)})

    def find_session(self, session_id: str) -> SessionRow | None:
        with self.reading() as connection:
            query = self._sessions().where(schema.session.c.session_id == session_id)
            row = connection.execute(query).mappings().first()
            return None if row is None else SessionRow(**row)

    def session(self, session_id: str) -> SessionRow:
        """The session with exactly this id.

        Raises:
            SessionNotFound: there is none (nothing is created).
        """
        row = self.find_session(session_id)
        if row is None:
            raise SessionNotFound(
                f"There is no session {session_id}.",
                remedy="List them with: rehydrate sessions --all",
                session_id=session_id,
            )
        return row

    def sessions(self, *, role: str | None = None, parent: str | None = None) -> list[SessionRow]:
        """Sessions in the order they were created, by role and/or parent."""
        query = self._sessions().order_by(schema.session.c.created_us, schema.session.c.session_id)
        if role is not None:
            query = query.where(schema.session.c.role == role)
        if parent is not None:
            query = query.where(schema.session.c.parent_session == parent)
        with self.reading() as connection:
            return [SessionRow(**row) for row in connection.execute(query).mappings()]

    @staticmethod
    def _sessions() -> Any:
        session, stream = schema.session.c, schema.stream.c
        return select(
            session.session_id,
            session.source,
            session.role,
            session.parent_session,
            session.agent_id,
            session.stream,
            stream.generation,
            stream.head,
            session.created_us,
            stream.forked_from,
        ).join_from(schema.session, schema.stream, session.stream == stream.stream)

    # -- appending ------------------------------------------------------------------------------------------------

    def append(
        self,
        session_id: str,
        drafts: Sequence[Draft],
        expected_position: int | None = None,
        *,
        records: Sequence[tuple[int, bytes] | None] | None = None,
        token: int | None = None,
    ) -> list[Event]:
        """Append events atomically; returns them with their positions.

        expected_position: the head the caller decided on; None appends at the head, whatever it is.
        records: per draft the row number and content digest of its native record.
        token: the caller's fencing token, where the session is leased.

        An event whose id the session has already, with the same content, is not appended again; the stored one is returned.

        Raises:
            PositionConflict: the head is another one (both numbers are attributes).
            EventConflict: an id is known with other content.
            LeaseConflict: the token is not the session's present one.
        """
        with self.writing() as connection:
            self._hold(connection, session_id)
            row = self.session(session_id)
            self._check_token(connection, session_id, token)
            known = self._known(row, drafts)
            if expected_position is not None and expected_position != row.head:
                if drafts and len(known) == len(drafts):
                    return known
                raise PositionConflict(session_id, expected_position, row.head)
            ids = {event.event_id for event in known}
            given = records if records is not None else [None] * len(drafts)
            fresh = [pair for pair in zip(drafts, given, strict=True) if pair[0].event_id not in ids]
            new = self._insert(connection, row, [draft for draft, _ in fresh], [record for _, record in fresh])
            return known + new

    def append_new(
        self, session_id: str, drafts: Sequence[Draft], records: Sequence[tuple[int, bytes] | None]
    ) -> list[Event]:
        """Append events that the caller knows to be new (an import that has compared ids itself); no look-up of ids."""
        with self.writing() as connection:
            self._hold(connection, session_id)
            return self._insert(connection, self.session(session_id), drafts, records)

    def _hold(self, connection: Connection, session_id: str) -> None:
        """Keep other writers of the session out until the transaction ends, where the database has many writers."""
        if connection.dialect.name == "sqlite":
            return
        stream, session = schema.stream, schema.session
        query = select(stream.c.stream).join_from(session, stream, session.c.stream == stream.c.stream)
        connection.execute(query.where(session.c.session_id == session_id).with_for_update(of=stream))

    def _insert(
        self,
        connection: Connection,
        row: SessionRow,
        drafts: Sequence[Draft],
        records: Sequence[tuple[int, bytes] | None] | None,
    ) -> list[Event]:
        if not drafts:
            return []
        appender = Appender(connection, self.writing_codec(), row.stream)
        events: list[Event] = []
        for number, draft in enumerate(drafts):
            record = records[number] if records is not None else None
            event_id = draft.event_id or os.urandom(16).hex()
            data = draft.data if record is not None else blobs.put_large_texts(connection, draft.data)
            row_number, digest = record if record is not None else (None, None)
            position = appender.add(draft, event_id, data, row_number, digest)
            events.append(_event_of_draft(draft, row, position, event_id, data, row_number, appender.head_hash))
        appender.flush()
        return events

    def _known(self, row: SessionRow, drafts: Sequence[Draft]) -> list[Event]:
        """The stored events with the ids of these drafts; other content under an id is an error."""
        wanted = {bytes.fromhex(draft.event_id): draft for draft in drafts if draft.event_id is not None}
        found: list[Event] = []
        if not wanted:
            return found
        for position in self._positions(row, set(wanted)):
            (event,) = self.read(row.session_id, after=position - 1, until=position)
            draft = wanted[bytes.fromhex(event.event_id)]
            if draft.kind != event.kind or not blobs_equal(draft.data, event.data):
                raise EventConflict(
                    f"Event {event.event_id} of session {row.session_id} is known with other content.",
                    remedy="Nothing was written; restore the session again and decide anew.",
                    session_id=row.session_id,
                    event_id=event.event_id,
                    position=event.position,
                )
            found.append(event)
        return found

    def _positions(self, row: SessionRow, wanted: set[bytes]) -> list[int]:
        """Where a session has events with these ids, its shared past included."""
        columns = schema.event.c
        found: list[int] = []
        with self.reading() as connection:
            for part in self.segments(row, 1, row.head):
                query = select(columns.seq).where(
                    columns.stream == part.stream,
                    columns.seq >= part.lo,
                    columns.seq <= part.hi,
                    columns.uid.in_(wanted),
                )
                found += connection.execute(query.order_by(columns.seq)).scalars()
        return found

    def _check_token(self, connection: Connection, session_id: str, token: int | None) -> None:
        if token is None:
            return
        current = connection.execute(
            select(schema.lease.c.token, schema.lease.c.holder).where(schema.lease.c.session_id == session_id)
        ).first()
        if current is None or current.token != token:
            raise LeaseConflict(
                f"Session {session_id} was taken over by another writer.",
                remedy="Restore it again; nothing was written.",
                session_id=session_id,
                token=token,
                current_token=None if current is None else current.token,
                holder=None if current is None else current.holder,
            )

    # -- reading --------------------------------------------------------------------------------------------------

    def segments(self, row: SessionRow, first: int, last: int) -> list[Segment]:
        """Where positions `first` to `last` of a session lie, oldest first."""
        with self.reading() as connection:
            lineage = schema.lineage.c
            past = connection.execute(
                select(lineage.src_stream, lineage.lo, lineage.hi)
                .where(lineage.stream == row.stream)
                .order_by(lineage.ord)
            ).all()
        own_from = max((part.hi for part in past), default=0) + 1
        parts = [Segment(part.src_stream, part.lo, part.hi) for part in past] + [
            Segment(row.stream, own_from, row.head)
        ]
        clipped = [Segment(part.stream, max(part.lo, first), min(part.hi, last)) for part in parts]
        return [part for part in clipped if part.lo <= part.hi]

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
            query = select(schema.event).where(columns.stream == part.stream, columns.seq >= lo, columns.seq <= hi)
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

    def hash_at(self, row: SessionRow, position: int) -> bytes:
        """The chain hash after the event at `position` (GENESIS for 0)."""
        if position == 0:
            return GENESIS
        (part,) = self.segments(row, position, position)
        with self.reading() as connection:
            columns = schema.event.c
            query = select(columns.hash).where(columns.stream == part.stream, columns.seq == position)
            return bytes(connection.execute(query).scalar_one())

    def hydrate(self, events: Iterable[Event]) -> list[Event]:
        """The events with all references replaced by their values."""
        events = list(events)
        lacking = [_has_reference(event.data) for event in events]
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

    def put_blob(self, content: bytes) -> str:
        with self.writing() as connection:
            return blobs.put(connection, content)

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

    # -- snapshots ------------------------------------------------------------------------------------------------

    def save_snapshot(self, row: SessionRow, position: int, version: str, body: bytes) -> None:
        """Keep a stored state (a cache): one per position and version; older ones of this version are dropped."""
        with self.writing() as connection:
            columns = schema.snapshot.c
            connection.execute(
                schema.snapshot.delete().where(
                    columns.stream == row.stream, (columns.version != version) | (columns.seq == position)
                )
            )
            values = {"stream": row.stream, "seq": position, "version": version, "body": body}
            connection.execute(schema.snapshot.insert(), values)

    def load_snapshot(self, row: SessionRow, position: int, version: str) -> tuple[int, bytes] | None:
        """The newest state at or before `position`: `(its position, body)`."""
        columns = schema.snapshot.c
        with self.reading() as connection:
            for part in reversed(self.segments(row, 1, position)):
                query = (
                    select(columns.seq, columns.body)
                    .where(columns.stream == part.stream, columns.seq <= part.hi, columns.version == version)
                    .order_by(columns.seq.desc())
                    .limit(1)
                )
                found = connection.execute(query).first()
                if found is not None:
                    return int(found.seq), bytes(found.body)
        return None

    def drop_snapshots(self, row: SessionRow) -> None:
        with self.writing() as connection:
            connection.execute(schema.snapshot.delete().where(schema.snapshot.c.stream == row.stream))


def damaged(name: str, what: str, **facts: Any) -> RehydrateError:
    from .errors import DamagedDatabase

    return DamagedDatabase(
        f"The database {name} is damaged: {what}.",
        remedy="Find all damage with: rehydrate verify. Restore a backup, or import the transcripts into a new database.",
        path=name,
        **facts,
    )


def blobs_equal(draft: Any, stored: Any) -> bool:
    """Whether draft data equals stored data, in which large texts are references to blobs."""
    if isinstance(stored, dict) and set(stored) == {"$blob"} and isinstance(draft, str):
        import hashlib

        return hashlib.sha256(draft.encode("utf-8", "surrogatepass")).hexdigest() == stored["$blob"]
    if isinstance(draft, dict) and isinstance(stored, dict):
        return draft.keys() == stored.keys() and all(blobs_equal(draft[key], stored[key]) for key in draft)
    if isinstance(draft, list) and isinstance(stored, list):
        return len(draft) == len(stored) and all(map(blobs_equal, draft, stored))
    return bool(draft == stored)


def _has_reference(data: Any) -> bool:
    if isinstance(data, dict):
        return "$ref" in data or "$blob" in data or any(_has_reference(value) for value in data.values())
    return isinstance(data, list) and any(_has_reference(value) for value in data)


def _event_of_draft(
    draft: Draft,
    row: SessionRow,
    position: int,
    event_id: str,
    data: dict[str, Any],
    record: int | None,
    digest: bytes,
) -> Event:
    return Event(
        session_id=row.session_id,
        position=position,
        kind=draft.kind,
        data=data,
        event_id=event_id,
        ts=draft.ts,
        native_id=draft.native_id,
        native_parent=draft.native_parent,
        node=draft.node,
        lane=draft.lane,
        record=record,
        schema_version=draft.schema_version,
        stream=row.stream,
        hash=digest,
    )


def _event_of_row(session_id: str, row: Any, codec: Codec, name: str) -> Event:
    from .upcast import upcast

    try:
        data = json.loads(codec.decode(row.enc, row.dict_id, row.data))
        meta = json.loads(row.meta) if row.meta else {}
    except ValueError as error:
        raise damaged(
            name, f"event {session_id}@{row.seq}: {error}", session_id=session_id, position=row.seq
        ) from error
    return Event(
        session_id=session_id,
        position=row.seq,
        kind=row.kind,
        data=upcast(row.kind, row.version, data),
        event_id=bytes(row.uid).hex(),
        ts=row.ts,
        native_id=meta.get("n"),
        native_parent=meta.get("p"),
        node=meta.get("t"),
        lane=meta.get("l"),
        record=row.record,
        schema_version=row.version,
        stream=row.stream,
        hash=bytes(row.hash),
    )
