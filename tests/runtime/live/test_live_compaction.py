"""The context replaced by a summary: what is kept, what stays readable, and that forks and resumes respect it."""

from __future__ import annotations

from pathlib import Path

import pytest
from rehydrate.events.errors import ProviderError
from rehydrate.runtime.fork import fork_session
from rehydrate.runtime.history import show_session
from rehydrate.runtime.resume import resume_session

from ...support.live_session import begun, events_of, gone_on_with
from ...support.scripted_replies import Call, Reply, call, say
from ...support.strict_server import strict_server


def test_after_compacting_the_model_sees_the_summary_and_the_newest_messages_and_a_reader_everything(
    workspace: Path, database: str
) -> None:
    long = "old words " * 2000
    with strict_server(say(long), say("short answer"), say("SUMMARY"), say("after")) as server:
        with begun(workspace, database, server) as session:
            session.run("first question")
            session.run("second question")
            session.compact("keep the names")
            assert "keep the names" in server.requests[2]["input"][-1]["content"]
            session.run("third question")
        sent = str(server.requests[3]["input"])
        assert "SUMMARY" in sent
        assert "second question" in sent
        assert "old words" not in sent
        assert server.refused == []
    shown = [entry.text for entry in show_session(session.id, store=database).entries]
    assert any("old words" in text for text in shown)
    (fact,) = events_of(database, session.id, "ContextCompact")
    assert fact.data["trigger"] == "manual"
    assert fact.data["pre_tokens"] == 120


def test_a_resume_and_a_fork_after_a_compaction_give_what_the_live_session_has(workspace: Path, database: str) -> None:
    with strict_server(say("x" * 20_000), say("SUMMARY"), say("after")) as server:
        with begun(workspace, database, server) as session:
            session.run("first question")
            session.compact()
            session.run("second question")
            live = [message.content for message in session.runtime.messages]
        fork = fork_session(session.id, store=database).session_id
        for each in (session.id, fork):
            runtime = resume_session(each, store=database)
            assert [message.content for message in runtime.messages] == live


def test_near_the_limit_of_the_window_the_context_is_compacted_by_itself(workspace: Path, database: str) -> None:
    full = Reply(calls=(Call("list_files"),), usage=(900, 20, 0))
    with (
        strict_server(full, say("SUMMARY"), say("Done.")) as server,
        begun(workspace, database, server, context_window=1000) as session,
    ):
        assert session.run("go").output == "Done."
        (fact,) = events_of(database, session.id, "ContextCompact")
        assert fact.data["trigger"] == "auto"
        assert "SUMMARY" in str(server.requests[2]["input"])
        assert server.refused == []
        assert session.runtime.accounting.own.requests == 3


def test_a_conversation_the_service_finds_too_long_is_compacted_and_sent_again(workspace: Path, database: str) -> None:
    too_long = Reply(
        status=400, error="This model's maximum context length is 10", error_code="context_length_exceeded"
    )
    with (
        strict_server(say("hello"), too_long, say("SUMMARY"), say("Better.")) as server,
        begun(workspace, database, server) as session,
    ):
        session.run("one")
        assert session.run("two").output == "Better."
        assert "two" in str(server.requests[3]["input"])


def test_a_summary_that_cannot_be_had_changes_nothing(workspace: Path, database: str) -> None:
    with (
        strict_server(say("hello"), Reply(status=400, error="no")) as server,
        begun(workspace, database, server) as session,
    ):
        session.run("one")
        before = session.pointer
        with pytest.raises(ProviderError):
            session.compact()
        assert session.pointer == before
        assert session.run("two").status == "completed"


def test_no_call_is_parted_from_its_result_by_a_compaction(workspace: Path, database: str) -> None:
    with strict_server(call("read_file", path="notes.txt"), say("Read."), say("SUMMARY"), say("Yes.")) as server:
        with begun(workspace, database, server) as session:
            session.run("read the notes")
            session.compact()
            session.run("did you?")
        assert server.refused == []


def test_a_very_long_result_is_kept_whole_and_the_model_sees_its_ends_then_and_after_a_resume(
    workspace: Path, database: str
) -> None:
    (workspace / "big.txt").write_text("\n".join(f"line {number}" for number in range(1900)) + "z" * 60_000)
    with strict_server(call("read_file", path="big.txt"), say("Long."), say("Yes.")) as server:
        with begun(workspace, database, server) as session:
            session.run("read it")
        with gone_on_with(session.id, database, server) as again:
            again.run("was it long?")
        outputs = [
            next(item["output"] for item in body["input"] if item["type"] == "function_call_output")
            for body in server.requests[1:]
        ]
    assert outputs[0] == outputs[1]
    assert len(outputs[0]) < 10_000
    assert "characters left out" in outputs[0]
    (result,) = events_of(database, session.id, "ToolResult")
    assert len(result.data["content"]) > 60_000
    (replacement,) = events_of(database, session.id, "ContentReplacement")
    assert replacement.data["call_id"] == result.data["call_id"]
