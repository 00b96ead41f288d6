"""New ids for a copied Claude Code transcript: every link follows, and the live line becomes one chain without
holes."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from .transcript import Json, list_of, object_of

_CONTENT = frozenset({"message", "toolUseResult", "attachment", "content", "lastPrompt", "planContent", "todos"})
"""Fields that hold what was said; an id that happens to stand there is text."""


class NewIds:
    """The new name of each record: made from the new session id and the old name, so that it is the same every
    time."""

    def __init__(self, session_id: str, old_session_ids: Iterable[str]) -> None:
        self._base = uuid.UUID(session_id)
        self._names: dict[str, str] = dict.fromkeys(old_session_ids, session_id)
        self._used: set[str] = set()
        self.session_id = session_id

    def name(self, old: str) -> str:
        """A new name for a record; the second record of the same old name gets another one."""
        number = 0
        made = self._made(old, number)
        while made in self._used:
            number += 1
            made = self._made(old, number)
        self._used.add(made)
        self._names.setdefault(old, made)
        return made

    def _made(self, old: str, number: int) -> str:
        return str(uuid.uuid5(self._base, f"record {old} {number}"))

    @property
    def names(self) -> Mapping[str, str]:
        return self._names

    def relink(self, value: Any, key: str = "") -> Any:
        """The value with every old id replaced by its new one, outside of what was said."""
        if isinstance(value, str):
            return self._names.get(value, value)
        if isinstance(value, dict):
            told = object_of(value)
            return {name: part if name in _CONTENT else self.relink(part, name) for name, part in told.items()}
        if isinstance(value, list):
            return [self.relink(part, key) for part in list_of(value)]
        return value


def moved(record: Json, old: str | None, new: str) -> Json:
    """The record with its working directory below `new` instead of `old`."""
    cwd = record.get("cwd")
    if old is None or old == new or not isinstance(cwd, str):
        return record
    if cwd == old or cwd.startswith(old.rstrip("/") + "/"):
        return {**record, "cwd": new + cwd[len(old.rstrip("/")) :]}
    return record
