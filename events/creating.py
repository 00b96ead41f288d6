"""New sessions, forks that share their past by reference, and new generations of a session's events."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, select, update

from . import schema
from .canonical import GENESIS
from .errors import EventConflict, EventNotFound
from .reading import Reading
from .seal import seal_of
from .session_rows import SessionRow
from .times import now_us


class Creating(Reading):
    """Registers sessions and streams."""

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
            origin: SessionRow | None = None
            if past is not None:
                origin = self.session(past[0])
            elif row.forked_from is not None:
                parent, _, shared = row.forked_from.rpartition("@")
                past = parent, int(shared)
                origin = replace(row, head=past[1])
            head = 0 if past is None else past[1]
            stream = self._new_stream(
                connection,
                session_id,
                row.generation + 1,
                head=head,
                head_hash=GENESIS if origin is None else self.hash_at(origin, head),
                forked_from=None if past is None else f"{past[0]}@{past[1]}",
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
