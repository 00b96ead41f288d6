"""The source's picture of the world (environments, modes, skills), put together from a whole one and merge patches (RFC 7396)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, cast

from ..events.event import Event

SHOWN_CHARS = 300


class EventReader(Protocol):
    """Gives single events, references resolved."""

    def at(self, position: int | None) -> Event | None: ...


def world_state(records: Iterable[int], reader: EventReader) -> Any:
    """The picture as JSON, long texts shortened; None when the source told none since the last compaction."""
    picture: Any = None
    for position in records:
        event = reader.at(position)
        if event is not None:
            picture = merged(picture, event.data.get("value")) if picture is not None else event.data.get("value")
    return shortened(picture)


def merged(target: Any, patch: Any) -> Any:
    """A JSON merge patch applied: objects are merged, null takes a member away, anything else replaces."""
    if not isinstance(patch, dict):
        return patch
    made: dict[str, Any] = dict(_members(target)) if isinstance(target, dict) else {}
    for name, value in _members(patch).items():
        if value is None:
            made.pop(name, None)
        else:
            made[name] = merged(made.get(name), value)
    return made


def _members(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value)


def shortened(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= SHOWN_CHARS else f"{value[:SHOWN_CHARS]}…"
    if isinstance(value, dict):
        return {name: shortened(part) for name, part in _members(value).items()}
    if isinstance(value, list):
        return [shortened(part) for part in cast("list[object]", value)]
    return value
