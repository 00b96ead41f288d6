"""Whether the agent that the session was can still be had: its definition file, its model. What is missing means fewer rights."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from ...events.blocks import Frozen
from ...events.findings import Finding
from ...events.kinds import AgentMetadata
from . import paths
from .verdict import Gate, verdict

_LIMIT_BYTES = 1 << 20
_BUILT_IN = frozenset(
    {"claude", "default", "general-purpose", "main", "Explore", "Plan", "statusline-setup", "output-style-setup"}
)
"""Names that Claude Code ships without a file of their own (2.1)."""


class Definition(Frozen):
    """An agent's definition file: Markdown with a head of `key: value` lines. tools is None when it grants the default set."""

    name: str
    path: str
    digest: str
    tools: tuple[str, ...] | None = None
    model: str | None = None


def agent_folders(project: str | None) -> list[Path]:
    """Where definitions of Claude Code lie, the project's own first (they win over the user's)."""
    folders: list[Path] = []
    if project is not None:
        top = Path(project)
        folders += [
            folder / ".claude" / "agents" for folder in (top, *top.parents) if (folder / ".claude" / "agents").is_dir()
        ]
    config = os.environ.get("CLAUDE_CONFIG_DIR")
    folders.append((Path(config) if config else Path.home() / ".claude") / "agents")
    return list(dict.fromkeys(folders))


def find_definition(name: str, project: str | None) -> Definition | None:
    """The definition file whose head names the agent, else the one whose file name does; None when there is none."""
    by_file: Definition | None = None
    for folder in agent_folders(project):
        for file in sorted(folder.rglob("*.md")) if folder.is_dir() else ():
            definition = read_definition(file)
            if definition is None:
                continue
            if definition.name == name:
                return definition
            if file.stem == name and by_file is None:
                by_file = definition
    return by_file


def read_definition(file: Path) -> Definition | None:
    """Read one definition; None when it is no regular readable file."""
    try:
        if not file.is_file() or file.stat().st_size > _LIMIT_BYTES:
            return None
        content = file.read_bytes()
    except OSError:
        return None
    head = _head(content.decode("utf-8", "replace"))
    tools = head.get("tools")
    return Definition(
        name=str(head.get("name") or file.stem),
        path=paths.shown(str(file)),
        digest=hashlib.sha256(content).hexdigest(),
        tools=None if tools is None else tuple(_names(tools)),
        model=head["model"] if isinstance(head.get("model"), str) and head["model"] != "inherit" else None,
    )


def _head(text: str) -> dict[str, Any]:
    """The front matter: `key: value`, a list in brackets, or a list of `- item` lines below its key."""
    lines = text.lstrip("﻿").splitlines()
    if not lines or lines[0].strip() != "---":
        return {}
    head: dict[str, Any] = {}
    listed: dict[str, list[str]] = {}
    key = ""
    for line in lines[1:]:
        if line.strip() == "---":
            break
        if line.lstrip().startswith("- ") and key:
            listed.setdefault(key, []).append(_bare(line.lstrip()[2:]))
        elif ":" in line and not line[:1].isspace():
            key, _, value = line.partition(":")
            key = key.strip()
            head[key] = _bare(value)
    return head | listed


def _bare(text: str) -> str:
    return text.strip().strip("\"'")


def _names(value: str | list[str]) -> list[str]:
    if isinstance(value, list):
        return value
    names = (_bare(name) for name in value.strip("[]").split(","))
    return [name for name in names if name]


def definition_facts(definition: str, project: str | None) -> list[AgentMetadata]:
    """What an import notes of a named definition while its file is there."""
    found = find_definition(definition, project)
    if found is None:
        return []
    return [AgentMetadata(definition_digest=found.digest, tools=found.tools)]


class RecordedAgent(Frozen):
    """What the events say about the agent: see the `agent` projection.

    definition: the name of its definition, or the path of its file; None for an agent without one (whatever it is called).
    """

    name: str | None = None
    definition: str | None = None
    definition_digest: str | None = None
    model: str | None = None
    provider: str | None = None
    tools: tuple[str, ...] | None = None
    mcp_servers: tuple[str, ...] | None = None


