"""Whether all that a session's events point to is there: blobs, file backups, files outside the transcript."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

from sqlalchemy import select

from ...events import schema
from ...events.event import Event
from ...events.findings import Finding
from ...events.store import EventStore
from ..files.content import Copies
from . import paths
from .content_scan import scan_content
from .verdict import Gate, verdict

_NAMED = 20


def content_findings(store: EventStore, session_id: str, until: int | None, gate: Gate) -> list[Finding]:
    """Findings about missing content. Reads events and native records once; files outside are looked for, not read."""
    pointed = scan_content(store, session_id, until)
    backups: dict[str, str] = {}
    for event in store.read(session_id, until=until, kinds=("FileCheckpoint",)):
        backups.update(_backups(event))
    findings = [
        _transcript_gone(store, session_id, gate),
        _blobs_missing(store, pointed.blobs, session_id),
        _backups_missing(store, session_id, backups, gate),
    ]
    return [finding for finding in findings if finding is not None] + _outside(store, session_id, pointed.outside, gate)


def _transcript_gone(store: EventStore, session_id: str, gate: Gate) -> Finding | None:
    """A client deletes its transcripts after a while; what was imported stays, and this says so."""
    sources = [source for source in store.sources(session_id=session_id) if not source.superseded]
    absent = [source.path for source in sources if not os.path.exists(source.path)]  # noqa: PTH110 (never raises)
    if not absent:
        return None
    message = (
        f"The transcript {absent[0]} is gone. All of it that was imported is kept here; nothing new will come from it."
    )
    remedy = f"Write it again: rehydrate export {paths.quoted(session_id)} --original --out PATH"
    return verdict(gate, "tell", "transcript-gone", message, remedy, path=absent[0], paths=absent[:_NAMED])


def _blobs_missing(store: EventStore, digests: set[str], session_id: str) -> Finding | None:
    absent = sorted(digest for digest in digests if not _has_blob(store, digest))
    if not absent:
        return None
    message = f"{len(absent)} stored contents of the session are missing from the database; parts of its history cannot be given."
    remedy = f"See what is damaged: rehydrate verify {paths.quoted(session_id)}"
    return Finding(
        code="blob-missing", severity="error", message=message, remedy=remedy, facts={"digests": absent[:_NAMED]}
    )


def _has_blob(store: EventStore, digest: str) -> bool:
    with store.reading() as connection:
        query = select(schema.blob.c.size_bytes).where(schema.blob.c.digest == bytes.fromhex(digest))
        return connection.execute(query).first() is not None


def _backups(event: Event) -> dict[str, str]:
    rows = event.data.get("backups") or ()
    return {row["backup"]: row["path"] for row in rows if row.get("backup") is not None}


def _backups_missing(store: EventStore, session_id: str, backups: dict[str, str], gate: Gate) -> Finding | None:
    if not backups:
        return None
    copies = Copies.of_session(store, [session_id])
    absent = sorted({path for name, path in backups.items() if copies.named(name) is None})
    if not absent:
        return None
    count = f"{len(absent)} file" + ("" if len(absent) == 1 else "s")
    message = f"Backups of {count} are gone, so a rewind cannot bring back every version: {', '.join(absent[:5])}."
    remedy = f"Rewind the conversation alone: rehydrate rewind {paths.quoted(session_id)}@POSITION --scope conversation"
    return verdict(gate, "tell", "backup-missing", message, remedy, files=absent[:_NAMED], count=len(absent))


def _outside(store: EventStore, session_id: str, named: dict[str, str], gate: Gate) -> list[Finding]:
    absent = {path: kind for path, kind in named.items() if not _there(path, store, session_id)}
    if not absent:
        return []
    kinds = Counter(absent.values())
    words = {"tool-output": "tool outputs that were written to files", "image": "images"}
    what = ", ".join(f"{count} {words[kind]}" for kind, count in sorted(kinds.items()))
    message = f"Files that the transcript refers to are gone: {what}. The model sees the shortened text that the record holds."
    remedy = f"Bring them back, or go on without: rehydrate resume {paths.quoted(session_id)}"
    files = sorted(absent)[:_NAMED]
    return [verdict(gate, "warn", "outside-file-missing", message, remedy, files=files, count=len(absent), **kinds)]


def _there(path: str, store: EventStore, session_id: str) -> bool:
    """At its recorded place, or beside the transcript as it lies now (the folder may have been copied from elsewhere)."""
    if paths.foreign(path) is None and Path(path).is_file():
        return True
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    folders = (Path(source.path).with_suffix("") / "tool-results" for source in store.sources(session_id=session_id))
    return any((folder / name).is_file() for folder in folders)
