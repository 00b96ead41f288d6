"""Sessions that a client copied into a new file without saying so: both begin with the same message."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import select

from ..events import schema
from ..events.store import EventStore, SessionRow
from ..projections import accounting
from ..projections.fold import Folded
from .session_index import bring_up_to_date, stored_row

Key = tuple[int, int]
"""Originals come first: a copy begins with what its client writes into every new file, and goes on later."""


def original_of(store: EventStore, row: SessionRow, folded: Folded) -> str | None:
    """The session whose messages this one begins with, None when it is an original or names its origin itself."""
    lineage = folded.states["lineage"]
    first = lineage["first_native"]
    if first is None or row.role != "main" or row.forked_from or lineage["forks"]:
        return None
    own = (lineage["before_first"], folded.states["activity"]["last_us"] or 0)
    best: tuple[Key, str] | None = None
    for data in _same_start(store, first):
        key = (int(data["before_first"]), int(data["last_us"] or 0))
        other = str(data["session_id"])
        if (
            other != row.session_id
            and not data.get("forked_from")
            and key < own
            and (best is None or (key, other) > best)
        ):
            best = (key, other)
    return None if best is None else best[1]


def _same_start(store: EventStore, first_native: str) -> list[dict[str, Any]]:
    bring_up_to_date(store)
    index = schema.session_index.c
    query = select(index.data).where(index.data.contains(f'"first_native":"{first_native}"', autoescape=True))
    with store.reading() as connection:
        found = [stored_row(text) for text in connection.execute(query).scalars()]
    return [data for data in found if data is not None and data.get("first_native") == first_native]


def accounting_of_copy(store: EventStore, row: SessionRow, position: int, original: str) -> dict[str, Any]:
    """The accounting of a copy: responses that its original holds as well are inherited."""
    shared = {event.data.get("response_id") for event in store.read(original, kinds=["Cost"])} - {None}
    state = accounting.initial()
    for event in store.read(row.session_id, until=position, kinds=["Cost"]):
        copied = event.data.get("response_id") in shared
        accounting.apply(state, replace(event, data={**event.data, "inherited": True}) if copied else event)
    return state
