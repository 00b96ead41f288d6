"""The coding set stays in its workspace, whatever path it is given, and what it does becomes events."""

from __future__ import annotations

import hashlib
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.errors import Refused, UsageError
from rehydrate.events.kinds import FileChanged, FileRead, TodoSnapshot
from rehydrate.runtime.live.coding_tools import coding_tools
from rehydrate.runtime.live.confined import Confined, Outside
from rehydrate.runtime.live.tools import Outcome, ToolContext, as_tools, call_tool, tool
from rehydrate.runtime.resume import resume_session

from ...support.live_session import begun, events_of, gone_on_with
from ...support.scripted_replies import Call, Reply, say
from ...support.strict_server import strict_server

TOOLS = {each.name: each for each in coding_tools()}
KEPT: dict[str, bytes] = {}


def keep(content: bytes) -> str:
    digest = hashlib.sha256(content).hexdigest()
    KEPT[digest] = content
    return digest


def use(workspace: Path, name: str, **arguments: Any) -> Outcome:
    return call_tool(TOOLS[name], arguments, ToolContext(workspace, "call_1", keep, threading.Event()))


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    secret = tmp_path / "outside"
    secret.mkdir()
    (secret / "secret.txt").write_text("secret")
    return secret


@pytest.mark.parametrize(
    "path", ["../outside/secret.txt", "link/secret.txt", "file-link", "deep/../../outside/secret.txt"]
)
def test_no_path_leads_out_of_the_workspace(workspace: Path, outside: Path, path: str) -> None:
    (workspace / "link").symlink_to(outside)
    (workspace / "file-link").symlink_to(outside / "secret.txt")
    (workspace / "deep").mkdir()
    for outcome in (
        use(workspace, "read_file", path=path),
        use(workspace, "write_file", path=path, content="changed"),
        use(workspace, "edit_file", path=path, old="secret", new="changed"),
    ):
        assert outcome.is_error
        assert "outside the workspace" in outcome.content
    assert (outside / "secret.txt").read_text() == "secret"


def test_an_absolute_path_outside_is_refused_and_one_inside_is_taken(workspace: Path, outside: Path) -> None:
    assert use(workspace, "read_file", path=str(outside / "secret.txt")).is_error
    assert "first line" in use(workspace, "read_file", path=str(workspace / "notes.txt")).content


def test_a_link_within_the_workspace_is_followed_within_it(workspace: Path) -> None:
    (workspace / "alias").symlink_to("notes.txt")
    assert not use(workspace, "write_file", path="alias", content="new\n").is_error
    assert (workspace / "notes.txt").read_text() == "new\n"
    assert (workspace / "alias").is_symlink()


def test_a_link_put_in_after_the_check_is_not_followed(
    workspace: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "folder").mkdir()
    (workspace / "folder" / "secret.txt").write_text("harmless")
    files = Confined(workspace)
    checked = files.relative("folder/secret.txt")
    shutil.rmtree(workspace / "folder")
    (workspace / "folder").symlink_to(outside)
    monkeypatch.setattr(files, "relative", lambda _: checked)
    with pytest.raises(OSError):
        files.read("folder/secret.txt")


def test_searching_and_listing_do_not_enter_links(workspace: Path, outside: Path) -> None:
    (workspace / "link").symlink_to(outside)
    assert use(workspace, "search_files", pattern="secret").content == "(no matches)"
    assert use(workspace, "list_files").content == "notes.txt"
    with pytest.raises(Outside):
        list(Confined(workspace).walk("link"))


def test_a_changed_file_is_told_with_its_digests_and_a_backup_of_what_was_before(workspace: Path) -> None:
    before = (workspace / "notes.txt").read_bytes()
    (fact,) = use(workspace, "edit_file", path="notes.txt", old="second", new="2nd").facts
    assert isinstance(fact, FileChanged)
    after = (workspace / "notes.txt").read_bytes()
    assert fact.digest_before == hashlib.sha256(before).hexdigest()
    assert fact.digest_after == hashlib.sha256(after).hexdigest()
    assert fact.backup is not None
    assert KEPT[fact.backup] == before
    assert (fact.lines_added, fact.lines_removed, fact.operation) == (1, 1, "update")
    assert "+2nd line" in fact.patch


def test_a_new_file_gets_its_folders_and_has_no_backup(workspace: Path) -> None:
    (fact,) = use(workspace, "write_file", path="a/b/c.txt", content="hello\n").facts
    assert isinstance(fact, FileChanged)
    assert (fact.operation, fact.backup, fact.digest_before) == ("create", None, None)
    assert (workspace / "a/b/c.txt").read_text() == "hello\n"


def test_a_file_keeps_its_mode_and_nothing_is_left_beside_it(workspace: Path) -> None:
    (workspace / "notes.txt").chmod(0o750)
    use(workspace, "write_file", path="notes.txt", content="x")
    assert (workspace / "notes.txt").stat().st_mode & 0o777 == 0o750
    assert [file.name for file in workspace.iterdir()] == ["notes.txt"]


def test_an_edit_needs_a_text_that_occurs_exactly_once(workspace: Path) -> None:
    assert "occurs 2 times" in use(workspace, "edit_file", path="notes.txt", old="line", new="x").content
    assert "does not occur" in use(workspace, "edit_file", path="notes.txt", old="absent", new="x").content
    assert not use(workspace, "edit_file", path="notes.txt", old="line", new="row", replace_all=True).is_error
    assert (workspace / "notes.txt").read_text() == "first row\nsecond row\n"


