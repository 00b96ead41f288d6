"""Opening a database: where it is, its settings, its schema; a newer or damaged one is refused unchanged."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, exc, make_url, text
from sqlalchemy.pool import StaticPool

from .errors import Conflict, DamagedDatabase, DatabaseBusy, DiskFull, NewerDatabase, RehydrateError, UsageError
from .schema import SCHEMA_NUMBER

APPLICATION_ID = 0x52485944
PAGE_SIZE = 8192
_SHARED_MEMORY = 32_768


def default_url() -> str:
    """`REHYDRATE_DATABASE_URL` (a URL or a file), else an SQLite file in the user's data folder."""
    given = os.environ.get("REHYDRATE_DATABASE_URL")
    if given:
        return as_url(given)
    from platformdirs import user_data_path

    return f"sqlite:///{user_data_path('rehydrate') / 'rehydrate.sqlite'}"


def as_url(target: str | os.PathLike[str] | None) -> str:
    """A URL from a URL, a path or None (the default)."""
    if target is None:
        return default_url()
    text = os.fspath(target)
    if "://" in text:
        return text
    return "sqlite://" if text == ":memory:" else f"sqlite:///{Path(text).absolute()}"


def sqlite_path(url: str) -> Path | None:
    """The file of an SQLite URL; None for `:memory:` and other engines."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or parsed.database in (None, "", ":memory:"):
        return None
    return Path(str(parsed.database))


def lock_timeout_s() -> float:
    given = os.environ.get("REHYDRATE_LOCK_TIMEOUT") or "30"
    try:
        return max(0.0, float(given))
    except ValueError as error:
        raise UsageError(
            f"REHYDRATE_LOCK_TIMEOUT is {given!r}, which is no number of seconds.", remedy="Set it to 30, or unset it."
        ) from error


def open_engine(url: str, *, journal_mode: str | None = None, synchronous: str | None = None) -> Engine:
    """An engine whose SQLite connections are set as the store needs them; the schema is brought up to date.

    journal_mode: WAL by default (`REHYDRATE_JOURNAL_MODE`); DELETE for file systems without shared memory.
    synchronous: FULL by default; NORMAL gives up durability against power loss for speed.

    Raises:
        UsageError: the URL names an engine that is not installed.
        NewerDatabase, DamagedDatabase: the database was left unchanged.
    """
    path = sqlite_path(url)
    if path is not None:
        _create(path)
    try:
        backend = make_url(url).get_backend_name()
        engine = _sqlite_engine(url, path) if backend == "sqlite" else create_engine(url)
    except (exc.ArgumentError, exc.NoSuchModuleError, ModuleNotFoundError) as error:
        raise UsageError(
            f"The database URL {url!r} cannot be used: {error}.",
            remedy="Use sqlite:///FILE, or postgresql+psycopg://… with the extra `postgres` installed.",
        ) from error
    if backend == "sqlite":
        journal = (journal_mode or os.environ.get("REHYDRATE_JOURNAL_MODE") or "WAL").upper()
        sync = (synchronous or os.environ.get("REHYDRATE_SYNCHRONOUS") or "FULL").upper()
        if journal not in {"WAL", "DELETE", "TRUNCATE", "PERSIST", "MEMORY"} or sync not in {"FULL", "NORMAL", "EXTRA"}:
            raise UsageError(
                f"Journal mode {journal!r} with synchronous {sync!r} is not supported.",
                remedy="Use journal mode WAL or DELETE, and synchronous FULL or NORMAL.",
            )

        def connected(raw: sqlite3.Connection, _: object) -> None:
            _set_up(raw, journal, sync, fresh=_is_fresh(path))

        event.listen(engine, "connect", connected)
    with translated(str(path or url)):
        _bring_up_to_date(engine, path)
    if path is not None:
        _make_private(path)
    return engine


def _sqlite_engine(url: str, path: Path | None) -> Engine:
    arguments: dict[str, Any] = {"check_same_thread": False, "isolation_level": None, "timeout": lock_timeout_s()}
    if path is None:
        return create_engine(url, connect_args=arguments, poolclass=StaticPool)
    return create_engine(url, connect_args=arguments)


def _is_fresh(path: Path | None) -> bool:
    return path is None or not path.exists() or path.stat().st_size == 0


def _create(path: Path) -> None:
    """An empty file of mode 0600 where there is none, in a folder of mode 0700 where there is none."""
    if not path.parent.exists():
        path.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
    if not path.exists():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _make_private(path: Path) -> None:
    """Mode 0600 for a database of ours: sessions hold what their user typed and read."""
    for file in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
        if file.exists() and os.access(file, os.W_OK) and file.stat().st_mode & 0o077:
            file.chmod(0o600)


def _set_up(raw: sqlite3.Connection, journal: str, synchronous: str, *, fresh: bool) -> None:
    cursor = raw.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {int(lock_timeout_s() * 1000)}")
    found = cursor.execute("PRAGMA user_version").fetchone()[0]
    if found > SCHEMA_NUMBER or (found == 0 and not fresh):
        # Not ours as far as we can tell: nothing of it is changed.
        cursor.close()
        return
    if fresh:
        cursor.execute(f"PRAGMA page_size = {PAGE_SIZE}")
    if str(cursor.execute("PRAGMA journal_mode").fetchone()[0]).upper() != journal:
        cursor.execute(f"PRAGMA journal_mode = {journal}")
    cursor.execute(f"PRAGMA synchronous = {synchronous}")
    # What is removed is overwritten: for privacy, and because `verify` looks at what pages hold outside their rows.
    cursor.execute("PRAGMA secure_delete = ON")
    cursor.close()


def _bring_up_to_date(engine: Engine, path: Path | None) -> None:
    with engine.connect() as connection:
        found = _schema_number(connection)
        if found == SCHEMA_NUMBER:
            _refuse_newer_revision(connection, path)
            return
        if found > SCHEMA_NUMBER:
            raise _newer(path, found)
    upgrade(engine, path, found)


def _newer(path: Path | None, found: int | str) -> NewerDatabase:
    return NewerDatabase(
        f"The database {path or ''} is newer than this program (schema {found}, this program knows {SCHEMA_NUMBER}).",
        remedy="Upgrade rehydrate; the database was left unchanged.",
        path=str(path),
        found=found,
        known=SCHEMA_NUMBER,
    )


def _schema_number(connection: Connection) -> int:
    if connection.dialect.name == "sqlite":
        number = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
        tables = connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one()
        if number == 0 and tables:
            names = {
                row[0] for row in connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
            if not names <= {"alembic_version"}:
                raise DamagedDatabase(
                    "The file is an SQLite database of another program.",
                    remedy="Give the path of a rehydrate database with --db, or of a file that does not exist yet.",
                )
        return number
    from sqlalchemy import inspect

    if not inspect(connection).has_table("alembic_version"):
        return 0
    revision = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return int(revision) if revision and str(revision).isdigit() else SCHEMA_NUMBER + 1


def _refuse_newer_revision(connection: Connection, path: Path | None) -> None:
    """`user_version` may agree while Alembic's own table names a revision that this program does not have."""
    if connection.dialect.name != "sqlite":
        return
    revision = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    if revision != f"{SCHEMA_NUMBER:04d}":
        raise _newer(path, str(revision))


