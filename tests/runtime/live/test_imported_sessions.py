"""A session of another tool is simply gone on with: on its own branch, with its past whole and foreign reasoning left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.event import Draft
from rehydrate.events.kinds import AgentMetadata
from rehydrate.events.store import EventStore
from rehydrate.runtime.importing import import_transcripts
from rehydrate.runtime.live.session import Session
from rehydrate.runtime.resume import resume_session
from rehydrate.runtime.rewind import rewind_session

from ...support.live_session import gone_on_with
from ...support.scripted_replies import Call, Reply, call, say
from ...support.strict_server import StrictServer, strict_server

SESSION = "3f0c2f0e-1111-4222-8333-444455556666"


def record(kind: str, uuid: str, parent: str | None, workspace: Path, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content, **more}
    if kind == "assistant":
        message |= {"type": "message", "model": "claude-sonnet-4-5", "usage": {"input_tokens": 3, "output_tokens": 10}}
    return {
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": SESSION,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "cwd": str(workspace),
        "version": "2.1.200",
        "isSidechain": False,
        "userType": "external",
        "message": message,
    }


@pytest.fixture
def claude(workspace: Path, database: str, tmp_path: Path) -> Path:
    """A Claude Code session with a branch that was left, thinking, and a call that was cut off."""
    thinking = {"type": "thinking", "thinking": "hm", "signature": "c2lnbmF0dXJl" * 30}
    use = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "make"}}
    lines = [
        record("user", "u1", None, workspace, "first question"),
        record("assistant", "a1", "u1", workspace, [thinking, {"type": "text", "text": "first answer"}], id="msg_1"),
        record("user", "u2", "a1", workspace, "a branch that was left"),
        record("assistant", "a2", "u2", workspace, [{"type": "text", "text": "left"}], id="msg_2"),
        record("user", "u3", "a1", workspace, "second question"),
        record("assistant", "a3", "u3", workspace, [use], id="msg_3"),
    ]
    file = tmp_path / f"{SESSION}.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    import_transcripts([file], store=database)
    return file


def opened(database: str, server: StrictServer, **options: Any) -> Session:
    return gone_on_with(SESSION, database, server, model="gpt-test", policy="force", **options)


def said(server: StrictServer, number: int = -1) -> list[str]:
    """The texts of a request, in order."""
    texts: list[str] = []
    for item in server.requests[number]["input"]:
        if item["type"] == "message":
            texts += [part["text"] for part in item["content"]]
        else:
            texts.append(str(item.get("output") or item.get("name")))
    return texts


def test_it_goes_on_where_its_own_tool_stopped_with_the_cut_off_call_answered(claude: Path, database: str) -> None:
    before = claude.read_bytes()
    with strict_server(say("third answer")) as server:
        with opened(database, server) as session:
            assert session.run("third question").output == "third answer"
            assert session.runtime.session.source == "claude-code"
        texts = said(server)
        assert server.refused == []
    assert texts[:4] == ["first question", "first answer", "second question", "Bash"]
    assert "SESSION_RESUME_INTERRUPTED" in texts[4]
    assert texts[5:] == ["third question"]
    assert claude.read_bytes() == before


def test_reasoning_of_the_other_service_is_left_out_with_a_finding(claude: Path, database: str) -> None:
    with strict_server() as server, opened(database, server) as session:
        assert "foreign-reasoning" in {finding.code for finding in session.findings}
        told = [event.data["code"] for event in session.stream("go on") if event.type == "finding"]
        assert "foreign-reasoning" in told
        assert [item for item in server.requests[0]["input"] if item["type"] == "reasoning"] == []


def test_live_events_hang_off_the_branch_so_that_a_later_restore_finds_them(claude: Path, database: str) -> None:
    with strict_server(Reply(text="I look.", calls=(Call("list_files"),)), say("done")) as server:
        with opened(database, server) as session:
            session.run("look")
        with opened(database, server) as again:
            again.run("and now?")
        assert server.refused == []
    messages = [
        (message.role, str(message.content[-1]))
        for message in resume_session(SESSION, store=database, policy="force").messages
    ]
    assert "and now?" in messages[-2][1]
    assert not any("a branch that was left" in text for _, text in messages)
    with EventStore(database) as store:
        own = [event for event in store.read(SESSION) if event.record is None and event.native_id]
    parents = [event.native_parent for event in own]
    assert parents[0] == "a3"
    assert parents[1:] == [event.native_id for event in own[:-1]]


def test_after_a_rewind_the_next_turn_hangs_off_the_place_it_went_back_to(claude: Path, database: str) -> None:
    with strict_server(say("never mind"), say("again")) as server:
        with opened(database, server) as session:
            session.run("a turn to take back")
        with EventStore(database) as store:
            place = next(event.position for event in reversed(list(store.read(SESSION))) if event.native_id == "a1")
            rewind_session(f"{SESSION}@{place}", store=store)
        with opened(database, server) as again:
            again.run("another way")
        assert said(server) == ["first question", "first answer", "another way"]


def test_a_call_by_the_other_tools_name_reaches_ours_with_its_arguments(
    claude: Path, database: str, workspace: Path
) -> None:
    calls = (
        Call("Write", {"file_path": str(workspace / "made.txt"), "content": "made\n"}),
        Call("Bash", {"command": "cat made.txt", "timeout": 5000, "description": "read it"}),
        Call("TodoWrite", {"todos": [{"content": "a", "status": "completed", "activeForm": "doing a"}]}),
    )
    with strict_server(Reply(calls=calls), say("done")) as server:
        with opened(database, server, permission_mode="bypassPermissions") as session:
            session.run("do it")
            assert [todo.active_form for todo in session.runtime.app_state.todos] == ["doing a"]
        outputs = said(server)[-3:]
    assert (workspace / "made.txt").read_text() == "made\n"
    assert outputs[1].startswith("made")


def test_its_costs_go_on_from_where_they_were(claude: Path, database: str) -> None:
    before = resume_session(SESSION, store=database, policy="force").accounting.own
    with strict_server(say("x", usage=(100, 50, 0))) as server, opened(database, server) as session:
        session.run("go on")
        after = session.runtime.accounting.own
    assert after.input_tokens == before.input_tokens + 100
    assert after.output_tokens == before.output_tokens + 50
    assert after.requests == before.requests + 1


def test_recorded_tools_bound_what_is_offered_and_what_cannot_be_had_is_told(
    workspace: Path, database: str, claude: Path
) -> None:
    with EventStore(database) as store:
        store.append(SESSION, [Draft.of(AgentMetadata(tools=("Read", "Grep", "WebFetch", "Bash(git:*)")))])
    reply = call("run_command", command="touch x")
    with strict_server(reply, say("no")) as server, opened(database, server) as session:
        assert session.tools == ("read_file", "search_files")
        assert "tool-missing" in {finding.code for finding in session.findings}
        session.run("go on")
    assert not (workspace / "x").exists()


def test_a_codex_session_goes_on_with_its_own_instructions_and_without_reasoning_of_another_service(
    workspace: Path, database: str, tmp_path: Path
) -> None:
    thread = "019a0000-1111-7222-8333-444455556666"
    meta = {
        "id": thread,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "cwd": str(workspace),
        "originator": "codex_cli_rs",
        "cli_version": "0.60.0",
        "base_instructions": {"text": "You are Codex, and you are brief."},
    }

    def said(role: str, kind: str, text: str) -> dict[str, Any]:
        return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}

    payloads = [
        ("session_meta", meta),
        ("response_item", said("user", "input_text", "what is here?")),
        ("response_item", {"type": "reasoning", "summary": [], "encrypted_content": "gAAAAfromElsewhere" * 9}),
        ("response_item", said("assistant", "output_text", "A project.")),
    ]
    file = tmp_path / f"rollout-2026-01-01T00-00-00-{thread}.jsonl"
    lines = [{"timestamp": "2026-01-01T00:00:00.000Z", "type": kind, "payload": payload} for kind, payload in payloads]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    import_transcripts([file], store=database)
    with strict_server(say("Still a project.")) as server:
        with gone_on_with(thread, database, server, model="gpt-5-codex", policy="force") as session:
            assert session.run("and now?").output == "Still a project."
            assert "foreign-reasoning" in {finding.code for finding in session.findings}
        assert server.refused == []
        assert server.requests[0]["instructions"] == "You are Codex, and you are brief."
        assert [item["type"] for item in server.requests[0]["input"]] == ["message"] * 3
