"""A message in the making: what several events say together, still as plain blocks, before repairs and before it is frozen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Block = dict[str, Any]
"""A content block as JSON, in the neutral form of `events/blocks.py`."""


@dataclass(slots=True)
class Spoken:
    """position: of its last event. record: the native record of its first event. provisional: only the source's screen had it."""

    role: str
    position: int
    blocks: list[Block] = field(default_factory=list[Block])
    native_id: str | None = None
    record: int | None = None
    origin: str | None = None
    response_id: str | None = None
    model: str | None = None
    provider: str | None = None
    synthesized: bool = False
    error: bool = False
    synthetic: bool = False
    provisional: bool = False
    ts: int | None = None

    def of_type(self, kind: str) -> Iterator[Block]:
        return (block for block in self.blocks if block.get("type") == kind)

    @property
    def only_results(self) -> bool:
        return self.role == "user" and all(block.get("type") == "tool_result" for block in self.blocks)

    @property
    def text(self) -> str:
        return "\n".join(str(block.get("text") or "") for block in self.of_type("text"))
