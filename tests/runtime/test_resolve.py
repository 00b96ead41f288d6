"""Sessions are found by what people have in their hands, or not at all; places in them by position, turn and message."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rehydrate.events.errors import AmbiguousSession, EventNotFound, InvalidPointer, SessionNotFound
from rehydrate.events.store import EventStore
from rehydrate.runtime.fork import fork_session
from rehydrate.runtime.labels import archive_session, rename_session
from rehydrate.runtime.listing import last_session, list_sessions
from rehydrate.runtime.rebuild import rebuild_projections
from rehydrate.runtime.resolve import resolve_pointer, resolve_session
from rehydrate.runtime.resume import resume_session

from ..support.events import Log, Tree

ONE = "9087632b-0000-4000-8000-000000000001"
TWO = "9087632b-0000-4000-8000-000000000002"
OTHER = "1187632b-0000-4000-8000-000000000003"


@pytest.fixture
def store() -> Iterator[EventStore]:
    with EventStore(":memory:") as opened:
        for name in (ONE, TWO, OTHER):
            Log().user(f"prompt of {name[-1]}").says("ok").user("second").says("fine").store_in(opened, name)
        yield opened


@pytest.mark.parametrize(
    "text", [OTHER, "11", "1187632b", f"local_{OTHER}", OTHER.upper(), f"/x/rollout-2026-01-01T00-00-00-{OTHER}.jsonl"]
)
def test_b187_an_id_is_found_in_every_form_it_is_shown_in(store: EventStore, text: str) -> None:
    assert resolve_session(store, text).session_id == OTHER


def test_b187_an_ambiguous_beginning_lists_what_fits(store: EventStore) -> None:
    with pytest.raises(AmbiguousSession) as caught:
        resolve_session(store, "9087632b")
    assert {one["session_id"] for one in caught.value.facts["candidates"]} == {ONE, TWO}
    assert caught.value.exit_code == 3


def test_an_unknown_id_names_the_nearest_and_creates_nothing(store: EventStore) -> None:
    with pytest.raises(SessionNotFound) as caught:
        resume_session("1187632c-0000-4000-8000-000000000003", store=store)
    assert caught.value.facts["candidates"][0]["session_id"] == OTHER
    assert len(store.sessions()) == 3


def test_b188_a_new_name_works_at_once(store: EventStore) -> None:
    rename_session(ONE, "planb", store=store)
    assert resolve_session(store, "planb").session_id == ONE
    assert resolve_session(store, "PlanB").session_id == ONE


def test_b067_forks_have_titles_of_their_own_and_the_exact_one_wins(store: EventStore) -> None:
    rename_session(ONE, "payments", store=store)
    names = {fork_session(ONE, store=store).title for _ in range(2)}
    assert len(names | {"payments"}) == 3
    assert resolve_session(store, "payments").session_id == ONE
    with pytest.raises(SessionNotFound) as caught:
        resolve_session(store, "payment")
    assert len(caught.value.facts["candidates"]) == 3


def test_places_are_positions_turns_messages_and_the_end(store: EventStore) -> None:
    head = store.session(ONE).head
    assert resolve_pointer(store, ONE).position == head
    assert resolve_pointer(store, f"{ONE}@last").position == head
    assert resolve_pointer(store, f"{ONE}@2").position == 2
    assert resolve_pointer(store, f"{ONE}@turn:1").position == 3
    assert resolve_pointer(store, f"{ONE}@turn:2").position == head


@pytest.mark.parametrize(
    ("place", "error"),
    [
        ("6", EventNotFound),
        ("99999999999999999999", EventNotFound),
        ("0", InvalidPointer),
        ("-1", InvalidPointer),
        ("turn:9", EventNotFound),
        ("turn:x", InvalidPointer),
        ("before-compaction", EventNotFound),
        ("nothing-like-this", EventNotFound),
        ("", InvalidPointer),
    ],
)
def test_a_place_that_is_not_there_is_an_error(store: EventStore, place: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        resume_session(f"{ONE}@{place}", store=store, check_workspace=False)


def test_a_message_id_means_the_end_of_its_record(store: EventStore) -> None:
    Tree().user("m1", None).says("m2", "m1").user("m3", "m2").store_in(store, "tree")
    assert resolve_pointer(store, "tree@m2").position == 3


def test_before_a_compaction_the_old_context_is_back(store: EventStore) -> None:
    Log().user("old").says("answer").compact("short").user("new").store_in(store, "long")
    runtime = resume_session("long@before-compaction", store=store, check_workspace=False)
    assert [message.native_id or message.content[0].text for message in runtime.messages] == ["old", "answer"]  # type: ignore[union-attr]


def test_b190_the_list_is_in_order_of_the_last_activity(store: EventStore) -> None:
    store.append(ONE, Log().user("x").user("y").user("z").user("late").user("later").drafts[1:])
    listed = list_sessions(all=True, store=store)
    assert listed[0].session_id == ONE
    assert last_session(all_projects=True, store=store) == ONE


def test_b184_the_list_is_complete_whatever_happened_to_its_rows(store: EventStore) -> None:
    before = list_sessions(all=True, store=store)
    with store.writing() as connection:
        connection.exec_driver_sql(f"DELETE FROM session_index WHERE session_id = '{ONE}'")
        connection.exec_driver_sql(f"UPDATE session_index SET data = '{{broken' WHERE session_id = '{TWO}'")
    assert list_sessions(all=True, store=store) == before
    assert rebuild_projections(store=store).mismatches == ()


def test_archived_sessions_are_listed_when_asked_for(store: EventStore) -> None:
    archive_session(ONE, store=store)
    assert ONE not in [one.session_id for one in list_sessions(all=True, store=store)]
    assert ONE in [one.session_id for one in list_sessions(all=True, archived=True, store=store)]


def test_sub_agents_and_empty_sessions_are_not_listed(store: EventStore) -> None:
    store.create_session("agent", source="live", role="subagent", parent_session=ONE)
    store.append("agent", Log().user("task").says("ok").drafts)
    Log().store_in(store, "empty")
    assert {one.session_id for one in list_sessions(all=True, store=store)} == {ONE, TWO, OTHER}


def test_b203_an_empty_database_gives_empty_answers() -> None:
    with EventStore(":memory:") as empty:
        assert list_sessions(all=True, store=empty) == ()
        assert rebuild_projections(store=empty).sessions == 0
        with pytest.raises(SessionNotFound):
            last_session(all_projects=True, store=empty)


def test_b196_a_wrong_stored_state_is_found_named_and_replaced(store: EventStore) -> None:
    rebuild_projections(store=store)
    list_sessions(all=True, store=store)
    with store.writing() as connection:
        connection.exec_driver_sql(f"UPDATE session_index SET title = 'wrong' WHERE session_id = '{ONE}'")
        connection.exec_driver_sql("UPDATE snapshot SET body = x'00'")
    found = rebuild_projections(store=store)
    assert {one.session_id for one in found.mismatches} == {ONE, TWO, OTHER}
    assert rebuild_projections(store=store).mismatches == ()
    assert list_sessions(all=True, store=store)[0].title != "wrong"


def test_b16_a_turn_ends_with_its_own_last_event(store: EventStore) -> None:
    before = resolve_pointer(store, f"{ONE}@turn:2").position
    rename_session(ONE, "named later", store=store)
    store.append(ONE, Log().rewind(3).drafts[1:])
    assert before == 5
    assert resolve_pointer(store, f"{ONE}@turn:1").position == 3
    with pytest.raises(EventNotFound):
        resolve_pointer(store, f"{ONE}@turn:2")
