"""What one open session consists of: its journal, its state, its model, its tools and its bounds."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...events.event import Event
from ...events.kinds import ApprovalRequested, Fact
from .journal import Journal
from .live_events import LiveEvent
from .model import Limits, ModelClient
from .permissions import Verdict, verdict
from .state import LiveState
from .tools import Tool

if TYPE_CHECKING:
    from ...events.findings import Finding
    from ..restored import RestoredRuntime

Approver = Callable[[ApprovalRequested], bool | str | None]
"""Asks a person: True runs the call, False refuses it, a text answers a question, None leaves it waiting."""


@dataclass
class Settings:
    """What the caller chose for this opening; nothing of it is recorded unless it changes what the session recorded.

    root: the effective directory. permission_mode: confirmed for this opening, None for the one in force after a restore.
    compact_at: fraction of the model's window at which the context is replaced by itself.
    result_chars: a longer tool result is kept whole in the store, the model sees its beginning and end.
    approval_ttl_s: how long a call may wait for a person, None for ever.
    """

    root: Path
    model: str
    instructions: str | None = None
    effort: str | None = None
    permission_mode: str | None = None
    approver: Approver | None = None
    limits: Limits = field(default_factory=Limits)
    compact_at: float = 0.8
    context_window: int | None = None
    result_chars: int = 40_000
    approval_ttl_s: float | None = None
    client_name: str = "rehydrate"


@dataclass
class Core:
    """Shared by all deeds of one open session; not for several threads at once, but `interrupted` may be set by any."""

    journal: Journal
    state: LiveState
    make_client: Callable[[], ModelClient]
    tools: tuple[Tool, ...]
    settings: Settings
    interrupted: threading.Event = field(default_factory=threading.Event)
    findings: tuple[Finding, ...] = ()
    spawn: Callable[..., Any] | None = None
    recheck: Callable[[], tuple[Finding, ...]] | None = None
    is_child: bool = False
    reports: bool = True
    resumed: bool = True
    shares_interrupt: bool = False
    owns_client: bool = True
    _client: ModelClient | None = None

    @property
    def client(self) -> ModelClient:
        """The model's service, made at first use: a session can be looked at without a key."""
        if self._client is None:
            self._client = self.make_client()
        return self._client

    def close(self) -> None:
        """Free the connections, unless the client is the caller's own."""
        if self._client is not None and self.owns_client:
            self._client.close()

    @property
    def session_id(self) -> str:
        return self.journal.session_id

    def runtime(self) -> RestoredRuntime:
        return self.state.runtime()

    def append(self, *facts: Fact) -> list[Event]:
        return self.journal.append(*facts)

    def event(self, type_: Any, **data: Any) -> LiveEvent:
        return LiveEvent(type_, self.journal.head, data)

    def pointer(self) -> str:
        return f"{self.session_id}@{self.journal.head}"

    def verdict_on(self, tool: Tool) -> Verdict:
        return verdict(tool, self.permission_mode, self.state.agent().sandbox)

    @property
    def permission_mode(self) -> str | None:
        """The mode in force: a wide one only by a person's word at this opening."""
        return self.settings.permission_mode or self.state.agent().permission_mode
