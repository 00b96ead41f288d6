"""What an export tells."""

from __future__ import annotations

from ...events.blocks import Frozen
from ...events.findings import Finding


class ExportResult(Frozen):
    """`session_id` is the id that the written file bears. `resume_command` continues it in the other client, run in
    `cwd`.

    records: lines of the transcript (events in a bundle). side_files: files written beside it.
    """

    path: str
    session_id: str
    records: int
    findings: tuple[Finding, ...] = ()
    source_pointer: str
    to: str
    cwd: str | None = None
    resume_command: str | None = None
    installed: bool = False
    side_files: tuple[str, ...] = ()
