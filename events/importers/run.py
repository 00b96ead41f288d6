"""From a file to stored events: one transaction per file, only what is new, every byte kept."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import zstandard

from .. import native
from ..damage import cut_finding, tail_finding
from ..findings import Finding
from ..native import SourceRow
from ..store import EventStore, SessionRow
from .base_file import Past, base_path, base_source, missing_finding, past_of, waiting_for, went_back
from .derive import derive_session
from .event_writer import EventWriter
from .importer import Identity, Importer, Probe
from .plain import ZstdContent, opened_plain
from .reader import Piece, Reader
from .recognize import probe, recognize, unreadable
from .registry import importer_named
from .result import FileResult, Status
from .writer import FileWriter

Progress = Callable[[int], object]
"""Is told how many more bytes were read."""
_HASH_STEP = 1 << 20


@dataclass(frozen=True, slots=True)
class _Start:
    """Where reading begins: at a source's end (its row), or at 0. hasher has seen the bytes before."""

    status: Status
    source: SourceRow | None
    superseded: SourceRow | None
    hasher: Any


def import_file(
    store: EventStore, path: Path, importer: Importer | None = None, *, progress: Progress = lambda _: None
) -> FileResult:
    """Bring the store up to date with one file: all of what is new in it, or nothing.

    importer: None recognizes the format by content.

    Raises:
        UnreadableSource: nothing in the file can be read as a transcript.
        EventConflict: the file has other content under an id that another file brought.
        OSError: the file cannot be read.
    """
    path = path.absolute()
    stat = path.stat()
    known = _present_source(store, path)
    if known is not None and (stat.st_size, stat.st_mtime_ns) == (known.size_bytes, known.mtime_ns):
        return _unchanged(store, path, known)
    if stat.st_size == 0:
        return FileResult(path, "empty")
    found = probe(path)
    if stat.st_size == len(found.head) and not found.head.strip():
        return FileResult(path, "empty")
    chosen = importer or (importer_named(known.importer) if known is not None else recognize(found))
    if chosen is None:
        raise unreadable(path, "no importer knows its format", unknown_format=True)
    if known is None:
        _import_base(store, path, chosen, found)
    with store.writing(), opened_plain(path) as stream:
        try:
            result = _FileImport(store, path, chosen, found, stat).run(stream, progress)
        except zstandard.ZstdError as error:
            raise unreadable(path, f"it does not decompress ({error})") from error
        _give_past(store, result)
    return result


def _import_base(store: EventStore, path: Path, importer: Importer, found: Probe) -> None:
    """A file that begins in another one: that one first."""
    identity = importer.open(found, None).identity
    if identity.base_file is None or base_source(store, identity) is not None:
        return
    base = base_path(path, identity)
    if base is not None:
        import_file(store, base)


def _give_past(store: EventStore, result: FileResult) -> None:
    """Files that came before the one they begin in are derived again, behind it."""
    identity = result.identity
    if identity is None or result.status != "new":
        return
    for waiting in waiting_for(store, identity.file_id):
        with store.writing() as connection:
            base = base_source(store, replace(identity, base_file=identity.file_id))
            end = waiting.state.get("base_bytes")
            past = None if base is None else past_of(connection, base, end)
        if past is not None and past.session_id != waiting.session_id:
            derive_session(store, waiting.session_id, past=past)


def stored_path(path: Path) -> str:
    """A path as text that every database takes (bytes that are no UTF-8 become U+FFFD)."""
    return os.fsencode(path).decode("utf-8", "replace")


def _present_source(store: EventStore, path: Path) -> SourceRow | None:
    return next((row for row in reversed(store.sources(path=stored_path(path))) if not row.superseded), None)


def _unchanged(store: EventStore, path: Path, known: SourceRow) -> FileResult:
    session = store.session(known.session_id)
    torn = tail_finding(known) or cut_finding(known)
    return FileResult(
        path,
        "unchanged",
        _identity(session),
        known.importer,
        known.source,
        head=session.head,
        findings=() if torn is None else (torn,),
    )


def _identity(session: SessionRow) -> Identity:
    return Identity(session.session_id, session.source, session.role, session.parent_session, session.agent_id)


