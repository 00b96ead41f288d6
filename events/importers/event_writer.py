"""The events of one file on their way into a session: damage told, repeats settled, the start first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from .. import blobs, native
from ..appender import Appender
from ..damage import damage_finding, is_remark, remark_finding
from ..event import Draft, derived_id
from ..findings import Finding
from ..native import SourceRow
from ..references import clean_data
from ..store import EventStore, SessionRow
from .importer import Line, LinksDamage, SideEvent, Transcript
from .known import KnownEvents
from .reader import Piece

_MAX_FINDINGS = 1000


class EventWriter:
    """Appends what records say. `added` and `head` count events, `valued` counts readable records.

    is_new: the file is read from its start. known: what the session holds, when an earlier pass over the file knows it.
    forked_from: the pointer that the session's own start shall name.
    before_flush: writes the native records that queued events refer to.
    """

    def __init__(
        self,
        store: EventStore,
        connection: Connection,
        session: SessionRow,
        source: SourceRow,
        transcript: Transcript,
        *,
        is_new: bool,
        known: KnownEvents | None = None,
        forked_from: str | None = None,
        before_flush: Callable[[], object] = lambda: None,
    ) -> None:
        self._connection = connection
        self._session = session
        self._path = source.path
        self._transcript = transcript
        self._forked_from = forked_from
        self._before_flush = before_flush
        self._events = Appender(connection, store.writing_codec(), session.stream)
        self.known = known or KnownEvents(store, connection, session, None if is_new else source.source)
        self._held: list[tuple[Draft, Line, int]] = []
        self._findings: list[Finding] = []
        self._unknown: Counter[str] = Counter()
        self.added = 0
        self.valued = 0

    @property
    def head(self) -> int:
        return self._events.head

    def take(self, piece: Piece, record: int) -> None:
        """Append what the record in row `record` says."""
        if piece.damage is not None or piece.value is None:
            self._take_damage(piece, record)
        if piece.value is None:
            return
        self.valued += 1
        drafts = self._transcript.drafts(piece)
        if b"\\ud" in piece.raw or b"\\uD" in piece.raw:
            drafts = [_storable(draft) for draft in drafts]
        self._append_all(drafts, piece, record)

    def _take_damage(self, piece: Piece, record: int) -> None:
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
        place = self._transcript.place_of(piece.raw) if isinstance(self._transcript, LinksDamage) else None
        if place is not None and piece.value is None:
            native_id, parent = place
            draft = Draft("Unrecognized", data, event_id, native_id=native_id, native_parent=parent, node="unknown")
        if self._events.head or self.known.has_start:
            self._append_all([draft], piece, record)
        else:
            self._held.append((draft, piece, record))

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
            if not self.known.is_new(event_id):
                settled = self._settle(replace(draft, event_id=event_id), line, own_id, is_first=number == 0)
                if settled is None:
                    continue
                draft, event_id = settled, str(settled.event_id)
            if draft.kind == "Unrecognized":
                self._note(draft)
            elif is_remark(draft.kind, draft.data) and len(self._findings) < _MAX_FINDINGS:
                self._findings.append(remark_finding(draft.data))
            elif draft.kind == "SessionStarted":
                if self.known.has_start:
                    continue
                self.known.has_start = True
                draft = self._started(draft)
            self._events.add(draft, event_id, draft.data, record, digest)
            self.added += 1
            if self._held:
                self._release()

    def _started(self, draft: Draft) -> Draft:
        if self._forked_from is None:
            return draft
        data: dict[str, Any] = {**draft.data, "forked_from": self._forked_from}
        return replace(draft, data=data)

    def _settle(self, draft: Draft, line: Line, own_id: bool, *, is_first: bool) -> Draft | None:
        if not own_id and self.known.is_seen(str(draft.event_id)):
            return self.known.repeat(draft)
        if not self.known.is_stored(str(draft.event_id)):
            self.flush()
            self.known.refresh()
        settled = self.known.settle(draft, line)
        if settled is not None and is_first and len(self._findings) < _MAX_FINDINGS:
            self._findings.append(_repeated(draft, line, self._path))
        return settled

    def _note(self, draft: Draft) -> None:
        if draft.data.get("damage") is None:
            self._unknown[str(draft.data.get("type") or "")] += 1
        elif len(self._findings) < _MAX_FINDINGS:
            self._findings.append(damage_finding(draft.data, self._path))

    def take_beside(self, side: Sequence[SideEvent]) -> None:
        """Append events that come from no record of the file, unless they are known."""
        self._release()
        for one in side:
            event_id = one.draft.event_id
            if event_id is None or not self.known.is_new(event_id):
                continue
            for content in one.blobs:
                blobs.put(self._connection, content)
            self._events.add(one.draft, event_id, blobs.put_large_texts(self._connection, one.draft.data), None, None)
            self.added += 1

    def flush(self) -> None:
        self._before_flush()
        self._events.flush()

    def finish(self) -> None:
        """Write what is left."""
        self._release()
        self.flush()

    def findings(self) -> Iterator[Finding]:
        yield from self._findings
        if self._unknown:
            total = sum(self._unknown.values())
            yield Finding(
                code="unknown-records",
                severity="info",
                message=f"{total} record(s) are of a type that this version does not know; they are kept.",
                remedy="Nothing to do; a later version may derive them again with: rehydrate rebuild --derive",
                facts={"types": dict(sorted(self._unknown.items()))},
            )


def _storable(draft: Draft) -> Draft:
    """The draft without lone surrogates, which neither a database nor UTF-8 output takes; the record keeps them."""
    ids = {name: clean_data(getattr(draft, name)) for name in ("native_id", "native_parent", "lane")}
    return replace(draft, data=clean_data(draft.data), **ids)


def _repeated(draft: Draft, line: Line, path: str) -> Finding:
    return Finding(
        code="duplicate-id",
        severity="warning",
        message=f"The record at line {line.line} has the id of an earlier record of this file and other content.",
        remedy="Both were kept.",
        facts={"path": path, "line": line.line, "byte_offset": line.byte_offset, "native_id": draft.native_id},
    )
