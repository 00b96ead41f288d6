"""A workspace and a database for sessions that run."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _no_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reaches a real service or takes the machine's own settings."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "REHYDRATE_MODEL", "REHYDRATE_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "notes.txt").write_text("first line\nsecond line\n")
    return folder


@pytest.fixture
def database(tmp_path: Path) -> str:
    return str(tmp_path / "sessions.sqlite")
