"""One session from one store into another: its events as its own stream, its native records, the blobs that any of
them names.

A fork's past, which lies in the parent's stream, becomes part of the carried session; nothing else of the parent
comes along.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, select, update

from ...events import blobs, schema
from ...events.canonical import GENESIS
from ...events.errors import EventConflict
from ...events.native import SourceRow, insert_source
from ...events.seal import seal_of
from ...events.store import EventStore, SessionRow

_DIGEST = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_PAGE = 1000
FOREIGN = "bundle:"
"""Before the path of a source of which not everything came along: no file at that path may be taken for it."""


@dataclass(slots=True)
class Carried:
    """What arrived: `added` events of `head`; `status` is new, extended or unchanged."""

    session_id: str
    head: int
    added: int
    status: str
    records: int = 0


@dataclass(slots=True)
class _Work:
    origin: EventStore
    goal: EventStore
    connection: Connection
    records: dict[int, int] = field(default_factory=dict[int, int])
    digests: set[bytes] = field(default_factory=set[bytes])


def carry(origin: EventStore, goal: EventStore, session_id: str, head: int | None = None) -> Carried:
    """Bring the session's events 1 to `head` (None: all) into `goal`; one transaction there.

    A session that is there already is extended when it is the beginning of this one, and left alone when it is the
    same or longer.

    Raises:
        EventConflict: `goal` holds another session under this id; nothing was written.
    """
    row = origin.session(session_id)
    last = row.head if head is None else head
    with goal.writing() as connection:
        known = goal.find_session(session_id)
        have = 0 if known is None else known.head
        if known is not None:
            _refuse_other(origin, goal, row, known, min(have, last))
        if have >= last and known is not None:
            return Carried(session_id, have, 0, "unchanged")
        work = _Work(origin, goal, connection)
        cut = 0 if known is not None or row.forked_from is None else min(int(row.forked_from.rpartition("@")[2]), last)
        stream = _new_session(work, row, cut) if known is None else known.stream
        count = _copy_records(work, row, have, last)
        if cut:
            _copy_events(work, row, _past(work, row, stream, cut), 0, cut)
        _copy_events(work, row, stream, max(have, cut), last)
        _copy_blobs(work)
        columns = schema.stream.c
        connection.execute(
            update(schema.stream).where(columns.stream == stream),
            {"head": last, "head_hash": origin.hash_at(row, last)},
        )
    return Carried(session_id, last, last - have, "extended" if known else "new", count)


def _refuse_other(origin: EventStore, goal: EventStore, row: SessionRow, known: SessionRow, common: int) -> None:
    if origin.hash_at(row, common) != goal.hash_at(known, common):
        raise EventConflict(
            f"Session {row.session_id} is in the database {goal.name} with other content.",
            remedy="Nothing was written. Import the bundle into another database, or fork the session before exporting it.",
            session_id=row.session_id,
        )


def _new_stream(work: _Work, row: SessionRow, generation: int, head: int, forked_from: str | None) -> int:
    values = {
        "session_id": row.session_id,
        "generation": generation,
        "head": head,
        "head_hash": work.origin.hash_at(row, head) if head else GENESIS,
        "forked_from": forked_from,
    }
    key = work.connection.execute(schema.stream.insert(), values).inserted_primary_key
    assert key is not None
    return int(key[0])


def _past(work: _Work, row: SessionRow, stream: int, cut: int) -> int:
    """What a fork shares with its parent, in a stream of its own that only this fork refers to."""
    past = _new_stream(work, row, 0, cut, None)
    lineage = {"stream": stream, "ord": 0, "src_stream": past, "lo": 1, "hi": cut}
    work.connection.execute(schema.lineage.insert(), lineage)
    return past


def _new_session(work: _Work, row: SessionRow, cut: int) -> int:
    parent = None if row.forked_from is None else f"{row.forked_from.rpartition('@')[0]}@{cut}"
    stream = _new_stream(work, row, 1, 0, parent)
    columns = {
        "session_id": row.session_id,
        "source": row.source,
        "role": row.role,
        "parent_session": row.parent_session,
        "agent_id": row.agent_id,
        "stream": stream,
        "created_us": row.created_us,
    }
    work.connection.execute(schema.session.insert(), {**columns, "seal": seal_of(columns)})
    return stream


def _rows(store: EventStore, query: Any, key: Any, after: Any) -> Iterator[list[dict[str, Any]]]:
    """Pages of rows in order of `key`, as plain dictionaries."""
    while True:
        with store.reading() as connection:
            found = [
                dict(row) for row in connection.execute(query.where(key > after).order_by(key).limit(_PAGE)).mappings()
            ]
        if not found:
            return
        yield found
        after = found[-1][key.name]


def _copy_events(work: _Work, row: SessionRow, stream: int, have: int, last: int) -> None:
    columns = schema.event.c
    codec, own = work.origin.codec, work.goal.codec
    for part in work.origin.segments(row, have + 1, last):
        query = select(schema.event).where(columns.stream == part.stream, columns.seq <= part.hi)
        for page in _rows(work.origin, query, columns.seq, part.lo - 1):
            for values in page:
                del values["pos"]
                raw = codec.decode(values["enc"], values["dict_id"], values["data"])
                work.digests.update(_DIGEST.findall(raw))
                encoding, dictionary, stored = own.encode(raw)
                record = values["record"]
                values.update(stream=stream, enc=encoding, dict_id=dictionary, data=stored)
                values["record"] = None if record is None else work.records[record]
            work.connection.execute(schema.event.insert(), page)


def _copy_records(work: _Work, row: SessionRow, have: int, last: int) -> int:
    """The native records behind the events, and all of the session's own files when it is carried whole."""
    wanted: set[int] = set()
    columns = schema.event.c
    for part in work.origin.segments(row, have + 1, last):
        query = select(columns.seq, columns.record).where(columns.stream == part.stream, columns.seq <= part.hi)
        for page in _rows(work.origin, query, columns.seq, part.lo - 1):
            wanted.update(values["record"] for values in page if values["record"] is not None)
    whole = (
        {source.source: source for source in work.origin.sources(session_id=row.session_id)} if last == row.head else {}
    )
    for number in whole:
        wanted.update(_records_of(work.origin, number))
    for source, numbers in _by_source(work.origin, wanted).items():
        _copy_source(work, source, numbers, whole.get(source))
    return len(wanted)


