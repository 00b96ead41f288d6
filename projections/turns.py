"""Rollbacks by turns, counted as the source counts them: which events a `Rewound(turns=N)` takes off the live path.

A turn reaches from one `RunStarted` to the next; in logs without runs it begins at each input of a person. It counts when a
person (or another agent) said something in it; turns that do not count (a compaction asked for by hand) go with the counted ones
after which they come. A compaction in a discarded turn is discarded with it, so the uncompacted history comes back.

The source's client (Codex 0.171) cuts by messages instead, two of them in one turn count as two, and events that only its screen
shows do not count; that is done over native records in `runtime/compat`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..events.event import Event

SAID = frozenset({"human", "queued", "agent"})
"""Origins of inputs that make a turn count."""

_ANSWERS = frozenset({"AssistantMessage", "ToolUse", "ToolResult", "RunEnded"})
_BYTES_PER_TOKEN = 4


@dataclass(slots=True)
class _Turn:
    """start: its first position. said: its first counted input; messages: how many the model saw. context: what came before."""

    start: int
    said: int | None = None
    messages: int = 0
    context: list[int] = field(default_factory=list[int])


class TurnStack:
    """The turns that are still live, newest last; feed it events in order of position.

    dead: what rollbacks took away. uneven: positions of rollbacks over turns with another number of messages than one, which the
    source's client cuts elsewhere.
    """

    def __init__(self) -> None:
        self.dead: set[int] = set()
        self.uneven: list[int] = []
        self._turns: list[_Turn] = []
        self._runs = False
        self._lead: list[int] = []

    def take(self, event: Event) -> None:
        if event.lane is not None:
            return
        if event.kind == "RunStarted":
            self._runs = True
            self._begin(event.position)
        elif event.kind == "UserInput":
            self._input(event)
        elif event.kind in _ANSWERS:
            self._lead = []
        elif event.kind == "Rewound" and event.data.get("turns"):
            self._roll_back(int(event.data["turns"]), event.position)

    def _begin(self, position: int) -> None:
        """A new turn; context that the client wrote directly before it belongs to it."""
        self._turns.append(_Turn(self._lead[0] if self._lead else position, context=self._lead))
        self._lead = []

    def _input(self, event: Event) -> None:
        if event.data.get("origin", "human") not in SAID:
            if self._runs and self._turns and self._turns[-1].said is None:
                self._turns[-1].context.append(event.position)
            else:
                self._lead.append(event.position)
            return
        if event.data.get("replaces"):
            if self._turns:
                self._turns[-1].messages += 1
            return
        if not self._runs:
            self._begin(event.position)
        self._lead = []
        if self._turns:
            last = self._turns[-1]
            last.said = event.position if last.said is None else last.said
            last.messages += not event.data.get("provisional")

    def _roll_back(self, turns: int, position: int) -> None:
        start: int | None = None
        last: _Turn | None = None
        uneven = False
        while turns > 0 and self._turns:
            last = self._turns.pop()
            start = last.start
            turns -= last.said is not None
            uneven = uneven or (last.said is not None and last.messages != 1)
        if start is None or last is None:
            return
        self.dead |= set(range(start, position))
        self.uneven += [position] * uneven
        if not self._turns:
            self.dead -= set(last.context)
        self._lead = []


def dead_positions(events: Iterable[Event]) -> set[int]:
    """The positions that rollbacks by turns took off the path. The context before the very first input stays."""
    stack = TurnStack()
    for event in events:
        stack.take(event)
    return stack.dead


def kept_inputs(texts: list[str], budget_tokens: int) -> list[str]:
    """The newest texts that fit into the budget (four bytes a token), in order; one that overflows it is cut in the middle."""
    kept: list[str] = []
    left = budget_tokens
    for text in reversed(texts):
        if left <= 0:
            break
        tokens = -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)
        kept.append(text if tokens <= left else cut_middle(text, left * _BYTES_PER_TOKEN))
        left -= tokens
    return kept[::-1]


def cut_middle(text: str, limit_bytes: int) -> str:
    """Head and tail of a text longer than the limit, half each, and between them how many tokens are missing."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= limit_bytes:
        return text
    head, tail = ends(raw, limit_bytes)
    removed = -(-(len(raw) - limit_bytes) // _BYTES_PER_TOKEN)
    return f"{head}…{removed} tokens truncated…{tail}"


def ends(raw: bytes, limit_bytes: int) -> tuple[str, str]:
    """The first and the last half of `limit_bytes` of UTF-8 text, on whole characters."""
    half = limit_bytes // 2
    start = len(raw) - (limit_bytes - half)
    while start < len(raw) and raw[start] & 0xC0 == 0x80:
        start += 1
    return raw[:half].decode("utf-8", "ignore"), raw[start:].decode("utf-8", "replace")
