"""What a restore gives: the whole runtime of a session at a pointer, frozen, with the JSON names that every face prints."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ..events.blocks import Block, Frozen
from ..events.findings import Report
from .restored_state import AppState


class Parent(Frozen):
    """A session that this one comes from. `relation`: fork (pointer known when it is in the store), copy or parent agent."""

    session_id: str
    pointer: str | None = None
    relation: str = "fork"
    native: str | None = None


class SessionInfo(Frozen):
    id: str
    source: str
    title: str | None = None
    created: str | None = None
    created_at: str | None = None
    last_activity: str | None = None
    lineage: tuple[Parent, ...] = ()
    forked_from: str | None = None
    parent_session: str | None = None
    native_id: str | None = None
    client: str | None = None
    client_version: str | None = None
    tag: str | None = None
    color: str | None = None
    archived: bool = False
    deleted: bool = False
    events: int = 0
    turns: int = 0
    branches: int = 1


class Message(Frozen):
    """One message of the model's context. pointer: of its last event. synthesized: a repair put it (or a result in it) there."""

    pointer: str
    role: Literal["user", "assistant", "system", "developer"]
    content: tuple[Block, ...]
    native_id: str | None = None
    synthesized: bool = False
    origin: str | None = None
    model: str | None = None
    provider: str | None = None
    response_id: str | None = None
    timestamp: str | None = None


class ModelUsage(Frozen):
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_5m_tokens: int = 0
    cache_write_1h_tokens: int = 0
    reasoning_tokens: int = 0
    web_searches: int = 0
    cost_usd: float | None = None
    cost_usd_known: float = 0.0
    price_source: str | None = None


class Totals(ModelUsage):
    """cost_usd is None when the price of some part is unknown; cost_usd_known then holds the rest."""

    by_model: dict[str, ModelUsage] = Field(default_factory=dict)


class ContextUse(Frozen):
    """Tokens in the model's window after the last response, and the window's size; None when unknown or impossible."""

    tokens: int | None = None
    window: int | None = None


class Accounting(Frozen):
    """own + inherited = total; sub-agents belong to their session. subagents: the part of `own` that they made."""

    own: Totals = Totals()
    inherited: Totals = Totals()
    total: Totals = Totals()
    subagents: Totals = Totals()
    context: ContextUse = ContextUse()
    rate_limits: Any = None


class SubagentInfo(Frozen):
    """inherited: started before a fork. inline: its transcript is a side chain of this one, its usage is counted there."""

    id: str
    name: str | None = None
    type: str | None = None
    prompt: str | None = None
    description: str | None = None
    model: str | None = None
    status: str = "unknown"
    session_id: str | None = None
    call_id: str | None = None
    worktree: str | None = None
    pointer: str | None = None
    inherited: bool = False
    inline: bool = False
    accounting: Totals = Totals()


class Agent(Frozen):
    """permission_mode is in force after the restore; recorded_permission_mode is what the session had. Rights never widen."""

    name: str | None = None
    color: str | None = None
    definition: str | None = None
    definition_digest: str | None = None
    model: str | None = None
    model_override: str | None = None
    provider: str | None = None
    effort: str | None = None
    permission_mode: str | None = None
    recorded_permission_mode: str | None = None
    approval_policy: Any = None
    sandbox: Any = None
    recorded_sandbox: Any = None
    tools: tuple[str, ...] | None = None
    mcp_servers: tuple[str, ...] | None = None
    grants: tuple[str, ...] = ()
    instructions_digest: str | None = None
    output_style: str | None = None
    personality: str | None = None
    collaboration_mode: str | None = None
    nickname: str | None = None
    role: str | None = None
    team: str | None = None
    parent_agent: str | None = None
    goal: Any = None
    skills: tuple[str, ...] | None = None
    bridge: Any = None
    subagents: tuple[SubagentInfo, ...] = ()


class Place(Frozen):
    """worktree: path of a linked one. main_repo: of the main checkout. dirty: None when it is not known."""

    cwd: str | None = None
    branch: str | None = None
    head: str | None = None
    worktree: str | None = None
    main_repo: str | None = None
    dirty: tuple[str, ...] | None = None


class ProjectInfo(Frozen):
    id: str | None = None
    path: str | None = None
    root_commits: tuple[str, ...] = ()
    remote: str | None = None


class Workspace(Frozen):
    """cwd: the directory in force, recorded or explicitly chosen. found: None when nothing was looked at or is there."""

    project: ProjectInfo | None = None
    cwd: str | None = None
    path: str | None = None
    main_repo: str | None = None
    worktree: str | None = None
    branch: str | None = None
    head: str | None = None
    expected: Place = Place()
    found: Place | None = None
    drift: Any = None
    cwds: tuple[str, ...] = ()
    pull_request: Any = None


class Compaction(Frozen):
    pointer: str
    trigger: str | None = None
    pre_tokens: int | None = None
    post_tokens: int | None = None
    window_number: int | None = None
    micro: bool = False


class RestoredRuntime(Frozen):
    """turn_state: idle, interrupted (a turn began and never ended, or was broken off), waiting (for a person)."""

    session: SessionInfo
    messages: tuple[Message, ...] = ()
    app_state: AppState = AppState()
    agent: Agent = Agent()
    workspace: Workspace = Workspace()
    accounting: Accounting = Accounting()
    transcript_pointer: str
    compactions: tuple[Compaction, ...] = ()
    turn_state: Literal["idle", "interrupted", "waiting", "failed"] = "idle"
    unrecognized: dict[str, int] = Field(default_factory=dict)
    report: Report

    @property
    def activity_before_run(self) -> bool:
        """Whether anything was said in the session so far."""
        return self.session.turns > 0 or bool(self.messages)

    def to_responses(self, *, model: str | None = None, provider: str | None = None) -> list[dict[str, Any]]:
        """The messages as input items of OpenAI's Responses API, legal for `model` at `provider` (None: the session's)."""
        from .render import messages_for

        return messages_for(self, "responses", model, provider=provider)

    def to_chat(self, *, model: str | None = None, provider: str | None = None) -> list[dict[str, Any]]:
        """The messages for OpenAI's Chat Completions API and its look-alikes."""
        from .render import messages_for

        return messages_for(self, "chat", model, provider=provider)

    def to_anthropic(self, *, model: str | None = None, provider: str | None = None) -> list[dict[str, Any]]:
        """The messages for Anthropic's Messages API; instructions of the system are user text there."""
        from .render import messages_for

        return messages_for(self, "anthropic", model, provider=provider)
