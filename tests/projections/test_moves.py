"""Where files lie after a session was bound to another directory."""

from __future__ import annotations

from typing import Any

import pytest
from rehydrate.events.event import Draft, Event
from rehydrate.events.kinds import Fact, FileRead, SessionStarted, WorkspaceObserved
from rehydrate.projections.fold import Folding
from rehydrate.projections.moves import present_files


def states(*facts: Fact, dead: frozenset[int] = frozenset()) -> dict[str, dict[str, Any]]:
    folding = Folding()
    for number, draft in enumerate(map(Draft.of, facts), 1):
        folding.take(Event("s1", number, draft.kind, draft.data, "0" * 32), live=number not in dead)
    return folding.states


def files(*facts: Fact) -> list[str]:
    made = states(*facts)
    return list(present_files(made["files"]["paths"], made["workspace"]["moves"]))


def started(cwd: str) -> SessionStarted:
    return SessionStarted(source="claude-code", cwd=cwd)


def bound(cwd: str, **fields: Any) -> WorkspaceObserved:
    return WorkspaceObserved(cwd=cwd, rebound=True, observed_by="rehydrate", **fields)


def read(path: str) -> FileRead:
    return FileRead(path=path)


def test_files_follow_the_directory_and_others_stay() -> None:
    told = (started("/a/demo"), read("/a/demo/x.py"), read("/etc/hosts"), read("/a/demonstration/y"))
    assert files(*told, bound("/b/demo")) == ["/b/demo/x.py", "/etc/hosts", "/a/demonstration/y"]


def test_bound_twice_and_back() -> None:
    told = (started("/a"), read("/a/x"), bound("/b"), read("/b/y"))
    assert files(*told, bound("/c")) == ["/c/x", "/c/y"]
    assert files(*told, bound("/a")) == ["/a/x", "/a/y"]


def test_a_file_touched_after_the_binding_lies_where_it_was_touched() -> None:
    assert files(started("/a"), bound("/b"), read("/a/x")) == ["/a/x"]


def test_one_file_known_by_both_paths_is_one() -> None:
    assert files(started("/a"), read("/a/x"), bound("/b"), read("/b/x")) == ["/b/x"]


def test_a_session_in_a_part_of_its_project_maps_the_project() -> None:
    commits: dict[str, Any] = {"root_commits": ("c1",)}
    told = (
        started("/a/demo/src"),
        WorkspaceObserved(cwd="/a/demo/src", toplevel="/a/demo", **commits),
        read("/a/demo/README"),
    )
    assert files(*told, bound("/b/demo", toplevel="/b/demo", **commits)) == ["/b/demo/README"]
    assert files(*told, bound("/b/demo/src", toplevel="/b/demo", **commits)) == ["/b/demo/README"]
    assert files(*told, bound("/a/demo", toplevel="/a/demo", **commits)) == ["/a/demo/README"]


def test_a_part_of_a_plain_directory_moves_nothing() -> None:
    assert files(started("/a"), read("/a/x"), bound("/a/sub")) == ["/a/x"]


def test_a_windows_directory() -> None:
    told = (started("C:\\Users\\a\\demo"), read("c:\\users\\a\\demo\\src\\app.py"))
    assert files(*told, bound("/home/me/demo")) == ["/home/me/demo/src/app.py"]


def test_a_later_word_of_the_source_ends_the_binding() -> None:
    told = (started("/a"), read("/a/x"), bound("/b"), WorkspaceObserved(cwd="/a"))
    assert files(*told) == ["/a/x"]


@pytest.mark.parametrize("later", [None, "/c"])
def test_a_binding_off_the_live_path_holds_until_a_later_word(later: str | None) -> None:
    facts: list[Fact] = [started("/a"), WorkspaceObserved(cwd="/dead"), bound("/b", branch="main")]
    if later is not None:
        facts.append(WorkspaceObserved(cwd=later))
    place = states(*facts, dead=frozenset({2, 3}))["workspace"]
    assert place["cwd"] == (later or "/b")
    assert place["branch"] == "main"
    assert "/dead" not in place["cwds"]
