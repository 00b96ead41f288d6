"""Acts: resume, fork, check, run; the public face of the package.

A name is imported from its module when it is first used, so that `import rehydrate.runtime` costs nothing. Every function
has an async twin of the same name with an `a` before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..events.errors import (
        AmbiguousSession,
        Conflict,
        Damaged,
        EventNotFound,
        InvalidPointer,
        LeaseConflict,
        NotFound,
        PositionConflict,
        ProviderError,
        Refused,
        RehydrateError,
        SessionNotFound,
        UsageError,
    )
    from ..events.findings import Finding, Report
    from ..events.pointer import Pointer
    from ..events.store import EventStore
    from .asynchronous import (
        aarchive_session,
        abackup_store,
        acopy_store,
        adelete_session,
        afork_session,
        aimport_transcripts,
        apurge_sessions,
        arename_session,
        arewind_session,
        asearch_sessions,
        atag_session,
        aunarchive_session,
    )
    from .backup import Backup, backup_store
    from .copying import Copied, copy_store
    from .deletion import delete_session
    from .fork import ForkResult, fork_session
    from .importing import ImportResult, import_transcripts
    from .labels import Labelled, archive_session, rename_session, tag_session, unarchive_session
    from .purge import Purged, purge_sessions
    from .rewind import RewindResult, rewind_session
    from .searching import Found, search_sessions

_PLACES = {
    "AmbiguousSession": "..events.errors",
    "Backup": ".backup",
    "Conflict": "..events.errors",
    "Copied": ".copying",
    "Damaged": "..events.errors",
    "EventNotFound": "..events.errors",
    "EventStore": "..events.store",
    "Finding": "..events.findings",
    "ForkResult": ".fork",
    "Found": ".searching",
    "ImportResult": ".importing",
    "InvalidPointer": "..events.errors",
    "Labelled": ".labels",
    "LeaseConflict": "..events.errors",
    "NotFound": "..events.errors",
    "Pointer": "..events.pointer",
    "PositionConflict": "..events.errors",
    "ProviderError": "..events.errors",
    "Purged": ".purge",
    "Refused": "..events.errors",
    "RehydrateError": "..events.errors",
    "Report": "..events.findings",
    "RewindResult": ".rewind",
    "SessionNotFound": "..events.errors",
    "UsageError": "..events.errors",
    "aarchive_session": ".asynchronous",
    "abackup_store": ".asynchronous",
    "acopy_store": ".asynchronous",
    "adelete_session": ".asynchronous",
    "afork_session": ".asynchronous",
    "aimport_transcripts": ".asynchronous",
    "apurge_sessions": ".asynchronous",
    "archive_session": ".labels",
    "arename_session": ".asynchronous",
    "arewind_session": ".asynchronous",
    "asearch_sessions": ".asynchronous",
    "atag_session": ".asynchronous",
    "aunarchive_session": ".asynchronous",
    "backup_store": ".backup",
    "copy_store": ".copying",
    "delete_session": ".deletion",
    "fork_session": ".fork",
    "import_transcripts": ".importing",
    "purge_sessions": ".purge",
    "rename_session": ".labels",
    "rewind_session": ".rewind",
    "search_sessions": ".searching",
    "tag_session": ".labels",
    "unarchive_session": ".labels",
}

__all__ = [
    "AmbiguousSession",
    "Backup",
    "Conflict",
    "Copied",
    "Damaged",
    "EventNotFound",
    "EventStore",
    "Finding",
    "ForkResult",
    "Found",
    "ImportResult",
    "InvalidPointer",
    "Labelled",
    "LeaseConflict",
    "NotFound",
    "Pointer",
    "PositionConflict",
    "ProviderError",
    "Purged",
    "Refused",
    "RehydrateError",
    "Report",
    "RewindResult",
    "SessionNotFound",
    "UsageError",
    "aarchive_session",
    "abackup_store",
    "acopy_store",
    "adelete_session",
    "afork_session",
    "aimport_transcripts",
    "apurge_sessions",
    "archive_session",
    "arename_session",
    "arewind_session",
    "asearch_sessions",
    "atag_session",
    "aunarchive_session",
    "backup_store",
    "copy_store",
    "delete_session",
    "fork_session",
    "import_transcripts",
    "purge_sessions",
    "rename_session",
    "rewind_session",
    "search_sessions",
    "tag_session",
    "unarchive_session",
]


def __getattr__(name: str) -> Any:
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(place, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
