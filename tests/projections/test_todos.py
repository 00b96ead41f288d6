"""The todo list follows the branch; numbers are never given twice."""

from __future__ import annotations

import pytest
from rehydrate.events.store import EventStore
from rehydrate.runtime.restored_state import AppState
from rehydrate.runtime.resume import resume_session

from ..support.events import Log


@pytest.fixture
def store() -> EventStore:
    with EventStore(":memory:") as opened:
        yield opened


def app(store: EventStore, pointer: str = "s") -> AppState:
    return resume_session(pointer, store=store, check_workspace=False).app_state


def told(state: AppState) -> list[tuple[str, str]]:
    return [(todo.content, todo.status) for todo in state.todos]


def test_a_restore_at_an_earlier_turn_has_the_list_of_that_turn(store: EventStore) -> None:
    log = Log().user("one").todos(("A", "pending")).user("two").says("ok")
    middle = log.head
    log.user("three").todos(("A", "completed"), ("B", "in_progress")).store_in(store)
    assert told(app(store, f"s@{middle}")) == [("A", "pending")]
    assert told(app(store)) == [("A", "completed"), ("B", "in_progress")]


def test_tasks_keep_their_numbers_and_the_next_one_follows_the_highest(store: EventStore) -> None:
    log = Log().user("plan it")
    log.add("TodoSnapshot", created=[{"id": "1", "content": "a"}], numbered=True)
    log.add("TodoSnapshot", created=[{"id": "2", "content": "b"}], numbered=True)
    log.add("TodoSnapshot", changed=[{"id": "1", "status": "completed"}], numbered=True)
    log.store_in(store)
    state = app(store)
    assert {todo.id: (todo.content, todo.status) for todo in state.todos} == {
        "1": ("a", "completed"),
        "2": ("b", "pending"),
    }
    assert state.next_todo_id == 3


def test_a_rewind_undoes_a_difference_but_not_the_numbering(store: EventStore) -> None:
    log = Log().user("plan it").add("TodoSnapshot", created=[{"id": "1", "content": "a"}], numbered=True)
    back = log.head
    log.user("more").add("TodoSnapshot", created=[{"id": "2", "content": "b"}], numbered=True)
    log.rewind(back).store_in(store)
    state = app(store)
    assert told(state) == [("a", "pending")]
    assert state.next_todo_id == 3


def test_dependencies_are_told_from_both_sides(store: EventStore) -> None:
    log = Log().add("TodoSnapshot", created=[{"id": "1", "content": "a"}, {"id": "2", "content": "b"}], numbered=True)
    log.add("TodoSnapshot", changed=[{"id": "1", "add_blocks": ["2"]}], numbered=True).store_in(store)
    assert app(store).todos[1].blocked_by == ("1",)


def test_a_change_of_an_unknown_task_changes_nothing(store: EventStore) -> None:
    log = Log().add("TodoSnapshot", created=[{"id": "1", "content": "a"}], numbered=True)
    log.add("TodoSnapshot", changed=[{"id": "99", "status": "completed"}], numbered=True).store_in(store)
    assert told(app(store)) == [("a", "pending")]


def test_the_list_of_a_side_chain_is_not_the_sessions(store: EventStore) -> None:
    log = Log().todos(("main", "pending"))
    log.add("TodoSnapshot", lane="agent-1", items=[{"id": "1", "content": "side"}]).store_in(store)
    assert told(app(store)) == [("main", "pending")]
