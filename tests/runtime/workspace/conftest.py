"""One template repository for the whole folder, copied by each test; git knows no configuration of the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.git_world import ENVIRONMENT, World, template


@pytest.fixture(scope="session")
def demo_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return template(tmp_path_factory.mktemp("template"))


@pytest.fixture
def world(demo_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A fresh `demo` repository; the process knows the tests' git identity, a home of its own and no GIT_DIR."""
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    folder = tmp_path / "projects"
    folder.mkdir()
    return World.copied(demo_template, folder)
