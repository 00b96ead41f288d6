"""Every published transcript restores to the same bytes twice, is legal for every provider, and folds to the states that are stored."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from rehydrate.events.errors import RehydrateError
from rehydrate.events.store import EventStore
from rehydrate.projections.accounting import knows
from rehydrate.projections.fold import Folded, Folding, decode, encode, fold_events
from rehydrate.projections.path import Path as LivePath
from rehydrate.runtime.importing import import_transcripts
from rehydrate.runtime.rebuild import rebuild_projections
from rehydrate.runtime.resume import resume_session

from ..support.legality import faults
from ..support.samples import needs_samples, public

pytestmark = needs_samples
ALL = [*public("claude-code"), *public("codex")]
SMALL = sorted(ALL, key=lambda path: path.stat().st_size)[20:80:5]
CUTS = 4


@pytest.fixture(scope="module")
def store() -> Iterator[EventStore]:
    """All of them in one database; a file whose session id another one has is left out by the import."""
    with EventStore(":memory:") as opened:
        import_transcripts(ALL, store=opened)
        yield opened


def test_each_restores_twice_to_the_same_bytes_and_is_legal(store: EventStore) -> None:
    wrong: dict[str, object] = {}
    for row in store.sessions():
        first = resume_session(row.session_id, store=store, check_workspace=False)
        again = resume_session(row.session_id, store=store, check_workspace=False)
        found = faults(first)
        if found or first.model_dump_json() != again.model_dump_json():
            wrong[row.session_id] = found or "differs"
    assert wrong == {}


def test_stored_states_equal_a_fold_from_the_first_event(store: EventStore) -> None:
    assert rebuild_projections(store=store).mismatches == ()


def test_states_that_go_on_equal_states_from_the_first_event(store: EventStore) -> None:
    chance = random.Random(11)
    wrong: list[tuple[str, int, int]] = []
    for row in store.sessions():
        events = list(store.read(row.session_id))
        for _ in range(CUTS if row.head > 10 else 0):
            start = chance.randrange(1, row.head)
            end = min(row.head, start + chance.choice([1, 5, 60]))
            if not _goes_on(row.session_id, events, start, end):
                wrong.append((row.session_id, start, end))
    assert wrong == []


def _goes_on(name: str, events: list, start: int, end: int) -> bool:
    path, states, _ = fold_events(lambda: events[:start])
    kept = decode(encode(Folded(name, start, path, states)))
    assert kept is not None
    path, folding = LivePath.from_json(kept["path"]), Folding(kept["states"])
    for event in events[start:end]:
        if not path.extend(event, lambda reply: knows(folding.states["accounting"], reply)):
            return True
        folding.take(event)
    whole_path, whole, _ = fold_events(lambda: events[:end])
    return encode(Folded(name, end, path, folding.states)) == encode(Folded(name, end, whole_path, whole))


@pytest.mark.parametrize("sample", SMALL, ids=lambda path: path.stem)
def test_every_prefix_is_legal(sample: Path) -> None:
    with EventStore(":memory:") as store:
        try:
            import_transcripts([sample], store=store)
        except RehydrateError:
            pytest.skip("not a transcript of its own")
        for row in store.sessions():
            for position in range(1, row.head + 1):
                runtime = resume_session(f"{row.session_id}@{position}", store=store, check_workspace=False)
                assert faults(runtime) == {}, position
