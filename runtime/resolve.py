"""From what a person types to a session and a place in it: ids, unique beginnings, titles; positions, turns, message ids."""

from __future__ import annotations

import difflib
import os
import re
from pathlib import PurePath
from typing import Any

from sqlalchemy import select

from ..events import schema
from ..events.errors import AmbiguousSession, EventNotFound, InvalidPointer, SessionNotFound
from ..events.pointer import Pointer, PointerText
from ..events.references import preview
from ..events.store import EventStore, SessionRow
from ..projections.fold import restore_states
from ..projections.turn_marks import find_turns

SessionLike = str | Pointer
"""A session or a pointer as text, or a pointer that is already looked up."""

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_EVENT_ID = re.compile(r"[0-9a-f]{32}")
_NEAREST = 5
_TITLE_CHARS = 40
_MIN_DECORATED = 4


def resolve_session(store: EventStore, text: str, project: str | os.PathLike[str] | None = None) -> SessionRow:
    """The session meant by an id, a decorated id (`local_<uuid>`, a file name), a unique beginning, or a title (exact first).

    project: where several fit, those of this project win.

    Raises:
        AmbiguousSession: several fit; `candidates` lists them.
        SessionNotFound: none fits; `candidates` lists the nearest. Nothing is created.
    """
    wanted = text.strip().strip("\"'")
    row = store.find_session(wanted) or _decorated(store, wanted)
    if row is not None:
        return row
    listed = _listed(store)
    ways = (_by_beginning(listed, wanted), _by_title(listed, wanted), _by_title(listed, wanted, loose=True))
    for fitting in ways:
        found = fitting
        if len(found) > 1 and project is not None:
            found = _of_project(store, found, project) or found
        if len(found) == 1:
            return store.session(found[0]["session_id"])
        if found:
            raise _ambiguous(text, found)
    gone = _by_beginning(_deleted(store), wanted)
    if len(gone) == 1:
        return store.session(gone[0]["session_id"])
    raise _not_found(text, wanted, listed)


def _deleted(store: EventStore) -> list[dict[str, Any]]:
    """Deleted sessions answer to a beginning of their ids when no other session does, so that they can be taken back."""
    from .session_index import listed_rows

    return [row for row in listed_rows(store) if row["deleted"]]


def _decorated(store: EventStore, wanted: str) -> SessionRow | None:
    """The session whose id is somewhere in the text: `local_<uuid>`, `rollout-…-<uuid>.jsonl`, a path, another case."""
    found = _UUID.findall(wanted)
    for candidate in (*reversed(found), wanted.lower(), PurePath(wanted).name.removesuffix(".jsonl")):
        row = store.find_session(candidate) or store.find_session(candidate.lower())
        if row is not None:
            return row
    return None


def _listed(store: EventStore) -> list[dict[str, Any]]:
    """Main sessions that are not deleted, with their titles, newest first."""
    from .session_index import listed_rows

    return [row for row in listed_rows(store) if not row["deleted"]]


def _by_beginning(listed: list[dict[str, Any]], wanted: str) -> list[dict[str, Any]]:
    if not wanted:
        return []
    low = wanted.lower()
    found = [row for row in listed if row["session_id"].lower().startswith(low)]
    if not found and len(low) >= _MIN_DECORATED and "_" in low:
        tail = low.rpartition("_")[2]
        found = [row for row in listed if len(tail) >= _MIN_DECORATED and row["session_id"].lower().startswith(tail)]
    return found


def _by_title(listed: list[dict[str, Any]], wanted: str, *, loose: bool = False) -> list[dict[str, Any]]:
    if loose:
        from .session_index import TITLE_CHARS

        forms = {wanted.casefold(), preview(wanted, TITLE_CHARS).casefold()}
        return [row for row in listed if row["title"] and row["title"].casefold() in forms]
    return [row for row in listed if row["title"] == wanted]


def _of_project(
    store: EventStore, found: list[dict[str, Any]], project: str | os.PathLike[str]
) -> list[dict[str, Any]]:
    from .listing import of_project

    return of_project(store, found, project)


def _candidates(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"session_id": row["session_id"], "title": row["title"], "project": row["project"]} for row in rows]


def _ambiguous(text: str, found: list[dict[str, Any]]) -> AmbiguousSession:
    ids = ", ".join(row["session_id"] for row in found[:_NEAREST])
    more = "" if len(found) <= _NEAREST else f" and {len(found) - _NEAREST} more"
    return AmbiguousSession(
        f"{len(found)} sessions fit {text!r}: {ids}{more}.",
        remedy="Give more of the id.",
        text=text,
        candidates=_candidates(found),
    )


def _not_found(text: str, wanted: str, listed: list[dict[str, Any]]) -> SessionNotFound:
    low = wanted.casefold()
    near = [row for row in listed if low and low in (row["title"] or "").casefold()]
    names = {name: row for row in listed for name in (row["session_id"], row["title"]) if name}
    for name in difflib.get_close_matches(wanted, names, n=_NEAREST, cutoff=0.4):
        if names[name] not in near:
            near.append(names[name])
    near = near[:_NEAREST]
    hint = "" if not near else " The nearest: " + ", ".join(_shown(row) for row in near) + "."
    return SessionNotFound(
        f"There is no session {text!r}.{hint}",
        remedy="List all with: rehydrate sessions --all"
        if listed
        else "Import transcripts first with: rehydrate import",
        text=text,
        candidates=_candidates(near or listed[:_NEAREST]),
    )


def _shown(row: dict[str, Any]) -> str:
    return f"{row['session_id']} ({preview(row['title'], _TITLE_CHARS)})" if row["title"] else str(row["session_id"])


