"""A file whose past lies in another file: where that one is, and at which event its part ends."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, select

from .. import native, schema
from ..event import Draft, derived_id
from ..findings import Finding
from ..native import SourceRow
from ..store import EventStore
from .importer import Identity, SideEvent

_ENDINGS = (".jsonl", ".jsonl.zst", ".json")


@dataclass(frozen=True, slots=True)
class Past:
    """The last event of the base that belongs to the past."""

    session_id: str
    position: int

    @property
    def pointer(self) -> str:
        return f"{self.session_id}@{self.position}"


def base_source(store: EventStore, identity: Identity) -> SourceRow | None:
    """The imported file that `identity` names as its base, None when it is not imported."""
    if identity.base_file is None:
        return None
    rows = [
        row
        for row in store.sources()
        if not row.superseded
        and (row.state.get("file_id") == identity.base_file or row.path.endswith(_names(identity.base_file)))
    ]
    return rows[-1] if rows else None


def base_path(path: Path, identity: Identity) -> Path | None:
    """The base file in the tree of sessions that `path` lies in, None when there is none."""
    if identity.base_file is None:
        return None
    roots = [folder for folder in path.parents if folder.name in {"sessions", "archived_sessions"}]
    homes = {root.parent for root in roots}
    places = [path.parent, *(home / name for home in homes for name in ("sessions", "archived_sessions"))]
    for place in places:
        for found in sorted(place.rglob(f"*{identity.base_file}.json*")):
            if found.name.endswith(_names(identity.base_file)) and found != path:
                return found
    return None


def _names(base_file: str) -> tuple[str, ...]:
    return tuple(base_file + ending for ending in _ENDINGS)


def past_of(connection: Connection, base: SourceRow, end_bytes: int | None) -> Past | None:
    """The last event of the base file's records that end before byte `end_bytes` (all of them when None).

    Copies of the file at other places count with it: an event hangs on the record of the copy that came first.
    """
    event, record, session = schema.event.c, schema.record.c, schema.session.c
    query = (
        select(event.seq, event.record)
        .join_from(schema.event, schema.record, event.record == record.record)
        .join(schema.session, session.stream == event.stream)
        .where(record.source.in_(_copies(connection, base)), session.session_id == base.session_id)
        .order_by(event.seq.desc())
    )
    if end_bytes is not None:
        query = query.where(record.offset_bytes < end_bytes)
    last = connection.execute(query.limit(1)).first()
    if last is not None and end_bytes is not None and _end_of(connection, last.record) > end_bytes:
        last = connection.execute(query.where(event.record != last.record).limit(1)).first()
    return None if last is None else Past(base.session_id, int(last.seq))


def _copies(connection: Connection, base: SourceRow) -> list[int]:
    """The sources of the session that are the same file, packed or not, wherever it lay."""
    name = Path(base.path).name.removesuffix(".zst")
    rows = native.sources(connection, session_id=base.session_id)
    return [row.source for row in rows if Path(row.path).name.removesuffix(".zst") == name]


def _end_of(connection: Connection, record: int) -> int:
    """The byte behind a record, its line end left out; large texts of it count with their stored size."""
    columns = schema.record.c
    following = select(columns.offset_bytes).where(
        columns.source == select(columns.source).where(columns.record == record).scalar_subquery(),
        columns.offset_bytes > select(columns.offset_bytes).where(columns.record == record).scalar_subquery(),
    )
    found = connection.execute(following.order_by(columns.offset_bytes).limit(1)).scalar()
    return 0 if found is None else int(found) - 2


def went_back(identity: Identity, past: Past) -> SideEvent:
    """A file of the same session that goes on from an earlier place: the conversation went back to it."""
    event_id = derived_id(identity.session_id, "segment", identity.file_id or "", str(identity.base_bytes))
    return SideEvent(Draft("Rewound", {"to_position": past.position, "scope": "conversation"}, event_id))


def missing_finding(path: str, base_file: str) -> Finding:
    return Finding(
        code="history-base-missing",
        severity="warning",
        message=f"The beginning of this conversation lies in another file ({base_file}), which was not found.",
        remedy="Import that file as well; this session is put behind it then.",
        facts={"path": path, "base_file": base_file},
    )


def waiting_for(store: EventStore, file_id: str | None) -> list[SourceRow]:
    """Files that were imported before the one they begin in."""
    if file_id is None:
        return []
    columns = schema.source.c
    with store.reading() as connection:
        query = select(columns.session_id).where(columns.state.contains(f'"base_missing":"{file_id}"', autoescape=True))
        sessions = set(connection.execute(query).scalars())
    rows = [row for session_id in sorted(sessions) for row in store.sources(session_id=session_id)]
    return [row for row in rows if row.state.get("base_missing") == file_id]
