"""The order of a run: durable before the model is asked, durable before a tool runs, and a failure ends it as an event."""

from __future__ import annotations

import hashlib
import json
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.errors import DiskFull, LeaseConflict, ProviderError, Refused, SessionNotFound, UsageError
from rehydrate.events.event import Draft, Event
from rehydrate.events.store import EventStore
from rehydrate.runtime.live.lease import acquire
from rehydrate.runtime.live.model import Limits
from rehydrate.runtime.live.opening import open_session, start_session
from rehydrate.runtime.resume import resume_session

from ...support.live_session import QUICK, begun, events_of, gone_on_with
from ...support.scripted_replies import Call, Reply, call, say
from ...support.strict_server import strict_server


def kinds(events: Sequence[Event]) -> list[str]:
    return [event.kind for event in events]


def test_the_input_is_durable_before_the_model_is_asked(workspace: Path, database: str) -> None:
    seen: list[list[str]] = []

    def script(body: dict[str, Any]) -> Reply:
        with EventStore(database) as other:
            (row,) = other.sessions()
            seen.append(kinds(list(other.read(row.session_id))))
        return say("Yes.")

    with strict_server(script=script) as server, begun(workspace, database, server) as session:
        session.run("are you there?")
    assert seen[0][-2:] == ["RunStarted", "UserInput"]


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("api", ["responses", "chat"])
def test_a_call_is_durable_before_its_tool_runs_and_its_result_before_the_next_request(
    workspace: Path, database: str, stream: bool, api: str
) -> None:
    seen: list[list[str]] = []

    def look(what: str) -> str:
        """Look at something."""
        with EventStore(database) as other:
            (row,) = other.sessions()
            seen.append(kinds(list(other.read(row.session_id))))
        return what

    def script(body: dict[str, Any]) -> Reply:
        look("request")
        return call("look", what="x") if len(seen) == 1 else say("Done.")

    with strict_server(script=script) as server, begun(workspace, database, server, tools=[look], api=api) as session:
        assert session.run("look", stream=stream).status == "completed"
    assert seen[1][-2:] == ["ToolUse", "Cost"]
    assert seen[2][-1] == "ToolResult"


def test_each_finished_item_of_a_reply_becomes_an_event_of_its_own_with_the_cost_last(
    workspace: Path, database: str
) -> None:
    reply = Reply(reasoning="think", text="I look.", calls=(Call("list_files"), Call("list_files")))
    with strict_server(reply, say("Done.")) as server, begun(workspace, database, server) as session:
        session.run("look", stream=True)
        found = events_of(database, session.id)
        assert server.refused == []
    first = kinds(found).index("AssistantMessage")
    assert kinds(found)[first : first + 7] == [
        "AssistantMessage",
        "AssistantMessage",
        "ToolUse",
        "ToolUse",
        "Cost",
        "ToolResult",
        "FileRead" if kinds(found)[first + 6] == "FileRead" else "ToolResult",
    ]
    assert len({event.data["response_id"] for event in found[first : first + 5]}) == 1


def test_reasoning_of_this_service_goes_back_to_it_unchanged(workspace: Path, database: str) -> None:
    reply = Reply(reasoning="think hard", calls=(Call("list_files"),))
    with (
        strict_server(reply, say("Done.")) as server,
        begun(workspace, database, server, model="gpt-5-test") as session,
    ):
        session.run("look", stream=True)
        items = [item for item in server.requests[1]["input"] if item["type"] == "reasoning"]
        assert [item["encrypted_content"] for item in items] == ["strict-reasoning:1"]
        assert server.refused == []


def test_an_unknown_tool_is_an_error_result_and_the_turn_goes_on(workspace: Path, database: str) -> None:
    with (
        strict_server(call("teleport", to="mars"), say("I cannot.")) as server,
        begun(workspace, database, server) as session,
    ):
        result = session.run("teleport")
        assert (result.status, result.output) == ("completed", "I cannot.")
        (answer,) = events_of(database, session.id, "ToolResult")
        assert answer.data["is_error"]
        assert "no tool 'teleport'" in answer.data["content"]


