"""A consistent copy of the database in one file, taken while others may be writing."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from ..events.blocks import Frozen
from ..events.errors import Conflict, DamagedDatabase, UsageError
from .opened import StoreLike, opened


class Backup(Frozen):
    """Where the copy is and what it holds."""

    path: str
    bytes: int
    sessions: int
    events: int


def backup_store(path: str | os.PathLike[str], *, store: StoreLike = None) -> Backup:
    """Copy the database to a new file (mode 0600) and check the copy.

    Raises:
        Conflict: there is a file at `path`; nothing was overwritten.
        UsageError: the database is no SQLite file.
        DamagedDatabase: the copy does not pass SQLite's own check; it was removed again.
    """
    target = Path(path).absolute()
    with opened(store) as opened_store:
        if opened_store.path is None:
            raise UsageError(
                "Only an SQLite file can be copied this way.",
                remedy="Copy the sessions into one with: rehydrate copy sqlite:///FILE",
            )
        _create(target)
        try:
            _copy(opened_store.path, target)
        except BaseException:
            target.unlink(missing_ok=True)
            raise
        sessions, events = len(opened_store.sessions()), opened_store.event_count()
    return Backup(path=str(target), bytes=target.stat().st_size, sessions=sessions, events=events)


def _create(target: Path) -> None:
    target.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
    try:
        os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError as error:
        raise Conflict(
            f"There is a file at {target} already.",
            remedy="Give another path, or move that file away.",
            path=str(target),
        ) from error


def _copy(original: Path, target: Path) -> None:
    source, copy = sqlite3.connect(original), sqlite3.connect(target)
    try:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        (state,) = copy.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        raise _damaged(original, str(error)) from error
    finally:
        copy.close()
        source.close()
    if state != "ok":
        raise _damaged(original, state)


def _damaged(original: Path, what: str) -> DamagedDatabase:
    return DamagedDatabase(
        f"The database {original} is damaged: {what}.",
        remedy="It was left as it is; restore a backup, or import the transcripts into a new database with --db NEW-FILE.",
        path=str(original),
    )
