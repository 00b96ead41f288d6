"""Many rows at once: plain tuples straight to the driver where it takes question marks, through Core elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Table


def insert_rows(
    connection: Connection, table: Table, columns: tuple[str, ...], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert `rows` (values in the order of `columns`); nothing for none."""
    if not rows:
        return
    if connection.dialect.paramstyle == "qmark":
        connection.exec_driver_sql(_statement(table.name, columns), list(rows))
        return
    connection.execute(table.insert(), [dict(zip(columns, row, strict=True)) for row in rows])


@cache
def _statement(table: str, columns: tuple[str, ...]) -> str:
    marks = ", ".join("?" * len(columns))
    # Names come from our own table definitions only.
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608
