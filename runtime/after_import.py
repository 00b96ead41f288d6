"""What an import does once the file's events are stored: look at the recorded directory, bring the session list up to date."""

from __future__ import annotations

from ..events.importers.result import FileResult
from ..events.store import EventStore
from .session_index import refresh_index
from .workspace.recorded import PlaceNotes


def finish_import(store: EventStore, result: FileResult, notes: PlaceNotes) -> int:
    """Record the place as it is now when the session is new, and its row of the list; returns the session's head.

    notes: what was seen of the directories so far in this import.
    """
    identity = result.identity
    if identity is None or result.status == "unchanged":
        return result.head
    if identity.role == "main" and result.status in ("new", "rewritten"):
        notes.append(store, identity.session_id)
    if identity.role == "main":
        return int(refresh_index(store, identity.session_id)["events"])
    return result.head
