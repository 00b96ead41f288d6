"""One writer: who holds a session is named, a dead holder is none, and whoever was replaced can append no more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rehydrate.events import schema
from rehydrate.events.errors import LeaseConflict
from rehydrate.events.event import Draft
from rehydrate.events.kinds import Notice
from rehydrate.events.store import EventStore
from rehydrate.events.times import now_us
from rehydrate.runtime.live.lease import Holder, acquire, holder_of
from rehydrate.runtime.live.takeover import takeover_session
from sqlalchemy import update

DRAFT = Draft.of(Notice(subtype="test"))

COMPETE = """
import sys, time
from rehydrate.events.errors import LeaseConflict
from rehydrate.events.event import Draft
from rehydrate.events.kinds import Notice
from rehydrate.events.store import EventStore
from rehydrate.runtime.live.lease import acquire

database, name = sys.argv[1:]
refused = 0
with EventStore(database) as store:
    while True:
        try:
            lease = acquire(store, "S")
        except LeaseConflict:
            refused += 1
            time.sleep(0.02)
            continue
        head = store.session("S").head
        for number in range(5):
            store.append("S", [Draft.of(Notice(subtype=name))], head + number, token=lease.token)
            time.sleep(0.005)
        lease.release()
        print(refused)
        break
"""

HOLD_AND_DIE = """
import os, sys
from rehydrate.events.store import EventStore
from rehydrate.runtime.live.lease import acquire
store = EventStore(sys.argv[1])
lease = acquire(store, "S")
print(lease.token, flush=True)
os._exit(1)
"""


@pytest.fixture
def store(database: str) -> EventStore:
    store = EventStore(database)
    store.create_session("S", source="live")
    store.append("S", [DRAFT])
    return store


def test_a_second_writer_is_told_who_holds_the_session_and_since_when(store: EventStore, database: str) -> None:
    held = acquire(store, "S")
    with EventStore(database) as other, pytest.raises(LeaseConflict) as refused:
        acquire(other, "S")
    assert refused.value.exit_code == 4
    assert refused.value.facts["pid"] == os.getpid()
    assert refused.value.facts["host"] == Holder.current().host
    assert refused.value.facts["since"].startswith("20")
    assert "rehydrate takeover S" in refused.value.remedy
    held.release()


def test_a_lease_that_was_given_back_is_free_and_the_next_token_is_higher(store: EventStore) -> None:
    first = acquire(store, "S")
    first.release()
    assert holder_of(store, "S") is None
    second = acquire(store, "S")
    assert second.token > first.token
    second.release()


def test_the_lease_of_a_dead_process_on_this_machine_is_free_at_once(store: EventStore, database: str) -> None:
    done = subprocess.run([sys.executable, "-c", HOLD_AND_DIE, database], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert holder_of(store, "S") is None
    held = acquire(store, "S")
    assert held.token == int(done.stdout) + 1
    held.release()


def test_a_lease_whose_object_is_gone_is_free_though_its_process_lives(store: EventStore) -> None:
    held = acquire(store, "S")
    del held
    acquire(store, "S").release()


def test_a_holder_elsewhere_is_believed_until_it_stops_renewing(store: EventStore) -> None:
    held = acquire(store, "S", renew_every_s=3600)
    elsewhere = json.dumps({"pid": 1, "host": "another-machine"})
    columns = schema.lease.c
    with store.writing() as connection:
        connection.execute(update(schema.lease).where(columns.session_id == "S"), {"holder": elsewhere})
    with pytest.raises(LeaseConflict, match="another-machine"):
        acquire(store, "S")
    with store.writing() as connection:
        silent = now_us() - 61_000_000
        connection.execute(update(schema.lease).where(columns.session_id == "S"), {"renewed_us": silent})
    acquire(store, "S").release()
    held.release()


def test_a_clock_that_jumps_takes_no_lease_from_a_living_process_here(store: EventStore, database: str) -> None:
    held = acquire(store, "S", renew_every_s=3600)
    with store.writing() as connection:
        connection.execute(update(schema.lease), {"renewed_us": now_us() - 3_600_000_000})
    with EventStore(database) as other, pytest.raises(LeaseConflict):
        acquire(other, "S")
    held.release()


def test_after_a_takeover_the_former_writer_can_append_no_more(store: EventStore, database: str) -> None:
    stale = acquire(store, "S")
    with EventStore(database) as other:
        taken = takeover_session("S", store=other)
    assert taken.former is not None
    assert taken.former["pid"] == os.getpid()
    with pytest.raises(LeaseConflict, match="taken over"):
        store.append("S", [DRAFT], token=stale.token)
    assert store.session("S").head == 1
    assert not stale.renew()
    stale.release()
    acquire(store, "S").release()


def test_a_held_session_can_still_be_read_and_forked(store: EventStore, database: str) -> None:
    from rehydrate.runtime.fork import fork_session

    held = acquire(store, "S")
    with EventStore(database) as other:
        assert len(list(other.read("S"))) == 1
        assert fork_session("S@1", store=other).forked_from == "S@1"
    held.release()


def test_eight_processes_write_one_session_one_after_the_other(
    store: EventStore, database: str, tmp_path: Path
) -> None:
    started = [
        subprocess.Popen([sys.executable, "-c", COMPETE, database, f"writer-{number}"], stdout=subprocess.PIPE)
        for number in range(8)
    ]
    refused = [int(process.communicate(timeout=120)[0]) for process in started]
    assert [process.returncode for process in started] == [0] * 8
    events = list(store.read("S", after=1))
    assert [event.position for event in events] == list(range(2, 42))
    writers = [event.data["subtype"] for event in events]
    assert [writers[at : at + 5].count(writers[at]) for at in range(0, 40, 5)] == [5] * 8, (
        "two writers were interleaved"
    )
    assert sum(refused) > 0
