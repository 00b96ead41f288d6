"""All folds. A new one is a new file and one line here."""

from __future__ import annotations

import hashlib

from . import (
    accounting,
    activity,
    agent,
    attribution,
    calls,
    compactions,
    context_use,
    conversation,
    damage,
    files,
    labels,
    lanes,
    lineage,
    plan,
    queue,
    tasks,
    todos,
    workspace,
    world,
)
from .projection import Projection

PROJECTIONS: tuple[Projection, ...] = (
    accounting.FOLD,
    activity.FOLD,
    agent.FOLD,
    attribution.FOLD,
    calls.FOLD,
    compactions.FOLD,
    context_use.FOLD,
    conversation.FOLD,
    damage.FOLD,
    files.FOLD,
    labels.FOLD,
    lanes.FOLD,
    lineage.FOLD,
    plan.FOLD,
    queue.FOLD,
    tasks.FOLD,
    todos.FOLD,
    todos.NUMBERS,
    workspace.FOLD,
    world.FOLD,
)

PATH_VERSION = 5
"""Raise it when `path.py`, `tree.py` or `turns.py` choose differently."""


def versions_key(projections: tuple[Projection, ...] = PROJECTIONS) -> str:
    """What a stored state must have been made with: the names and versions of all folds and of the path rules."""
    text = ",".join(f"{fold.name}={fold.version}" for fold in projections)
    return hashlib.sha256(f"{PATH_VERSION};{text}".encode()).hexdigest()[:16]
