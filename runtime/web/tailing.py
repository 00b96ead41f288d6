"""`GET /api/sessions/{id}/events`: what becomes durable, whoever writes it; and stored events in the words of a run."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import anyio
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response

from ...events.errors import UsageError
from ...events.event import Event
from ...events.store import EventStore
from ...events.times import to_iso
from ..live.opening import looked_up
from ..live.tail import POLL_S, fresh
from .context import Served, aside, served


async def tail(request: Request) -> Response:
    """Events behind `Last-Event-ID` (or `?after=`, else the present end), then those to come."""
    shared = served(request)
    session_id = await aside(looked_up, shared.store, request.path_params["id"])
    given = request.headers.get("last-event-id") or request.query_params.get("after")
    if given is not None and not given.isdecimal():
        raise UsageError(f"{given!r} is no position.", remedy="Give the position of the last event that was received.")
    after = int(given) if given is not None else (await aside(shared.store.session, session_id)).head
    return EventSourceResponse(_tailed(shared, session_id, after))


async def _tailed(shared: Served, session_id: str, after: int) -> AsyncIterator[ServerSentEvent]:
    while True:
        for event in await aside(fresh, shared.store, session_id, after):
            after = event.position
            data = json.dumps(document(event), ensure_ascii=False).encode("utf-8", "replace").decode()
            yield ServerSentEvent(data=data, event=event.kind, id=str(event.position))
        await anyio.sleep(POLL_S)


def document(event: Event) -> dict[str, Any]:
    """A stored event as JSON."""
    return {
        "type": event.kind,
        "kind": event.kind,
        "position": event.position,
        "pointer": event.pointer,
        "timestamp": to_iso(event.ts),
        "native_id": event.native_id,
        "data": event.data,
    }


def replayed(store: EventStore, session_id: str, after: int) -> list[dict[str, Any]]:
    """Stored events behind a position, as the run that wrote them would have told them."""
    told = (_in_words_of_a_run(event) for event in fresh(store, session_id, after))
    return [each for each in told if each is not None]


def _in_words_of_a_run(event: Event) -> dict[str, Any] | None:
    data = event.data
    if event.kind == "RunStarted":
        words = {"type": "run_started", "runId": data["run_id"], "sessionId": event.session_id}
        words |= {"resumed": data.get("resumed", False), "policy": data.get("policy")}
    elif event.kind == "AssistantMessage":
        text = "".join(str(block.get("text", "")) for block in data["blocks"] if block["type"] == "text")
        words = {"type": "assistant_message", "text": text, "pointer": event.pointer} if text else {}
    elif event.kind == "ToolUse":
        words = {
            "type": "tool_use",
            "callId": data["call_id"],
            "name": data["name"],
            "arguments": data.get("arguments"),
        }
    elif event.kind == "ToolResult":
        words = {
            "type": "tool_result",
            "callId": data["call_id"],
            "output": data["content"],
            "isError": data.get("is_error", False),
        }
    elif event.kind == "ApprovalRequested":
        words = {"type": "approval_requested", "callId": data["call_id"], "tool": data.get("tool")}
    elif event.kind == "Cost":
        words = {"type": "cost", **data}
    elif event.kind == "RunEnded":
        words = {
            "type": "run_finished",
            "runId": data.get("run_id"),
            "status": data["status"],
            "pointer": event.pointer,
        }
    else:
        words = {}
    return {**words, "position": event.position} if words else None
