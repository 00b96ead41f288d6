"""A database being used: one connection, writes that are all or nothing, reads that hold nothing back."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any, Self

from sqlalchemy import Connection, select

from . import database, schema
from .codec import BUILT_IN_DICTIONARY, Codec, built_in_dictionary
from .errors import DamagedDatabase
from .lock import WriterLock


class Connected:
    """An open database. Use as a context manager, or call `close()`.

    Not safe to share between processes after a fork; threads may share it (calls are serialized).
    """

    def __init__(self, target: str | os.PathLike[str] | None = None, **options: Any) -> None:
        self.url = database.as_url(target)
        self.path = database.sqlite_path(self.url)
        self._engine = database.open_engine(self.url, **options)
        self._guard = threading.RLock()
        self._connection: Connection = self._engine.connect()
        lock_file = None if self.path is None else database.lock_path(self.path)
        self._lock = WriterLock(lock_file, database.lock_timeout_s())
        self._depth = 0
        self._codec: Codec | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()
        self._engine.dispose()
        self._lock.close()

    @contextmanager
    def writing(self, *, wait_s: float | None = None) -> Generator[Connection]:
        """One atomic write: all of it or nothing. Re-entrant; the outermost block commits.

        wait_s: how long to wait for other writers (None: the general limit; 0 for caches, which nobody should wait for).

        Raises:
            DatabaseBusy: another writer held the database beyond the time limit.
            DiskFull: there was no space; nothing was written.
        """
        with self._guard:
            if self._depth:
                with self._nested():
                    yield self._connection
                return
            with self._lock.held(wait_s), database.translated(self.name):
                self._begin_write()
                self._depth = 1
                try:
                    yield self._connection
                    self._connection.commit()
                except BaseException:
                    self._connection.rollback()
                    raise
                finally:
                    self._depth = 0

    @contextmanager
    def _nested(self) -> Generator[None]:
        """A step within a write: when it fails and the caller goes on all the same, nothing of it stays."""
        self._depth += 1
        savepoint = f"step_{self._depth}"
        self._connection.exec_driver_sql(f"SAVEPOINT {savepoint}")
        try:
            yield
            self._connection.exec_driver_sql(f"RELEASE SAVEPOINT {savepoint}")
        except BaseException:
            with suppress(Exception):
                self._connection.exec_driver_sql(f"ROLLBACK TO SAVEPOINT {savepoint}")
                self._connection.exec_driver_sql(f"RELEASE SAVEPOINT {savepoint}")
            raise
        finally:
            self._depth -= 1

    def _begin_write(self) -> None:
        if self._connection.dialect.name == "sqlite":
            self._connection.rollback()
            self._connection.exec_driver_sql("BEGIN IMMEDIATE")

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """A connection for reads; outside a write it ends its transaction so that no old state is held."""
        with self._guard, database.translated(self.name):
            yield self._connection
            if not self._depth:
                self._connection.rollback()

    @property
    def name(self) -> str:
        return str(self.path or self.url)

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""
        return str(self._engine.dialect.name)

    @property
    def codec(self) -> Codec:
        """The codec with the dictionaries of this database; the built-in one is stored at first use."""
        if self._codec is None:
            with self.reading() as connection:
                known = {row.dict_id: bytes(row.body) for row in connection.execute(select(schema.dictionary))}
            if BUILT_IN_DICTIONARY not in known:
                known[BUILT_IN_DICTIONARY] = built_in_dictionary()
                if self._depth:
                    self._store_dictionary(known[BUILT_IN_DICTIONARY])
            self._codec = Codec(known)
        return self._codec

    def _store_dictionary(self, body: bytes) -> None:
        self._connection.execute(schema.dictionary.insert(), {"dict_id": BUILT_IN_DICTIONARY, "body": body})

    def writing_codec(self) -> Codec:
        """The codec, its dictionary certainly in the table (rows must never name one that is not stored)."""
        codec = self.codec
        number = schema.dictionary.c.dict_id
        if not self._connection.execute(select(number).where(number == BUILT_IN_DICTIONARY)).first():
            self._store_dictionary(built_in_dictionary())
        return codec


def damaged(name: str, what: str, **facts: Any) -> DamagedDatabase:
    """The error for stored bytes that are not what they claim to be."""
    return DamagedDatabase(
        f"The database {name} is damaged: {what}.",
        remedy="Find all damage with: rehydrate verify. Restore a backup, or import the transcripts into a new database.",
        path=name,
        **facts,
    )
