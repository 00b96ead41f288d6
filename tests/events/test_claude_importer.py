"""Facts that Claude Code's records prove, and which session a file belongs to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.importers.run import import_file
from rehydrate.events.store import EventStore

from ..support.claude_lines import (
    CWD,
    MODEL,
    SESSION,
    Record,
    assistant,
    attachment,
    beside,
    call,
    conversation,
    envelope,
    result,
    text,
    usage,
    user,
    written,
)


@pytest.fixture
def store() -> Iterator[EventStore]:
    with EventStore(":memory:") as opened:
        yield opened


def sha(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


def facts(store: EventStore, folder: Path, *lines: Record, kind: str) -> list[dict[str, Any]]:
    """The data of the events of a kind, references resolved."""
    import_file(store, written(folder, lines))
    return [event.data for event in store.hydrate(store.read(SESSION, kinds=[kind]))]


def edited(twin: Record, name: str = "Edit", **arguments: Any) -> list[Record]:
    return [
        user("u1", None, "go"),
        assistant("a1", "u1", call("t1", name, file_path=f"{CWD}/x.py", **arguments)),
        result("r1", "a1", "t1", "ok", twin),
    ]


def test_an_edit_tells_the_digest_of_the_whole_file_after_it(store: EventStore, tmp_path: Path) -> None:
    twin = {
        "filePath": f"{CWD}/x.py",
        "oldString": "b",
        "newString": "c",
        "originalFile": "a\nb\n",
        "structuredPatch": [{"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": [" a", "-b", "+c"]}],
    }
    (changed,) = facts(store, tmp_path, *edited(twin, old_string="b", new_string="c"), kind="FileChanged")
    assert (changed["digest_before"], changed["digest_after"]) == (sha("a\nb\n"), sha("a\nc\n"))
    assert (changed["lines_added"], changed["lines_removed"]) == (1, 1)


def test_an_edit_without_the_original_claims_no_digest(store: EventStore, tmp_path: Path) -> None:
    twin = {"filePath": f"{CWD}/x.py", "oldString": "b", "newString": "c", "originalFile": None, "structuredPatch": []}
    (changed,) = facts(store, tmp_path, *edited(twin), kind="FileChanged")
    assert "digest_after" not in changed


def test_a_write_without_a_structured_result_is_known_by_its_call(store: EventStore, tmp_path: Path) -> None:
    lines = edited({}, "Write", content="hello\n")
    del lines[2]["toolUseResult"]
    (changed,) = facts(store, tmp_path, *lines, kind="FileChanged")
    assert (changed["operation"], changed["digest_after"], changed["size_after"]) == ("write", sha("hello\n"), 6)


def test_a_failed_edit_changes_nothing(store: EventStore, tmp_path: Path) -> None:
    lines = edited({}, old_string="b", new_string="c")
    lines[2] = result("r1", "a1", "t1", "String to replace not found in file.", "Error: not found", is_error=True)
    assert facts(store, tmp_path, *lines, kind="FileChanged") == []


@pytest.mark.parametrize(("shown", "partial"), [(2, False), (1, True)])
def test_only_a_whole_read_tells_a_digest(store: EventStore, tmp_path: Path, shown: int, partial: bool) -> None:
    file = {"filePath": f"{CWD}/x.py", "content": "a\nb", "numLines": shown, "startLine": 1, "totalLines": 2}
    (read,) = facts(store, tmp_path, *edited({"type": "text", "file": file}, "Read"), kind="FileRead")
    assert (read.get("digest"), read.get("partial", False)) == (None if partial else sha("a\nb"), partial)


def test_a_refused_call_is_a_decision_of_a_person(store: EventStore, tmp_path: Path) -> None:
    said = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    lines = [*edited({})[:2], result("r1", "a1", "t1", said, "User rejected tool use", is_error=True)]
    (decision,) = facts(store, tmp_path, *lines, kind="ApprovalResolved")
    assert (decision["decision"], decision["by"]) == ("refused", "person")


def test_a_question_is_open_with_its_choices_until_it_is_answered(store: EventStore, tmp_path: Path) -> None:
    question = {"question": "Which?", "header": "H", "options": [{"label": "Red"}, {"label": "Blue"}]}
    lines = [user("u1", None, "go"), assistant("a1", "u1", call("t1", "AskUserQuestion", questions=[question]))]
    (asked,) = facts(store, tmp_path, *lines, kind="ApprovalRequested")
    assert asked["type"] == "question"
    assert asked["questions"][0]["choices"] == ["Red", "Blue"]


def test_a_background_command_and_its_end_are_one_task(store: EventStore, tmp_path: Path) -> None:
    note = (
        "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>t1</tool-use-id>\n<status>completed</status>\n"
        "<summary>Background command ended (exit code 0)</summary>\n</task-notification>"
    )
    lines = [
        user("u1", None, "go"),
        assistant("a1", "u1", call("t1", "Bash", command="sleep 9")),
        result("r1", "a1", "t1", "Command running in background with ID: b1", {"backgroundTaskId": "b1"}),
        attachment("t9", "r1", "queued_command", prompt=note, commandMode="task-notification"),
    ]
    told = facts(store, tmp_path, *lines, kind="BackgroundTask")
    assert [(one["task_id"], one["status"]) for one in told] == [("b1", "running"), ("b1", "completed")]
    assert told[1]["exit_code"] == 0


def test_cache_writes_are_kept_apart_by_class_and_earlier_attempts_beside(store: EventStore, tmp_path: Path) -> None:
    spent = usage(
        cache_creation_input_tokens=0,
        cache_creation={"ephemeral_5m_input_tokens": 7, "ephemeral_1h_input_tokens": 5},
        iterations=[{"model": "first", "input_tokens": 9, "output_tokens": 1}, {"model": MODEL, "input_tokens": 3}],
    )
    (cost,) = facts(
        store, tmp_path, user("u1", None, "go"), assistant("a1", "u1", text("ok"), spent=spent), kind="Cost"
    )
    assert (cost["cache_write_5m_tokens"], cost["cache_write_1h_tokens"]) == (7, 5)
    assert [one["model"] for one in cost["iterations"]] == ["first"]


def test_a_price_of_an_old_record_is_taken_over(store: EventStore, tmp_path: Path) -> None:
    old = assistant("a1", "u1", text("ok"), costUSD=0.0123)
    (cost,) = facts(store, tmp_path, user("u1", None, "go"), old, kind="Cost")
    assert (cost["cost_usd"], cost["price_source"]) == ("0.0123", "transcript")


def test_side_chains_inside_a_main_file_have_a_lane_each(store: EventStore, tmp_path: Path) -> None:
    side = [
        user("k1", None, "one", isSidechain=True),
        user("m1", None, "two", isSidechain=True),
        assistant("k2", "k1", text("1"), isSidechain=True),
        assistant("m2", "m1", text("2"), isSidechain=True),
    ]
    import_file(store, written(tmp_path, [*conversation(1), *side]))
    lanes = {event.native_id: event.lane for event in store.read(SESSION) if event.native_id}
    assert lanes == {"u1": None, "a1": None, "k1": "k1", "k2": "k1", "m1": "m1", "m2": "m1"}


def test_a_sub_agents_file_is_a_session_of_its_own(store: EventStore, tmp_path: Path) -> None:
    lines = [user("k1", None, "[alpha] look", isSidechain=True, agentId="a1b2")]
    found = import_file(store, written(tmp_path, lines, "agent-a1b2.jsonl"))
    assert found.identity is not None
    assert found.identity.session_id == f"{SESSION}/agent-a1b2"
    assert found.identity.parent_session == SESSION
    assert all(event.lane is None for event in store.read(f"{SESSION}/agent-a1b2"))


def test_the_name_of_a_file_is_its_session_when_it_is_an_id(store: EventStore, tmp_path: Path) -> None:
    other = "9b2c1111-2222-4333-8444-555566667777"
    found = import_file(store, written(tmp_path, conversation(1), f"{other}.jsonl"))
    assert found.identity is not None
    assert found.identity.session_id == other
    (told,) = [event for event in store.read(other, kinds=["Notice"]) if event.data["subtype"] == "forked-from"]
    assert told.data["value"]["session_id"] == SESSION


def test_files_beside_a_transcript_are_taken_along(store: EventStore, tmp_path: Path) -> None:
    project = tmp_path / "config" / "projects" / "-srv-demo-project"
    agents = project / SESSION / "subagents"
    agents.mkdir(parents=True)
    (agents / "agent-x1.meta.json").write_text(json.dumps({"agentType": "reviewer", "toolUseId": "t1"}))
    backups = tmp_path / "config" / "file-history" / SESSION
    backups.mkdir(parents=True)
    (backups / "abc@v1").write_bytes(b"before\n")
    import_file(store, written(project, conversation(1)))
    (agent,) = [event.data for event in store.read(SESSION, kinds=["Subagent"])]
    assert (agent["agent_id"], agent["type"], agent["call_id"]) == ("x1", "reviewer", "t1")
    (copy,) = [
        event.data["value"] for event in store.read(SESSION, kinds=["Notice"]) if "file-backup" in str(event.data)
    ]
    assert copy["backup"] == "abc@v1"
    assert store.blob(copy["digest"]) == b"before\n"


def test_unknown_kinds_are_counted_and_stay_links(store: EventStore, tmp_path: Path) -> None:
    lines = [
        *conversation(1),
        envelope("hologram", "x1", "a1"),
        attachment("t1", "x1", "never-heard-of"),
        envelope("system", "s1", "t1", subtype="brand-new"),
        beside("some-metadata", value=1),
    ]
    import_file(store, written(tmp_path, lines))
    found = [(event.data["type"], event.node) for event in store.read(SESSION, kinds=["Unrecognized"])]
    assert found == [
        ("hologram", "unknown"),
        ("attachment/never-heard-of", "attachment"),
        ("system/brand-new", "system"),
        ("some-metadata", None),
    ]
