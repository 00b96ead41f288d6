"""Every published transcript: imported without loss, given back byte for byte, the same in any cuts, the same twice."""

from __future__ import annotations

import random
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest
from rehydrate.events.errors import UnreadableSource
from rehydrate.events.importers.run import import_file
from rehydrate.events.kinds import validate_fact
from rehydrate.events.store import EventStore
from rehydrate.runtime.original import original_bytes, source_of

from ..support.imported import facts
from ..support.samples import needs_samples, public

SMALL = 200_000
FILES = [*public("claude-code"), *public("codex")]
pytestmark = needs_samples


def take(store: EventStore, path: Path) -> str:
    result = import_file(store, path)
    assert result.identity is not None
    return result.identity.session_id


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_bytes_come_back_and_every_record_is_an_event(path: Path) -> None:
    with EventStore(":memory:") as store:
        session = take(store, path)
        source = source_of(store, session, path)
        assert b"".join(original_bytes(store, source)) == path.read_bytes()
        told = {event.record for event in store.read(session)}
        kept = {record.record for record in store.each_source_record(source.source) if record.raw.strip()}
        repeats = kept - told
        assert len(repeats) <= len(kept) // 2
        assert import_file(store, path).events_added == 0


@pytest.mark.parametrize("path", [path for path in FILES if path.stat().st_size < SMALL], ids=lambda path: path.name)
def test_every_event_is_a_valid_fact(path: Path) -> None:
    with EventStore(":memory:") as store:
        session = take(store, path)
        for event in store.read(session):
            validate_fact({"kind": event.kind, **event.data})


@pytest.mark.parametrize("path", [path for path in FILES if path.stat().st_size < SMALL], ids=lambda path: path.name)
def test_three_cuts_at_random_bytes_equal_one_import(path: Path, tmp_path: Path) -> None:
    raw = path.read_bytes()
    chance = random.Random(path.name)
    first = raw.find(b"\n") + 1 or len(raw)
    cuts = sorted(chance.randint(first, len(raw)) for _ in range(3))
    copy = tmp_path / path.name
    with EventStore(":memory:") as pieces, EventStore(":memory:") as once:
        for cut in [*cuts, len(raw)]:
            copy.write_bytes(raw[:cut])
            # A document that is cut is no document, and titles of other sessions name none: nothing is read of these
            # before more has come. The lines of all other files can be read up to the cut.
            unreadable = path.suffix == ".json" or b"essionId" not in raw[: raw.rfind(b"\n", 0, cut) + 1]
            with suppress(UnreadableSource) if unreadable else nullcontext():
                take(pieces, copy)
        session = take(once, copy)
        assert facts(pieces, session) == facts(once, session)
