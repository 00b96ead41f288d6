"""`/api/agent/stream` and `/api/agent`: a run over HTTP. It goes on when its listener leaves; who comes back hears the rest."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response

from ...events.errors import RehydrateError, UsageError
from ..live.instructions import coding_instructions
from ..live.json_shapes import is_list
from ..live.live_events import LiveEvent
from ..live.opening import looked_up, open_session, require_service, start_session
from ..live.session import Session
from .answers import as_json, body_of, text_of, told
from .context import Served, aside, served
from .running import Feed, told_error
from .tailing import replayed

WAIT_S = 1.0


@dataclass(frozen=True, slots=True)
class Asked:
    """What a body asks for. given None goes on with what is unanswered."""

    given: str | list[dict[str, Any]] | None
    session_id: str | None
    model: str | None
    project: str | None
    permission_mode: str | None

    @classmethod
    def of(cls, body: dict[str, Any]) -> Asked:
        """Read the body.

        Raises:
            UsageError: there is neither an input nor a session, or a field has the wrong type.
        """
        given = body.get("input")
        if given is not None and not isinstance(given, str) and not is_list(given):
            raise UsageError("'input' must be a text or a list of content blocks.", remedy='Send {"input": "…"}.')
        session_id = text_of(body, "sessionId")
        if not given and session_id is None:
            raise UsageError("There is no input.", remedy='Send {"input": "…"}.')
        return cls(given, session_id, text_of(body, "model"), text_of(body, "project"), text_of(body, "permissionMode"))


async def stream(request: Request) -> Response:
    """Start a run (or, with `Last-Event-ID`, come back to one) and send its events."""
    shared = served(request)
    body = await body_of(request)
    last = _last_event_id(request)
    if last is not None:
        name = body.get("sessionId")
        if isinstance(name, str):
            return EventSourceResponse(_come_back(shared, name, last))
        lost = UsageError(
            "A connection is continued by its session.", remedy="Send the sessionId of run_started with Last-Event-ID."
        )
        return EventSourceResponse(_only(lost))
    try:
        asked = Asked.of(body)
    except UsageError as error:
        return EventSourceResponse(_only(error))
    feed = shared.runs.start(lambda feed: _drive(shared, asked, feed, stream=True))
    return EventSourceResponse(_followed(feed, None))


async def whole(request: Request) -> Response:
    """Run to the end and answer once."""
    shared = served(request)
    asked = Asked.of(await body_of(request))
    feed = shared.runs.start(lambda feed: _drive(shared, asked, feed, stream=False))
    events = await aside(lambda: list(feed.all()))
    if feed.error is not None:
        raise feed.error
    started = next(event.data for event in events if event.type == "run_started")
    finished = next(event.data for event in reversed(events) if event.type == "run_finished")
    document = {name: started[name] for name in ("runId", "sessionId", "resumed")}
    document |= {name: finished[name] for name in ("status", "output", "pointer", "reason", "pending")}
    return as_json(document)


def _last_event_id(request: Request) -> int | None:
    text = request.headers.get("last-event-id", "")
    return int(text) if text.isdecimal() else None


def _drive(shared: Served, asked: Asked, feed: Feed, *, stream: bool) -> None:
    """The thread of a run: open, drive, close; whatever goes wrong is the last event."""
    position = 0
    try:
        with _open(shared, asked) as session:
            shared.runs.enter(session.id, feed)
            feed.opened(session)
            for event in session.drive(asked.given, stream=stream):
                position = event.position
                feed.add(event)
    except RehydrateError as error:
        _fail(feed, error, position)
    except Exception as error:  # noqa: BLE001 - a thread's last words must reach its listeners
        _fail(feed, RehydrateError(f"{type(error).__name__}: {error}", remedy="See the server's log."), position)
    finally:
        feed.end()


def _fail(feed: Feed, error: RehydrateError, position: int) -> None:
    feed.error = error
    feed.add(LiveEvent("error", position, told(error)))


def _open(shared: Served, asked: Asked) -> Session:
    if asked.session_id is not None:
        looked_up(shared.store, asked.session_id)
    require_service(shared.api, base_url=shared.options.get("base_url"))
    common: dict[str, Any] = {
        "store": shared.target or shared.store,
        "model": asked.model,
        "permission_mode": asked.permission_mode,
        "api": shared.api,
        **shared.options,
    }
    if asked.session_id is not None:
        return open_session(asked.session_id, project=asked.project, **common)
    root = Path(asked.project) if asked.project else shared.project
    common["model"] = asked.model or shared.model
    return start_session(root, instructions=coding_instructions(root.resolve()), **common)


async def _followed(feed: Feed, position: int | None) -> AsyncIterator[ServerSentEvent]:
    taken = 0
    done = False
    while not done:
        events, taken, done = await aside(feed.after, position, taken, WAIT_S)
        for event in events:
            yield sent(event.as_json())


async def _come_back(shared: Served, name: str, last: int) -> AsyncIterator[ServerSentEvent]:
    """What was missed since `last`: from the run's own feed, or from the store when this server did not run it."""
    try:
        session_id = await aside(looked_up, shared.store, name)
    except RehydrateError as error:
        yield sent(told_error(error, last))
        return
    feed = shared.runs.of(session_id)
    if feed is not None:
        async for event in _followed(feed, last):
            yield event
        return
    for document in await aside(replayed, shared.store, session_id, last):
        yield sent(document)


async def _only(error: RehydrateError) -> AsyncIterator[ServerSentEvent]:
    yield sent(told_error(error, 0))


def sent(document: dict[str, Any]) -> ServerSentEvent:
    """One server-sent event: `id` is the position, `event` the type."""
    data = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace").decode()
    return ServerSentEvent(data=data, event=document["type"], id=str(document["position"]))
