"""A Codex session as a Codex rollout under a new id: its own lines of the live path, as the client's own fork copies
them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from ...events.times import now_us, to_iso
from ..messages import Merger
from ..repair_calls import INTERRUPTED
from .as_is import is_uuid
from .codex_agents import agent_names, agent_rollouts, renamed
from .codex_items import ItemWriter
from .native_line import NativeLine, native_line, open_calls
from .places import codex_place
from .relink import moved
from .subject import Subject
from .transcript import Json, Losses, Transcript, line_of, object_of

_POINTS_ELSEWHERE = ("history_base", "forked_from_ordinal_exclusive", "subagent_history_start_ordinal")
"""Fields that say that a part of the history lies in another file: it is in this one now."""
_CHECKED: dict[str, Callable[[Any], bool]] = {
    "history_mode": lambda value: value in ("legacy", "paginated"),
    "originator": lambda value: isinstance(value, str),
    "cli_version": lambda value: isinstance(value, str),
    "dynamic_tools": lambda value: isinstance(value, list),
    "base_instructions": lambda value: isinstance(object_of(value).get("text"), str),
    "git": lambda value: isinstance(value, dict),
}
"""Fields of the first line that make the client refuse the whole file when they are of another form."""
_OUTPUTS = {
    "function_call": "function_call_output",
    "local_shell_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
}


def codex_copy(subject: Subject, session_id: str) -> Transcript | None:
    """The live line at the pointer; None when today's client could not read such records, or they alone cannot tell
    the history."""
    line = native_line(subject)
    values = _values(subject, line)
    if line.compacted or not values or values[0][1].get("type") != "session_meta":
        return None
    losses = Losses("Codex")
    copy = _Copy(subject, line, session_id)
    made = copy.lines(values)
    made += _own_lines(subject, line, losses)
    if values[0][1]["payload"].get("history_mode") == "paginated":
        made = [{**value, "ordinal": number} for number, value in enumerate(made)]
    losses.add("other-branches-left-out", line.dead)
    losses.add("damaged-records-left-out", len(line.damaged))
    side = agent_rollouts(subject, copy.names, losses)
    return Transcript(
        session_id=session_id,
        place=codex_place(session_id, time.localtime()),
        cwd=subject.cwd,
        command=("codex", "resume", session_id),
        lines=[line_of(value) for value in made],
        side=side,
        findings=losses.findings(),
    )


def _values(subject: Subject, line: NativeLine) -> list[tuple[int, Json]]:
    """Live records that parse, in order; the markers of rollbacks go with what they took back."""
    loaded = line.loaded(subject)
    found: list[tuple[int, Json]] = []
    for number in line.records:
        value = loaded[number].parsed()
        if number not in line.damaged and number not in line.markers and isinstance(value, dict):
            found.append((number, object_of(value)))
    return found


class _Copy:
    def __init__(self, subject: Subject, line: NativeLine, session_id: str) -> None:
        self._subject = subject
        self._line = line
        self._session_id = session_id
        self.names = dict.fromkeys(subject.own_ids(), session_id) | agent_names(subject, session_id)

    def lines(self, values: list[tuple[int, Json]]) -> list[Json]:
        """Our own meta first, then the source's meta and lines as a fork of the client has them; open calls are
        answered."""
        made = [self._meta(values[0][1])]
        unanswered = self._unanswered(value for _, value in values)
        for number, (_, value) in enumerate(values):
            if value.get("type") == "session_meta" and (number or not is_uuid(str(_id_of(value)))):
                continue  # Later ones are updates or marks of other files: each could send the client elsewhere.
            made.append(self._moved(value))
            payload = object_of(value.get("payload"))
            key = payload.get("call_id")
            if key in unanswered and payload.get("type") in _OUTPUTS:
                unanswered.discard(key)
                made.append(_answer(value, payload))
        return made

    def _meta(self, first: Json) -> Json:
        """The identity: new id, where it comes from, and the place it shall be resumed in."""
        payload = dict(first["payload"])
        source = payload.get("id") or self._subject.row.session_id
        for name in (*_POINTS_ELSEWHERE, "parent_thread_id"):
            payload.pop(name, None)
        if isinstance(payload.get("source"), dict):
            payload["source"] = "cli"
        now = to_iso(now_us())
        assert now is not None
        moment = now[:23] + "Z"
        payload.pop("forked_from_id", None)
        payload.update(id=self._session_id, timestamp=moment, cwd=self._subject.cwd)
        if is_uuid(str(source)):
            payload["forked_from_id"] = source  # The client refuses a file in which this is anything else.
        for name, fits in _CHECKED.items():
            if name in payload and not fits(payload[name]):
                del payload[name]
        payload.setdefault("originator", "codex_cli_rs")
        payload.setdefault("cli_version", "0.0.0")
        if "session_id" in payload:
            payload["session_id"] = self._session_id
        return {**first, "timestamp": moment, "payload": payload}

    def _moved(self, value: Json) -> Json:
        payload = value.get("payload")
        if not isinstance(payload, dict):
            return value
        if value.get("type") == "session_meta":
            told = object_of(payload)
            return {**value, "payload": {name: told[name] for name in told if name not in _POINTS_ELSEWHERE}}
        payload = moved(object_of(payload), self._subject.recorded_cwd, self._subject.cwd)
        return {**value, "payload": renamed(payload, self.names)}

    def _unanswered(self, values: Iterable[Json]) -> set[Any]:
        calls: list[tuple[str, int]] = []
        answered = [str(event.data["call_id"]) for event in self._line.own if event.kind == "ToolResult"]
        for value in values:
            payload = object_of(value.get("payload"))
            if value.get("type") != "response_item" or not payload.get("call_id"):
                continue
            if payload.get("type") in _OUTPUTS:
                calls.append((str(payload["call_id"]), 0))
            elif str(payload.get("type")).endswith("_output"):
                answered.append(str(payload["call_id"]))
        return {call_id for call_id, _ in open_calls(calls, answered)}


def _id_of(value: Json) -> Any:
    return object_of(value.get("payload")).get("id")


def _answer(value: Json, call: Json) -> Json:
    output = {"type": _OUTPUTS[call["type"]], "call_id": call["call_id"], "output": INTERRUPTED}
    return {"timestamp": value.get("timestamp"), "type": "response_item", "payload": output}


def _own_lines(subject: Subject, line: NativeLine, losses: Losses) -> list[Json]:
    """What was said here after the import, as items with the events that the screen needs."""
    if not line.own:
        return []
    merger = Merger(set(), {}, [])
    for event in subject.store.hydrate(line.own):
        merger.take(event)
    writer = ItemWriter(losses, keep_reasoning=True)
    made: list[Json] = []
    for message in merger.messages:
        moment = to_iso(message.ts or now_us())
        assert moment is not None
        stamp = moment[:23] + "Z"
        for item in writer.items(message):
            made.append({"timestamp": stamp, "type": "response_item", "payload": item})
            if item["type"] == "message" and item["role"] in {"user", "assistant"} and not message.only_results:
                kind = "user_message" if item["role"] == "user" else "agent_message"
                text = "\n".join(part.get("text") or "" for part in item["content"])
                made.append({"timestamp": stamp, "type": "event_msg", "payload": {"type": kind, "message": text}})
    return made
