"""What an import of a Codex rollout knows: plans, files, calls, rights, places, agents, usage."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.importers.run import import_file
from rehydrate.events.store import EventStore

from ..support.rollouts import (
    OTHER,
    THREAD,
    call,
    context,
    event,
    item,
    line,
    meta,
    output,
    reply,
    rollout,
    started,
    tokens,
    turn,
    user,
)


@pytest.fixture
def store() -> Iterator[EventStore]:
    with EventStore(":memory:") as opened:
        yield opened


def facts(store: EventStore, folder: Path, kind: str, *lines: Any) -> list[dict[str, Any]]:
    """The facts of one kind that a rollout of these lines gives."""
    import_file(store, rollout(folder / "sessions", meta(), *lines))
    return [one.data for one in store.hydrate(store.read(THREAD, kinds=[kind]))]


PLAN = {"plan": [{"step": "read", "status": "completed"}, {"step": "write", "status": "in_progress"}]}
PATCH = """*** Begin Patch
*** Add File: src/new.py
+A = 1
+B = 2
*** Update File: old.txt
*** Move to: moved.txt
@@
-x
+y
*** Delete File: gone.txt
*** End Patch
"""


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def patch(call_id: str, text: str = PATCH) -> dict[str, Any]:
    return item(type="custom_tool_call", call_id=call_id, name="apply_patch", input=text)


def patched(call_id: str, text: str = "Exit code: 0\nOutput:\nSuccess") -> dict[str, Any]:
    return item(type="custom_tool_call_output", call_id=call_id, output=text)


def test_a_plan_counts_when_its_call_was_taken(store: EventStore, tmp_path: Path) -> None:
    lines = [call("a", "update_plan", **PLAN), output("a", "Plan updated"), call("b", "update_plan", plan=[])]
    (todos,) = facts(store, tmp_path, "TodoSnapshot", *lines, output("b", "unsupported call: update_plan"))
    assert [(todo["id"], todo["content"], todo["status"]) for todo in todos["items"]] == [
        ("1", "read", "completed"),
        ("2", "write", "in_progress"),
    ]


def test_a_patch_names_its_files_in_the_working_directory(store: EventStore, tmp_path: Path) -> None:
    changes = facts(store, tmp_path, "FileChanged", context(), patch("p"), patched("p"))
    assert [(one["path"], one["operation"], one.get("moved_to")) for one in changes] == [
        ("/srv/p/src/new.py", "create", None),
        ("/srv/p/old.txt", "move", "/srv/p/moved.txt"),
        ("/srv/p/gone.txt", "delete", None),
    ]
    assert changes[0]["digest_after"] == digest("A = 1\nB = 2\n")


def test_a_failed_patch_changes_nothing(store: EventStore, tmp_path: Path) -> None:
    assert (
        facts(store, tmp_path, "FileChanged", patch("p"), patched("p", "apply_patch verification failed: no such line"))
        == []
    )


def test_a_patch_without_result_changes_nothing(store: EventStore, tmp_path: Path) -> None:
    assert facts(store, tmp_path, "FileChanged", patch("p")) == []


def test_the_result_event_and_the_output_of_a_patch_count_once(store: EventStore, tmp_path: Path) -> None:
    told = event(
        "patch_apply_end",
        call_id="p",
        success=True,
        stdout="",
        stderr="",
        changes={"/srv/p/a": {"type": "add", "content": "x"}},
    )
    (change,) = facts(store, tmp_path, "FileChanged", patch("p"), told, patched("p"))
    assert (change["path"], change["digest_after"], change["content_after"]) == ("/srv/p/a", digest("x"), "x")


def test_an_update_of_a_file_written_before_has_its_digest(store: EventStore, tmp_path: Path) -> None:
    again = "*** Begin Patch\n*** Update File: src/new.py\n@@\n A = 1\n-B = 2\n+B = 3\n*** End Patch\n"
    changes = facts(
        store, tmp_path, "FileChanged", context(), patch("p"), patched("p"), patch("q", again), patched("q")
    )
    assert changes[-1]["digest_before"] == digest("A = 1\nB = 2\n")
    assert changes[-1]["digest_after"] == digest("A = 1\nB = 3\n")


def test_a_patch_in_a_shell_command_is_found(store: EventStore, tmp_path: Path) -> None:
    command = ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}EOF\n"]
    answer = json.dumps({"output": "Success", "metadata": {"exit_code": 0, "duration_seconds": 0.1}})
    changes = facts(store, tmp_path, "FileChanged", call("s", "shell", command=command), output("s", answer))
    assert len(changes) == 3


EXITS = {
    "envelope": json.dumps({"output": "", "metadata": {"exit_code": 3, "duration_seconds": 0}}),
    "header": "Exit code: 3\nWall time: 0 seconds\nOutput:\n",
    "unified": "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\n",
}


@pytest.mark.parametrize("text", EXITS.values(), ids=EXITS.keys())
def test_exit_codes_are_read_in_all_their_forms(store: EventStore, tmp_path: Path, text: str) -> None:
    (result,) = facts(store, tmp_path, "ToolResult", call("c"), output("c", text))
    assert result["is_error"] is True
    assert result["structured"] == {"exit_code": 3}


def test_words_about_exit_codes_in_an_output_mean_nothing(store: EventStore, tmp_path: Path) -> None:
    (result,) = facts(store, tmp_path, "ToolResult", call("c"), output("c", "Exit code: 0\nOutput:\nExit code: 1\n"))
    assert result.get("is_error", False) is False


def test_a_command_that_goes_on_running_is_a_background_task(store: EventStore, tmp_path: Path) -> None:
    lines = [
        call("c", "exec_command", cmd="npm run dev"),
        output("c", "Wall time: 1 seconds\nProcess running with session ID 7\nOutput:\n"),
    ]
    (task,) = facts(store, tmp_path, "BackgroundTask", *lines)
    assert (task["task_id"], task["command"], task["status"]) == ("7", "npm run dev", "running")


def test_a_failed_call_of_a_server_is_an_error(store: EventStore, tmp_path: Path) -> None:
    ended = event(
        "mcp_tool_call_end",
        call_id="m",
        invocation={"server": "s", "tool": "t"},
        result={"Ok": {"content": [], "isError": True}},
    )
    (result,) = facts(store, tmp_path, "ToolResult", call("m", "mcp__s__t"), ended, output("m", "no"))
    assert result["is_error"] is True


def test_a_web_search_waits_for_no_result(store: EventStore, tmp_path: Path) -> None:
    search = item(type="web_search_call", id="ws_1", status="completed", action={"type": "search", "query": "q"})
    (use,) = facts(store, tmp_path, "ToolUse", search)
    assert (use["name"], use["expects_result"]) == ("web_search", False)


def test_rights_of_old_files_come_from_the_environment_message(store: EventStore, tmp_path: Path) -> None:
    text = "<environment_context>\n  <cwd>/srv/q</cwd>\n  <approval_policy>on-request</approval_policy>\n  <sandbox_mode>read-only</sandbox_mode>\n</environment_context>"
    found = facts(store, tmp_path, "AgentMetadata", user(text))
    assert found[-1]["sandbox"] == "read-only"
    assert found[-1]["permission_mode"] == "on-request"


def test_git_facts_of_the_metadata_are_kept(store: EventStore, tmp_path: Path) -> None:
    git = {"commit_hash": "c1", "branch": "main", "repository_url": "https://example.org/r.git"}
    import_file(store, rollout(tmp_path, meta(git=git)))
    (seen,) = [one.data for one in store.read(THREAD, kinds=["WorkspaceObserved"])]
    assert (seen["head"], seen["branch"], seen["remote"]) == ("c1", "main", "https://example.org/r.git")


def test_base_instructions_are_known_by_digest(store: EventStore, tmp_path: Path) -> None:
    import_file(store, rollout(tmp_path, meta(base_instructions={"text": "Be kind."})))
    (agent,) = [one.data for one in store.read(THREAD, kinds=["AgentMetadata"])]
    assert agent["instructions_digest"] == digest("Be kind.")


def test_a_spawned_thread_is_a_subagent_with_its_own_session(store: EventStore, tmp_path: Path) -> None:
    source = {
        "subagent": {
            "thread_spawn": {
                "parent_thread_id": THREAD,
                "depth": 1,
                "agent_nickname": "Noether",
                "agent_role": "worker",
            }
        }
    }
    import_file(store, rollout(tmp_path, meta(OTHER, source=source), *turn(1), thread=OTHER))
    row = store.session(OTHER)
    assert (row.role, row.parent_session) == ("subagent", THREAD)


def test_a_spawn_is_known_from_its_call_and_result(store: EventStore, tmp_path: Path) -> None:
    lines = [
        call("s", "spawn_agent", message="look", agent_type="worker"),
        output("s", json.dumps({"agent_id": OTHER, "nickname": "Noether"})),
    ]
    waited = [
        call("w", "wait_agent", targets=[OTHER]),
        output("w", json.dumps({"status": {OTHER: {"completed": "done"}}})),
    ]
    spawned, ended = facts(store, tmp_path, "Subagent", *lines, *waited)
    assert (spawned["agent_id"], spawned["name"], spawned["type"], spawned["prompt"]) == (
        OTHER,
        "Noether",
        "worker",
        "look",
    )
    assert ended["status"] == "completed"


def test_an_archived_file_is_marked(store: EventStore, tmp_path: Path) -> None:
    import_file(store, rollout(tmp_path / "archived_sessions", meta(), *turn(1)))
    labels = [one.data for one in store.read(THREAD, kinds=["SessionLabel"])]
    assert {"archived": True, "set_by": "person"} in labels


def test_the_name_in_the_index_beside_the_sessions_is_the_title(store: EventStore, tmp_path: Path) -> None:
    path = rollout(tmp_path / "sessions" / "2026", meta(), *turn(1))
    names = [
        {"id": THREAD, "thread_name": name, "updated_at": f"2026-01-01T00:00:0{n}Z"}
        for n, name in enumerate(("first", "second"))
    ]
    (tmp_path / "session_index.jsonl").write_text("".join(json.dumps(one) + "\n" for one in names))
    import_file(store, path)
    assert [one.data["title"] for one in store.read(THREAD, kinds=["SessionLabel"])] == ["first", "second"]


def test_a_compaction_marks_its_new_history(store: EventStore, tmp_path: Path) -> None:
    history = [user("kept")["payload"], {"type": "ghost_snapshot"}, {"type": "compaction", "encrypted_content": "zzz"}]
    (compact,) = facts(
        store, tmp_path, "ContextCompact", line("compacted", {"message": "", "replacement_history": history})
    )
    assert [fact["kind"] for fact in compact["replacement"]] == ["UserInput", "AssistantMessage"]


def test_cached_input_is_told_apart(store: EventStore, tmp_path: Path) -> None:
    usage = {
        "input_tokens": 1000,
        "cached_input_tokens": 600,
        "output_tokens": 50,
        "reasoning_output_tokens": 20,
        "total_tokens": 1050,
    }
    counted = event("token_count", info={"total_token_usage": usage, "last_token_usage": usage})
    (cost,) = facts(store, tmp_path, "Cost", context(), started(), counted)
    figures = {name: cost[name] for name in ("input_tokens", "cache_read_tokens", "output_tokens", "reasoning_tokens")}
    assert figures == {"input_tokens": 400, "cache_read_tokens": 600, "output_tokens": 50, "reasoning_tokens": 20}
    assert cost["model"] == "gpt-5-codex"


def test_a_count_of_the_whole_window_without_parts_is_no_response(store: EventStore, tmp_path: Path) -> None:
    full = tokens(0, 0)
    full["payload"]["info"]["total_token_usage"]["total_tokens"] = 258_000
    costs = facts(store, tmp_path, "Cost", reply("ok"), tokens(900, 900), full)
    assert [cost.get("replay", False) for cost in costs] == [False, True]


def test_a_usage_record_and_the_count_behind_it_are_one_response(store: EventStore, tmp_path: Path) -> None:
    usage = tokens(900, 900)["payload"]["info"]["last_token_usage"]
    record = line("token_usage_record", {"response_id": "resp_1", "usage": usage, "thread_token_usage": usage})
    costs = facts(store, tmp_path, "Cost", reply("ok"), record, tokens(900, 900))
    assert [cost.get("replay", False) for cost in costs] == [False, True]
    assert costs[0]["response_id"] == "resp_1"


def test_a_total_without_parts_counts_as_input(store: EventStore, tmp_path: Path) -> None:
    counted = event(
        "token_count", info={"total_token_usage": {"total_tokens": 900}, "last_token_usage": {"total_tokens": 900}}
    )
    (cost,) = facts(store, tmp_path, "Cost", reply("ok"), counted)
    assert (cost["input_tokens"], cost["output_tokens"]) == (900, 0)
