"""The native records of a session's live line, in the order a client shall read them, and what of the session no
record holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ...events.event import Event
from ...events.native import NativeRecord
from ...projections.conversation import SPOKEN
from .subject import Subject

_OURS = SPOKEN | {"ContextCompact", "ContentReplacement", "Rewound", "Repaired", "RunStarted"}
"""Kinds that make the history another one when no native record holds them."""


@dataclass(slots=True)
class NativeLine:
    """records: row numbers of live native records in order. nodes: those of them that are part of the message tree.

    own: live events without a record that are part of the conversation, in order. dead: records of branches that
    were left. changed: whether the history differs from what the file itself says (events of ours, a rewind, a
    fork). compacted: whether one of those events replaced the context.
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

    def loaded(self, subject: Subject) -> dict[int, NativeRecord]:
        return {record.record: record for record in subject.store.records(self.records)}


def native_line(subject: Subject) -> NativeLine:
    """Sort the session's events up to the pointer into native records and events of our own."""
    line = NativeLine()
    positions: dict[int, int] = {}
    dead: set[int] = set()
    path = subject.folded.path
    for event in subject.store.read(subject.row.session_id, until=subject.pointer.position):
        live = path.live(event.position)
        if event.record is None:
            _take_own(line, event, live=live)
        elif event.record in positions or event.record in dead:
            _mark(line, event)
        elif live:
            positions[event.record] = event.position
            _mark(line, event)
        else:
            dead.add(event.record)
    line.changed = line.changed or subject.row.forked_from is not None
    line.dead = len(dead)
    line.records = _ordered(positions, subject)
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
    if event.kind == "Unrecognized" and event.data.get("damage"):
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


def _ordered(positions: dict[int, int], subject: Subject) -> list[int]:
    """In order of position, but the model's own order where a message tree gives one (late results behind their
    calls)."""
    order = subject.folded.path.order
    if order is None:
        return sorted(positions, key=lambda record: positions[record])
    by_position = {position: record for record, position in positions.items()}
    boundary = order[0] if order else 0
    chain = [by_position[position] for position in order if position in by_position and position >= boundary]
    in_chain = set(chain)
    rest = sorted((record for record in positions if record not in in_chain), key=lambda record: positions[record])
    return _merged(chain, rest, positions)


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
