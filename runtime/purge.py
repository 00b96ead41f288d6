"""`purge` removes the content of deleted sessions for good, and nothing that a fork still needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, delete, func, select, update

from ..events import native, schema
from ..events.blocks import Frozen
from ..events.errors import LeaseConflict, UsageError
from ..events.store import EventStore, SessionRow
from .deletion import deleted_sessions
from .opened import StoreLike, opened


class Purged(Frozen):
    """What was removed, or with `dry_run` what would be.

    bytes: by which the database (with its index for searches) became smaller; None for a dry run or a server.
    kept_for_forks: events that stay because a fork shares them. files: source files, which were not touched; importing
    one brings its session back.
    """

    sessions: tuple[str, ...]
    events: int
    records: int
    blobs: int
    bytes: int | None
    kept_for_forks: int
    files: tuple[str, ...]
    dry_run: bool


def purge_sessions(sessions: Sequence[str] = (), *, store: StoreLike = None, dry_run: bool = False) -> Purged:
    """Remove events, native records and blobs of deleted sessions (all of them, or those named) for good.

    Source files on disk are never touched. Events that a fork shares stay, and so does all it refers to.

    Raises:
        UsageError: a named session is not deleted.
        LeaseConflict: another process is writing one of them.
    """
    with opened(store) as opened_store:
        rows = _chosen(opened_store, sessions)
        before = _size(opened_store)
        purge = _Purge(opened_store, rows)
        with suppress(_Undo), opened_store.writing() as connection:
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql("PRAGMA secure_delete = ON")
            purge.run(connection)
            if dry_run:
                raise _Undo
        if not dry_run and rows:
            _forget_elsewhere(opened_store, purge.gone)
        after = _size(opened_store)
    return Purged(
        sessions=tuple(row.session_id for row in rows),
        events=purge.events,
        records=purge.records,
        blobs=purge.blobs,
        bytes=None if dry_run or before is None or after is None else max(0, before - after),
        kept_for_forks=purge.kept,
        files=tuple(sorted(purge.files)),
        dry_run=dry_run,
    )


def _chosen(store: EventStore, sessions: Sequence[str]) -> list[SessionRow]:
    from .resolve import resolve_session

    deleted = {row.session_id: row for row in deleted_sessions(store)}
    if not sessions:
        return list(deleted.values())
    named = [resolve_session(store, text) for text in sessions]
    for row in named:
        if row.session_id not in deleted:
            raise UsageError(
                f"Session {row.session_id} is not deleted; purge only removes deleted sessions.",
                remedy=f"Delete it first: rehydrate delete {row.session_id}",
                session_id=row.session_id,
            )
    return named


def _size(store: EventStore) -> int | None:
    if store.path is None:
        return None
    from .searching import index_path

    files = [store.path, store.path.with_name(store.path.name + "-wal"), index_path(store)]
    return sum(file.stat().st_size for file in files if file is not None and file.exists())


def _forget_elsewhere(store: EventStore, session_ids: Iterable[str]) -> None:
    """The search index and the free pages of the file hold copies of what was removed."""
    from .searching import forget

    forget(store, sorted(session_ids))
    if store.path is not None:
        with store.reading() as connection:
            connection.rollback()
            connection.exec_driver_sql("VACUUM")
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


class _Undo(Exception):
    """Ends the transaction of a dry run without a trace."""


class _Purge:
    """One removal inside one transaction, and its counts.

    gone: ids of sessions that have no row any more, sub-agents among them.
    """

    def __init__(self, store: EventStore, rows: Sequence[SessionRow]) -> None:
        self._store = store
        self._ids = [row.session_id for row in rows]
        self.gone: set[str] = set(self._ids)
        self.events = self.records = self.blobs = self.kept = 0
        self.files: set[str] = set()

    def run(self, connection: Connection) -> None:
        if not self._ids:
            return
        self._refuse_leased()
        leaving = self._ids
        while leaving:
            emptied = self._forget(connection, leaving)
            leaving = self._subagents(connection, emptied)
            self.gone.update(leaving)
        self.kept = self._left(connection)
        self._records(connection)
        self._blobs(connection)

    def _refuse_leased(self) -> None:
        from .live.lease import holder_of

        for session_id in self._ids:
            holder = holder_of(self._store, session_id)
            if holder is not None:
                raise LeaseConflict(
                    f"Session {session_id} is being written by process {holder['pid']} on {holder['host']}.",
                    remedy=f"End that run first, or take the session over with: rehydrate takeover {session_id}",
                    session_id=session_id,
                    **holder,
                )

    def _forget(self, connection: Connection, session_ids: Sequence[str]) -> set[str]:
        """Delete the sessions and every event that nobody shares; returns the ids of which nothing at all is left.

        What an earlier purge had to keep for a fork goes as well, once the fork is gone.
        """
        session, stream = schema.session.c, schema.stream.c
        for table in (schema.session, schema.session_index, schema.lease):
            connection.execute(delete(table).where(table.c.session_id.in_(session_ids)))
        ownerless = connection.execute(
            select(stream.stream, stream.session_id).where(stream.session_id.not_in(select(session.session_id)))
        ).all()
        numbers = [row.stream for row in ownerless]
        connection.execute(delete(schema.snapshot).where(schema.snapshot.c.stream.in_(numbers)))
        connection.execute(delete(schema.lineage).where(schema.lineage.c.stream.in_(numbers)))
        shared = {row.session_id for row in ownerless if self._stream(connection, row.stream)}
        return {row.session_id for row in ownerless} - shared

    def _stream(self, connection: Connection, number: int) -> bool:
        """Delete what nobody shares; the head moves back to the last event that a fork needs. False when nothing is left."""
        lineage, event, stream = schema.lineage.c, schema.event.c, schema.stream.c
        needed = connection.execute(select(func.max(lineage.hi)).where(lineage.src_stream == number)).scalar() or 0
        connection.execute(schema.purge_permit.insert(), {"stream": number})
        result = connection.execute(delete(schema.event).where(event.stream == number, event.seq > needed))
        connection.execute(delete(schema.purge_permit).where(schema.purge_permit.c.stream == number))
        self.events += result.rowcount
        if not needed:
            connection.execute(delete(schema.stream).where(stream.stream == number))
            return False
        digest = connection.execute(
            select(event.hash).where(event.stream == number, event.seq == needed)
        ).scalar_one_or_none()
        values: dict[str, Any] = {"head": needed} if digest is None else {"head": needed, "head_hash": digest}
        connection.execute(update(schema.stream).where(stream.stream == number), values)
        return True

    def _subagents(self, connection: Connection, emptied: set[str]) -> list[str]:
        """Sub-agents of sessions of which nothing is left; a fork still needs those of the sessions that it shares."""
        session = schema.session.c
        query = select(session.session_id).where(session.role == "subagent", session.parent_session.in_(emptied))
        return list(connection.execute(query).scalars())

    def _left(self, connection: Connection) -> int:
        stream, event = schema.stream.c, schema.event.c
        query = (
            select(func.count())
            .select_from(schema.event.join(schema.stream, event.stream == stream.stream))
            .where(stream.session_id.in_(self.gone))
        )
        return int(connection.execute(query).scalar_one())

    def _records(self, connection: Connection) -> None:
        """Delete native records that no event is left of, and sources without records."""
        source, record, event = schema.source.c, schema.record.c, schema.event.c
        owners = select(schema.session.c.session_id)
        rows = [row for row in native.sources(connection) if row.session_id in self.gone]
        self.files = {row.path for row in rows}
        ownerless = connection.execute(select(source.source).where(source.session_id.not_in(owners))).scalars().all()
        used = select(event.record).where(event.record.is_not(None))
        for number in ownerless:
            gone = connection.execute(delete(schema.record).where(record.source == number, record.record.not_in(used)))
            self.records += gone.rowcount
            left = connection.execute(select(func.count()).where(record.source == number)).scalar_one()
            if not left:
                connection.execute(delete(schema.source).where(source.source == number))
        for row in native.sources(connection):
            if row.source in ownerless and not row.superseded:
                native.update_source(connection, replace(row, tail=b"", state={"purged": True}, superseded=True))

    def _blobs(self, connection: Connection) -> None:
        """Delete blobs that nothing left in the database names."""
        from .blob_use import digests_in_use

        stored = {bytes(digest) for digest in connection.execute(select(schema.blob.c.digest)).scalars()}
        unused = stored - digests_in_use(connection, self._store.codec) if stored else stored
        for digest in unused:
            connection.execute(delete(schema.blob).where(schema.blob.c.digest == digest))
        self.blobs = len(unused)