def agent_findings(
    agent: RecordedAgent, project: str | None, gate: Gate, session: str, *, knows: Callable[[str], bool] | None = None
) -> list[Finding]:
    """Findings about definition, model (knows: tells whether a model is known; None does not ask) and MCP servers."""
    findings: list[Finding] = []
    definition = _definition_finding(agent, project, gate, session)
    if definition is not None:
        findings.append(definition)
    if knows is not None and agent.model and not knows(agent.model):
        message = f"The model {agent.model} is not a known one: it may be retired or private, and its cost is unknown."
        remedy = f"Go on with another one: rehydrate run {paths.quoted(session)} PROMPT --model MODEL"
        findings.append(verdict(gate, "tell", "model-unknown", message, remedy, model=agent.model))
    if agent.mcp_servers:
        absent = sorted(set(agent.mcp_servers) - configured_servers(project))
        if absent:
            message = f"MCP servers of the session are not configured here: {', '.join(absent)}. Their tools are not available."
            remedy = "Configure them in the project's .mcp.json, or go on without their tools."
            findings.append(verdict(gate, "warn", "mcp-server-missing", message, remedy, servers=absent))
    return findings


def _definition_finding(agent: RecordedAgent, project: str | None, gate: Gate, session: str) -> Finding | None:
    name = agent.definition
    if name is None or name in _BUILT_IN:
        return None
    found = _present(name, project)
    facts = {"agent": name, "expected_digest": agent.definition_digest}
    if found is None:
        kept = "no tools" if agent.tools is None else "only " + (", ".join(agent.tools) or "no tools")
        message = f"The definition of the agent {name} is missing. The session keeps {kept}: rights are never widened."
        home = name if _is_path(name) else f".claude/agents/{name}.md in the project"
        remedy = f"Put it back at {home}, then: rehydrate check {paths.quoted(session)}"
        return verdict(gate, "warn", "agent-definition-missing", message, remedy, **facts)
    if agent.definition_digest is not None and found.digest != agent.definition_digest:
        message = (
            f"The definition of the agent {name} changed since ({found.path}). It keeps the recorded tools at most."
        )
        remedy = f"Read it: less {paths.quoted(found.path)}"
        return verdict(
            gate,
            "warn",
            "agent-definition-changed",
            message,
            remedy,
            found=found.path,
            found_digest=found.digest,
            **facts,
        )
    return None


def _present(definition: str, project: str | None) -> Definition | None:
    if not _is_path(definition):
        return find_definition(definition, project)
    return None if paths.foreign(definition) is not None else read_definition(Path(definition))


def _is_path(definition: str) -> bool:
    return "/" in definition or "\\" in definition or definition.endswith(".md")


def granted_tools(agent: RecordedAgent, project: str | None) -> tuple[str, ...] | None:
    """The tools the session may use when it goes on: never more than recorded, none when nothing vouches for more.

    None means that the agent has no definition and no list was recorded: the caller's own default holds.
    """
    if agent.definition is None or agent.definition in _BUILT_IN:
        return agent.tools
    found = _present(agent.definition, project)
    if found is None:
        return agent.tools if agent.tools is not None else ()
    if agent.tools is None or found.tools is None:
        return agent.tools if agent.tools is not None else found.tools
    return tuple(tool for tool in agent.tools if tool in found.tools)


def configured_servers(project: str | None) -> set[str]:
    """Names of the MCP servers that Claude Code would start here, from the files that name them; nothing is started."""
    import json

    names: set[str] = set()
    files: Sequence[Path] = [Path.home() / ".claude.json", Path.home() / ".claude" / "settings.json"]
    if project is not None:
        files = [Path(project) / ".mcp.json", Path(project) / ".claude" / "settings.json", *files]
    for file in files:
        try:
            document = json.loads(file.read_text("utf-8"))
        except (OSError, ValueError):
            continue
        for holder in _holders(document, project):
            names |= set(_mapping(holder.get("mcpServers")))
    return names


def _holders(document: Any, project: str | None) -> Iterable[dict[str, Any]]:
    own = _mapping(document)
    return own, _mapping(_mapping(own.get("projects")).get(project or ""))


def _mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
