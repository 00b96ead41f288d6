"""The Starlette application: which route leads where."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from ...events.errors import RehydrateError
from . import agent_api, pages, session_api, tailing
from .answers import as_json, on_error
from .context import Served
from .guard import Guard, Rules

HERE = Path(__file__).parent


def create_app(shared: Served, rules: Rules) -> Starlette:
    """The application over an open store; who may ask is up to `rules`."""
    app = Starlette(
        routes=[*_api(), *_pages()],
        middleware=[Middleware(Guard, rules=rules)],
        exception_handlers={RehydrateError: on_error, HTTPException: _on_http, Exception: on_error},
        lifespan=_lifespan,
    )
    app.state.served = shared
    return app


def _api() -> list[Route]:
    one = "/api/sessions/{id:path}"
    return [
        Route("/api/agent/stream", agent_api.stream, methods=["POST"]),
        Route("/api/agent", agent_api.whole, methods=["POST"]),
        Route("/api/sessions", session_api.sessions, methods=["GET"]),
        Route("/api/sessions/", session_api.sessions, methods=["GET"]),
        Route(f"{one}/runtime", session_api.runtime, methods=["GET"]),
        Route(f"{one}/check", session_api.check, methods=["GET"]),
        Route(f"{one}/entries", session_api.entries, methods=["GET"]),
        Route(f"{one}/events", tailing.tail, methods=["GET"]),
        Route(f"{one}/fork", session_api.fork, methods=["POST"]),
        Route(f"{one}/rewind", session_api.rewind, methods=["POST"]),
        Route(f"{one}/interrupt", session_api.interrupt, methods=["POST"]),
        Route(one + "/approvals/{call}", session_api.decide, methods=["POST"]),
        Route(one, session_api.session, methods=["GET"]),
    ]


def _pages() -> list[Route | Mount]:
    return [
        Route("/", pages.index, methods=["GET"]),
        Route("/sessions", pages.index, methods=["GET"]),
        Route("/sessions/", pages.index, methods=["GET"]),
        Route("/new", pages.new, methods=["GET"]),
        Route("/sessions/{id:path}", pages.session, methods=["GET"]),
        Mount("/static", StaticFiles(directory=HERE / "static"), name="static"),
    ]


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncGenerator[None]:
    yield
    shared = app.state.served
    assert isinstance(shared, Served)
    shared.runs.interrupt_all()


async def _on_http(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = {404: "not-found", 405: "method-not-allowed"}.get(error.status_code, "http")
    document: dict[str, Any] = {"code": code, "message": str(error.detail), "remedy": "", "facts": {}}
    return as_json({"error": document}, error.status_code)
