"""The reader's view of a session: everything that was said and done, once each, with the places worth pointing at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..events.blocks import Frozen
from ..events.event import Event
from ..events.pointer import Pointer
from ..events.store import EventStore
from ..events.times import to_iso
from ..projections import conversation
from ..projections.fold import Folded, restore_states
from ..projections.turn_marks import Turn, TurnMarks, find_turns
from .entry_text import SHOWN, entry_text, thinking_text
from .fork import forks_of
from .opened import StoreLike, opened
from .resolve import resolve_pointer
from .settled import settled

_BATCH = 500


class Entry(Frozen):
    """One event as a reader sees it. turn: its number on the live path, None on branches that were left.

    model_visible: whether the model would see it at the end of this view. live: on the conversation's present line.
    lane: the inline side chain it belongs to.
    """

    pointer: str
    kind: str
    turn: int | None = None
    text: str = ""
    call_id: str | None = None
    native_id: str | None = None
    timestamp: str | None = None
    model_visible: bool = False
    position: int
    live: bool = True
    lane: str | None = None
    name: str | None = None
    origin: str | None = None
    is_error: bool | None = None
    thinking: str | None = None
    model: str | None = None


class Place(Frozen):
    """A place worth pointing at: `address` is what a person types, `pointer` the same as a position."""

    address: str
    pointer: str
    what: str
    text: str = ""
    timestamp: str | None = None


class RewindPoint(Frozen):
    """The end of a turn. `pointer` keeps the turn, `prompt` is its input, `before` leaves the turn out (None before
    the first)."""

    turn: int
    pointer: str
    prompt: str
    before: str | None = None
    native_id: str | None = None
    text: str = ""
    timestamp: str | None = None


class History(Frozen):
    session_id: str
    pointer: str
    entries: tuple[Entry, ...] = ()
    places: tuple[Place, ...] = ()
    branches: int = 1


def show_session(pointer: str | Pointer, *, store: StoreLike = None) -> History:
    """What a person can read of a session up to a pointer: every message of every branch, in the order it was
    written.

    Raises:
        SessionNotFound, AmbiguousSession, InvalidPointer, EventNotFound: the pointer leads nowhere.
    """
    with opened(store) as events:
        target = resolve_pointer(events, pointer)
        folded = restore_states(events, target.session_id, target.position)
        entries = tuple(_entries(events, folded))
        turns = _turns(events, folded)
        return History(
            session_id=target.session_id,
            pointer=str(target),
            entries=entries,
            places=tuple(_places(events, folded, turns, entries)),
            branches=max(len(folded.path.ends), 1) + _left_by_rewinds(entries),
        )


def rewind_points(session: str | Pointer, *, store: StoreLike = None) -> tuple[RewindPoint, ...]:
    """The ends of the turns of the live conversation; each pointer works for resume, fork and rewind."""
    with opened(store) as events:
        target = resolve_pointer(events, session)
        folded = restore_states(events, target.session_id, target.position)
        prompts = {turn.prompt: turn for turn in _turns(events, folded)}
        found: list[RewindPoint] = []
        for event in events.read(target.session_id, until=target.position, kinds=["UserInput"]):
            turn = prompts.get(event.position)
            if turn is not None:
                found.append(_point(event, turn))
        return tuple(found)


def _point(event: Event, turn: Turn) -> RewindPoint:
    session_id = event.session_id
    return RewindPoint(
        turn=turn.number,
        pointer=f"{session_id}@{turn.last}",
        prompt=event.pointer,
        before=f"{session_id}@{turn.first - 1}" if turn.first > 1 else None,
        native_id=event.native_id,
        text=turn.preview,
        timestamp=to_iso(event.ts),
    )


def _turns(store: EventStore, folded: Folded) -> list[Turn]:
    live = (event for event in store.read(folded.session_id, until=folded.position) if folded.path.live(event.position))
    return find_turns(live, folded.position)


def _entries(store: EventStore, folded: Folded) -> Iterator[Entry]:
    seen = _Seen(folded, _replaced(store, folded))
    batch: list[Event] = []
    for event in settled(seen.numbered(store.read(folded.session_id, until=folded.position))):
        if event.kind in SHOWN:
            batch.append(event)
        if len(batch) >= _BATCH:
            yield from seen.entries(store.hydrate(batch))
            batch = []
    yield from seen.entries(store.hydrate(batch))


def _replaced(store: EventStore, folded: Folded) -> set[str]:
    """Messages that a later, fuller record of the same message takes the place of: each is shown once."""
    events = store.read(folded.session_id, until=folded.position, kinds=["UserInput", "AssistantMessage"])
    return {str(native_id) for event in events for native_id in event.data.get("replaces") or ()}


class _Seen:
    """Knows of each event its turn, whether it is live, and whether the model sees it."""

    def __init__(self, folded: Folded, replaced: set[str]) -> None:
        self._replaced = replaced
        self._path = folded.path
        state = folded.states["conversation"]
        self._plan = [(lo, hi) for lo, hi in conversation.positions(state)]
        self._base = conversation.summary_position(state)
        self._marks = TurnMarks()
        self._turn: dict[int, int] = {}

    def numbered(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events as they are, each told its turn."""
        for event in events:
            if self._path.live(event.position):
                self._turn[event.position] = self._marks.take(event)
            yield event

    def entries(self, events: list[Event]) -> Iterator[Entry]:
        for event in events:
            if event.native_id in self._replaced:
                continue
            if event.data.get("visible_to_reader", True) or event.data.get("visible_to_model", True):
                yield self._entry(event)

    def _entry(self, event: Event) -> Entry:
        data = event.data
        live = self._path.live(event.position)
        return Entry(
            pointer=event.pointer,
            kind=event.kind,
            turn=self._turn.get(event.position) or None,
            text=entry_text(event),
            call_id=data.get("call_id"),
            native_id=event.native_id,
            timestamp=to_iso(event.ts),
            model_visible=live and self._model_sees(event),
            position=event.position,
            live=live,
            lane=event.lane,
            name=data.get("name") if event.kind == "ToolUse" else None,
            origin=data.get("origin", "human") if event.kind == "UserInput" else None,
            is_error=data.get("is_error") if event.kind == "ToolResult" else None,
            thinking=thinking_text(event) if event.kind == "AssistantMessage" else None,
            model=data.get("model") if event.kind == "AssistantMessage" else None,
        )

    def _model_sees(self, event: Event) -> bool:
        if event.kind == "ContextCompact":
            return event.position == self._base
        return conversation.seen_by_model(event) and any(lo <= event.position <= hi for lo, hi in self._plan)