class _FileImport:
    """One file within one transaction."""

    def __init__(self, store: EventStore, path: Path, importer: Importer, found: Probe, stat: os.stat_result) -> None:
        self._store = store
        self._path = path
        self._importer = importer
        self._probe = found
        self._stat = stat
        self._is_document = importer.is_document(found)

    def run(self, stream: BinaryIO, progress: Progress) -> FileResult:
        start = self._start(stream)
        saved = {} if start.source is None else start.source.state
        transcript = self._importer.open(self._probe, saved.get("importer"))
        identity = transcript.identity
        past = self._past(identity) if start.source is None else None
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
                forked_from=None if past is None or past.session_id == identity.session_id else past.pointer,
                before_flush=files.flush,
            )
            if past is not None and past.session_id == identity.session_id:
                events.take_beside([went_back(identity, past)])
            reader = self._read(stream, files, events, source, start.hasher, progress)
            if start.source is None and not events.valued:
                raise unreadable(self._path, "no record in it can be read")
            events.take_beside(self._importer.side_events(self._path, identity))
            events.finish()
            is_missing = identity.base_file is not None and start.source is None and past is None
            state = self._state(identity, reader, transcript.state(), saved, is_missing=is_missing)
            finished = self._finished(source, reader, state, start.hasher.digest(), stream)
            native.update_source(connection, finished)
        return self._result(start, finished, identity, events)

    def _read(
        self,
        stream: BinaryIO,
        files: FileWriter,
        events: EventWriter,
        source: SourceRow,
        hasher: Any,
        progress: Progress,
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
        for piece in reader.pieces():
            files.take(piece, events)
        return reader

    def _past(self, identity: Identity) -> Past | None:
        base = base_source(self._store, identity)
        if base is None:
            return None
        with self._store.writing() as connection:
            return past_of(connection, base, identity.base_bytes)

    def _start(self, stream: BinaryIO) -> _Start:
        """Compare the bytes that were read already with those that are there now."""
        known = _present_source(self._store, self._path)
        hasher = hashlib.sha256()
        if known is None:
            return _Start("new", None, None, hasher)
        left = known.offset_bytes
        while left and (chunk := stream.read(min(left, _HASH_STEP))):
            hasher.update(chunk)
            left -= len(chunk)
        if left == 0 and hasher.digest() == known.prefix_hash and not self._is_document:
            if self._importer.open(self._probe, known.state.get("importer")).identity.session_id == known.session_id:
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
            path=stored_path(self._path),
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
            raise unreadable(self._path, f"it is no whole JSON document ({error})") from error
        files.take(Piece(raw, value, 1, 0), events)
        reader.took(raw)

    def _state(
        self, identity: Identity, reader: Reader, memory: dict[str, Any], saved: dict[str, Any], *, is_missing: bool
    ) -> dict[str, Any]:
        """What the next import of this file needs, and what tells other files where it belongs."""
        kept = {name: saved[name] for name in ("base_missing", "base_bytes") if name in saved}
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
        packed = getattr(stream, "raw", None)
        if isinstance(packed, ZstdContent):
            original = self._store.put_blob(self._path.read_bytes())
            state = {**state, "original": original, "cut": packed.is_cut}
        return replace(
            source,
            importer_version=self._importer.version,
            size_bytes=self._stat.st_size,
            mtime_ns=self._stat.st_mtime_ns,
            offset_bytes=reader.offset,
            lines=reader.line - 1,
            prefix_hash=prefix_hash,
            tail=reader.tail,
            state=state,
        )

    def _result(self, start: _Start, source: SourceRow, identity: Identity, events: EventWriter) -> FileResult:
        findings = list(events.findings())
        if start.status == "rewritten" and not self._is_document:
            findings.insert(0, rewritten_finding(source.path))
        if "base_missing" in source.state:
            findings.append(missing_finding(source.path, str(source.state["base_missing"])))
        torn = tail_finding(source) or cut_finding(source)
        return FileResult(
            self._path,
            start.status,
            identity,
            self._importer.name,
            source.source,
            events_added=events.added,
            head=events.head,
            findings=(*findings, *(() if torn is None else (torn,))),
        )


def rewritten_finding(path: str) -> Finding:
    return Finding(
        code="source-rewritten",
        severity="warning",
        message="The file no longer begins with the bytes that were imported before; it was read again from the start.",
        remedy="What it holds anew was added; the events of the old content stay.",
        facts={"path": path},
    )