def _records_of(store: EventStore, source: int) -> list[int]:
    columns = schema.record.c
    with store.reading() as connection:
        return list(connection.execute(select(columns.record).where(columns.source == source)).scalars())


def _by_source(store: EventStore, numbers: Iterable[int]) -> dict[int, list[int]]:
    columns = schema.record.c
    found: dict[int, list[int]] = {}
    wanted = sorted(numbers)
    for start in range(0, len(wanted), _PAGE):
        query = select(columns.record, columns.source).where(columns.record.in_(wanted[start : start + _PAGE]))
        with store.reading() as connection:
            for record, source in connection.execute(query.order_by(columns.record)):
                found.setdefault(source, []).append(record)
    return found


def _copy_source(work: _Work, source: int, numbers: list[int], whole: SourceRow | None) -> None:
    """One source and these of its records. An incomplete one gets a path that no file has."""
    with work.origin.reading() as connection:
        rows = connection.execute(select(schema.source).where(schema.source.c.source == source)).mappings().all()
    values = dict(rows[0])
    present = _present(work, values, whole)
    if present is None:
        fields: dict[str, Any] = {**values, "state": json.loads(values["state"])}
        fields["superseded"] = bool(values["superseded"])
        made = SourceRow(**fields)
        if whole is None:
            made = replace(made, path=f"{FOREIGN}{made.path}", superseded=True)
        work.digests.update(_DIGEST.findall(values["state"].encode()))
        present = insert_source(work.connection, replace(made, seal=b""))
    known = _known_records(work, present)
    for start in range(0, len(numbers), _PAGE):
        _copy_page(work, present, numbers[start : start + _PAGE], known)


def _present(work: _Work, values: dict[str, Any], whole: SourceRow | None) -> int | None:
    """A source that is in the goal already: the same file, as far as it was read."""
    path = values["path"] if whole is not None else f"{FOREIGN}{values['path']}"
    for row in work.goal.sources(path=path, session_id=values["session_id"]):
        if row.importer == values["importer"] and row.offset_bytes == values["offset_bytes"]:
            return row.source
    return None


def _known_records(work: _Work, source: int) -> dict[int, int]:
    columns = schema.record.c
    query = select(columns.offset_bytes, columns.record).where(columns.source == source)
    return {int(offset): int(record) for offset, record in work.connection.execute(query)}


def _copy_page(work: _Work, source: int, numbers: list[int], known: dict[int, int]) -> None:
    columns = schema.record.c
    with work.origin.reading() as connection:
        query = select(schema.record).where(columns.record.in_(numbers)).order_by(columns.record)
        rows = [dict(row) for row in connection.execute(query).mappings()]
    number = int(work.connection.execute(select(columns.record).order_by(columns.record.desc()).limit(1)).scalar() or 0)
    new: list[dict[str, Any]] = []
    for values in rows:
        offset = values["offset_bytes"]
        if offset in known:
            work.records[values["record"]] = known[offset]
            continue
        number += 1
        work.records[values["record"]] = number
        raw = work.origin.codec.decode(values["enc"], values["dict_id"], values["body"])
        encoding, dictionary, stored = work.goal.codec.encode(raw)
        work.digests.update(_DIGEST.findall((values["splices"] or "").encode()))
        values.update(record=number, source=source, enc=encoding, dict_id=dictionary, body=stored)
        new.append(values)
    if new:
        work.connection.execute(schema.record.insert(), new)


def _copy_blobs(work: _Work) -> None:
    for digest in sorted(work.digests):
        content = work.origin.blob(digest.decode())
        if content is not None:
            blobs.put(work.connection, content)
