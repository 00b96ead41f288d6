"""The records and events of one file on their way into the store, in batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlalchemy import Connection, select

from .. import blobs, native, schema
from ..appender import Appender
from ..damage import damage_finding
from ..event import Draft, derived_id
from ..findings import Finding
from ..native import RecordWriter, SourceRow
from ..store import EventStore, SessionRow
from .importer import Line, SideEvent, Transcript
from .known import KnownEvents
from .reader import Piece

_BATCH_BYTES = 4 * 1024 * 1024
_BATCH_RECORDS = 1000
_MAX_FINDINGS = 1000


class FileWriter:
    """Takes pieces in file order; `finish` writes what is left. `added` and `head` count events, `valued` readable records."""

    def __init__(
        self,
        store: EventStore,
        connection: Connection,
        session: SessionRow,
        source: SourceRow,
        transcript: Transcript,
        *,
        is_new: bool,
    ) -> None:
        self._connection = connection
        self._session = session
        self._source = source
        self._transcript = transcript
        codec = store.writing_codec()
        self._records = RecordWriter(connection, codec, source.source)
        self._events = Appender(connection, codec, session.stream)
        self._known = KnownEvents(store, connection, session, None if is_new else source.source)
        self._held: list[tuple[Draft, Line, int]] = []
        self._findings: list[Finding] = []
        self._unknown: Counter[str] = Counter()
        self._queued_bytes = 0
        self._queued = 0
        self.added = 0
        self.valued = 0

    @property
    def head(self) -> int:
        return self._events.head

    def take(self, piece: Piece) -> None:
        """Keep the bytes, and append what they say."""
        if piece.closes:
            self._set_last_eol(piece.eol)
            return
        record = self._records.add(piece.line, piece.byte_offset, piece.raw, piece.eol)
        self._queued += 1
        self._queued_bytes += len(piece.raw)
        if not piece.blank:
            self._take_record(piece, record)
        if self._queued >= _BATCH_RECORDS or self._queued_bytes >= _BATCH_BYTES:
            self._flush()

    def _take_record(self, piece: Piece, record: int) -> None:
        line = Line(piece.raw, piece.value, piece.line, piece.byte_offset, piece.damage)
        if piece.damage is not None or piece.value is None:
            self._take_damage(piece, line, record)
        if piece.value is None:
            return
        self.valued += 1
        self._append_all(self._transcript.drafts(line), line, record)

    def _take_damage(self, piece: Piece, line: Line, record: int) -> None:
        data: dict[str, object] = {
            "damage": piece.damage or "malformed",
            "line": piece.line,
            "byte_offset": piece.byte_offset if piece.start_offset is None else piece.start_offset,
            "size_bytes": len(piece.raw) if piece.size_bytes is None else piece.size_bytes,
        }
        if piece.recovered:
            data["recovered"] = True
        event_id = derived_id(
            "damage", self._session.session_id, str(data["damage"]), native.digest_of(piece.raw).hex()
        )
        draft = Draft("Unrecognized", data, event_id)
        if self._events.head or self._known.has_start:
            self._append_all([draft], line, record)
        else:
            self._held.append((draft, line, record))

    def _release(self) -> None:
        """Damage before the first readable record: the session's start comes first."""
        held, self._held = self._held, []
        for draft, line, record in held:
            self._append_all([draft], line, record)

    def _append_all(self, drafts: Sequence[Draft], line: Line, record: int) -> None:
        if not drafts:
            return
        digest = native.digest_of(line.raw)
        own_id = drafts[0].native_id is not None
        for number, draft in enumerate(drafts):
            event_id = draft.event_id or derived_id(self._session.session_id, digest.hex(), number)
            if not self._known.is_new(event_id):
                settled = self._settle(replace(draft, event_id=event_id), line, own_id, is_first=number == 0)
                if settled is None:
                    continue
                draft, event_id = settled, str(settled.event_id)
            if draft.kind == "Unrecognized":
                self._note(draft)
            elif draft.kind == "SessionStarted":
                if self._known.has_start:
                    continue
                self._known.has_start = True
            self._events.add(draft, event_id, draft.data, record, digest)
            self.added += 1
            if self._held:
                self._release()

    def _settle(self, draft: Draft, line: Line, own_id: bool, *, is_first: bool) -> Draft | None:
        if not own_id and self._known.is_seen(str(draft.event_id)):
            return self._known.repeat(draft)
        if not self._known.is_stored(str(draft.event_id)):
            self._flush()
            self._known.refresh()
        settled = self._known.settle(draft, line)
        if settled is not None and is_first and len(self._findings) < _MAX_FINDINGS:
            self._findings.append(_repeated(draft, line, self._source.path))
        return settled

    def _note(self, draft: Draft) -> None:
        if draft.data.get("damage") is None:
            self._unknown[str(draft.data.get("type") or "")] += 1
        elif len(self._findings) < _MAX_FINDINGS:
            self._findings.append(damage_finding(draft.data, self._source.path))

    def take_beside(self, side: Sequence[SideEvent]) -> None:
        """Append the events of files beside the transcript that are not known yet."""
        self._release()
        for one in side:
            event_id = one.draft.event_id
            if event_id is None or not self._known.is_new(event_id):
                continue
            for content in one.blobs:
                blobs.put(self._connection, content)
            data = blobs.put_large_texts(self._connection, one.draft.data)
            self._events.add(one.draft, event_id, data, None, None)
            self.added += 1

    def _set_last_eol(self, eol: int) -> None:
        """The line end of a record that was read before its line was whole."""
        self._flush()
        columns = schema.record.c
        query = (
            select(columns.record)
            .where(columns.source == self._source.source)
            .order_by(columns.offset_bytes.desc())
            .limit(1)
        )
        native.set_eol(self._connection, self._connection.execute(query).scalar_one(), eol)

    def _flush(self) -> None:
        self._records.flush()
        self._events.flush()
        self._queued = 0
        self._queued_bytes = 0

    def finish(self) -> None:
        self._release()
        self._flush()

    def findings(self) -> Iterator[Finding]:
        yield from self._findings
        if self._unknown:
            total = sum(self._unknown.values())
            yield Finding(
                code="unknown-record",
                severity="info",
                message=f"{total} record(s) are of a type that this version does not know; they are kept.",
                remedy="Nothing to do; a later version may derive them again with: rehydrate rebuild --derive",
                facts={"types": dict(sorted(self._unknown.items()))},
            )


def _repeated(draft: Draft, line: Line, path: str) -> Finding:
    return Finding(
        code="duplicate-id",
        severity="warning",
        message=f"The record at line {line.line} has the id of an earlier record of this file and other content.",
        remedy="Both were kept.",
        facts={"path": path, "line": line.line, "byte_offset": line.byte_offset, "native_id": draft.native_id},
    )
