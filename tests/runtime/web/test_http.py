"""The HTTP interface: the documents of the command line, its errors as status codes, and who may ask."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from rehydrate.events.errors import UsageError
from rehydrate.events.store import EventStore
from rehydrate.runtime.live.lease import acquire
from rehydrate.runtime.web.guard import Rules

from ...support.scripted_replies import Call, Reply, call, say
from ...support.served import served, sse
from ...support.strict_server import StrictServer


@pytest.fixture
def client(url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url, timeout=60) as client:
        yield client


def begun(client: httpx.Client, text: str = "hello") -> str:
    return str(client.post("/api/agent", json={"input": text}).json()["sessionId"])


def test_the_list_can_be_searched_and_has_the_fields_of_the_command_line(client: httpx.Client, workspace: Path) -> None:
    session_id = begun(client, "count the apples")
    begun(client, "count the pears")
    (found,) = client.get("/api/sessions", params={"q": "apples"}).json()["sessions"]
    assert found["session_id"] == session_id
    assert {
        "title",
        "source",
        "project",
        "worktree",
        "created_at",
        "last_activity",
        "events",
        "forked_from",
        "pointer",
    } <= set(found)
    assert len(client.get("/api/sessions", params={"project": str(workspace)}).json()["sessions"]) == 2


def test_a_session_its_runtime_its_check_and_its_entries_are_given(client: httpx.Client) -> None:
    session_id = begun(client)
    assert client.get(f"/api/sessions/{session_id}").json()["id"] == session_id
    runtime = client.get(f"/api/sessions/{session_id}/runtime").json()
    assert {
        "session",
        "messages",
        "app_state",
        "agent",
        "workspace",
        "accounting",
        "transcript_pointer",
        "report",
    } <= set(runtime)
    assert client.get(f"/api/sessions/{session_id}/check").json()["outcome"] == "ok"
    entries = client.get(f"/api/sessions/{session_id}/entries").json()["entries"]
    later = client.get(f"/api/sessions/{session_id}/entries", params={"after": entries[0]["position"]}).json()[
        "entries"
    ]
    assert later == entries[1:]


@pytest.mark.parametrize("path", ["", "/runtime", "/check", "/entries", "/events"])
def test_what_does_not_exist_is_404_with_the_error_document(client: httpx.Client, path: str) -> None:
    answer = client.get(f"/api/sessions/nowhere{path}")
    assert answer.status_code == 404
    assert set(answer.json()["error"]) == {"code", "message", "remedy", "facts"}


def test_a_session_held_by_another_writer_is_409_and_names_the_holder(client: httpx.Client, database: str) -> None:
    session_id = begun(client)
    with EventStore(database) as store:
        held = acquire(store, session_id)
        answer = client.post("/api/agent", json={"input": "again", "sessionId": session_id})
        held.release()
    assert answer.status_code == 409
    assert answer.json()["error"]["facts"]["pid"] > 0


def test_a_session_without_a_sure_place_is_403_with_the_findings(client: httpx.Client, workspace: Path) -> None:
    session_id = begun(client)
    (workspace / "notes.txt").unlink()
    workspace.rmdir()
    answer = client.post("/api/agent", json={"input": "again", "sessionId": session_id})
    assert answer.status_code == 403
    assert answer.json()["error"]["facts"]["findings"]


def test_a_failed_service_is_502_and_the_session_can_be_used(client: httpx.Client, model: StrictServer) -> None:
    session_id = begun(client)
    model.extend(Reply(status=400, error="away"))
    answer = client.post("/api/agent", json={"input": "again", "sessionId": session_id})
    assert answer.status_code == 502
    assert client.post("/api/agent", json={"sessionId": session_id}).json()["status"] == "completed"


@pytest.mark.parametrize("body", ["{", "[]", "{}", '{"input": 5}', '{"input": "x", "model": 5}'])
def test_a_body_that_is_no_request_is_400(client: httpx.Client, body: str) -> None:
    assert client.post("/api/agent", content=body).status_code == 400


def test_fork_and_rewind_answer_like_the_command_line(client: httpx.Client) -> None:
    session_id = begun(client)
    fork = client.post(f"/api/sessions/{session_id}/fork", json={"pointer": f"{session_id}@5", "title": "other"}).json()
    assert fork["forked_from"] == f"{session_id}@5"
    rewound = client.post(
        f"/api/sessions/{session_id}/rewind", json={"pointer": f"{session_id}@5", "scope": "conversation"}
    )
    assert rewound.json()["session_id"] == session_id
    other = client.post(f"/api/sessions/{session_id}/fork", json={"pointer": f"{fork['session_id']}@3"})
    assert other.status_code == 400


def test_a_call_is_approved_over_http_and_the_session_goes_on_without_an_input(
    client: httpx.Client, model: StrictServer, workspace: Path
) -> None:
    model.extend(Reply(calls=(Call("run_command", {"command": "touch made"}, "call_t"),)), say("Made."))
    waiting = client.post("/api/agent", json={"input": "make it"}).json()
    assert (waiting["status"], waiting["pending"]) == ("waiting", ["call_t"])
    path = f"/api/sessions/{waiting['sessionId']}/approvals/call_t"
    assert client.post(path, json={"decision": "approved"}).json()["decision"] == "approved"
    assert client.post(path, json={"decision": "approved"}).status_code == 409
    assert client.post("/api/agent", json={"sessionId": waiting["sessionId"]}).json()["output"] == "Made."
    assert (workspace / "made").exists()


def test_a_run_is_interrupted_from_another_request(client: httpx.Client, model: StrictServer, url: str) -> None:
    session_id = begun(client)
    model.extend(Reply(text="slowly " * 40, pause_s=0.05))
    got: list[dict[str, Any]] = []

    def listen() -> None:
        body = {"input": "talk", "sessionId": session_id}
        with httpx.stream("POST", f"{url}/api/agent/stream", json=body, timeout=60) as response:
            got.extend(sse(response.iter_lines()))

    listener = threading.Thread(target=listen)
    listener.start()
    deadline = time.monotonic() + 20
    while listener.is_alive() and time.monotonic() < deadline:
        time.sleep(0.05)
        if client.get(f"/api/sessions/{session_id}").json()["running"] and len(model.requests) == 2:
            break
    assert client.post(f"/api/sessions/{session_id}/interrupt").json()["interrupted"] is True
    listener.join()
    assert got[-1]["data"]["status"] == "interrupted"
    assert client.post(f"/api/sessions/{session_id}/interrupt").json()["interrupted"] is False


def test_a_run_goes_on_when_its_listener_leaves(client: httpx.Client, model: StrictServer, database: str) -> None:
    model.extend(call("list_files"), say("Done."))
    with client.stream("POST", "/api/agent/stream", json={"input": "go"}) as response:
        started = next(sse(response.iter_lines()))
    session_id = started["data"]["sessionId"]
    deadline = time.monotonic() + 20
    while client.get(f"/api/sessions/{session_id}").json()["running"] and time.monotonic() < deadline:
        time.sleep(0.05)
    with EventStore(database) as store:
        assert list(store.read(session_id))[-1].data["status"] == "completed"


def test_the_tail_gives_events_as_another_writer_makes_them_and_continues_behind_the_last_id(
    client: httpx.Client, url: str, database: str
) -> None:
    session_id = begun(client)
    with httpx.stream("GET", f"{url}/api/sessions/{session_id}/events", params={"after": "3"}, timeout=60) as response:
        events = sse(response.iter_lines())
        first = [next(events) for _ in range(3)]
    assert [event["id"] for event in first] == ["4", "5", "6"]
    headers = {"Last-Event-ID": "6"}
    with httpx.stream("GET", f"{url}/api/sessions/{session_id}/events", headers=headers, timeout=60) as response:
        assert next(sse(response.iter_lines()))["id"] == "7"
    with EventStore(database) as store:
        head = store.session(session_id).head
    with httpx.stream("GET", f"{url}/api/sessions/{session_id}/events", timeout=60) as response:
        events = sse(response.iter_lines())
        threading.Timer(0.3, lambda: begun_again(url, session_id)).start()
        assert next(events)["id"] == str(head + 1)


def begun_again(url: str, session_id: str) -> None:
    httpx.post(f"{url}/api/agent", json={"input": "again", "sessionId": session_id}, timeout=60)


def test_another_host_name_or_another_page_is_refused(client: httpx.Client) -> None:
    assert client.get("/api/sessions", headers={"Host": "evil.example"}).status_code == 403
    assert client.post("/api/agent", json={"input": "x"}, headers={"Origin": "http://evil.example"}).status_code == 403
    own = str(client.base_url).rstrip("/")
    assert client.get("/api/sessions", headers={"Origin": own}).status_code == 200


def test_off_the_loopback_there_must_be_a_token(database: str, workspace: Path) -> None:
    with pytest.raises(UsageError, match="reached by others"):
        Rules.for_address("0.0.0.0", None)
    with served(database, workspace, token="s3cret") as url:
        assert httpx.get(f"{url}/api/sessions").status_code == 401
        assert httpx.get(f"{url}/api/sessions", headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert httpx.get(f"{url}/api/sessions", headers={"Authorization": "Bearer s3cret"}).status_code == 200
        with httpx.Client(base_url=url) as page:
            assert page.get("/", params={"token": "s3cret"}).status_code == 200
            assert page.get("/").status_code == 200


def test_damaged_text_of_a_session_is_still_an_answer(client: httpx.Client, model: StrictServer) -> None:
    model.extend(say("fine \ud83d"))
    session_id = begun(client, "broken \ud83c emoji".encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
    answer = client.get(f"/api/sessions/{session_id}/runtime")
    assert answer.status_code == 200
    json.loads(answer.content.decode("utf-8"))


def test_remedies_are_in_the_words_of_the_interface(client: httpx.Client, database: str, workspace: Path) -> None:
    begun(client)
    missing = client.get("/api/sessions/nowhere").json()["error"]["remedy"]
    assert "GET /api/sessions" in missing
    assert "rehydrate " not in missing
    with served(database, workspace, base_url="http://127.0.0.1:9/v1") as url:
        shared = httpx.post(f"{url}/api/agent", json={"input": "x", "project": "/nowhere/at/all"}, timeout=60).json()
    assert "--" not in shared["error"]["remedy"]


def test_the_list_is_found_with_and_without_a_slash(client: httpx.Client) -> None:
    for path in ("/sessions", "/sessions/", "/", "/api/sessions", "/api/sessions/"):
        assert client.get(path).status_code == 200


def test_a_run_that_cannot_begin_leaves_nothing(database: str, workspace: Path) -> None:
    with served(database, workspace) as url:
        answer = httpx.post(f"{url}/api/agent", json={"input": "x"}, timeout=60)
    assert answer.status_code == 400
    assert "OPENAI_API_KEY" in answer.json()["error"]["remedy"]
    with EventStore(database) as store:
        assert store.sessions() == []
