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
        aadd_up_costs,
        aanswer_question,
        aapprove_call,
        aarchive_session,
        abackup_store,
        acheck_session,
        acompare_pointers,
        acopy_store,
        adelete_session,
        aderive_sessions,
        aexport_session,
        afork_session,
        aimport_transcripts,
        alist_sessions,
        apurge_sessions,
        arebind_session,
        arebuild_projections,
        arefuse_call,
        arename_session,
        arepair_store,
        aresume_session,
        arewind_points,
        arewind_session,
        ascan_places,
        asearch_sessions,
        ashow_session,
        atag_session,
        atakeover_session,
        atree_view,
        aunarchive_session,
        averify_store,
    )
    from .backup import Backup, backup_store
    from .compare import Comparison, compare_pointers
    from .copying import Copied, copy_store
    from .deletion import delete_session
    from .derive import derive_sessions
    from .export import ExportResult, export_session
    from .fork import ForkResult, fork_session
    from .history import History, rewind_points, show_session
    from .importing import ImportResult, import_transcripts
    from .labels import Labelled, archive_session, rename_session, tag_session, unarchive_session
    from .listing import SessionSummary, list_sessions
    from .live.approvals import answer_question, approve_call, refuse_call
    from .live.coding_tools import coding_tools
    from .live.live_events import LiveEvent, RunResult
    from .live.opening import aopen_session, astart_session, open_session, start_session
    from .live.session import Session
    from .live.tail import tail_session
    from .live.takeover import takeover_session
    from .live.tools import Tool, ToolContext, tool
    from .purge import Purged, purge_sessions
    from .rebuild import rebuild_projections
    from .restored import RestoredRuntime
    from .resume import resume_session
    from .rewind import RewindResult, rewind_session
    from .scanning import Scan, scan_places
    from .searching import Found, search_sessions
    from .spending import Costs, add_up_costs
    from .store_repair import Repair, repair_store
    from .tree_view import Tree, tree_view
    from .verify import verify_store
    from .workspace.rebind import rebind_session
    from .workspace.session_check import check_session

_PLACES = {
    "AmbiguousSession": "..events.errors",
    "Backup": ".backup",
    "Comparison": ".compare",
    "Conflict": "..events.errors",
    "Copied": ".copying",
    "Costs": ".spending",
    "Damaged": "..events.errors",
    "EventNotFound": "..events.errors",
    "EventStore": "..events.store",
    "ExportResult": ".export",
    "Finding": "..events.findings",
    "ForkResult": ".fork",
    "Found": ".searching",
    "History": ".history",
    "ImportResult": ".importing",
    "InvalidPointer": "..events.errors",
    "Labelled": ".labels",
    "LeaseConflict": "..events.errors",
    "LiveEvent": ".live.live_events",
    "NotFound": "..events.errors",
    "Pointer": "..events.pointer",
    "PositionConflict": "..events.errors",
    "ProviderError": "..events.errors",
    "Purged": ".purge",
    "Refused": "..events.errors",
    "RehydrateError": "..events.errors",
    "Repair": ".store_repair",
    "Report": "..events.findings",
    "RestoredRuntime": ".restored",
    "RewindResult": ".rewind",
    "RunResult": ".live.live_events",
    "Scan": ".scanning",
    "Session": ".live.session",
    "SessionNotFound": "..events.errors",
    "SessionSummary": ".listing",
    "Tool": ".live.tools",
    "ToolContext": ".live.tools",
    "Tree": ".tree_view",
    "UsageError": "..events.errors",
    "aadd_up_costs": ".asynchronous",
    "aanswer_question": ".asynchronous",
    "aapprove_call": ".asynchronous",
    "aarchive_session": ".asynchronous",
    "abackup_store": ".asynchronous",
    "acheck_session": ".asynchronous",
    "acompare_pointers": ".asynchronous",
    "acopy_store": ".asynchronous",
    "add_up_costs": ".spending",
    "adelete_session": ".asynchronous",
    "aderive_sessions": ".asynchronous",
    "aexport_session": ".asynchronous",
    "afork_session": ".asynchronous",
    "aimport_transcripts": ".asynchronous",
    "alist_sessions": ".asynchronous",
    "answer_question": ".live.approvals",
    "aopen_session": ".live.opening",
    "approve_call": ".live.approvals",
    "apurge_sessions": ".asynchronous",
    "archive_session": ".labels",
    "arebind_session": ".asynchronous",
    "arebuild_projections": ".asynchronous",
    "arefuse_call": ".asynchronous",
    "arename_session": ".asynchronous",
    "arepair_store": ".asynchronous",
    "aresume_session": ".asynchronous",
    "arewind_points": ".asynchronous",
    "arewind_session": ".asynchronous",
    "ascan_places": ".asynchronous",
    "asearch_sessions": ".asynchronous",
    "ashow_session": ".asynchronous",
    "astart_session": ".live.opening",
    "atag_session": ".asynchronous",
    "atakeover_session": ".asynchronous",
    "atree_view": ".asynchronous",
    "aunarchive_session": ".asynchronous",
    "averify_store": ".asynchronous",
    "backup_store": ".backup",
    "check_session": ".workspace.session_check",
    "coding_tools": ".live.coding_tools",
    "compare_pointers": ".compare",
    "copy_store": ".copying",
    "delete_session": ".deletion",
    "derive_sessions": ".derive",
    "export_session": ".export",
    "fork_session": ".fork",
    "import_transcripts": ".importing",
    "list_sessions": ".listing",
    "open_session": ".live.opening",
    "purge_sessions": ".purge",
    "rebind_session": ".workspace.rebind",
    "rebuild_projections": ".rebuild",
    "refuse_call": ".live.approvals",
    "rename_session": ".labels",
    "repair_store": ".store_repair",
    "resume_session": ".resume",
    "rewind_points": ".history",
    "rewind_session": ".rewind",
    "scan_places": ".scanning",
    "search_sessions": ".searching",
    "show_session": ".history",
    "start_session": ".live.opening",
    "tag_session": ".labels",
    "tail_session": ".live.tail",
    "takeover_session": ".live.takeover",
    "tool": ".live.tools",
    "tree_view": ".tree_view",
    "unarchive_session": ".labels",
    "verify_store": ".verify",
}

