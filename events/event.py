"""The envelope: what every event carries beside its own data, before (`Draft`) and after (`Event`) it has a position."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, Literal

from .blocks import Frozen
from .kinds import AnyFact, Fact, validate_fact

NodeType = Literal["user", "assistant", "system", "attachment", "progress", "unknown"]
"""What a record is in its source's own message tree."""


@dataclass(slots=True)
class Draft:
    """An event to be appended. Not changed once made (a frozen dataclass would take four times as long to make).

    data: the fact as a JSON object without `kind` and without None values; long values may be references.
    event_id: 32 hex digits; None lets the store make a new one (never idempotent then).
    ts: microseconds since 1970 UTC, or None when the source gives no usable time.
    native_id, native_parent, node: the record's place in its source's own tree, on the first event of a record only.
    lane: None for the main conversation, else the id of the inline side chain it belongs to.
    """

    kind: str
    data: dict[str, Any]
    event_id: str | None = None
    ts: int | None = None
    native_id: str | None = None
    native_parent: str | None = None
    node: NodeType | None = None
    lane: str | None = None
    schema_version: int = 1

    @classmethod
    def of(cls, fact: Fact, **envelope: Any) -> Draft:
        """Make a draft of a validated fact."""
        data = compact(fact)
        return cls(kind=data.pop("kind"), data=data, schema_version=fact.schema_version, **envelope)


@dataclass(slots=True)
class Event:
    """A stored event, never changed. `data` is the fact without `kind`; long values may still be references.

    session_id: the session it was read for; `stream` and `position` say where it is stored.
    record: row of its native record or None; events of one record share it. line counts from 1 in the source file.
    """

    session_id: str
    position: int
    kind: str
    data: dict[str, Any]
    event_id: str
    ts: int | None = None
    native_id: str | None = None
    native_parent: str | None = None
    node: NodeType | None = None
    lane: str | None = None
    record: int | None = None
    schema_version: int = 1
    stream: int = 0
    hash: bytes = field(default=b"", repr=False)

    @property
    def pointer(self) -> str:
        return f"{self.session_id}@{self.position}"

    def fact(self) -> AnyFact:
        """The typed fact (references stay references unless `data` was hydrated)."""
        return validate_fact({"kind": self.kind, **self.data})


def compact(fact: Frozen) -> dict[str, Any]:
    """A fact as the JSON object that is stored: no None, no empty defaults, tuples as lists."""
    return fact.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=False)


def derived_id(*parts: str | int) -> str:
    """A deterministic event id: 32 hex digits of the SHA-256 of the parts."""
    pieces: list[bytes] = []
    for part in parts:
        raw = str(part).encode("utf-8", "surrogatepass")
        pieces.append(len(raw).to_bytes(8, "big"))
        pieces.append(raw)
    return hashlib.sha256(b"".join(pieces)).hexdigest()[:32]
