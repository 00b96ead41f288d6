"""The imported file of a session, written again byte for byte."""

from __future__ import annotations

from pathlib import Path

from ...events.pointer import Pointer
from ..opened import StoreLike, opened
from ..original import original_bytes, source_of
from ..resolve import resolve_pointer
from .places import refuse_existing, write_new
from .result import ExportResult


def export_original(session: str | Pointer, *, out: str | Path | None = None, store: StoreLike = None) -> ExportResult:
    """Write the bytes that were imported, unmasked, to a new file (default: its own name in the current directory).

    Raises:
        NotFound: the session was not imported from a file. Conflict: the file exists already.
    """
    with opened(store) as events:
        pointer = resolve_pointer(events, session)
        source = source_of(events, pointer.session_id)
        name = Path(source.path.replace("\\", "/")).name
        path = Path.cwd() / name if out is None else Path(out)
        if path.is_dir():
            path = path / name
        refuse_existing(path)
        write_new(path, b"".join(original_bytes(events, source)))
    return ExportResult(
        path=str(path),
        session_id=pointer.session_id,
        records=source.lines,
        source_pointer=str(pointer),
        to="original",
    )
