"""What lies on this machine that the store does not know yet, or knows only in part. Reads the beginning of new files only."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from ..events.blocks import Frozen
from ..events.errors import UnreadableSource
from ..events.importers.file_import import stored_path
from ..events.importers.recognize import probe, recognize
from ..events.importers.scan import Candidate, candidates, default_places
from ..events.native import SourceRow
from .opened import StoreLike, opened

FileState = Literal["new", "changed", "imported", "not-a-transcript"]


class ScannedFile(Frozen):
    """A file and what an import would make of it. `source` is the importer's name; session_id only when it was imported."""

    path: str
    state: FileState
    bytes: int
    source: str | None = None
    session_id: str | None = None


class Scan(Frozen):
    """places: the folders that were looked through. missing: imported files that are no longer there (their sessions are)."""

    places: tuple[str, ...]
    files: tuple[ScannedFile, ...]
    counts: dict[str, int]
    missing: tuple[str, ...]


def scan_places(paths: Iterable[str | os.PathLike[str]] = (), *, store: StoreLike = None) -> Scan:
    """Compare the transcripts on disk with the store; imports nothing.

    paths: files and folders; none for the places where the tools keep theirs.
    """
    given = [Path(path) for path in paths] or default_places()
    with opened(store) as events:
        known = {source.path: source for source in events.sources() if not source.superseded}
        files = [_scanned(one, known) for one in candidates(given)]
        missing = sorted(path for path in known if _below(path, given) and not Path(path).exists())
    counts = {
        state: sum(file.state == state for file in files)
        for state in ("new", "changed", "imported", "not-a-transcript")
    }
    return Scan(places=tuple(map(str, given)), files=tuple(files), counts=counts, missing=tuple(missing))


def _below(path: str, places: Iterable[Path]) -> bool:
    return any(path == text or path.startswith(text.rstrip("/") + "/") for text in map(stored_path, places))


def _scanned(one: Candidate, known: dict[str, SourceRow]) -> ScannedFile:
    size = one.path.stat().st_size if one.path.exists() else 0
    source = known.get(stored_path(one.path))
    if source is not None:
        status = one.path.stat()
        same = (source.size_bytes, source.mtime_ns) == (status.st_size, status.st_mtime_ns)
        return ScannedFile(
            path=str(one.path),
            state="imported" if same else "changed",
            bytes=size,
            source=source.importer,
            session_id=source.session_id,
        )
    name = _recognized(one.path)
    return ScannedFile(path=str(one.path), state="not-a-transcript" if name is None else "new", bytes=size, source=name)


def _recognized(path: Path) -> str | None:
    try:
        importer = recognize(probe(path))
    except (UnreadableSource, OSError):
        return None
    return None if importer is None else importer.name
