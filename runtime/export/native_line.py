"""The native records of a session's live line, in the order a client shall read them, and what of the session no
record holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ...events.event import Event
from ...events.native import NativeRecord
from ...projections import conversation
from ...projections.conversation import SPOKEN
from .subject import Subject

_OURS = SPOKEN | {"ContextCompact", "ContentReplacement", "Rewound", "Repaired", "RunStarted"}
"""Kinds that make the history another one when no native record holds them."""


@dataclass(slots=True)
class NativeLine:
    """records: row numbers of live native records in order. nodes: those of them that are part of the message tree.

    own: live events without a record that are part of the conversation, in order. dead: records of branches that
    were left. changed: whether the history differs from what the file itself says (events of ours, a rewind, a
    fork). compacted: whether one of those events replaced the context. harmed: whether any line of the file is
    damaged, readable or not. boundary: position of the source's own last compaction on the line.
    """

    records: list[int] = field(default_factory=list[int])
    nodes: set[int] = field(default_factory=set[int])
    sidechain: set[int] = field(default_factory=set[int])
    damaged: set[int] = field(default_factory=set[int])
    progress: set[int] = field(default_factory=set[int])
    markers: set[int] = field(default_factory=set[int])
    dead: int = 0
    own: list[Event] = field(default_factory=list[Event])
    changed: bool = False
    compacted: bool = False
    harmed: bool = False
    boundary: int = 0

    def loaded(self, subject: Subject) -> dict[int, NativeRecord]:
        return {record.record: record for record in subject.store.records(self.records)}


def native_line(subject: Subject) -> NativeLine:
    """Sort the session's events up to the pointer into native records and events of our own."""
    line = NativeLine()
    positions: dict[int, int] = {}
    dead: set[int] = set()
    spoken: dict[int, int] = {}
    path = subject.folded.path
    for event in subject.store.read(subject.row.session_id, until=subject.pointer.position):
        live = path.live(event.position)
        if live and event.record is not None and event.kind in SPOKEN:
            spoken[event.position] = event.record
        if event.record is None:
            _take_own(line, event, live=live)
        elif event.record in dead:
            continue
        elif event.node is not None and not live:
            positions.pop(event.record, None)
            dead.add(event.record)
        elif event.record in positions:
            _mark(line, event)
        elif live:
            positions[event.record] = event.position
            _mark(line, event)
        else:
            dead.add(event.record)
    line.changed = line.changed or subject.row.forked_from is not None
    line.dead = len(dead)
    spoken = {position: record for position, record in spoken.items() if record in positions}
    line.records = _ordered(positions, spoken, subject, line.boundary)
    return line


def _take_own(line: NativeLine, event: Event, *, live: bool) -> None:
    if event.kind in _OURS and event.data.get("scope") != "files":
        line.changed = True
    if not live or event.lane is not None:
        return
    if event.kind == "ContextCompact" and not event.data.get("micro"):
        line.compacted = True
    if event.kind in SPOKEN and event.data.get("visible_to_model", True):
        line.own.append(event)


def _mark(line: NativeLine, event: Event) -> None:
    assert event.record is not None
    if event.kind == "ContextCompact" and not event.data.get("micro"):
        line.boundary = event.position
    if event.kind == "Unrecognized" and event.data.get("damage"):
        line.harmed = True
        if not event.data.get("recovered"):
            line.damaged.add(event.record)
    if event.kind == "Rewound":
        line.markers.add(event.record)
    if event.node is not None:
        if event.lane is not None:
            line.sidechain.add(event.record)
        elif event.node == "progress":
            line.progress.add(event.record)
        else:
            line.nodes.add(event.record)


def _ordered(positions: dict[int, int], spoken: dict[int, int], subject: Subject, boundary: int) -> list[int]:
    """In order of position, but what the model sees in the model's own order (late results stand behind their calls).

    What a compaction kept from before it stays where it was: the boundary's record says that it is kept.
    """
    chain: dict[int, None] = {}
    for lo, hi in conversation.positions(subject.folded.states["conversation"]):
        for position in range(max(lo, boundary), hi + 1):
            if position in spoken:
                chain[spoken[position]] = None
    rest = sorted((record for record in positions if record not in chain), key=lambda record: positions[record])
    return _merged(list(chain), rest, positions)


def _merged(chain: list[int], rest: list[int], positions: dict[int, int]) -> list[int]:
    merged: list[int] = []
    waiting = iter(rest)
    following = next(waiting, None)
    for record in chain:
        while following is not None and positions[following] < positions[record]:
            merged.append(following)
            following = next(waiting, None)
        merged.append(record)
    return merged + ([] if following is None else [following, *waiting])


def open_calls(calls: Iterable[tuple[str, int]], answered: Iterable[str]) -> list[tuple[str, int]]:
    """Calls (id and where they stand) without an answer; an id that comes twice needs two answers."""
    left = list(answered)
    found: list[tuple[str, int]] = []
    for call_id, where in calls:
        if call_id in left:
            left.remove(call_id)
        else:
            found.append((call_id, where))
    return found
