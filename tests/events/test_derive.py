"""Deriving a session again: the same importer changes nothing, a better one gives a new generation, what was done stays."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.event import Draft
from rehydrate.events.importers.derive import derive_session
from rehydrate.events.importers.importer import Line, Probe
from rehydrate.events.importers.run import import_file
from rehydrate.events.store import EventStore

from ..support.imported import facts, texts
from ..support.tiny import TinyImporter, TinyTranscript


class LouderTranscript(TinyTranscript):
    """A later version of the importer that also notes how long each text is."""

    def drafts(self, line: Line) -> Sequence[Draft]:
        drafts = list(super().drafts(line))
        return [*drafts, Draft("Notice", {"subtype": "length", "value": len(line.raw)}, f"{self._count:032x}")]


class LouderImporter(TinyImporter):
    version = 2

    def open(self, probe: Probe, state: dict[str, Any] | None) -> TinyTranscript:
        transcript = super().open(probe, state)
        return LouderTranscript(transcript.identity, state)


RAW = b"".join(
    [
        b"\xef\xbb\xbf" + json.dumps({"tiny": "S", "id": "a", "say": "one"}).encode() + b"\n",
        b"\n{broken\n",
        json.dumps({"tiny": "S", "id": "b", "who": "assistant", "say": "two"}).encode() + b"\r\n",
        json.dumps({"tiny": "S", "say": "yes"}).encode() + b"\n",
        json.dumps({"tiny": "S", "say": "yes"}).encode() + b"\n",
        json.dumps({"tiny": "S", "id": "a", "say": "changed"}).encode() + b"\n",
    ]
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    path = tmp_path / "a.jsonl"
    path.write_bytes(RAW)
    with EventStore(tmp_path / "db.sqlite") as opened:
        import_file(opened, path, TinyImporter())
        yield opened


def test_the_same_importer_leaves_the_session_as_it_is(store: EventStore) -> None:
    before = facts(store, "S")
    derived = derive_session(store, "S", importer=TinyImporter())
    assert not derived.changed and derived.generation == 1
    assert facts(store, "S") == before


def test_a_better_importer_gives_a_new_generation_and_a_fork_keeps_the_old(store: EventStore) -> None:
    before = facts(store, "S")
    store.create_fork("F", "S", len(before), source="tiny")
    derived = derive_session(store, "S", importer=LouderImporter())
    assert derived.changed and derived.generation == 2
    kept = [fact[1] for fact in facts(store, "S") if fact[2] != "Notice"]
    assert kept == [fact[1] for fact in before]
    assert [fact[1:] for fact in facts(store, "F")] == [fact[1:] for fact in before]


def test_what_was_done_with_the_session_is_carried_over_to_its_place(store: EventStore, tmp_path: Path) -> None:
    head = store.session("S").head
    target = next(event for event in store.read("S", kinds=["AssistantMessage"]))
    store.append("S", [Draft("Rewound", {"to_position": target.position, "scope": "conversation"})], head)
    path = tmp_path / "a.jsonl"
    path.write_bytes(RAW + json.dumps({"tiny": "S", "id": "z", "say": "later"}).encode() + b"\n")
    import_file(store, path, TinyImporter())
    derive_session(store, "S", importer=LouderImporter())
    events = list(store.read("S"))
    (rewound,) = [event for event in events if event.kind == "Rewound"]
    assert events[rewound.data["to_position"] - 1].event_id == target.event_id
    assert texts(store, "S")[-1] == "later" and events[rewound.position].native_id == "z"


def test_a_second_file_of_the_session_is_not_derived_twice(store: EventStore, tmp_path: Path) -> None:
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(RAW + json.dumps({"tiny": "S", "id": "z", "say": "later"}).encode() + b"\n")
    import_file(store, copy, TinyImporter())
    before = facts(store, "S")
    assert not derive_session(store, "S", importer=TinyImporter()).changed
    assert facts(store, "S") == before


def test_a_file_goes_on_growing_after_its_session_was_derived_again(store: EventStore, tmp_path: Path) -> None:
    derive_session(store, "S", importer=LouderImporter())
    path = tmp_path / "a.jsonl"
    path.write_bytes(RAW + json.dumps({"tiny": "S", "id": "z", "say": "later"}).encode() + b"\n")
    result = import_file(store, path, LouderImporter())
    assert result.status == "continued" and result.events_added == 2
