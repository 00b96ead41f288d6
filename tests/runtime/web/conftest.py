"""A served workspace for the tests of the HTTP interface and the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ...support.served import served
from ...support.strict_server import StrictServer, strict_server


@pytest.fixture(autouse=True)
def _no_service(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "REHYDRATE_MODEL", "REHYDRATE_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "notes.txt").write_text("first line\n")
    return folder


@pytest.fixture
def database(tmp_path: Path) -> str:
    return str(tmp_path / "sessions.sqlite")


@pytest.fixture
def model() -> Iterator[StrictServer]:
    with strict_server() as server:
        yield server
        assert server.refused == []


@pytest.fixture
def url(database: str, workspace: Path, model: StrictServer) -> Iterator[str]:
    with served(database, workspace, base_url=model.base_url) as url:
        yield url
