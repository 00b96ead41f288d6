"""A tiny transcript format and its importer: one JSON object a line, `{"tiny": SESSION, "id"?, "say"?, "who"?, "ts"?}`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rehydrate.events import references
from rehydrate.events.errors import UnreadableSource
from rehydrate.events.event import Draft, derived_id
from rehydrate.events.importers.importer import Identity, Line, Probe, SideEvent
from rehydrate.events.times import to_us


class TinyTranscript:
    def __init__(self, identity: Identity, state: dict[str, Any] | None) -> None:
        self.identity = identity
        self._count = int((state or {}).get("count", 0))

    def drafts(self, line: Line) -> Sequence[Draft]:
        value = line.value
        self._count += 1
        session = self.identity.session_id
        drafts: list[Draft] = []
        if self._count == 1:
            drafts.append(
                Draft("SessionStarted", {"source": "tiny", "native_id": session}, derived_id(session, "start"))
            )
        if not isinstance(value, dict) or "say" not in value:
            kind = value.get("type") if isinstance(value, dict) else None
            data = {} if kind is None else {"type": kind}
            return [*drafts, Draft("Unrecognized", data, derived_id(session, repr(value)))]
        own = value.get("id")
        envelope: dict[str, Any] = {"ts": to_us(value.get("ts"))}
        if own is not None:
            envelope |= {"native_id": own, "node": value.get("who", "user")}
        text = references.at(value, "say")
        block = {"type": "text", "text": text}
        preview = references.preview(str(value["say"]))
        key = derived_id(session, own if own is not None else repr(value))
        if value.get("who") == "assistant":
            drafts.append(Draft("AssistantMessage", {"blocks": [block], "preview": preview}, key, **envelope))
            drafts.append(Draft("Cost", {"output_tokens": len(str(value["say"]))}, derived_id(key, "cost")))
        else:
            drafts.append(Draft("UserInput", {"content": [block], "preview": preview}, key, **envelope))
        return drafts

    def state(self) -> dict[str, Any]:
        return {"count": self._count}


class TinyImporter:
    """See the module. A file may also be one document: `{"tiny": SESSION, "document": true, "say": …}` in several lines."""

    name = "tiny"
    version = 1
    labels_beside = False

    def recognizes(self, probe: Probe) -> bool:
        return any(isinstance(line.value, dict) and "tiny" in line.value for line in probe.lines)

    def open(self, probe: Probe, state: dict[str, Any] | None) -> TinyTranscript:
        for line in probe.lines:
            if isinstance(line.value, dict) and "tiny" in line.value:
                parent = line.value.get("parent")
                role = "subagent" if parent else "main"
                identity = Identity(str(line.value["tiny"]), "tiny", role, parent, line.value.get("agent"))
                return TinyTranscript(identity, state)
        raise UnreadableSource(f"{probe.path} names no session.", path=str(probe.path))

    def side_events(self, path: Path, identity: Identity) -> Sequence[SideEvent]:
        sidecar = path.with_suffix(".title")
        if not sidecar.exists():
            return ()
        title = sidecar.read_text(encoding="utf-8")
        return (SideEvent(Draft("SessionLabel", {"title": title}, derived_id(identity.session_id, "title", title))),)

    def default_places(self) -> Sequence[Path]:
        return ()

    def is_document(self, probe: Probe) -> bool:
        return probe.head.startswith(b'{\n  "tiny"')
