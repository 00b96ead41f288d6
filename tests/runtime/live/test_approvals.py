"""A call that needs approval waits, as long as it takes; decided from anywhere, it runs once or not at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from rehydrate.events.errors import Conflict, EventNotFound, Refused
from rehydrate.events.event import Draft
from rehydrate.events.kinds import Notice
from rehydrate.events.store import EventStore
from rehydrate.runtime.fork import fork_session
from rehydrate.runtime.live.approvals import answer_question, approve_call, refuse_call
from rehydrate.runtime.live.tools import Tool, tool
from rehydrate.runtime.resume import resume_session

from ...support.live_session import begun, events_of, gone_on_with
from ...support.scripted_replies import Call, Reply, call, say
from ...support.strict_server import strict_server


class Counted:
    """A tool that needs approval and counts how often it ran."""

    def __init__(self) -> None:
        self.runs = 0

    def tool(self) -> Tool:
        def deploy(to: str) -> str:
            """Deploy it."""
            self.runs += 1
            return f"deployed to {to}"

        return tool(deploy, approval=True)


DEPLOY = Reply(text="May I?", calls=(Call("deploy", {"to": "prod"}, "call_d"),))


def test_a_call_that_needs_approval_ends_the_run_as_waiting_and_did_not_run(workspace: Path, database: str) -> None:
    counted = Counted()
    with strict_server(DEPLOY) as server, begun(workspace, database, server, tools=[counted.tool()]) as session:
        result = session.run("deploy")
        assert (result.status, result.pending) == ("waiting", ("call_d",))
        assert counted.runs == 0
        runtime = session.runtime
        assert [(one.call_id, one.tool) for one in runtime.app_state.pending_approvals] == [("call_d", "deploy")]
        assert [one.status for one in runtime.app_state.pending_calls] == ["waiting"]
        assert runtime.turn_state == "waiting"


def test_approved_from_another_process_it_runs_once_when_the_session_goes_on(workspace: Path, database: str) -> None:
    counted = Counted()
    with strict_server(DEPLOY, say("It is out.")) as server:
        with begun(workspace, database, server, tools=[counted.tool()]) as session:
            session.run("deploy")
        command = [
            sys.executable,
            "-m",
            "rehydrate.runtime.cli",
            "approve",
            session.id,
            "call_d",
            "--json",
            "--db",
            database,
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        with gone_on_with(session.id, database, server, tools=[counted.tool()]) as again:
            assert again.run(None).output == "It is out."
            again.run("thanks")
        assert counted.runs == 1
        assert server.refused == []
    (answer,) = events_of(database, session.id, "ToolResult")
    assert answer.data["content"] == "deployed to prod"


def test_refused_it_never_runs_and_the_model_is_told_why(workspace: Path, database: str) -> None:
    counted = Counted()
    with strict_server(DEPLOY, say("As you wish.")) as server:
        with begun(workspace, database, server, tools=[counted.tool()]) as session:
            session.run("deploy")
        refuse_call(session.id, "call_d", reason="not on a Friday", store=database)
        with gone_on_with(session.id, database, server, tools=[counted.tool()]) as again:
            again.run(None)
        outputs = [item["output"] for item in server.requests[1]["input"] if item["type"] == "function_call_output"]
        assert len(outputs) == 1
        assert "not on a Friday" in outputs[0]
    assert counted.runs == 0


def test_a_call_is_decided_once(workspace: Path, database: str) -> None:
    with strict_server(DEPLOY) as server, begun(workspace, database, server, tools=[Counted().tool()]) as session:
        session.run("deploy")
    approve_call(session.id, "call_d", store=database)
    with pytest.raises(Conflict, match="decided already"):
        refuse_call(session.id, "call_d", store=database)
    with pytest.raises(EventNotFound):
        approve_call(session.id, "call_x", store=database)


def test_a_decision_may_come_while_the_session_is_still_open(workspace: Path, database: str) -> None:
    counted = Counted()
    with (
        strict_server(DEPLOY, say("Out.")) as server,
        begun(workspace, database, server, tools=[counted.tool()]) as session,
    ):
        session.run("deploy")
        approve_call(session.id, "call_d", store=database)
        assert session.run(None).output == "Out."
    assert counted.runs == 1


def test_an_approval_that_comes_too_late_is_a_result_to_the_model(workspace: Path, database: str) -> None:
    counted = Counted()
    with strict_server(DEPLOY, say("Too late.")) as server:
        with begun(workspace, database, server, tools=[counted.tool()], approval_ttl_s=-1) as session:
            session.run("deploy")
        with pytest.raises(Refused, match="that is over"):
            approve_call(session.id, "call_d", store=database)
        with gone_on_with(session.id, database, server, tools=[counted.tool()]) as again:
            assert again.run(None).output == "Too late."
    assert counted.runs == 0
    (answer,) = events_of(database, session.id, "ToolResult")
    assert answer.data["denied"] == "expired"


def test_a_new_input_refuses_what_still_waits(workspace: Path, database: str) -> None:
    counted = Counted()
    with (
        strict_server(DEPLOY, say("All right.")) as server,
        begun(workspace, database, server, tools=[counted.tool()]) as session,
    ):
        session.run("deploy")
        assert session.run("do something else").output == "All right."
        assert server.refused == []
    assert counted.runs == 0
    assert [event.data["decision"] for event in events_of(database, session.id, "ApprovalResolved")] == ["refused"]


def test_an_approved_call_that_was_started_once_is_not_started_again(workspace: Path, database: str) -> None:
    """As after kill -9 between the start of the call and its result."""
    counted = Counted()
    with strict_server(DEPLOY, say("I look first.")) as server:
        with begun(workspace, database, server, tools=[counted.tool()]) as session:
            session.run("deploy")
        approve_call(session.id, "call_d", store=database)
        with EventStore(database) as store:
            store.append(session.id, [Draft.of(Notice(subtype="call-started", call_id="call_d"))])
        with gone_on_with(session.id, database, server, tools=[counted.tool()]) as again:
            again.run(None)
    assert counted.runs == 0
    (answer,) = events_of(database, session.id, "ToolResult")
    assert "SESSION_RESUME_INTERRUPTED" in answer.data["content"]


def test_a_fork_does_not_run_what_was_approved_in_its_parent(workspace: Path, database: str) -> None:
    counted = Counted()
    with strict_server(DEPLOY) as server:
        with begun(workspace, database, server, tools=[counted.tool()]) as session:
            session.run("deploy")
        approve_call(session.id, "call_d", store=database)
        fork = fork_session(session.id, store=database).session_id
        for each in (fork, session.id):
            with gone_on_with(each, database, server, tools=[counted.tool()]) as again:
                again.run(None)
        assert server.refused == []
    assert counted.runs == 1
    assert "SESSION_RESUME_INTERRUPTED" in events_of(database, fork, "ToolResult")[0].data["content"]


def test_of_several_calls_those_that_may_run_do_and_the_others_wait(workspace: Path, database: str) -> None:
    counted = Counted()
    reply = Reply(
        calls=(Call("deploy", {"to": "a"}, "call_a"), Call("look", {}, "call_l"), Call("deploy", {"to": "b"}, "call_b"))
    )

    def look() -> str:
        """Look."""
        return "seen"

    with strict_server(reply, say("Both are out.")) as server:
        with begun(workspace, database, server, tools=[counted.tool(), look]) as session:
            assert session.run("deploy both").pending == ("call_a", "call_b")
            approve_call(session.id, "call_a", store=database)
            assert session.run(None).pending == ("call_b",)
            approve_call(session.id, "call_b", store=database)
            assert session.run(None).output == "Both are out."
        assert server.refused == []
    assert counted.runs == 2


def test_somebody_who_is_there_is_asked_at_once(workspace: Path, database: str) -> None:
    counted = Counted()
    with (
        strict_server(DEPLOY, say("Out.")) as server,
        begun(workspace, database, server, tools=[counted.tool()], approver=lambda request: True) as session,
    ):
        assert session.run("deploy").output == "Out."
    assert counted.runs == 1


def test_a_question_waits_with_its_choices_and_its_answer_is_the_result(workspace: Path, database: str) -> None:
    ask = Reply(calls=(Call("ask_user", {"question": "Which one?", "choices": ["red", "blue"]}, "call_q"),))
    with strict_server(ask, say("Blue it is.")) as server:
        with begun(workspace, database, server) as session:
            assert session.run("paint it").status == "waiting"
        (question,) = resume_session(session.id, store=database).app_state.open_questions
        assert (question.text, question.choices) == ("Which one?", ("red", "blue"))
        answer_question(session.id, question.id, "2", store=database)
        with gone_on_with(session.id, database, server) as again:
            assert again.run(None).output == "Blue it is."
        assert [item["output"] for item in server.requests[1]["input"] if "output" in item] == ["blue"]


def test_in_the_default_mode_reading_is_free_and_writing_and_commands_wait(workspace: Path, database: str) -> None:
    reply = Reply(
        calls=(
            Call("read_file", {"path": "notes.txt"}, "call_r"),
            Call("write_file", {"path": "new.txt", "content": "x"}, "call_w"),
            Call("run_command", {"command": "touch ran"}, "call_c"),
        )
    )
    with strict_server(reply) as server, begun(workspace, database, server) as session:
        assert session.run("do it").pending == ("call_w", "call_c")
    assert not (workspace / "new.txt").exists()
    assert not (workspace / "ran").exists()


def test_in_a_read_only_sandbox_nothing_is_written_whatever_the_mode(workspace: Path, database: str) -> None:
    reply = call("write_file", path="new.txt", content="x")
    with (
        strict_server(reply, say("I may not.")) as server,
        begun(workspace, database, server, sandbox="read-only", permission_mode="bypassPermissions") as session,
    ):
        assert session.run("write").output == "I may not."
    assert not (workspace / "new.txt").exists()


def test_the_sandbox_in_force_follows_each_opening_and_each_change_is_an_event(workspace: Path, database: str) -> None:
    with strict_server() as server:
        with begun(workspace, database, server, sandbox="read-only") as session:
            pass
        for wanted in ("workspace-write", "read-only"):
            with gone_on_with(session.id, database, server, sandbox=wanted) as again:
                assert again.runtime.agent.sandbox == wanted
        with gone_on_with(session.id, database, server) as last:
            assert last.runtime.agent.sandbox == "read-only"
    overrides = [
        event.data["sandbox"] for event in events_of(database, session.id, "AgentMetadata") if event.data["override"]
    ]
    assert overrides == ["workspace-write", "read-only"]


def test_a_mode_without_questions_is_in_force_only_where_it_is_said_again(workspace: Path, database: str) -> None:
    with strict_server() as server:
        with begun(workspace, database, server, permission_mode="bypassPermissions") as session:
            session.run("hello")
        server.extend(call("run_command", command="touch ran"))
        with gone_on_with(session.id, database, server) as again:
            assert again.run("run it").status == "waiting"
    assert not (workspace / "ran").exists()
