"""Every place of a Codex session can be restored: it gives what a restore of the file cut there gives; and imports in pieces add up."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.store import EventStore
from rehydrate.runtime.importing import import_transcripts
from rehydrate.runtime.restored import RestoredRuntime
from rehydrate.runtime.resume import resume_session

from ..support.imported import facts
from ..support.samples import needs_samples, public

pytestmark = needs_samples

LARGE = [path for path in public("codex") if path.suffix == ".jsonl" and path.stat().st_size > 80_000]
LINES = [path for path in public("codex") if path.suffix == ".jsonl"]
POINTERS = 20


def state(runtime: RestoredRuntime) -> dict[str, Any]:
    """What must not depend on what came later: all but the session's own head and the store's names for it."""
    document = runtime.model_dump(mode="json")
    return {
        name: document[name]
        for name in ("messages", "app_state", "agent", "accounting", "compactions", "turn_state", "transcript_pointer")
    }


def ends_of_records(store: EventStore, session_id: str) -> list[tuple[int, int]]:
    """For each record the position of its last event and the byte behind it."""
    (source,) = store.sources(session_id=session_id)
    records = {
        record.record: record.byte_offset + len(record.raw) + 1 for record in store.source_records(source.source)
    }
    last: dict[int, int] = {}
    for event in store.read(session_id):
        if event.record is not None:
            last[event.record] = event.position
    return [(position, records[record]) for record, position in last.items()]


@pytest.mark.parametrize("sample", LARGE, ids=lambda path: path.stem)
def test_a_pointer_gives_what_the_file_cut_there_gives(sample: Path, tmp_path: Path) -> None:
    raw = sample.read_bytes()
    chosen = random.Random(sample.name)
    with EventStore(":memory:") as store:
        (session,) = import_transcripts([sample], store=store).sessions
        ends = ends_of_records(store, session.session_id)
        for position, end in sorted(chosen.sample(ends, min(POINTERS, len(ends)))):
            whole = resume_session(f"{session.session_id}@{position}", store=store, check_workspace=False)
            cut = tmp_path / sample.name
            cut.write_bytes(raw[:end])
            with EventStore(":memory:") as other:
                import_transcripts([cut], store=other)
                part = resume_session(session.session_id, store=other, check_workspace=False)
            assert state(whole) == state(part)


@pytest.mark.parametrize("sample", LINES, ids=lambda path: path.stem)
def test_a_file_imported_in_pieces_gives_the_same_events(sample: Path, tmp_path: Path) -> None:
    raw = sample.read_bytes()
    grown = tmp_path / sample.name
    chosen = random.Random(sample.name)
    with EventStore(":memory:") as at_once, EventStore(":memory:") as in_pieces:
        grown.write_bytes(raw)
        (session,) = import_transcripts([grown], store=at_once).sessions
        for end in sorted([*chosen.sample(range(1, len(raw)), 4), len(raw)]):
            grown.write_bytes(raw[:end])
            import_transcripts([grown], store=in_pieces)
        assert facts(in_pieces, session.session_id) == facts(at_once, session.session_id)
