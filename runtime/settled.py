"""Messages that a source told twice, once each: a provisional one goes when the one that takes its place comes soon after."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from ..events.event import Event

WINDOW = 64
"""How many events later the other one may come; sources write the two within a few records."""


def settled(events: Iterable[Event]) -> Iterator[Event]:
    """The events in order, without the provisional messages that a later one replaces."""
    waiting: deque[Event] = deque()
    for event in events:
        replaced = event.data.get("replaces")
        if replaced and event.kind in {"UserInput", "AssistantMessage"}:
            gone = set(replaced)
            waiting = deque(one for one in waiting if one.native_id not in gone)
        waiting.append(event)
        if len(waiting) > WINDOW:
            yield waiting.popleft()
    yield from waiting
