"""Transcripts of other tools into the store: files, folders, or the places where the tools keep theirs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ..events.blocks import Frozen
from ..events.errors import EventConflict, NotFound, RehydrateError, UnreadableSource
from ..events.findings import Finding
from ..events.importers.importer import Importer
from ..events.importers.registry import importer_named
from ..events.importers.result import FileResult
from ..events.importers.run import import_file
from ..events.importers.scan import Candidate, candidates, default_places
from ..events.store import EventStore
from .after_import import finish_import
from .bundle_file import is_bundle
from .opened import StoreLike, opened
from .session_index import refresh_index
from .workspace.recorded import PlaceNotes

PathLike = str | os.PathLike[str]
Progress = Callable[[Path, int, int], object]
"""Is told the file being read, how many bytes of all files were read, and how many there are."""


class ImportedSession(Frozen):
    """One file and the session it belongs to. `role` is `subagent` for transcripts that are part of another
    session."""

    session_id: str
    source: str
    path: str
    status: str
    role: str = "main"
    parent_session: str | None = None
    events_added: int
    events_total: int
    pointer: str
    findings: tuple[Finding, ...] = ()


class FailedFile(Frozen):
    """A file of which nothing was imported, and why; `code` and `exit_code` are those of the error."""

    path: str
    error: str
    code: str
    exit_code: int


class SkippedFile(Frozen):
    """A file that holds nothing to import: `empty`, or `not-a-transcript` (in a folder)."""

    path: str
    reason: str


class ImportResult(Frozen):
    sessions: tuple[ImportedSession, ...] = ()
    failed: tuple[FailedFile, ...] = ()
    skipped: tuple[SkippedFile, ...] = ()


def import_transcripts(
    paths: Iterable[PathLike] = (),
    *,
    source: str = "auto",
    store: StoreLike = None,
    progress: Progress | None = None,
    path_map: Mapping[str, str] | None = None,
) -> ImportResult:
    """Bring the store up to date with transcripts; importing again adds only what is new.

    paths: files and folders; none for the places where the tools keep theirs. source: the name of an importer, or
    `auto`. path_map: for bundles, directories of the machine they come from and where they lie here.

    A file that cannot be imported is listed under `failed` and leaves nothing behind; the others go on.

    Raises:
        UsageError: `source` names no importer.
        DatabaseBusy, DiskFull: the files before stay imported; run the same command again.
    """
    forced = None if source == "auto" else importer_named(source)
    given = [Path(path) for path in paths] or default_places(None if forced is None else [forced])
    with opened(store) as events:
        return _Import(events, forced, progress, path_map or {}).run(list(candidates(given)))


class _Import:
    def __init__(
        self, store: EventStore, forced: Importer | None, progress: Progress | None, path_map: Mapping[str, str]
    ) -> None:
        self._store = store
        self._path_map = path_map
        self._forced = forced
        self._progress = progress
        self._places = PlaceNotes()
        self._sessions: list[ImportedSession] = []
        self._failed: list[FailedFile] = []
        self._skipped: list[SkippedFile] = []
        self._done = 0
        self._total = 0

    def run(self, files: list[Candidate]) -> ImportResult:
        sizes = {one.path: _size(one.path) for one in files}
        self._total = sum(sizes.values())
        for one in files:
            before = self._done
            self._take(one)
            self._done = before + sizes[one.path]
            self._report(one.path, 0)
        return ImportResult(sessions=tuple(self._sessions), failed=tuple(self._failed), skipped=tuple(self._skipped))

    def _take(self, one: Candidate) -> None:
        if is_bundle(one.path):
            self._take_bundle(one.path)
            return
        try:
            result = import_file(
                self._store, one.path, self._forced, progress=lambda count: self._report(one.path, count)
            )
        except UnreadableSource as error:
            if one.named or not error.facts.get("unknown_format"):
                self._fail(one.path, error)
            else:
                self._skipped.append(SkippedFile(path=str(one.path), reason=error.code))
        except EventConflict as error:
            self._fail(one.path, error)
        except FileNotFoundError:
            self._fail(one.path, NotFound(f"There is no file {one.path}.", remedy="Check the path."))
        except OSError as error:
            why = error.strerror or str(error)
            self._fail(one.path, UnreadableSource(f"{one.path} cannot be read: {why}.", remedy="Check its rights."))
        else:
            self._keep(result)

    def _take_bundle(self, path: Path) -> None:
        from .export.bundle_import import import_bundle

        try:
            arrived = import_bundle(self._store, path, self._path_map)
        except RehydrateError as error:
            self._fail(path, error)
            return
        for carried, findings in arrived:
            row = self._store.session(carried.session_id)
            if row.role == "main":
                refresh_index(self._store, carried.session_id)
            self._sessions.append(
                ImportedSession(
                    session_id=row.session_id,
                    source=row.source,
                    path=str(path),
                    status=carried.status,
                    role=row.role,
                    parent_session=row.parent_session,
                    events_added=carried.added,
                    events_total=row.head,
                    pointer=f"{row.session_id}@{row.head}",
                    findings=tuple(findings),
                )
            )

    def _keep(self, result: FileResult) -> None:
        identity = result.identity
        if identity is None:
            self._skipped.append(SkippedFile(path=str(result.path), reason="empty"))
            return
        head = finish_import(self._store, result, self._places)
        self._sessions.append(
            ImportedSession(
                session_id=identity.session_id,
                source=identity.source,
                path=str(result.path),
                status=result.status,
                role=identity.role,
                parent_session=identity.parent_session,
                events_added=result.events_added + head - result.head,
                events_total=head,
                pointer=f"{identity.session_id}@{head}",
                findings=result.findings,
            )
        )

    def _fail(self, path: Path, error: RehydrateError) -> None:
        text = f"{error.message} {error.remedy}".strip()
        self._failed.append(FailedFile(path=str(path), error=text, code=error.code, exit_code=error.exit_code))

    def _report(self, path: Path, count: int) -> None:
        self._done = min(self._done + count, self._total)
        if self._progress is not None:
            self._progress(path, self._done, self._total)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
