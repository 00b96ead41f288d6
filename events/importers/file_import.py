"""One file into the store within the driver's transactions: where reading starts, what is read, what is remembered."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from .. import native
from ..damage import cut_finding, tail_finding
from ..findings import Finding
from ..native import SourceRow
from ..references import clean
from ..store import EventStore, SessionRow
from .base_file import Past, base_source, missing_finding, past_of, went_back
from .event_writer import EventWriter
from .importer import Identity, Importer, Probe
from .known import KnownEvents
from .plain import ZstdContent
from .reader import Piece, Reader
from .recognize import unreadable
from .result import FileResult, Status
from .writer import FileWriter

Progress = Callable[[int], object]
"""Is told how many more bytes were read."""
PASS_BYTES = 16 * 1024 * 1024
_HASH_STEP = 1 << 20
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Start:
    """Where reading begins: at a source's end (its row), or at 0. hasher has seen the bytes before."""

    status: Status
    source: SourceRow | None
    superseded: SourceRow | None
    hasher: Any


def stored_path(path: Path) -> str:
    """A path as text that every database takes (bytes that are no UTF-8 become U+FFFD)."""
    return os.fsencode(path).decode("utf-8", "replace")


def present_source(store: EventStore, path: Path) -> SourceRow | None:
    return next((row for row in reversed(store.sources(path=stored_path(path))) if not row.superseded), None)