def test_a_provider_error_ends_the_run_as_failed_and_the_session_can_be_used(workspace: Path, database: str) -> None:
    broken = Reply(status=400, error="the \x00 model is broken")
    with strict_server(broken, say("Now it works.")) as server, begun(workspace, database, server) as session:
        with pytest.raises(ProviderError) as failed:
            session.run("hello")
        assert failed.value.exit_code == 7
        assert "\x00" not in failed.value.message
        assert events_of(database, session.id)[-1].data["status"] == "failed"
        assert session.run(None).output == "Now it works."
        users = [item for item in server.requests[1]["input"] if item.get("role") == "user"]
        assert len(users) == 1


def test_failed_tries_are_bounded_and_recorded(workspace: Path, database: str) -> None:
    busy = Reply(status=503, error="overloaded")
    with strict_server(busy, busy, say("At last.")) as server, begun(workspace, database, server) as session:
        told = [event.data["attempt"] for event in session.stream("hello") if event.type == "retry"]
        assert told == [1, 2]
        notes = events_of(database, session.id, "Notice")
        assert [(note.data["subtype"], note.data["value"]["status"]) for note in notes] == [("model-retry", 503)] * 2
        server.extend(busy, busy, busy, busy)
        with pytest.raises(ProviderError):
            session.run("again")
        assert len(server.requests) == 6


def test_a_service_that_says_when_to_come_back_is_obeyed_within_bounds(workspace: Path, database: str) -> None:
    limited = Reply(status=429, error="slow down", headers={"retry-after": "3600"})
    limits = Limits(longest_wait_s=0.01, backoff_s=0.01)
    with strict_server(limited, say("Yes.")) as server, begun(workspace, database, server, limits=limits) as session:
        assert session.run("hello").output == "Yes."


def test_a_quota_that_is_used_up_is_not_tried_again(workspace: Path, database: str) -> None:
    spent = Reply(status=429, error="quota", error_code="insufficient_quota")
    with strict_server(spent) as server, begun(workspace, database, server) as session:
        with pytest.raises(ProviderError):
            session.run("hello")
        assert len(server.requests) == 1


def test_a_stream_cut_before_any_item_is_tried_again_and_its_cost_noted_as_unknown(
    workspace: Path, database: str
) -> None:
    cut = Reply(text="half a sen", cut_after=0)
    with strict_server(cut, say("whole")) as server, begun(workspace, database, server) as session:
        assert session.run("hello", stream=True).output == "whole"
        costs = events_of(database, session.id, "Cost")
        assert [cost.data.get("failed", False) for cost in costs] == [True, False]
        assert "input_tokens" not in costs[0].data


def test_a_stream_cut_after_a_call_fails_the_run_and_the_call_gets_one_interrupted_result(
    workspace: Path, database: str
) -> None:
    cut = Reply(calls=(Call("list_files"), Call("list_files")), cut_after=1)
    with strict_server(cut, say("I see.")) as server, begun(workspace, database, server) as session:
        with pytest.raises(ProviderError):
            session.run("look", stream=True)
        assert session.run("go on").output == "I see."
        (answer,) = events_of(database, session.id, "ToolResult")
        assert answer.data["synthesized"]
        assert "SESSION_RESUME_INTERRUPTED" in answer.data["content"]
        assert server.refused == []


def test_a_response_that_fails_in_mid_stream_is_counted_and_ends_the_run(workspace: Path, database: str) -> None:
    with strict_server(Reply(text="so far", fails=True)) as server, begun(workspace, database, server) as session:
        with pytest.raises(ProviderError, match="server_error"):
            session.run("hello", stream=True)
        (cost,) = events_of(database, session.id, "Cost")
        assert cost.data["failed"]
        assert cost.data["input_tokens"] == 100


class FullStore(EventStore):
    """Has no space left from a chosen append on."""

    left = 10_000

    def append(
        self, session_id: str, drafts: Sequence[Draft], expected_position: int | None = None, **more: Any
    ) -> list[Event]:
        self.left -= 1
        if self.left < 0:
            raise DiskFull("No space is left.", remedy="Free space.")
        return super().append(session_id, drafts, expected_position, **more)


def test_an_append_that_fails_stops_the_turn_before_the_tool_runs(workspace: Path, database: str) -> None:
    ran: list[str] = []

    def act() -> str:
        """Act."""
        ran.append("ran")
        return "acted"

    with strict_server(call("act")) as server, FullStore(database) as store:
        with begun(workspace, store, server, tools=[act]) as session:
            store.left = 1
            with pytest.raises(DiskFull):
                session.run("act")
            store.left = 10_000
        assert ran == []
        assert len(server.requests) == 1