def resolve_pointer(store: EventStore, text: SessionLike, project: str | os.PathLike[str] | None = None) -> Pointer:
    """The place meant by `SESSION`, `SESSION@POSITION`, `@last`, `@turn:N`, `@before-compaction` or `@MESSAGE-ID`.

    A turn means its end, a message id the end of its record: pointers are inclusive.

    Raises:
        InvalidPointer: the text is no pointer, or lies before the first event.
        EventNotFound: the session has no such position, turn, compaction or message.
        SessionNotFound, AmbiguousSession: see `resolve_session`.
    """
    if isinstance(text, Pointer):
        return _checked(store.session(text.session_id), text.position)
    parsed = PointerText.parse(text)
    if parsed.place is not None and store.find_session(parsed.session) is None:
        row = store.find_session(text) or _titled(store, text)
        if row is not None:
            return Pointer(row.session_id, row.head)
    row = resolve_session(store, parsed.session, project)
    return _placed(store, row, parsed.place)


def _titled(store: EventStore, text: str) -> SessionRow | None:
    """A session whose very title holds an @."""
    found = _by_title(_listed(store), text.strip())
    return store.session(found[0]["session_id"]) if len(found) == 1 else None


def _placed(store: EventStore, row: SessionRow, place: str | None) -> Pointer:
    if place is None or place in ("last", "head", "end"):
        return Pointer(row.session_id, row.head)
    if re.fullmatch(r"[+-]?\d+", place):
        return _checked(row, int(place))
    kind, _, number = place.partition(":")
    if kind == "turn":
        return _turn(store, row, number)
    if kind == "before-compaction":
        return _before_compaction(store, row, number)
    return _message(store, row, place)


def _checked(row: SessionRow, position: int) -> Pointer:
    if position < 1 and row.head > 0:
        raise InvalidPointer(
            f"{row.session_id}@{position} lies before the first event.",
            remedy=f"Positions go from 1 to {row.head}.",
            session_id=row.session_id,
            position=position,
            head=row.head,
        )
    if position > row.head:
        raise EventNotFound(
            f"Session {row.session_id} has events 1 to {row.head}; there is none at {position}.",
            remedy=f"Use a position up to {row.head}, or {row.session_id}@last.",
            session_id=row.session_id,
            position=position,
            head=row.head,
        )
    return Pointer(row.session_id, position)


def _turn(store: EventStore, row: SessionRow, number: str) -> Pointer:
    if not number.isdecimal():
        raise InvalidPointer(f"turn:{number} names no turn.", remedy="Write @turn:N with N from 1.")
    path = restore_states(store, row.session_id).path
    turns = find_turns((event for event in store.read(row.session_id) if path.live(event.position)), row.head)
    wanted = int(number)
    if not 1 <= wanted <= len(turns):
        raise EventNotFound(
            f"Session {row.session_id} has {len(turns)} turn(s); there is no turn {wanted}.",
            remedy=f"See them with: rehydrate show {row.session_id}",
            session_id=row.session_id,
            turn=wanted,
            turns=len(turns),
        )
    return Pointer(row.session_id, turns[wanted - 1].last)


def _before_compaction(store: EventStore, row: SessionRow, number: str) -> Pointer:
    listed = restore_states(store, row.session_id).states["compactions"]["list"]
    positions = [one["at"] for one in listed if not one.get("micro")]
    at = len(positions) if not number else int(number) if number.isdecimal() else 0
    if not 1 <= at <= len(positions):
        raise EventNotFound(
            f"Session {row.session_id} has {len(positions)} compaction(s).",
            remedy="Use a position, or @turn:N.",
            session_id=row.session_id,
            compactions=len(positions),
        )
    return _checked(row, positions[at - 1] - 1)


def _message(store: EventStore, row: SessionRow, name: str) -> Pointer:
    found = _positions_of(store, row, name)
    if not found and len(name) >= _MIN_DECORATED:
        found = _positions_of(store, row, name, beginning=True)
    if not found:
        raise EventNotFound(
            f"Session {row.session_id} has no message {name}.",
            remedy=f"See the ids with: rehydrate show {row.session_id} --json",
            session_id=row.session_id,
            message_id=name,
        )
    return Pointer(row.session_id, _end_of_record(store, row, found[-1]))


def _positions_of(store: EventStore, row: SessionRow, name: str, *, beginning: bool = False) -> list[int]:
    """Positions of events with this native id or event id, found without reading any content."""
    import json

    columns = schema.event.c
    text = json.dumps({"n": name}, separators=(",", ":"), ensure_ascii=False)[1:-1]
    by_name = columns.meta.contains(text[:-1] if beginning else text, autoescape=True)
    condition = by_name
    if _EVENT_ID.fullmatch(name) and not beginning:
        condition = by_name | (columns.uid == bytes.fromhex(name))
    found: list[int] = []
    ids: set[Any] = set()
    with store.reading() as connection:
        for part in store.segments(row, 1, row.head):
            query = select(columns.seq, columns.meta).where(
                columns.stream == part.stream, columns.seq >= part.lo, columns.seq <= part.hi, condition
            )
            for seq, meta in connection.execute(query.order_by(columns.seq)):
                found.append(int(seq))
                ids.add(json.loads(meta).get("n") if meta else None)
    return [] if beginning and len(ids) > 1 else found


def _end_of_record(store: EventStore, row: SessionRow, position: int) -> int:
    """The last event of the native record whose first event is at `position`."""
    last = position
    record: int | None = None
    for event in store.read(row.session_id, after=position - 1):
        if event.position == position:
            record = event.record
        if event.record is None or event.record != record:
            break
        last = event.position
    return last
