"""Stored states are a cache: few, usable by forks, ignored when they are damaged or made by other rules."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from rehydrate.events.store import EventStore
from rehydrate.projections.fold import restore_states
from rehydrate.runtime.fork import fork_session
from rehydrate.runtime.listing import list_sessions

from ..support.events import Log


@pytest.fixture
def store() -> Iterator[EventStore]:
    with EventStore(":memory:") as opened:
        yield opened


def stored(store: EventStore) -> list[int]:
    with store.reading() as connection:
        return [row[0] for row in connection.exec_driver_sql("SELECT seq FROM snapshot ORDER BY seq")]


def grow(store: EventStore, name: str, turns: int) -> None:
    log = Log()
    for number in range(turns):
        log.user(f"step {number}").says("done")
    store.append(name, log.drafts[1:])


def test_a_second_restore_reads_only_what_is_new(store: EventStore) -> None:
    Log().store_in(store)
    grow(store, "s", 100)
    assert restore_states(store, "s").folded == 201
    assert restore_states(store, "s").folded == 0
    grow(store, "s", 2)
    assert restore_states(store, "s").folded == 4


def test_stored_states_stay_few_however_long_a_session_lives(store: EventStore) -> None:
    Log().store_in(store)
    for _ in range(40):
        grow(store, "s", 40)
        restore_states(store, "s")
    assert len(stored(store)) <= 10
    assert stored(store)[-1] == store.session("s").head


def test_a_fork_uses_the_stored_states_of_its_parent(store: EventStore) -> None:
    Log().store_in(store)
    grow(store, "s", 100)
    restore_states(store, "s")
    child = fork_session("s", store=store).session_id
    assert restore_states(store, child).folded == 2


def test_a_damaged_stored_state_is_passed_over(store: EventStore) -> None:
    Log().store_in(store)
    grow(store, "s", 100)
    before = restore_states(store, "s").states
    with store.writing() as connection:
        connection.exec_driver_sql("UPDATE snapshot SET body = x'00ff'")
    assert restore_states(store, "s").states == before


def test_a_rewind_folds_anew(store: EventStore) -> None:
    Log().store_in(store)
    grow(store, "s", 100)
    restore_states(store, "s")
    store.append("s", Log().rewind(11).drafts[1:])
    folded = restore_states(store, "s")
    assert folded.folded == 202
    assert folded.states["activity"]["turns"] == 5


def test_the_size_of_a_state_does_not_follow_the_length_of_the_session(store: EventStore) -> None:
    sizes = []
    for name, turns in (("short", 200), ("long", 2000)):
        log = Log()
        for number in range(turns):
            log.user("go").says("ok", f"r{number}").cost(f"r{number}", input_tokens=5)
            log.add("FileChanged", path=f"f{number % 5}.py", operation="update")
            if number % 50 == 0:
                log.compact("so far")
        log.store_in(store, name)
        restore_states(store, name)
        with store.reading() as connection:
            query = f"SELECT length(body) FROM snapshot WHERE stream = {store.session(name).stream}"
            sizes.append(connection.exec_driver_sql(query).scalar())
    assert sizes[1] < sizes[0] * 1.5


def test_a_restore_does_not_wait_for_a_writer(tmp_path: Path) -> None:
    with EventStore(tmp_path / "store.sqlite") as one, EventStore(tmp_path / "store.sqlite") as other:
        Log().store_in(one)
        grow(one, "s", 100)
        with one.writing():
            began = time.monotonic()
            assert restore_states(other, "s").folded == 201
            assert list_sessions(all=True, store=other)[0].session_id == "s"
            assert time.monotonic() - began < 10
        assert stored(one) == []
