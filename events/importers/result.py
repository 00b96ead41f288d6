"""What the import of one file came to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..findings import Finding
from .importer import Identity

Status = Literal["new", "continued", "rewritten", "unchanged", "empty"]


@dataclass(frozen=True, slots=True)
class FileResult:
    """events_added counts this import's; head is the session's newest position. identity is None for an empty file only.

    findings: of the records read now, and of the file's torn end as long as it is torn.
    """

    path: Path
    status: Status
    identity: Identity | None = None
    importer: str | None = None
    source: int | None = None
    events_added: int = 0
    head: int = 0
    findings: tuple[Finding, ...] = ()
