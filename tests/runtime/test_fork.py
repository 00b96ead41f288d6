"""Forks share the past, cost one append, work anywhere, and can be told apart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from rehydrate.events.errors import EventNotFound
from rehydrate.events.event import Draft
from rehydrate.events.store import EventStore
from rehydrate.runtime.fork import fork_session
from rehydrate.runtime.listing import list_sessions
from rehydrate.runtime.restored import RestoredRuntime
from rehydrate.runtime.resume import resume_session

from ..support.events import Log


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    with EventStore(tmp_path / "store.sqlite") as opened:
        yield opened


def turns(log: Log, *numbers: int) -> Log:
    for number in numbers:
        log.user(f"question {number}").says(f"answer {number}", f"r{number}").cost(f"r{number}", input_tokens=10)
    return log


def restored(store: EventStore, pointer: str) -> RestoredRuntime:
    return resume_session(pointer, store=store, check_workspace=False)


def test_a_fork_from_an_early_turn_knows_nothing_of_later_ones(store: EventStore) -> None:
    turns(Log(), 1, 2, 3, 4, 5).store_in(store, "parent")
    head = store.session("parent").head

    child = fork_session("parent@turn:2", store=store).session_id

    assert "question 3" not in restored(store, child).model_dump_json()
    assert "question 3" not in "".join(str(event.data) for event in store.read(child))
    assert store.session("parent").head == head


def test_the_cut_is_inclusive_at_an_assistant_message_a_result_and_a_user_message(store: EventStore) -> None:
    log = Log().user("do it").says("I do", "r1").call("c1", response="r1").result("c1").user("thanks")
    log.store_in(store, "parent")
    last = [
        restored(store, fork_session(f"parent@{position}", store=store).session_id).messages[-1]
        for position in (3, 5, 6)
    ]
    assert [message.role for message in last] == ["assistant", "user", "user"]
    assert [message.content[0].type for message in last] == ["text", "tool_result", "text"]


def test_each_side_of_a_fork_changes_its_own_todos(store: EventStore) -> None:
    Log().user("plan").todos(("A", "pending"), ("B", "pending")).store_in(store, "parent")
    child = fork_session("parent", store=store).session_id
    for session, todos in (
        (child, [("A", "completed"), ("B", "pending")]),
        ("parent", [("A", "pending"), ("B", "pending"), ("C", "pending")]),
    ):
        items = [{"id": str(n), "content": text, "status": status} for n, (text, status) in enumerate(todos, 1)]
        store.append(session, [Draft("TodoSnapshot", {"items": items})])

    def listed(session: str) -> list[tuple[str, str]]:
        return [(todo.content, todo.status) for todo in restored(store, session).app_state.todos]

    assert listed(child) == [("A", "completed"), ("B", "pending")]
    assert listed("parent") == [("A", "pending"), ("B", "pending"), ("C", "pending")]


def test_calls_open_at_the_cut_are_interrupted_once_in_the_fork(store: EventStore) -> None:
    Log().user("run").call("c1", response="r1").call("c2", response="r1").result("c1").store_in(store, "parent")
    child = restored(store, fork_session("parent@3", store=store).session_id)
    results = [block for message in child.messages for block in message.content if block.type == "tool_result"]
    assert [result.tool_use_id for result in results] == ["c1"]
    assert [call.status for call in child.app_state.pending_calls] == ["interrupted"]


def test_own_accounting_starts_at_zero_and_the_total_is_own_and_inherited(store: EventStore) -> None:
    turns(Log(), 1, 2).store_in(store, "parent")
    child = fork_session("parent", store=store).session_id
    at_first = restored(store, child).accounting
    store.append(child, [Draft("Cost", {"response_id": "new", "model": "m", "input_tokens": 7})])
    later = restored(store, child).accounting
    assert (at_first.own.input_tokens, at_first.inherited.input_tokens) == (0, 20)
    assert (later.own.input_tokens, later.inherited.input_tokens, later.total.input_tokens) == (7, 20, 27)


def test_a_fork_of_a_fork_a_hundred_deep_restores_like_the_first(store: EventStore) -> None:
    turns(Log(), 1, 2, 3).store_in(store, "root")
    session = "root"
    for _ in range(100):
        session = fork_session(session, store=store).session_id
    deep, root = restored(store, session), restored(store, "root")
    assert [message.content for message in deep.messages] == [message.content for message in root.messages]
    assert len(deep.session.lineage) == 100
    assert deep.accounting.total == root.accounting.total


def test_forking_twice_gives_titles_that_can_be_told_apart(store: EventStore) -> None:
    Log().user("hello").add("SessionLabel", title="payments").store_in(store, "parent")
    first, second = (fork_session("parent", store=store) for _ in range(2))
    assert (first.title, second.title) == ("payments (fork)", "payments (fork 2)")
    assert restored(store, "payments").session.id == "parent"
    assert {session.title for session in list_sessions(all=True, store=store)} >= {
        "payments",
        "payments (fork)",
        "payments (fork 2)",
    }


def test_every_event_of_a_fork_bears_the_forks_id(store: EventStore) -> None:
    turns(Log(), 1).store_in(store, "parent")
    child = fork_session("parent", store=store)
    assert {event.session_id for event in store.read(child.session_id)} == {child.session_id}
    assert restored(store, child.session_id).session.forked_from == child.forked_from == f"parent@{4}"


def test_the_fork_of_a_sub_agent_is_a_session_of_its_own(store: EventStore) -> None:
    store.create_session("parent", source="live")
    store.create_session("parent/agent-1", source="live", role="subagent", parent_session="parent", agent_id="1")
    store.append("parent/agent-1", turns(Log(), 1).drafts)
    child = fork_session("parent/agent-1@3", store=store).session_id
    assert restored(store, child).messages[0].content == restored(store, "parent/agent-1@3").messages[0].content
    assert child in {session.session_id for session in list_sessions(all=True, store=store)}


def test_a_fork_past_the_end_is_refused_and_leaves_nothing(store: EventStore) -> None:
    turns(Log(), 1).store_in(store, "parent")
    before = (store.event_count(), len(store.sessions()))
    with pytest.raises(EventNotFound):
        fork_session("parent@99", store=store)
    assert (store.event_count(), len(store.sessions())) == before


def test_fifty_forks_of_a_large_session_add_almost_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with EventStore(path) as store:
        log = Log().user("read")
        for number in range(200):
            log.call(f"c{number}", response=f"r{number}").result(f"c{number}", "x" * 100_000)
        log.store_in(store, "large")
        store.append("large", [Draft("SessionLabel", {"title": "large"})])
    before = path.stat().st_size
    with EventStore(path) as store:
        for _ in range(50):
            fork_session("large", store=store)
    assert path.stat().st_size - before < 120_000
