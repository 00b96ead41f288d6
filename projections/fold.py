"""Restoring states: the newest usable snapshot, the events after it, and all from the beginning where the past has changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import zstandard

from ..events.errors import EventNotFound, RehydrateError
from ..events.event import Event
from ..events.store import EventStore, SessionRow
from . import accounting
from .path import Path, Reader, changes_the_past, find_path
from .projection import Projection, State
from .registry import PROJECTIONS, versions_key

SNAPSHOT_EVENTS = 64
"""A state is stored when at least this many events had to be folded for it."""

IN_MODEL_ORDER = "conversation"
"""The fold that is fed in the order of the model where a tree gives one; all others follow the order of position."""


@dataclass(frozen=True, slots=True)
class Folded:
    """The states of all folds at `position`. `folded` counts the events that had to be read for it."""

    session_id: str
    position: int
    path: Path
    states: dict[str, State]
    folded: int = 0


class Folding:
    """States being made: which fold takes which kind, and what was taken so far."""

    def __init__(self, states: dict[str, State] | None = None) -> None:
        self.states = states if states is not None else {fold.name: fold.initial() for fold in PROJECTIONS}
        self._always: dict[str, list[Step]] = {}
        self._live: dict[str, list[Step]] = {}
        self._ordered: dict[str, list[Step]] = {}
        self._off_path: dict[str, list[Step]] = {}
        for fold in PROJECTIONS:
            table = (
                self._ordered if fold.name == IN_MODEL_ORDER else self._live if fold.scope == "branch" else self._always
            )
            for kind in fold.kinds:
                table.setdefault(kind, []).append((fold.apply, self.states[fold.name]))
                if fold.off_path is not None:
                    self._off_path.setdefault(kind, []).append((fold.off_path, self.states[fold.name]))

    def take(self, event: Event, *, live: bool = True, ordered: bool = True) -> None:
        """Apply one event; `ordered` feeds the conversation as well."""
        for apply, state in self._always.get(event.kind, ()):
            apply(state, event)
        if live:
            for apply, state in self._live.get(event.kind, ()):
                apply(state, event)
            if ordered:
                self.take_ordered(event)
            return
        for apply, state in self._off_path.get(event.kind, ()):
            apply(state, event)

    def take_ordered(self, event: Event) -> None:
        for apply, state in self._ordered.get(event.kind, ()):
            apply(state, event)


Step = tuple[Callable[[State, Event], None], State]


def fold_events(read: Reader) -> tuple[Path, dict[str, State], int]:
    """Path and states of the events that `read` gives; read once when nothing changes the past, else three times."""
    folding = Folding()
    count = 0
    for event in read():
        if changes_the_past(event):
            break
        folding.take(event)
        count += 1  # noqa: SIM113 (the number that was taken, also after a break)
    else:
        return Path(), folding.states, count
    path = find_path(read)
    folding = Folding()
    wanted = None if path.order is None else dict.fromkeys(path.order)
    held: dict[int, Event] = {}
    count = 0
    for count, event in enumerate(read(), start=1):  # noqa: B007 (the number of events read is the last one)
        live = path.live(event.position)
        folding.take(event, live=live, ordered=wanted is None)
        if wanted is not None and event.position in wanted:
            held[event.position] = _envelope(event)
    for position in path.order or ():
        folding.take_ordered(held[position])
    return path, folding.states, count


_NEEDED = frozenset({"ContextCompact", "ContentReplacement", "Repaired"})
_TOLD = ("visible_to_model", "origin", "status")


def _envelope(event: Event) -> Event:
    """An event as the conversation needs it while it waits for its turn: without its content."""
    if event.kind in _NEEDED:
        return event
    return replace(event, data={name: event.data[name] for name in _TOLD if name in event.data})


def restore_states(store: EventStore, session_id: str, position: int | None = None) -> Folded:
    """The states of a session at `position` (None: its head).

    Writes nothing but a snapshot, and not even that to a database that cannot be written.

    Raises:
        SessionNotFound: there is no such session.
        EventNotFound: the position is beyond the head.
    """
    row = store.session(session_id)
    at = row.head if position is None else position
    if not 0 <= at <= row.head:
        raise EventNotFound(
            f"Session {session_id} has events 1 to {row.head}; there is none at {at}.",
            remedy=f"Use a position up to {row.head}, or {session_id}@last.",
            session_id=session_id,
            position=at,
            head=row.head,
        )
    found = _from_snapshot(store, row, at)
    if found is None:
        path, states, count = fold_events(lambda: store.read(session_id, until=at))
        found = Folded(session_id, at, path, states, count)
    if found.folded >= SNAPSHOT_EVENTS:
        _try_to_save(store, row, found)
    return found


def _from_snapshot(store: EventStore, row: SessionRow, at: int) -> Folded | None:
    """From the newest stored state and the events after it; None when there is none or the events after it change the past."""
    if at == 0:
        return None
    stored = store.load_snapshot(row, at, versions_key())
    if stored is None:
        return None
    base, body = stored
    kept = decode(body)
    if kept is None:
        return None
    path = Path.from_json(kept["path"])
    folding = Folding(kept["states"])
    count = 0
    counted = folding.states["accounting"]
    if base < at:
        for event in store.read(row.session_id, after=base, until=at):
            if not path.extend(event, lambda reply: accounting.knows(counted, reply)):
                return None
            folding.take(event)
            count += 1
    return Folded(row.session_id, at, path, folding.states, count)


def encode(folded: Folded) -> bytes:
    document = {"path": folded.path.as_json(), "states": folded.states}
    return zstandard.compress(json.dumps(document, separators=(",", ":")).encode(), 1)


def decode(body: bytes) -> dict[str, Any] | None:
    """A stored state, None when it is damaged or of another shape: it is a cache."""
    try:
        document: dict[str, Any] = json.loads(zstandard.decompress(body))
        Path.from_json(document["path"])
        known = {fold.name for fold in PROJECTIONS}
        return document if set(document["states"]) == known else None
    except (ValueError, TypeError, KeyError, zstandard.ZstdError):
        return None


def save_state(store: EventStore, row: SessionRow, folded: Folded) -> None:
    """Keep the state with the stream that holds its last event, so that forks find it too."""
    (part,) = store.segments(row, folded.position, folded.position)
    owner = replace(row, stream=part.stream)
    store.save_snapshot(owner, folded.position, versions_key(), encode(folded))


def _try_to_save(store: EventStore, row: SessionRow, folded: Folded) -> None:
    """A database that cannot be written, or is being written just now, goes without."""
    try:
        with store.writing(wait_s=0):
            save_state(store, row, folded)
    except RehydrateError:
        return


def fold_of(name: str) -> Projection:
    """The registered fold with this name."""
    return next(fold for fold in PROJECTIONS if fold.name == name)


def fold_one(fold: Projection, events: Iterable[Event]) -> State:
    """One fold over plain events, for tests and for callers with their own selection."""
    state = fold.initial()
    for event in events:
        if event.kind in fold.kinds:
            fold.apply(state, event)
    return state
