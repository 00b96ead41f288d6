"""Appending: at an expected position, idempotent by event id, fenced by a lease's token."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, select

from . import blobs, schema
from .appender import Appender
from .creating import Creating
from .errors import EventConflict, LeaseConflict, PositionConflict
from .event import Draft, Event
from .session_rows import SessionRow


class Appending(Creating):
    """Adds events behind the head of a session."""

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
            if draft.kind != event.kind or not blobs.same_content(draft.data, event.data):
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

    def put_blob(self, content: bytes) -> str:
        with self.writing() as connection:
            return blobs.put(connection, content)


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
