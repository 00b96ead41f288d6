"""A fresh database for each test, empty or with the bundled example sessions."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .command import EXAMPLES, Rehydrate


@pytest.fixture
def rehydrate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rehydrate:
    """The command on an empty database, with no transcripts in the places where tools keep theirs."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "no-claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "no-codex"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return Rehydrate(tmp_path / "store.sqlite")


@pytest.fixture(scope="session")
def imported_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the example sessions, to be copied."""
    db = tmp_path_factory.mktemp("examples") / "store.sqlite"
    assert Rehydrate(db)("import", EXAMPLES).code == 0
    return db


@pytest.fixture
def examples(rehydrate: Rehydrate, imported_once: Path) -> Rehydrate:
    """The command on a database of its own with the example sessions."""
    for part in ("", "-wal", "-shm"):
        source = imported_once.with_name(imported_once.name + part)
        if source.exists():
            shutil.copy(source, rehydrate.db.with_name(rehydrate.db.name + part))
    return rehydrate
