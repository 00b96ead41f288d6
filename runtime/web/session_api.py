"""`/api/sessions…`: the documents of the command line over HTTP."""

from __future__ import annotations

from typing import Any, Literal

from starlette.requests import Request
from starlette.responses import Response

from ...events.errors import Conflict, UsageError
from ..live.approvals import answer_question, approve_call, refuse_call
from ..live.lease import holder_of
from ..live.opening import looked_up
from .answers import as_json, body_of, text_of
from .context import Served, aside, served

PAGE = 100
DECISIONS = {
    "approve": "approve",
    "approved": "approve",
    "allow": "approve",
    "refuse": "refuse",
    "refused": "refuse",
    "deny": "refuse",
    "answer": "answer",
    "answered": "answer",
}


async def sessions(request: Request) -> Response:
    """The list, newest activity first, a page at a time: `cursor` is the session id a page ended with."""
    found = await aside(listed, served(request), request.query_params.get("project"), request.query_params.get("q"))
    after = request.query_params.get("cursor")
    start = 0
    if after:
        ids = [session.session_id for session in found]
        if after not in ids:
            raise UsageError(f"There is no page after {after!r}.", remedy="Begin again without cursor.")
        start = ids.index(after) + 1
    page = found[start : start + PAGE]
    cursor = page[-1].session_id if start + PAGE < len(found) else None
    return as_json({"sessions": page, "cursor": cursor})


def listed(shared: Served, project: str | None, words: str | None) -> tuple[Any, ...]:
    """Sessions of a project, or of all."""
    from ..listing import list_sessions

    return list_sessions(project, all=project is None, search=words or None, store=shared.store)


async def session(request: Request) -> Response:
    """One session: its line of the list, its lineage, who holds it."""
    return as_json(await aside(_session, served(request), request.path_params["id"]))


def _session(shared: Served, name: str) -> dict[str, Any]:
    from ..resume import resume_session

    session_id = looked_up(shared.store, name)
    runtime = resume_session(session_id, store=shared.store, check_workspace=False)
    document: dict[str, Any] = runtime.session.model_dump(mode="json")
    return {
        **document,
        "session_id": session_id,
        "pointer": runtime.transcript_pointer,
        "project": runtime.workspace.project.path if runtime.workspace.project else None,
        "turn_state": runtime.turn_state,
        "holder": holder_of(shared.store, session_id),
        "running": _running(shared, session_id),
    }


def _running(shared: Served, session_id: str) -> bool:
    feed = shared.runs.of(session_id)
    return feed is not None and not feed.ended


async def runtime(request: Request) -> Response:
    """The RestoredRuntime, as `resume --json`."""
    from ..resume import resume_session

    query = request.query_params
    restored = await aside(
        resume_session,
        request.path_params["id"],
        store=served(request).store,
        project=query.get("project"),
        allow_cross_project=query.get("allow_cross_project") in ("1", "true"),
        policy=_policy(query.get("policy")),
    )
    return as_json(restored)


def _policy(text: str | None) -> Literal["strict", "warn", "force"]:
    if text in (None, "", "strict"):
        return "strict"
    if text == "warn":
        return "warn"
    if text == "force":
        return "force"
    raise UsageError(f"There is no policy {text!r}.", remedy="Use strict, warn or force.")


async def check(request: Request) -> Response:
    """The findings alone, as `check --json`; refused ones are an answer here, not an error."""
    from ..workspace.session_check import check_session

    project = request.query_params.get("project")
    return as_json(await aside(check_session, request.path_params["id"], project, served(request).store))


async def entries(request: Request) -> Response:
    """The reader's view, as `show --json`; `after` leaves out what lies at or before a position."""
    from ..history import show_session

    after = request.query_params.get("after", "0")
    if not after.isdecimal():
        raise UsageError(f"{after!r} is no position.", remedy="Give a number.")
    shown = await aside(show_session, request.path_params["id"], store=served(request).store)
    kept = [entry for entry in shown.entries if entry.position > int(after)]
    return as_json({**shown.model_dump(mode="json"), "entries": kept})


async def fork(request: Request) -> Response:
    """As `fork --json`. Without a pointer: at the end."""
    from ..fork import fork_session

    body = await body_of(request)
    pointer = text_of(body, "pointer") or request.path_params["id"]
    _require_same_session(request, pointer)
    return as_json(await aside(fork_session, pointer, title=text_of(body, "title"), store=served(request).store))


async def rewind(request: Request) -> Response:
    """As `rewind --json`."""
    from ..rewind import rewind_session

    body = await body_of(request)
    pointer = text_of(body, "pointer", needed=True) or ""
    _require_same_session(request, pointer)
    scope: Any = text_of(body, "scope") or "conversation"
    if scope not in ("conversation", "files", "both"):
        raise UsageError(f"There is no scope {scope!r}.", remedy="Use conversation, files or both.")
    return as_json(await aside(rewind_session, pointer, scope=scope, store=served(request).store))


def _require_same_session(request: Request, pointer: str) -> None:
    shared = served(request)
    here = looked_up(shared.store, request.path_params["id"])
    from ..resolve import resolve_pointer

    named = resolve_pointer(shared.store, pointer).session_id
    if named != here:
        raise UsageError(
            f"{pointer} is a place in another session than {here}.", remedy="Send a pointer of this session."
        )


async def interrupt(request: Request) -> Response:
    """Stop the run of this session, if this server runs it."""
    shared = served(request)
    session_id = await aside(looked_up, shared.store, request.path_params["id"])
    feed = shared.runs.of(session_id)
    stopped = feed is not None and feed.interrupt()
    if stopped and feed is not None:
        await aside(lambda: [None for _ in feed.all()])
    holder = None if stopped else await aside(holder_of, shared.store, session_id)
    if holder is not None:
        raise Conflict(
            f"Session {session_id} runs in process {holder['pid']} on {holder['host']}.",
            remedy=f"Interrupt it there, or take it over with: rehydrate takeover {session_id}",
            session_id=session_id,
            **holder,
        )
    row = await aside(shared.store.session, session_id)
    return as_json({"session_id": session_id, "interrupted": stopped, "pointer": f"{session_id}@{row.head}"})


async def decide(request: Request) -> Response:
    """`{"decision": "approve" | "refuse" | "answer", "reason"?, "answer"?}`, as `approve`, `refuse`, `answer --json`."""
    shared = served(request)
    body = await body_of(request)
    name, call = request.path_params["id"], request.path_params["call"]
    decision = DECISIONS.get(text_of(body, "decision", needed=True) or "")
    if decision == "approve":
        return as_json(await aside(approve_call, name, call, store=shared.store))
    if decision == "refuse":
        return as_json(await aside(refuse_call, name, call, reason=text_of(body, "reason"), store=shared.store))
    if decision == "answer":
        answer = text_of(body, "answer", needed=True) or ""
        return as_json(await aside(answer_question, name, call, answer, store=shared.store))
    raise UsageError(f"There is no decision {body['decision']!r}.", remedy="Use approve, refuse or answer.")
