"""Threads that a Codex session spawned: their rollouts go along under new ids, and every mention of a thread
follows."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping

from ...events.store import SessionRow
from .places import codex_place
from .relink import moved
from .subject import Subject
from .transcript import Json, Losses, line_of, object_of

_IDS_OF_THREADS = frozenset(
    {
        "thread_id", "session_id", "agent_thread_id", "sender_thread_id", "receiver_thread_id", "new_thread_id",
        "parent_thread_id", "forked_from_id", "root_thread_id",
    }
)  # fmt: skip


def agent_names(subject: Subject, session_id: str) -> dict[str, str]:
    """A new thread id for each spawned thread that is in the store, made from the new session id and the old one."""
    base = uuid.UUID(session_id)
    return {row.session_id: str(uuid.uuid5(base, row.session_id)) for row in spawned(subject)}


def renamed(payload: Json, names: Mapping[str, str]) -> Json:
    """The payload with every thread it names under its new id, at any depth; texts are left alone."""
    made: Json = {}
    for name, part in payload.items():
        if isinstance(part, str):
            made[name] = names.get(part, part) if name in _IDS_OF_THREADS else part
        else:
            made[name] = renamed(object_of(part), names) if isinstance(part, dict) and part else part
    return made


def agent_rollouts(subject: Subject, names: Mapping[str, str], losses: Losses) -> dict[str, bytes]:
    """Rollouts of spawned threads by their place below the client's home."""
    files: dict[str, bytes] = {}
    for row in spawned(subject):
        lines = _lines(subject, row, names)
        if lines:
            files[codex_place(names[row.session_id], time.localtime())] = b"".join(line + b"\n" for line in lines)
    known = {agent.session_id for agent in subject.restored.agent.subagents}
    losses.add("subagents-not-carried", len(known) - len(files))
    return files


def spawned(subject: Subject) -> list[SessionRow]:
    """Spawned threads that the session knew of at the pointer."""
    ids = [agent.session_id for agent in subject.restored.agent.subagents if agent.session_id is not None]
    rows = [subject.store.find_session(each) for each in ids]
    return [row for row in rows if row is not None and row.role == "subagent"]


def _lines(subject: Subject, row: SessionRow, names: Mapping[str, str]) -> list[bytes]:
    lines: list[bytes] = []
    for source in subject.store.sources(session_id=row.session_id):
        if source.superseded:
            continue
        for record in subject.store.source_records(source.source):
            value = object_of(record.parsed())
            if not value:
                continue
            payload = renamed(moved(object_of(value.get("payload")), subject.recorded_cwd, subject.cwd), names)
            if value.get("type") == "session_meta" and payload.get("id") in names:
                payload["id"] = names[str(payload["id"])]
            lines.append(line_of({**value, "payload": payload}))
    return lines
