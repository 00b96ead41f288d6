"""Where turns begin and end on the live path: a turn starts at a human input that starts a run and holds all up to the next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..events.event import Event

LEADING = frozenset(
    {
        "RunStarted",
        "AgentMetadata",
        "WorkspaceObserved",
        "QueuedInput",
        "FileCheckpoint",
        "BranchChosen",
        "SessionLabel",
        "SessionStarted",
        "Rewound",
        "Repaired",
        "Notice",
    }
)
"""What may stand before the input of a turn and belongs to it rather than to the turn before; no turn ends with it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn from `first` to `last` position, both inclusive; `prompt` is the position of its human input."""

    number: int
    first: int
    prompt: int
    last: int
    preview: str = ""


class TurnMarks:
    """Finds turns; feed it the live events in order of position."""

    def __init__(self) -> None:
        self._turns: list[Turn] = []
        self._lead: int | None = None
        self._last = 0

    def take(self, event: Event) -> int:
        """Take one event; returns the number of the turn it belongs to as far as is known (0 before the first)."""
        if event.lane is not None:
            return len(self._turns)
        if event.kind == "UserInput" and event.data.get("starts_turn") and not event.data.get("replaces"):
            self._close()
            first = event.position if self._lead is None else self._lead
            number = len(self._turns) + 1
            self._turns.append(Turn(number, first, event.position, event.position, event.data.get("preview", "")))
            self._lead, self._last = None, event.position
        elif event.kind in LEADING or _is_context(event):
            self._lead = event.position if self._lead is None else self._lead
        else:
            self._lead, self._last = None, event.position
        return len(self._turns)

    def _close(self) -> None:
        if self._turns:
            last = self._turns[-1]
            self._turns[-1] = Turn(last.number, last.first, last.prompt, max(self._last, last.prompt), last.preview)

    def turns(self, head: int) -> list[Turn]:
        """All turns up to `head`; the last one, too, ends with an event of its own, not with what was noted behind it."""
        self._close()
        return [turn for turn in self._turns if turn.prompt <= head]


def _is_context(event: Event) -> bool:
    return event.kind == "UserInput" and event.data.get("origin") in ("context", "meta", "hook")


def find_turns(events: Iterable[Event], head: int) -> list[Turn]:
    """The turns of these live events, whose newest is at `head`."""
    marks = TurnMarks()
    for event in events:
        marks.take(event)
    return marks.turns(head)
