"""The live context as messages: the planned events are read and hydrated, the parts of a reply or a batch put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ..events.event import Event
from ..events.store import EventStore
from ..projections import conversation
from ..projections.fold import Folded
from .spoken import Block, Spoken

CLEARED = "[Old tool result content cleared]"
"""What the model sees in place of a result that a micro-compaction emptied."""

ABORTED = (
    "<turn_aborted>\nThe previous turn was interrupted before it ended. Commands that were running may have had "
    "effects; look before doing them again.\n</turn_aborted>"
)
_ABORT_SIGNS = ("<turn_aborted>", "[Request interrupted by user")
_REMINDERS = ("attachment", "hook")
_GAP = 200
"""Ranges of positions closer than this are read in one go."""


def live_messages(store: EventStore, folded: Folded) -> list[Spoken]:
    """The messages of the live context in order, as recorded (nothing repaired yet)."""
    state = folded.states["conversation"]
    found: list[Spoken] = []
    base = conversation.summary_position(state)
    if base is not None:
        found += _of_compaction(store, folded, base)
    events = _planned(store, folded)
    gone = {native for event in events for native in event.data.get("replaces") or ()}
    events = [event for event in events if event.native_id is None or event.native_id not in gone]
    replaced = _replacements(store, folded)
    merger = Merger(set(state["cleared"]), replaced, found)
    for event in events:
        merger.take(event)
    return merger.messages


def _planned(store: EventStore, folded: Folded) -> list[Event]:
    """The events of the plan in its order, references resolved."""
    state = folded.states["conversation"]
    wanted = conversation.positions(state)
    by_position = {event.position: event for event in _read(store, folded, wanted)}
    events = [by_position[at] for lo, hi in wanted for at in range(lo, hi + 1) if at in by_position]
    return store.hydrate(events)


def _read(store: EventStore, folded: Folded, wanted: Sequence[tuple[int, int]]) -> Iterable[Event]:
    kinds = [*sorted(conversation.SPOKEN), "RunEnded"]
    groups: list[list[int]] = []
    for lo, hi in sorted(wanted):
        if groups and lo - groups[-1][1] <= _GAP:
            groups[-1][1] = max(groups[-1][1], hi)
        else:
            groups.append([lo, hi])
    covered = iter(sorted(wanted))
    lo, hi = next(covered, (0, 0))
    for first, last in groups:
        for event in store.read(folded.session_id, after=first - 1, until=last, kinds=kinds):
            while event.position > hi:
                lo, hi = next(covered)
            if lo <= event.position and conversation.seen_by_model(event):
                yield event


def _replacements(store: EventStore, folded: Folded) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for target, position in folded.states["conversation"]["replaced"].items():
        events = store.hydrate(store.read(folded.session_id, after=position - 1, until=position))
        found[target] = events[0].data["replacement"]
    return found


def _of_compaction(store: EventStore, folded: Folded, position: int) -> list[Spoken]:
    """The history that a compaction put in place of what was before: its replacement, or the kept inputs and the summary."""
    (event,) = store.hydrate(store.read(folded.session_id, after=position - 1, until=position))
    data = event.data
    if data.get("replacement") is not None:
        merger = Merger(set(), {}, [])
        for fact in data["replacement"]:
            part = {name: value for name, value in fact.items() if name != "kind"}
            merger.take(replace(event, kind=fact["kind"], data=part, native_id=None, record=None))
        return merger.messages
    kept = _kept_inputs(store, folded, data)
    text = str(data.get("summary") or "")
    summary = Spoken("user", position, [{"type": "text", "text": text}], event.native_id, origin="summary", ts=event.ts)
    return [*kept, summary]


def _kept_inputs(store: EventStore, folded: Folded, data: dict[str, Any]) -> list[Spoken]:
    """A person's own inputs that stay beside a summary: the newest that fit into the compaction's number of tokens."""
    budget = data.get("keeps_inputs_tokens")
    positions: list[int] = folded.states["conversation"]["kept_inputs"]
    if not budget or not positions:
        return []
    from ..projections.turns import kept_inputs

    ranges = [(at, at) for at in positions]
    merger = Merger(set(), {}, [])
    for event in store.hydrate(_read(store, folded, ranges)):
        merger.take(event)
    texts = kept_inputs([message.text for message in merger.messages], int(budget))
    kept: list[Spoken] = []
    for message, text in zip(reversed(merger.messages), reversed(texts), strict=False):
        message.blocks = [{"type": "text", "text": text}]
        kept.append(message)
    return kept[::-1]


class Merger:
    """Puts events together: a reply with its calls is one message, the results that answer it are one message."""

    def __init__(self, cleared: set[str], replaced: dict[str, Any], messages: list[Spoken]) -> None:
        self.messages = messages
        self._cleared = cleared
        self._replaced = replaced
        self._marker: Spoken | None = None
        self._replies: dict[str, Spoken] = {}  # by response id, since the other side last said more than results
        self._fenced = 0  # so many messages are in it, or shut out by what came after

    def take(self, event: Event) -> None:
        if event.kind in ("AssistantMessage", "ToolUse"):
            self._reply(event)
        elif event.kind == "ToolResult":
            self._result(event)
        elif event.kind == "UserInput":
            self._input(event)
        elif event.kind == "RunEnded":
            self._aborted(event)

    def _new(self, event: Event, role: str, **more: Any) -> Spoken:
        made = Spoken(role, event.position, native_id=event.native_id, record=event.record, ts=event.ts, **more)
        self.messages.append(made)
        return made

    def _reply(self, event: Event) -> None:
        data = event.data
        message = self._open_reply(event)
        if message is None:
            message = self._new(event, "assistant", response_id=data.get("response_id"))
        message.position = max(message.position, event.position)
        for name in ("model", "provider"):
            if data.get(name) is not None:
                setattr(message, name, data[name])
        message.error = message.error or bool(data.get("error"))
        message.provisional = message.provisional or bool(data.get("provisional"))
        message.synthetic = message.synthetic or bool(data.get("synthetic"))
        if event.kind == "AssistantMessage":
            message.blocks += [dict(block) for block in data["blocks"]]
        else:
            message.blocks.append(_call(data))

    def _open_reply(self, event: Event) -> Spoken | None:
        """The message that this part belongs to: of the same response, or the reply right before when responses have no id."""
        response = event.data.get("response_id")
        if response is None:
            last = self.messages[-1] if self.messages else None
            if last is None or last.role != "assistant" or last.response_id is not None or last.error:
                return None
            if event.record is not None and event.record == last.record:
                return last
            spoke = any(block.get("type") != "thinking" for block in last.blocks)
            return None if event.kind == "AssistantMessage" and spoke else last
        for at in range(min(self._fenced, len(self.messages)), len(self.messages)):
            message = self.messages[at]
            if message.role == "assistant":
                if message.response_id is not None:
                    self._replies[message.response_id] = message
            elif not message.only_results and message.origin != "attachment":
                self._replies.clear()
        self._fenced = max(len(self.messages) - 1, 0)  # the last one may still grow
        return self._replies.get(response)

    def _result(self, event: Event) -> None:
        data = event.data
        last = self.messages[-1] if self.messages else None
        if last is None or not last.only_results:
            last = self._new(event, "user")
        last.position = max(last.position, event.position)
        last.record = event.record
        block: Block = {"type": "tool_result", "tool_use_id": data["call_id"], "content": data["content"]}
        if data["call_id"] in self._replaced:
            block["content"] = self._replaced[data["call_id"]]
        elif data["call_id"] in self._cleared:
            block["content"] = CLEARED
        block["is_error"] = bool(data.get("is_error"))
        if data.get("synthesized"):
            block["synthesized"] = last.synthesized = True
        last.blocks.append(block)

    def _input(self, event: Event) -> None:
        data = event.data
        blocks = [dict(block) for block in data["content"]]
        if data.get("origin") in _REMINDERS and not _is_reminder(blocks):
            blocks = _reminder(blocks)
        replacement = self._replaced.get(f"#{event.native_id}")
        if replacement is not None:
            blocks = [{"type": "text", "text": replacement}]
        last = self.messages[-1] if self.messages else None
        if self._marker is not None:
            if _tells_of_abort(blocks):
                self.messages.remove(self._marker)
            self._marker = None
            last = self.messages[-1] if self.messages else None
        same = event.record is not None and last is not None and last.role == "user" and last.record == event.record
        if last is None or not same:
            last = self._new(event, data.get("role", "user"), origin=data.get("origin", "human"))
        last.origin = last.origin or data.get("origin", "human")
        last.provisional = last.provisional or bool(data.get("provisional"))
        last.position = max(last.position, event.position)
        last.blocks += blocks

    def _aborted(self, event: Event) -> None:
        """An interruption leaves exactly one trace, the source's own or ours."""
        last = self.messages[-1] if self.messages else None
        if last is None or (last.role != "assistant" and _tells_of_abort(last.blocks)):
            return
        if last.role == "user" and any(_tells_of_abort(_blocks(block)) for block in last.of_type("tool_result")):
            return
        self._marker = Spoken(
            "user",
            event.position,
            [{"type": "text", "text": ABORTED}],
            origin="notification",
            synthesized=True,
            ts=event.ts,
        )
        self.messages.append(self._marker)


def _reminder(blocks: list[Block]) -> list[Block]:
    """What a client or a hook put beside a prompt, marked as such so that the model does not take it for a person's words."""
    text = "\n".join(str(block.get("text") or "") for block in blocks if block.get("type") == "text")
    others = [block for block in blocks if block.get("type") != "text"]
    if not text.strip():
        return others
    return [{"type": "text", "text": f"<system-reminder>\n{text}\n</system-reminder>"}, *others]


def _is_reminder(blocks: list[Block]) -> bool:
    return any(str(block.get("text") or "").lstrip().startswith("<system-reminder>") for block in blocks)


def _call(data: dict[str, Any]) -> Block:
    block: Block = {"type": "tool_use", "id": data["call_id"], "name": data["name"], "input": data.get("arguments")}
    block["call_type"] = data.get("call_type", "function")
    if not data.get("expects_result", True):
        block["answered"] = True
    return block


def _blocks(result: Block) -> list[Block]:
    content = result.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())


def _tells_of_abort(blocks: Iterable[Block]) -> bool:
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    return any(isinstance(text, str) and sign in text for text in texts for sign in _ABORT_SIGNS)
