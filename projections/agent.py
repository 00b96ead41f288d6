"""Who acts and with what rights: identity, model in force, effort, permission mode, sandbox, tools, sub-agents."""

from __future__ import annotations

from typing import Any

from ..events.event import Event
from .projection import Projection, State

PLAN = "plan"
PLAIN = (
    "name",
    "color",
    "definition",
    "definition_digest",
    "model_override",
    "provider",
    "effort",
    "sandbox",
    "approval_policy",
    "output_style",
    "personality",
    "collaboration_mode",
    "instructions_digest",
    "parent_agent",
    "nickname",
    "role",
    "team",
    "goal",
    "skills",
    "bridge",
    "mode",
    "mcp_servers",
)
SUBAGENT = ("session_id", "name", "type", "description", "model", "status", "call_id", "worktree", "background")


def initial() -> State:
    return {
        "fields": {},
        "model": None,
        "permission_mode": None,
        "before_plan": None,
        "tools": None,
        "grants": [],
        "subagents": {},
    }


def apply(state: State, event: Event) -> None:
    data = event.data
    if event.kind == "Subagent":
        _subagent(state["subagents"], event)
    elif event.lane is not None:
        return
    elif event.kind == "AgentMetadata":
        _metadata(state, data)
    elif event.kind == "PlanSnapshot":
        _plan_mode(state, data)
    elif event.kind == "SessionStarted":
        if data.get("provider"):
            state["fields"]["provider"] = data["provider"]
    elif data.get("model") and not data.get("synthetic") and not data.get("error"):
        state["model"] = data["model"]


def _metadata(state: State, data: dict[str, Any]) -> None:
    fields: dict[str, Any] = state["fields"]
    for name in data.get("cleared") or ():
        fields.pop(name, None)
        if name in ("model", "permission_mode", "tools"):
            state[name] = None
    for name in PLAIN:
        if data.get(name) is not None:
            fields[name] = data[name]
    if data.get("model"):
        state["model"] = data["model"]
    if data.get("permission_mode"):
        _set_mode(state, data["permission_mode"])
    if data.get("tools") is not None:
        state["tools"] = list(data["tools"])
    added, removed = data.get("tools_added") or (), set(data.get("tools_removed") or ())
    if added or removed:
        tools = [tool for tool in state["tools"] or () if tool not in removed]
        state["tools"] = tools + [tool for tool in added if tool not in tools]
    state["grants"] += [grant for grant in data.get("grants") or () if grant not in state["grants"]]


def _set_mode(state: State, mode: str) -> None:
    if mode == PLAN and state["permission_mode"] != PLAN:
        state["before_plan"] = state["permission_mode"]
    elif mode != PLAN:
        state["before_plan"] = None
    state["permission_mode"] = mode


def _plan_mode(state: State, data: dict[str, Any]) -> None:
    """Entering remembers the mode; leaving goes back to it, not to a fixed one."""
    active = data.get("active")
    if active is True:
        _set_mode(state, PLAN)
    elif active is False and state["permission_mode"] == PLAN:
        _set_mode(state, state["before_plan"] or "default")


def _subagent(subagents: dict[str, Any], event: Event) -> None:
    """One entry for each: the call that starts a sub-agent may be told before the sub-agent has its own id."""
    data = event.data
    agent_id, call_id = data["agent_id"], data.get("call_id")
    if agent_id not in subagents:
        agent_id = _same(subagents, agent_id, call_id) or agent_id
    entry = subagents.setdefault(agent_id, {"at": event.position})
    for name in SUBAGENT:
        if data.get(name) is not None:
            entry[name] = data[name]
    if data.get("prompt") is not None:
        entry["prompt_at"] = event.position


def _same(subagents: dict[str, Any], agent_id: str, call_id: str | None) -> str | None:
    """The id under which this sub-agent is known already; one known by its call only takes its real id from now on."""
    if call_id is None:
        return None
    if call_id in subagents and call_id != agent_id:
        subagents[agent_id] = subagents.pop(call_id)
        return agent_id
    return next((name for name, entry in subagents.items() if entry.get("call_id") == agent_id == call_id), None)


FOLD = Projection(
    "agent",
    2,
    "branch",
    initial,
    apply,
    frozenset({"AgentMetadata", "AssistantMessage", "ToolUse", "PlanSnapshot", "Subagent", "SessionStarted"}),
)
