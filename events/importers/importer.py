"""What an importer of one tool's transcripts has to offer; the driver (`run.py`) does files, offsets, damage and conflicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from ..event import Draft


@dataclass(slots=True)
class Line:
    """One record of a source file. Not changed once made (see `Draft`).

    raw: its bytes without the line end. value: the parsed JSON (None when it does not parse).
    line: from 1; byte_offset: from 0. damage: None, or the kind of damage the reader saw (`malformed`, `invalid-utf8`,
    `nul-bytes`, `byte-order-mark`, `glued`, …); `value` may still have been recovered then.
    """

    raw: bytes
    value: Any
    line: int
    byte_offset: int
    damage: str | None = None


@dataclass(frozen=True, slots=True)
class Identity:
    """Which session a file belongs to. `agent_id` and `parent_session` are set for sub-agent transcripts (role `subagent`).

    file_id: the file's own id where one session may lie in several files (its name ends in it), else None.
    base_file, base_bytes: the file whose first `base_bytes` bytes are this one's past, by pointer instead of by copy.
    """

    session_id: str
    source: str
    role: str = "main"
    parent_session: str | None = None
    agent_id: str | None = None
    file_id: str | None = None
    base_file: str | None = None
    base_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class SideEvent:
    """An event from a file beside the transcript (a sidecar, a title index, a backup store): no record, but a stable id.

    blobs: contents to be stored with it; the draft refers to them by SHA-256 hex.
    """

    draft: Draft
    blobs: tuple[bytes, ...] = ()


class Transcript(Protocol):
    """One file being read, from its start or from where the last import stopped."""

    identity: Identity

    def drafts(self, line: Line) -> Sequence[Draft]:
        """The events of one record, at least one for every record that is not blank.

        Must depend on this and earlier lines of the file only (a file imported in pieces gives the same events as at once).
        Ids are deterministic: from the record's own id where it has one, else from its content (the driver numbers repeats).
        """
        ...

    def state(self) -> dict[str, Any]:
        """What must be remembered to go on in a later import: small JSON, bounded (open calls, current lists)."""
        ...


@runtime_checkable
class LinksDamage(Protocol):
    """A transcript that can tell a damaged record's place in its source's tree from the bytes that are left."""

    def place_of(self, raw: bytes) -> tuple[str, str | None] | None:
        """`(own id, parent's id)`, None when it cannot be told."""
        ...


@dataclass(frozen=True, slots=True)
class Probe:
    """The beginning of a file, for telling what it is: up to 64 KiB and the lines complete in it."""

    path: Path
    head: bytes
    lines: tuple[Line, ...] = field(default=())


class Importer(Protocol):
    """One format. Recognized by content; the file name is a hint at most."""

    name: str
    version: int
    labels_beside: bool
    """Whether names and flags of a session lie in other files, which may change while the transcript does not."""

    def recognizes(self, probe: Probe) -> bool: ...

    def open(self, probe: Probe, state: dict[str, Any] | None) -> Transcript:
        """Start reading (state None) or go on (the state of the last import).

        Raises:
            UnreadableSource: the file names no session and none can be derived.
        """
        ...

    def side_events(self, path: Path, identity: Identity) -> Sequence[SideEvent]:
        """Facts from files beside the transcript, as they are now."""
        ...

    def default_places(self) -> Sequence[Path]:
        """Where the tool keeps its transcripts on this machine (its environment variables first)."""
        ...

    def is_document(self, probe: Probe) -> bool:
        """Whether the whole file is one JSON document (then it is read as one record) instead of lines."""
        ...
