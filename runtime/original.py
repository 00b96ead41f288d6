"""The bytes that were imported, as they were."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..events import native
from ..events.errors import NotFound
from ..events.native import SourceRow
from ..events.store import EventStore


def source_of(store: EventStore, session_id: str, path: Path | str | None = None) -> SourceRow:
    """The imported file of a session: the one at `path`, else the largest of those that are still up to date.

    Raises:
        NotFound: the session was not imported from a file (or not from this one), or the file was purged.
    """
    rows = [row for row in store.sources(session_id=session_id) if not row.state.get("purged")]
    if path is not None:
        rows = [row for row in rows if Path(row.path) == Path(path).absolute()]
    present = [row for row in rows if not row.superseded] or rows
    if not present:
        raise NotFound(
            f"Session {session_id} has no imported file to give back.",
            remedy=f"Export it in another form: rehydrate export {session_id} --to jsonl --out FILE",
            session_id=session_id,
        )
    return max(present, key=lambda row: (row.size_bytes, row.source))


def original_bytes(store: EventStore, source: SourceRow) -> Iterator[bytes]:
    """The file's content piece by piece, exactly as it was when it was imported last (compressed if it was).

    Raises:
        DamagedDatabase: stored bytes cannot be read.
    """
    packed = source.state.get("original")
    if packed is not None:
        content = store.blob(packed)
        if content is None:
            raise NotFound(f"The compressed original of {source.path} is not stored.", path=source.path)
        yield content
        return
    for record in store.each_source_record(source.source):
        yield record.raw
        yield native.EOL[record.eol]
    yield source.tail


def write_original(store: EventStore, session_id: str, target: Path, *, path: Path | str | None = None) -> SourceRow:
    """Write the file of a session to `target` (mode 0600); returns the source it came from."""
    import os

    source = source_of(store, session_id, path)
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as out:
        for piece in original_bytes(store, source):
            out.write(piece)
    return source
