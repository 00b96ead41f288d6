"""All sessions into another database, row by row: from a file to a server, from a server to a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import Table, func, select

from ..events import schema
from ..events.blocks import Frozen
from ..events.errors import Conflict
from ..events.store import EventStore
from .opened import StoreLike, opened

CHUNK = 1000
_TABLES: tuple[Table, ...] = (
    schema.dictionary,
    schema.blob,
    schema.source,
    schema.record,
    schema.stream,
    schema.lineage,
    schema.session,
    schema.event,
)
"""Parents before children; caches and leases are left behind, they belong to one database."""


class Copied(Frozen):
    """How many sessions, events and native records the other database holds now."""

    target: str
    sessions: int
    events: int
    records: int


def copy_store(
    target: str, *, store: StoreLike = None, progress: Callable[[str, int, int], None] | None = None
) -> Copied:
    """Copy everything into an empty database (made when missing), in one transaction there.

    progress: called with the table's name, the rows done and the rows there are.

    Raises:
        Conflict: the target holds sessions already; it was left unchanged.
    """
    with opened(store) as origin, opened(target) as goal:
        if goal.sessions():
            raise Conflict(
                f"The database {goal.name} holds sessions already; nothing was copied.",
                remedy="Give an empty database, or carry single sessions over with: rehydrate export ID --to bundle",
                path=goal.name,
            )
        with goal.writing() as connection:
            counts = {table.name: _copy_table(origin, connection, table, progress) for table in _TABLES}
            if connection.dialect.name == "postgresql":
                _advance_sequences(connection)
        return Copied(target=goal.name, sessions=counts["session"], events=counts["event"], records=counts["record"])


def _copy_table(
    origin: EventStore, connection: Any, table: Table, progress: Callable[[str, int, int], None] | None
) -> int:
    done = 0
    with origin.reading() as reading:
        total = int(reading.execute(select(func.count()).select_from(table)).scalar_one())
    if table is schema.dictionary:
        connection.execute(table.delete())
    for rows in _pages(origin, table):
        connection.execute(table.insert(), rows)
        done += len(rows)
        if progress is not None:
            progress(table.name, done, total)
    return done


def _pages(origin: EventStore, table: Table) -> Iterator[list[dict[str, Any]]]:
    """The rows of a table in order of its primary key, CHUNK at a time."""
    keys = list(table.primary_key.columns)
    last: tuple[Any, ...] | None = None
    while True:
        query = select(table).order_by(*keys).limit(CHUNK)
        if last is not None:
            query = query.where(_after(keys, last))
        with origin.reading() as reading:
            rows = [dict(row) for row in reading.execute(query).mappings()]
        if not rows:
            return
        yield rows
        last = tuple(rows[-1][key.name] for key in keys)


def _after(keys: list[Any], last: tuple[Any, ...]) -> Any:
    from sqlalchemy import tuple_

    return keys[0] > last[0] if len(keys) == 1 else tuple_(*keys) > tuple_(*last)


def _advance_sequences(connection: Any) -> None:
    """Keys were given explicitly: the server's counters must go on behind them."""
    for table in _TABLES:
        (key, *rest) = table.primary_key.columns
        if rest or key.type.python_type is not int:
            continue
        name = connection.execute(select(func.pg_get_serial_sequence(table.name, key.name))).scalar()
        if name:
            connection.execute(select(func.setval(name, select(func.coalesce(func.max(key), 1)).scalar_subquery())))
