"""The place of one session of the store, checked with what only the store knows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from ...events.store import EventStore
from .check import PlaceReport, check_workspace
from .paths import PathMap
from .policy import Policy
from .sessions import RecordedSession, known_places
from .verdict import Gate


def session_place(
    store: EventStore,
    recorded: RecordedSession,
    project: str | os.PathLike[str] | None = None,
    *,
    gate: Gate = "restore",
    policy: Policy = "strict",
    accept: Iterable[str] = (),
    allow_cross_project: bool = False,
    maps: Sequence[PathMap] = (),
    candidates: Iterable[str] = (),
) -> PlaceReport:
    """`check_workspace` for a session of the store: with its files, and other sessions' places for a project that moved."""
    return check_workspace(
        recorded.expected,
        project,
        recorded.files,
        gate=gate,
        policy=policy,
        accept=accept,
        allow_cross_project=allow_cross_project,
        maps=maps,
        known=known_places(store, recorded),
        candidates=candidates,
        acts=recorded.acts,
    )
