"""An agent that starts another: the child has a session of its own, and its result closes the parent's call, also after a crash."""

from __future__ import annotations

from pathlib import Path

import pytest
from rehydrate.runtime.listing import list_sessions
from rehydrate.runtime.live.children import agent_tool
from rehydrate.runtime.live.coding_tools import coding_tools
from rehydrate.runtime.resume import resume_session

from ...support.live_session import begun, events_of, gone_on_with
from ...support.scripted_replies import Call, Reply, say
from ...support.strict_server import strict_server

START = Reply(calls=(Call("start_agent", {"prompt": "count the files", "name": "counter"}, "call_child"),))


def tools() -> list[object]:
    return [*coding_tools(), agent_tool()]


class Died(BaseException):
    """Stands for SIGKILL: nothing catches it, nothing is written after it."""


def test_the_last_words_of_a_child_are_the_result_of_the_parents_call(workspace: Path, database: str) -> None:
    with strict_server(START, say("There is 1 file."), say("One file, says the counter.")) as server:
        with begun(workspace, database, server, tools=tools()) as session:
            assert session.run("how many?").output == "One file, says the counter."
            (child,) = session.runtime.agent.subagents
        assert (child.name, child.status, child.call_id) == ("counter", "completed", "call_child")
        assert server.refused == []
        assert "start_agent" not in [tool["name"] for tool in server.requests[1]["tools"]]
    assert child.session_id is not None
    inner = resume_session(child.session_id, store=database)
    assert inner.session.parent_session == session.id
    assert [one.session_id for one in list_sessions(all=True, store=database)] == [session.id]


def killed_in_the_child(workspace: Path, database: str, server: object) -> str:
    """A parent whose child dies in the middle of its first tool call; returns the parent's id."""

    def die() -> str:
        """Die."""
        raise Died

    session = begun(workspace, database, server, tools=[die, agent_tool()])  # type: ignore[arg-type]
    with pytest.raises(Died):
        session.run("how many?")
    session._core.append = None  # type: ignore[method-assign, assignment]  # the dead write no more
    session.close()
    return session.id


def test_after_a_crash_in_the_child_the_parent_shows_the_open_call_and_the_child_can_be_finished(
    workspace: Path, database: str
) -> None:
    die = Reply(calls=(Call("die", {}, "call_die"),))
    with strict_server(START, die, say("There is 1 file."), say("One, it says.")) as server:
        parent = killed_in_the_child(workspace, database, server)
        runtime = resume_session(parent, store=database)
        assert [(call.call_id, call.status) for call in runtime.app_state.pending_calls] == [
            ("call_child", "interrupted")
        ]
        (child,) = runtime.agent.subagents
        assert child.status == "interrupted"
        assert child.session_id is not None
        with gone_on_with(child.session_id, database, server) as inner:
            assert inner.run(None).output == "There is 1 file."
        (answer,) = events_of(database, parent, "ToolResult")
        assert (answer.data["call_id"], answer.data["content"]) == ("call_child", "There is 1 file.")
        runtime = resume_session(parent, store=database)
        assert runtime.app_state.pending_calls == ()
        assert runtime.agent.subagents[0].status == "completed"
        with gone_on_with(parent, database, server) as outer:
            assert outer.run(None).output == "One, it says."
        assert server.refused == []


def test_a_child_that_finishes_after_its_parent_went_on_reports_as_a_notification(
    workspace: Path, database: str
) -> None:
    die = Reply(calls=(Call("die", {}, "call_die"),))
    with strict_server(START, die, say("I go on alone."), say("There is 1 file."), say("Now I know.")) as server:
        parent = killed_in_the_child(workspace, database, server)
        with gone_on_with(parent, database, server) as outer:
            outer.run(None)
        child = resume_session(parent, store=database).agent.subagents[0].session_id
        assert child is not None
        with gone_on_with(child, database, server) as inner:
            inner.run(None)
        with gone_on_with(parent, database, server) as outer:
            outer.run(None)
        assert "There is 1 file." in str(server.requests[-1]["input"][-1])
        assert server.refused == []
