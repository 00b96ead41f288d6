"""`SESSION@POSITION`: a place in a session's events, inclusive, as text that a person can copy."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import InvalidPointer


@dataclass(frozen=True, slots=True, order=True)
class Pointer:
    """Everything of `session_id` up to and including the event at `position` (from 1; 0 is before the first)."""

    session_id: str
    position: int

    def __post_init__(self) -> None:
        if not self.session_id:
            raise InvalidPointer("A pointer needs a session id.", remedy="Write it as SESSION@POSITION.")
        if self.position < 0:
            raise InvalidPointer(
                f"Position {self.position} is below 0.", remedy="Positions count the events of a session from 1."
            )

    def __str__(self) -> str:
        return f"{self.session_id}@{self.position}"


@dataclass(frozen=True, slots=True)
class PointerText:
    """A pointer as typed: the session part and the place part, neither looked up yet.

    `place` is None (the head), `last`, `before-compaction`, `turn:N`, a position in digits, or a native message id.
    """

    session: str
    place: str | None

    @classmethod
    def parse(cls, text: str) -> PointerText:
        """Split `SESSION[@PLACE]` at the last `@`.

        Raises:
            InvalidPointer: the session part or the place after `@` is empty.
        """
        session, at, place = text.rpartition("@")
        if not at:
            session, place = text, ""
        if not session.strip():
            raise InvalidPointer(f"{text!r} names no session.", remedy="Write it as SESSION or SESSION@POSITION.")
        if at and not place.strip():
            raise InvalidPointer(
                f"{text!r} names no place after the @.",
                remedy="Write SESSION@POSITION, @last, @turn:N, @before-compaction or a message id.",
            )
        return cls(session.strip(), place.strip() or None)

    def __str__(self) -> str:
        return self.session if self.place is None else f"{self.session}@{self.place}"
