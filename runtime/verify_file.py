"""The database as a file and as tables: what the engine itself can tell, and the rows that belong to no session."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import select

from ..events import schema
from ..events.codec import BUILT_IN_DICTIONARY, built_in_dictionary
from ..events.database import APPLICATION_ID
from ..events.seal import seal_of
from ..events.store import EventStore
from .verify_result import UNREADABLE, Mismatch, caught

_NUMBERS = ("application_id", "encoding")


def check_file(store: EventStore) -> Iterator[Mismatch]:
    """SQLite's own check of pages, indexes and constraints; the schema against the one this version makes."""
    if store.dialect != "sqlite":
        return
    try:
        with store.reading() as connection:
            told = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check")]
            loose = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
            numbers = [connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in _NUMBERS]
            present = _schema_of(store)
    except UNREADABLE as error:
        yield _file(store, str(getattr(error, "orig", None) or error))
        return
    for text in told:
        if text != "ok":
            yield _file(store, text)
    for row in loose:
        yield _file(store, f"row {row[1]} of table {row[0]} belongs to nothing")
    if numbers != [APPLICATION_ID, "UTF-8"]:
        yield _file(store, "its header is not the one of a rehydrate database")
    with EventStore(":memory:") as fresh:
        expected = _schema_of(fresh)
    if present != expected:
        names = sorted(name for name in present.keys() | expected.keys() if present.get(name) != expected.get(name))
        yield _file(store, f"the definition of {', '.join(names)} is not the one of this version")


def _schema_of(store: EventStore) -> dict[str, str]:
    with store.reading() as connection:
        rows = connection.exec_driver_sql("SELECT name, type, tbl_name, sql FROM sqlite_master ORDER BY name")
        return {row[0]: f"{row[1]} {row[2]} {row[3]}" for row in rows if not str(row[0]).startswith("sqlite_stat")}


def _file(store: EventStore, text: str) -> Mismatch:
    return Mismatch(what="file", message=f"The database {store.name}: {text}.", facts={"path": store.name})


def check_tables(store: EventStore) -> list[Mismatch]:
    """Rows of sessions, streams and dictionaries."""
    found: list[Mismatch] = []
    with caught(found, "table", "A table cannot be read"), store.reading() as connection:
        streams = {row.stream: row for row in connection.execute(select(schema.stream)).all()}
        for row in connection.execute(select(schema.session)).mappings().all():
            stream, session_id = streams.get(row["stream"]), row["session_id"]
            if seal_of(dict(row)) != row["seal"] or stream is None or stream.session_id != session_id:
                message = f"The row of session {session_id} is not as it was written."
                found.append(Mismatch(what="session", message=message, session_id=session_id))
        body = connection.execute(
            select(schema.dictionary.c.body).where(schema.dictionary.c.dict_id == BUILT_IN_DICTIONARY)
        ).scalar()
        if body is not None and bytes(body) != built_in_dictionary():
            found.append(Mismatch(what="table", message="The compression dictionary is not as it was written."))
        found += _unknown_streams(store, set(streams))
    return found


def _unknown_streams(store: EventStore, streams: set[int]) -> list[Mismatch]:
    with store.reading() as connection:
        stored = set(connection.execute(select(schema.event.c.stream).distinct()).scalars())
    return [
        Mismatch(what="event", message=f"There are events of stream {number}, which belongs to no session.")
        for number in sorted(stored - streams)
    ]
