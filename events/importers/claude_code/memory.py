"""What an import remembers from record to record, bounded, and as JSON between two imports of a growing file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

OPEN_CALLS = 500
LANES = 300


@dataclass(slots=True)
class Memory:
    """started: the session's first event was made. calls: open calls by id, with the small facts their results need.

    cwd, branch, version, …: as last said by a record, so that only changes become events. lanes: side chain by the ids in it.
    """

    started: bool = False
    last_uuid: str | None = None
    calls: dict[str, Any] = field(default_factory=dict[str, Any])
    lanes: dict[str, str] = field(default_factory=dict[str, str])
    cwd: str | None = None
    branch: str | None = None
    version: str | None = None
    effort: str | None = None
    permission_mode: str | None = None
    team: str | None = None
    slug: str | None = None
    last_prompt: str | None = None
    agent_name: str | None = None
    todos: str | None = None
    mcp_servers: list[str] = field(default_factory=list[str])
    worktree: str | None = None
    forked: bool = False

    @classmethod
    def restored(cls, state: dict[str, Any] | None) -> Memory:
        known = cls.__dataclass_fields__
        return cls(**{key: value for key, value in (state or {}).items() if key in known})

    def as_json(self) -> dict[str, Any]:
        """Without what is still empty."""
        return {key: value for key, value in asdict(self).items() if value not in (None, False, [], {})}

    def open_call(self, call_id: str, facts: dict[str, Any]) -> None:
        while len(self.calls) >= OPEN_CALLS:
            del self.calls[next(iter(self.calls))]
        self.calls.pop(call_id, None)
        self.calls[call_id] = facts

    def close_call(self, call_id: str) -> dict[str, Any]:
        """The facts of a call, which counts as answered from now on."""
        found: dict[str, Any] = self.calls.pop(call_id, {})
        return found

    def lane_of(self, uuid: str | None, parent: str | None) -> str:
        """The side chain of a record without an agent id."""
        lane = self.lanes.get(parent or "") or uuid or parent or "side"
        if uuid is not None:
            while len(self.lanes) >= LANES:
                del self.lanes[next(iter(self.lanes))]
            self.lanes[uuid] = lane
        return lane
