"""The door to the client-compatible renderings: which one a session has, and for which kind of interface."""

from __future__ import annotations

from typing import Any, Literal

from ...events.errors import UsageError
from ..opened import StoreLike, opened

Form = Literal["responses", "chat", "anthropic"]
_FORMS: dict[str, Form] = {"claude-code": "anthropic", "codex": "responses"}


def client_messages(
    pointer: str, *, form: Form, model: str | None = None, store: StoreLike = None
) -> list[dict[str, Any]]:
    """The messages that the source's own client would send when it resumed the session at `pointer`, its defects included.

    model: the one the client would talk to; None for the session's own.

    Raises:
        UsageError: the source has no such client, or its client speaks another interface than `form`.
    """
    from ..resolve import resolve_pointer

    with opened(store) as opened_store:
        place = resolve_pointer(opened_store, pointer)
        source = opened_store.session(place.session_id).source
        spoken = _FORMS.get(source)
        if spoken is None:
            raise UsageError(
                f"Sessions of {source!r} have no other client to be compatible with.",
                remedy="Leave out --compat.",
                source=source,
            )
        if spoken != form:
            raise UsageError(
                f"The client of {source} speaks {spoken}, not {form}.",
                remedy=f"Use --messages {spoken}.",
                source=source,
            )
        if source == "claude-code":
            from .claude_code import render
        else:
            from .codex import render
        return render(opened_store, place.session_id, place.position, model)
