"""What every event store promises, whatever engine it runs on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from rehydrate.events.canonical import GENESIS
from rehydrate.events.errors import (
    EventConflict,
    EventNotFound,
    LeaseConflict,
    PositionConflict,
    RehydrateError,
    SessionNotFound,
)
from rehydrate.events.event import Draft, derived_id
from rehydrate.events.importers.run import import_file
from rehydrate.events.store import EventStore
from rehydrate.runtime.verify import verify_store
from sqlalchemy import exc, text

from ..support.imported import facts, original
from ..support.stores import KINDS, opened
from ..support.tiny import TinyImporter


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventStore]:
    with opened(request.param, tmp_path) as made:
        yield made


def said(number: int, *, known: bool = False) -> Draft:
    data = {"content": [{"type": "text", "text": f"message {number}"}]}
    return Draft("UserInput", data, derived_id("said", number) if known else None, ts=number)


def begun(store: EventStore, count: int = 3, session: str = "S") -> EventStore:
    store.create_session(session, source="live")
    store.append(session, [said(number) for number in range(1, count + 1)], 0)
    return store


def times(store: EventStore, session: str, **options: object) -> list[int | None]:
    return [event.ts for event in store.read(session, **options)]  # type: ignore[arg-type]


def test_positions_count_from_one_without_a_gap(store: EventStore) -> None:
    begun(store)
    appended = store.append("S", [said(4), said(5)], 3)
    assert [event.position for event in appended] == [4, 5]
    assert [event.position for event in store.read("S")] == [1, 2, 3, 4, 5]
    assert store.session("S").head == 5


def test_an_append_at_another_position_is_a_conflict_with_both_numbers(store: EventStore) -> None:
    begun(store)
    with pytest.raises(PositionConflict) as caught:
        store.append("S", [said(9)], 2)
    assert (caught.value.expected_position, caught.value.found_position) == (2, 3)
    assert store.session("S").head == 3


def test_appending_the_same_event_again_is_no_second_event(store: EventStore) -> None:
    begun(store)
    first = store.append("S", [said(4, known=True)], 3)
    again = store.append("S", [said(4, known=True)], 3)
    at_head = store.append("S", [said(4, known=True), said(5)], 4)
    assert [event.position for event in again] == [event.position for event in first] == [4]
    assert [event.position for event in at_head] == [4, 5]
    assert store.session("S").head == 5


def test_other_content_under_a_known_id_is_an_error_and_nothing_is_written(store: EventStore) -> None:
    begun(store)
    store.append("S", [said(4, known=True)], 3)
    other = Draft("UserInput", {"content": []}, derived_id("said", 4))
    with pytest.raises(EventConflict):
        store.append("S", [said(8), other])
    assert store.session("S").head == 4


def test_an_unknown_session_is_an_error_and_is_not_created(store: EventStore) -> None:
    with pytest.raises(SessionNotFound):
        store.append("nobody", [said(1)])
    with pytest.raises(SessionNotFound):
        list(store.read("nobody"))
    assert store.sessions() == []


def test_a_session_id_is_taken_once(store: EventStore) -> None:
    begun(store)
    with pytest.raises(EventConflict):
        store.create_session("S", source="live")


def test_reading_by_range_backwards_and_by_kind(store: EventStore) -> None:
    begun(store, 6)
    store.append("S", [Draft("Notice", {"subtype": "x"}, ts=7)])
    assert times(store, "S", after=2, until=4) == [3, 4]
    assert times(store, "S", reverse=True) == [7, 6, 5, 4, 3, 2, 1]
    assert times(store, "S", kinds=["Notice"]) == [7]
    assert times(store, "S", until=99) == [1, 2, 3, 4, 5, 6, 7]
    assert times(store, "S", after=7) == []


def test_more_events_than_a_page_come_in_order_both_ways(store: EventStore) -> None:
    begun(store, 4500)
    assert times(store, "S") == list(range(1, 4501))
    assert times(store, "S", reverse=True) == list(range(4500, 0, -1))


def test_a_fork_shares_its_past_and_neither_side_sees_the_other(store: EventStore) -> None:
    begun(store, 5)
    store.create_fork("F", "S", 3, source="live")
    store.append("F", [said(40)], 3)
    store.append("S", [said(6)], 5)
    store.create_fork("G", "F", 4, source="live")
    store.append("G", [said(50)], 4)
    assert times(store, "F") == [1, 2, 3, 40]
    assert times(store, "S") == [1, 2, 3, 4, 5, 6]
    assert times(store, "G", reverse=True) == [50, 40, 3, 2, 1]
    assert times(store, "G", after=2, until=4) == [3, 40]


def test_a_fork_of_a_fork_below_its_fork_point_lies_in_the_first(store: EventStore) -> None:
    begun(store, 5)
    store.create_fork("F", "S", 4, source="live")
    store.create_fork("G", "F", 2, source="live")
    assert times(store, "G") == [1, 2]
    assert store.hash_at(store.session("G"), 2) == store.hash_at(store.session("S"), 2)


@pytest.mark.parametrize("position", [0, 4, -1])
def test_a_fork_at_a_place_without_event_is_refused(store: EventStore, position: int) -> None:
    begun(store)
    with pytest.raises(EventNotFound):
        store.create_fork("F", "S", position, source="live")
    assert [row.session_id for row in store.sessions()] == ["S"]


def test_the_chain_changes_with_every_event_and_is_the_same_for_the_same_events(store: EventStore) -> None:
    store.create_session("S", source="live")
    store.create_session("T", source="live")
    for session in ("S", "T"):
        store.append(session, [said(1, known=True), said(2, known=True)])
    row = store.session("S")
    chain = [store.hash_at(row, position) for position in range(3)]
    assert chain[0] == GENESIS and len(set(chain)) == 3
    assert store.hash_at(store.session("T"), 2) == chain[2]


def test_a_new_generation_leaves_the_old_events_to_the_forks(store: EventStore) -> None:
    begun(store, 3)
    store.create_fork("F", "S", 3, source="live")
    store.new_generation("S")
    store.append("S", [said(9)], 0)
    assert times(store, "S") == [9]
    assert times(store, "F") == [1, 2, 3]


def test_a_failed_step_leaves_nothing_even_when_the_caller_goes_on(store: EventStore) -> None:
    begun(store, 1)
    with store.writing():
        store.append("S", [said(2)])
        with pytest.raises(RuntimeError), store.writing():
            store.append("S", [said(3)])
            raise RuntimeError
        store.append("S", [said(4)])
    assert times(store, "S") == [1, 2, 4]


def test_a_failed_write_leaves_nothing(store: EventStore) -> None:
    begun(store, 1)
    with pytest.raises(RuntimeError), store.writing():
        store.append("S", [said(2)])
        store.create_session("T", source="live")
        raise RuntimeError
    assert times(store, "S") == [1]
    assert store.find_session("T") is None


@pytest.mark.parametrize("statement", ["UPDATE event SET kind = 'Notice'", "DELETE FROM event"])
def test_the_database_itself_refuses_to_change_events(store: EventStore, statement: str) -> None:
    begun(store)
    before = facts(store, "S")
    with pytest.raises((exc.DBAPIError, RehydrateError)), store.writing() as connection:
        connection.execute(text(statement))
    assert facts(store, "S") == before


def test_a_large_text_is_stored_once_and_comes_back_whole(store: EventStore) -> None:
    store.create_session("S", source="live")
    big = "große Datei \x00 \ud800 🌀 " * 5000
    store.append("S", [Draft("Notice", {"subtype": "x", "text": big}) for _ in range(3)])
    stored = list(store.read("S"))
    assert len({event.data["text"]["$blob"] for event in stored}) == 1
    assert {event.data["text"] for event in store.hydrate(stored)} == {big}


def test_a_blob_is_found_by_its_digest(store: EventStore) -> None:
    digest = store.put_blob(b"content")
    assert digest == hashlib.sha256(b"content").hexdigest() == store.put_blob(b"content")
    assert store.blob(digest) == b"content"
    assert store.blob("0" * 64) is None


def test_a_fenced_writer_is_refused(store: EventStore) -> None:
    begun(store)
    with store.writing() as connection:
        connection.execute(text("INSERT INTO lease (session_id, token, holder) VALUES ('S', 2, 'somebody')"))
    with pytest.raises(LeaseConflict):
        store.append("S", [said(4)], 3, token=1)
    store.append("S", [said(4)], 3, token=2)
    assert store.session("S").head == 4


def test_a_snapshot_is_found_at_or_before_a_position_through_the_lineage(store: EventStore) -> None:
    begun(store, 5)
    store.save_snapshot(store.session("S"), 2, "v1", b"two")
    store.create_fork("F", "S", 4, source="live")
    assert store.load_snapshot(store.session("F"), 4, "v1") == (2, b"two")
    assert store.load_snapshot(store.session("S"), 1, "v1") is None
    assert store.load_snapshot(store.session("S"), 5, "v2") is None


def test_an_imported_file_comes_back_byte_for_byte_and_is_proved_whole(store: EventStore, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b'\xef\xbb\xbf{"tiny":"S","id":"a","say":"\\u0000\\ud800"}\r\n\n{broken\n' + b'{"tiny":"S","say":"x"}\n' * 2
    )
    import_file(store, path, TinyImporter())
    assert original(store, path) == path.read_bytes()
    proof = verify_store(store=store)
    assert proof.mismatches == () and proof.events == store.session("S").head


def test_a_chain_survives_a_fork_and_a_new_generation(store: EventStore) -> None:
    begun(store, 4)
    store.create_fork("F", "S", 3, source="live")
    store.append("F", [said(7)])
    store.new_generation("S")
    store.append("S", [said(8)])
    proof = verify_store(store=store)
    assert [one for one in proof.mismatches if one.what != "projection"] == []