__all__ = [
    "AmbiguousSession",
    "Backup",
    "Comparison",
    "Conflict",
    "Copied",
    "Costs",
    "Damaged",
    "EventNotFound",
    "EventStore",
    "ExportResult",
    "Finding",
    "ForkResult",
    "Found",
    "History",
    "ImportResult",
    "InvalidPointer",
    "Labelled",
    "LeaseConflict",
    "LiveEvent",
    "NotFound",
    "Pointer",
    "PositionConflict",
    "ProviderError",
    "Purged",
    "Refused",
    "RehydrateError",
    "Repair",
    "Report",
    "RestoredRuntime",
    "RewindResult",
    "RunResult",
    "Scan",
    "Session",
    "SessionNotFound",
    "SessionSummary",
    "Tool",
    "ToolContext",
    "Tree",
    "UsageError",
    "aadd_up_costs",
    "aanswer_question",
    "aapprove_call",
    "aarchive_session",
    "abackup_store",
    "acheck_session",
    "acompare_pointers",
    "acopy_store",
    "add_up_costs",
    "adelete_session",
    "aderive_sessions",
    "aexport_session",
    "afork_session",
    "aimport_transcripts",
    "alist_sessions",
    "answer_question",
    "aopen_session",
    "approve_call",
    "apurge_sessions",
    "archive_session",
    "arebind_session",
    "arebuild_projections",
    "arefuse_call",
    "arename_session",
    "arepair_store",
    "aresume_session",
    "arewind_points",
    "arewind_session",
    "ascan_places",
    "asearch_sessions",
    "ashow_session",
    "astart_session",
    "atag_session",
    "atakeover_session",
    "atree_view",
    "aunarchive_session",
    "averify_store",
    "backup_store",
    "check_session",
    "coding_tools",
    "compare_pointers",
    "copy_store",
    "delete_session",
    "derive_sessions",
    "export_session",
    "fork_session",
    "import_transcripts",
    "list_sessions",
    "open_session",
    "purge_sessions",
    "rebind_session",
    "rebuild_projections",
    "refuse_call",
    "rename_session",
    "repair_store",
    "resume_session",
    "rewind_points",
    "rewind_session",
    "scan_places",
    "search_sessions",
    "show_session",
    "start_session",
    "tag_session",
    "tail_session",
    "takeover_session",
    "tool",
    "tree_view",
    "unarchive_session",
    "verify_store",
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
