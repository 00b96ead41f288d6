"""A session's rollout lines as the client would read them: through forks by pointer, reverts and what was added here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...events.event import Event
from ...events.importers.codex.document import is_header
from ...events.importers.codex.shapes import is_object
from ...events.store import EventStore
from .codex_live import line_of


@dataclass(frozen=True, slots=True)
class RolloutLine:
    """One readable line: `kind` is its type, `payload` its object. position: of its first event."""

    kind: str
    payload: dict[str, Any]
    position: int


def load_lines(store: EventStore, session_id: str, position: int) -> list[RolloutLine]:
    """The lines of the session's past up to `position`, in the order in which the client replays them.

    Lines that the client cannot parse are left out (those that are no UTF-8, bare items in a file of wrapped lines). A revert (a
    marker that names a position) takes away what came after it.
    """
    places: list[tuple[int, int | None, Event]] = []
    seen: set[int] = set()
    for event in store.read(session_id, until=position):
        if event.kind == "Rewound" and event.data.get("to_position") is not None:
            if event.data.get("scope", "conversation") != "files":
                reached = int(event.data["to_position"])
                places = [place for place in places if place[0] <= reached]
        elif event.record is None:
            places.append((event.position, None, event))
        elif event.record not in seen:
            seen.add(event.record)
            places.append((event.position, event.record, event))
    records = store.records({place[1] for place in places if place[1]})
    values = {record.record: record.parsed() if _is_utf8(record.raw) else None for record in records}
    wrapped = any(_is_wrapped(value) for value in values.values())
    added = {event.position: event for event in store.hydrate([place[2] for place in places if place[1] is None])}
    lines: list[RolloutLine] = []
    for at, record, _ in places:
        value = values.get(record) if record is not None else None
        if record is not None and wrapped and not _is_wrapped(value):
            continue
        found = lines_of(value) if record is not None else line_of(added[at])
        lines += [RolloutLine(kind, payload, at) for kind, payload in found]
    return lines


def _is_wrapped(value: Any) -> bool:
    return is_object(value) and is_object(value.get("payload"))


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def lines_of(value: Any) -> list[tuple[str, dict[str, Any]]]:
    """The wrapped form of a parsed record of any era, nothing for what the client skips."""
    if not is_object(value):
        return []
    if is_header(value):
        items = [item for item in value["items"] if is_object(item)]
        return [("session_meta", value["session"]), *(("response_item", {"type": "message", **item}) for item in items)]
    if is_object(value.get("payload")):
        wrapped = isinstance(value.get("timestamp"), str) and isinstance(value.get("type"), str)
        return [(value["type"], value["payload"])] if wrapped else []
    if "record_type" in value or "payload" in value:
        return []
    if isinstance(value.get("type"), str):
        return [("response_item", value)] if "timestamp" not in value else []
    return [("session_meta", value)] if isinstance(value.get("id"), str) else []
