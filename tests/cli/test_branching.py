"""Forking, rewinding, showing, drawing, comparing and exporting from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ..clients.sessions import SESSION, claude_file
from .command import Rehydrate

ENTRY = {"pointer", "kind", "turn", "text", "call_id", "native_id", "timestamp", "model_visible"}


@pytest.fixture
def session(rehydrate: Rehydrate, tmp_path: Path) -> str:
    folder = tmp_path / "project"
    folder.mkdir()
    assert rehydrate("import", claude_file(folder)).code == 0
    return SESSION


def messages(rehydrate: Rehydrate, pointer: str) -> Any:
    return rehydrate.json("resume", pointer, "--messages", "anthropic", "--policy", "force")


def test_show_gives_every_message_once_with_its_result_text(rehydrate: Rehydrate, session: str) -> None:
    shown = rehydrate.json("show", session)
    assert shown["session_id"] == session
    assert all(entry.keys() >= ENTRY for entry in shown["entries"])
    results = [entry for entry in shown["entries"] if entry["kind"] == "ToolResult"]
    assert [(entry["call_id"], entry["text"]) for entry in results[:2]] == [
        ("toolu_1", "content of a"),
        ("toolu_2", "content of b"),
    ]
    assert [entry["turn"] for entry in shown["entries"] if entry["kind"] == "UserInput"] == [1, 2]


def test_show_lists_places_that_work_as_pointers(rehydrate: Rehydrate, session: str) -> None:
    for place in rehydrate.json("show", session)["places"]:
        assert rehydrate.json("fork", place["address"])["forked_from"] == place["pointer"]


def test_a_fork_prints_the_three_names_and_leaves_its_parent_alone(rehydrate: Rehydrate, session: str) -> None:
    before = messages(rehydrate, session)
    forked = rehydrate.json("fork", f"{session}@turn:1", "--title", "another way")
    assert forked["forked_from"].startswith(f"{session}@")
    assert forked["pointer"].startswith(f"{forked['session_id']}@")
    assert messages(rehydrate, forked["session_id"]) == messages(rehydrate, forked["forked_from"])
    assert messages(rehydrate, session) == before
    assert (
        rehydrate.json("resume", "another way", "--policy", "force")["session"]["forked_from"] == forked["forked_from"]
    )


def test_rewinding_a_rewind_goes_forward_again(rehydrate: Rehydrate, session: str) -> None:
    before = messages(rehydrate, session)
    done = rehydrate.json("rewind", f"{session}@turn:1")
    assert messages(rehydrate, session) == messages(rehydrate, done["rewound_to"]) != before
    rehydrate.json("rewind", done["former_end"])
    assert messages(rehydrate, session) == before


def test_the_tree_draws_forks_rewinds_and_where_they_hang(rehydrate: Rehydrate, session: str) -> None:
    forked = rehydrate.json("fork", f"{session}@5")
    rehydrate.json("fork", forked["session_id"])
    rehydrate.json("rewind", f"{session}@8")
    (root,) = rehydrate.json("tree", session)["roots"]
    kinds = [(node["kind"], node["at"]) for node in root["children"]]
    assert root["session_id"] == session
    assert ("session", 5) in kinds
    assert "rewind" in [kind for kind, _ in kinds]
    (child,) = [node for node in root["children"] if node["session_id"] == forked["session_id"]]
    assert len(child["children"]) == 1
    assert forked["session_id"] in rehydrate("tree", session).out


def test_diff_names_messages_and_todos_that_differ(rehydrate: Rehydrate, session: str) -> None:
    found = rehydrate.json("diff", f"{session}@4", session)
    assert not found["equal"]
    assert found["messages"]["common"] >= 1
    assert [change["name"] for change in found["todos"]] == ["1"]
    assert rehydrate.json("diff", session, session)["equal"]
    assert "todo 1 Write c: in B only (in_progress)" in rehydrate("diff", f"{session}@4", session).out


@pytest.mark.parametrize("form", ["claude-code", "codex", "jsonl", "bundle"])
def test_export_tells_where_it_wrote_and_what_it_lost(
    rehydrate: Rehydrate, session: str, tmp_path: Path, form: str
) -> None:
    told = rehydrate.json("export", session, "--to", form, "--out", tmp_path / "out")
    assert {"path", "session_id", "records", "findings"} <= told.keys()
    assert Path(told["path"]) == tmp_path / "out"
    assert (
        rehydrate.json("export", session, "--to", form, "--out", tmp_path / "out", code=4)["error"]["code"]
        == "conflict"
    )


def test_export_original_gives_the_imported_bytes(rehydrate: Rehydrate, session: str, tmp_path: Path) -> None:
    rehydrate.json("export", session, "--original", "--out", tmp_path / "original.jsonl")
    imported = next((tmp_path / "project").glob("*.jsonl"))
    assert (tmp_path / "original.jsonl").read_bytes() == imported.read_bytes()


def test_install_prints_the_exact_command(rehydrate: Rehydrate, session: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    told = rehydrate.json("export", session, "--to", "codex", "--install", "--project", tmp_path / "project")
    assert told["resume_command"] == f"cd {tmp_path / 'project'} && codex resume {told['session_id']}"
    first = json.loads(Path(told["path"]).read_text(encoding="utf-8").split("\n")[0])
    assert first["payload"]["id"] == told["session_id"]
    assert first["payload"]["cwd"] == str(tmp_path / "project")


def test_a_pointer_past_the_end_and_an_unknown_session_are_not_found(rehydrate: Rehydrate, session: str) -> None:
    assert rehydrate.json("fork", f"{session}@9999", code=3)["error"]["code"] == "event-not-found"
    assert rehydrate.json("fork", "nobody@1", code=3)["error"]["code"] == "session-not-found"
    assert rehydrate.json("fork", f"{session}@", code=2)["error"]["code"] == "invalid-pointer"
    assert len(rehydrate.json("sessions", "--all")["sessions"]) == 1
