"""Opening a database: private files, the schema, and what is refused unchanged."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from pathlib import Path

import pytest
from rehydrate.events import database, schema
from rehydrate.events.errors import DamagedDatabase, DiskFull, NewerDatabase, RehydrateError, UsageError
from rehydrate.events.event import Draft
from rehydrate.events.store import EventStore
from sqlalchemy import inspect

from ..support.stores import KINDS, opened


def filled(path: Path, count: int = 200) -> Path:
    with EventStore(path) as store:
        store.create_session("S", source="live")
        store.append("S", [Draft("Notice", {"subtype": "x", "text": f"{n} " * 200}) for n in range(count)])
    return path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_files_are_private_to_the_user(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        path = tmp_path / "made" / "deeper" / "db.sqlite"
        with EventStore(path) as store:
            store.create_session("S", source="live")
            assert {mode(file) for file in path.parent.iterdir()} == {0o600}
        assert mode(path.parent) == 0o700
    finally:
        os.umask(old)


def test_a_database_that_others_could_read_is_made_private(tmp_path: Path) -> None:
    path = filled(tmp_path / "db.sqlite")
    path.chmod(0o644)
    EventStore(path).close()
    assert mode(path) == 0o600


@pytest.mark.parametrize("kind", KINDS)
def test_the_migrations_make_the_tables_that_the_program_uses(kind: str, tmp_path: Path) -> None:
    with opened(kind, tmp_path) as store, store.reading() as connection:
        found = inspect(connection)
        for table in schema.metadata.tables.values():
            columns = {column["name"]: column["nullable"] for column in found.get_columns(table.name)}
            keys = {column.name for column in table.primary_key}
            expected = {column.name: bool(column.nullable) for column in table.columns}
            assert columns.keys() == expected.keys(), table.name
            assert {name for name in columns if columns[name] != expected[name]} <= keys
            indexes = {index["name"] for index in found.get_indexes(table.name)}
            assert {index.name for index in table.indexes} <= indexes


@pytest.mark.parametrize(
    "change",
    ["PRAGMA user_version = 99", "UPDATE alembic_version SET version_num = '0999'"],
    ids=["number", "revision"],
)
def test_a_newer_database_is_refused_and_stays_as_it_is(tmp_path: Path, change: str) -> None:
    path = filled(tmp_path / "db.sqlite")
    raw = sqlite3.connect(path)
    raw.execute(change)
    raw.commit()
    raw.close()
    before = path.read_bytes()
    with pytest.raises(NewerDatabase, match="newer than this program"):
        EventStore(path)
    assert path.read_bytes() == before
    assert not list(tmp_path.glob("*.bak"))


def test_a_database_of_another_program_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    raw = sqlite3.connect(path)
    raw.execute("CREATE TABLE customers (name TEXT)")
    raw.commit()
    raw.close()
    before = path.read_bytes()
    with pytest.raises(DamagedDatabase, match="another program"):
        EventStore(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"Dear diary, " * 1000)
    with pytest.raises(DamagedDatabase, match=r"notes\.txt"):
        EventStore(path)
    assert path.read_bytes() == b"Dear diary, " * 1000


def test_a_damaged_page_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    path = filled(tmp_path / "db.sqlite")
    with path.open("r+b") as file:
        for page in range(2, path.stat().st_size // 8192):
            file.seek(page * 8192)
            file.write(b"\xaa" * 8192)
    before = path.read_bytes()
    with pytest.raises(DamagedDatabase, match=r"db\.sqlite"), EventStore(path) as store:
        list(store.read("S"))
    assert path.read_bytes() == before


def test_a_journal_without_shared_memory_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REHYDRATE_JOURNAL_MODE", "DELETE")
    path = tmp_path / "db.sqlite"
    with EventStore(path) as store:
        store.create_session("S", source="live")
        assert sorted(file.name for file in tmp_path.iterdir()) == ["db.sqlite", "db.sqlite.lock"]
        with store.reading() as connection:
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "delete"


def test_commits_are_durable_by_default(tmp_path: Path) -> None:
    with EventStore(tmp_path / "db.sqlite") as store, store.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar_one() == 2
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"


@pytest.mark.parametrize("url", ["nosuch://here/db", "postgresql+nosuch://x/y"])
def test_a_url_that_cannot_be_used_is_said(url: str) -> None:
    with pytest.raises(UsageError):
        EventStore(url)


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises((RehydrateError, NotADirectoryError)):
        EventStore(tmp_path / "file" / "db.sqlite")


@pytest.mark.parametrize(("free", "said"), [(0, DiskFull), (1 << 30, DamagedDatabase)])
def test_a_reader_on_a_full_disk_is_not_told_that_the_database_is_damaged(
    free: int, said: type[RehydrateError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=free)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(said), database.translated(str(tmp_path / "db.sqlite")):
        raise sqlite3.OperationalError("disk I/O error")
