"""The files that a session read or wrote are compared by content, and no other file is opened."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from rehydrate.runtime.workspace.check import check_workspace
from rehydrate.runtime.workspace.drift import Drift, TouchedFile, measure_drift, placing, touched_files
from rehydrate.runtime.workspace.paths import PathMap

from tests.support.git_world import World, commit

from .situations import recorded

opened: list[str] = []
watching: list[bool] = []


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if watching and event == "open" and isinstance(arguments[0], str):
        opened.append(arguments[0])


sys.addaudithook(_watch)


def digest(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def drift_of(folder: Path, *files: TouchedFile) -> Drift:
    return measure_drift(files, placing(str(folder), ()))


def test_each_state_is_told(tmp_path: Path) -> None:
    for name in ("same", "changed", "returned", "part"):
        (tmp_path / name).write_text(name, "utf-8")
    (tmp_path / "folder").mkdir()
    drift = drift_of(
        tmp_path,
        TouchedFile(path=str(tmp_path / "same"), digest=digest("same")),
        TouchedFile(path=str(tmp_path / "changed"), digest=digest("what it was")),
        TouchedFile(path=str(tmp_path / "missing"), digest=digest("x")),
        TouchedFile(path=str(tmp_path / "deleted"), deleted=True),
        TouchedFile(path=str(tmp_path / "returned"), deleted=True),
        TouchedFile(path=str(tmp_path / "part")),
        TouchedFile(path=str(tmp_path / "folder"), digest=digest("a file once")),
        TouchedFile(path="C:\\work\\demo\\a.py", digest=digest("x")),
    )
    assert drift == Drift(
        unchanged=2,
        unknown=1,
        elsewhere=1,
        changed=(str(tmp_path / "changed"), str(tmp_path / "folder")),
        gone=(str(tmp_path / "missing"),),
        returned=(str(tmp_path / "returned"),),
    )


@pytest.mark.parametrize(
    ("on_disk", "shown"),
    [(b"a\r\nb\r\n", "a\nb\n"), (b"\xef\xbb\xbfa\n", "a\n"), (b"a\n", "a"), (b"\xef\xbb\xbfa\r\n", "a")],
)
def test_text_as_a_tool_showed_it_is_the_same_file(tmp_path: Path, on_disk: bytes, shown: str) -> None:
    """Tools show text without its mark and with bare line ends; that is no change."""
    (tmp_path / "a.txt").write_bytes(on_disk)
    assert drift_of(tmp_path, TouchedFile(path="a.txt", digest=digest(shown))).unchanged == 1


def test_a_file_of_another_size_is_not_even_opened(tmp_path: Path) -> None:
    (tmp_path / "big.bin").write_bytes(b"x" * 10_000)
    found = _opened_by(lambda: drift_of(tmp_path, TouchedFile(path="big.bin", digest=digest("y"), size_bytes=1)))
    assert found == []


def test_what_is_no_file_is_never_opened(tmp_path: Path) -> None:
    """A named pipe in place of a file must not hang the check."""
    os.mkfifo(tmp_path / "pipe")
    drift = drift_of(tmp_path, TouchedFile(path="pipe", digest=digest("x")))
    assert drift.changed == ("pipe",)


def test_a_relative_path_counts_from_the_session_directory_never_from_the_callers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "a.txt").write_text("a", "utf-8")
    monkeypatch.chdir(tmp_path / "here")
    assert drift_of(tmp_path, TouchedFile(path="a.txt", digest=digest("a"))).gone == ("a.txt",)


def test_mapped_files_are_compared_at_their_new_place(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("a", "utf-8")
    files = [TouchedFile(path="C:\\work\\demo\\src\\a.py", digest=digest("a"))]
    place = placing(str(tmp_path), (), (PathMap.parse(f"C:\\work\\demo={tmp_path}"),))
    assert measure_drift(files, place).unchanged == 1


def test_files_of_a_moved_project_are_compared_where_they_are_now(world: World) -> None:
    expected = recorded(world)
    file = TouchedFile(path=str(world.repo / "notes.txt"), digest=digest("first\n"))
    new = world.folder / "renamed"
    world.repo.rename(new)
    report = check_workspace(expected, new, [file])
    assert report.drift == Drift(unchanged=1)
    assert {finding.code for finding in report.findings} == {"moved"}


def test_the_state_of_the_fold_gives_what_was_seen_last() -> None:
    state = {
        "paths": {
            "written.py": {"ops": [[5, "update", "c"]], "written": "w", "read": "w", "read_at": 3, "backups": []},
            "read-again.py": {"ops": [[5, "update", "c"]], "written": "w", "read": "r", "read_at": 9, "backups": []},
            "patched.py": {"ops": [[5, "update", "c"]], "written": None, "read": "old", "read_at": 3, "backups": []},
            "part.py": {"ops": [], "written": None, "read": "p", "read_at": 3, "partial": True, "backups": []},
            "gone.py": {"ops": [[5, "delete", "c"]], "written": None, "read": "old", "deleted": True, "backups": []},
            "only-backed-up.py": {"ops": [], "written": None, "read": None, "backups": [{}]},
        }
    }
    assert {file.path: (file.digest, file.deleted) for file in touched_files(state)} == {
        "written.py": ("w", False),
        "read-again.py": ("r", False),
        "patched.py": (None, False),
        "part.py": (None, False),
        "gone.py": (None, True),
    }


def _opened_by(act: Any) -> list[str]:
    opened.clear()
    watching.append(True)
    try:
        act()
    finally:
        watching.clear()
    return list(opened)


def test_only_touched_files_are_opened(world: World) -> None:
    """Of a repository with many files exactly those are opened that the session touched, each once."""
    for number in range(400):
        folder = world.repo / f"part{number % 20}"
        folder.mkdir(exist_ok=True)
        (folder / f"file{number}.txt").write_text(f"file {number}\n", "utf-8")
    commit(world.repo, "many files")
    touched = [world.repo / f"part{number % 20}" / f"file{number}.txt" for number in range(0, 400, 10)]
    files = [TouchedFile(path=str(path), digest=digest(path.read_text("utf-8"))) for path in touched]
    touched[0].write_text("changed since\n", "utf-8")
    reports: list[Any] = []

    found = _opened_by(lambda: reports.append(check_workspace(recorded(world), None, files)))

    inside = sorted(path for path in found if path.startswith(str(world.repo)) and "/.git" not in path)
    assert inside == sorted(map(str, touched))
    (report,) = reports
    assert report.drift.unchanged == 39
    assert report.drift.changed == (str(touched[0]),)


def test_drift_is_a_finding_with_the_files_named(world: World) -> None:
    file = TouchedFile(path=str(world.repo / "notes.txt"), digest=digest("as the session saw it"))
    report = check_workspace(recorded(world), None, [file])
    (finding,) = [finding for finding in report.findings if finding.code == "drift"]
    assert finding.severity == "warning"
    assert finding.facts["changed"] == [file.path]
    assert report.recorded_drift() == finding.facts


def test_a_file_that_is_dirty_by_the_sessions_own_hand_is_no_surprise(world: World) -> None:
    expected = recorded(world)
    (world.repo / "notes.txt").write_text("written by the session\n", "utf-8")
    own = TouchedFile(path=str(world.repo / "notes.txt"), digest=digest("written by the session\n"))
    (finding,) = check_workspace(expected, None, [own]).findings
    assert (finding.code, finding.severity) == ("dirty", "info")
    (world.repo / "notes.txt").write_text("and by somebody else\n", "utf-8")
    assert {finding.severity for finding in check_workspace(expected, None, [own]).findings} == {"warning"}
