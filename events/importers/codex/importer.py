"""Recognizes Codex transcripts, tells which session a file belongs to, and reads the facts that lie beside it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...errors import UnreadableSource
from ...event import Draft, derived_id
from ...references import preview
from ...times import to_us
from ..importer import Identity, Probe, SideEvent
from .batch import text_or_none, whole
from .document import is_header
from .session import parent_of
from .shapes import is_object
from .transcript import CodexTranscript

_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_NAME = re.compile(rf"rollout-.*?({_UUID})(?:_({_UUID}))?\.jsonl?(?:\.zst)?$")
_WRAPPED = (
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
    "world_state",
    "token_usage_record",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
)
_BARE = ("message", "reasoning", "function_call", "function_call_output", "local_shell_call", "custom_tool_call")
_DOCUMENT = re.compile(rb'^\s*\{\s*"session"\s*:\s*\{')
_META_ID = re.compile(rb'"type"\s*:\s*"session_meta"\s*,\s*"payload"\s*:\s*\{.{0,400}?"id"\s*:\s*"([^"]+)"', re.DOTALL)
_DOCUMENT_ID = re.compile(rb'"id"\s*:\s*"([^"]+)"')

_NO_META: dict[str, Any] = {}


class CodexImporter:
    """See `rehydrate.events.importers.importer.Importer`."""

    name = "codex"
    version = 1
    labels_beside = True

    def recognizes(self, probe: Probe) -> bool:
        if self.is_document(probe):
            return True
        return any(_is_ours(line.value) for line in probe.lines) or bool(_META_ID.search(probe.head[:4096]))

    def is_document(self, probe: Probe) -> bool:
        head = probe.head.removeprefix(b"\xef\xbb\xbf")
        return bool(_DOCUMENT.match(head)) and b'"items"' in head

    def open(self, probe: Probe, state: dict[str, Any] | None) -> CodexTranscript:
        return CodexTranscript(self._identity(probe), state)

    def _identity(self, probe: Probe) -> Identity:
        named = _NAME.search(probe.path.name)
        metas = [meta for meta in _metas(probe) if text_or_none(meta.get("id"))]
        ids = [str(meta["id"]) for meta in metas] or _ids_in_bytes(probe, self.is_document(probe))
        thread, segment = (named[1], named[2]) if named else (None, None)
        session_id = thread if thread in ids or not ids else ids[0]
        if session_id is None:
            raise UnreadableSource(
                f"{probe.path} names no Codex session: no session metadata in it and no id in its name.",
                remedy="Give the file a name of the form rollout-<time>-<uuid>.jsonl and import it again.",
                path=str(probe.path),
            )
        meta = next((meta for meta in metas if meta["id"] == session_id), _NO_META)
        parent = parent_of(meta)
        source = meta.get("source")
        spawned = parent is not None or (is_object(source) and "subagent" in source)
        base = meta.get("history_base")
        pointer = base if is_object(base) and meta.get("history_mode") == "paginated" else {}
        return Identity(
            session_id=session_id,
            source=self.name,
            role="subagent" if spawned else "main",
            parent_session=parent,
            agent_id=session_id if spawned else None,
            file_id=segment or session_id,
            base_file=text_or_none(pointer.get("thread_id")),
            base_bytes=whole(pointer.get("end_byte_offset")),
        )

    def side_events(self, path: Path, identity: Identity) -> Sequence[SideEvent]:
        """The name from the index beside the sessions, and whether the file lies among the archived ones."""
        return [*self._names(path, identity), *self._archived(path, identity)]

    def _names(self, path: Path, identity: Identity) -> Iterator[SideEvent]:
        home = _home_of(path)
        index = home / "session_index.jsonl" if home is not None else None
        if index is None or not index.is_file():
            return
        stat = index.stat()
        for name, updated in _names_in(index, stat.st_mtime_ns, stat.st_size).get(identity.session_id, ()):
            data = {"title": preview(name), "set_by": "person"}
            event_id = derived_id("codex", identity.session_id, "thread_name", name, updated)
            yield SideEvent(Draft("SessionLabel", data, event_id=event_id, ts=to_us(updated)))

    def _archived(self, path: Path, identity: Identity) -> Iterator[SideEvent]:
        if "archived_sessions" in path.parts:
            event_id = derived_id("codex", identity.session_id, "archived")
            yield SideEvent(Draft("SessionLabel", {"archived": True, "set_by": "person"}, event_id=event_id))

    def default_places(self) -> Sequence[Path]:
        home = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")
        return [home / "sessions", home / "archived_sessions"]


def _is_ours(value: Any) -> bool:
    if not is_object(value):
        return False
    kind = value.get("type")
    if is_object(value.get("payload")) and kind in _WRAPPED:
        return True
    if "uuid" in value or "parentUuid" in value or "sessionId" in value:
        return False
    if value.get("record_type") == "state":
        return True
    if kind is None:
        return isinstance(value.get("id"), str) and "timestamp" in value and "instructions" in value
    return kind in _BARE and ("role" in value or "call_id" in value or "summary" in value)


def _metas(probe: Probe) -> list[dict[str, Any]]:
    """Session metadata among the first lines: wrapped, bare, or of a document."""
    found: list[dict[str, Any]] = []
    for line in probe.lines:
        value = line.value
        if not is_object(value):
            continue
        if value.get("type") == "session_meta" and is_object(value.get("payload")):
            found.append(value["payload"])
        elif is_header(value):
            found.append(value["session"])
        elif "type" not in value and isinstance(value.get("id"), str) and "instructions" in value:
            found.append(value)
    return found


def _ids_in_bytes(probe: Probe, document: bool) -> list[str]:
    """The id where the first line (or the document) is longer than the probe."""
    match = (_DOCUMENT_ID if document else _META_ID).search(probe.head[:8192])
    return [match[1].decode("utf-8", "replace")] if match else []


def _home_of(path: Path) -> Path | None:
    for parent in path.absolute().parents:
        if parent.name in ("sessions", "archived_sessions"):
            return parent.parent
    return None


@lru_cache(maxsize=4)
def _names_in(index: Path, mtime_ns: int, size_bytes: int) -> dict[str, list[tuple[str, str]]]:
    """Names by thread, oldest first, with their times; read once for each state of the file."""
    del mtime_ns, size_bytes
    found: dict[str, list[tuple[str, str]]] = {}
    for entry in _index_entries(index):
        thread, name = text_or_none(entry.get("id")), text_or_none(entry.get("thread_name"))
        if thread is not None and name is not None:
            found.setdefault(thread, []).append((name, str(entry.get("updated_at"))))
    return found


def _index_entries(index: Path) -> Iterator[dict[str, Any]]:
    with index.open("rb") as stream:
        for raw in stream:
            try:
                value = json.loads(raw)
            except ValueError:
                continue
            if is_object(value):
                yield value