class FileImport:
    """One file on its way into the store, in one pass or several."""

    def __init__(
        self,
        store: EventStore,
        path: Path,
        importer: Importer,
        found: Probe,
        stat: os.stat_result,
        *,
        apart: bool = False,
    ) -> None:
        """apart: put it into a session of its own beside the one it names."""
        self._store = store
        self.path = path
        self._importer = importer
        self._probe = found
        self._stat = stat
        self._is_document = importer.is_document(found)
        self._apart = apart
        self._status: Status | None = None
        self._going_on: _Start | None = None
        self._known: KnownEvents | None = None
        self._added = 0
        self._findings: list[Finding] = []

    def step(self, stream: BinaryIO, progress: Progress) -> FileResult | None:
        """One pass within the transaction that is open; None when another one has to follow.

        A large file of a session that nobody knows is read in several, so that other writers are not kept waiting for
        long: each goes on as if the file had grown.
        """
        start = self._start(stream)
        saved = {} if start.source is None else start.source.state
        transcript = self._importer.open(self._probe, saved.get("importer"))
        identity = self._identity(transcript.identity)
        past = self._past(identity) if start.source is None else None
        is_unknown = self._store.find_session(identity.session_id) is None or self._status is not None
        session = self._session(identity, past)
        source = start.source or self._new_source(identity, start)
        with self._store.writing() as connection:
            files = FileWriter(self._store, connection, source)
            events = EventWriter(
                self._store,
                connection,
                session,
                source,
                transcript,
                is_new=start.source is None,
                known=self._known,
                forked_from=None if past is None or past.session_id == identity.session_id else past.pointer,
                before_flush=files.flush,
            )
            if past is not None and past.session_id == identity.session_id:
                events.take_beside([went_back(identity, past)])
            until = source.offset_bytes + PASS_BYTES if is_unknown else None
            reader = self._read(stream, files, events, source, start.hasher, progress, until)
            if start.source is None and reader.at_end and not events.valued:
                raise unreadable(self.path, "no record in it can be read")
            if reader.at_end:
                events.take_beside(self._importer.side_events(self.path, identity))
            events.finish()
            is_missing = identity.base_file is not None and start.source is None and past is None
            state = self._state(identity, reader, transcript.state(), saved, is_missing=is_missing)
            finished = self._finished(source, reader, state, start.hasher.digest(), stream)
            native.update_source(connection, finished)
        self._note(start, finished, events)
        return self._result(finished, identity, events) if reader.at_end else None

    def _read(
        self,
        stream: BinaryIO,
        files: FileWriter,
        events: EventWriter,
        source: SourceRow,
        hasher: Any,
        progress: Progress,
        until: int | None,
    ) -> Reader:
        def seen(chunk: bytes) -> None:
            hasher.update(chunk)
            progress(len(chunk))

        reader = Reader(
            stream,
            offset=source.offset_bytes,
            line=source.lines + 1,
            open_line=bool(source.state.get("open_line")),
            oversized_from=source.state.get("oversized_from"),
            seen=seen,
        )
        if self._is_document:
            self._read_document(stream, reader, files, events)
            return reader
        for piece in reader.pieces(until):
            files.take(piece, events)
        return reader

    def _identity(self, named: Identity) -> Identity:
        session_id = self._own_session(named.session_id) if self._apart else named.session_id
        parent = named.parent_session
        return replace(named, session_id=clean(session_id), parent_session=None if parent is None else clean(parent))

    def _own_session(self, session_id: str) -> str:
        return f"{session_id}~{self.path.stem}"

    def may_stand_apart(self) -> bool:
        """Whether a conflict only means that two files use one placeholder (no UUID) as their session's id.

        A file of the same name, or an earlier state of this one, is the same session and stays a conflict.
        """
        session_id = self._importer.open(self._probe, None).identity.session_id
        if self._apart or _UUID.search(session_id):
            return False
        names = {Path(row.path).name for row in self._store.sources(session_id=session_id)}
        return self.path.name not in names

    def _past(self, identity: Identity) -> Past | None:
        base = base_source(self._store, identity)
        if base is None:
            return None
        with self._store.writing() as connection:
            return past_of(connection, base, identity.base_bytes)

    def _start(self, stream: BinaryIO) -> _Start:
        """Compare the bytes that were read already with those that are there now."""
        if self._going_on is not None:
            return self._going_on
        known = present_source(self._store, self.path)
        hasher = hashlib.sha256()
        if known is None:
            return _Start("new", None, None, hasher)
        left = known.offset_bytes
        while left and (chunk := stream.read(min(left, _HASH_STEP))):
            hasher.update(chunk)
            left -= len(chunk)
        if left == 0 and hasher.digest() == known.prefix_hash and not self._is_document:
            named = clean(self._importer.open(self._probe, known.state.get("importer")).identity.session_id)
            if known.session_id in (named, self._own_session(named)):
                self._apart = known.session_id != named
                return _Start("continued", known, None, hasher)
            # Only now it names its session: what was read before went to one named after the file.
            stream.seek(0)
            return _Start("new", None, known, hashlib.sha256())
        stream.seek(0)
        return _Start("rewritten", None, known, hashlib.sha256())

    def _session(self, identity: Identity, past: Past | None) -> SessionRow:
        session = self._store.find_session(identity.session_id)
        if session is None and past is not None:
            self._store.create_fork(identity.session_id, past.session_id, past.position, source=identity.source)
        elif session is None:
            self._store.create_session(identity.session_id, source=identity.source, role=identity.role)
        if identity.parent_session and (session is None or session.parent_session != identity.parent_session):
            self._store.link_parent(identity.session_id, identity.parent_session, identity.agent_id)
        return self._store.session(identity.session_id)

    def _new_source(self, identity: Identity, start: _Start) -> SourceRow:
        row = SourceRow(
            source=0,
            path=stored_path(self.path),
            session_id=identity.session_id,
            importer=self._importer.name,
            importer_version=self._importer.version,
            size_bytes=0,
            offset_bytes=0,
            lines=0,
            mtime_ns=0,
            prefix_hash=b"",
            tail=b"",
            state={},
            superseded=False,
        )
        with self._store.writing() as connection:
            if start.superseded is not None:
                native.update_source(connection, replace(start.superseded, superseded=True))
            return replace(row, source=native.insert_source(connection, row))

    def _read_document(self, stream: BinaryIO, reader: Reader, files: FileWriter, events: EventWriter) -> None:
        """The whole file as one record."""
        raw = stream.read()
        try:
            value = json.loads(raw.decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError) as error:
            raise unreadable(self.path, f"it is no whole JSON document ({error})") from error
        files.take(Piece(raw, value, 1, 0), events)
        reader.took(raw)
        reader.at_end = True

    def _state(
        self, identity: Identity, reader: Reader, memory: dict[str, Any], saved: dict[str, Any], *, is_missing: bool
    ) -> dict[str, Any]:
        """What the next import of this file needs, and what tells other files where it belongs."""
        kept: dict[str, Any] = {name: saved[name] for name in ("base_missing", "base_bytes") if name in saved}
        state: dict[str, Any] = {**kept, "importer": memory}
        if identity.file_id is not None:
            state["file_id"] = identity.file_id
        if is_missing:
            state |= {"base_missing": identity.base_file, "base_bytes": identity.base_bytes}
        if reader.open_line:
            state["open_line"] = True
        if reader.oversized_from is not None:
            state["oversized_from"] = reader.oversized_from
        return state

    def _finished(
        self, source: SourceRow, reader: Reader, state: dict[str, Any], prefix_hash: bytes, stream: BinaryIO
    ) -> SourceRow:
        raw = getattr(stream, "raw", None)
        packed = raw if isinstance(raw, ZstdContent) else None
        if packed is not None and reader.at_end:
            original = self._store.put_blob(self.path.read_bytes())
            state = {**state, "original": original, "cut": packed.is_cut}
        return replace(
            source,
            importer_version=self._importer.version,
            size_bytes=self._stat.st_size if packed else reader.offset + len(reader.tail),
            mtime_ns=self._stat.st_mtime_ns if reader.at_end else 0,
            offset_bytes=reader.offset,
            lines=reader.line - 1,
            prefix_hash=prefix_hash,
            tail=reader.tail,
            state=state,
        )

    def _note(self, start: _Start, finished: SourceRow, events: EventWriter) -> None:
        """Remember what the next pass and the result need."""
        if self._status is None:
            self._status = start.status
        if start.status == "rewritten" and not self._is_document:
            self._findings.append(rewritten_finding(finished.path))
        self._findings += events.findings()
        self._added += events.added
        self._known = events.known
        self._going_on = _Start("continued", finished, None, start.hasher)

    def _result(self, source: SourceRow, identity: Identity, events: EventWriter) -> FileResult:
        findings = list(self._findings)
        if self._apart:
            findings.insert(0, shared_finding(source.path, identity.session_id))
        if "base_missing" in source.state:
            findings.append(missing_finding(source.path, str(source.state["base_missing"])))
        torn = tail_finding(source) or cut_finding(source)
        if torn is not None:
            findings.append(torn)
        return FileResult(
            self.path,
            self._status or "new",
            identity,
            self._importer.name,
            source.source,
            events_added=self._added,
            head=events.head,
            findings=tuple(findings),
        )


def shared_finding(path: str, session_id: str) -> Finding:
    named = session_id.rpartition("~")[0]
    return Finding(
        code="session-id-shared",
        severity="info",
        message=f"Another file uses the id {named} for another conversation; this one is kept as session {session_id}.",
        remedy=f"Use {session_id} for this file and {named} for the other one.",
        facts={"path": path, "session_id": session_id, "named": named},
    )


def rewritten_finding(path: str) -> Finding:
    return Finding(
        code="source-rewritten",
        severity="warning",
        message="The file no longer begins with the bytes that were imported before; it was read again from the start.",
        remedy="What it holds anew was added; the events of the old content stay.",
        facts={"path": path},
    )
