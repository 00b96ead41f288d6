"""One record on its way to events: what its envelope says, and the drafts made from it so far."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import Any, cast

from ...event import Draft, NodeType, derived_id
from ...references import at, clean, preview
from ...times import to_us
from ..importer import Identity, Line
from .identity import TREE_TYPES
from .shape import Json, obj, some, text

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


@dataclass(slots=True)
class Record:
    """`value` is the parsed line; `add` appends an event of it, the first one bears the record's place in the tree.

    follows: another record of the tree stands before it in the file.
    """

    value: Json
    identity: Identity
    line: Line
    lane: str | None = None
    follows: bool = False
    drafts: list[Draft] = field(default_factory=list[Draft])
    type: str = ""
    uuid: str | None = None
    ts: int | None = None
    _key: str = ""

    def __post_init__(self) -> None:
        self.type = text(self.value.get("type")) or ""
        self.uuid = text(self.value.get("uuid"))
        self.ts = to_us(self.value.get("timestamp"))
        self._key = self.uuid or hashlib.sha256(self.line.raw).hexdigest()

    @property
    def is_node(self) -> bool:
        """Any object with its own id and a parent link is part of the tree, whatever its type."""
        return self.uuid is not None and (self.type in TREE_TYPES or "parentUuid" in self.value)

    @property
    def parent(self) -> str | None:
        """The parent's id; None for a root; empty where the link itself is lost, so that the tree bridges it."""
        named = text(self.value.get("parentUuid"))
        return "" if named is None and self.follows and "parentUuid" not in self.value else named

    @property
    def node(self) -> NodeType:
        return self.type if self.type in TREE_TYPES else "unknown"  # type: ignore[return-value]

    def add(self, kind: str, **data: Any) -> None:
        """Append an event; members that are None are left out."""
        number = sum(draft.kind != "SessionStarted" for draft in self.drafts)
        place: dict[str, Any] = {}
        if number == 0 and self.is_node:
            parent = self.parent
            place = {"native_id": self.uuid, "native_parent": parent, "node": self.node}
        parts = (self.identity.session_id, self._key, number) if number else (self.identity.session_id, self._key)
        identifier = derived_id(*parts)
        self.drafts.append(Draft(kind, some(data), event_id=identifier, ts=self.ts, lane=self.lane, **place))

    def at(self, *path: str | int) -> Any:
        """The value at a path of the record, or a reference to it when it is long."""
        return at(self.value, *path)

    def text_at(self, *path: str | int) -> Any:
        """As `at`, but always a text: what is no text there becomes an empty one."""
        found = self.at(*path)
        return cast("Any", found) if isinstance(found, str | dict) else ""

    @property
    def message(self) -> Json:
        return obj(self.value.get("message"))


def absolute_path(path: str, cwd: str | None) -> str:
    """A path as the tools write it: what is relative in a record is meant from the working directory."""
    if cwd is None or path.startswith(("/", "\\", "~")) or _DRIVE.match(path):
        return path
    if cwd.startswith("/"):
        return f"{cwd.rstrip('/')}/{path.removeprefix('./')}"
    return f"{cwd.rstrip(chr(92))}\\{path}" if _DRIVE.match(cwd) else path


def shown(value: Any) -> str:
    """One clean line of a text for lists and folds."""
    return preview(value) if isinstance(value, str) else ""


def short(value: Any, limit: int = 200) -> str | None:
    """A text without lone surrogates, if it is not longer than `limit`."""
    found = text(value)
    return clean(found) if found is not None and len(found) <= limit else None
