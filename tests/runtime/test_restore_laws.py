"""What holds for a restore of any log at any place: legal for every provider, pure, the same through snapshots and forks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rehydrate.events.store import EventStore
from rehydrate.projections.fold import Folded, encode, fold_events, restore_states, save_state
from rehydrate.runtime.fork import fork_session
from rehydrate.runtime.rebuild import rebuild_projections
from rehydrate.runtime.restored import RestoredRuntime
from rehydrate.runtime.resume import resume_session
from rehydrate.runtime.rewind import rewind_session

from ..support.events import Log, Tree
from ..support.generated import linear_logs, trees
from ..support.legality import faults

LOGS = st.one_of(linear_logs(), trees())
quick = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


SHARED = EventStore(":memory:")
NUMBERS = itertools.count(1)


@contextmanager
def stored(log: Log | Tree) -> Iterator[tuple[EventStore, str]]:
    """The log as a session of its own in a store that all examples share: making one takes longer than an example."""
    name = f"session-{next(NUMBERS)}-of-many"
    yield log.store_in(SHARED, name), name


def restored(store: EventStore, pointer: str) -> RestoredRuntime:
    return resume_session(pointer, store=store, check_workspace=False)


def same(one: RestoredRuntime, other: RestoredRuntime, *names: str) -> None:
    """Compare parts of two restores whose session ids differ."""
    for name in names:
        left, right = (getattr(runtime, name).model_dump_json() for runtime in (one, other))
        assert left.replace(one.session.id, "S") == right.replace(other.session.id, "S"), name


@quick
@given(log=LOGS, data=st.data())
def test_every_place_of_every_log_is_legal_for_every_provider(log: Log | Tree, data: st.DataObject) -> None:
    with stored(log) as (store, name):
        position = data.draw(st.integers(1, log.head))
        for pointer in (name, f"{name}@{position}"):
            assert faults(restored(store, pointer)) == {}
            assert faults(restored(store, pointer), model="gpt-other") == {}


@quick
@given(log=LOGS, data=st.data())
def test_a_restore_from_a_snapshot_is_a_restore_from_the_first_event(log: Log | Tree, data: st.DataObject) -> None:
    position = data.draw(st.integers(1, log.head))
    with stored(log) as (store, name):
        row = store.session(name)
        whole = restored(store, name).model_dump_json()
        path, states, count = fold_events(lambda: store.read(name, until=position))
        save_state(store, row, Folded(name, position, path, states, count))
        assert restored(store, name).model_dump_json() == whole
        folded = restore_states(store, name)
        path, states, _ = fold_events(lambda: store.read(name))
        assert encode(Folded(name, log.head, path, states)) == encode(
            Folded(name, log.head, folded.path, folded.states)
        )


@quick
@given(log=LOGS)
def test_restoring_twice_gives_the_same_bytes_and_rebuilding_finds_nothing(log: Log | Tree) -> None:
    with stored(log) as (store, name):
        first = restored(store, name).model_dump_json()
        assert restored(store, name).model_dump_json() == first
        assert rebuild_projections([name], store=store).mismatches == ()
        assert restored(store, name).model_dump_json() == first


@quick
@given(log=LOGS, data=st.data())
def test_a_fork_is_its_parent_at_that_place(log: Log | Tree, data: st.DataObject) -> None:
    position = data.draw(st.integers(1, log.head))
    with stored(log) as (store, name):
        child = restored(store, fork_session(f"{name}@{position}", store=store).session_id)
        parent = restored(store, f"{name}@{position}")
        assert child.to_anthropic() == parent.to_anthropic()
        same(child, parent, "app_state", "agent")
        assert child.compactions == tuple(
            one.model_copy(update={"pointer": one.pointer.replace(f"{name}@", f"{child.session.id}@")})
            for one in parent.compactions
        )
        assert child.accounting.total == parent.accounting.total
        assert child.accounting.own.requests == 0


@quick
@given(log=LOGS, data=st.data())
def test_a_rewound_session_is_what_it_was_and_its_former_end_stays(log: Log | Tree, data: st.DataObject) -> None:
    position = data.draw(st.integers(1, log.head))
    with stored(log) as (store, name):
        before, end = restored(store, f"{name}@{position}"), restored(store, name)
        done = rewind_session(f"{name}@{position}", store=store)
        after = restored(store, name)
        assert after.to_responses() == before.to_responses()
        same(after, before, "app_state")
        rewind_session(done.former_end, store=store)
        assert restored(store, name).to_chat() == end.to_chat()
