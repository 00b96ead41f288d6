"""What happened to files: by path the operations, the digests last written and last read, the backups."""

from __future__ import annotations

from typing import Any

from ..events.event import Event
from .projection import Projection, State

KEPT = 20
"""Operations and backups kept by path; `operation_count` goes on counting, so that the state stays bounded."""


def initial() -> State:
    return {"paths": {}, "untracked": 0}


def apply(state: State, event: Event) -> None:
    paths: dict[str, Any] = state["paths"]
    data = event.data
    if event.kind == "FileChanged":
        _changed(paths, event)
    elif event.kind == "FileRead":
        entry = _entry(paths, data["path"])
        entry["read_at"] = event.position
        if data.get("digest") is not None:
            entry["read"] = data["digest"]
        if data.get("partial"):
            entry["partial"] = True
        else:
            entry.pop("partial", None)
    else:
        for backup in data.get("backups") or ():
            _backed_up(_entry(paths, backup["path"]), backup, event, data.get("message_id"))


def _entry(paths: dict[str, Any], path: str) -> dict[str, Any]:
    if path not in paths:
        paths[path] = {"ops": [], "count": 0, "written": None, "read": None, "backups": []}
    entry: dict[str, Any] = paths[path]
    return entry


def _changed(paths: dict[str, Any], event: Event) -> None:
    data = event.data
    operation = data["operation"]
    entry = _entry(paths, data["path"])
    entry["ops"] = [*entry["ops"], [event.position, operation, data.get("call_id")]][-KEPT:]
    entry["count"] += 1
    entry["written"] = None if operation in ("delete", "move") else data.get("digest_after")
    entry["deleted"] = operation == "delete" or bool(data.get("moved_to"))
    # What the agent wrote it also knows: its read state follows.
    entry["read"] = entry["written"] or entry["read"]
    if data.get("backup") is not None:
        _backed_up(entry, {"backup": data["backup"]}, event, None)
    moved_to = data.get("moved_to")
    if moved_to is not None:
        target = _entry(paths, moved_to)
        target["ops"] = [*target["ops"], [event.position, "move", data.get("call_id")]][-KEPT:]
        target["count"] += 1
        target["written"] = target["read"] = data.get("digest_after")
        target["moved_from"] = data["path"]
        target["deleted"] = False
        entry["moved_to"] = moved_to


def _backed_up(entry: dict[str, Any], backup: dict[str, Any], event: Event, message_id: str | None) -> None:
    row = {
        "backup": backup.get("backup"),
        "version": backup.get("version"),
        "message_id": message_id,
        "at": event.position,
    }
    same = [old for old in entry["backups"] if (old["backup"], old["version"]) == (row["backup"], row["version"])]
    if not same:
        entry["backups"] = [*entry["backups"], row][-KEPT:]


FOLD = Projection("files", 3, "branch", initial, apply, frozenset({"FileChanged", "FileRead", "FileCheckpoint"}))
