"""The four rows of the matrix in the session-replay document, over real HTTP, against a server as strict as the provider."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from rehydrate.events.store import EventStore

from ...support.scripted_replies import call, say
from ...support.served import served, sse
from ...support.strict_server import StrictServer, strict_server


@pytest.fixture
def model() -> Iterator[StrictServer]:
    with strict_server() as server:
        yield server
        assert server.refused == []


@pytest.fixture
def client(database: str, workspace: Path, model: StrictServer) -> Iterator[httpx.Client]:
    with served(database, workspace, base_url=model.base_url) as url, httpx.Client(base_url=url, timeout=60) as client:
        yield client


def stream(client: httpx.Client, **body: Any) -> list[dict[str, Any]]:
    with client.stream("POST", "/api/agent/stream", json=body) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        return list(sse(response.iter_lines()))


def of_type(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event["data"] for event in events if event["event"] == kind]


def kinds(database: str, session_id: str, after: int = 0) -> Counter[str]:
    with EventStore(database) as store:
        return Counter(event.kind for event in store.read(session_id, after=after))


def test_row_1_without_a_session_id_a_new_one_is_made_and_the_model_sees_system_and_user(
    client: httpx.Client, database: str
) -> None:
    events = stream(client, input="hello")
    assert [event["event"] for event in events][:2] == ["run_started", "model_requested"]
    started = events[0]["data"]
    assert started["type"] == "run_started"
    assert started["resumed"] is False
    assert started["runId"] != started["sessionId"]
    assert started["policy"]
    (asked,) = of_type(events, "model_requested")
    assert [message["role"] for message in asked["messages"]] == ["system", "user"]
    (finished,) = of_type(events, "run_finished")
    assert finished["status"] == "completed"
    assert kinds(database, started["sessionId"]) == Counter(
        SessionStarted=1,
        AgentMetadata=1,
        WorkspaceObserved=1,
        RunStarted=1,
        UserInput=1,
        AssistantMessage=1,
        Cost=1,
        RunEnded=1,
    )


def test_every_server_sent_event_has_the_position_of_the_newest_durable_event_as_its_id(
    client: httpx.Client, database: str
) -> None:
    events = stream(client, input="hello")
    ids = [int(event["id"]) for event in events]
    assert ids == sorted(ids)
    assert [event["data"]["type"] for event in events] == [event["event"] for event in events]
    with EventStore(database) as store:
        assert ids[-1] == store.session(events[0]["data"]["sessionId"]).head


def test_row_2_with_a_session_id_the_whole_history_is_sent_and_only_what_is_new_is_appended(
    client: httpx.Client, database: str, model: StrictServer
) -> None:
    first = stream(client, input="first question")
    session_id = first[0]["data"]["sessionId"]
    with EventStore(database) as store:
        before = [(event.position, event.hash) for event in store.read(session_id)]
    second = stream(client, input="second question", sessionId=session_id)
    assert second[0]["data"]["resumed"] is True
    assert second[0]["data"]["sessionId"] == session_id
    assert second[0]["data"]["runId"] != first[0]["data"]["runId"]
    (asked,) = of_type(second, "model_requested")
    assert [message["role"] for message in asked["messages"]] == ["system", "user", "assistant", "user"]
    with EventStore(database) as store:
        assert [(event.position, event.hash) for event in store.read(session_id, until=len(before))] == before
    added = kinds(database, session_id, after=len(before))
    assert added == Counter(RunStarted=1, UserInput=1, AssistantMessage=1, Cost=1, RunEnded=1)
    assert model.requests[1]["input"][: len(model.requests[0]["input"])] == model.requests[0]["input"]
    assert model.requests[1]["instructions"] == model.requests[0]["instructions"]


def test_row_3_with_an_unknown_session_id_an_error_event_comes_and_nothing_is_made(
    client: httpx.Client, database: str, model: StrictServer
) -> None:
    events = stream(client, input="hello", sessionId="00000000-dead-beef-0000-000000000000")
    assert [event["event"] for event in events] == ["error"]
    assert events[0]["data"]["code"] == "session-not-found"
    assert events[0]["data"]["remedy"]
    assert model.requests == []
    with EventStore(database) as store:
        assert store.sessions() == []
    answer = client.post("/api/agent", json={"input": "hello", "sessionId": "nowhere"})
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "session-not-found"


def test_row_4_the_route_without_streaming_has_the_same_session_semantics(
    client: httpx.Client, database: str, model: StrictServer
) -> None:
    model.extend(say("one"), say("two"))
    first = client.post("/api/agent", json={"input": "first"}).json()
    assert {name: first[name] for name in ("resumed", "status", "output")} == {
        "resumed": False,
        "status": "completed",
        "output": "one",
    }
    second = client.post("/api/agent", json={"input": "second", "sessionId": first["sessionId"]}).json()
    assert second["resumed"] is True
    assert second["output"] == "two"
    assert second["pointer"].startswith(first["sessionId"] + "@")
    assert len(model.requests[1]["input"]) == 3
    assert not model.requests[0].get("stream")
    assert kinds(database, first["sessionId"])["UserInput"] == 2


def test_a_call_cut_off_before_is_answered_once_and_written_down(
    client: httpx.Client, database: str, model: StrictServer
) -> None:
    from rehydrate.events.event import Draft
    from rehydrate.events.kinds import ToolUse

    session_id = stream(client, input="hello")[0]["data"]["sessionId"]
    with EventStore(database) as store:
        use = ToolUse(call_id="call_cut", name="run_command", arguments={"command": "make"}, response_id="r-1")
        store.append(session_id, [Draft.of(use)])
        head = store.session(session_id).head
    events = stream(client, input="go on", sessionId=session_id)
    (asked,) = of_type(events, "model_requested")
    outputs = [item for item in asked["messages"] if item.get("type") == "function_call_output"]
    assert [(item["call_id"], "SESSION_RESUME_INTERRUPTED" in item["output"]) for item in outputs] == [
        ("call_cut", True)
    ]
    added = kinds(database, session_id, after=head)
    assert added["ToolResult"] == 1
    assert added["Repaired"] == 1
    again = stream(client, input="and again", sessionId=session_id)
    assert of_type(again, "model_requested")[0]["messages"][: len(asked["messages"])] == asked["messages"]
    assert kinds(database, session_id, after=head)["ToolResult"] == 1


def test_a_dropped_connection_is_continued_behind_its_last_event_without_running_again(
    client: httpx.Client, database: str, model: StrictServer
) -> None:
    model.extend(call("list_files"), say("There is one file."))
    got: list[dict[str, Any]] = []
    with client.stream("POST", "/api/agent/stream", json={"input": "what is here?"}) as response:
        for event in sse(response.iter_lines()):
            got.append(event)
            if event["event"] == "tool_use":
                break
    session_id = got[0]["data"]["sessionId"]
    headers = {"Last-Event-ID": got[-1]["id"]}
    with client.stream("POST", "/api/agent/stream", json={"sessionId": session_id}, headers=headers) as response:
        rest = list(sse(response.iter_lines()))
    assert [event["event"] for event in rest if event["event"] != "text_delta"] == [
        "cost",
        "tool_result",
        "model_requested",
        "assistant_message",
        "cost",
        "run_finished",
    ]
    assert len(model.requests) == 2
    assert kinds(database, session_id)["RunStarted"] == 1
