"""Where the client ran, as each record tells it: an event when that changes or when the branch starts anew."""

from __future__ import annotations

from .memory import Memory
from .record import Record
from .shape import obj, some, text


def observe(record: Record, memory: Memory) -> None:
    """Directory, git branch, client version, team: on a change, and again on a prompt that hangs off an older record."""
    value = record.value
    _forked(record, memory)
    if record.lane is not None:
        return
    cwd, branch = text(value.get("cwd")), text(value.get("gitBranch"))
    branched = record.type == "user" and text(value.get("parentUuid")) != memory.last_uuid
    if cwd is not None and (branched or cwd != memory.cwd or (branch is not None and branch != memory.branch)):
        record.add("WorkspaceObserved", cwd=cwd, branch=branch)
        memory.cwd, memory.branch = cwd, branch
    team = text(value.get("teamName"))
    if team is not None and team != memory.team:
        record.add("AgentMetadata", team=team, name=text(value.get("agentName")))
        memory.team = team
    slug = text(value.get("slug"))
    if slug is not None and slug != memory.slug:
        record.add("Notice", subtype="plan-slug", text=slug)
        memory.slug = slug
    version = text(value.get("version"))
    if version is not None and version != memory.version:
        facts = {"version": version, "entrypoint": text(value.get("entrypoint"))}
        record.add("Notice", subtype="client-version", value=facts)
        memory.version = version


def _forked(record: Record, memory: Memory) -> None:
    """The session that the first records were copied from: named by a fork, or left in the records of an old copy."""
    if memory.forked or record.identity.role != "main":
        return
    fork = obj(record.value.get("forkedFrom"))
    origin = text(fork.get("sessionId"))
    named = text(record.value.get("sessionId"))
    if origin is None and named != record.identity.session_id:
        origin = named
    if origin is None:
        return
    memory.forked = True
    facts = {"session_id": origin, "message_uuid": text(fork.get("messageUuid"))}
    record.add("Notice", subtype="forked-from", value=some(facts))
