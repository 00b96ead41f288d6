"""A Claude Code session restored at a pointer is the session of the file as it was then."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.importers.run import import_file
from rehydrate.events.store import EventStore
from rehydrate.runtime.resume import resume_session

from ..support.samples import SAMPLES, needs_samples

pytestmark = needs_samples

POINTERS = 20
NAMES = (
    "cli__cp-89-e8867f9092-0",  # damaged links, the first record of the file is later than the last
    "cli__cp-d5-99f72ee73a-0",  # micro-compactions
    "git-sync__cp-0-577e9b",  # attachments, hooks, tasks
    "spotter__fa812bfe-b295",  # compactions and sub-agents
)


def _state(session: str, store: EventStore) -> dict[str, Any]:
    state = resume_session(session, store=store, check_workspace=False).model_dump(mode="json")
    del state["report"]  # A torn or cut end is told of the file only.
    return state


@pytest.mark.parametrize("name", NAMES)
def test_a_pointer_restores_what_the_file_held_then(name: str, tmp_path: Path) -> None:
    sample = SAMPLES / "public" / "claude-code" / f"{name}.jsonl"
    lines = sample.read_bytes().splitlines(keepends=True)
    with EventStore(":memory:") as store:
        session = import_file(store, sample).identity
        assert session is not None
        ends = _last_positions(store, session.session_id)
        chosen = random.Random(7).sample(sorted(ends), min(POINTERS, len(ends)))
        grown = tmp_path / f"{session.session_id}.jsonl"
        with EventStore(":memory:") as growing:
            for line in sorted(chosen):
                grown.write_bytes(b"".join(lines[:line]))
                import_file(growing, grown)
                pointer = f"{session.session_id}@{ends[line]}"
                assert _state(pointer, store) == _state(session.session_id, growing), pointer


def _last_positions(store: EventStore, session_id: str) -> dict[int, int]:
    """By line the last event up to its end."""
    last: dict[int, int] = {}
    events = [event for event in store.read(session_id) if event.record is not None]
    line_of = {record.record: record.line for record in store.records({event.record or 0 for event in events})}
    for event in events:
        last[line_of[event.record or 0]] = event.position
    return last
