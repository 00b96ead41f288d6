"""A Claude Code session as a Claude Code transcript: its own records, with new ids and links where it is another
session now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...events.native import NativeRecord
from ...events.times import now_us, to_iso
from ..messages import Merger
from ..repair_calls import INTERRUPTED
from .claude_side import side_files
from .claude_written import ClaudeWriter
from .native_line import NativeLine, native_line, open_calls
from .places import claude_place
from .relink import NewIds, moved
from .subject import Subject
from .transcript import Json, Losses, Transcript, line_of, list_of, object_of

_PLACE_AND_TIME = frozenset({"cwd", "gitBranch", "version", "userType", "timestamp"})
_OWN_LABELS = frozenset({"custom-title", "last-prompt"})


def _is_message(value: Json) -> bool:
    return value.get("type") in ("user", "assistant")


def claude_copy(subject: Subject, session_id: str) -> Transcript | None:
    """The live line at the pointer under a new id; None when the records alone cannot tell it (our own
    compaction)."""
    line = native_line(subject)
    if line.compacted or not line.nodes:
        return None
    losses = Losses("Claude Code")
    ids = NewIds(session_id, subject.own_ids())
    copy = _Copy(subject, line, ids, losses)
    records = copy.records()
    writer = ClaudeWriter(session_id, subject.cwd, now_us(), losses, keep_thinking=True)
    writer.go_on_from(copy.leaf, copy.model)
    _write_own(subject, line, writer)
    _freshen([*records, *writer.records])
    leaf = writer.leaf or copy.leaf
    if subject.title:
        writer.label("custom-title", customTitle=subject.title)
    writer.label("last-prompt", lastPrompt=copy.last_prompt[:200], leafUuid=leaf)
    losses.add("other-branches-left-out", line.dead)
    losses.add("damaged-records-left-out", copy.damaged)
    losses.add("progress-left-out", len(line.progress))
    side = side_files(subject, ids, losses)
    return Transcript(
        session_id=session_id,
        place=claude_place(subject.cwd, session_id),
        cwd=subject.cwd,
        command=("claude", "--resume", session_id),
        lines=[*(line_of(record) for record in records), *writer.lines()],
        side=side,
        findings=losses.findings(),
    )


class _Copy:
    """Walks the live line once: parsed records with new names, one behind the other."""

    def __init__(self, subject: Subject, line: NativeLine, ids: NewIds, losses: Losses) -> None:
        self._subject = subject
        self._line = line
        self._ids = ids
        self._losses = losses
        self._origins: dict[int, Json] = {}
        self.leaf: str | None = None
        self.model: str | None = None
        self.last_prompt = ""
        self.damaged = 0

    def records(self) -> list[Json]:
        kept = list(self._kept())
        origin = self._subject.row.session_id
        for number, value in kept:
            if isinstance(value.get("uuid"), str) and number not in self._line.progress:
                self._origins[number] = {"sessionId": origin, "messageUuid": value["uuid"]}
                value["uuid"] = self._ids.name(value["uuid"])
        done: list[Json] = []
        unanswered = self._unanswered(kept)
        for number, value in kept:
            done.append(self._linked(number, value))
            done += [self._interrupted(call_id, value) for call_id in unanswered.get(number, ())]
        return done

    def _kept(self) -> Iterator[tuple[int, Json]]:
        """Parsed live records; screens' progress, old labels and what a client could not read are left out."""
        for number, record in self._loaded():
            value = object_of(record.parsed())
            if number in self._line.damaged or not value:
                self.damaged += 1
            elif number in self._line.progress or str(value.get("type")) in _OWN_LABELS:
                continue
            elif number in self._line.nodes and _is_message(value) and not object_of(value.get("message")):
                self.damaged += 1
            else:
                yield number, value

    def _loaded(self) -> Iterator[tuple[int, NativeRecord]]:
        loaded = self._line.loaded(self._subject)
        return ((number, loaded[number]) for number in self._line.records)

    def _linked(self, number: int, value: Json) -> Json:
        name = value.get("uuid")
        value = moved(self._ids.relink(value), self._subject.recorded_cwd, self._subject.cwd)
        value["sessionId"] = self._ids.session_id
        if "session_id" in value:
            value["session_id"] = self._ids.session_id
        if number not in self._line.nodes or not isinstance(name, str):
            return value
        value["uuid"] = name
        value["forkedFrom"] = self._origins[number]
        self._chain(value)
        return value

    def _chain(self, value: Json) -> None:
        if value.get("subtype") == "compact_boundary":
            value["logicalParentUuid"] = self.leaf
            value["parentUuid"] = None
        else:
            value["parentUuid"] = self.leaf
        self.leaf = value["uuid"]
        message = object_of(value.get("message"))
        if value.get("type") == "assistant" and message:
            model = message.get("model")
            self.model = model if isinstance(model, str) and model != "<synthetic>" else self.model
        elif value.get("type") == "user" and isinstance(message.get("content"), str):
            self.last_prompt = self.last_prompt if value.get("isMeta") else str(message["content"])

    def _unanswered(self, kept: list[tuple[int, Json]]) -> dict[int, list[str]]:
        """Open calls by the record behind which their answer has to stand: the last one of the reply that made
        them."""
        calls: list[tuple[str, int]] = []
        answered = [event.data["call_id"] for event in self._line.own if event.kind == "ToolResult"]
        reply_end: dict[Any, int] = {}
        reply_of: dict[int, Any] = {}
        for number, value in kept:
            if number not in self._line.nodes:
                continue
            for block in _blocks(value):
                if block.get("type") == "tool_use":
                    calls.append((str(block.get("id")), number))
                elif block.get("type") == "tool_result":
                    answered.append(str(block.get("tool_use_id")))
            if value.get("type") == "assistant":
                named = object_of(value.get("message")).get("id")
                reply = named if isinstance(named, str) and named else number
                reply_of[number] = reply
                reply_end[reply] = number
        found: dict[int, list[str]] = {}
        for call_id, number in open_calls(calls, answered):
            found.setdefault(reply_end[reply_of[number]] if number in reply_of else number, []).append(call_id)
        return found

    def _interrupted(self, call_id: str, behind: Json) -> Json:
        result = {"type": "tool_result", "tool_use_id": call_id, "content": INTERRUPTED, "is_error": True}
        kept: Json = {name: part for name, part in behind.items() if name in _PLACE_AND_TIME}
        name = self._ids.name(f"interrupted {call_id}")
        record: Json = {
            "parentUuid": self.leaf,
            "isSidechain": False,
            **kept,
            "sessionId": self._ids.session_id,
            "type": "user",
            "message": {"role": "user", "content": [result]},
            "uuid": name,
            "sourceToolAssistantUUID": self.leaf,
        }
        self.leaf = name
        return record


def _blocks(value: Json) -> list[Json]:
    content = list_of(object_of(value.get("message")).get("content"))
    return [object_of(block) for block in content if isinstance(block, dict)]


def _write_own(subject: Subject, line: NativeLine, writer: ClaudeWriter) -> None:
    """What was said here after the import, behind the native records."""
    if not line.own:
        return
    merger = Merger(set(), {}, [])
    for event in subject.store.hydrate(line.own):
        merger.take(event)
    writer.messages(merger.messages)


def _freshen(records: list[Json]) -> None:
    """The last record of the chain gets the present time: clients look for the newest end."""
    for record in reversed(records):
        if record.get("uuid") and not record.get("isSidechain"):
            text = to_iso(now_us())
            assert text is not None
            record["timestamp"] = text[:23] + "Z"
            return
