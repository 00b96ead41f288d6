"""What happens in a run, as its caller sees it; the words are those of the HTTP interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

LiveType = Literal[
    "run_started",
    "model_requested",
    "text_delta",
    "reasoning_delta",
    "assistant_message",
    "tool_use",
    "tool_result",
    "approval_requested",
    "approval_resolved",
    "retry",
    "compacted",
    "repaired",
    "cost",
    "run_finished",
    "finding",
    "error",
]


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """One thing that happened. position: of the newest event that is durable by now; data: JSON values."""

    type: LiveType
    position: int
    data: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        return {"type": self.type, "position": self.position, **self.data}


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended. output: the last text the model said. pending: ids of calls that wait for a person."""

    run_id: str
    session_id: str
    resumed: bool
    status: Literal["completed", "interrupted", "failed", "waiting"]
    output: str
    pointer: str
    reason: str | None = None
    pending: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "runId": self.run_id,
            "sessionId": self.session_id,
            "resumed": self.resumed,
            "status": self.status,
            "output": self.output,
            "pointer": self.pointer,
            "reason": self.reason,
            "pending": list(self.pending),
        }