def test_a_writer_that_was_replaced_in_mid_turn_writes_no_more(workspace: Path, database: str) -> None:
    def lose(context: str = "") -> str:
        """Lose the lease."""
        with EventStore(database) as other:
            (row,) = other.sessions()
            acquire(other, row.session_id, takeover=True).release()
        return "lost"

    with (
        strict_server(call("lose"), say("never")) as server,
        begun(workspace, database, server, tools=[lose]) as session,
    ):
        with pytest.raises(LeaseConflict):
            session.run("lose it")
        assert kinds(events_of(database, session.id))[-2:] == ["ToolUse", "Cost"]
        assert len(server.requests) == 1


def test_the_number_of_requests_of_a_run_is_bounded(workspace: Path, database: str) -> None:
    limits = Limits(max_turns=3, backoff_s=0.01)
    with (
        strict_server(script=lambda _: call("list_files")) as server,
        begun(workspace, database, server, limits=limits) as session,
    ):
        result = session.run("go round")
        assert (result.status, result.reason) == ("completed", "max-turns")
        assert len(server.requests) == 3
        assert session.runtime.app_state.pending_calls == ()


def test_interrupting_keeps_what_was_said_and_answers_the_open_calls(workspace: Path, database: str) -> None:
    slow = Reply(text="a very long answer that goes on and on", pause_s=0.05)
    with strict_server(slow, say("Back again.")) as server, begun(workspace, database, server) as session:
        finished = None
        for event in session.stream("tell me"):
            if event.type == "text_delta":
                session.interrupt()
            finished = event
        assert finished is not None
        assert finished.data["status"] == "interrupted"
        (said,) = events_of(database, session.id, "AssistantMessage")
        assert said.data["stop_reason"] == "interrupted"
        assert "a very long answer".startswith(said.data["blocks"][0]["text"].strip())
        assert session.run("go on").output == "Back again."
        assert server.refused == []


def test_interrupting_a_command_kills_its_whole_process_group(workspace: Path, database: str) -> None:
    marker, running = workspace / "survived", workspace / "running"
    command = f"(sleep 3; touch {marker}) & touch {running}; sleep 30"
    with (
        strict_server(call("run_command", command=command)) as server,
        begun(workspace, database, server, permission_mode="bypassPermissions") as session,
    ):
        threading.Thread(target=_interrupt_once_there, args=(running, session.interrupt), daemon=True).start()
        result = session.run("run it")
        assert result.status == "interrupted"
        (answer,) = events_of(database, session.id, "ToolResult")
        assert "stopped: interrupted" in answer.data["content"]
    threading.Event().wait(3)
    assert not marker.exists()


def _interrupt_once_there(file: Path, interrupt: Callable[[], object]) -> None:
    """However long the machine takes to start the command: it is interrupted while it runs."""
    for _ in range(600):
        if file.exists():
            break
        threading.Event().wait(0.05)
    interrupt()


def test_leaving_the_stream_early_ends_the_run_as_interrupted(workspace: Path, database: str) -> None:
    with strict_server(Reply(text="word " * 20, pause_s=0.01)) as server, begun(workspace, database, server) as session:
        stream = session.stream("talk")
        next(event for event in stream if event.type == "text_delta")
        stream.close()  # type: ignore[attr-defined]
        assert events_of(database, session.id)[-1].data["status"] == "interrupted"


def test_instructions_are_sent_again_word_for_word_after_a_restart(workspace: Path, database: str) -> None:
    with strict_server() as server:
        with begun(workspace, database, server, instructions="reply only BANANA") as session:
            session.run("hello")
        with gone_on_with(session.id, database, server) as again:
            again.run("hello again")
            digest = again.runtime.agent.instructions_digest
        assert [body["instructions"] for body in server.requests] == ["reply only BANANA"] * 2
    assert digest == hashlib.sha256(b"reply only BANANA").hexdigest()


