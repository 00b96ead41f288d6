"""From a file to stored events: one transaction per file, only what is new, every byte kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from stat import S_ISBLK, S_ISFIFO, S_ISSOCK

import zstandard

from ..damage import cut_finding, tail_finding
from ..errors import EventConflict
from ..native import SourceRow
from ..store import EventStore, SessionRow
from .base_file import base_path, base_source, past_of, waiting_for
from .derive import derive_session
from .file_import import FileImport, Progress, present_source
from .importer import Identity, Importer, Probe
from .plain import opened_plain
from .recognize import probe, recognize, unreadable
from .registry import importer_named
from .result import FileResult


def import_file(
    store: EventStore, path: Path, importer: Importer | None = None, *, progress: Progress = lambda _: None
) -> FileResult:
    """Bring the store up to date with one file: all of what is new in it, or nothing.

    Of a large file whose session nobody knows yet (so that nothing can be in conflict) what was read stays when the rest
    fails; the next import goes on there.

    importer: None recognizes the format by content.

    Raises:
        UnreadableSource: nothing in the file can be read as a transcript.
        EventConflict: the file has other content under an id that another file brought.
        OSError: the file cannot be read.
    """
    path = path.absolute()
    stat = path.stat()
    if S_ISFIFO(stat.st_mode) or S_ISSOCK(stat.st_mode) or S_ISBLK(stat.st_mode):
        raise unreadable(path, "it is no regular file")
    known = present_source(store, path)
    if known is not None and (stat.st_size, stat.st_mtime_ns) == (known.size_bytes, known.mtime_ns):
        return _unchanged(store, path, known, importer or importer_named(known.importer))
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
    file = FileImport(store, path, chosen, found, stat)
    try:
        return _in_passes(store, file, progress)
    except EventConflict:
        if not file.may_stand_apart():
            raise
    return _in_passes(store, FileImport(store, path, chosen, found, stat, apart=True), progress)


def _in_passes(store: EventStore, file: FileImport, progress: Progress) -> FileResult:
    """A transaction for each pass; nearly every file takes one."""
    with opened_plain(file.path) as stream:
        while True:
            try:
                with store.writing():
                    result = file.step(stream, progress)
                    if result is not None:
                        _give_past(store, result)
                        return result
            except zstandard.ZstdError as error:
                raise unreadable(file.path, f"it does not decompress ({error})") from error


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


def _unchanged(store: EventStore, path: Path, known: SourceRow, importer: Importer) -> FileResult:
    """A file as it was; names given to its session in a file beside it since are taken up all the same."""
    session = store.session(known.session_id)
    added = _labels_beside(store, path, importer, session) if importer.labels_beside else 0
    if added:
        session = store.session(known.session_id)
    torn = tail_finding(known) or cut_finding(known)
    return FileResult(
        path,
        "unchanged",
        _identity(session),
        known.importer,
        known.source,
        events_added=added,
        head=session.head,
        findings=() if torn is None else (torn,),
    )


def _labels_beside(store: EventStore, path: Path, importer: Importer, session: SessionRow) -> int:
    """Append labels that the importer finds beside the file and the session does not have; returns how many."""
    found = [one.draft for one in importer.side_events(path, _identity(session)) if one.draft.kind == "SessionLabel"]
    if not found:
        return 0
    with store.writing():
        seen = {event.event_id for event in store.read(session.session_id, kinds=["SessionLabel"])}
        new = [draft for draft in found if draft.event_id not in seen]
        if new:
            store.append_new(session.session_id, new, [None] * len(new))
    return len(new)


def _identity(session: SessionRow) -> Identity:
    return Identity(session.session_id, session.source, session.role, session.parent_session, session.agent_id)