def upgrade(engine: Engine, path: Path | None, found: int) -> None:
    """Run the migrations, after a backup copy when the database holds data."""
    from alembic import command
    from alembic.config import Config

    from .lock import WriterLock

    lock = WriterLock(None if path is None else lock_path(path), lock_timeout_s())
    with lock.held(), engine.connect() as connection:
        if _schema_number(connection) == SCHEMA_NUMBER:
            return
        if found and path is not None:
            backup(path, f"before-{SCHEMA_NUMBER:04d}")
        config = Config()
        config.set_main_option("script_location", str(Path(__file__).resolve().parent.parent / "migrations"))
        config.attributes["connection"] = connection
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        command.upgrade(config, "head")
        connection.commit()
    lock.close()
    if path is not None:
        _make_private(path)


def lock_path(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def backup(path: Path, label: str) -> Path:
    """A consistent copy beside the database, mode 0600; returns its path."""
    target = path.with_name(f"{path.name}.{label}.{time.strftime('%Y%m%d-%H%M%S')}.bak")
    os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    with sqlite3.connect(path) as original, sqlite3.connect(target) as copy:
        original.backup(copy)
    copy.close()
    original.close()
    return target


def free_bytes(path: Path) -> int:
    return shutil.disk_usage(path.parent).free


def one_at_a_time(connection: Connection, what: str) -> None:
    """Until the transaction ends nobody else passes here, where the database has many writers."""
    if connection.dialect.name == "postgresql":
        number = zlib.crc32(f"rehydrate {what}".encode())
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": number})


@contextmanager
def translated(name: str) -> Generator[None]:
    """Turn the driver's errors into ours."""
    try:
        yield
    except RehydrateError:
        raise
    except (exc.DBAPIError, sqlite3.Error) as error:
        raise _ours(error, name) from error
    except UnicodeDecodeError as error:
        # The driver cannot even read the text of an error or a definition.
        raise _ours(sqlite3.DatabaseError(f"malformed text ({error})"), name) from error


def _no_space(name: str) -> bool:
    """Whether the file system of a database is full: then even a reader fails, its shared memory cannot be made."""
    try:
        return free_bytes(Path(name)) < _SHARED_MEMORY
    except OSError:
        return False


def _ours(error: Exception, name: str) -> RehydrateError:
    told = str(getattr(error, "orig", None) or error)
    low = told.lower()
    if isinstance(error, exc.IntegrityError) and "unique" in low:
        return Conflict(
            f"Another writer was first in the database {name} ({told}).",
            remedy="Nothing was written; restore the session again and decide anew.",
            path=name,
        )
    if ("full" in low and ("disk" in low or "database" in low)) or ("disk i/o" in low and _no_space(name)):
        return DiskFull(
            f"No space is left for the database {name}; the step was undone.",
            remedy="Free space and run the same command again.",
            path=name,
        )
    if "locked" in low or "busy" in low:
        return DatabaseBusy(
            f"The database {name} is locked by another process.",
            remedy="Try again when it has finished, or raise REHYDRATE_LOCK_TIMEOUT.",
            path=name,
        )
    if "malformed" in low or "not a database" in low or "corrupt" in low or "disk i/o" in low:
        return DamagedDatabase(
            f"The database {name} cannot be read: {told}.",
            remedy="It was left as it is; restore a backup, or import the transcripts into a new database.",
            path=name,
        )
    if "readonly" in low or "unable to open" in low:
        return RehydrateError(
            f"The database {name} cannot be written: {told}.",
            remedy="Check the path and the rights of its folder.",
            path=name,
        )
    return RehydrateError(f"The database {name} refused: {told}.", path=name)
