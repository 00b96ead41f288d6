"""Every kind of event store that the contract suite runs over."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from rehydrate.events.store import EventStore

POSTGRES = os.environ.get("REHYDRATE_TEST_POSTGRES")
KINDS = [
    "file",
    "memory",
    pytest.param(
        "postgres",
        marks=pytest.mark.skipif(POSTGRES is None, reason="REHYDRATE_TEST_POSTGRES names no server (a URL)"),
    ),
]


@contextmanager
def opened(kind: str, folder: Path) -> Iterator[EventStore]:
    """An empty store of a kind: a file in `folder`, memory, or a schema of its own on the server of REHYDRATE_TEST_POSTGRES."""
    if kind != "postgres":
        with EventStore(":memory:" if kind == "memory" else folder / "db.sqlite") as store:
            yield store
        return
    import sqlalchemy

    name = f"t{uuid4().hex}"
    engine = sqlalchemy.create_engine(str(POSTGRES))
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {name}")
    try:
        url = sqlalchemy.make_url(str(POSTGRES)).update_query_dict({"options": f"-csearch_path={name}"})
        with EventStore(url.render_as_string(hide_password=False)) as store:
            yield store
    finally:
        with engine.begin() as connection:
            connection.exec_driver_sql(f"DROP SCHEMA {name} CASCADE")
        engine.dispose()
