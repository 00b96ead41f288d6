"""The shortest beginnings of ids that can still be used as printed."""

from __future__ import annotations

from collections.abc import Iterable

from .opened import StoreLike, opened

MIN_CHARS = 8


def short_ids(wanted: Iterable[str], *, store: StoreLike = None) -> dict[str, str]:
    """For each id its shortest beginning of at least MIN_CHARS that no other session of the store shares."""
    with opened(store) as opened_store:
        ordered = sorted(row.session_id for row in opened_store.sessions(role="main"))
    places = {session_id: place for place, session_id in enumerate(ordered)}
    return {session_id: _beginning(ordered, places[session_id]) for session_id in wanted if session_id in places}


def _beginning(ordered: list[str], place: int) -> str:
    """In sorted order only the neighbours can share a longer beginning than the others."""
    own = ordered[place]
    neighbours = ordered[max(0, place - 1) : place] + ordered[place + 1 : place + 2]
    length = max([MIN_CHARS, *(_shared(own, other) + 1 for other in neighbours)])
    # An id that is a beginning of another one is found exactly, so the whole of it is always right.
    return own[:length]


def _shared(a: str, b: str) -> int:
    low, other = a.lower(), b.lower()
    return next((place for place, (x, y) in enumerate(zip(low, other, strict=False)) if x != y), min(len(a), len(b)))