def test_the_request_of_a_resumed_session_begins_with_the_very_bytes_of_the_one_before(
    workspace: Path, database: str
) -> None:
    with strict_server(call("read_file", path="notes.txt"), say("Read.")) as server:
        with begun(workspace, database, server) as session:
            session.run("read the notes")
        with gone_on_with(session.id, database, server) as again:
            again.run("and now?")
        before, after = (json.loads(raw) for raw in server.raw[1:3])
    written = json.dumps(before["input"])[:-1]
    assert json.dumps(after["input"]).startswith(written)
    assert json.dumps(after["tools"]) == json.dumps(before["tools"])
    assert list(after) == list(before)


def test_opening_a_session_again_and_again_adds_no_event(workspace: Path, database: str) -> None:
    with strict_server() as server:
        with begun(workspace, database, server) as session:
            session.run("hello")
        with EventStore(database) as store:
            head = store.session(session.id).head
            for _ in range(20):
                gone_on_with(session.id, store, server).close()
            assert store.session(session.id).head == head


def test_an_unknown_session_is_an_error_and_nothing_is_made(database: str) -> None:
    with pytest.raises(SessionNotFound):
        open_session("nowhere", store=database)
    with EventStore(database) as store:
        assert store.sessions() == []


def test_a_session_whose_last_input_is_answered_waits_for_another(workspace: Path, database: str) -> None:
    with strict_server() as server, begun(workspace, database, server) as session:
        session.run("hello")
        with pytest.raises(UsageError, match="waits for an input"):
            session.run(None)


def test_costs_of_two_sessions_in_one_process_are_kept_apart(workspace: Path, database: str) -> None:
    with (
        strict_server(say("a", usage=(1000, 100, 0)), say("b", usage=(10, 1, 0))) as server,
        EventStore(database) as store,
    ):
        first = begun(workspace, store, server, limits=QUICK)
        second = begun(workspace, store, server, limits=QUICK)
        with first, second:
            first.run("one")
            second.run("two")
            assert first.runtime.accounting.own.input_tokens == 1000
            assert second.runtime.accounting.own.input_tokens == 10


def test_a_service_that_repeats_its_ids_does_not_confuse_replies_or_costs(workspace: Path, database: str) -> None:
    with strict_server(script=lambda _: say("same", usage=(50, 5, 0))) as server:
        with begun(workspace, database, server) as session:
            session.run("one")
        server.count = 0
        with gone_on_with(session.id, database, server) as again:
            again.run("two")
            assert again.runtime.accounting.own.requests == 2
            assert [message.role for message in again.runtime.messages] == ["user", "assistant"] * 2


def test_without_a_model_nothing_is_begun(workspace: Path, database: str) -> None:
    with pytest.raises(UsageError, match="No model"):
        start_session(workspace, store=database)
    with EventStore(database) as store:
        assert store.sessions() == []


def test_a_restore_of_a_running_session_sees_every_durable_event(workspace: Path, database: str) -> None:
    with strict_server(call("list_files"), say("Done.")) as server, begun(workspace, database, server) as session:
        for _ in session.stream("look"):
            seen = resume_session(session.id, store=database, check_workspace=False)
            assert seen.transcript_pointer == session.pointer
            assert seen.model_dump_json() == session.runtime.model_dump_json()


def test_a_branch_changed_by_somebody_else_is_noticed_before_the_next_run_of_an_open_session(
    workspace: Path, database: str
) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(["git", "-C", str(workspace), *who, *words], check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "first")
    with strict_server() as server, begun(workspace, database, server) as session:
        session.run("hello")
        git("checkout", "-qb", "other")
        with pytest.raises(Refused) as refused:
            session.run("again")
        assert "branch-changed" in refused.value.facts["codes"]
        assert len(server.requests) == 1
        git("checkout", "-q", "main")
        assert session.run("again").status == "completed"


@pytest.mark.parametrize("api", ["responses", "chat"])
def test_a_service_that_does_not_stream_though_asked_to_is_understood(workspace: Path, database: str, api: str) -> None:
    replies = (Reply(text="I look.", calls=(Call("list_files"),), never_streams=True), say("Done.", never_streams=True))
    with strict_server(*replies) as server, begun(workspace, database, server, api=api) as session:
        assert session.run("look", stream=True).output == "Done."
        assert [event.kind for event in events_of(database, session.id, "AssistantMessage", "ToolUse")] == [
            "AssistantMessage",
            "ToolUse",
            "AssistantMessage",
        ]
        assert session.runtime.accounting.own.input_tokens == 200
        assert server.refused == []
