"""What an import of a rollout must remember from line to line: small, JSON, bounded."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field, fields
from typing import Any

WAITING = 64
"""How many texts or calls may wait for their twin; the oldest are forgotten first."""


@dataclass
class Memory:
    """The memory of one file.

    started: SessionStarted was given. own_id: thread id of the first meta; created_us: when the thread was made.

    copying: the lines are a copy of another session's (`ancestor`), filtered when spawned. turn_id / run_id: the open turn.
    inputs, replies: texts of the model's ledger that wait for their twin in the reader's, said_inputs, said_replies the other way
    round: [digest, id].
    calls: open calls by id; patched, failed, answered: ids of calls whose file changes were given, whose failure was told, that
    have an output. totals: the last cumulative usage; records: usage records were seen, so that counts only repeat them.
    """

    started: bool = False
    own_id: str | None = None
    created_us: int | None = None
    ancestor: str | None = None
    copying: bool = False
    copied_us: int | None = None
    copied_turns: bool = False
    spawned: bool = False
    start_ordinal: int | None = None
    ordinal: int | None = None
    cwd: str | None = None
    model: str | None = None
    provider: str | None = None
    tier: str | None = None
    run_id: str | None = None
    turn_id: str | None = None
    has_runs: bool = False
    has_contexts: bool = False
    open_turn: bool = False
    inputs: list[list[str | None]] = field(default_factory=list[list[str | None]])
    replies: list[list[str | None]] = field(default_factory=list[list[str | None]])
    said_inputs: list[list[str | None]] = field(default_factory=list[list[str | None]])
    said_replies: list[list[str | None]] = field(default_factory=list[list[str | None]])
    calls: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    patched: list[str] = field(default_factory=list[str])
    failed: list[str] = field(default_factory=list[str])
    answered: list[str] = field(default_factory=list[str])
    files: dict[str, str] = field(default_factory=dict[str, str])
    totals: list[int] | None = None
    last: list[int] | None = None
    records: bool = False
    compactions: int = 0
    document: dict[str, Any] = field(default_factory=dict[str, Any])

    @classmethod
    def of(cls, state: dict[str, Any] | None) -> Memory:
        known = {item.name for item in fields(cls)}
        return cls(**{key: value for key, value in (state or {}).items() if key in known})

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def opened(self, call_id: str, call: dict[str, Any]) -> None:
        """Remember an open call."""
        self.calls[call_id] = call
        while len(self.calls) > WAITING:
            del self.calls[next(iter(self.calls))]


def key_of(text: str) -> str:
    """A short digest of a text without the white space around it."""
    return hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()[:16]


def wait(queue: list[list[str | None]], key: str, native_id: str | None = None) -> None:
    queue.append([key, native_id])
    del queue[:-WAITING]


def take(queue: list[list[str | None]], key: str) -> list[str] | None:
    """Remove all waiting entries with this key; returns their native ids, None when there is none."""
    found = [entry for entry in queue if entry[0] == key]
    if not found:
        return None
    queue[:] = [entry for entry in queue if entry[0] != key]
    return [native_id for _, native_id in found if native_id is not None]


def take_one(queue: list[list[str | None]], key: str) -> bool:
    """Remove the oldest entry that waits with this key, or of which a part has it; whether there was one."""
    for number, entry in enumerate(queue):
        if entry[0] == key or key in (entry[1] or "").split():
            del queue[number]
            return True
    return False
