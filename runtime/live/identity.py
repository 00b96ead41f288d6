"""Who acts, where, with what rights: as recorded. A change needs an explicit word and becomes an event; nothing widens."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from ...events.errors import UsageError
from ...events.findings import Finding
from ...events.kinds import AgentMetadata, Fact, SessionLabel, SessionStarted
from ...events.store import EventStore
from ..compat.tool_names import bounds, ours, permitted
from .coding_tools import coding_tools
from .permissions import UNBOUNDED, sandbox_kind
from .service_settings import ServiceSettings
from .tools import Tool

if TYPE_CHECKING:
    from ..restored import Agent, RestoredRuntime


class AgentSpec(BaseModel):
    """Who a new session's agent is. definition: where or how it is defined, for people."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str | None = None
    color: str | None = None
    definition: str | None = None
    model: str | None = None
    output_style: str | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    """What the caller of `open_session` gave; None leaves it as recorded."""

    model: str | None = None
    tools: tuple[Tool, ...] | None = None
    instructions: str | None = None
    permission_mode: str | None = None
    sandbox: Any = None
    effort: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What is in force after the changes, and the events that tell of them."""

    model: str
    tools: tuple[Tool, ...]
    instructions: str | None
    overrides: tuple[AgentMetadata, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Restored:
    """A session that may be gone on with: its runtime, the directory in force, facts to note about the place."""

    runtime: RestoredRuntime
    root: Path
    facts: tuple[Fact, ...]
    findings: tuple[Finding, ...]


def chosen_model(*candidates: str | None) -> str:
    """The first that is given, then `REHYDRATE_MODEL`.

    Raises:
        UsageError: none is.
    """
    name = next((each for each in candidates if each), None) or ServiceSettings().model
    if not name:
        raise UsageError("No model is named.", remedy="Give one with --model, or set REHYDRATE_MODEL.")
    return name


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def first_facts(
    root: Path,
    who: AgentSpec,
    *,
    model: str,
    tools: Sequence[Tool],
    instructions: str | None,
    mode: str | None,
    sandbox: Any,
    effort: str | None,
    title: str | None,
) -> list[Fact]:
    """The first events of a new session: where, who, with what rights."""
    from importlib.metadata import version

    from ..workspace.rebind import observed_fact

    seen = observed_fact(root).model_copy(update={"rebound": False})
    facts: list[Fact] = [
        SessionStarted(
            source="live", client="rehydrate", client_version=version("rehydrate"), cwd=str(root), project=seen.project
        ),
        AgentMetadata(
            **who.model_dump(exclude={"model"}),
            model=model,
            effort=effort,
            permission_mode=mode,
            sandbox=sandbox,
            tools=tuple(tool.name for tool in tools),
            instructions=instructions,
            instructions_digest=None if instructions is None else digest_of(instructions),
        ),
    ]
    facts.append(seen)
    if title:
        facts.append(SessionLabel(title=title, set_by="person"))
    return facts


def plan(store: EventStore, runtime: RestoredRuntime, changes: Changes) -> Plan:
    """Compare what the caller wants with what is recorded."""
    agent = runtime.agent
    recorded_model = agent.model_override or agent.model
    model = chosen_model(changes.model, ServiceSettings().model, recorded_model)
    overrides: dict[str, Any] = {}
    if model != recorded_model:
        overrides["model_override"] = model
    recorded = {
        "permission_mode": agent.recorded_permission_mode,
        "sandbox": agent.recorded_sandbox,
        "effort": agent.effort,
    }
    for name, known in recorded.items():
        wanted = getattr(changes, name)
        if wanted is not None and wanted != known:
            overrides[name] = wanted
    instructions = recorded_instructions(store, runtime.session.id, agent)
    if changes.instructions is not None and digest_of(changes.instructions) != agent.instructions_digest:
        instructions = changes.instructions
        overrides |= {"instructions": instructions, "instructions_digest": digest_of(instructions)}
    held_back = _held_back(runtime, changes)
    tools, findings = _tools(changes.tools, bounds(runtime.session.source, agent.tools))
    names = tuple(tool.name for tool in tools)
    if changes.tools is not None and (agent.tools is None or set(names) - set(agent.tools)):
        overrides["tools"] = names
    events = (AgentMetadata(**overrides, override=True),) if overrides else ()
    return Plan(model, tools, instructions, events, (*held_back, *findings))


def _tools(given: tuple[Tool, ...] | None, bound: tuple[str, ...] | None) -> tuple[tuple[Tool, ...], list[Finding]]:
    """The tools in force: the given ones, else of the coding set those that were recorded. What cannot be had again is told."""
    if given is not None:
        offered = given
    elif bound is None:
        offered = coding_tools()
    else:
        offered = tuple(tool for tool in coding_tools() if permitted(tool.name, bound))
    names = {tool.name for tool in offered}
    lost = [name for name in bound or () if name not in names and ours(name) not in names]
    if not lost:
        return offered, []
    finding = Finding(
        code="tool-missing",
        severity="warning",
        message=f"{len(lost)} recorded tool(s) cannot be offered: {', '.join(lost[:8])}.",
        remedy="Give them to open_session(tools=…); without them the agent has fewer rights, never more.",
        facts={"tools": lost},
    )
    return offered, [finding]


def _held_back(runtime: RestoredRuntime, changes: Changes) -> tuple[Finding, ...]:
    """A sandbox without bounds is confirmed at each opening, as a mode without questions is."""
    if (
        sandbox_kind(runtime.agent.sandbox) != UNBOUNDED
        or changes.sandbox is not None
        or changes.permission_mode is not None
    ):
        return ()
    name = runtime.session.id
    finding = Finding(
        code="permission-mode-unconfirmed",
        severity="info",
        message=f"The session ran without a sandbox ({UNBOUNDED}); commands are asked for until that is confirmed.",
        remedy=f"Confirm it where the session is opened: rehydrate run {name} PROMPT --permission-mode bypassPermissions",
        facts={"recorded": UNBOUNDED, "effective": "default"},
    )
    return (finding,)


def recorded_instructions(store: EventStore, session_id: str, agent: Agent) -> str | None:
    """The text whose digest the session recorded, None when it recorded none."""
    if agent.instructions_digest is None:
        return None
    for event in store.read(session_id, reverse=True, kinds=["AgentMetadata"]):
        if event.data.get("instructions_digest") == agent.instructions_digest and event.data.get("instructions"):
            text = store.hydrate([event])[0].data["instructions"]
            return text if isinstance(text, str) else None
    return None


def foreign_reasoning(runtime: RestoredRuntime, options: dict[str, Any]) -> tuple[Finding, ...]:
    """A finding when the history holds reasoning that the service of this opening cannot take back."""
    from .model import is_foreign, provider_of

    url = options.get("base_url") or ServiceSettings().base_url or "https://api.openai.com/v1"
    client = options.get("client")
    provider = client.provider if client is not None else options.get("provider") or provider_of(url)
    foreign = [
        message.pointer
        for message in runtime.messages
        if is_foreign(message.provider, provider) and any(block.type == "thinking" for block in message.content)
    ]
    if not foreign:
        return ()
    return (
        Finding(
            code="foreign-reasoning",
            severity="repaired",
            message=f"Reasoning in {len(foreign)} message(s) comes from another service than {provider}; it is left out.",
            facts={"messages": len(foreign), "provider": provider, "first": foreign[0]},
        ),
    )
