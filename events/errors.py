"""One tree of errors for everything that can go wrong, each with its facts, its remedy and its exit code.

    RehydrateError                     1  anything else
    ├── UsageError                     2  the call's words are off
    │   └── InvalidPointer
    ├── NotFound                       3  no such session, event, file
    │   ├── SessionNotFound
    │   ├── AmbiguousSession
    │   └── EventNotFound
    ├── Conflict                       4  somebody else was there first
    │   ├── PositionConflict              another writer appended in between
    │   ├── EventConflict                 other content under a known event id
    │   ├── LeaseConflict                 another process holds the session
    │   └── DatabaseBusy                  the wait for the lock reached its bound
    ├── Refused                        5  a check says no
    ├── Damaged                        6  bytes that cannot be read as what they claim to be
    │   ├── UnreadableSource
    │   └── DamagedDatabase
    ├── ProviderError                  7  the model's service failed
    ├── NewerDatabase                  1
    └── DiskFull                       1

Faces turn these into exit codes, JSON documents and pages; nothing else catches them broadly.
"""

from __future__ import annotations

from typing import Any, ClassVar


class RehydrateError(Exception):
    """Base of all errors of this product.

    `message` says what is wrong, `remedy` what to do next (a command where there is one), `facts` holds the values
    (JSON types only) that a program would want to look at.
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, remedy: str = "", **facts: Any) -> None:
        super().__init__(message if not remedy else f"{message} {remedy}")
        self.message = message
        self.remedy = remedy
        self.facts: dict[str, Any] = facts

    def as_json(self) -> dict[str, Any]:
        """The shape every face prints: `{"code", "message", "remedy", "facts"}`."""
        return {"code": self.code, "message": self.message, "remedy": self.remedy, "facts": self.facts}


class UsageError(RehydrateError):
    """The arguments cannot be acted on as given."""

    code = "usage"
    exit_code = 2


class InvalidPointer(UsageError):
    """A text that is no pointer, or a pointer outside its session."""

    code = "invalid-pointer"


class NotFound(RehydrateError):
    """What was named does not exist; nothing was created in its place."""

    code = "not-found"
    exit_code = 3


class SessionNotFound(NotFound):
    """No session has this id, prefix or title; `facts["candidates"]` lists the nearest."""

    code = "session-not-found"


class AmbiguousSession(NotFound):
    """Several sessions fit; `facts["candidates"]` lists them all."""

    code = "ambiguous-session"


class EventNotFound(NotFound):
    """The session has no event with this id or at this place."""

    code = "event-not-found"


class Conflict(RehydrateError):
    """Somebody else was there first; nothing was written."""

    code = "conflict"
    exit_code = 4


class PositionConflict(Conflict):
    """The session moved on between reading and appending."""

    code = "position-conflict"

    def __init__(self, session_id: str, expected_position: int, found_position: int) -> None:
        super().__init__(
            f"Session {session_id} is at position {found_position}, not at {expected_position}.",
            remedy="Restore it again and decide anew.",
            session_id=session_id,
            expected_position=expected_position,
            found_position=found_position,
        )
        self.expected_position = expected_position
        self.found_position = found_position


class EventConflict(Conflict):
    """An event id that is already known came back with other content."""

    code = "event-conflict"


class LeaseConflict(Conflict):
    """Another writer holds the session; `facts` names the holder and since when."""

    code = "lease-conflict"


class DatabaseBusy(Conflict):
    """The wait for the database lock reached its bound."""

    code = "database-busy"


class Refused(RehydrateError):
    """A check refused the operation; `facts["findings"]` holds the findings."""

    code = "refused"
    exit_code = 5


class Damaged(RehydrateError):
    """Stored bytes are not what they claim to be."""

    code = "damaged"
    exit_code = 6


class UnreadableSource(Damaged):
    """A file of which nothing can be read as a transcript."""

    code = "not-a-transcript"


class DamagedDatabase(Damaged):
    """The database file cannot be read; it was left as it is."""

    code = "damaged-database"


class ProviderError(RehydrateError):
    """The model's service refused or failed; the session stays usable."""

    code = "provider-error"
    exit_code = 7


class NewerDatabase(RehydrateError):
    """The database was written by a newer version of this program; it was left unchanged."""

    code = "newer-database"


class DiskFull(RehydrateError):
    """The disk or the database's size limit is reached; the failed step left nothing behind."""

    code = "disk-full"
