"""The events of a session derived again from its stored records by today's importer, into a new generation."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, cast

from sqlalchemy import Connection

from .. import native
from ..event import Draft, Event
from ..native import SourceRow
from ..store import EventStore, SessionRow
from .base_file import Past
from .event_writer import EventWriter
from .importer import Importer, SideEvent
from .reader import Piece, Reader
from .recognize import head_of, probe_of
from .registry import importer_named

_POSITION_FIELDS = {"Rewound": "to_position", "ContextCompact": "kept_from"}
_ENVELOPE = ("event_id", "ts", "native_id", "native_parent", "node", "lane", "schema_version")


@dataclass(frozen=True, slots=True)
class Derived:
    """changed: a new generation took the place of the old one; else the old one was right and stays."""

    session_id: str
    changed: bool
    events_before: int
    events: int
    generation: int


class _Unchanged(Exception):
    """Takes the new generation back."""


def derive_session(
    store: EventStore, session_id: str, *, importer: Importer | None = None, past: Past | None = None
) -> Derived:
    """Derive a session's events again; one that was not imported from files stays as it is.

    importer: None takes the one that imported each file. past: puts the session behind these events of another one.
    Events that come from no record (facts from beside the file, what was done with the session here) are carried over.
    """
    before = store.session(session_id)
    sources = [row for row in store.sources(session_id=session_id) if not row.state.get("purged")]
    if not sources:
        return Derived(session_id, False, before.head, before.head, before.generation)
    try:
        with store.writing() as connection:
            derivation = _Derivation(store, before)
            session = store.new_generation(session_id, past=None if past is None else (past.session_id, past.position))
            derivation.run(connection, session, sources, importer, past)
            after = store.session(session_id)
            if past is None and _same(store, before, after):
                raise _Unchanged
    except _Unchanged:
        return Derived(session_id, False, before.head, before.head, before.generation)
    return Derived(session_id, True, before.head, after.head, after.generation)


def _same(store: EventStore, before: SessionRow, after: SessionRow) -> bool:
    if before.head != after.head:
        return False
    return store.hash_at(before, before.head) == store.hash_at(after, after.head)


class _Derivation:
    """One session: its files one after the other; what came between is carried over to where it stood."""

    def __init__(self, store: EventStore, before: SessionRow) -> None:
        """Reads what is to be carried over: events without a record, by the record of the event they followed."""
        self._store = store
        self._beside: dict[int | None, list[Event]] = {}
        self._old: dict[int, list[int]] = {}
        self._places: dict[int, int] = {}
        last: int | None = None
        for event in store.read(before.session_id, after=_shared(store, before)):
            if event.record is None:
                self._beside.setdefault(last, []).append(event)
            else:
                last = event.record
                self._old.setdefault(last, []).append(event.position)

    def run(
        self,
        connection: Connection,
        session: SessionRow,
        sources: list[SourceRow],
        importer: Importer | None,
        past: Past | None,
    ) -> None:
        for source in sources:
            chosen = importer or importer_named(source.importer)
            head, whole = head_of(_content(self._store, source))
            probe = probe_of(Path(source.path), head, whole=whole)
            transcript = chosen.open(probe, None)
            pointer = None if past is None else past.pointer
            writer = EventWriter(self._store, connection, session, source, transcript, is_new=True, forked_from=pointer)
            self._carry(writer, None)
            self._file(writer, source, _pieces(self._store, source, is_document=chosen.is_document(probe)))
            if source is sources[-1]:
                self._carry_rest(writer)
            writer.finish()
            state = {**source.state, "importer": transcript.state()}
            state.pop("base_missing", None)
            native.update_source(connection, replace(source, importer_version=chosen.version, state=state))

    def _file(self, writer: EventWriter, source: SourceRow, pieces: Iterator[Piece]) -> None:
        numbers = self._store.record_numbers(source.source)
        for piece in pieces:
            number = numbers.get(piece.byte_offset)
            if number is None or piece.closes:
                continue
            if not piece.blank:
                first = writer.head + 1
                writer.take(piece, number)
                for index, position in enumerate(self._old.get(number, ())):
                    self._places[position] = min(first + index, max(writer.head, 1))
            self._carry(writer, number)

    def _carry(self, writer: EventWriter, record: int | None) -> None:
        for event in self._beside.pop(record, ()):
            writer.take_beside([SideEvent(self._moved(event))])
            self._places[event.position] = writer.head

    def _carry_rest(self, writer: EventWriter) -> None:
        """What followed records that are no longer there."""
        for record in list(self._beside):
            self._carry(writer, record)

    def _moved(self, event: Event) -> Draft:
        """The event with the positions it names moved to where their events are now."""
        data = event.data
        name = _POSITION_FIELDS.get(event.kind)
        if name is not None and name in data:
            data = {**data, name: self._places.get(data[name], data[name])}
        if event.kind == "Repaired":
            data = {**data, "repairs": [self._repair(one) for one in event.data["repairs"]]}
        envelope = {name: getattr(event, name) for name in _ENVELOPE}
        return Draft(event.kind, data, **envelope)

    def _repair(self, repair: dict[str, Any]) -> dict[str, Any]:
        position = repair.get("position")
        return repair if position is None else {**repair, "position": self._places.get(position, position)}


def _shared(store: EventStore, row: SessionRow) -> int:
    """The last position of the part that lies in other sessions' streams."""
    return max((part.hi for part in store.segments(row, 1, row.head) if part.stream != row.stream), default=0)


def _content(store: EventStore, source: SourceRow) -> BinaryIO:
    return cast("BinaryIO", io.BufferedReader(_RecordBytes(store, source), 1 << 18))


class _RecordBytes(io.RawIOBase):
    """The content of a file from its stored records."""

    def __init__(self, store: EventStore, source: SourceRow) -> None:
        self._parts: Iterator[bytes] = (
            record.raw + native.EOL[record.eol] for record in store.each_source_record(source.source)
        )
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            part = next(self._parts, None)
            if part is None:
                return 0
            self._ready = part
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count


def _pieces(store: EventStore, source: SourceRow, *, is_document: bool) -> Iterator[Piece]:
    stream = _content(store, source)
    if is_document:
        raw = stream.read()
        yield Piece(raw, json.loads(raw.decode("utf-8-sig", "replace")), 1, 0)
        return
    yield from Reader(stream).pieces()
