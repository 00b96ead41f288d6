"""`rehydrate run` and its companions as a person and a program see them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.store import EventStore
from rehydrate.runtime.cli.run_command import run_command

from ...support.live_session import events_of
from ...support.scripted_replies import Call, Reply, say
from ...support.strict_server import StrictServer, strict_server

Answer = tuple[int, str, str]


class Command:
    """The command line in this process, in the workspace, against a scripted service."""

    def __init__(self, server: StrictServer, database: str, capsys: pytest.CaptureFixture[str]) -> None:
        self.server = server
        self._database = database
        self._capsys = capsys

    def __call__(self, *words: str) -> Answer:
        code = run_command([*words, "--db", self._database])
        captured = self._capsys.readouterr()
        return code, captured.out, captured.err

    def lines(self, *words: str) -> tuple[int, list[dict[str, Any]]]:
        code, out, _ = self(*words, "--json")
        return code, [json.loads(line) for line in out.splitlines()]

    def begun(self) -> str:
        _, lines = self.lines("run", "new", "hello", "--model", "gpt-test")
        return str(lines[0]["sessionId"])


@pytest.fixture
def command(workspace: Path, database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    with strict_server() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.chdir(workspace)
        yield Command(server, database, capsys)
        assert server.refused == []


def test_with_json_each_thing_that_happens_is_one_line(command: Command) -> None:
    code, lines = command.lines("run", "new", "hello", "--model", "gpt-test")
    assert code == 0
    assert lines[0]["type"] == "run_started"
    assert lines[-1]["type"] == "run_finished"
    assert lines[-1]["pointer"] == f"{lines[0]['sessionId']}@{lines[-1]['position']}"


def test_without_json_the_words_of_the_model_are_all_that_is_printed(command: Command) -> None:
    command.server.extend(Reply(text="I look.", calls=(Call("list_files"),)), say("One file."))
    code, out, err = command("run", "new", "what is here?", "--model", "gpt-test")
    assert (code, out) == (0, "I look.\nOne file.\n")
    assert "list_files" in err


def test_the_model_is_the_option_else_the_environment_else_the_sessions_own(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = command.begun()
    command.lines("run", session_id, "one")
    monkeypatch.setenv("REHYDRATE_MODEL", "from-environment")
    command.lines("run", session_id, "two")
    command.lines("run", session_id, "three", "--model", "from-option")
    models = [body["model"] for body in command.server.requests]
    assert models == ["gpt-test", "gpt-test", "from-environment", "from-option"]


def test_an_unknown_session_is_exit_code_3_and_nothing_is_made(command: Command) -> None:
    code, lines = command.lines("run", "nowhere", "hello", "--model", "gpt-test")
    assert code == 3
    assert lines[-1]["error"]["code"] == "session-not-found"
    assert command.server.requests == []


def test_a_failed_service_is_exit_code_7_and_the_session_goes_on(command: Command) -> None:
    session_id = command.begun()
    command.server.extend(Reply(status=400, error="away"))
    code, lines = command.lines("run", session_id, "again")
    assert code == 7
    assert lines[-1]["error"]["code"] == "provider-error"
    code, lines = command.lines("run", session_id)
    assert (code, lines[-1]["status"]) == (0, "completed")


def test_max_turns_bounds_the_requests(command: Command) -> None:
    command.server.extend(*[Reply(calls=(Call("list_files"),))] * 3)
    code, lines = command.lines("run", "new", "go", "--model", "gpt-test", "--max-turns", "2")
    assert (code, lines[-1]["reason"]) == (0, "max-turns")
    assert len(command.server.requests) == 2


def test_a_waiting_call_is_refused_and_the_printed_command_goes_on(command: Command, database: str) -> None:
    command.server.extend(Reply(calls=(Call("run_command", {"command": "touch x"}, "call_t"),)), say("Then not."))
    _, out, err = command("run", "new", "touch it", "--model", "gpt-test")
    printed = (
        next(line for line in err.splitlines() if "rehydrate approve" in line).split("rehydrate approve ")[1].split()
    )
    code, document, _ = command("refuse", printed[0], printed[1], "--reason", "no", "--json")
    assert (code, json.loads(document)["decision"]) == (0, "refused")
    code, out, _ = command("run", printed[0])
    assert (code, out) == (0, "Then not.\n")
    assert events_of(database, printed[0], "ToolResult")[0].data["denied"] == "refused"


def test_compact_tail_and_takeover_answer_as_documents(command: Command) -> None:
    session_id = command.begun()
    command.server.extend(say("SUMMARY"))
    code, out, _ = command("compact", session_id, "--json")
    assert code == 0
    position = int(json.loads(out)["pointer"].rpartition("@")[2])
    code, lines = command.lines("tail", session_id, "--no-follow", "--after", str(position - 1))
    assert [line["kind"] for line in lines] == ["ContextCompact"]
    code, out, _ = command("takeover", session_id, "--json")
    assert (code, json.loads(out)["former"]) == (0, None)


def test_a_run_that_cannot_begin_writes_nothing(
    command: Command, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = command.begun()
    monkeypatch.delenv("OPENAI_BASE_URL")
    with EventStore(database) as store:
        before = (store.event_count(), len(store.sessions()))
    for words in (
        ("run", "new", "hello", "--model", "gpt-test"),
        ("run", session_id, "hello", "--model", "another"),
        ("run", "new", "hello"),
        ("run", "new", " ", "--model", "gpt-test"),
    ):
        code, lines = command.lines(*words)
        assert (code, lines[-1]["error"]["code"]) == (2, "usage")
    with EventStore(database) as store:
        assert (store.event_count(), len(store.sessions())) == before
