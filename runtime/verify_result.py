"""What a verification found."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from pydantic import Field
from sqlalchemy import exc

from ..events.blocks import Frozen
from ..events.errors import RehydrateError


class Mismatch(Frozen):
    """One place that is not as it was written.

    what: file, table, session, event, lineage, record, source, blob or projection.
    """

    what: str
    message: str
    session_id: str | None = None
    position: int | None = None
    facts: dict[str, Any] = Field(default_factory=dict)


class Verified(Frozen):
    """How much was checked, and every place that is damaged."""

    sessions: int
    events: int
    mismatches: tuple[Mismatch, ...] = ()


UNREADABLE = (
    exc.SQLAlchemyError,
    sqlite3.Error,
    RehydrateError,
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    OverflowError,
)
"""What reading a damaged row may raise: a changed byte can turn any value into any other."""


@contextmanager
def caught(found: list[Mismatch], what: str, message: str, session_id: str | None = None) -> Generator[None]:
    """Turn the failure of a check into a mismatch: damage is what we look for."""
    try:
        yield
    except UNREADABLE as error:
        text = str(getattr(error, "orig", None) or error)
        found.append(Mismatch(what=what, message=f"{message}: {text}.", session_id=session_id))
