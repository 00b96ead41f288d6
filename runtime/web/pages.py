"""The web page: a list with search, a session with its turns, findings, todos, files and costs, and a way to go on or fork."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ...events.errors import RehydrateError
from ..live.lease import holder_of
from ..live.opening import looked_up
from .answers import STATUS
from .context import Served, aside, served
from .remedies import over_http
from .session_api import listed

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).parent
SHOWN_SESSIONS = 200
SHOWN_ENTRIES = 400
SILENT = frozenset({"SessionStarted", "SessionLabel", "RunStarted", "RunEnded", "TodoSnapshot", "ApprovalRequested"})
"""Entries that the page shows elsewhere."""


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from ..cli.ago import ago, count, many, money

    made = Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined)
    filters: dict[str, Any] = {"ago": ago, "count": count, "many": many, "money": money, "short": _short, "leaf": _leaf}
    made.filters.update(filters)
    return made


def _short(text: str | None, length: int = 8) -> str:
    return (text or "")[:length]


def _leaf(path: str | None) -> str:
    return Path(path).name if path else ""


def _page(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    html = _environment().get_template(template).render(**values)
    return HTMLResponse(html.encode("utf-8", "replace"), status)


async def index(request: Request) -> Response:
    """The list, with a search over titles, ids, tags and models."""
    words = request.query_params.get("q", "")
    project = request.query_params.get("project") or None
    try:
        found = await aside(listed, served(request), project, words)
    except RehydrateError as error:
        return _failed(error)
    return _page(
        "sessions.html",
        sessions=found[:SHOWN_SESSIONS],
        more=max(0, len(found) - SHOWN_SESSIONS),
        q=words,
        project=project,
    )


async def new(request: Request) -> Response:
    """A composer for a new session."""
    shared = served(request)
    return _page("new.html", project=str(shared.project), model=shared.model or "")


async def session(request: Request) -> Response:
    """One session, as a reader sees it, beside what a restore would give."""
    try:
        values = await aside(_session_values, served(request), request.path_params["id"])
    except RehydrateError as error:
        return _failed(error)
    return _page("session.html", **values)


def _session_values(shared: Served, name: str) -> dict[str, Any]:
    from ..history import show_session
    from ..resume import resume_session

    session_id = looked_up(shared.store, name)
    refused: dict[str, Any] | None = None
    try:
        runtime = resume_session(session_id, store=shared.store)
    except RehydrateError as error:
        refused = error.as_json()
        runtime = resume_session(session_id, store=shared.store, check_workspace=False)
    history = show_session(session_id, store=shared.store)
    findings = (
        refused["facts"].get("findings", [])
        if refused
        else [finding.model_dump(mode="json") for finding in runtime.report.findings]
    )
    outcome = "refused" if refused else runtime.report.outcome
    turns = _turns(history.entries)
    return {
        "runtime": runtime,
        "outcome": outcome,
        "findings": findings,
        "turns": turns,
        "hidden": max(0, len(history.entries) - SHOWN_ENTRIES),
        "holder": holder_of(shared.store, session_id),
        "session_id": session_id,
        "model": runtime.agent.model_override or runtime.agent.model or shared.model or "",
        "asked": {entry.call_id: _arguments(entry) for entry in history.entries if entry.kind == "ToolUse"},
    }


def _turns(entries: Any) -> list[dict[str, Any]]:
    """Entries by turn, the newest SHOWN_ENTRIES of them; results are put beside their calls."""
    turns: list[dict[str, Any]] = []
    calls: dict[str, dict[str, Any]] = {}
    for entry in entries[-SHOWN_ENTRIES:]:
        if not turns or (entry.turn is not None and entry.turn != turns[-1]["number"]):
            turns.append({"number": entry.turn, "entries": [], "pointer": entry.pointer})
        turns[-1]["pointer"] = entry.pointer
        if entry.kind in SILENT:
            continue
        shown = {"entry": entry, "result": None, "preview": _arguments(entry)}
        if entry.kind == "ToolResult" and entry.call_id in calls and calls[entry.call_id]["result"] is None:
            calls[entry.call_id]["result"] = entry
        else:
            turns[-1]["entries"].append(shown)
        if entry.kind == "ToolUse" and entry.call_id:
            calls[entry.call_id] = shown
    return [turn for turn in turns if turn["entries"]]


def _arguments(entry: Any) -> str:
    """The text of a call without the tool's name, which stands before it."""
    text: str = entry.text
    return text.removeprefix(f"{entry.name} ") if entry.name else text


def _failed(error: RehydrateError) -> Response:
    return _page("failed.html", STATUS.get(error.exit_code, 500), error=error, remedy=over_http(error.remedy))
