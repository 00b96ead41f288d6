"""Which sessions there are, and where the events of each lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from . import schema
from .canonical import GENESIS
from .connected import Connected
from .errors import SessionNotFound


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


class SessionRows(Connected):
    """Looks up sessions and the streams their events are in."""

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

    def hash_at(self, row: SessionRow, position: int) -> bytes:
        """The chain hash after the event at `position` (GENESIS for 0)."""
        if position == 0:
            return GENESIS
        (part,) = self.segments(row, position, position)
        with self.reading() as connection:
            columns = schema.event.c
            query = select(columns.hash).where(columns.stream == part.stream, columns.seq == position)
            return bytes(connection.execute(query).scalar_one())
