"""What a session holds already, so that a file imported twice, grown, rewritten or copied adds only what is new.

A known id with equal content is left out; with other content it is a conflict when it came from another file, and a repeat
that gets an id of its own when the same file holds both.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, select

from .. import blobs, native, schema
from ..canonical import canonical
from ..errors import EventConflict
from ..event import Draft, Event, derived_id
from ..references import resolve
from ..shapes import is_object
from ..store import EventStore, SessionRow
from .importer import Line

_PLACE_FIELDS = ("line", "byte_offset")
"""Where a damaged record lies says nothing about what it is."""


_AHEAD = 64


@dataclass(frozen=True, slots=True)
class _Stored:
    position: int
    record: int | None


class KnownEvents:
    """The ids of a session's events: those of other files, and those of the file that is being read."""

    def __init__(self, store: EventStore, connection: Connection, session: SessionRow, source: int | None) -> None:
        """source: the file's own source row when its import goes on, None when it is read from the start."""
        self._store = store
        self._connection = connection
        self._session = session
        self._index: dict[bytes, _Stored] = {}
        self._indexed = 0
        self._seen: set[int] = set()
        self._repeats: dict[int, int] = {}
        self._digests: dict[int, bytes] = {}
        self.has_start = False
        self.refresh()
        if source is not None:
            self._seen.update(self._ids_of(source))

    def refresh(self) -> None:
        """Look up what was written since the last time."""
        columns = schema.event.c
        query = (
            select(columns.uid, columns.seq, columns.record, columns.kind)
            .where(columns.stream == self._session.stream, columns.seq > self._indexed)
            .order_by(columns.seq)
        )
        for row in self._connection.execute(query):
            self._index.setdefault(bytes(row.uid), _Stored(row.seq, row.record))
            self._indexed = row.seq
            self.has_start = self.has_start or row.kind == "SessionStarted"

    def _ids_of(self, source: int) -> list[int]:
        columns = schema.event.c
        query = (
            select(columns.uid)
            .join_from(schema.event, schema.record, columns.record == schema.record.c.record)
            .where(columns.stream == self._session.stream, schema.record.c.source == source)
        )
        return [int.from_bytes(row.uid[:8], "big") for row in self._connection.execute(query)]

    def is_new(self, event_id: str) -> bool:
        """Whether nothing of this id was met yet; it counts as met from now on."""
        short = int(event_id[:16], 16)
        if short in self._seen or (self._index and bytes.fromhex(event_id) in self._index):
            return False
        self._seen.add(short)
        return True

    def repeat(self, draft: Draft) -> Draft | None:
        """A draft without an id of its own whose content this file holds already: another fact, with a numbered id.

        None when the numbered one is known from another file.
        """
        assert draft.event_id is not None
        short = int(draft.event_id[:16], 16)
        while True:
            number = self._repeats[short] = self._repeats.get(short, 0) + 1
            other = replace(draft, event_id=derived_id(draft.event_id, "again", number))
            if self.is_new(str(other.event_id)):
                return other
            if not self.is_seen(str(other.event_id)):
                self._see(str(other.event_id))
                return None

    def settle(self, draft: Draft, line: Line) -> Draft | None:
        """What becomes of a draft whose id is known: None when its content is known as well, else the draft with another id.

        Raises:
            EventConflict: another file brought this id with other content.
        """
        assert draft.event_id is not None
        if not self.is_seen(draft.event_id):
            self._see(draft.event_id)
            self._must_agree(draft, line)
            return None
        if self._agrees(draft, line):
            return None
        content = canonical([draft.kind, _plain(self._resolved(draft, line))])
        event_id = derived_id(draft.event_id, "other", hashlib.sha256(content).hexdigest())
        if self.is_new(event_id):
            return replace(draft, event_id=event_id)
        self._see(event_id)
        return None

    def is_stored(self, event_id: str) -> bool:
        """Whether it was in the store when last looked (`refresh`)."""
        return bytes.fromhex(event_id) in self._index

    def is_seen(self, event_id: str) -> bool:
        """Whether the file that is being read brought this id already."""
        return int(event_id[:16], 16) in self._seen

    def _see(self, event_id: str) -> None:
        self._seen.add(int(event_id[:16], 16))

    def _must_agree(self, draft: Draft, line: Line) -> None:
        if draft.kind == "SessionStarted" or self._agrees(draft, line):
            return
        stored = self._index[bytes.fromhex(str(draft.event_id))]
        raise EventConflict(
            f"Session {self._session.session_id} knows the record at line {line.line} (event {stored.position})"
            " with other content.",
            remedy="Nothing of this file was written. Keep the two apart by importing this one into another database with --db.",
            session_id=self._session.session_id,
            event_id=draft.event_id,
            position=stored.position,
            native_id=draft.native_id,
            line=line.line,
        )

    def _agrees(self, draft: Draft, line: Line) -> bool:
        """Whether the stored event of this id says the same: the same native record, or the same content."""
        stored = self._index.get(bytes.fromhex(str(draft.event_id)))
        if stored is None:
            return False
        if stored.record is not None:
            if self._digest_of(stored.record) == native.digest_of(line.raw):
                return True
            for record in native.read_records(self._connection, self._store.codec, [stored.record]):
                if record.parsed() == line.value:
                    return True
        (event,) = self._store.read(self._session.session_id, after=stored.position - 1, until=stored.position)
        (event,) = self._store.hydrate([event])
        return self._same(draft, line, event)

    def _digest_of(self, record: int) -> bytes | None:
        """The content digest of a stored record; the ones behind it are read along, a copied file asks for them next."""
        if record not in self._digests:
            ahead = range(record, record + _AHEAD)
            found = native.read_records(self._connection, self._store.codec, ahead)
            self._digests = {one.record: native.digest_of(one.raw) for one in found}
        return self._digests.get(record)

    def _same(self, draft: Draft, line: Line, event: Event) -> bool:
        return draft.kind == event.kind and blobs.same_content(_plain(self._resolved(draft, line)), _plain(event.data))

    def _resolved(self, draft: Draft, line: Line) -> Any:
        return resolve(draft.data, line.value, self._store.blob_text)


def _plain(data: Any) -> Any:
    if is_object(data) and "damage" in data:
        return {key: value for key, value in data.items() if key not in _PLACE_FIELDS}
    return data
