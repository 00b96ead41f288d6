"""The importer of Claude Code's transcripts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..importer import Identity, Probe, SideEvent
from . import identity
from .places import transcript_places
from .sidecars import side_events
from .transcript import ClaudeTranscript


class ClaudeCodeImporter:
    """See `importer.Importer`."""

    name = "claude-code"
    version = 1
    labels_beside = False

    def recognizes(self, probe: Probe) -> bool:
        return identity.recognizes(probe)

    def open(self, probe: Probe, state: dict[str, Any] | None) -> ClaudeTranscript:
        return ClaudeTranscript(identity.identify(probe), state)

    def side_events(self, path: Path, identity: Identity) -> Sequence[SideEvent]:
        return side_events(path, identity)

    def default_places(self) -> Sequence[Path]:
        return transcript_places()

    def is_document(self, _probe: Probe) -> bool:
        return False
