"""Stored states against a fold from the first event."""

from __future__ import annotations

from ..events.store import EventStore, SessionRow
from .rebuild import compare_stored, fold_anew
from .verify_result import Mismatch


def check_folds(store: EventStore, row: SessionRow) -> list[Mismatch]:
    """Snapshots and the list's row of one session; nothing is written."""
    return compare_stored(store, row, fold_anew(store, row, row.head))
