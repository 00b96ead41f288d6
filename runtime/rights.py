"""Identity and rights of the agent after a restore: as recorded or less, never more."""

from __future__ import annotations

from typing import Any

from ..events.findings import Finding
from ..projections.fold import Folded
from . import restored as parts

WIDE_MODES = frozenset({"bypassPermissions", "dangerouslySkipPermissions", "yolo", "full-auto-dangerous"})
"""Permission modes that need a person's word each time they come into force."""


def agent_of(folded: Folded, subagents: tuple[parts.SubagentInfo, ...], findings: list[Finding]) -> parts.Agent:
    """The agent, with a finding for each right that is not in force until it is confirmed."""
    state = folded.states["agent"]
    fields: dict[str, Any] = dict(state["fields"])
    mode = state["permission_mode"]
    effective = mode
    if mode in WIDE_MODES:
        effective = "default"
        findings.append(_held_back("permission mode", mode, folded))
    sandbox = fields.pop("sandbox", None)
    for name in ("mcp_servers", "skills"):
        if fields.get(name) is not None:
            fields[name] = tuple(fields[name])
    known = {name: value for name, value in fields.items() if name in parts.Agent.model_fields}
    known["name"] = known.get("name") or known.get("definition")
    return parts.Agent(
        **known,
        model=state["model"],
        permission_mode=effective,
        recorded_permission_mode=mode,
        sandbox=sandbox,
        recorded_sandbox=sandbox,
        tools=None if state["tools"] is None else tuple(state["tools"]),
        grants=tuple(state["grants"]),
        subagents=subagents,
    )


def _held_back(what: str, recorded: str, folded: Folded) -> Finding:
    return Finding(
        code="permission-mode-unconfirmed",
        severity="info",
        message=f"The session ran with the {what} {recorded}; it goes on with `default` until that is confirmed.",
        remedy=f"Confirm it where the session is opened: rehydrate run {folded.session_id} PROMPT --permission-mode {recorded}",
        facts={"recorded": recorded, "effective": "default"},
    )