def _left_by_rewinds(entries: tuple[Entry, ...]) -> int:
    return sum(entry.kind == "Rewound" and entry.live for entry in entries)


def _places(store: EventStore, folded: Folded, turns: list[Turn], entries: tuple[Entry, ...]) -> Iterator[Place]:
    session_id = folded.session_id
    for turn in turns:
        yield Place(
            address=f"{session_id}@turn:{turn.number}",
            pointer=f"{session_id}@{turn.last}",
            what="end of turn",
            text=turn.preview,
        )
    whole = [one for one in folded.states["compactions"]["list"] if not one.get("micro") and one["at"] > 1]
    for number, one in enumerate(whole, start=1):
        address = f"{session_id}@before-compaction:{number}"
        yield Place(address=address, pointer=f"{session_id}@{one['at'] - 1}", what="before compaction")
    for entry in entries:
        if entry.kind == "Rewound" and entry.position > 1:
            pointer = f"{session_id}@{entry.position - 1}"
            yield Place(address=pointer, pointer=pointer, what="end before a rewind", timestamp=entry.timestamp)
    yield from _ends(folded, entries)
    for child, position in forks_of(store, session_id):
        pointer = f"{session_id}@{position}"
        yield Place(address=pointer, pointer=pointer, what="forked here", text=child)


def _ends(folded: Folded, entries: tuple[Entry, ...]) -> Iterator[Place]:
    """Ends of branches in the source's own message tree, other than the live one."""
    ends = set(folded.path.ends) - {folded.path.leaf}
    for entry in entries:
        if entry.native_id in ends and not entry.live:
            address = f"{folded.session_id}@{entry.native_id}"
            yield Place(address=address, pointer=entry.pointer, what="end of a branch", text=entry.text[:80])