def test_an_edit_leaves_bytes_that_are_no_text_as_they_are(workspace: Path) -> None:
    (workspace / "mixed").write_bytes(b"old \xff\xfe end\r\n")
    use(workspace, "edit_file", path="mixed", old="old", new="new")
    assert (workspace / "mixed").read_bytes() == b"new \xff\xfe end\r\n"


def test_reading_a_part_is_told_as_a_part(workspace: Path) -> None:
    outcome = use(workspace, "read_file", path="notes.txt", offset=2, limit=1)
    assert outcome.content.startswith("2\tsecond line")
    facts = [*outcome.facts, *use(workspace, "read_file", path="notes.txt").facts]
    assert [fact.partial for fact in facts if isinstance(fact, FileRead)] == [True, False]


def test_a_command_is_cut_at_its_time_limit_with_all_it_started(workspace: Path) -> None:
    outcome = use(workspace, "run_command", command="(sleep 2; touch late) & echo begun; sleep 20", timeout_s=0.5)
    assert outcome.is_error
    assert "begun" in outcome.content
    assert "time limit of 0.5 s" in outcome.content
    threading.Event().wait(2)
    assert not (workspace / "late").exists()


def test_a_very_long_output_keeps_its_beginning_and_its_end(workspace: Path) -> None:
    outcome = use(workspace, "run_command", command="echo start; yes x | head -200000; echo end")
    assert len(outcome.content) < 40_000
    assert outcome.content.startswith("start")
    assert "bytes left out" in outcome.content
    assert "end\n(exit code 0)" in outcome.content


def test_a_command_does_not_see_the_keys_of_the_service(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    assert "sk-secret" not in use(workspace, "run_command", command="env").content


def test_todos_become_the_whole_list(workspace: Path) -> None:
    todos = [{"content": "a", "status": "completed"}, {"content": "b", "id": "B", "status": "in_progress"}]
    (fact,) = use(workspace, "update_todos", todos=todos).facts
    assert isinstance(fact, TodoSnapshot)
    assert [(item.id, item.content, item.status) for item in fact.items or ()] == [
        ("1", "a", "completed"),
        ("B", "b", "in_progress"),
    ]


def test_wrong_arguments_are_explained_to_the_model(workspace: Path) -> None:
    outcome = use(workspace, "read_file", path="notes.txt", offset=0, nonsense=1)
    assert outcome.is_error
    assert "offset" in outcome.content
    assert "nonsense" in outcome.content


def test_a_tool_that_raises_gives_an_error_result(workspace: Path) -> None:
    def broken() -> str:
        """Break."""
        raise ZeroDivisionError("oh")

    outcome = call_tool(tool(broken), {}, ToolContext(workspace, "c", keep, threading.Event()))
    assert (outcome.is_error, outcome.content) == (True, "Error: ZeroDivisionError: oh")


def test_the_schema_of_a_function_comes_from_its_types_and_says_what_is_needed() -> None:
    def find(words: list[str], limit: int = 10) -> str:
        """Find words."""
        return " ".join(words[:limit])

    made = tool(find).schema
    assert (made.name, made.description) == ("find", "Find words.")
    assert made.parameters["required"] == ["words"]
    assert made.parameters["properties"]["words"] == {"items": {"type": "string"}, "type": "array"}
    schema = TOOLS["edit_file"].schema.parameters
    assert schema["required"] == ["path", "old", "new"]
    assert "context" not in schema["properties"]
    assert schema["properties"]["replace_all"] == {"default": False, "type": "boolean"}


def test_a_tool_is_made_by_a_decorator_with_or_without_options() -> None:
    @tool
    def plain(text: str) -> str:
        """Plain."""
        return text

    @tool(approval=True, name="careful")
    def other() -> str:
        """Careful."""
        return ""

    assert (plain.name, plain.approval) == ("plain", False)
    assert (other.name, other.approval) == ("careful", True)


def test_two_tools_may_not_share_a_name() -> None:
    with pytest.raises(UsageError, match="named 'read_file'"):
        as_tools([TOOLS["read_file"], TOOLS["read_file"]])


def test_when_the_directory_goes_away_in_mid_turn_each_call_gets_an_error_and_the_session_stays_whole(
    workspace: Path, database: str
) -> None:
    reply = Reply(
        calls=(
            Call("run_command", {"command": f"rm -rf {workspace}"}),
            Call("run_command", {"command": "ls"}),
            Call("read_file", {"path": "notes.txt"}),
            Call("write_file", {"path": "new.txt", "content": "x"}),
            Call("list_files", {}),
        )
    )
    with strict_server(reply, say("It is gone.")) as server:
        with begun(workspace, database, server, permission_mode="bypassPermissions") as session:
            assert session.run("clean up").output == "It is gone."
        assert server.refused == []
        results = events_of(database, session.id, "ToolResult")
        assert [result.data.get("is_error", False) for result in results] == [False, True, True, True, True]
        assert not workspace.exists()
        runtime = resume_session(session.id, store=database)
        assert "directory-missing" in {finding.code for finding in runtime.report.findings}
        assert runtime.app_state.pending_calls == ()
        with pytest.raises(Refused):
            gone_on_with(session.id, database, server)
        assert not workspace.exists()
