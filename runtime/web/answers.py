"""Results and errors as JSON answers, the same documents as the command line prints."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ...events.errors import RehydrateError, UsageError
from ..live.json_shapes import is_object
from .remedies import over_http

STATUS = {2: 400, 3: 404, 4: 409, 5: 403, 6: 500, 7: 502}
"""HTTP status by exit code; 500 for anything else."""

MAX_BODY_BYTES = 20_000_000


def as_json(document: Any, status: int = 200) -> Response:
    """A JSON answer of plain values or of objects with `model_dump` or `as_json`."""
    text = json.dumps(document, ensure_ascii=False, default=_plain)
    return Response(text.encode("utf-8", "replace"), status, media_type="application/json")


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True)
    if hasattr(value, "as_json"):
        return value.as_json()
    return str(value)


def told(error: RehydrateError) -> dict[str, Any]:
    """The error's document, its remedy in words that help over HTTP."""
    return {**error.as_json(), "remedy": over_http(error.remedy)}


def of_error(error: RehydrateError) -> Response:
    return as_json({"error": told(error)}, STATUS.get(error.exit_code, 500))


async def on_error(_: Request, error: Exception) -> Response:
    """What the server answers when an endpoint raises."""
    if isinstance(error, RehydrateError):
        return of_error(error)
    document: dict[str, Any] = {
        "code": "error",
        "message": f"{type(error).__name__}: {error}",
        "remedy": "See the server's log.",
        "facts": {},
    }
    return as_json({"error": document}, 500)


async def body_of(request: Request) -> dict[str, Any]:
    """The request's JSON object; an empty body is an empty object.

    Raises:
        UsageError: it is too large or no object.
    """
    if int(request.headers.get("content-length") or 0) > MAX_BODY_BYTES:
        raise UsageError("The body is too large.", remedy=f"Send at most {MAX_BODY_BYTES} bytes.")
    raw = await request.body()
    if not raw.strip():
        return {}
    try:
        body = json.loads(raw)
    except ValueError as error:
        raise UsageError(f"The body is no JSON: {error}.", remedy="Send a JSON object.") from error
    if not is_object(body):
        raise UsageError("The body is no JSON object.", remedy="Send a JSON object.")
    return body


def text_of(body: dict[str, Any], name: str, *, needed: bool = False) -> str | None:
    """A text field of the body.

    Raises:
        UsageError: it is no text, or missing though needed.
    """
    value = body.get(name)
    if value is None and not needed:
        return None
    if not isinstance(value, str) or (needed and not value.strip()):
        raise UsageError(f"{name!r} must be a text.", remedy=f'Send {{"{name}": "…"}}.')
    return value
